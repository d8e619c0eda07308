"""Our own JSON for runs: the fields of a run as they are, read strictly and written exactly."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any, Final

from trajwiki.domain.problems import Problem
from trajwiki.domain.runs import NewRun, Outcome, OutcomeBy, Run, Step, StepKind
from trajwiki.errors import UnreadableInput
from trajwiki.readers import clock, jsontext
from trajwiki.readers.base import Confidence, Head, Json, Options
from trajwiki.readers.fields import a_list, a_text, an_object, kind, short
from trajwiki.readers.files import Source
from trajwiki.readers.runs.base import MALFORMED, RunEvent, RunFormat, Skipped
from trajwiki.readers.runs.steps import plain_json

SCHEMA: Final = "trajwiki.run/1"
_RUN_KEYS: Final = ("schema", "source_ref", "source", "task", "steps", "app", "agent", "outcome", "outcome_by",
                    "outcome_note", "task_ref", "parent_ref", "metadata", "raw", "id", "ordinal")  # fmt: skip
_STEP_KEYS: Final = ("number", "kind", "text", "agent", "tool", "arguments", "answers", "at", "tokens", "where")


def detect(head: Head) -> Confidence:
    """Objects of our schema, or with steps of our kinds."""
    row = head.first
    if row.get("schema") == SCHEMA:
        return Confidence.SURE
    steps = row.get("steps")
    first = steps[0] if isinstance(steps, list) and steps and isinstance(steps[0], dict) else {}
    ours = first.get("kind") in [k.value for k in StepKind] and isinstance(first.get("text"), str)
    return Confidence.SURE if ours else Confidence.NO


def read(source: Source, options: Options) -> Iterator[RunEvent]:
    """Give the run of each object: one, a list of them, or one a line."""
    for place, value in jsontext.values(source):
        row = an_object(value, place, "a JSON object: one run")
        for key in row:
            if key not in _RUN_KEYS:
                raise UnreadableInput(f"{place}: unknown key {short(key)}. Known are {', '.join(_RUN_KEYS)}")
        steps: list[Step] = []
        for i, item in enumerate(a_list(row.get("steps"), place, "a list of steps in 'steps'")):
            where = f"{place}, step {i + 1}"
            try:
                steps.append(_step(an_object(item, where, "a step"), i + 1, where))
            except UnreadableInput as error:
                yield Problem(MALFORMED, str(error), where)
        if not steps:
            yield Skipped("run without steps", place)
            continue
        yield NewRun(
            source_ref=_text(row, "source_ref", place) or "",
            source=_text(row, "source", place) or "trajwiki",
            task=a_text(row, "task", place),
            steps=tuple(steps),
            app=_text(row, "app", place),
            agent=_text(row, "agent", place),
            outcome=_one_of(Outcome, row.get("outcome", "unknown"), "outcome", place),
            outcome_by=_one_of(OutcomeBy, row.get("outcome_by", "nobody"), "outcome_by", place),
            outcome_note=_text(row, "outcome_note", place) or "",
            task_ref=_text(row, "task_ref", place),
            parent_ref=_text(row, "parent_ref", place),
            metadata=an_object(row.get("metadata", {}), place, "an object in 'metadata'"),
            raw=_text(row, "raw", place) or plain_json(row),
        )


def run_to_json(run: NewRun | Run) -> dict[str, Any]:
    """Write a run so that `read` gives it back; what is empty is left out."""
    row: Json = {"schema": SCHEMA, "source_ref": run.source_ref, "source": run.source, "task": run.task}
    optional = {
        "app": run.app, "agent": run.agent, "outcome_note": run.outcome_note, "task_ref": run.task_ref,
        "parent_ref": run.parent_ref, "metadata": dict(run.metadata), "raw": getattr(run, "raw", ""),
    }  # fmt: skip
    row |= {"outcome": run.outcome.value, "outcome_by": run.outcome_by.value}
    row |= {key: value for key, value in optional.items() if value}
    row["steps"] = [_step_to_json(step) for step in run.steps]
    return row


def _step_to_json(step: Step) -> Json:
    row: Json = {"number": step.number, "kind": step.kind.value, "text": step.text}
    optional = {
        "agent": step.agent, "tool": step.tool, "arguments": dict(step.arguments), "answers": step.answers,
        "at": step.at.isoformat() if step.at else None, "tokens": list(step.tokens) if step.tokens else None,
        "where": step.where,
    }  # fmt: skip
    return row | {key: value for key, value in optional.items() if value not in (None, "", {})}


def _step(row: Json, number: int, where: str) -> Step:
    for key in row:
        if key not in _STEP_KEYS:
            raise UnreadableInput(f"{where}: unknown key {short(key)}. Known are {', '.join(_STEP_KEYS)}")
    answers, at, given = row.get("answers"), row.get("at"), row.get("number", number)
    if not isinstance(given, int) or isinstance(given, bool):
        raise UnreadableInput(f"{where}: expected a number in 'number', found {kind(given)}")
    if answers is not None and (not isinstance(answers, int) or not 1 <= answers < given):
        raise UnreadableInput(f"{where}: expected the number of a step before it in 'answers', found {short(answers)}")
    return Step(
        number=given,
        kind=_one_of(StepKind, row.get("kind"), "kind", where),
        text=a_text(row, "text", where),
        agent=_text(row, "agent", where) or "",
        tool=_text(row, "tool", where),
        arguments=an_object(row.get("arguments", {}), where, "an object in 'arguments'"),
        answers=answers,
        at=_moment(at, where),
        tokens=_tokens(row.get("tokens"), where),
        where=_text(row, "where", where) or f"/steps/{number - 1}",
    )


def _moment(value: Any, where: str) -> datetime | None:
    if value is None:
        return None
    moment = clock.parse(value)
    if moment is None:
        raise UnreadableInput(
            f"{where}: expected a time such as 2023-05-08T13:56:00+01:00 in 'at', found {short(value)}"
        )
    return moment


def _tokens(value: Any, where: str) -> tuple[int, int] | None:
    if value is None:
        return None
    whole = isinstance(value, list) and len(value) == 2 and all(isinstance(v, int) and v >= 0 for v in value)
    if not whole:
        raise UnreadableInput(f"{where}: expected two numbers, in and out, in 'tokens', found {kind(value)}")
    return value[0], value[1]


def _text(row: Json, key: str, where: str) -> str | None:
    return None if row.get(key) is None else a_text(row, key, where)


def _one_of(choices: Any, value: Any, key: str, where: str) -> Any:
    try:
        return choices(value)
    except ValueError:
        known = ", ".join(c.value for c in choices)
        raise UnreadableInput(f"{where}: expected one of {known} in {key!r}, found {short(value)}") from None


FORMAT: Final = RunFormat(
    name="trajwiki-run",
    title="trajwiki run JSON",
    extensions=(".json", ".jsonl"),
    keeps="everything; it is read strictly and an unknown key is an error",
    drops="nothing",
    detect=detect,
    read=read,
)
