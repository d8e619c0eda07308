"""Short histories of changing facts: what holds at the end, since when, what replaced what, and what stays untouched.

A history is a title, the talk (a date line opens a session, ``3 Nora: ...`` is message 3) and what must be so then:

- ``now 3: a+b from 2023-05 on 2023-05-07``: a claim that stands on message 3 and contains both a and b is current,
  holds since a day that begins with 2023-05, and speaks of a time that begins with 2023-05-07
- ``gone 1: a by 3 until 2023-05 never``: every claim on message 1 with a is no longer current, because of message 3,
  and held until such a day, or never held
- ``settled 1: a by 3``: doubt that message 3 has ended, whichever way
- ``doubt 1: a``: still in doubt
- ``free 1: a``: may be anything

All other claims must be current: they are unrelated to what changed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest

from tests.histories.check import CHECK
from tests.histories.development import DEVELOPMENT
from tests.histories.later import LATER
from trajwiki import Memory
from trajwiki.domain.claims import Claim, Status
from trajwiki.domain.messages import NewMessage, Role
from trajwiki.domain.state import SpaceState
from trajwiki.memory.validity import held

_LINE = re.compile(
    r"(?P<what>now|gone|settled|doubt|free) (?P<ref>\d+): (?P<words>.+?)"
    r"(?: by (?P<by>\d+(?: or \d+)*))?(?: from (?P<since>[\d-]+))?(?: until (?P<until>[\d-]+))?"
    r"(?: on (?P<on>\d{4}[\d-]*))?(?P<never> never)?"
)
RIGHT = 0.95  # share of the histories of a half that must be right
UNTOUCHED = 0.99  # share of them in which nothing unrelated is touched


@dataclass(frozen=True, slots=True)
class Expected:
    """One line of what must be so."""

    line: str
    what: str
    ref: str
    words: tuple[tuple[str, ...], ...]  # any of these, each with all its parts
    by: tuple[str, ...]
    since: str
    until: str
    on: str
    never: bool

    def means(self, claim: Claim) -> bool:
        text = claim.text.casefold()
        return any(all(part in text for part in parts) for parts in self.words)


@dataclass(frozen=True, slots=True)
class History:
    """A short talk and what must be so at its end."""

    name: str
    messages: tuple[NewMessage, ...]
    expected: tuple[Expected, ...]


def histories(text: str) -> Iterator[History]:
    """Read the histories of a text."""
    for block in re.split(r"^== ", text, flags=re.MULTILINE)[1:]:
        name, *lines = block.strip().splitlines()
        messages: list[NewMessage] = []
        expected: list[Expected] = []
        at, session = datetime.min, ""
        for line in lines:
            if re.fullmatch(r"\d{4}-\d\d-\d\d", line):
                at, session = datetime.fromisoformat(line).replace(hour=9, tzinfo=UTC), line
            elif (said := re.match(r"(\d+) (\w+): (.+)", line)) is not None:
                at += timedelta(minutes=1)
                role = Role.ASSISTANT if said[2] == "assistant" else Role.USER
                messages.append(NewMessage(said[2], said[3], at, session=session, source_ref=said[1], role=role))
            else:
                expected.append(_expected(line))
        yield History(name, tuple(messages), tuple(expected))


def _expected(line: str) -> Expected:
    match = _LINE.fullmatch(line)
    assert match is not None, f"not understood: {line!r}"
    words = tuple(tuple(p.casefold() for p in any_of.split("+")) for any_of in match["words"].split(" or "))
    by = tuple((match["by"] or "").split(" or "))
    dates = (match["since"] or "", match["until"] or "", match["on"] or "")
    return Expected(line, match["what"], match["ref"], words, by, *dates, bool(match["never"]))


def faults(history: History, state: SpaceState) -> tuple[list[str], list[str]]:
    """Give what is not as expected, and the unrelated claims that were touched."""
    wrong: list[str] = []
    named: set[str] = set()
    for e in history.expected:
        there = [c for c in _on(state, e.ref) if e.means(c)]
        if e.what != "now":
            named |= {c.id for c in there}
        if not there and e.what != "free":
            wrong.append(f"{e.line}: no such claim")
        elif e.what == "now":
            if not any(_is_now(e, c, state) for c in there):
                wrong.append(f"{e.line}: {[_told(c, state) for c in there]}")
        else:
            wrong += [f"{e.line}: {_told(c, state)}" for c in there if not _is_as(e, c, state)]
    touched = [c for c in state.claims.values() if c.id not in named and state.status[c.id] is Status.DEPRECATED]
    return wrong, [_told(c, state) for c in touched]


def _on(state: SpaceState, ref: str) -> list[Claim]:
    return [state.claims[i] for i in state.claims_of.get(state.message_by_ref[ref], ())]


def _is_now(e: Expected, claim: Claim, state: SpaceState) -> bool:
    return (
        state.status[claim.id] is Status.ACTIVE
        and str(held(claim, state).start).startswith(e.since)
        and (claim.valid.iso() if claim.valid else "").startswith(e.on)
    )


def _is_as(e: Expected, claim: Claim, state: SpaceState) -> bool:
    status, last, days = state.status[claim.id], state.last_op[claim.id], held(claim, state)
    snapshot = state.snapshots.get(last.cause)
    by = {state.messages[i].source_ref for i in snapshot.message_ids} if snapshot else set()
    if e.what == "gone":
        timely = not (e.never and days.ever) and str(days.end).startswith(e.until)
        return status is Status.DEPRECATED and bool(by & set(e.by)) and timely
    if e.what == "settled":
        return status is not Status.NEEDS_CONFIRMATION and bool(by & set(e.by))
    return e.what == "free" or status is Status.NEEDS_CONFIRMATION


def _told(claim: Claim, state: SpaceState) -> str:
    last, days = state.last_op[claim.id], held(claim, state)
    return f"{claim.text} [{state.status[claim.id]}, {claim.kind}, {days.start}..{days.end}: {last.reason}]"


@pytest.mark.parametrize(
    ("text", "size"), [(DEVELOPMENT, 60), (CHECK, 60), (LATER, 46)], ids=["development", "check", "later"]
)
def test_changed_facts(text: str, size: int, memory: Memory) -> None:
    """In nearly all histories the memory holds what it must at the end, and it touches nothing else."""
    wrong: dict[str, list[str]] = {}
    touched: dict[str, list[str]] = {}
    every = list(histories(text))
    for history in every:
        space = memory.space(history.name)
        space.add(list(history.messages))
        space.flush()
        wrong[history.name], touched[history.name] = faults(history, space.state())
    right = sum(not wrong[h.name] and not touched[h.name] for h in every)
    assert len(every) == size
    assert right >= RIGHT * len(every), wrong
    assert sum(not t for t in touched.values()) >= UNTOUCHED * len(every), touched
