"""Messages as the chat APIs of OpenAI and its relatives take them: a list, JSON lines, or wrapped in `messages`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from trajwiki.domain.messages import NewMessage, Role
from trajwiki.errors import UnreadableInput
from trajwiki.readers import jsontext
from trajwiki.readers.base import Confidence, Event, Head, Json, Options, ReaderFormat, Record
from trajwiki.readers.fields import ROLES, a_role, an_object, content_of, kind, short, some_text, timed
from trajwiki.readers.files import Source

_WRAPPERS: Final = ("messages", "conversation", "conversations", "contents", "input")
_HOLDERS: Final = ("content", "tool_calls", "function_call", "refusal", "parts")


def detect(head: Head) -> Confidence:
    """Objects with a role and a content, alone, in lists, or in `messages`."""
    for item in head.items[:1]:
        talk = _wrapped(item) if isinstance(item, dict) else item
        first = next(iter(talk), None) if isinstance(talk, list) else item
        if _is_message(first) or (isinstance(item, dict) and item.get("messages") == []):
            return Confidence.SURE
    return Confidence.NO


def read(source: Source, options: Options) -> Iterator[Event]:
    """Give the messages; each wrapper or inner list is a conversation and session of its own."""
    talks = 0
    for where, value in jsontext.values(source):
        talk = _wrapped(value) if isinstance(value, dict) else value
        if isinstance(talk, list):
            talks += 1
            named = some_text(value, "id", "conversation_id", "session_id") if isinstance(value, dict) else None
            session = named or (source.stem if talks == 1 else f"{source.stem}-{talks}")
            held, problems = timed(value, where) if isinstance(value, dict) else (None, [])
            yield from problems
            for number, message in enumerate(talk, start=1):
                yield from _message(message, session, held, f"{where}, message {number}")
        else:
            yield from _message(value, source.stem, None, where)


def _wrapped(row: Json) -> list[Any] | None:
    """Give the list of messages an object wraps, when it wraps one."""
    if "role" in row:
        return None
    return next((row[key] for key in _WRAPPERS if isinstance(row.get(key), list)), None)


def _is_message(value: Any) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("role"), str):
        return False
    return value["role"].lower() in ROLES and any(key in value for key in _HOLDERS)


def _message(value: Any, session: str, held: datetime | None, where: str) -> Iterator[Event]:
    row = an_object(value, where, "a message with role and content")
    role = a_role(row.get("role"), where)
    if not any(key in row for key in _HOLDERS):
        raise UnreadableInput(f"{where}: expected 'content' beside the role, found keys {short(', '.join(row))}")
    raw = row.get("content", row.get("parts"))
    if not isinstance(raw, str | list | None):
        raise UnreadableInput(f"{where}: expected text, a list of parts or null in 'content', found {kind(raw)}")
    content = content_of(raw, where)
    sent_at, problems = timed(row, where)
    yield from problems
    for name, output in content.results:
        result = NewMessage(name, output, sent_at or held, session, source="openai", role=Role.TOOL)
        yield Record(result, session, where)
    text = content.text or some_text(row, "refusal") or ""
    if not text.strip():
        called = row.get("tool_calls") or row.get("function_call")
        yield from (replace(content, calls=("tool",)) if called else content).silence(where)
        return
    metadata = content.metadata()
    if (call := some_text(row, "tool_call_id")) is not None:
        metadata["tool_call_id"] = call
    yield Record(
        NewMessage(
            speaker=some_text(row, "name") or str(row["role"]).lower(),
            text=text,
            sent_at=sent_at or held,
            session=session,
            source_ref=some_text(row, "id"),
            source="openai",
            role=role,
            metadata=metadata,
        ),
        session,
        where,
    )


FORMAT: Final = ReaderFormat(
    name="openai",
    title="chat API messages",
    extensions=(".json", ".jsonl"),
    keeps="text of every role (system and tool as such), names, ids, times where there are some, names of attachments",
    drops="tool calls, reasoning, inline images and audio",
    detect=detect,
    read=read,
)
