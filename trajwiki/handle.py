"""A handle on a space: finding it, looking at it, and the only code that commits."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from trajwiki.construction import Builder
from trajwiki.domain.history import Commit, CommitKind
from trajwiki.domain.problems import Problem
from trajwiki.domain.state import Change
from trajwiki.errors import ConcurrentWrite, UnknownSpace, UsageError
from trajwiki.history import When, commit_of
from trajwiki.live import LiveSpace
from trajwiki.models.asking import Asker
from trajwiki.store.spaces import SpaceInfo, Writing
from trajwiki.views import View

if TYPE_CHECKING:
    from trajwiki.engine import Memory

THOUGHT_AGAIN: Final = 8  # times that a change is thought out while others keep writing


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
            n = info.head if as_of is None else self._commit_of(info, as_of)
            yield self._memory.past(info, View(n, heard_until, valid_at.date() if valid_at else None))

    def embed(self, text: str) -> np.ndarray:
        """Give the unit vector of a text, float32 of shape (d,), by the memory's embedder."""
        vector: np.ndarray = self._memory.embedder.embed([text])[0]
        return vector

    def _commit_of(self, info: SpaceInfo, when: When) -> int:
        store = self._memory.store
        return commit_of(when, info.head, lambda moment: store.newest_at(info.id, moment))

    # Committing.

    def _commit(
        self,
        info: SpaceInfo,
        kind: CommitKind,
        build: Callable[[Builder], Change],
        *,
        note: str | None = None,
        arguments: dict[str, Any] | None = None,
        asker: Asker | None = None,
    ) -> Commit | None:
        """Think out a change and write it, as the only writer; None when there was nothing to change.

        With an asker, it is thought out before, on a state of the writer's own, and written if that still stands.
        """
        if asker is not None:
            return self._commit_thought_out(info, kind, build, asker, note=note, arguments=arguments)
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

    def _commit_thought_out(
        self,
        info: SpaceInfo,
        kind: CommitKind,
        build: Callable[[Builder], Change],
        asker: Asker,
        *,
        note: str | None,
        arguments: dict[str, Any] | None,
    ) -> Commit | None:
        """Think outside of any transaction, then write in a short one if nobody wrote meanwhile; else think again.

        What the model said before is kept, so thinking again asks only what has changed.

        Raises:
            ConcurrentWrite: Others were quicker every time.
        """
        memory = self._memory
        with memory.thinking(info.id):
            for _ in range(THOUGHT_AGAIN):
                bench = memory.bench(info)
                try:
                    builder = memory.builder(info.id, bench, asker)
                    change = build(builder)
                    if not change:
                        return None
                    with memory.store.exclusive(info.id) as writing:
                        stands = writing.head == bench.state.head
                        if stands:
                            said = note or _note(kind, change)
                            n, at = writing.head + 1, memory.clock()
                            commit = Commit(n, at, memory.actor, kind, said, change.counts(), arguments or {})
                            writing.write(change, commit)
                except BaseException:
                    memory.drop_bench(info.id)  # it has moved, and nothing was written
                    raise
                if stands:
                    bench.state.head = commit.n
                    self.problems += builder.problems
                    return commit
                memory.drop_bench(info.id)
        raise ConcurrentWrite(f"others kept writing to space {self.name!r}; nothing was lost, try again")

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
