"""Carrying out what writes: at once or later, once for each idempotency key, and on after a crash."""

from __future__ import annotations

import hashlib
import json
import logging
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any, Final

from trajwiki.domain.ids import random_id
from trajwiki.engine import Memory
from trajwiki.errors import EnvironmentFailure, TrajwikiError, UnknownSpace
from trajwiki.payloads import Payload
from trajwiki.server.auth import acting
from trajwiki.server.kinds import KINDS
from trajwiki.server.logs import log
from trajwiki.server.metrics import Metrics
from trajwiki.server.problems import Conflict, TooMany
from trajwiki.space import Progress, Space
from trajwiki.store.operations import Operation, OperationStore, Status

BEATS: Final = 5  # signs of life that a holder gives before it would be taken for gone
KEPT: Final = timedelta(days=1)  # for how long a key of a request, and an operation that ended, are remembered
MAX_WAITING: Final = 1000


class Stopping(Exception):
    """The process ends; the operation goes on in the next."""


class Operations:
    """Carries out operations.

    Args:
        memory: What they work on.
        metrics: Where they are counted.
        jobs: How many run at the same time.
        lease_s: A holder that was silent for so many seconds is taken for gone.
        takes: Whether this process takes waiting operations, or leaves them to others.
        put: Tells others that an operation waits.
    """

    def __init__(
        self,
        memory: Memory,
        *,
        metrics: Metrics | None,
        jobs: int,
        lease_s: float,
        takes: bool = True,
        put: Callable[[Operation], None] | None = None,
    ) -> None:
        self.memory = memory
        self.store = OperationStore(memory.database)
        self.holder = random_id("holder")
        self._metrics = metrics
        self._jobs = jobs
        self._lease = timedelta(seconds=lease_s)
        self._takes = takes
        self._put = put
        self._held: dict[tuple[str, str], Operation] = {}
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._wake = threading.Event()
        self._pool: ThreadPoolExecutor | None = None
        self._thread: threading.Thread | None = None

    # From requests.

    def now(
        self, space: Space, kind: str, given: Payload, *, actor: str, key: str | None
    ) -> tuple[Payload | None, Operation | None]:
        """Carry out a request while it waits; with a key, once.

        Args:
            space: Where.
            kind: Of KINDS.
            given: What it needs, as JSON.
            actor: Who asks.
            key: The caller's key of the request.

        Returns:
            The result, or the operation where another request with the key is being carried out.

        Raises:
            Conflict: The key was used for another request.
            TrajwikiError: It failed.
        """
        if key is None:
            return self._counted(space, kind, given, _no_progress), None
        operation, fresh = self._begin(space, kind, given, actor=actor, key=key, holder=self.holder)
        if fresh:
            return self._carry_out(operation, space, given, again=True), None
        if operation.error is not None:
            raise _error_of(operation.error)
        return operation.result, operation

    def later(self, space: Space, kind: str, given: Payload, *, actor: str, key: str | None, total: int) -> Operation:
        """Store a request, to be carried out when there is time; with a key, once. Raises Conflict or TooMany."""
        if self.store.waiting() >= MAX_WAITING:
            raise TooMany("too many operations wait", retry_after=30)
        operation, fresh = self._begin(space, kind, given, actor=actor, key=key, total=total)
        if fresh and self._put is not None:
            self._put(operation)
        self._wake.set()
        return operation

    def _begin(
        self,
        space: Space,
        kind: str,
        given: Payload,
        *,
        actor: str,
        key: str | None,
        holder: str | None = None,
        total: int = 1,
    ) -> tuple[Operation, bool]:
        memory = self.memory
        info = memory.store.find(space.name)
        if info is None:
            acting(memory, actor).create_space(space.name)
            info = memory.store.find(space.name)
        if info is None:
            raise UnknownSpace(f"there is no space named {space.name!r}")
        request = json.dumps(given, sort_keys=True)
        digest = hashlib.blake2b(f"{kind} {request}".encode(), key=info.id.encode()[:64], digest_size=16).hexdigest()
        operation, earlier = self.store.begin(
            info.id,
            kind,
            actor=actor,
            request=request,
            total=total,
            now=memory.clock(),
            holder=holder,
            key=key,
            fingerprint=digest,
        )
        if earlier is not None and earlier != digest:
            raise Conflict("the idempotency key was used for another request; use a new one for each request")
        return operation, earlier is None

    # Carrying out.

    def _carry_out(self, operation: Operation, space: Space, given: Payload, *, again: bool) -> Payload:
        """Carry out an operation that this process holds, and note how it ended.

        Args:
            operation: Held.
            space: Where.
            given: What it needs.
            again: The caller can make the request again when the surroundings failed, so nothing is kept of it then.
        """
        place = (operation.space_id, operation.id)
        clock = self.memory.clock
        with self._lock:
            self._held[place] = operation

        def progress(done: int, total: int) -> None:
            if self._stop.is_set() and not again:
                raise Stopping
            if not again:
                self.store.progress(operation, done, total, now=clock())

        try:
            result = self._counted(space, operation.kind, given, progress)
        except Stopping:
            self.store.release(operation, now=clock())
            raise
        except TrajwikiError as error:
            if isinstance(error, EnvironmentFailure):
                self.store.drop(operation, only_key=not again)
            if not (again and isinstance(error, EnvironmentFailure)):
                self.store.finish(operation, now=clock(), error={"type": type(error).__name__, "detail": str(error)})
            raise
        else:
            self.store.finish(operation, now=clock(), result=result)
            return result
        finally:
            with self._lock:
                self._held.pop(place, None)

    def _counted(self, space: Space, kind: str, given: Payload, progress: Progress) -> Payload:
        status = "failed"
        try:
            result = KINDS[kind].run(space, given, progress)
            status = "done"
            return result
        finally:
            if self._metrics is not None:
                self._metrics.operations.labels(kind, status).inc()
                if status == "done" and kind == "messages":
                    self._metrics.messages.inc(result["counts"].get("messages", 0))

    def _run(self, operation: Operation, request: str) -> None:
        """Carry out an operation that was taken."""
        try:
            info = next((i for i in self.memory.spaces() if i.id == operation.space_id), None)
            if info is None:
                self.store.drop(operation)
                return
            space = acting(self.memory, operation.actor).space(info.name)
            given = json.loads(request)
            done = KINDS[operation.kind].done if operation.status is Status.RUNNING else None
            result = done(space, given, operation.created, operation.actor) if done is not None else None
            if result is not None:  # its holder was gone before it could say so
                self.store.finish(operation, now=self.memory.clock(), result=result)
            else:
                self._carry_out(operation, space, given, again=False)
            log("operation", operation=operation.id, kind=operation.kind, status="done")
        except Stopping:
            log("operation", operation=operation.id, kind=operation.kind, status="waiting")
        except TrajwikiError as error:
            log("operation", level=logging.WARNING, error=error, operation=operation.id, kind=operation.kind)
        except Exception as error:  # noqa: BLE001 - a fault of ours ends this operation, not the others
            log("fault", level=logging.ERROR, error=error, operation=operation.id, kind=operation.kind)
            detail = "a fault of the server; its log says more"
            self.store.finish(operation, now=self.memory.clock(), error={"type": "Fault", "detail": detail})
        finally:
            self._wake.set()

    def run_one(self, space_id: str, operation_id: str) -> None:
        """Carry out one operation here, if it still waits or its holder is gone. Raises StoreUnavailable."""
        now = self.memory.clock()
        only = (space_id, operation_id)
        for taken in self.store.take(self.holder, most=1, now=now, silent_since=now - self._lease, only=only):
            self._run(*taken)

    # In the background.

    def start(self) -> None:
        """Take operations that wait, those that a killed process left included, until `stop`."""
        self._stop.clear()
        self._pool = ThreadPoolExecutor(self._jobs, thread_name_prefix="operation")
        self._thread = threading.Thread(target=self._watch, name="operations", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Let what runs go on to its next commit, and leave the rest to the next process."""
        self._stop.set()
        self._wake.set()
        if self._thread is not None:
            self._thread.join()
        if self._pool is not None:
            self._pool.shutdown(wait=True)

    def _watch(self) -> None:
        self.store.expire(before=self.memory.clock() - KEPT)
        running = 0
        pool = self._pool
        assert pool is not None
        futures: list[Any] = []
        while not self._stop.is_set():
            self._wake.clear()
            try:
                futures = [f for f in futures if not f.done()]
                running = len(futures)
                if self._takes and running < self._jobs:
                    futures += [pool.submit(self._run, *taken) for taken in self._taken(self._jobs - running)]
                if self._put is not None:
                    for operation in self.store.lingering(since=self.memory.clock() - self._lease):
                        self._put(operation)
                if self._held:
                    with self._lock:
                        held = list(self._held)
                    self.store.beat(held, holder=self.holder, now=self.memory.clock())
            except EnvironmentFailure as error:  # the database is away; it may come back
                log("operations", level=logging.WARNING, error=error)
            self._wake.wait(self._lease.total_seconds() / BEATS)

    def _taken(self, most: int) -> list[tuple[Operation, str]]:
        now = self.memory.clock()
        return self.store.take(self.holder, most=most, now=now, silent_since=now - self._lease)


def operation_payload(operation: Operation) -> Payload:
    """Show an operation."""
    return {
        "schema": "trajwiki.operation/1",
        "id": operation.id,
        "kind": operation.kind,
        "actor": operation.actor,
        "status": operation.status.value,
        "created": operation.created.isoformat(),
        "changed": operation.changed.isoformat(),
        "done": operation.done,
        "total": operation.total,
        "result": operation.result,
        "error": operation.error,
    }


def _no_progress(done: int, total: int) -> None:
    """Keep no account."""


def _error_of(kept: Mapping[str, Any]) -> TrajwikiError:
    """Give the error that a failed operation ended with, again."""
    from trajwiki import errors

    kind = getattr(errors, str(kept["type"]), errors.UsageError)
    error: TrajwikiError = kind(str(kept["detail"]))
    return error
