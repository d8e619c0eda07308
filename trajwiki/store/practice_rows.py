"""Between the records of procedural memory and rows: one codec a kind of record, listed at the end."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

import numpy as np

from trajwiki.domain.runs import (
    Analysis,
    Attribution,
    Cause,
    EventKind,
    Finding,
    Outcome,
    OutcomeBy,
    Run,
    Step,
    StepKind,
    Subtask,
    Thought,
)
from trajwiki.domain.state import Vector
from trajwiki.domain.tips import (
    Delivery,
    Feedback,
    Granularity,
    LeftOut,
    Priority,
    Scope,
    Tip,
    TipCategory,
    TipOp,
    TipSource,
    TipState,
    TipVerb,
    Use,
)
from trajwiki.store import tables
from trajwiki.store.rows import Codec, Row


def step_json(step: Step) -> Row:
    """Give a step as JSON values; what it lacks is left out."""
    full = {
        "kind": step.kind.value,
        "text": step.text,
        "agent": step.agent,
        "tool": step.tool,
        "arguments": dict(step.arguments),
        "answers": step.answers,
        "at": step.at.isoformat() if step.at else None,
        "tokens": list(step.tokens) if step.tokens else None,
        "where": step.where,
    }
    return {"number": step.number} | {name: value for name, value in full.items() if value not in (None, "", {})}


def step_of(data: Row) -> Step:
    """Give the step behind its JSON values."""
    tokens = data.get("tokens")
    return Step(
        number=data["number"],
        kind=StepKind(data["kind"]),
        text=data.get("text", ""),
        agent=data.get("agent", ""),
        tool=data.get("tool"),
        arguments=data.get("arguments", {}),
        answers=data.get("answers"),
        at=datetime.fromisoformat(data["at"]) if "at" in data else None,
        tokens=(tokens[0], tokens[1]) if tokens else None,
        where=data.get("where", ""),
    )


def _run_row(run: Run) -> Row:
    return {
        "id": run.id,
        "ordinal": run.ordinal,
        "source_ref": run.source_ref,
        "source": run.source,
        "task": run.task,
        "steps": [step_json(s) for s in run.steps],
        "app": run.app,
        "agent": run.agent,
        "outcome": run.outcome.value,
        "outcome_by": run.outcome_by.value,
        "outcome_note": run.outcome_note,
        "task_ref": run.task_ref,
        "parent_ref": run.parent_ref,
        "metadata": dict(run.metadata),
    }


def _run(r: Any) -> Run:
    return Run(
        id=r.id,
        ordinal=r.ordinal,
        source_ref=r.source_ref,
        source=r.source,
        task=r.task,
        steps=tuple(step_of(s) for s in r.steps),
        app=r.app,
        agent=r.agent,
        outcome=Outcome(r.outcome),
        outcome_by=OutcomeBy(r.outcome_by),
        outcome_note=r.outcome_note,
        task_ref=r.task_ref,
        parent_ref=r.parent_ref,
        metadata=r._mapping["metadata"],
    )


def _cause_json(cause: Cause) -> list[Any]:
    return [cause.step, cause.text]


def _cause(data: Sequence[Any]) -> Cause:
    return Cause(int(data[0]), str(data[1]))


def analysis_json(a: Analysis) -> Row:
    """Give an analysis as JSON values, without the id of its run."""
    return {
        "thoughts": {name.value: list(steps) for name, steps in sorted(a.thoughts.items())},
        "findings": [
            {
                "kind": f.kind,
                "steps": list(f.steps),
                "text": f.text,
                "confidence": f.confidence,
                "details": dict(f.details),
            }
            for f in a.findings
        ],
        "attributions": [
            {
                "event": t.event.value,
                "at_step": t.at_step,
                "immediate": _cause_json(t.immediate),
                "proximate": _cause_json(t.proximate),
                "root": _cause_json(t.root),
                "contributing": [_cause_json(c) for c in t.contributing],
                "agent": t.agent,
                "confidence": t.confidence,
            }
            for t in a.attributions
        ],
        "subtasks": [
            {
                "first": s.first,
                "last": s.last,
                "description": s.description,
                "app": s.app,
                "purpose": s.purpose,
                "succeeded": s.succeeded,
            }
            for s in a.subtasks
        ],
        "decided_by": a.decided_by,
    }


def analysis_of(run_id: str, body: Row) -> Analysis:
    """Give the analysis behind its JSON values."""
    return Analysis(
        run_id=run_id,
        thoughts={Thought(name): tuple(steps) for name, steps in body["thoughts"].items()},
        findings=tuple(
            Finding(f["kind"], tuple(f["steps"]), f["text"], f["confidence"], f["details"]) for f in body["findings"]
        ),
        attributions=tuple(
            Attribution(
                event=EventKind(t["event"]),
                at_step=t["at_step"],
                immediate=_cause(t["immediate"]),
                proximate=_cause(t["proximate"]),
                root=_cause(t["root"]),
                contributing=tuple(_cause(c) for c in t["contributing"]),
                agent=t["agent"],
                confidence=t["confidence"],
            )
            for t in body["attributions"]
        ),
        subtasks=tuple(
            Subtask(s["first"], s["last"], s["description"], s["app"], s["purpose"], s["succeeded"])
            for s in body["subtasks"]
        ),
        decided_by=body["decided_by"],
    )


def _tip_row(t: Tip) -> Row:
    return {
        "id": t.id,
        "ordinal": t.ordinal,
        "category": t.category.value,
        "content": t.content,
        "purpose": t.purpose,
        "steps": list(t.steps),
        "trigger": t.trigger,
        "negative_example": t.negative_example,
        "priority": t.priority.value,
        "app": t.app,
        "task_category": t.task_category,
        "granularity": t.granularity.value,
        "scope": t.scope.value,
        "description": t.description,
        "sources": [[s.run_id, s.first, s.last, s.outcome.value] for s in t.sources],
        "made_from": list(t.made_from),
        "decided_by": t.decided_by,
        "instruction_like": t.instruction_like,
    }


def _tip(r: Any) -> Tip:
    return Tip(
        id=r.id,
        ordinal=r.ordinal,
        category=TipCategory(r.category),
        content=r.content,
        purpose=r.purpose,
        steps=tuple(r.steps),
        trigger=r.trigger,
        negative_example=r.negative_example,
        priority=Priority(r.priority),
        app=r.app,
        task_category=r.task_category,
        granularity=Granularity(r.granularity),
        scope=Scope(r.scope),
        description=r.description,
        sources=tuple(TipSource(run, first, last, Outcome(outcome)) for run, first, last, outcome in r.sources),
        made_from=tuple(r.made_from),
        decided_by=r.decided_by,
        instruction_like=r.instruction_like,
    )


def _op_row(o: TipOp) -> Row:
    return {
        "id": o.id,
        "ordinal": o.ordinal,
        "verb": o.verb.value,
        "tip_id": o.tip_id,
        "state": o.state.value,
        "others": list(o.others),
        "actor": o.actor,
        "reason": o.reason,
        "at": o.at,
    }


def _op(r: Any) -> TipOp:
    return TipOp(
        id=r.id,
        ordinal=r.ordinal,
        verb=TipVerb(r.verb),
        tip_id=r.tip_id,
        state=TipState(r.state),
        others=tuple(r.others),
        actor=r.actor,
        reason=r.reason,
        at=r.at,
    )


def delivery_json(d: Delivery) -> Row:
    """Give a delivery as JSON values, without its id and time."""
    return {
        "task": d.task,
        "app": d.app,
        "task_category": d.task_category,
        "strategy": d.strategy,
        "tip_ids": list(d.tip_ids),
        "scores": list(d.scores),
        "left_out": [[o.tip_id, o.reason] for o in d.left_out],
        "block": d.block,
        "words": d.words,
    }


def delivery_of(id: str, at: datetime, body: Mapping[str, Any]) -> Delivery:
    """Give the delivery behind its JSON values."""
    return Delivery(
        id=id,
        at=at,
        task=body["task"],
        app=body["app"],
        task_category=body["task_category"],
        strategy=body["strategy"],
        tip_ids=tuple(body["tip_ids"]),
        scores=tuple(body["scores"]),
        left_out=tuple(LeftOut(tip, reason) for tip, reason in body["left_out"]),
        block=body["block"],
        words=body["words"],
    )


def feedback_json(f: Feedback) -> Row:
    """Give feedback as JSON values, without its delivery and time."""
    return {
        "outcome": f.outcome.value,
        "run_id": f.run_id,
        "uses": [[tip, use.value] for tip, use in f.uses],
        "said_by": f.said_by,
    }


def feedback_of(delivery_id: str, at: datetime, body: Mapping[str, Any]) -> Feedback:
    """Give the feedback behind its JSON values."""
    uses = tuple((tip, Use(use)) for tip, use in body["uses"])
    return Feedback(delivery_id, at, Outcome(body["outcome"]), body["run_id"], uses, body["said_by"])


def _plain(name: str, table: Any, to_row: Callable[[Any], Row], of: Callable[[Any], Any], *order: str) -> Codec:
    return Codec(name, table, to_row, of, order or ("ordinal",))


# In the order in which a state applies them.
PRACTICE_CODECS: Final = (
    _plain("runs", tables.run, _run_row, _run),
    _plain(
        "analyses",
        tables.run_analysis,
        lambda a: {"run_id": a.run_id, "body": analysis_json(a)},
        lambda r: analysis_of(r.run_id, r.body),
        "since",
        "run_id",
    ),
    _plain("tips", tables.tip, _tip_row, _tip),
    _plain("tip_ops", tables.tip_op, _op_row, _op),
    _plain(
        "tip_vectors",
        tables.tip_vector,
        lambda v: {"kind": v.kind, "item_id": v.item_id, "data": v.data.astype("<f4").tobytes()},
        lambda r: Vector(r.kind, r.item_id, np.frombuffer(r.data, dtype="<f4")),
        "since",
        "kind",
        "item_id",
    ),
)
