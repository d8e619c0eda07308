"""Codex sessions: JSON lines, a head and then the items of the conversation."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final

from trajwiki.domain.messages import NewMessage, Role
from trajwiki.domain.problems import Problem
from trajwiki.readers import jsontext
from trajwiki.readers.assistants import Content, call_of, content_of, say
from trajwiki.readers.base import Confidence, Event, Head, Json, Options, ReaderFormat, Skipped
from trajwiki.readers.fields import a_role, an_object, some_object, some_text, timed
from trajwiki.readers.files import Source

_ENVELOPES: Final = ("session_meta", "response_item", "event_msg", "turn_context", "compacted")
_OUTPUTS: Final = ("function_call_output", "custom_tool_call_output")
_CALLS: Final = ("function_call", "custom_tool_call", "local_shell_call", "web_search_call")
_INJECTED: Final = re.compile(
    r"\s*(?:<(?:environment_context|user_instructions|INSTRUCTIONS|turn_aborted|user_shell_command|permissions)\b|"
    r"# AGENTS\.md instructions)"
)


def detect(head: Head) -> Confidence:
    """Lines with an envelope type and a payload; or, before 2025-09, a head with id and instructions."""
    first = head.first
    if first.get("type") in _ENVELOPES and isinstance(first.get("payload"), dict):
        return Confidence.SURE
    old = {"id", "timestamp"} <= set(first) and ("instructions" in first or "git" in first) and "role" not in first
    items = [row for row in head.objects[1:20] if row.get("type") == "message" and isinstance(row.get("content"), list)]
    return Confidence.SURE if old and items else Confidence.NO


def read(source: Source, options: Options) -> Iterator[Event]:
    """Give the messages of the session in order."""
    session = source.stem
    seen: set[str] = set()
    tools: dict[str, str] = {}
    for where, value in jsontext.lines(source):
        row = an_object(value, where, "a JSON object")
        payload = some_object(row, "payload") or row
        if row.get("type") == "session_meta" or ("type" not in row and "id" in row):
            session = some_text(payload, "id") or session
            yield Skipped("event", where)
            continue
        if row.get("type") in _ENVELOPES and row.get("type") != "response_item":
            yield Skipped("event", where)  # event_msg tells again what a response_item holds
            continue
        ref = some_text(payload, "id")
        if ref is not None and payload.get("type") == "message":
            if ref in seen:
                yield Skipped("duplicate", where)
                yield Problem("message.duplicate-ref", f"{ref} was there before; the first stands", where)
                continue
            seen.add(ref)
        yield from _item(payload, row, session, tools, where)


def _item(payload: Json, row: Json, session: str, tools: dict[str, str], where: str) -> Iterator[Event]:
    type_ = payload.get("type")
    sent_at, problems = timed(payload, where, "timestamp")
    if sent_at is None and not problems:
        sent_at, problems = timed(row, where, "timestamp")
    yield from problems
    if type_ in _OUTPUTS:
        call = some_text(payload, "call_id") or ""
        role, content = Role.TOOL, Content(results=((call, _output(payload.get("output"), where)),))
    elif type_ in _CALLS:
        role, content = Role.ASSISTANT, Content(calls=(call_of(payload),))
    elif type_ == "message":
        role, content = a_role(payload.get("role"), where), content_of(payload.get("content"), where)
    else:
        yield Skipped("reasoning" if type_ == "reasoning" else "event", where)
        return
    if role is Role.USER and _INJECTED.match(content.text):
        yield Skipped("note of the program", where)
        return
    said = NewMessage(
        speaker=role.value,
        text="",
        sent_at=sent_at,
        session=session,
        source_ref=some_text(payload, "id"),
        source="codex",
        role=role,
    )
    yield from say(content, said, tools, conversation=session, where=where)


def _output(value: Any, where: str) -> str:
    """Give the text of an output, which older versions wrap in JSON."""
    if isinstance(value, str) and value.startswith("{"):
        try:
            wrapped = json.loads(value)
        except (ValueError, RecursionError):
            return value
        inner = wrapped.get("output") if isinstance(wrapped, dict) else None
        return inner if isinstance(inner, str) else value
    if isinstance(value, dict):
        value = value.get("content", value.get("output"))
    return content_of(value, where).text


FORMAT: Final = ReaderFormat(
    name="codex",
    title="Codex session",
    extensions=(".jsonl",),
    keeps="what the person and the assistant said, instructions as such, outputs of tools as such",
    drops="tool calls, reasoning, events, context that the program adds, copies of earlier lines",
    detect=detect,
    read=read,
)
