"""A handle on a space: finding it, looking at it, and the only code that commits."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

import numpy as np

from trajwiki.construction import Builder
from trajwiki.domain.history import Commit, CommitKind
from trajwiki.domain.problems import Problem
from trajwiki.domain.state import Change
from trajwiki.errors import UnknownSpace, UsageError
from trajwiki.history import When, commit_at
from trajwiki.live import LiveSpace
from trajwiki.store.spaces import SpaceInfo, Writing
from trajwiki.views import View

if TYPE_CHECKING:
    from trajwiki.engine import Memory


class Handle:
    """What the parts of `Space` share.

    Attributes:
        name: Of the space.
        problems: Of the last call that wrote.
    """

    def __init__(self, memory: Memory, name: str) -> None:
        self.name = name
        self.problems: list[Problem] = []
        self._memory = memory

    # Finding and looking.

    def now(self) -> datetime:
        """Give the time by the memory's clock, in UTC."""
        return self._memory.clock()

    def _info(self) -> SpaceInfo:
        info = self._memory.store.find(self.name)
        if info is None:
            raise UnknownSpace(f"there is no space named {self.name!r}")
        return info

    def _create(self) -> SpaceInfo:
        self._memory.create_space(self.name)
        return self._info()

    @contextlib.contextmanager
    def _reading(
        self,
        as_of: When | None = None,
        *,
        heard_until: datetime | None = None,
        valid_at: datetime | None = None,
    ) -> Iterator[LiveSpace]:
        for moment in (heard_until, valid_at):
            if moment is not None and moment.tzinfo is None:
                raise UsageError(f"the time {moment.isoformat()} has no zone")
        info = self._memory.store.find(self.name)
        if info is None:
            yield self._memory.build(self.name, Change(), 0)
            return
        with self._memory.locked(info.id):
            if as_of is None and heard_until is None and valid_at is None:
                yield self._memory.live(info)
                return
            commits = self._memory.store.commits(info.id)
            n = commit_at(commits, as_of if as_of is not None else len(commits))
            yield self._memory.past(info, View(n, heard_until, valid_at.date() if valid_at else None))

    def embed(self, text: str) -> np.ndarray:
        """Give the unit vector of a text, float32 of shape (d,), by the memory's embedder."""
        vector: np.ndarray = self._memory.embedder.embed([text])[0]
        return vector

    # Committing.

    def _commit(
        self,
        info: SpaceInfo,
        kind: CommitKind,
        build: Callable[[Builder], Change],
        *,
        note: str | None = None,
        arguments: dict[str, Any] | None = None,
    ) -> Commit | None:
        """Think out a change and write it, as the only writer; None when there was nothing to change."""
        memory = self._memory
        with memory.locked(info.id), memory.dropped_on_error(info.id):
            with memory.store.exclusive(info.id) as writing:
                builder = self._builder(info, writing)
                change = build(builder)
                if not change:
                    return None
                said = note or _note(kind, change)
                commit = Commit(
                    writing.head + 1, memory.clock(), memory.actor, kind, said, change.counts(), arguments or {}
                )
                writing.write(change, commit)
            builder.live.state.head = commit.n
            self.problems += builder.problems
            return commit

    def _builder(self, info: SpaceInfo, writing: Writing) -> Builder:
        memory = self._memory
        live = memory.live(info)
        if live.state.head != writing.head:
            live.apply(writing.load(after=live.state.head))
            live.state.head = writing.head
        return memory.builder(info.id, live)

    def _nothing_new(self, info: SpaceInfo, kind: CommitKind) -> Commit:
        head = self._memory.store.head(info.id)
        return Commit(head, self._memory.clock(), self._memory.actor, kind, "nothing new", {})


def _note(kind: CommitKind, change: Change) -> str:
    counts: Sequence[tuple[str, int]] = [
        (name, n)
        for name in ("messages", "exchanges", "snapshots", "claims", "trajectories", "pages")
        if (n := change.counts().get(name, 0))
    ]
    return f"{kind.value}: " + ", ".join(f"{n} {name}" for name, n in counts)
