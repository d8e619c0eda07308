"""Which earlier step a step stands on: where the values of its arguments and words first appeared."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from trajwiki.domain.runs import Run, Step, StepKind

MAX_VALUE: Final = 200  # a longer argument is a text or code, not a value
MAX_TEXT: Final = 50_000

_VALUE: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_@.#:/-]*[A-Za-z0-9_]|\d")
_WORD: Final = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Link:
    """A value of a step that an earlier step brought in.

    Attributes:
        step: The step that uses it.
        source: The step in which it first appeared.
        value: The value, as text.
        argument: The argument that holds it; None: it stands in the text.
    """

    step: int
    source: int
    value: str
    argument: str | None


def links(run: Run) -> tuple[Link, ...]:
    """Give the values of actions and messages that came from earlier steps, in order of the steps that use them."""
    seen = _Index(run.steps)
    found: list[Link] = []
    for step in run.steps:
        if step.kind in (StepKind.OBSERVATION, StepKind.ERROR, StepKind.PROMPT):
            continue
        named: list[tuple[str | None, str]] = list(argument_values(step.arguments))
        held = {value for _, value in named}
        told: list[tuple[str | None, str]] = [(None, value) for value in values_in(step.text) if value not in held]
        for argument, value in dict.fromkeys([*named, *told]):
            source = seen.first(value)
            if source is not None and source < step.number:
                found.append(Link(step.number, source, value, argument))
    return tuple(found)


class _Index:
    """Where each word and value of a run first stands in a text."""

    def __init__(self, steps: Sequence[Step]) -> None:
        self._texts = [step.text[:MAX_TEXT].casefold() for step in steps]
        self._first: dict[str, int] = {}
        for number, text in enumerate(self._texts, start=1):
            for token in {*_VALUE.findall(text), *_WORD.findall(text)}:
                self._first.setdefault(token.rstrip(".:"), number)
        self._whole: dict[str, int | None] = {}

    def first(self, value: str) -> int | None:
        """Give the number of the first step whose text holds the value, or None."""
        low = value.casefold()
        parts = _WORD.findall(low)
        if len(parts) <= 1 or low in self._first:
            return self._first.get(low)
        if low not in self._whole:
            start = max((self._first.get(part, len(self._texts) + 1) for part in parts), default=1)
            self._whole[low] = next((n for n in range(start, len(self._texts) + 1) if low in self._texts[n - 1]), None)
        return self._whole[low]


def values_in(text: str) -> list[str]:
    """Give the values of a text in order: numbers, ids, addresses; not plain words."""
    found = dict.fromkeys(
        match.group().rstrip(".:")
        for match in _VALUE.finditer(text[:MAX_TEXT])
        if len(match.group()) > 1 and _is_value(match.group())
    )
    return list(found)


def argument_values(arguments: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Give (name of the argument, value as text) of every short value in the arguments, nested ones too."""
    for name in arguments:
        for value in _leaves(arguments[name], 0):
            if 1 < len(value) <= MAX_VALUE:
                yield name, value


def _leaves(value: Any, depth: int) -> Iterator[str]:
    if isinstance(value, bool) or value is None or depth > 20:
        return
    if isinstance(value, Mapping):
        for inner in value.values():
            yield from _leaves(inner, depth + 1)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _leaves(inner, depth + 1)
    else:
        yield str(value)


def _is_value(token: str) -> bool:
    return any(c.isdigit() for c in token) or "@" in token or "_" in token.strip("_")
