"""Which tips have lapsed: too old, not asked for, or never of help."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from trajwiki.domain.tipbook import TipBook
from trajwiki.domain.tips import Tip, TipOp, TipState, TipVerb
from trajwiki.errors import UsageError
from trajwiki.tips.curation import By, Curated
from trajwiki.tips.extraction import op_of
from trajwiki.tips.feedback import Record


@dataclass(frozen=True, slots=True)
class Lifetimes:
    """When tips lapse; None: never for that reason. Tips that a person approved do not lapse.

    Attributes:
        expire_days: Days after the last source was added to it.
        idle_days: Days without a delivery, from the last one or from its making.
        fruitless: Deliveries with a known outcome of which none succeeded.
    """

    expire_days: int | None = None
    idle_days: int | None = None
    fruitless: int | None = None

    def __post_init__(self) -> None:
        for name in ("expire_days", "idle_days", "fruitless"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise UsageError(f"{name} is at least 1, not {value}; leave it out for never")


def lapsed(book: TipBook, records: Mapping[str, Record], lifetimes: Lifetimes, by: By) -> Curated:
    """Give EXPIRE operations, with the reason, for the tips in use that have lapsed at the time `by.at`."""
    made = {op.tip_id: op.at for op in book.ops if op.verb is TipVerb.PROPOSE}
    ops: list[TipOp] = []
    for tip in book.tips.values():
        if book.state.get(tip.id) is not TipState.PROPOSED:
            continue
        if reason := _reason(tip, made.get(tip.id), records.get(tip.id), lifetimes, by.at):
            n = by.op_ordinal + len(ops)
            ops.append(
                op_of(by.ids, n, TipVerb.EXPIRE, tip.id, TipState.EXPIRED, reason=reason, at=by.at, actor=by.actor)
            )
    return Curated((), tuple(ops))


def _reason(tip: Tip, made: datetime | None, record: Record | None, lifetimes: Lifetimes, now: datetime) -> str | None:
    if lifetimes.expire_days is not None and made is not None and now - made > timedelta(lifetimes.expire_days):
        return f"no run has added to it for {lifetimes.expire_days} days"
    used = datetime.fromisoformat(record.last) if record and record.last else made
    if lifetimes.idle_days is not None and used is not None and now - used > timedelta(lifetimes.idle_days):
        return f"it was not delivered for {lifetimes.idle_days} days"
    if lifetimes.fruitless is not None and record is not None:
        n = record.with_it.n
        if n >= lifetimes.fruitless and record.with_it.hits == 0:
            return f"none of {n} runs that were given it succeeded"
    return None
