"""LangChain messages in each of the ways it writes them: typed data, flat, or as serialised constructors."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from trajwiki.domain.messages import NewMessage, Role
from trajwiki.errors import UnreadableInput
from trajwiki.readers import jsontext
from trajwiki.readers.assistants import call_of, content_of, say
from trajwiki.readers.base import Confidence, Event, Head, Json, Options, ReaderFormat
from trajwiki.readers.fields import a_role, an_object, short, some_list, some_object, some_text, timed
from trajwiki.readers.files import Source

_TYPES: Final = {
    "human": Role.USER,
    "ai": Role.ASSISTANT,
    "system": Role.SYSTEM,
    "tool": Role.TOOL,
    "function": Role.TOOL,
}
_CLASSES: Final = ("HumanMessage", "AIMessage", "SystemMessage", "ToolMessage", "FunctionMessage", "ChatMessage")


def detect(head: Head) -> Confidence:
    """Messages whose type is human, ai, system …, with content or data."""
    row = head.first
    inner = some_list(row, "messages")
    first = inner[0] if inner else row
    if not isinstance(first, dict) or "sessionId" in first or "sessionId" in row:
        return Confidence.NO
    if first.get("lc") == 1 and _class(first):
        return Confidence.SURE
    typed = _type(first) in (*_TYPES, "chat") and "role" not in first
    return Confidence.SURE if typed and (isinstance(first.get("data"), dict) or "content" in first) else Confidence.NO


def read(source: Source, options: Options) -> Iterator[Event]:
    """Give the messages; each wrapper or inner list is a session of its own."""
    talks = 0
    tools: dict[str, str] = {}
    for place, value in jsontext.values(source):
        talk = value["messages"] if isinstance(value, dict) and isinstance(value.get("messages"), list) else value
        if isinstance(talk, list):
            talks += 1
            named = some_text(value, "session_id", "thread_id", "id") if isinstance(value, dict) else None
            session = named or (source.stem if talks == 1 else f"{source.stem}-{talks}")
            for number, item in enumerate(talk, start=1):
                yield from _message(item, session, tools, f"{place}, message {number}")
        else:
            yield from _message(value, source.stem, tools, place)


def _type(row: Json) -> str:
    return str(row.get("type", "")).removesuffix("MessageChunk").lower()


def _class(row: Json) -> str:
    """Give the class name in a serialised constructor."""
    path = row.get("id")
    name = str(path[-1]).removesuffix("Chunk") if isinstance(path, list) and path else ""
    return name if name in _CLASSES else ""


def _message(value: Any, session: str, tools: dict[str, str], where: str) -> Iterator[Event]:
    row = an_object(value, where, "a LangChain message")
    type_ = _type(row)
    if row.get("lc") == 1 and (name := _class(row)):
        type_, row = name.removesuffix("Message").lower(), some_object(row, "kwargs")
    elif isinstance(row.get("data"), dict):
        row = row["data"]
    role = a_role(row.get("role"), where) if type_ == "chat" else _TYPES.get(type_)
    if role is None:
        raise UnreadableInput(f"{where}: expected a message of type human, ai, system or tool, found {short(type_)}")
    if "content" not in row:
        raise UnreadableInput(f"{where}: expected 'content' in the message, found keys {short(', '.join(row))}")
    content = content_of(row["content"], where)
    extra = some_object(row, "additional_kwargs")
    called = [c for c in some_list(row, "tool_calls") or some_list(extra, "tool_calls") if isinstance(c, dict)]
    content = replace(content, calls=content.calls or tuple(map(call_of, called)))
    sent_at, problems = timed({**extra, **row}, where)
    yield from problems
    answered = some_text(row, "tool_call_id") or ""
    said = NewMessage(
        speaker=some_text(row, "name") or tools.get(answered) or role.value,
        text="",
        sent_at=sent_at,
        session=session,
        source_ref=some_text(row, "id"),
        source="langchain",
        role=role,
        metadata={"tool_call_id": answered},
    )
    yield from say(content, said, tools, conversation=session, where=where)


FORMAT: Final = ReaderFormat(
    name="langchain",
    title="LangChain messages",
    extensions=(".json", ".jsonl"),
    keeps="text of every type (system and tool as such), names, ids, times where there are some",
    drops="tool calls, reasoning, images, usage",
    detect=detect,
    read=read,
)
