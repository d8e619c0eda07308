"""Claim transitions by a model: a hint, which the rule checks before it changes anything (paper, A.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

from trajwiki.domain.claims import Claim, ClaimDraft, ClaimKind, ClaimOp, Op, Status, statuses_of
from trajwiki.domain.ids import Ids
from trajwiki.domain.snapshots import Exchange
from trajwiki.domain.state import Change, SpaceState
from trajwiki.language.tokens import fold, keywords
from trajwiki.memory.amendment import is_persons
from trajwiki.models.asking import Asker
from trajwiki.models.prompts.base import said
from trajwiki.models.prompts.transition import PROMPT, Transition

SHORTLIST: Final = 3  # paper, A.3
OVERLAP: Final = 0.34  # share of the content words of the shorter claim from which two may exclude each other
_CHANGING: Final = frozenset({ClaimKind.FACT, ClaimKind.PREFERENCE, ClaimKind.PLAN, ClaimKind.COUNT})


def note_readers(change: Change, drafts: Sequence[ClaimDraft]) -> None:
    """Mark the operations of claims that a model read with its name."""
    read = {fold(d.text): d.decided_by for d in drafts if d.decided_by.startswith("model")}
    texts = {c.id: fold(c.text) for c in change.claims}
    change.ops[:] = [
        replace(op, decided_by=read[texts[op.claim_id]]) if op.op is Op.ADD and texts.get(op.claim_id) in read else op
        for op in change.ops
    ]


def revise(change: Change, state: SpaceState, asker: Asker) -> None:
    """Let a model say of each claim that was only added whether it replaces an earlier one.

    Args:
        change: Of one exchange, by rule; an ADD becomes a REVISE in it where the model says so and the rule allows it.
        state: Before the exchange.
        asker: Of the space.
    """
    claims = {c.id: c for c in change.claims}
    gone = {old for op in change.ops for old, status in statuses_of(op) if status is Status.DEPRECATED}
    for n, op in enumerate(change.ops):
        claim = claims.get(op.claim_id)
        if claim is None or op.op is not Op.ADD:
            if op.op is Op.REVISE:
                asker.skip(PROMPT)  # the rule has found what it replaces
            continue
        earlier = [c for c in _shortlist(claim, op, state) if c.id not in gone]
        if not earlier:
            asker.skip(PROMPT)
            continue
        reply = asker.ask(PROMPT, _lines(claim, earlier, state), check=partial(_useless, n=len(earlier)))
        if reply is not None and reply.decision == "REVISE":
            old = earlier[_place(reply.replaces) - 1]
            gone.add(old.id)
            reason = " ".join(reply.reason.split())[:160] or f"replaces “{old.text}”"
            change.ops[n] = replace(op, op=Op.REVISE, replaces=old.id, decided_by=asker.name, reason=reason)


def outdo(change: Change, stands: Sequence[str], exchange: Exchange, state: SpaceState, *, ids: Ids) -> None:
    """Deprecate the rule's claims on an exchange that a model has read since, where it has better ones.

    Args:
        change: Of the new reading.
        stands: Ids of the claims that stand on the exchange now.
        exchange: It.
        state: Before the new reading.
        ids: Of the space.
    """
    here = set(exchange.message_ids)
    snapshot_id = ids.of("snapshot", exchange.id)
    touched = {old for op in change.ops for old, _ in statuses_of(op)}
    for claim_id in dict.fromkeys(c for m in exchange.message_ids for c in state.claims_of.get(m, ())):
        elsewhere = any(s.quote.message_id not in here for s in state.sources[claim_id])
        last = state.last_op.get(claim_id)
        if claim_id in stands or claim_id in touched or elsewhere or not state.is_current(claim_id):
            continue
        if last is None or is_persons(last):
            continue
        change.ops.append(
            ClaimOp(
                id=ids.of("op", snapshot_id, "outdone", claim_id),
                ordinal=len(state.ops) + len(change.ops),
                op=Op.DEPRECATE,
                claim_id=claim_id,
                status=Status.DEPRECATED,
                replaces=None,
                cause=snapshot_id,
                decided_by="rule",
                reason="a model has read the exchange since",
                heard_at=None,
            )
        )


def _shortlist(claim: Claim, op: ClaimOp, state: SpaceState) -> list[Claim]:
    """The current claims about the same subject that are much like it, the likest first, at most three."""
    if claim.kind not in _CHANGING or op.status is not Status.ACTIVE or claim.instruction_like:
        return []
    own = set(keywords(claim.text)) - set(keywords(claim.subject))
    scored: list[tuple[float, int, Claim]] = []
    for claim_id in state.claims_about.get(claim.subject.casefold(), ()):
        other = state.claims[claim_id]
        if claim_id == claim.id or other.kind not in _CHANGING or not _may_be_replaced(other, op, state):
            continue
        theirs = set(keywords(other.text)) - set(keywords(other.subject))
        shorter = min(len(own), len(theirs))
        share = len(own & theirs) / shorter if shorter else 0.0
        if share >= OVERLAP:
            scored.append((-share, other.ordinal, other))
    return [c for _, _, c in sorted(scored, key=lambda s: s[:2])[:SHORTLIST]]


def _may_be_replaced(old: Claim, op: ClaimOp, state: SpaceState) -> bool:
    """Nothing that is out of date, that a person decided, or that was said later."""
    last = state.last_op.get(old.id)
    if not state.is_current(old.id) or old.instruction_like or last is None or is_persons(last):
        return False
    sent = [t for s in state.sources[old.id] if (t := state.messages[s.quote.message_id].sent_at) is not None]
    heard = max(sent, default=None)
    return heard is None or op.heard_at is None or heard <= op.heard_at


def _useless(reply: Any, n: int) -> str | None:
    assert isinstance(reply, Transition)
    if reply.decision == "REVISE" and not 1 <= _place(reply.replaces) <= n:
        return "unknown-candidate"
    return None


def _place(label: str | None) -> int:
    name = (label or "").strip().upper()
    return int(name[1]) if len(name) == 2 and name[0] == "C" and name[1] in "123" else 0


def _lines(claim: Claim, earlier: Sequence[Claim], state: SpaceState) -> list[str]:
    lines = [f"new | {said(claim.text)}"]
    for n, old in enumerate(earlier, start=1):
        sent = state.messages[state.sources[old.id][-1].quote.message_id].sent_at
        lines.append(f"C{n} | {f'{sent:%Y-%m-%d}' if sent else 'undated'} | {said(old.text)}")
    return lines
