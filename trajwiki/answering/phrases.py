"""The part of a claim that a question asks for: what is left when the question's own words are taken off."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Final

from trajwiki.language.times import find_times
from trajwiki.language.tokens import fold, is_stopword, stem, words

_TOKEN: Final = re.compile(r"\S+")
_PARTICLES: Final = frozenset({"to", "up", "out", "on", "in", "at", "about", "with", "for"})
_SAID: Final = re.compile(r'^(?:Asked ".*?", )?[^"]{1,60} said: "(.*)"\.?$', re.DOTALL)


def answer_phrase(text: str, subject: str, asked: Collection[str]) -> str:
    """Give the shortest run of a claim that holds what the question does not say already.

    Args:
        text: The claim.
        subject: Whom it is about; taken off the beginning.
        asked: Stems of the question.

    Returns:
        The run, without the claim's final stop; the whole claim when nothing is left.
    """
    whole = said(text)
    body = whole.rstrip(" .!")
    for mention in reversed(find_times(body, None)):
        if mention.end == len(body) and mention.start > 0:  # a time at the end answers another question
            body = body[: mention.start].rstrip(" ,")
    tokens = _TOKEN.findall(body)
    tokens = _without_subject(tokens, subject)
    new = [_is_new(t, asked) for t in tokens]
    if not any(new):
        return whole.rstrip(".")
    first, last = new.index(True), len(new) - 1 - new[::-1].index(True)
    first = _after_verb(tokens, new, first)
    return " ".join(tokens[first : last + 1]).strip(" ,;:.")


def said(text: str) -> str:
    """Give what stands in quotation marks where a claim only quotes; else the claim."""
    found = _SAID.match(text)
    return found.group(1) if found else text


def _without_subject(tokens: Sequence[str], subject: str) -> list[str]:
    names = words(subject)
    out = list(tokens)
    while out and names and (words(out[0]) or [""])[0] == names[0]:
        out.pop(0)
        names.pop(0)
    return out


def _is_new(token: str, asked: Collection[str]) -> bool:
    parts = [w for w in words(token) if not is_stopword(w)]
    return any(stem(w) not in asked for w in parts)


def _after_verb(tokens: Sequence[str], new: Sequence[bool], first: int) -> int:
    """Step over the first new word when it is the verb of the sentence and something new follows it."""
    verbish = re.fullmatch(r"[a-z]+(?:s|ed|ing)", fold(tokens[first])) is not None
    if first <= 2 and verbish and any(new[first + 1 :]):
        rest = first + 1
        while rest < len(tokens) and fold(tokens[rest]) in _PARTICLES:
            rest += 1
        return rest if rest < len(tokens) else first
    return first
