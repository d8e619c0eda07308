"""When each claim held: from its own words where they say, else from when it was said until it was replaced."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Final

from trajwiki.domain.claims import Claim, ClaimKind, ClaimOp, Op, Status
from trajwiki.domain.state import SpaceState
from trajwiki.domain.times import Precision, day_of

PERSON: Final = "person:"
LASTING: Final = (ClaimKind.EVENT,)  # what has happened stays true
VIEW: Final = "view"


@dataclass(frozen=True, slots=True)
class Held:
    """The days on which a claim held.

    Attributes:
        start: The first; None: it held already when it was first heard of, or nothing says since when.
        end: The first day on which it no longer held; None: it still does.
        ever: False when it was never true: a person took it back, or it was a slip that was corrected.
    """

    start: date | None
    end: date | None
    ever: bool = True

    def on(self, day: date) -> bool:
        """Tell whether it held on a day."""
        return self.ever and (self.start is None or self.start <= day) and (self.end is None or day < self.end)


def held(claim: Claim, state: SpaceState) -> Held:
    """Give the days on which a claim of a space held."""
    start = _start(claim, state)
    end = None
    if claim.valid and claim.valid.end and claim.valid.precision is Precision.SPAN and claim.kind not in LASTING:
        end = date.fromordinal(claim.valid.end.toordinal() + 1)
    if state.is_current(claim.id):
        return Held(start, end)
    by = next((op for op in reversed(state.ops) if op.replaces == claim.id), None)
    last = state.last_op[claim.id]
    if last.op is Op.REVISE and by is not None:
        new = state.claims[by.claim_id]
        if by.decided_by.startswith(PERSON) or new.kind is ClaimKind.CORRECTION:
            return Held(start, end, ever=False)
        replaced = _start(new, state)
    elif last.decided_by.startswith(PERSON):
        return Held(start, end, ever=False)
    else:
        replaced = day_of(last.heard_at)
    known = [d for d in (end, replaced) if d is not None]
    return Held(start, min(known, default=start), ever=bool(known) or start is not None)


def as_valid_on(state: SpaceState, day: date) -> Iterator[ClaimOp]:
    """Give the operations that make a state say what was true on a day, by what is known in it.

    They are for looking only and never written.
    """
    ordinal = len(state.ops)
    for claim in state.claims.values():
        status = state.status[claim.id]
        wanted = status
        if not held(claim, state).on(day):
            wanted = Status.DEPRECATED
        elif status is Status.DEPRECATED:
            wanted = Status.ACTIVE
        if wanted is not status:
            said = f"held on {day}" if wanted is Status.ACTIVE else f"did not hold on {day}"
            yield ClaimOp(
                f"{VIEW}_{ordinal}", ordinal, Op.STATUS, claim.id, wanted, None, VIEW, VIEW, said, heard_at=None
            )
            ordinal += 1


def _start(claim: Claim, state: SpaceState) -> date | None:
    if claim.valid is not None and claim.kind is not ClaimKind.PLAN:
        return claim.valid.start
    heard = (day_of(state.messages[s.quote.message_id].sent_at) for s in state.sources.get(claim.id, ()))
    return min((d for d in heard if d is not None), default=None)
