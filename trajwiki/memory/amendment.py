"""What is done to claims from outside: a person corrects one, a commit is taken back, a message was edited."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Final

from trajwiki.domain.claims import Claim, ClaimKind, ClaimOp, ClaimSource, Op, Quote, Status
from trajwiki.domain.ids import Ids
from trajwiki.domain.messages import Message
from trajwiki.domain.state import Change, SpaceState
from trajwiki.language.tokens import fold
from trajwiki.memory.annotation import Told, annotate

PERSON: Final = "person:"  # decided_by of what a person decided begins with this
REVERT: Final = "revert"


def is_persons(op: ClaimOp) -> bool:
    """Tell whether a person decided an operation."""
    return op.decided_by.startswith(PERSON)


def correction(message: Message, state: SpaceState, *, snapshot_id: str, ids: Ids) -> tuple[Change, list[Claim]]:
    """Give what a correction changes. All that it says is in its message, so that it can be replayed.

    Args:
        message: Of role CORRECTION; its metadata hold `op`, `target` (a claim id, but for ADD), `reason` and `actor`.
        state: Before the correction; the target is there.
        snapshot_id: Of the correction.
        ids: Of the space.

    Returns:
        The change, and the claims that stand on it.
    """
    said = message.metadata
    op, target = Op(said["op"]), said.get("target") or None
    change, stands = Change(), []
    claim_id, status, replaces = target or "", Status.ACTIVE, None
    if op in (Op.ADD, Op.REVISE):
        claim = _stated(message, state.claims.get(target) if target else None, state, ids)
        if claim.id not in state.claims:
            change.claims.append(claim)
        quote = Quote(message.id, message.text, 0)
        change.sources.append(ClaimSource(claim.id, state.source_count, snapshot_id, quote))
        stands.append(claim)
        claim_id, replaces = claim.id, target if op is Op.REVISE and target != claim.id else None
    elif op is Op.DEPRECATE:
        status = Status.DEPRECATED
    change.ops.append(
        ClaimOp(
            id=ids.of("op", snapshot_id, 0, claim_id),
            ordinal=len(state.ops),
            op=op,
            claim_id=claim_id,
            status=status,
            replaces=replaces,
            cause=snapshot_id,
            decided_by=PERSON + said["actor"],
            reason=said["reason"],
            heard_at=message.sent_at,
        )
    )
    return change, stands


def _stated(message: Message, like: Claim | None, state: SpaceState, ids: Ids) -> Claim:
    """The claim that a person states; about the same subject as the one it corrects."""
    claim_id = ids.of("claim", fold(message.text), None)
    if (known := state.claims.get(claim_id)) is not None:
        return known
    subject = like.subject if like else message.metadata.get("subject")
    names = frozenset(fold(name) for name in (*state.speakers, *([subject] if subject else [])))
    quote = Quote(message.id, message.text, 0)
    read = annotate(Told(message.text, quote, subject or message.speaker, names, message.sent_at))
    about = subject or read.subject
    return Claim(
        id=claim_id,
        ordinal=len(state.claims),
        text=message.text,
        subject=about,
        kind=like.kind if like else read.kind if read.kind is not ClaimKind.CORRECTION else ClaimKind.FACT,
        facet=read.facet if fold(read.subject) == fold(about) else None,
        valid=read.valid,
        entities=read.entities,
        terms=read.terms,
        negated=read.negated,
    )


def withdraw_stale(message_ids: Iterable[str], state: SpaceState, *, snapshot_id: str, ids: Ids) -> Change:
    """Deprecate the claims that stood on words which an edit took away, and on nothing else.

    Args:
        message_ids: Of an exchange that is read again.
        state: With the edited messages.
        snapshot_id: Of the new reading: the cause.
        ids: Of the space.
    """
    change = Change()
    claim_ids = dict.fromkeys(c for m in message_ids for c in state.claims_of.get(m, ()))
    for claim_id in claim_ids:
        if not state.is_current(claim_id) or any(_stands(s, state) for s in state.sources[claim_id]):
            continue
        change.ops.append(
            ClaimOp(
                id=ids.of("op", snapshot_id, "stale", claim_id),
                ordinal=len(state.ops) + len(change.ops),
                op=Op.DEPRECATE,
                claim_id=claim_id,
                status=Status.DEPRECATED,
                replaces=None,
                cause=snapshot_id,
                decided_by="rule",
                reason="the message it stood on was edited",
                heard_at=None,
            )
        )
    return change


def _stands(source: ClaimSource, state: SpaceState) -> bool:
    message = state.messages.get(source.quote.message_id)
    return message is not None and source.quote.text in message.content


def take_back(
    statuses: Mapping[str, Status | None], state: SpaceState, *, cause: str, ids: Ids, decided_by: str, at: datetime
) -> Change:
    """Give claims the status that they had before a commit.

    Args:
        statuses: Claim id to its status before the commit; None: it was not there.
        state: Now.
        cause: Names the commit that is taken back.
        ids: Of the space.
        decided_by: Who takes it back.
        at: When.
    """
    change = Change()
    for claim_id, before in statuses.items():
        status = before or Status.DEPRECATED
        if state.status[claim_id] is status:
            continue
        ordinal = len(state.ops) + len(change.ops)
        op = Op.DEPRECATE if status is Status.DEPRECATED else Op.RESTORE
        change.ops.append(
            ClaimOp(
                id=ids.of("op", cause, ordinal, claim_id),
                ordinal=ordinal,
                op=op,
                claim_id=claim_id,
                status=status,
                replaces=None,
                cause=cause,
                decided_by=decided_by,
                reason=f"{cause} was taken back",
                heard_at=at,
            )
        )
    return change
