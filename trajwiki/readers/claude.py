"""Claude's data export: conversations with `chat_messages`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from trajwiki.domain.messages import NewMessage, Role
from trajwiki.readers import jsontext
from trajwiki.readers.base import Confidence, Event, Head, Json, Options, ReaderFormat, Record
from trajwiki.readers.fields import a_list, a_role, an_object, content_of, some_list, some_text, timed
from trajwiki.readers.files import Source


def detect(head: Head) -> Confidence:
    """Objects with a list `chat_messages`."""
    ours = any(isinstance(row.get("chat_messages"), list) for row in head.objects[:5])
    return Confidence.SURE if ours else Confidence.NO


def read(source: Source, options: Options) -> Iterator[Event]:
    """Give the messages of each conversation."""
    for number, (place, value) in enumerate(jsontext.values(source), start=1):
        row = an_object(value, place, "a conversation with chat_messages")
        name = some_text(row, "uuid", "id") or f"{source.stem}-{number}"
        title = some_text(row, "name", "title") or ""
        messages = a_list(row.get("chat_messages"), place, "a list in 'chat_messages'")
        for count, message in enumerate(messages, start=1):
            where = f"{place}, message {count}"
            yield from _message(an_object(message, where, "a message"), name, title, where)


def _message(row: Json, session: str, title: str, where: str) -> Iterator[Event]:
    role = a_role(row.get("sender", row.get("role")), where)
    content = content_of(row.get("content"), where)
    sent_at, problems = timed(row, where)
    yield from problems
    # `text` of newer exports renders tool calls as placeholders; the parts are what was said.
    text = content.text or (some_text(row, "text") if not content.calls else None) or ""
    names = [
        name
        for key in ("attachments", "files")
        for held in some_list(row, key)
        if isinstance(held, dict) and (name := some_text(held, "file_name", "name"))
    ]
    for name, output in content.results:
        yield Record(NewMessage(name, output, sent_at, session, None, "claude", role=Role.TOOL), session, where)
    if not text.strip():
        yield from content.silence(where)
        return
    kept = {"title": title, **content.metadata()}
    if names:
        kept["attachments"] = "\n".join(names)
    yield Record(
        NewMessage(
            speaker="user" if role is Role.USER else role.value,
            text=text,
            sent_at=sent_at,
            session=session,
            source_ref=some_text(row, "uuid", "id"),
            source="claude",
            role=role,
            metadata={k: v for k, v in kept.items() if v},
        ),
        session,
        where,
    )


FORMAT: Final = ReaderFormat(
    name="claude",
    title="Claude export",
    extensions=(".json", ".zip"),
    keeps="text of people and assistant, results of tools as such, times, title, names of attached files",
    drops="tool calls, reasoning, the content of attached files",
    detect=detect,
    read=read,
)
