"""JSON out of what models write: in fences, between prose, twice, cut off, with bad escapes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

STARTS: Final = 24  # places in a reply where an object is looked for
DEPTH: Final = 60  # of nesting that is followed in a cut reply

_THOUGHT: Final = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)
_BAD_ESCAPE: Final = re.compile(r'\\(?!["\\/bfnrt]|u[0-9a-fA-F]{4})')
_LAST_COMMA: Final = re.compile(r",(\s*[}\]])")


@dataclass(frozen=True, slots=True)
class Found:
    """A value found in a reply.

    Attributes:
        value: A dict or list.
        mended: The reply was not this value and nothing else.
        truncated: The end was missing; what was not complete is left out.
    """

    value: Any
    mended: bool
    truncated: bool = False


def find_json(text: str) -> Iterator[Found]:
    """Give the objects and lists of a reply, the likeliest first."""
    bare = text.strip().lstrip("\ufeff")
    whole = _load(bare)
    if isinstance(whole, dict | list):
        yield Found(whole, mended=False)
        return
    bare = _THOUGHT.sub("", bare)
    for repaired in dict.fromkeys((bare, _LAST_COMMA.sub(r"\1", _BAD_ESCAPE.sub(r"\\\\", bare)))):
        yield from (Found(value, mended=True) for value in _embedded(repaired))
    start = min((i for i in (bare.find("{"), bare.find("[")) if i >= 0), default=-1)
    if start >= 0:
        value = _load(_closed(_BAD_ESCAPE.sub(r"\\\\", bare[start:])))
        if isinstance(value, dict | list):
            yield Found(value, mended=True, truncated=True)


_DECODER: Final = json.JSONDecoder(strict=False, parse_constant=lambda name: None)


def _load(text: str) -> Any:
    try:
        return _DECODER.decode(text)
    except (ValueError, RecursionError):
        return None


def _embedded(text: str) -> Iterator[Any]:
    """The complete objects in a text, one after the other."""
    at, tried = 0, 0
    while tried < STARTS:
        starts = [i for i in (text.find("{", at), text.find("[", at)) if i >= 0]
        if not starts:
            return
        start = min(starts)
        tried += 1
        try:
            value, at = _DECODER.raw_decode(text, start)
        except (ValueError, RecursionError):
            at = start + 1
            continue
        if value:
            yield value


_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*(?:"|\Z)|[{}\[\],]', re.DOTALL)
_CLOSES: Final = {"{": "}", "[": "]"}


def _closed(text: str) -> str:
    """Cut a text after its last complete element and close what is open."""
    stack: list[str] = []
    safe, to_close = 0, ""
    for match in _TOKEN.finditer(text):
        mark = match.group()
        if mark in _CLOSES:
            stack.append(_CLOSES[mark])
        elif mark in ("}", "]"):
            if not stack or stack.pop() != mark:
                break
        elif mark != "," or not stack or stack[-1] != "]":
            continue
        if mark == "{":  # nothing of it is complete yet
            continue
        safe, to_close = (match.start() if mark == "," else match.end()), "".join(reversed(stack))
        if not stack or len(stack) > DEPTH:
            break
    return text[:safe] + to_close
