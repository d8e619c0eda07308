"""JSON shapes of procedural memory: runs, analyses, tips, deliveries and their records (docs/json.md)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from trajwiki.domain.runs import Analysis, Run
from trajwiki.domain.tipbook import TipBook
from trajwiki.domain.tips import Delivery, Feedback, Tip, TipOp
from trajwiki.store.practice_rows import analysis_json, delivery_json, feedback_json, step_json

VERSION = 1
Payload = dict[str, Any]


def run_line(run: Run) -> Payload:
    """Show a run in a list."""
    return {
        "id": run.id,
        "source_ref": run.source_ref,
        "source": run.source,
        "task": run.task,
        "task_ref": run.task_ref,
        "parent_ref": run.parent_ref,
        "app": run.app,
        "agent": run.agent,
        "outcome": run.outcome.value,
        "outcome_by": run.outcome_by.value,
        "outcome_note": run.outcome_note,
        "steps": len(run.steps),
    }


def run_payload(run: Run, analysis: Analysis, tips: Sequence[str]) -> Payload:
    """Show a run with its steps, what was found in it, and the tips that stand on it."""
    return {
        "schema": f"trajwiki.run/{VERSION}",
        **run_line(run),
        "steps": [step_json(s) for s in run.steps],
        "metadata": dict(run.metadata),
        "analysis": analysis_json(analysis),
        "tips": list(tips),
    }


def tip_payload(tip: Tip, book: TipBook, runs: dict[str, Run] | None = None) -> Payload:
    """Show a tip with its state and sources.

    Args:
        tip: The tip.
        book: That holds it.
        runs: With these, the steps that it stands on are shown too.
    """
    return {
        "schema": f"trajwiki.tip/{VERSION}",
        "id": tip.id,
        "state": book.state[tip.id].value,
        "category": tip.category.value,
        "priority": tip.priority.value,
        "content": tip.content,
        "purpose": tip.purpose,
        "steps": list(tip.steps),
        "trigger": tip.trigger,
        "negative_example": tip.negative_example,
        "app": tip.app,
        "task_category": tip.task_category,
        "granularity": tip.granularity.value,
        "scope": tip.scope.value,
        "description": tip.description,
        "support": tip.support,
        "sources": [_source(s.run_id, s.first, s.last, s.outcome.value, runs) for s in tip.sources],
        "made_from": list(tip.made_from),
        "decided_by": tip.decided_by,
        "instruction_like": tip.instruction_like,
    }


def op_payload(op: TipOp) -> Payload:
    """Show what was done to a tip."""
    return {
        "verb": op.verb.value,
        "tip_id": op.tip_id,
        "state": op.state.value,
        "others": list(op.others),
        "actor": op.actor,
        "reason": op.reason,
        "at": op.at.isoformat(),
    }


def delivery_payload(delivery: Delivery) -> Payload:
    """Show what was delivered, and what was left out."""
    return {
        "schema": f"trajwiki.delivery/{VERSION}",
        "id": delivery.id,
        "at": delivery.at.isoformat(),
        **delivery_json(delivery),
    }


def feedback_payload(feedback: Feedback) -> Payload:
    """Show what came of a delivery."""
    return {
        "schema": f"trajwiki.feedback/{VERSION}",
        "delivery_id": feedback.delivery_id,
        "at": feedback.at.isoformat(),
        **feedback_json(feedback),
    }


def _source(run_id: str, first: int, last: int, outcome: str, runs: dict[str, Run] | None) -> Payload:
    shown: Payload = {"run_id": run_id, "first": first, "last": last, "outcome": outcome}
    if runs is not None:
        shown["steps"] = [step_json(s) for s in runs[run_id].steps[first - 1 : last]]
    return shown
