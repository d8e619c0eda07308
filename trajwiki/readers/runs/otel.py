"""OpenTelemetry spans as OTLP/JSON or as SDKs print them, with GenAI's or OpenInference's attributes."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any, Final

from trajwiki.domain.problems import Problem
from trajwiki.domain.runs import NewRun, Outcome, OutcomeBy
from trajwiki.errors import UnreadableInput
from trajwiki.readers import clock, jsontext
from trajwiki.readers.base import Confidence, Head, Json, Options
from trajwiki.readers.fields import an_object, some_list, some_object, some_text
from trajwiki.readers.files import Source
from trajwiki.readers.runs import attributes as attrs
from trajwiki.readers.runs.base import MALFORMED, RunEvent, RunFormat, Skipped
from trajwiki.readers.runs.chat import decoded
from trajwiki.readers.runs.outcomes import UNKNOWN, Ending
from trajwiki.readers.runs.parts import text_of
from trajwiki.readers.runs.spans import Span, agent_name, steps_of
from trajwiki.readers.runs.steps import plain_json

_MODEL: Final = ("chat", "text_completion", "generate_content", "completion", "messages", "responses")
_KINDS: Final = {"LLM": "llm", "TOOL": "tool", "AGENT": "agent"}


def detect(head: Head) -> Confidence:
    """OTLP's resourceSpans, or spans with trace and span ids and attributes."""
    row = head.first
    if any(k in row for k in ("resourceSpans", "resource_spans")):
        return Confidence.SURE
    return Confidence.SURE if _is_span(row) or any(_is_span(r) for r in _inside(row)[:1]) else Confidence.NO


def _inside(row: Json) -> list[Json]:
    """Give the spans that an object holds as a plain list."""
    rows = some_list(row, "spans") or some_list(some_object(row, "data"), "spans")
    return [r for r in rows if isinstance(r, dict)]


def _is_span(row: Any) -> bool:
    if not isinstance(row, dict) or "attributes" not in row or "observations" in row:
        return False
    ids = {"spanId", "span_id", "traceId", "trace_id"} & set(row) or "trace_id" in some_object(row, "context")
    return bool(ids)


def read(source: Source, options: Options) -> Iterator[RunEvent]:
    """Give one run a trace, in the order in which traces first show."""
    traces: dict[str, list[Span]] = {}
    records: dict[str, list[Any]] = {}
    for place, value in jsontext.values(source):
        for number, (row, resource) in enumerate(_spans(an_object(value, place, "spans"), place), start=1):
            where = f"{place}, span {number}"
            try:
                trace = _trace_id(row, where)
                held = records.setdefault(trace, [])
                traces.setdefault(trace, []).append(_span(row, resource, f"/{len(held)}", where))
                held.append(row)
            except UnreadableInput as error:
                yield Problem(MALFORMED, str(error), where)
    for trace, spans in traces.items():
        steps, task, problems = steps_of(spans)
        yield from problems
        if not steps:
            yield Skipped("trace without messages", f"{source.name}: trace {trace}")
            continue
        outcome, by, note = _ending(spans)
        agents = [s.name for s in sorted(spans, key=lambda s: s.start) if s.kind == "agent"]
        yield NewRun(
            source_ref=trace,
            source="otel",
            task=task,
            steps=steps,
            agent=agents[0] if agents else None,
            outcome=outcome,
            outcome_by=by,
            outcome_note=note,
            raw=plain_json(records[trace]),
        )


def _spans(value: Json, place: str) -> Iterator[tuple[Json, Json]]:
    """Give each span with the attributes of its resource."""
    resources = value.get("resourceSpans", value.get("resource_spans"))
    if resources is None:
        rows = _inside(value) or [value]
        if not _is_span(rows[0]):
            raise UnreadableInput(
                f"{place}: expected 'resourceSpans' or a span, found keys {sorted(map(str, value))[:12]}"
            )
        yield from ((row, some_object(row, "resource")) for row in rows)
        return
    for held in resources if isinstance(resources, list) else []:
        if not isinstance(held, dict):
            continue
        resource = attrs.pairs(some_object(held, "resource").get("attributes"))
        scopes = some_list(held, "scopeSpans") or some_list(held, "scope_spans")
        scopes = scopes or some_list(held, "instrumentationLibrarySpans")
        for scope in (s for s in scopes if isinstance(s, dict)):
            yield from ((row, resource) for row in some_list(scope, "spans") if isinstance(row, dict))


def _trace_id(row: Json, where: str) -> str:
    found = some_text(row, "traceId", "trace_id") or some_text(some_object(row, "context"), "trace_id", "traceId")
    if found is None:
        raise UnreadableInput(f"{where}: expected a trace id in the span")
    return found


def _span(row: Json, resource: Json, pointer: str, where: str) -> Span:
    held = attrs.pairs(row.get("attributes"))
    context = some_object(row, "context")
    given, gave = attrs.messages(held, "input"), attrs.messages(held, "output")
    for event in (e for e in some_list(row, "events") if isinstance(e, dict)):
        inside = attrs.pairs(event.get("attributes"))
        name = some_text(event, "name") or ""
        if name == "gen_ai.client.inference.operation.details":
            given, gave = given or attrs.messages(inside, "input"), gave or attrs.messages(inside, "output")
        elif (told := attrs.event_message(name, inside)) is not None:
            (gave if told[0] == "output" else given).append(told[1])
    name = some_text(row, "name") or ""
    kind = _kind(held, name, bool(given or gave))
    start, end = (_moment(row, *keys) for keys in (_STARTS, _ENDS))
    began = _order(row, *_STARTS)
    if kind == "tool":
        name = _tool(held, name)
    elif kind == "agent":
        name = some_text(held, "gen_ai.agent.name", "agent.name", "graph.node.id") or agent_name(name)
    return Span(
        id=some_text(row, "spanId", "span_id") or some_text(context, "span_id") or pointer,
        parent=some_text(row, "parentSpanId", "parent_span_id", "parent_id", "parentId") or "",
        kind=kind,
        name=name,
        start=began,
        end=max(began, _order(row, *_ENDS)),
        at=start,
        done=end or start,
        given=given,
        gave=gave,
        call=some_text(held, "gen_ai.tool.call.id", "tool_call.id", "ai.toolCall.id"),
        arguments=_first(held, *_ARGUMENTS) if kind == "tool" else None,
        result=_result(held) if kind == "tool" else None,
        error=_error(row, held),
        tokens=_tokens(held),
        where=pointer,
        into="/attributes",
        out="/attributes",
    )


_STARTS: Final = ("startTimeUnixNano", "start_time_unix_nano", "start_time", "startTime", "start")
_ENDS: Final = ("endTimeUnixNano", "end_time_unix_nano", "end_time", "endTime", "end")
_ARGUMENTS: Final = ("gen_ai.tool.call.arguments", "tool_arguments", "tool.parameters", "ai.toolCall.args",
                     "input.value", "gen_ai.tool.arguments", "traceloop.entity.input",
                     "gcp.vertex.agent.tool_call_args", "tool.arguments")  # fmt: skip
_RESULTS: Final = ("gen_ai.tool.call.result", "tool_response", "ai.toolCall.result", "output.value",
                   "gen_ai.tool.result", "traceloop.entity.output", "gcp.vertex.agent.tool_response", "tool.output",
                   "tool.result")  # fmt: skip


def _kind(held: Json, name: str, talks: bool) -> str:
    inference = str(held.get("openinference.span.kind", held.get("traceloop.span.kind", ""))).upper()
    if inference in _KINDS:
        return _KINDS[inference]
    operation = str(held.get("gen_ai.operation.name", ""))
    if operation in _MODEL:
        return "llm"
    if operation == "execute_tool" or "gen_ai.tool.name" in held or "ai.toolCall.name" in held:
        return "tool"
    if operation in ("invoke_agent", "create_agent", "agent"):
        return "agent"
    if (
        not inference
        and talks
        and ("gen_ai.request.model" in held or "llm.model_name" in held or "ai.model.id" in held)
    ):
        return "llm"
    return "other"


def _tool(held: Json, name: str) -> str:
    named = some_text(held, "gen_ai.tool.name", "tool.name", "ai.toolCall.name", "traceloop.entity.name")
    return named or name.removeprefix("execute_tool ").removesuffix(".tool")


def _first(held: Json, *keys: str) -> Any:
    return next((decoded(held[k]) for k in keys if held.get(k) not in (None, "")), None)


def _result(held: Json) -> str | None:
    value = next((held[k] for k in _RESULTS if held.get(k) is not None), None)
    return None if value is None else value if isinstance(value, str) else text_of(value)


def _error(row: Json, held: Json) -> str:
    status = some_object(row, "status")
    code = str(status.get("code", status.get("status_code", "")))
    failed = code in ("2", "STATUS_CODE_ERROR", "ERROR", "StatusCode.ERROR")
    for event in (e for e in some_list(row, "events") if isinstance(e, dict)):
        inside = attrs.pairs(event.get("attributes"))
        if event.get("name") == "exception" and failed:
            kind, said = some_text(inside, "exception.type") or "error", some_text(inside, "exception.message")
            return f"{kind}: {said}" if said else kind
    told = some_text(status, "message", "description") or some_text(held, "error.type", "error.message")
    return (told or "failed") if failed else ""


def _tokens(held: Json) -> tuple[int, int] | None:
    given = _first(held, "gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "llm.token_count.prompt",
                   "ai.usage.promptTokens", "ai.usage.inputTokens")  # fmt: skip
    made = _first(held, "gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens", "llm.token_count.completion",
                  "ai.usage.completionTokens", "ai.usage.outputTokens")  # fmt: skip
    counts = [int(v) if isinstance(v, int | float) and 0 <= v < 1e12 else None for v in (given, made)]
    return None if counts == [None, None] else (counts[0] or 0, counts[1] or 0)


def _order(row: Json, *keys: str) -> float:
    """Give a time as a number that orders; nanoseconds are kept apart as far as floats can."""
    for key in keys:
        value = row.get(key)
        if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 25:
            value = int(value)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return value / 1e9 if value > 1e17 else float(value) if abs(value) < 1e300 else 0.0
        if (moment := clock.parse(value)) is not None:
            return moment.timestamp() if moment.tzinfo else 0.0
    return 0.0


def _moment(row: Json, *keys: str) -> datetime | None:
    for key in keys:
        value = row.get(key)
        if isinstance(value, str) and value.isascii() and value.isdigit() and 17 < len(value) < 21:
            return clock.from_number(int(value) / 1e9)
        if isinstance(value, int) and not isinstance(value, bool) and 1e17 < value < 1e20:
            return clock.from_number(value / 1e9)
        if (moment := clock.parse(value)) is not None:
            return moment
    return None


def _ending(spans: list[Span]) -> Ending:
    ids = {s.id for s in spans}
    failed = next((s.error for s in spans if s.parent not in ids and s.error), "")
    return (Outcome.FAILURE, OutcomeBy.ENVIRONMENT, failed[:500]) if failed else UNKNOWN


FORMAT: Final = RunFormat(
    name="otel",
    title="OpenTelemetry spans (GenAI, OpenInference)",
    extensions=(".json", ".jsonl"),
    keeps="messages of every call of a model, each once, from attributes or events; calls of tools with their results; "
    "agents, usage, times, exceptions; a failed top span as the outcome",
    drops="tool definitions, spans that hold no messages, resources",
    detect=detect,
    read=read,
)
