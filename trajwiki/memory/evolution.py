"""What new statements do to the claims that are there (paper, 3.1 and A.3), by rule.

A statement adds a claim, gives one that is there another source, or replaces one: a changed value of a single-valued
facet, a reversal, a correction that names what it corrects, a plan that was dropped or carried out. Which of two
statements is current is decided by the time they speak of, then by the time they were said, then by their order in
the conversation; never by when they were imported.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime

from trajwiki.domain.claims import (
    Claim,
    ClaimDraft,
    ClaimKind,
    ClaimOp,
    ClaimSource,
    Op,
    Status,
    statuses_of,
)
from trajwiki.domain.ids import Ids
from trajwiki.domain.state import Change, SpaceState
from trajwiki.domain.times import Precision
from trajwiki.language.tokens import fold
from trajwiki.memory.amendment import is_persons
from trajwiki.memory.exclusion import excluded, statement

RULE = "rule"


def evolve(
    drafts: Sequence[ClaimDraft], state: SpaceState, *, snapshot_id: str, ids: Ids
) -> tuple[Change, list[Claim]]:
    """Give what the statements of one exchange change.

    Args:
        drafts: In the order in which they were said; their messages are in the state.
        state: Before the exchange.
        snapshot_id: Of the exchange; the cause of every operation.
        ids: Of the space.

    Returns:
        The change (claims, sources, ops) and the distinct claims that stand on the exchange, in order.
    """
    step = _Step(state, snapshot_id, ids)
    for draft in drafts:
        step.take(draft)
    return step.change, list(step.stands.values())


@dataclass(slots=True)
class _Step:
    """One exchange in progress: the state, plus what the exchange has changed so far."""

    state: SpaceState
    snapshot_id: str
    ids: Ids
    change: Change = field(default_factory=Change)
    stands: dict[str, Claim] = field(default_factory=dict)
    status: dict[str, Status] = field(default_factory=dict)

    def take(self, draft: ClaimDraft) -> None:
        claim, known = self._claim(draft)
        heard = self.state.messages[draft.quote.message_id].sent_at
        earlier = self._status_of(claim.id) if known else None
        if not self._gain_source(claim, draft):
            return
        if not known:
            self.change.claims.append(claim)
        if known and earlier is not Status.DEPRECATED:
            self._confirm(claim, draft, earlier, heard)
            return
        if known and self._is_settled(claim, heard):
            return
        rivals = self._rivals(claim, draft)
        moment = _moment(claim, self.state, heard, order=self._order(draft))
        newer = [r for r in rivals if self._when(r) > moment]
        if newer:
            if not known:
                why = f"what is known is later: “{newer[0].text}”"
                self._op(Op.ADD, claim, Status.DEPRECATED, why, heard)
            return
        self._accept(claim, draft, known=known, rivals=rivals, heard=heard)

    def _accept(
        self, claim: Claim, draft: ClaimDraft, *, known: bool, rivals: list[Claim], heard: datetime | None
    ) -> None:
        if draft.status is Status.NEEDS_CONFIRMATION:
            rivals = []  # a doubt replaces nothing
        if rivals:
            first, *others = rivals
            self._op(Op.REVISE, claim, draft.status, _reason(draft, first), heard, replaces=first.id)
            for other in others:
                self._op(Op.DEPRECATE, other, Status.DEPRECATED, f"replaced by “{claim.text}”", heard)
        elif known:
            self._op(Op.RESTORE, claim, draft.status, "said again later: true again", heard)
        else:
            self._op(Op.ADD, claim, draft.status, "said", heard)

    def _confirm(self, claim: Claim, draft: ClaimDraft, earlier: Status | None, heard: datetime | None) -> None:
        """A claim that was doubtful and is now stated plainly becomes active."""
        if earlier is Status.NEEDS_CONFIRMATION and draft.status is Status.ACTIVE:
            self._op(Op.STATUS, claim, Status.ACTIVE, "stated without doubt", heard)

    def _is_settled(self, claim: Claim, heard: datetime | None) -> bool:
        """Tell whether a person has rejected the claim, and not before this was said."""
        last = self.state.last_op.get(claim.id)
        if last is None or not is_persons(last):
            return False
        return heard is None or last.heard_at is None or heard <= last.heard_at

    # Claims and their sources.

    def _claim(self, draft: ClaimDraft) -> tuple[Claim, bool]:
        claim_id = self.ids.of("claim", fold(draft.text), draft.valid.iso() if draft.valid else None)
        found = self.stands.get(claim_id) or self.state.claims.get(claim_id)
        if found is not None:
            return found, True
        ordinal = len(self.state.claims) + len(self.change.claims)
        claim = Claim(
            id=claim_id,
            ordinal=ordinal,
            text=draft.text,
            subject=draft.subject,
            kind=draft.kind,
            facet=draft.facet,
            valid=draft.valid,
            entities=draft.entities,
            terms=draft.terms,
            negated=draft.negated,
            instruction_like=draft.instruction_like,
        )
        return claim, False

    def _gain_source(self, claim: Claim, draft: ClaimDraft) -> bool:
        """Add the source, unless the claim already stands on these words."""
        self.stands[claim.id] = claim
        earlier = [*self.state.sources.get(claim.id, ()), *(s for s in self.change.sources if s.claim_id == claim.id)]
        if any(s.quote.message_id == draft.quote.message_id and s.quote.start == draft.quote.start for s in earlier):
            return False
        ordinal = self.state.source_count + len(self.change.sources)
        self.change.sources.append(ClaimSource(claim.id, ordinal, self.snapshot_id, draft.quote))
        return True

    # What a statement may replace.

    def _rivals(self, claim: Claim, draft: ClaimDraft) -> list[Claim]:
        """The current claims that cannot be true beside this one, oldest first (looked for in the whole space)."""
        said = statement(claim, draft.status, draft.quote.message_id, draft.replaces, self.state, self._fresh())
        found = excluded(said, self.state, self.change.claims, self._is_doubtful)
        return [r for r in found if self._is_current(r.id)]

    def _fresh(self) -> dict[str, str]:
        """The messages of the claims that this exchange has added so far."""
        known = {c.id for c in self.change.claims}
        return {s.claim_id: s.quote.message_id for s in self.change.sources if s.claim_id in known}

    def _is_doubtful(self, claim_id: str) -> bool:
        return self._status_of(claim_id) is Status.NEEDS_CONFIRMATION

    # Status and time.

    def _status_of(self, claim_id: str) -> Status | None:
        return self.status.get(claim_id) or self.state.status.get(claim_id)

    def _is_current(self, claim_id: str) -> bool:
        return self._status_of(claim_id) not in (None, Status.DEPRECATED)

    def _when(self, claim: Claim) -> tuple[date, datetime, int]:
        sources = [*self.state.sources.get(claim.id, ()), *(s for s in self.change.sources if s.claim_id == claim.id)]
        messages = [self.state.messages[s.quote.message_id] for s in sources]
        heard = max((m.sent_at for m in messages if m.sent_at), default=None)
        return _moment(claim, self.state, heard, order=max(m.ordinal for m in messages))

    def _order(self, draft: ClaimDraft) -> int:
        return self.state.messages[draft.quote.message_id].ordinal

    def _op(
        self, op: Op, claim: Claim, status: Status, reason: str, heard: datetime | None, *, replaces: str | None = None
    ) -> None:
        ordinal = len(self.state.ops) + len(self.change.ops)
        record = ClaimOp(
            id=self.ids.of("op", self.snapshot_id, len(self.change.ops), claim.id),
            ordinal=ordinal,
            op=op,
            claim_id=claim.id,
            status=status,
            replaces=replaces,
            cause=self.snapshot_id,
            decided_by=RULE,
            reason=reason,
            heard_at=heard,
        )
        self.change.ops.append(record)
        self.status.update(statuses_of(record))


def _moment(claim: Claim, state: SpaceState, heard: datetime | None, *, order: int) -> tuple[date, datetime, int]:
    """When a claim holds from, for ordering: the time it speaks of, the time it was said, its place.

    What is announced, or goes on while it is said, counts from when it was said.
    """
    said = heard.astimezone(UTC) if heard else datetime.min.replace(tzinfo=UTC)
    span = claim.valid
    day = (span.start or span.end) if span else None
    if (
        day is None
        or claim.kind in (ClaimKind.PLAN, ClaimKind.CORRECTION)
        or (span and span.precision is not Precision.DAY and span.contains(said.date()))
    ):
        day = said.date()
    return (min(day, said.date()) if heard else day, said, order)


def _reason(draft: ClaimDraft, replaced: Claim) -> str:
    if draft.replaces is not None:
        return f"corrects “{draft.replaces}”"
    if draft.negated:
        return f"takes back “{replaced.text}”"
    return f"replaces “{replaced.text}”"
