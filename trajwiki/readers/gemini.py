"""Gemini CLI sessions: one JSON object, or JSON lines, of typed messages."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from trajwiki.domain.messages import NewMessage, Role
from trajwiki.readers import jsontext
from trajwiki.readers.assistants import Content, call_of, content_of, say
from trajwiki.readers.base import Confidence, Event, Head, Json, Options, ReaderFormat, Skipped
from trajwiki.readers.fields import a_list, an_object, some_list, some_object, some_text, timed
from trajwiki.readers.files import Source

_ROLES: Final = {"user": Role.USER, "gemini": Role.ASSISTANT, "model": Role.ASSISTANT, "assistant": Role.ASSISTANT}


def detect(head: Head) -> Confidence:
    """An object with a session id and messages that have a type; or lines of such."""
    row = head.first
    messages = row.get("messages")
    whole = "sessionId" in row and isinstance(messages, list) and all(_typed(m) for m in messages[:3])
    lines = "sessionId" in row and ("projectHash" in row or ("messageId" in row and _typed(row)))
    return Confidence.SURE if whole or lines else Confidence.NO


def read(source: Source, options: Options) -> Iterator[Event]:
    """Give the messages of person and model in order."""
    session = source.stem
    tools: dict[str, str] = {}
    for place, value in jsontext.values(source):
        row = an_object(value, place, "a session with messages")
        session = some_text(row, "sessionId") or session
        if "messages" in row:
            for number, item in enumerate(a_list(row["messages"], place), start=1):
                where = f"{place}, message {number}"
                yield from _message(an_object(item, where, "a message"), session, tools, where)
        elif _typed(row):
            yield from _message(row, session, tools, place)
        else:
            yield Skipped("event", place)


def _typed(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("type"), str)


def _message(row: Json, session: str, tools: dict[str, str], where: str) -> Iterator[Event]:
    role = _ROLES.get(row["type"]) if _typed(row) else None
    if role is None:
        yield Skipped("note of the program", where)
        return
    content = content_of(row.get("content", row.get("message")), where)
    sent_at, problems = timed(row, where)
    yield from problems
    calls = [c for c in some_list(row, "toolCalls") if isinstance(c, dict)]
    content = replace(content, calls=(*content.calls, *map(call_of, calls)))
    said = NewMessage(
        speaker=role.value,
        text="",
        sent_at=sent_at,
        session=session,
        source_ref=some_text(row, "id"),
        source="gemini-cli",
        role=role,
    )
    yield from say(content, said, tools, conversation=session, where=where)
    answers = Content(results=tuple((call_of(c)[0], output) for c in calls if (output := _output(c))))
    if answers.results:
        yield from say(answers, said, tools, conversation=session, where=where)


def _output(call: Json) -> str:
    """Give what a tool answered: shown text, else the responses in its result."""
    shown = call.get("resultDisplay")
    if isinstance(shown, str):
        return shown
    answers = [
        some_text(some_object(some_object(part, "functionResponse"), "response"), "output", "error")
        for part in some_list(call, "result")
        if isinstance(part, dict)
    ]
    return "\n".join(a for a in answers if a)


FORMAT: Final = ReaderFormat(
    name="gemini-cli",
    title="Gemini CLI session",
    extensions=(".json", ".jsonl"),
    keeps="what the person and the model said, outputs of tools as such, times",
    drops="tool calls, thoughts, token counts, notes of the program",
    detect=detect,
    read=read,
)
