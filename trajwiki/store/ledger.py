"""Kept replies of models and the ledger of what was asked, of one space."""

from __future__ import annotations

import secrets
from collections.abc import Collection, Iterable
from typing import Any

import sqlalchemy as sa

from trajwiki.domain.usage import Call, Cost, Outcome
from trajwiki.store import tables
from trajwiki.store.database import Database


class LedgerStore:
    """The replies and calls of one space. They are records, not commits, and can be erased.

    Args:
        database: Where they are.
        space_id: Of the space.
    """

    def __init__(self, database: Database, space_id: str) -> None:
        self._db = database
        self._space_id = space_id

    # Replies.

    def get(self, key: str, model: str | None) -> tuple[str, dict[str, Any]] | None:
        """Give a model and its reply to what the key stands for; None as model: of whichever was asked first."""
        t = tables.model_reply
        query = sa.select(t.c.model, t.c.body).where(t.c.space_id == self._space_id, t.c.key == key)
        query = query.where(t.c.model == model) if model is not None else query.order_by(t.c.n, t.c.model)
        with self._db.reading() as c:
            row = c.execute(query.limit(1)).one_or_none()
        return (row.model, row.body) if row is not None and isinstance(row.body, dict) else None

    def put(self, key: str, model: str, purpose: str, body: dict[str, Any]) -> None:
        """Keep a reply; one that is there already stays."""
        t = tables.model_reply
        row = {"space_id": self._space_id, "key": key, "model": model, "purpose": purpose, "body": body}
        with self._db.writing() as c:
            there = sa.select(t.c.key).where(t.c.space_id == self._space_id, t.c.key == key, t.c.model == model)
            if c.execute(there).one_or_none() is None:
                last = c.execute(sa.select(sa.func.max(t.c.n)).where(t.c.space_id == self._space_id)).scalar()
                c.execute(t.insert().values(**row, n=(last or 0) + 1))

    def has_replies(self) -> bool:
        """Tell whether any reply is kept: whether a model ever had a part in the space."""
        t = tables.model_reply
        with self._db.reading() as c:
            return c.execute(sa.select(t.c.key).where(t.c.space_id == self._space_id).limit(1)).scalar() is not None

    def forget(self) -> int:
        """Drop all replies; gives their number."""
        t = tables.model_reply
        with self._db.writing() as c:
            return c.execute(t.delete().where(t.c.space_id == self._space_id)).rowcount

    @staticmethod
    def keep_only(connection: sa.Connection, space_id: str, keys: Collection[str]) -> int:
        """Drop the replies that a replay without erased messages did not use: any may repeat their words.

        Args:
            connection: In a transaction that writes.
            space_id: Of the space.
            keys: Of the replies that stay.

        Returns:
            How many were dropped.
        """
        t = tables.model_reply
        there = connection.execute(sa.select(t.c.key).where(t.c.space_id == space_id).distinct()).scalars().all()
        gone = sorted(set(there) - set(keys))
        for key in gone:
            connection.execute(t.delete().where(t.c.space_id == space_id, t.c.key == key))
        return len(gone)

    # Calls.

    def record(self, call: Call) -> None:
        """Add a line to the ledger."""
        row = {name: getattr(call, name) for name in Call.__slots__}
        row |= {"phase": call.phase.value, "outcome": call.outcome.value}
        t = tables.ledger
        with self._db.writing() as c:
            last = c.execute(sa.select(sa.func.max(t.c.n)).where(t.c.space_id == self._space_id)).scalar()
            c.execute(t.insert().values(space_id=self._space_id, id=secrets.token_hex(8), n=(last or 0) + 1, **row))

    def calls(self) -> list[Call]:
        """List the lines, oldest first."""
        t = tables.ledger
        names = Call.__slots__
        with self._db.reading() as c:
            rows = c.execute(sa.select(t).where(t.c.space_id == self._space_id).order_by(t.c.n, t.c.id))
            return [Call(**{name: getattr(r, name) for name in names}) for r in rows]

    def best_mode(self, model: str, endpoint: str) -> str | None:
        """Give the mode by which an endpoint last gave a useful reply, or None."""
        t = tables.ledger
        useful = (Outcome.ACCEPTED.value, Outcome.REPAIRED.value)
        query = sa.select(t.c.mode).where(
            t.c.space_id == self._space_id, t.c.model == model, t.c.endpoint == endpoint, t.c.outcome.in_(useful)
        )
        with self._db.reading() as c:
            return c.execute(query.order_by(t.c.n.desc(), t.c.id).limit(1)).scalar()


def costs(calls: Iterable[Call]) -> list[Cost]:
    """Sum calls by phase and purpose, in the order of phases."""
    order = ["construction", "retrieval", "answer", "repair", "evaluation"]
    grouped: dict[tuple[str, str], list[Call]] = {}
    for call in calls:
        grouped.setdefault((str(call.phase), call.purpose), []).append(call)
    return [
        Cost(
            phase=phase,
            purpose=purpose,
            questions=sum(c.times for c in lines),
            outcomes={o.value: n for o in Outcome if (n := sum(c.times for c in lines if c.outcome == o.value))},
            requests=sum(c.requests for c in lines),
            tokens_in=sum(c.tokens_in for c in lines),
            tokens_out=sum(c.tokens_out for c in lines),
            latency_ms=sum(c.latency_ms for c in lines),
            repair_tokens=sum(c.tokens_in + c.tokens_out for c in lines if c.outcome in _WASTED),
        )
        for (phase, purpose), lines in sorted(grouped.items(), key=lambda item: (order.index(item[0][0]), item[0][1]))
    ]


_WASTED = (Outcome.REPAIRED.value, Outcome.FALLBACK.value)
