"""Claude's data export: conversations with `chat_messages`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from trajwiki.domain.messages import NewMessage
from trajwiki.readers import jsontext
from trajwiki.readers.assistants import content_of, say
from trajwiki.readers.base import Confidence, Event, Head, Json, Options, ReaderFormat
from trajwiki.readers.fields import a_list, a_role, an_object, some_list, some_text, timed
from trajwiki.readers.files import Source


def detect(head: Head) -> Confidence:
    """Objects with a list `chat_messages`."""
    ours = any(isinstance(row.get("chat_messages"), list) for row in head.objects[:5])
    return Confidence.SURE if ours else Confidence.NO


def read(source: Source, options: Options) -> Iterator[Event]:
    """Give the messages of each conversation."""
    tools: dict[str, str] = {}
    for number, (place, value) in enumerate(jsontext.values(source), start=1):
        row = an_object(value, place, "a conversation with chat_messages")
        name = some_text(row, "uuid", "id") or f"{source.stem}-{number}"
        title = some_text(row, "name", "title") or ""
        messages = a_list(row.get("chat_messages"), place, "a list in 'chat_messages'")
        for count, message in enumerate(messages, start=1):
            where = f"{place}, message {count}"
            yield from _message(an_object(message, where, "a message"), name, title, tools, where)


def _message(row: Json, session: str, title: str, tools: dict[str, str], where: str) -> Iterator[Event]:
    role = a_role(row.get("sender", row.get("role")), where)
    content = content_of(row.get("content"), where)
    sent_at, problems = timed(row, where)
    yield from problems
    # `text` of newer exports renders tool calls as placeholders; the parts are what was said.
    if not content.text and not content.calls:
        content = replace(content, text=some_text(row, "text") or "")
    names = [
        name
        for key in ("attachments", "files")
        for held in some_list(row, key)
        if isinstance(held, dict) and (name := some_text(held, "file_name", "name"))
    ]
    content = replace(content, attachments=(*content.attachments, *names))
    message = NewMessage(
        speaker=role.value,
        text="",
        sent_at=sent_at,
        session=session,
        source_ref=some_text(row, "uuid", "id"),
        source="claude",
        role=role,
        metadata={"title": title},
    )
    yield from say(content, message, tools, conversation=session, where=where)


FORMAT: Final = ReaderFormat(
    name="claude",
    title="Claude export",
    extensions=(".json", ".zip"),
    keeps="text of people and assistant, results of tools as such, times, title, names of attached files",
    drops="tool calls, reasoning, the content of attached files",
    detect=detect,
    read=read,
)
