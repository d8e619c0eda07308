"""What an operation can be in dialogue memory and history; all kinds in one list."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from trajwiki.domain.history import CommitKind
from trajwiki.domain.messages import Role
from trajwiki.memory.intake import storable
from trajwiki.payloads import Payload
from trajwiki.server.kind import Asked, Kind, apart, written
from trajwiki.server.models import ClaimIn, MessagesIn, ReasonIn, RevertIn, RevisionIn
from trajwiki.server.practice_kinds import PRACTICE_KINDS
from trajwiki.space import Progress, Space


def _add(space: Space, given: Asked, progress: Progress) -> Payload:
    messages = [m.message() for m in MessagesIn.model_validate(given).messages]
    return written(space, space.add(messages, progress=progress))


def _flush(space: Space, given: Asked, progress: Progress) -> Payload:
    return written(space, space.flush())


def _reembed(space: Space, given: Asked, progress: Progress) -> Payload:
    return written(space, space.reembed(progress=progress))


def _add_claim(space: Space, given: Asked, progress: Progress) -> Payload:
    body = ClaimIn.model_validate(given)
    return written(space, space.add_claim(body.text, reason=body.reason, subject=body.subject))


def _revise(space: Space, given: Asked, progress: Progress) -> Payload:
    claim, body = apart(given, RevisionIn)
    return written(space, space.revise_claim(claim, body.text, reason=body.reason))


def _deprecate(space: Space, given: Asked, progress: Progress) -> Payload:
    claim, body = apart(given, ReasonIn)
    return written(space, space.deprecate_claim(claim, reason=body.reason))


def _restore(space: Space, given: Asked, progress: Progress) -> Payload:
    claim, body = apart(given, ReasonIn)
    return written(space, space.restore_claim(claim, reason=body.reason))


def _revert(space: Space, given: Asked, progress: Progress) -> Payload:
    n, body = apart(given, RevertIn)
    return written(space, space.revert(n, with_dependents=body.with_dependents))


def _corrected(space: Space, given: Asked, since: datetime, actor: str) -> Payload | None:
    """Find the commit of the correction that was asked for: the same words about the same claim by the same person."""
    text = storable(given["text"] if "text" in given else given["reason"])
    asked = {"reason": storable(given["reason"]), "actor": storable(actor)}
    asked |= {"target": given["of"]} if "of" in given else {}
    said = [
        m
        for m in space.state().messages.values()
        if m.role is Role.CORRECTION and m.sent_at is not None and m.sent_at >= since and m.text == text
    ]
    moment = next((m.sent_at for m in said if asked.items() <= m.metadata.items()), None)
    if moment is None:
        return None
    made = [c for c in space.log() if c.kind is CommitKind.CORRECTION and c.actor == actor and c.at >= moment]
    return written(space, made[-1]) if made else None


def _reverted(space: Space, given: Asked, since: datetime, actor: str) -> Payload | None:
    mine = (c for c in space.log() if c.kind is CommitKind.REVERT and c.at >= since and c.actor == actor)
    return next((written(space, c) for c in mine if c.arguments == {"commit": given["of"]}), None)


KINDS: Final[dict[str, Kind]] = {
    "messages": Kind(_add),
    "flush": Kind(_flush),
    "reembed": Kind(_reembed),
    "claim-add": Kind(_add_claim, _corrected),
    "claim-revise": Kind(_revise, _corrected),
    "claim-deprecate": Kind(_deprecate, _corrected),
    "claim-restore": Kind(_restore, _corrected),
    "revert": Kind(_revert, _reverted),
    **PRACTICE_KINDS,
}
