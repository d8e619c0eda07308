"""The calls on procedural memory, as steps. Names and arguments are those of `trajwiki.Space`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from trajwiki.advising import GUIDELINE_WORDS
from trajwiki.client import practice_reading, reading
from trajwiki.client.calls import all_of, at_space, write
from trajwiki.client.steps import At, Request, Steps, ask
from trajwiki.domain.choices import Choices
from trajwiki.domain.history import Commit
from trajwiki.domain.runs import Analysis, NewRun, Outcome, Run, Step
from trajwiki.domain.tips import Delivery, Feedback, Tip, TipOp, TipState
from trajwiki.payloads import Payload
from trajwiki.store.practice_rows import analysis_of, step_json
from trajwiki.tips.retrieval import TOP_K

# Runs


def add_run(at: At, run: NewRun | Iterable[NewRun], *, delivery: str | None = None) -> Steps[Commit]:
    """Remember runs; see `trajwiki.Space.add_run`."""
    runs = [run] if isinstance(run, NewRun) else list(run)
    body = {"runs": [_run(r) for r in runs], "delivery": delivery}
    return reading.commit((yield from write(at, ("runs",), body)))


def runs(at: At) -> Steps[list[Run]]:
    """List the runs, in order."""
    return [practice_reading.run(row) for row in (yield from all_of(at, "runs", {"whole": "true"}))]


def run(at: At, run_id: str) -> Steps[Run]:
    """Give a run. Raises UnknownItem."""
    return practice_reading.run((yield from ask(Request("GET", at_space(at, "runs", run_id)))).body)


def analysis(at: At, run_id: str) -> Steps[Analysis]:
    """Give what was found in a run. Raises UnknownItem."""
    return analysis_of(run_id, (yield from ask(Request("GET", at_space(at, "runs", run_id)))).body["analysis"])


def run_raw(at: At, run_id: str) -> Steps[str]:
    """Give the raw record of a run, secrets masked. Raises UnknownItem."""
    return str((yield from ask(Request("GET", at_space(at, "runs", run_id, "raw")))).body["raw"])


def erase_run(at: At, run_ids: Sequence[str], *, dry_run: bool = False) -> Steps[dict[str, list[str]]]:
    """Erase runs with all that stood on them alone; see `trajwiki.Space.erase_run`."""
    body = {"runs": list(run_ids), "confirm": not dry_run}
    reply = yield from ask(Request("POST", at_space(at, "runs", "erase"), body=body, again=dry_run))
    return {name: reply.body[name] for name in ("runs", "falls", "stays", "new")}


def choices(at: At) -> Steps[Choices]:
    """Give what was chosen for this space."""
    return practice_reading.choices((yield from ask(Request("GET", at_space(at, "choices")))).body)


def choose(at: At, name: str, value: bool | str) -> Steps[Choices]:
    """Choose something for this space; see `Choices`. Raises UsageError."""
    request = Request("PATCH", at_space(at, "choices"), body={name: value})
    return practice_reading.choices((yield from ask(request)).body)


# Tips


def tips(at: At, *, state: TipState | None = None) -> Steps[list[tuple[Tip, TipState]]]:
    """List the tips with their states, in order; all, or those of one state."""
    rows = yield from all_of(at, "tips", {} if state is None else {"state": state.value})
    return [(practice_reading.tip(row), TipState(row["state"])) for row in rows]


def tip(at: At, tip_id: str) -> Steps[Tip]:
    """Give a tip. Raises UnknownItem."""
    return practice_reading.tip((yield from ask(Request("GET", at_space(at, "tips", tip_id)))).body)


def tip_history(at: At, tip_id: str) -> Steps[list[TipOp]]:
    """Give what was done to a tip and to those it was made from, oldest first. Raises UnknownItem."""
    reply = yield from ask(Request("GET", at_space(at, "tips", tip_id, "history")))
    return [practice_reading.op(row) for row in reply.body["ops"]]


def approve_tip(at: At, tip_id: str, *, reason: str) -> Steps[Commit]:
    """Approve a tip as a person. Raises UnknownItem, or UsageError where its state does not allow it."""
    return (yield from _decide(at, tip_id, "approve", {"reason": reason}))


def reject_tip(at: At, tip_id: str, *, reason: str) -> Steps[Commit]:
    """Reject a tip; it stays readable and is never delivered. Raises as `approve_tip`."""
    return (yield from _decide(at, tip_id, "reject", {"reason": reason}))


def withdraw_tip(at: At, tip_id: str, *, reason: str) -> Steps[Commit]:
    """Take a tip out of use from the next delivery on. Raises as `approve_tip`."""
    return (yield from _decide(at, tip_id, "withdraw", {"reason": reason}))


def restore_tip(at: At, tip_id: str, *, reason: str) -> Steps[Commit]:
    """Put a tip back into use. Raises as `approve_tip`."""
    return (yield from _decide(at, tip_id, "restore", {"reason": reason}))


def edit_tip(at: At, /, tip_id: str, *, reason: str, **changes: Any) -> Steps[Commit]:
    """Put an edited tip in the place of one; see `trajwiki.Space.edit_tip`."""
    plain = {name: list(value) if isinstance(value, tuple) else value for name, value in changes.items()}
    return (yield from _decide(at, tip_id, "edit", {"reason": reason, **plain}))


def merge_tips(at: At, tip_ids: Sequence[str], *, reason: str) -> Steps[Commit]:
    """Make one tip of several, in the words of the first; their sources are united. Raises as `approve_tip`."""
    body = {"tips": list(tip_ids), "reason": reason}
    return reading.commit((yield from write(at, ("tips", "merge"), body)))


def split_tip(at: At, tip_id: str, *, reason: str) -> Steps[Commit]:
    """Undo a merge: the tips it was made from stand for themselves again. Raises as `approve_tip`."""
    return (yield from _decide(at, tip_id, "split", {"reason": reason}))


def share_tip(at: At, tip_id: str, to: str, *, reason: str) -> Steps[Commit]:
    """Share a tip with another space that the key writes to; see `trajwiki.Space.share_tip`."""
    return (yield from _decide(at, tip_id, "share", {"to": to, "reason": reason}))


# Giving tips, and what comes of them


def guidelines(
    at: At,
    task: str,
    *,
    app: str | None = None,
    strategy: str = "cosine",
    top_k: int = TOP_K,
    budget: int = GUIDELINE_WORDS,
    core: int = 0,
) -> Steps[Delivery]:
    """Choose tips for a task and give the block for a prompt; see `trajwiki.Space.guidelines`."""
    body = {"task": task, "app": app, "strategy": strategy, "top_k": top_k, "budget": budget, "core": core}
    return practice_reading.delivery((yield from ask(Request("POST", at_space(at, "guidelines"), body=body))).body)


def deliveries(at: At) -> Steps[list[Delivery]]:
    """List what was delivered, oldest first."""
    return [practice_reading.delivery(row) for row in (yield from all_of(at, "deliveries"))]


def feedback(
    at: At,
    delivery_id: str,
    *,
    outcome: Outcome | str,
    followed: Sequence[str] = (),
    ignored: Sequence[str] = (),
) -> Steps[Feedback]:
    """Say what came of a delivery; see `trajwiki.Space.feedback`."""
    body = {"delivery_id": delivery_id, "outcome": outcome, "followed": list(followed), "ignored": list(ignored)}
    return practice_reading.feedback((yield from write(at, ("feedback",), body)))


def all_feedback(at: At) -> Steps[list[Feedback]]:
    """List the feedback, oldest first."""
    return [practice_reading.feedback(row) for row in (yield from all_of(at, "feedback"))]


def _decide(at: At, tip_id: str, verb: str, body: Payload) -> Steps[Commit]:
    return reading.commit((yield from write(at, ("tips", tip_id, verb), body)))


def _run(run: NewRun) -> Payload:
    names = ("task", "source_ref", "source", "app", "agent", "outcome_note", "task_ref", "parent_ref", "raw")
    row = {name: getattr(run, name) for name in names}
    row |= {"outcome": run.outcome.value, "outcome_by": run.outcome_by.value, "metadata": dict(run.metadata)}
    return row | {"steps": [_step(s) for s in run.steps]}


def _step(step: Step) -> Payload:
    return {name: value for name, value in step_json(step).items() if name != "number"}
