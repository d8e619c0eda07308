"""JSON of procedural memory as the values that the embedded memory gives."""

from __future__ import annotations

from dataclasses import fields
from datetime import datetime

from trajwiki.client.reading import Row
from trajwiki.domain.choices import Choices
from trajwiki.domain.runs import Outcome, OutcomeBy, Run
from trajwiki.domain.tips import (
    Delivery,
    Feedback,
    Granularity,
    Priority,
    Scope,
    Tip,
    TipCategory,
    TipOp,
    TipSource,
    TipState,
    TipVerb,
)
from trajwiki.store.practice_rows import delivery_of, feedback_of, step_of


def run(row: Row) -> Run:
    """Read a run."""
    names = ("id", "ordinal", "source_ref", "source", "task", "app", "agent", "outcome_note", "task_ref", "parent_ref")
    return Run(
        **{name: row[name] for name in names},
        steps=tuple(step_of(s) for s in row["steps"]),
        outcome=Outcome(row["outcome"]),
        outcome_by=OutcomeBy(row["outcome_by"]),
        metadata=dict(row["metadata"]),
    )


def tip(row: Row) -> Tip:
    """Read a tip."""
    names = ["id", "ordinal", "content", "purpose", "trigger", "negative_example", "app", "task_category"]
    names += ["description", "decided_by", "instruction_like"]
    return Tip(
        **{name: row[name] for name in names},
        category=TipCategory(row["category"]),
        steps=tuple(row["steps"]),
        priority=Priority(row["priority"]),
        granularity=Granularity(row["granularity"]),
        scope=Scope(row["scope"]),
        sources=tuple(TipSource(s["run_id"], s["first"], s["last"], Outcome(s["outcome"])) for s in row["sources"]),
        made_from=tuple(row["made_from"]),
    )


def op(row: Row) -> TipOp:
    """Read what was done to a tip."""
    return TipOp(
        id=row.get("id", ""),
        ordinal=row.get("ordinal", 0),
        verb=TipVerb(row["verb"]),
        tip_id=row["tip_id"],
        state=TipState(row["state"]),
        others=tuple(row["others"]),
        actor=row["actor"],
        reason=row["reason"],
        at=datetime.fromisoformat(row["at"]),
    )


def delivery(row: Row) -> Delivery:
    """Read a delivery."""
    return delivery_of(row["id"], datetime.fromisoformat(row["at"]), row)


def feedback(row: Row) -> Feedback:
    """Read what came of a delivery."""
    return feedback_of(row["delivery_id"], datetime.fromisoformat(row["at"]), row)


def choices(row: Row) -> Choices:
    """Read what was chosen for a space."""
    return Choices(**{f.name: row[f.name] for f in fields(Choices)})
