"""Langfuse's export of a trace: observations whose inputs and outputs are JSON in text, sometimes twice."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from trajwiki.domain.runs import NewRun, Outcome, OutcomeBy
from trajwiki.readers import clock, jsontext
from trajwiki.readers.base import Confidence, Head, Json, Options
from trajwiki.readers.fields import an_object, some_list, some_object, some_text
from trajwiki.readers.files import Source
from trajwiki.readers.runs import attributes as attrs
from trajwiki.readers.runs.base import RunEvent, RunFormat, Skipped
from trajwiki.readers.runs.chat import chatml, decoded, messages_in
from trajwiki.readers.runs.outcomes import UNKNOWN, Ending, of_reward
from trajwiki.readers.runs.parts import text_of
from trajwiki.readers.runs.spans import Span, agent_name, steps_of
from trajwiki.readers.runs.steps import plain_json

_KINDS: Final = {"GENERATION": "llm", "TOOL": "tool", "AGENT": "agent", "EMBEDDING": "other"}
_JUDGED: Final = (
    "reward",
    "success",
    "resolved",
    "task_success",
    "task_completion",
    "correctness",
    "passed",
    "is_correct",
)


def detect(head: Head) -> Confidence:
    """An object with a trace and its observations, or a trace that holds them."""
    row = head.first
    trace = some_object(row, "trace") or row
    rows = some_list(row, "observations") or some_list(trace, "observations")
    held = next((o for o in rows if isinstance(o, dict)), {})
    ours = {"type", "startTime"} <= set(held) and ("traceId" in held or "parentObservationId" in held)
    named = "observations" in row or "observations" in trace or "projectId" in trace
    if ours or (named and "trace" in row and "projectId" in trace):
        return Confidence.SURE
    loose = {"traceId", "startTime", "type"} <= set(row) and "parentObservationId" in row
    return Confidence.SURE if loose else Confidence.NO


def read(source: Source, options: Options) -> Iterator[RunEvent]:
    """Give one run a trace."""
    loose: dict[str, list[tuple[int, Json]]] = {}
    number = 0
    for place, value in jsontext.values(source):
        row = an_object(value, place, "a trace")
        if "traceId" in row and "observations" not in row:  # a list of observations
            loose.setdefault(str(row["traceId"]), []).append((number, row))
            number += 1
            continue
        trace = some_object(row, "trace") or row
        pointer, rows = _observations(row)
        named = [(f"{pointer}/{i}", o) for i, o in enumerate(rows) if isinstance(o, dict)]
        yield from _run(trace, named, row, place)
    for ref, held in loose.items():
        yield from _run({"id": ref}, [(f"/{i}", o) for i, (_, o) in enumerate(held)], [o for _, o in held], source.name)


def _asked(trace: Json) -> str:
    """Give what the trace itself says was asked."""
    value = decoded(trace.get("input"))
    if isinstance(value, str):
        return value
    forms = [f for m in messages_in(value) for f in chatml(m) if f["role"] == "user"]
    return str(forms[0]["content"]) if forms else ""


def _observations(row: Json) -> tuple[str, list[Any]]:
    """Give the observations with inputs and outputs: beside the trace, else in it."""
    for pointer, holder in (("/observations", row), ("/trace/observations", some_object(row, "trace"))):
        value = holder.get("observations")
        if isinstance(value, dict):
            return pointer, list(value.values())
        if isinstance(value, list) and any(isinstance(o, dict) for o in value):
            return pointer, value
    return "/observations", []


def _run(trace: Json, rows: list[tuple[str, Json]], record: Any, place: str) -> Iterator[RunEvent]:
    spans = [span_of(o, pointer) for pointer, o in rows]
    steps, task, problems = steps_of(spans, _asked(trace))
    yield from problems
    if not steps:
        yield Skipped("trace without messages", place)
        return
    outcome, by, note = _ending(trace, spans)
    kept = {k: trace[k] for k in ("userId", "sessionId", "tags", "release", "version", "scores") if trace.get(k)}
    agents = [s.name for s in sorted(spans, key=lambda s: s.start) if s.kind == "agent"]
    yield NewRun(
        source_ref=some_text(trace, "id") or "",
        source="langfuse",
        task=task,
        steps=steps,
        agent=agents[0] if agents else None,
        outcome=outcome,
        outcome_by=by,
        outcome_note=note,
        metadata={"name": trace.get("name"), **kept} if trace.get("name") else kept,
        raw=plain_json(record),
    )


def span_of(row: Json, pointer: str) -> Span:
    """Give an observation as a span."""
    metadata = decoded(row.get("metadata"))
    metadata = metadata if isinstance(metadata, dict) else {}
    held = decoded(metadata.get("attributes"))
    held = held if isinstance(held, dict) else {}
    type_ = str(row.get("type", "SPAN")).upper()
    kind = _KINDS.get(type_, "other")
    inference = str(held.get("openinference.span.kind", "")).upper()
    if kind == "other" and (inference == "TOOL" or "gen_ai.tool.name" in held):
        kind = "tool"
    if kind == "other" and inference == "AGENT":
        kind = "agent"
    given = given_in(row, held)
    gave = gave_in(row, held)
    rough = kind == "llm" and not given and not gave
    if rough:
        given, gave = given or _plain(row.get("input"), "user"), gave or _plain(row.get("output"), "assistant")
    start, end = clock.parse(row.get("startTime")), clock.parse(row.get("endTime"))
    began = start.timestamp() if start else 0.0
    name = some_text(row, "name") or type_.lower()
    if kind == "tool":
        name = some_text(held, "gen_ai.tool.name", "tool.name", "ai.toolCall.name") or name.removeprefix(
            "execute_tool "
        )
    elif kind == "agent":
        name = some_text(held, "gen_ai.agent.name", "agent.name", "agent_name") or agent_name(name)
    failed = row.get("level") == "ERROR"
    return Span(
        id=some_text(row, "id") or pointer,
        parent=some_text(row, "parentObservationId") or "",
        kind=kind,
        name=name,
        start=began,
        end=end.timestamp() if end else began,
        at=start,
        done=end or start,
        given=given,
        gave=gave,
        call=some_text(held, "gen_ai.tool.call.id", "ai.toolCall.id", "tool_call.id", "tool.id"),
        arguments=decoded(row.get("input")) if kind == "tool" else None,
        result=_result(row, gave) if kind == "tool" else None,
        error=(some_text(row, "statusMessage") or "failed") if failed else "",
        tokens=_tokens(row),
        where=pointer,
        into="/input",
        out="/output",
        rough=rough,
    )


def given_in(row: Json, held: Json) -> list[Json]:
    """Give the messages that went into an observation, from its input, else from its attributes."""
    return messages_in(row.get("input")) or attrs.messages(held, "input")


def gave_in(row: Json, held: Json) -> list[Json]:
    """Give the messages that came out of an observation, from its output, else from its attributes."""
    return messages_in(row.get("output"), answer=True) or attrs.messages(held, "output")


def chatml_of(record: Json) -> dict[str, dict[str, list[Json]]]:
    """Give the messages of each observation of a trace, by its id, as ``input`` and ``output``.

    Every message has role and content, and name, tool_calls (id, name, arguments as text) and tool_call_id
    where they are told. An observation without messages on a side has an empty list there.
    """
    found: dict[str, dict[str, list[Json]]] = {}
    for row in (o for o in _observations(record)[1] if isinstance(o, dict)):
        given, gave = messages_in(row.get("input")), messages_in(row.get("output"), answer=True)
        found[str(row.get("id"))] = {"input": _forms(given), "output": _forms(gave)}
    return found


def _forms(rows: list[Json]) -> list[Json]:
    return [form for row in rows for form in chatml(row)]


def _plain(value: Any, role: str) -> list[Json]:
    """Take a bare text of a model's call for a message."""
    value = decoded(value)
    return [{"role": role, "content": value}] if isinstance(value, str) and value.strip() not in ("", "None") else []


def _result(row: Json, gave: list[Json]) -> str | None:
    if gave and gave[0].get("role") == "tool":
        return str(chatml(gave[0])[0]["content"])
    value = decoded(row.get("output"))
    return None if value is None else text_of(value)


def _tokens(row: Json) -> tuple[int, int] | None:
    usage = some_object(row, "usageDetails") or some_object(row, "usage")
    given, made = usage.get("input", row.get("inputUsage")), usage.get("output", row.get("outputUsage"))
    if not isinstance(given, int) and not isinstance(made, int):
        return None
    counts = (given if isinstance(given, int) else 0, made if isinstance(made, int) else 0)
    return counts if any(counts) else None


def _ending(trace: Json, spans: list[Span]) -> Ending:
    for score in (s for s in some_list(trace, "scores") if isinstance(s, dict)):
        if str(score.get("name", "")).lower() in _JUDGED:
            ending = of_reward(score.get("value"), str(score["name"]))
            if ending != UNKNOWN:
                return ending
    ids = {s.id for s in spans}
    top = [s for s in spans if s.parent not in ids]
    if any(s.error for s in top):
        return Outcome.FAILURE, OutcomeBy.ENVIRONMENT, next(s.error for s in top if s.error)[:500]
    return UNKNOWN


FORMAT: Final = RunFormat(
    name="langfuse",
    title="Langfuse trace exports",
    extensions=(".json",),
    keeps="messages of every call of a model, each once; calls of tools with their results; agents, usage, times, "
    "errors; scores that judge the task as the outcome",
    drops="tool definitions, costs, spans that hold no messages",
    detect=detect,
    read=read,
)
