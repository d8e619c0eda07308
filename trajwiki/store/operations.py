"""Operations of the server: work that outlives its request, and requests that may come twice and take effect once."""

from __future__ import annotations

import enum
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from trajwiki.domain.ids import random_id
from trajwiki.store import tables
from trajwiki.store.database import Database


class Status(enum.StrEnum):
    """How far an operation is."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation on a space.

    Attributes:
        id: Random.
        space_id: Of the space.
        kind: What is done.
        actor: Who asked for it.
        status: How far it is.
        created: UTC.
        changed: When it last said something of itself.
        done: Units of work done.
        total: Units of work in all.
        result: What it gave, when it is done.
        error: What went wrong, when it failed.
    """

    id: str
    space_id: str
    kind: str
    actor: str
    status: Status
    created: datetime
    changed: datetime
    done: int
    total: int
    result: dict[str, Any] | None = None
    error: dict[str, Any] | None = None

    @property
    def ended(self) -> bool:
        """Whether nothing will happen to it any more."""
        return self.status in (Status.DONE, Status.FAILED)


class OperationStore:
    """The operations in one database."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def begin(
        self,
        space_id: str,
        kind: str,
        *,
        actor: str,
        request: str,
        total: int,
        now: datetime,
        holder: str | None = None,
        key: str | None = None,
        fingerprint: str = "",
    ) -> tuple[Operation, str | None]:
        """Store an operation before it is carried out, or find the one that the same key began.

        Args:
            space_id: The space.
            kind: What is to be done.
            actor: Who asked for it.
            request: What it needs, as text; kept until it has ended.
            total: Units of work.
            now: UTC.
            holder: Who carries it out at once; None: whoever comes.
            key: The caller's key of the request.
            fingerprint: Of the request, to be compared when the key comes again.

        Returns:
            The operation, and the fingerprint of the request that began it earlier; None: it was begun now.
        """
        o, k = tables.operation, tables.request_key
        status = Status.RUNNING if holder else Status.WAITING
        made = Operation(random_id("operation"), space_id, kind, actor, status, now, now, 0, total)
        with self._db.writing() as c:
            if key is not None:
                c.execute(sa.select(tables.space.c.head).where(tables.space.c.space_id == space_id).with_for_update())
                mine = (k.c.space_id == space_id, k.c.key == key)
                known = c.execute(sa.select(k).where(*mine)).one_or_none()
                if known is not None:
                    row = c.execute(sa.select(o).where(o.c.space_id == space_id, o.c.id == known.operation_id)).one()
                    return _operation(row), known.fingerprint
                named = {"key": key, "operation_id": made.id, "fingerprint": fingerprint, "at": now}
                c.execute(k.insert().values(space_id=space_id, **named))
            values = {name: getattr(made, name) for name in ("id", "space_id", "kind", "actor", "created", "changed")}
            values |= {"status": status.value, "holder": holder, "done": 0, "total": total, "request": request}
            c.execute(o.insert().values(values))
        return made, None

    def find(self, space_id: str, operation_id: str) -> Operation | None:
        """Find an operation."""
        o = tables.operation
        with self._db.reading() as c:
            row = c.execute(sa.select(o).where(o.c.space_id == space_id, o.c.id == operation_id)).one_or_none()
        return _operation(row) if row else None

    def all(self, space_id: str) -> list[Operation]:
        """List the operations of a space, newest first."""
        o = tables.operation
        query = sa.select(o).where(o.c.space_id == space_id).order_by(o.c.created.desc(), o.c.id.desc())
        with self._db.reading() as c:
            return [_operation(r) for r in c.execute(query)]

    def waiting(self) -> int:
        """Give the number of operations that nobody carries out yet."""
        o = tables.operation
        with self._db.reading() as c:
            query = sa.select(sa.func.count()).select_from(o).where(o.c.status == Status.WAITING.value)
            return int(c.execute(query).scalar_one())

    def lingering(self, *, since: datetime) -> list[Operation]:
        """List the operations that have not ended and of which nothing was heard since a time."""
        o = tables.operation
        with self._db.reading() as c:
            query = sa.select(o).where(o.c.request.is_not(None), o.c.changed < since).order_by(o.c.created, o.c.id)
            return [_operation(r) for r in c.execute(query)]

    def take(
        self,
        holder: str,
        *,
        most: int,
        now: datetime,
        silent_since: datetime,
        only: tuple[str, str] | None = None,
    ) -> list[tuple[Operation, str]]:
        """Take operations that wait, or whose holder fell silent, oldest first; gives each with its request.

        Args:
            holder: Who takes them.
            most: How many, at most.
            now: UTC.
            silent_since: A holder that said nothing since then is taken for gone.
            only: This one, as (space id, id), or none.
        """
        o = tables.operation
        gone = sa.and_(o.c.status == Status.RUNNING.value, o.c.changed < silent_since)
        free = sa.and_(o.c.request.is_not(None), sa.or_(o.c.status == Status.WAITING.value, gone))
        if only is not None:
            free = sa.and_(free, o.c.space_id == only[0], o.c.id == only[1])
        taken = []
        with self._db.writing() as c:
            query = sa.select(o).where(free).order_by(o.c.created, o.c.id).limit(most)
            for row in c.execute(query.with_for_update(skip_locked=True)).all():
                mine = (o.c.space_id == row.space_id, o.c.id == row.id)
                held = {"status": Status.RUNNING.value, "holder": holder, "changed": now}
                c.execute(o.update().where(*mine).values(held))
                taken.append((_operation(row), str(row.request)))
        return taken

    def beat(self, operations: Collection[tuple[str, str]], *, holder: str, now: datetime) -> None:
        """Say of operations, each as (space id, id), that their holder is still at work."""
        o = tables.operation
        with self._db.writing() as c:
            for space_id, operation_id in operations:
                mine = (o.c.space_id == space_id, o.c.id == operation_id, o.c.holder == holder)
                c.execute(o.update().where(*mine, o.c.status == Status.RUNNING.value).values(changed=now))

    def progress(self, operation: Operation, done: int, total: int, *, now: datetime) -> None:
        """Say how far an operation is."""
        self._change(operation, done=done, total=total, changed=now)

    def release(self, operation: Operation, *, now: datetime) -> None:
        """Let an operation wait for whoever comes."""
        self._change(operation, status=Status.WAITING.value, holder=None, changed=now)

    def finish(
        self,
        operation: Operation,
        *,
        now: datetime,
        result: dict[str, Any] | None = None,
        error: dict[str, Any] | None = None,
    ) -> None:
        """Say how an operation ended. What it was asked is not kept."""
        status = Status.DONE if error is None else Status.FAILED
        values: dict[str, Any] = {"status": status.value, "holder": None, "changed": now, "request": None}
        values |= {"result": result, "error": error}
        values |= {"done": operation.total} if error is None else {}
        self._change(operation, **values)

    def drop(self, operation: Operation, *, only_key: bool = False) -> None:
        """Forget an operation and the key that began it, so that the same request can be made anew.

        Args:
            operation: Which.
            only_key: The operation can still be looked at.
        """
        o, k = tables.operation, tables.request_key
        with self._db.writing() as c:
            c.execute(k.delete().where(k.c.space_id == operation.space_id, k.c.operation_id == operation.id))
            if not only_key:
                c.execute(o.delete().where(o.c.space_id == operation.space_id, o.c.id == operation.id))

    def forget(self, space_id: str) -> None:
        """Forget what has ended in a space, and all keys of requests: their fingerprints stand on what was said."""
        o, k = tables.operation, tables.request_key
        with self._db.writing() as c:
            c.execute(k.delete().where(k.c.space_id == space_id))
            c.execute(o.delete().where(o.c.space_id == space_id, o.c.request.is_(None)))

    def expire(self, *, before: datetime) -> int:
        """Forget what ended before a time, and keys of that age; gives the number of operations."""
        o, k = tables.operation, tables.request_key
        with self._db.writing() as c:
            c.execute(k.delete().where(k.c.at < before))
            return c.execute(o.delete().where(o.c.changed < before, o.c.request.is_(None))).rowcount

    def _change(self, operation: Operation, **values: Any) -> None:
        o = tables.operation
        with self._db.writing() as c:
            c.execute(o.update().where(o.c.space_id == operation.space_id, o.c.id == operation.id).values(values))


def _operation(r: Any) -> Operation:
    status = Status(r.status)
    return Operation(
        r.id, r.space_id, r.kind, r.actor, status, r.created, r.changed, r.done, r.total, r.result, r.error
    )
