"""A trace's spans made into one run: calls of models and tools in the order of time, each message told once."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from trajwiki.domain.problems import Problem
from trajwiki.domain.runs import Step, StepKind
from trajwiki.errors import UnreadableInput
from trajwiki.readers.base import Json
from trajwiki.readers.fields import some_text
from trajwiki.readers.runs.chat import chatml
from trajwiki.readers.runs.parts import PartKind, parts_of
from trajwiki.readers.runs.react import is_react
from trajwiki.readers.runs.steps import arguments_of, plain_json
from trajwiki.readers.runs.turns import Turns

_SPACE: Final = re.compile(r"\s+")
_WRAPPED: Final = ("run", "agent_run", "invoke_agent", "agent", "create_agent")


@dataclass(frozen=True, slots=True)
class Span:
    """One span of a trace.

    Attributes:
        id: Of the span.
        parent: Of the span around it; empty at the top.
        kind: llm, tool, agent, or other.
        name: Of the tool or agent, else of the span.
        start: When it began, as a number that orders.
        end: When it ended.
        at: When it began, as a time.
        done: When it ended, as a time.
        given: Messages that went in.
        gave: Messages that came out.
        call: Of a tool: the id of the call.
        arguments: Of a tool.
        result: Of a tool: a text; None when it is not told.
        error: What it failed with; empty when it did not.
        tokens: (in, out).
        where: Pointer to the span in the record.
        into: Pointer below that to what went in.
        out: Pointer below that to what came out.
        rough: Its messages are bare texts, not told apart by roles.
    """

    id: str
    parent: str
    kind: str
    name: str
    start: float
    end: float
    at: datetime | None = None
    done: datetime | None = None
    given: Sequence[Json] = ()
    gave: Sequence[Json] = ()
    call: str | None = None
    arguments: Any = None
    result: str | None = None
    error: str = ""
    tokens: tuple[int, int] | None = None
    where: str = ""
    into: str = ""
    out: str = ""
    rough: bool = False


@dataclass(slots=True)
class _Event:
    """Something that becomes steps: a message, a call, a result or a failure."""

    time: float
    order: int
    row: Json | None
    span: Span
    agent: str
    at: datetime | None
    where: str
    what: str = "message"
    extra: dict[str, Any] = field(default_factory=dict)


def steps_of(spans: Sequence[Span], asked: str = "") -> tuple[tuple[Step, ...], str, list[Problem]]:
    """Give the steps of a trace, its task, and problems.

    Calls of models tell the conversation; as each repeats what went before, a message is taken the first time only.
    Where a framework wraps one call in another, the inner ones count, unless they hold no messages. Calls of tools that
    no model's messages tell are added from the tools' own spans.

    Args:
        spans: Of one trace, in any order.
        asked: What the trace says was asked, where no message says it.
    """
    by_id = {s.id: s for s in spans}
    ordered = sorted(spans, key=lambda s: (s.start, s.end))
    models = _models(ordered, by_id)
    told: Counter[str] = Counter()
    events = _model_events(models, by_id, told)
    around = [s for s in ordered if s.kind in ("agent", "other") and s not in models]
    events += _prompts(around, models, by_id, told, len(events))
    if not _acts_in_words(events):
        events += _tool_events([s for s in ordered if s.kind == "tool"], events, by_id)
    events += _last_words(around, events, by_id, told)
    events.sort(key=lambda e: (e.time, e.order))
    turns = Turns()
    if asked and not any(e.row is not None and e.row.get("role") == "user" for e in events):
        turns.add({"role": "user", "content": asked}, "", "the trace")
    for event in events:
        _add(turns, event)
    return turns.steps.finish(), asked or turns.task, turns.problems


def _acts_in_words(events: Sequence[_Event]) -> bool:
    """Whether the agent names its tools in its words, so that the tools' spans would tell them again."""
    rows = [e.row for e in events if e.row is not None and e.row.get("role") in ("assistant", "model")]
    return any(is_react(str(form["content"])) for row in rows for form in chatml(row))


def _models(spans: Sequence[Span], by_id: dict[str, Span]) -> list[Span]:
    """Give the spans whose messages tell the run: the innermost calls of models with some, else what is around them."""
    llm = [s for s in spans if s.kind == "llm" and (s.given or s.gave or s.error)]
    if not any(s.given or s.gave for s in llm):
        others = [s for s in spans if s.kind in ("agent", "other") and (s.given or s.gave)]
        if not others:
            return llm
        best = max(others, key=lambda s: (len(s.given) + len(s.gave), -s.start))
        return [best]
    fine = {s.id for s in llm if (s.given or s.gave) and not s.rough}
    wrapping = {a.id for s in llm if s.id in fine for a in _above(s, by_id) if a.kind == "llm"}
    inside = {s.id for s in llm if s.rough and any(a.id in fine for a in _above(s, by_id))}
    return [s for s in llm if s.id not in wrapping | inside]


def _above(span: Span, by_id: dict[str, Span]) -> list[Span]:
    found: list[Span] = []
    seen = {span.id}
    while span.parent in by_id and span.parent not in seen:
        span = by_id[span.parent]
        seen.add(span.id)
        found.append(span)
    return found


def agent_of(span: Span, by_id: dict[str, Span]) -> str:
    """Give the name of the agent that a span belongs to."""
    for around in (span, *_above(span, by_id)):
        if around.kind == "agent" and around.name:
            return around.name
    return "assistant"


def _prompts(
    around: Sequence[Span], models: Sequence[Span], by_id: dict[str, Span], told: Counter[str], order: int
) -> list[_Event]:
    """Give the instructions that only the spans around the models' calls tell."""
    used = {a.id for s in models for a in _above(s, by_id)}
    found: list[_Event] = []
    for span in (s for s in around if s.id in used):
        for row in span.given:
            if row.get("role") in ("system", "developer") and not told[(mark := fingerprint(row))]:
                told[mark] += 1
                where = span.where + span.into
                found.append(_Event(span.start, order - 10**9, row, span, agent_of(span, by_id), span.at, where))
    return found


def _last_words(
    around: Sequence[Span], events: Sequence[_Event], by_id: dict[str, Span], told: Counter[str]
) -> list[_Event]:
    """Give the answer that only a span around the models' calls tells, where theirs is missing."""
    said = [str(chatml(e.row)[-1]["content"]) for e in events if e.row is not None and e.row.get("role") != "user"]
    for span in sorted(around, key=lambda s: -s.end):
        last = span.gave[-1] if span.gave else None
        if last is None or last.get("role") not in ("assistant", "model", "ai") or told[fingerprint(last)]:
            continue
        words = str(chatml(last)[-1]["content"]).strip()
        if not words or any(words in s for s in said):
            return []
        end = max([span.end, *(e.time for e in events)])
        return [_Event(end, 10**9, last, span, agent_of(span, by_id), span.done, span.where + span.out)]
    return []


def _model_events(models: Sequence[Span], by_id: dict[str, Span], told: Counter[str]) -> list[_Event]:
    events: list[_Event] = []
    moments = sorted(
        [(s.start, 0, s) for s in models] + [(s.end, 1, s) for s in models], key=lambda m: (m[0], m[1], m[2].start)
    )
    for time, side, span in moments:
        agent = agent_of(span, by_id)
        here: Counter[str] = Counter()
        for row in span.gave if side else span.given:
            print_ = fingerprint(row)
            here[print_] += 1
            if not side and here[print_] <= told[print_]:
                continue
            told[print_] += 1
            where = span.where + (span.out if side else span.into)
            held = {**row, "usage": None}
            if side and span.tokens and here.total() == 1:
                held["usage"] = {"input_tokens": span.tokens[0], "output_tokens": span.tokens[1]}
            events.append(_Event(time, len(events), held, span, agent, span.done if side else span.at, where))
        if side and span.error and not span.gave:
            events.append(_Event(time, len(events), None, span, agent, span.done, span.where, "failure"))
    return events


def fingerprint(row: Json) -> str:
    """Give what makes a message the same when it is told again: role, words, calls."""
    return "\1".join(_print(form) for form in chatml(row))


def _print(form: Json) -> str:
    role = {"model": "assistant", "developer": "system", "function": "tool"}.get(form["role"], form["role"])
    words = _SPACE.sub(" ", form["content"]).strip()
    if role == "tool" and form.get("tool_call_id"):
        return f"tool\0{form['tool_call_id']}"
    calls = [(c["name"], plain_json(arguments_of(c["arguments"]))) for c in form.get("tool_calls", ())]
    return f"{role}\0{words}\0{calls}"


def _tool_events(tools: Sequence[Span], events: Sequence[_Event], by_id: dict[str, Span]) -> list[_Event]:
    """Give what the spans of tools tell beyond the messages: calls that are not in them, and results."""
    calls: Counter[str] = Counter()
    results: Counter[str] = Counter()
    ids: dict[str, int] = {}
    answered: set[str] = set()
    for event in events:
        for part in _parts(event.row):
            if part[0] is PartKind.CALL:
                calls[_key(part[1])] += 1
                if part[2]:
                    ids[part[2]] = 1
            elif part[0] is PartKind.RESULT:
                results[_key(part[1])] += 1
                if part[2]:
                    answered.add(part[2])
    unnamed = results[""]  # results whose tool is not told
    found: list[_Event] = []
    for span in tools:
        agent = agent_of(span, by_id)
        key = _key(span.name)
        known = span.call in ids if span.call and ids else calls[key] > 0
        calls[key] -= 1 if known else 0
        told = span.call in answered or results[key] > 0 or unnamed > 0
        if told and known:
            results[key], unnamed = (results[key] - 1, unnamed) if results[key] > 0 else (0, max(0, unnamed - 1))
            continue
        order = len(events) + len(found)
        if not known:
            found.append(_Event(span.start, order, None, span, agent, span.at, span.where, "call"))
        if span.result is not None or span.error:
            where = span.where + span.out
            found.append(_Event(span.end, order + 1, None, span, agent, span.done, where, "result"))
    return found


def _parts(row: Json | None) -> list[tuple[PartKind, str, str | None]]:
    if row is None:
        return []
    try:
        found = [(p.kind, p.name or "", p.id) for p in parts_of(row, "")]
    except UnreadableInput:
        return []
    told = any(k in (PartKind.RESULT, PartKind.CALL) for k, _, _ in found)
    if row.get("role") in ("tool", "function") and not told:
        found.append((PartKind.RESULT, some_text(row, "name") or "", some_text(row, "tool_call_id")))
    return found


def _key(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _add(turns: Turns, event: _Event) -> None:
    span = event.span
    if event.row is not None:
        turns.add({"agent": event.agent, **event.row}, event.where, f"span {span.id}", at=event.at, exact=False)
    elif event.what == "call":
        turns.steps.call(
            span.name,
            span.arguments,
            id=span.call or span.id,
            agent=event.agent,
            at=event.at,
            where=span.where + span.into,
        )
    elif event.what == "result":
        text = span.result if span.result is not None and not (span.error and not span.result) else span.error
        flag = True if span.error else None
        turns.steps.result(text, id=span.call or span.id, tool=span.name, flag=flag, at=event.at, where=event.where)
    else:
        turns.steps.add(StepKind.ERROR, span.error, agent=event.agent, at=event.at, where=event.where)


def agent_name(name: str) -> str:
    """Give an agent's name without what a framework writes around it: ``invoke_agent x``, ``agent_run [x]``."""
    words = name.strip()
    bracket = re.search(r"\[([^\[\]]{1,100})\]\Z", words)
    if bracket:
        return bracket[1]
    for wrap in _WRAPPED:
        if words.lower().startswith(wrap + " "):
            return words[len(wrap) + 1 :].strip() or words
    return words.removesuffix(" run").removesuffix(".run") or words
