"""What an operation can be in procedural memory."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

from trajwiki.domain.history import CommitKind
from trajwiki.payloads import Payload
from trajwiki.practice_payloads import feedback_payload, op_payload
from trajwiki.server.kind import Asked, Kind, apart, written
from trajwiki.server.models import ReasonIn
from trajwiki.server.practice_models import EditIn, FeedbackIn, MergeIn, RunsIn
from trajwiki.space import Progress, Space

DECISIONS: Final = ("approve", "reject", "withdraw", "restore", "split")


def _add_runs(space: Space, given: Asked, progress: Progress) -> Payload:
    body = RunsIn.model_validate(given)
    runs = [r.run() for r in body.runs]
    return written(space, space.add_run(runs, delivery=body.delivery))


def _runs_added(space: Space, given: Asked, since: datetime, actor: str) -> Payload | None:
    """Find what was noted of the delivery that the run received; runs alone may be added again."""
    noted = [f for f in space.all_feedback() if f.delivery_id == given["delivery"] and f.run_id and f.at >= since]
    made = [c for c in space.log() if c.kind is CommitKind.RUNS and c.at >= since and c.actor == actor]
    return written(space, made[-1]) if noted and made else None


def _decide(verb: str) -> Kind:
    def run(space: Space, given: Asked, progress: Progress) -> Payload:
        tip, body = apart(given, ReasonIn)
        return written(space, getattr(space, f"{verb}_tip")(tip, reason=body.reason))

    return Kind(run, _decided)


def _edit(space: Space, given: Asked, progress: Progress) -> Payload:
    tip, body = apart(given, EditIn)
    return written(space, space.edit_tip(tip, reason=body.reason, **body.changes()))


def _merge(space: Space, given: Asked, progress: Progress) -> Payload:
    body = MergeIn.model_validate(given)
    return written(space, space.merge_tips(body.tips, reason=body.reason))


def _decided(space: Space, given: Asked, since: datetime, actor: str) -> Payload | None:
    """Find the commit of a decision that was made about these tips, for this reason, by the same person."""
    tips = {given["of"]} if "of" in given else set(given["tips"])
    ops = [
        op
        for op in space.practice().book.ops
        if op.at >= since and op.reason == given["reason"] and tips & {op.tip_id, *op.others}
    ]
    if not ops:
        return None
    made = [c for c in space.log() if c.kind is CommitKind.TIPS and c.at >= ops[0].at and c.actor == actor]
    return written(space, made[-1]) if made else None


def _consolidate(space: Space, given: Asked, progress: Progress) -> Payload:
    commit, change = space.consolidate_tips()
    shown: dict[str, Any] = {"ops": [op_payload(op) for op in change.tip_ops]}
    return {"schema": "trajwiki.consolidation/1", "commit": commit.n if commit else None, **shown}


def _feedback(space: Space, given: Asked, progress: Progress) -> Payload:
    body = FeedbackIn.model_validate(given)
    return feedback_payload(
        space.feedback(body.delivery_id, outcome=body.outcome, followed=body.followed, ignored=body.ignored)
    )


def _fed_back(space: Space, given: Asked, since: datetime, actor: str) -> Payload | None:
    wanted = (given["delivery_id"], given["outcome"], f"person:{actor}")
    found = [f for f in space.all_feedback() if f.at >= since]
    same = (f for f in found if (f.delivery_id, f.outcome.value, f.said_by) == wanted)
    return next((feedback_payload(f) for f in same), None)


PRACTICE_KINDS: Final[dict[str, Kind]] = {
    "runs": Kind(_add_runs),
    "run-delivered": Kind(_add_runs, _runs_added),
    "tip-edit": Kind(_edit, _decided),
    "tips-merge": Kind(_merge, _decided),
    "tips-consolidate": Kind(_consolidate),
    "feedback": Kind(_feedback, _fed_back),
    **{f"tip-{verb}": _decide(verb) for verb in DECISIONS},
}
