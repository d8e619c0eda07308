"""Messages as the chat APIs of OpenAI and its relatives take them: a list, JSON lines, or wrapped in `messages`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from trajwiki.domain.messages import NewMessage, Role
from trajwiki.errors import UnreadableInput
from trajwiki.readers import jsontext
from trajwiki.readers.assistants import call_of, content_of, say
from trajwiki.readers.base import Confidence, Event, Head, Json, Options, ReaderFormat
from trajwiki.readers.fields import ROLES, a_role, an_object, kind, short, some_list, some_text, timed
from trajwiki.readers.files import Source

_WRAPPERS: Final = ("messages", "conversation", "conversations", "contents", "input")
_ITEMS: Final = ("function_call", "function_call_output", "reasoning")  # beside messages, in the Responses API
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
    tools: dict[str, str] = {}
    for where, value in jsontext.values(source):
        talk = _wrapped(value) if isinstance(value, dict) else value
        if isinstance(talk, list):
            talks += 1
            named = some_text(value, "id", "conversation_id", "session_id") if isinstance(value, dict) else None
            session = named or (source.stem if talks == 1 else f"{source.stem}-{talks}")
            held, problems = timed(value, where) if isinstance(value, dict) else (None, [])
            yield from problems
            for number, message in enumerate(talk, start=1):
                yield from _message(message, session, held, tools, f"{where}, message {number}")
        else:
            yield from _message(value, source.stem, None, tools, where)


def _wrapped(row: Json) -> list[Any] | None:
    """Give the list of messages an object wraps, when it wraps one."""
    if "role" in row:
        return None
    return next((row[key] for key in _WRAPPERS if isinstance(row.get(key), list)), None)


def _is_message(value: Any) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("role"), str):
        return False
    return value["role"].lower() in ROLES and any(key in value for key in _HOLDERS)


def _message(value: Any, session: str, held: datetime | None, tools: dict[str, str], where: str) -> Iterator[Event]:
    row = an_object(value, where, "a message with role and content")
    if "role" not in row and row.get("type") in _ITEMS:
        answer = NewMessage("tool", "", held, session, source="openai", role=Role.TOOL)
        yield from say(content_of([row], where), answer, tools, conversation=session, where=where)
        return
    role = a_role(row.get("role"), where)
    if not any(key in row for key in _HOLDERS):
        raise UnreadableInput(f"{where}: expected 'content' beside the role, found keys {short(', '.join(row))}")
    raw = row.get("content", row.get("parts"))
    if not isinstance(raw, str | list | None):
        raise UnreadableInput(f"{where}: expected text, a list of parts or null in 'content', found {kind(raw)}")
    content = content_of(raw, where)
    sent_at, problems = timed(row, where)
    yield from problems
    if not content.text and (refusal := some_text(row, "refusal")):
        content = replace(content, text=refusal)
    called = [c for c in (*some_list(row, "tool_calls"), row.get("function_call")) if isinstance(c, dict)]
    content = replace(content, calls=(*content.calls, *map(call_of, called)))
    answered = some_text(row, "tool_call_id") or ""
    message = NewMessage(
        speaker=some_text(row, "name") or tools.get(answered) or str(row["role"]).lower(),
        text="",
        sent_at=sent_at or held,
        session=session,
        source_ref=some_text(row, "id"),
        source="openai",
        role=role,
        metadata={"tool_call_id": answered},
    )
    yield from say(content, message, tools, conversation=session, where=where)


FORMAT: Final = ReaderFormat(
    name="openai",
    title="chat API messages",
    extensions=(".json", ".jsonl"),
    keeps="text of every role (system and tool as such), names, ids, times where there are some, names of attachments",
    drops="tool calls, reasoning, inline images and audio",
    detect=detect,
    read=read,
)
