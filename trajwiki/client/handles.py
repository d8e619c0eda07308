"""`Memory` and `Space` on a server, to be called or to be awaited: two lists of the same calls."""

from __future__ import annotations

import functools
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Concatenate, ParamSpec, Self, TypeVar

import httpx

from trajwiki.client import calls, memory_calls, practice_calls, sending
from trajwiki.client.steps import At, Steps

P = ParamSpec("P")
T = TypeVar("T")


def _called(steps: Callable[Concatenate[At, P], Steps[T]]) -> Callable[Concatenate[Space, P], T]:
    @functools.wraps(steps)
    def call(self: Space, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return sending.run(self._client, steps(self, *args, **kwargs))

    return call


def _awaited(steps: Callable[Concatenate[At, P], Steps[T]]) -> Callable[Concatenate[AsyncSpace, P], Awaitable[T]]:
    @functools.wraps(steps)
    async def call(self: AsyncSpace, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await sending.run_async(self._client, steps(self, *args, **kwargs))

    return call


class Space(At):
    """A space on a server; see `trajwiki.Space`."""

    def __init__(self, client: httpx.Client, name: str) -> None:
        super().__init__(name)
        self._client = client

    add = _called(calls.add)
    flush = _called(calls.flush)
    add_claim = _called(calls.add_claim)
    revise_claim = _called(calls.revise_claim)
    deprecate_claim = _called(calls.deprecate_claim)
    restore_claim = _called(calls.restore_claim)
    revert = _called(calls.revert)
    erase = _called(calls.erase)
    reembed = _called(calls.reembed)
    recall = _called(calls.recall)
    ask = _called(calls.ask_question)
    explain = _called(calls.explain)
    audit = _called(calls.audit)
    wiki = _called(calls.wiki)
    pages = _called(calls.pages)
    trajectories = _called(calls.trajectories)
    trajectory = _called(calls.trajectory)
    claims = _called(calls.claims)
    claim = _called(calls.claim)
    messages = _called(calls.messages)
    show = _called(calls.show)
    diff = _called(calls.diff)
    blame = _called(calls.blame)
    log = _called(calls.log)
    examine = _called(calls.examine)
    export = _called(calls.export)

    add_run = _called(practice_calls.add_run)
    runs = _called(practice_calls.runs)
    run = _called(practice_calls.run)
    analysis = _called(practice_calls.analysis)
    run_raw = _called(practice_calls.run_raw)
    erase_run = _called(practice_calls.erase_run)
    choices = _called(practice_calls.choices)
    choose = _called(practice_calls.choose)
    tips = _called(practice_calls.tips)
    tip = _called(practice_calls.tip)
    tip_history = _called(practice_calls.tip_history)
    approve_tip = _called(practice_calls.approve_tip)
    reject_tip = _called(practice_calls.reject_tip)
    withdraw_tip = _called(practice_calls.withdraw_tip)
    restore_tip = _called(practice_calls.restore_tip)
    edit_tip = _called(practice_calls.edit_tip)
    merge_tips = _called(practice_calls.merge_tips)
    split_tip = _called(practice_calls.split_tip)
    share_tip = _called(practice_calls.share_tip)
    guidelines = _called(practice_calls.guidelines)
    deliveries = _called(practice_calls.deliveries)
    feedback = _called(practice_calls.feedback)
    all_feedback = _called(practice_calls.all_feedback)


class AsyncSpace(At):
    """A space on a server whose calls are awaited; see `trajwiki.Space`."""

    def __init__(self, client: httpx.AsyncClient, name: str) -> None:
        super().__init__(name)
        self._client = client

    add = _awaited(calls.add)
    flush = _awaited(calls.flush)
    add_claim = _awaited(calls.add_claim)
    revise_claim = _awaited(calls.revise_claim)
    deprecate_claim = _awaited(calls.deprecate_claim)
    restore_claim = _awaited(calls.restore_claim)
    revert = _awaited(calls.revert)
    erase = _awaited(calls.erase)
    reembed = _awaited(calls.reembed)
    recall = _awaited(calls.recall)
    ask = _awaited(calls.ask_question)
    explain = _awaited(calls.explain)
    audit = _awaited(calls.audit)
    wiki = _awaited(calls.wiki)
    pages = _awaited(calls.pages)
    trajectories = _awaited(calls.trajectories)
    trajectory = _awaited(calls.trajectory)
    claims = _awaited(calls.claims)
    claim = _awaited(calls.claim)
    messages = _awaited(calls.messages)
    show = _awaited(calls.show)
    diff = _awaited(calls.diff)
    blame = _awaited(calls.blame)
    log = _awaited(calls.log)
    examine = _awaited(calls.examine)
    export = _awaited(calls.export)

    add_run = _awaited(practice_calls.add_run)
    runs = _awaited(practice_calls.runs)
    run = _awaited(practice_calls.run)
    analysis = _awaited(practice_calls.analysis)
    run_raw = _awaited(practice_calls.run_raw)
    erase_run = _awaited(practice_calls.erase_run)
    choices = _awaited(practice_calls.choices)
    choose = _awaited(practice_calls.choose)
    tips = _awaited(practice_calls.tips)
    tip = _awaited(practice_calls.tip)
    tip_history = _awaited(practice_calls.tip_history)
    approve_tip = _awaited(practice_calls.approve_tip)
    reject_tip = _awaited(practice_calls.reject_tip)
    withdraw_tip = _awaited(practice_calls.withdraw_tip)
    restore_tip = _awaited(practice_calls.restore_tip)
    edit_tip = _awaited(practice_calls.edit_tip)
    merge_tips = _awaited(practice_calls.merge_tips)
    split_tip = _awaited(practice_calls.split_tip)
    share_tip = _awaited(practice_calls.share_tip)
    guidelines = _awaited(practice_calls.guidelines)
    deliveries = _awaited(practice_calls.deliveries)
    feedback = _awaited(practice_calls.feedback)
    all_feedback = _awaited(practice_calls.all_feedback)


def _called_of(steps: Callable[P, Steps[T]]) -> Callable[Concatenate[Memory, P], T]:
    @functools.wraps(steps)
    def call(self: Memory, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return sending.run(self._client, steps(*args, **kwargs))

    return call


def _awaited_of(steps: Callable[P, Steps[T]]) -> Callable[Concatenate[AsyncMemory, P], Awaitable[T]]:
    @functools.wraps(steps)
    async def call(self: AsyncMemory, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await sending.run_async(self._client, steps(*args, **kwargs))

    return call


class Memory:
    """A memory on a server; see `trajwiki.Memory`. Use as a context manager, or call `close`. Threads may share it."""

    def __init__(self, client: httpx.Client) -> None:
        self._client = client

    @classmethod
    def open(cls, location: str, *, key: str | None = None, timeout: float = sending.TIMEOUT_S) -> Self:
        """Open a memory on a server; nothing is sent yet.

        Args:
            location: Address of the server, such as ``http://127.0.0.1:8377``.
            key: Its key, if it asks for one.
            timeout: Seconds to wait for a reply.
        """
        return cls(httpx.Client(**sending.options(location, key, timeout)))

    def space(self, name: str) -> Space:
        """Give a handle on a space. It comes into being with the first message."""
        return Space(self._client, name)

    def create_space(self, name: str, *, id: str | None = None) -> Space:
        """Make a space now; with a given id its content gets the same ids as in another space with that id."""
        return self.space(sending.run(self._client, memory_calls.create_space(name, id=id)).name)

    spaces = _called_of(memory_calls.spaces)
    rename_space = _called_of(memory_calls.rename_space)
    delete_space = _called_of(memory_calls.delete_space)
    import_space = _called_of(memory_calls.import_space)

    def close(self) -> None:
        """Let go of the connections."""
        self._client.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class AsyncMemory:
    """A memory on a server whose calls are awaited; see `trajwiki.Memory`."""

    def __init__(self, client: httpx.AsyncClient) -> None:
        self._client = client

    @classmethod
    async def open(cls, location: str, *, key: str | None = None, timeout: float = sending.TIMEOUT_S) -> Self:
        """Open a memory on a server; see `Memory.open`."""
        return cls(httpx.AsyncClient(**sending.options(location, key, timeout)))

    def space(self, name: str) -> AsyncSpace:
        """Give a handle on a space. It comes into being with the first message."""
        return AsyncSpace(self._client, name)

    async def create_space(self, name: str, *, id: str | None = None) -> AsyncSpace:
        """Make a space now; see `Memory.create_space`."""
        return self.space((await sending.run_async(self._client, memory_calls.create_space(name, id=id))).name)

    spaces = _awaited_of(memory_calls.spaces)
    rename_space = _awaited_of(memory_calls.rename_space)
    delete_space = _awaited_of(memory_calls.delete_space)
    import_space = _awaited_of(memory_calls.import_space)

    async def close(self) -> None:
        """Let go of the connections."""
        await self._client.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()
