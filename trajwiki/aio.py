"""The same memory for asyncio: every call runs in a thread, since a database and the stages block.

The names, arguments and results are those of `trajwiki.Memory` and `trajwiki.Space`; only calls are awaited.
"""

from __future__ import annotations

import asyncio
import functools
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from types import TracebackType
from typing import Any, Final, Self

from trajwiki.engine import Memory as SyncMemory
from trajwiki.space import Space as SyncSpace

Call = Callable[..., Awaitable[Any]]
PLUMBING: Final = {  # of Memory, for Space
    "live", "live_practice", "lessons", "build", "builder", "past", "forget", "locked", "dropped_on_error",
    "local_embedder", "asker", "bench", "drop_bench", "thinking",
}  # fmt: skip


def mirrored(kind: type[Any]) -> frozenset[str]:
    """Give the names of the methods of a class that its mirror has."""
    public = (name for name in dir(kind) if not name.startswith("_") and name not in PLUMBING)
    return frozenset(name for name in public if callable(getattr(kind, name)))


class _Mirror:
    """Awaits the public methods of what it mirrors."""

    _kind: type[Any]

    def __init__(self, sync: Any) -> None:
        self._sync = sync

    def __getattr__(self, name: str) -> Call:
        if name not in mirrored(self._kind):
            raise AttributeError(f"{self._kind.__name__} has no method {name!r} to await")
        method = getattr(self._sync, name)

        @functools.wraps(method)
        async def call(*args: Any, **kwargs: Any) -> Any:
            return await asyncio.to_thread(method, *args, **kwargs)

        return call

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *mirrored(self._kind)})


class Space(_Mirror):
    """A space whose calls are awaited; see `trajwiki.Space`."""

    _kind = SyncSpace

    @property
    def name(self) -> str:
        """Of the space."""
        return str(self._sync.name)

    @property
    def problems(self) -> Any:
        """Of the last call that wrote."""
        return self._sync.problems

    @asynccontextmanager
    async def task(self, *args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        """Open a task of an agent; see `trajwiki.Space.task`."""
        manager = await asyncio.to_thread(self._sync.task, *args, **kwargs)
        opened = await asyncio.to_thread(manager.__enter__)
        try:
            yield opened
        except BaseException as error:
            if not await asyncio.to_thread(manager.__exit__, type(error), error, error.__traceback__):
                raise
        else:
            await asyncio.to_thread(manager.__exit__, None, None, None)


class Memory(_Mirror):
    """A memory whose calls are awaited; see `trajwiki.Memory`."""

    _kind = SyncMemory

    @classmethod
    async def open(cls, *args: Any, **kwargs: Any) -> Self:
        """Open a memory; see `trajwiki.Memory.open`."""
        return cls(await asyncio.to_thread(SyncMemory.open, *args, **kwargs))

    def space(self, name: str) -> Space:
        """Give a handle on a space; nothing is read yet."""
        return Space(self._sync.space(name))

    async def create_space(self, name: str, *, id: str | None = None) -> Space:
        """Make a space now; see `trajwiki.Memory.create_space`."""
        return Space(await asyncio.to_thread(self._sync.create_space, name, id=id))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await asyncio.to_thread(self._sync.close)
