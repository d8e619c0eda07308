"""What the agent understands of a task: which tool each part asks for, and the values that it states."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final

from trajwiki.desk.tools import TOOLS
from trajwiki.language.tokens import is_stopword, stem, words

_PARTS: Final = re.compile(r"(?<=\.) +| and (?=send|hold|refund|cancel|exchange|mark|set)")
_VALUES: Final[Mapping[str, re.Pattern[str]]] = {
    "email": re.compile(r"\b[\w.]+@[\w.]+\w"),
    "number": re.compile(r"\b(\d{4})\b"),
    "until": re.compile(r"\b(\w+day)\b"),
    "level": re.compile(r"\b(urgent)\b"),
    "quoted": re.compile(r'"([^"]+)"'),
}


@dataclass(slots=True)
class Goal:
    """A part of a task.

    Attributes:
        tool: That seems to be asked for.
        said: Values by name.
        every: Not one thing is meant but all that fit.
        about: Stems of its words, by which entries in results are recognised.
        done: Calls that were made for it.
        arguments: Of the last one.
        last: What that gave back.
    """

    tool: str
    said: dict[str, str]
    every: bool
    about: frozenset[str]
    done: int = 0
    arguments: dict[str, Any] = field(default_factory=dict)
    last: dict[str, Any] = field(default_factory=dict)


def understand(text: str) -> list[Goal]:
    """Read a task by its words; a part without an order or a customer is about those named before."""
    goals: list[Goal] = []
    shared: dict[str, str] = {}
    for part in _PARTS.split(text):
        said = {name: match.group(match.lastindex or 0) for name, p in _VALUES.items() if (match := p.search(part))}
        own = {stem(w) for w in words(part) if not is_stopword(w)}
        tool = max((t.name for t in TOOLS.values() if t.changes), key=lambda n: (_nearness(n, own), n))
        if not _nearness(tool, own):
            continue
        shared = {**{k: v for k, v in shared.items() if k in ("email", "number")}, **said}
        every = bool(re.search(r"\b(?:every|all)\b", part))
        goals.append(Goal(tool, dict(shared), every, frozenset(own)))
    return goals


def _nearness(tool: str, own: set[str]) -> float:
    """How much a tool's name and purpose share with some words; a word that many tools share says little."""
    return sum(1 / _shared(word) for word in _about(tool) & own)


@cache
def _about(tool: str) -> frozenset[str]:
    return frozenset(stem(w) for w in words(f"{tool} {TOOLS[tool].says}".replace("_", " ")) if not is_stopword(w))


@cache
def _shared(word: str) -> int:
    return sum(word in _about(t.name) for t in TOOLS.values())
