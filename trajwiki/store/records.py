"""What is kept of a space beside its history: answers, deliveries, feedback, and vectors that are being made."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import sqlalchemy as sa

from trajwiki.domain.state import Vector
from trajwiki.domain.tips import Delivery, Feedback
from trajwiki.store import tables
from trajwiki.store.database import Database
from trajwiki.store.practice_rows import delivery_json, delivery_of, feedback_json, feedback_of
from trajwiki.store.rows import Row


class RecordStore:
    """Records that are not commits. They can be erased like everything else."""

    def __init__(self, database: Database) -> None:
        self._db = database

    # What an owner chose for one space.

    def choices(self, space_id: str) -> Row:
        """Give what was chosen for a space, by name."""
        t = tables.space_setting
        with self._db.reading() as c:
            rows = c.execute(sa.select(t.c.name, t.c.value).where(t.c.space_id == space_id).order_by(t.c.name))
            return {r.name: r.value for r in rows}

    def choose(self, space_id: str, name: str, value: object) -> None:
        """Choose something for a space; None takes the choice back."""
        t = tables.space_setting
        with self._db.writing() as c:
            c.execute(t.delete().where(t.c.space_id == space_id, t.c.name == name))
            if value is not None:
                c.execute(t.insert().values(space_id=space_id, name=name, value=value))

    # Vectors of another model, until all are there.

    def staged_upto(self, space_id: str, model: str) -> int:
        """Give the newest commit of which vectors of a model are kept aside; 0: none."""
        t = tables.vector_next
        with self._db.reading() as c:
            query = sa.select(sa.func.max(t.c.since)).where(t.c.space_id == space_id, t.c.model == model)
            return c.execute(query).scalar() or 0

    def stage_vectors(self, space_id: str, model: str, vectors: Sequence[tuple[int, bool, Vector]]) -> None:
        """Keep vectors aside: (commit, whether of a tip, vector)."""
        rows = [
            {
                "space_id": space_id,
                "model": model,
                "kind": v.kind,
                "item_id": v.item_id,
                "since": n,
                "practice": practice,
                "data": v.data.astype("<f4").tobytes(),
            }
            for n, practice, v in vectors
        ]
        if rows:
            with self._db.writing() as c:
                c.execute(tables.vector_next.insert(), rows)

    # Answers: records, not commits.

    def save_answer(self, space_id: str, answer_id: str, at: datetime, head: int, body: Row) -> None:
        """Keep an answer for `explain`, and note the messages that it stands on as used."""
        t = tables.message_use
        refs = list(dict.fromkeys(body["refs"]))
        with self._db.writing() as c:
            c.execute(tables.answer.insert().values(space_id=space_id, id=answer_id, at=at, head=head, body=body))
            if refs:
                c.execute(t.delete().where(t.c.space_id == space_id, t.c.source_ref.in_(refs)))
                c.execute(t.insert(), [{"space_id": space_id, "source_ref": ref, "at": at} for ref in refs])

    def used(self, space_id: str) -> dict[str, datetime]:
        """Give for each source ref that an answer stood on when the last of them was made."""
        t = tables.message_use
        with self._db.reading() as c:
            rows = c.execute(sa.select(t.c.source_ref, t.c.at).where(t.c.space_id == space_id))
            return {r.source_ref: r.at for r in rows}

    def answer(self, space_id: str, answer_id: str) -> Row | None:
        """Find a kept answer."""
        t = tables.answer
        with self._db.reading() as c:
            row = c.execute(sa.select(t).where(t.c.space_id == space_id, t.c.id == answer_id)).one_or_none()
        return {"at": row.at.isoformat(), "head": row.head, **row.body} if row else None

    def save_delivery(self, space_id: str, delivery: Delivery) -> None:
        """Keep what was delivered."""
        row = {"space_id": space_id, "id": delivery.id, "at": delivery.at, "body": delivery_json(delivery)}
        with self._db.writing() as c:
            c.execute(tables.delivery.insert().values(row))

    def delivery(self, space_id: str, delivery_id: str) -> Delivery | None:
        """Find a delivery."""
        t = tables.delivery
        with self._db.reading() as c:
            r = c.execute(sa.select(t).where(t.c.space_id == space_id, t.c.id == delivery_id)).one_or_none()
        return delivery_of(r.id, r.at, r.body) if r else None

    def deliveries(self, space_id: str) -> list[Delivery]:
        """List the deliveries, oldest first."""
        t = tables.delivery
        with self._db.reading() as c:
            rows = c.execute(sa.select(t).where(t.c.space_id == space_id).order_by(t.c.at, t.c.id))
            return [delivery_of(r.id, r.at, r.body) for r in rows]

    def save_feedback(self, space_id: str, feedback_id: str, feedback: Feedback) -> None:
        """Keep what came of a delivery."""
        row = {"space_id": space_id, "id": feedback_id, "at": feedback.at, "delivery_id": feedback.delivery_id}
        with self._db.writing() as c:
            c.execute(tables.feedback.insert().values(**row, body=feedback_json(feedback)))

    def feedback(self, space_id: str) -> list[Feedback]:
        """List the feedback, oldest first."""
        t = tables.feedback
        with self._db.reading() as c:
            rows = c.execute(sa.select(t).where(t.c.space_id == space_id).order_by(t.c.at, t.c.id))
            return [feedback_of(r.delivery_id, r.at, r.body) for r in rows]
