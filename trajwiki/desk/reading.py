"""Guidelines read as rules, by their wording alone: what is not understood says nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

_TIP: Final = re.compile(r"^\d+\. \[[^\]]*\] (.*?)(?: \(id: \S+\))?$")
_LINE: Final = re.compile(r"^ +(When|Step \d+|Not|Why): (.*)$")
_NAME: Final = re.compile(r"`([\w.]+)`")
_QUOTE: Final = re.compile(r"“([^”]*)”")
_N: Final = r"`([\w.]+)`"
_FILL: Final = re.compile(rf"\bfill {_N} of {_N} from {_N} in the result of {_N}", re.I)
_IS: Final = re.compile(rf"{_N} is {_N} of {_N}")
_TAKE: Final = re.compile(rf"\bin {_N}, {_N} decides\b.*?\b(?:take it from|entry of) {_N} in the result of {_N}", re.I)
_NOT_FROM: Final = re.compile(rf"\ba value from {_N} of {_N} was refused", re.I)
_CALL_BEFORE: Final = re.compile(rf"\bcall {_N} before {_N}", re.I)
_BEFORE_CALL: Final = re.compile(rf"\bbefore {_N}, call ((?:{_N}(?:, | and )?)+)", re.I)
_GIVE: Final = re.compile(rf"\balways give {_N} to {_N}", re.I)
_OMIT: Final = re.compile(rf"\bleave {_N} out of {_N}", re.I)
_EACH: Final = re.compile(rf"\bcall {_N} for (?:every|each) {_N}", re.I)
_ALL: Final = re.compile(rf"\bcall {_N} for everything\b", re.I)
_AGAIN: Final = re.compile(rf"{_N}.*\b(?:called? again unchanged|again with the same arguments)\b", re.I)
_CORRECT: Final = re.compile(r"\bargument to correct is `([\w.]+)`|\bfor the right `([\w.]+)`", re.I)
_DUE: Final = re.compile(rf"\bdo not end\b.*?\bwhether {_N} is due", re.I)
_SHUN: Final = re.compile(rf"^(?:do not|never|avoid)(?: call(?:ing)?)? {_N}", re.I)
_LOOK_AFTER: Final = re.compile(rf"\bafter {_N}, look at the result with {_N}", re.I)
_WAY: Final = re.compile(r"\bsucceeded this way: (.*)")


@dataclass(frozen=True, slots=True)
class Rule:
    """What the agent makes of a piece of advice.

    Attributes:
        kind: ``before`` (call `name` before `tool`), ``fill`` (`name` of `tool` is `field` of `source`),
            ``shun-field``, ``give``, ``omit``, ``each`` (go on over every `name`), ``all``, ``again``, ``correct``,
            ``due``, ``shun``, ``after`` (call `name` after `tool`).
        tool: What it is about.
        name: Another tool, or an argument.
        field: A field of a result.
        source: The tool that gives it.
        error: Words of the refusal that it speaks of.
    """

    kind: str
    tool: str
    name: str = ""
    field: str = ""
    source: str = ""
    error: str = ""


def read_rules(block: str) -> list[Rule]:
    """Give the rules in a block of guidelines, in order, each once."""
    found: dict[Rule, None] = {}
    for content, lines in _tips(block):
        error = next((q for text in (content, *lines) for q in _QUOTE.findall(text)), "")
        for rule in _rules(content, lines, error):
            found.setdefault(rule)
    return list(found)


def _tips(block: str) -> Iterator[tuple[str, list[str]]]:
    content: str | None = None
    lines: list[str] = []
    for line in block.splitlines():
        if match := _TIP.match(line):
            if content is not None:
                yield content, lines
            content, lines = match.group(1), []
        elif (match := _LINE.match(line)) and match.group(1) not in ("Not", "Why"):
            lines.append(match.group(2))
    if content is not None:
        yield content, lines


def _rules(content: str, lines: list[str], error: str) -> Iterator[Rule]:
    yield from _about_values(content, error)
    for text in (content, *lines):
        for before, tool in _CALL_BEFORE.findall(text):
            yield Rule("before", tool, before, error=error)
        for match in _BEFORE_CALL.finditer(text):
            for before in _NAME.findall(match.group(2)):
                yield Rule("before", match.group(1), before, error=error)
        for tool, argument in _EACH.findall(text):
            yield Rule("each", tool, argument)
        for tool in _ALL.findall(text):
            yield Rule("all", tool)
        for tool in _DUE.findall(text):
            yield Rule("due", tool)
        for tool in _SHUN.findall(text):
            yield Rule("shun", tool)
        for tool, after in _LOOK_AFTER.findall(text):
            yield Rule("after", tool, after)
        for way in _WAY.findall(text):
            names = _NAME.findall(way)
            for first, then in pairwise(names):
                yield Rule("before", then, first)
                yield Rule("after", first, then)


def _about_values(content: str, error: str) -> Iterator[Rule]:
    for pattern, order in ((_FILL, (1, 0, 2, 3)), (_TAKE, (0, 1, 2, 3))):
        for match in pattern.finditer(content):
            tool, name, field, source = (match.groups()[i] for i in order)
            yield Rule("fill", tool, _last(name), _last(field), source, error)
    about = _NAME.search(content)
    for match in _IS.finditer(content):
        if about is not None:
            yield Rule("fill", about.group(1), _last(match.group(1)), _last(match.group(2)), match.group(3), error)
    fills = list(_FILL.finditer(content))
    for match in _NOT_FROM.finditer(content):
        if fills:
            yield Rule("shun-field", fills[0].group(2), _last(fills[0].group(1)), _last(match.group(1)), match.group(2))
    for name, tool in _GIVE.findall(content):
        yield Rule("give", tool, _last(name), error=error)
    for name, tool in _OMIT.findall(content):
        yield Rule("omit", tool, _last(name), error=error)
    for tool in _AGAIN.findall(content):
        yield Rule("again", tool, error=error)
    for names in _CORRECT.findall(content):
        if about is not None:
            yield Rule("correct", about.group(1), _last(names[0] or names[1]), error=error)


def _last(name: str) -> str:
    return name.rpartition(".")[2]
