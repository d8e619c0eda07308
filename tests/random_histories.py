"""Random histories of a space: steps drawn by hypothesis from a small fixed vocabulary, and carrying them out.

Steps name messages, claims and commits by a number that is taken modulo what is there, so that every history can be
carried out, and shrinks well.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st

from tests.states import essence
from trajwiki import Memory, NewMessage, Settings, Space
from trajwiki.domain.messages import Role
from trajwiki.domain.state import SpaceState
from trajwiki.erasure import Selection
from trajwiki.errors import UsageError
from trajwiki.models.embedding import Embedder
from trajwiki.store.database import Database

FIXED = "space_fixed"
MAY = datetime(2024, 5, 6, 10, tzinfo=UTC)
SPEAKERS = ("Ana", "Ben", "Caro")
SESSIONS = ("one", "two")
PLACES = ("Porto", "Madrid", "Oslo")
THINGS = ("violin", "kayak", "zebrawood desk")
TEXTS = (
    *(f"I live in {place} now." for place in PLACES),
    *(f"I used to live in {place}." for place in PLACES),
    *(f"I bought a {thing} yesterday." for thing in THINGS),
    *(f"I play the {thing}." for thing in THINGS),
    "I love olives.",
    "I hate olives now.",
    "I think I am allergic to cats.",
    "My sister is called Rita and she works at Acme.",
    "Where do you live?",
    "Nice!",
    "",
)

# "deep" looks eight times as long, elsewhere every time, and makes what it finds small: TRAJWIKI_HYPOTHESIS=deep.
_COMMON: dict[str, Any] = {
    "deadline": None,
    "suppress_health_check": [HealthCheck.too_slow, HealthCheck.function_scoped_fixture, HealthCheck.data_too_large],
}
_QUICK = (Phase.explicit, Phase.generate)
settings.register_profile("ci", max_examples=60, derandomize=True, database=None, phases=_QUICK, **_COMMON)
settings.register_profile("deep", max_examples=500, print_blob=True, **_COMMON)
PROFILE = settings.get_profile("deep" if os.environ.get("TRAJWIKI_HYPOTHESIS") == "deep" else "ci")


def fewer(divisor: int) -> settings:
    """Give the profile with fewer examples, for laws that take longer."""
    return settings(PROFILE, max_examples=max(5, PROFILE.max_examples // divisor))


@dataclass(frozen=True, slots=True)
class Tell:
    """Messages in one call of `add`. `days` may go back: they come out of order."""

    lines: tuple[tuple[str, str, str, int | None], ...]  # speaker, session, text, day


@dataclass(frozen=True, slots=True)
class Edit:
    """Another text for a message that is there."""

    message: int
    text: str


@dataclass(frozen=True, slots=True)
class Flush:
    """Open exchanges are closed."""


@dataclass(frozen=True, slots=True)
class Correct:
    """A person says what is right."""

    how: str
    claim: int
    text: str


@dataclass(frozen=True, slots=True)
class Revert:
    """A commit is taken back, with what stands on it."""

    commit: int


@dataclass(frozen=True, slots=True)
class Erase:
    """Messages are erased."""

    messages: tuple[int, ...]


Step = Tell | Edit | Flush | Correct | Revert | Erase

_NUMBERS = st.integers(min_value=0, max_value=30)
_LINE = st.tuples(
    st.sampled_from(SPEAKERS), st.sampled_from(SESSIONS), st.sampled_from(TEXTS), st.none() | st.integers(0, 9)
)
TELLS = st.builds(Tell, st.lists(_LINE, min_size=1, max_size=5).map(tuple))
EDITS = st.builds(Edit, _NUMBERS, st.sampled_from(TEXTS))
FLUSHES = st.just(Flush())
CORRECTIONS = st.builds(
    Correct,
    st.sampled_from(("add", "revise", "deprecate", "restore")),
    _NUMBERS,
    st.sampled_from([f"{speaker} lives in {place}." for speaker in SPEAKERS for place in PLACES]),
)
REVERTS = st.builds(Revert, _NUMBERS)
ERASURES = st.builds(Erase, st.lists(_NUMBERS, min_size=1, max_size=2).map(tuple))


def histories(*kinds: st.SearchStrategy[Any], max_size: int = 8) -> st.SearchStrategy[tuple[Step, ...]]:
    """Give histories that begin by telling something and go on with steps of these kinds."""
    return st.tuples(TELLS, st.lists(st.one_of(TELLS, *kinds), max_size=max_size)).map(lambda h: (h[0], *h[1]))


WHOLE = (EDITS, FLUSHES, CORRECTIONS, REVERTS, ERASURES)
"""All that can happen."""


@dataclass(slots=True)
class Teller:
    """Carries steps out on a space.

    Attributes:
        space: Where.
        told: Number of messages that were ever told, which names the next.
        heads: Commit to what the space was then, for every commit since the last erasure.
    """

    space: Space
    told: int = 0
    heads: dict[int, dict[str, Any]] = field(default_factory=dict)

    def carry_out(self, steps: Iterable[Step]) -> None:
        """Carry out steps in order; what the space refuses with a reason does nothing."""
        for step in steps:
            self.step(step)
            self.heads[self.space.log(limit=1)[0].n] = kept(self.space.state())

    def step(self, step: Step) -> None:
        """Carry out one step."""
        space, state = self.space, self.space.state()
        match step:
            case Tell():
                space.add(self.messages(step))
            case Edit():
                talk = [m for m in state.messages.values() if m.role is not Role.CORRECTION]
                if talk:
                    m = talk[step.message % len(talk)]
                    space.add([NewMessage(m.speaker, step.text, m.sent_at, m.session, m.source_ref)])
            case Flush():
                space.flush()
            case Correct():
                self._correct(step)
            case Revert():
                try:
                    space.revert(1 + step.commit % space.log(limit=1)[0].n, with_dependents=True)
                except UsageError as error:
                    assert "did nothing to claims" in str(error)
            case Erase():
                ids = list(state.messages)
                if ids:
                    refs = dict.fromkeys(ids[n % len(ids)] for n in step.messages)
                    space.erase(Selection(refs=tuple(refs)))
                    self.heads.clear()

    def messages(self, step: Tell) -> list[NewMessage]:
        """Give the messages of a step, each with a name of its own."""
        out = []
        for speaker, session, text, day in step.lines:
            at = None if day is None else MAY + timedelta(days=day, minutes=self.told)
            out.append(NewMessage(speaker, text, at, session, f"m{self.told}"))
            self.told += 1
        return out

    def _correct(self, step: Correct) -> None:
        claims = list(self.space.state().claims)
        if step.how == "add":
            self.space.add_claim(step.text, reason="known")
        elif claims:
            claim = claims[step.claim % len(claims)]
            match step.how:
                case "revise":
                    self.space.revise_claim(claim, step.text, reason="rather")
                case "deprecate":
                    self.space.deprecate_claim(claim, reason="no")
                case "restore":
                    self.space.restore_claim(claim, reason="yes")


class Clock:
    """A clock that moves on by a second whenever it is read."""

    def __init__(self, start: datetime = MAY) -> None:
        self.now = start

    def __call__(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now


class Ground:
    """Makes empty databases quickly: copies of one that is made once."""

    def __init__(self, folder: Path, embedder: Embedder) -> None:
        self.embedder = embedder
        self._folder = folder
        self._made = 0
        Database(folder / "empty.db").close()

    def memory(self) -> Memory:
        """Give a memory on a database of its own."""
        self._made += 1
        path = self._folder / f"{self._made}.db"
        shutil.copy(self._folder / "empty.db", path)
        return Memory.open(path, settings=Settings(), embedder=self.embedder, clock=Clock())

    def done(self, memory: Memory) -> None:
        """Close a memory and remove its files."""
        memory.close()
        path = memory.database.path
        assert path is not None
        for file in path.parent.glob(path.name + "*"):
            file.unlink()


def kept(state: SpaceState) -> dict[str, Any]:
    """Give the essence of a state that goes on to change."""
    return {name: _copied(part) for name, part in essence(state).items()}


def _copied(part: Any) -> Any:
    if isinstance(part, dict):
        return {key: _copied(value) for key, value in part.items()}
    return list(part) if isinstance(part, list) else part


def differing(a: dict[str, Any], b: dict[str, Any], *, but: Sequence[str] = ()) -> list[str]:
    """Name the parts in which two essences differ."""
    return [name for name in a if name not in but and a[name] != b[name]]
