"""Telegram Desktop's JSON export: one chat, or all of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any, Final

from trajwiki.domain.messages import NewMessage
from trajwiki.errors import UnreadableInput
from trajwiki.readers import clock
from trajwiki.readers.base import Confidence, Event, Head, Json, Options, ReaderFormat, Record, Skipped
from trajwiki.readers.fields import an_object, kind, some_list, some_object, some_text, timed
from trajwiki.readers.files import Source
from trajwiki.readers.jsontext import JsonText

_FILES: Final = ("photo", "file", "file_name", "sticker_emoji", "place_name", "contact_information", "poll")
_CALLS: Final = ("", "0")


def detect(head: Head) -> Confidence:
    """An object with messages that have Telegram's type and date; or with chats of such."""
    row = head.first
    chats = [c for key in ("chats", "left_chats") for c in some_list(some_object(row, key), "list")]
    for chat in [row, *(c for c in chats if isinstance(c, dict))]:
        for message in some_list(chat, "messages")[:20]:
            if isinstance(message, dict) and message.get("type") in ("message", "service"):
                dated = "date_unixtime" in message or "date" in message
                return Confidence.SURE if dated and "text" in message else Confidence.NO
    return Confidence.SURE if chats or ({"id", "messages"} < set(row) and row.get("type") in _TYPES) else Confidence.NO


_TYPES: Final = ("personal_chat", "private_group", "private_supergroup", "public_supergroup", "private_channel",
                 "public_channel", "saved_messages", "bot_chat")  # fmt: skip


def read(source: Source, options: Options) -> Iterator[Event]:
    """Give the messages of each chat, one at a time."""
    text = JsonText(source)
    if text.peek() != "{":
        raise text.error("expected a JSON object: a chat, or all chats")
    head: Json = {}
    for key in text.members():
        if key == "messages" and text.peek() == "[":
            yield from _messages(text, head, source, 1)
        elif key in ("chats", "left_chats") and text.peek() == "{":
            yield from _chats(text, source)
        else:
            head[key] = text.value()
    text.end()


def _chats(text: JsonText, source: Source) -> Iterator[Event]:
    for key in text.members():
        if key != "list" or text.peek() != "[":
            text.value()
            continue
        for number in text.items():
            if text.peek() != "{":
                raise text.error("expected a chat: an object with name and messages")
            head: Json = {}
            for name in text.members():
                if name == "messages" and text.peek() == "[":
                    yield from _messages(text, head, source, number)
                else:
                    head[name] = text.value()


def _messages(text: JsonText, head: Json, source: Source, number: int) -> Iterator[Event]:
    """Give the messages of a chat, whose name and id stand before them."""
    title = some_text(head, "name") or ("Saved Messages" if head.get("type") == "saved_messages" else "")
    session = some_text(head, "id") or title or (source.stem if number == 1 else f"{source.stem}-{number}")
    for count in text.items():
        text.peek()
        where = source.at(f"{title or 'chat'}, message {count} (line {text.line})")
        yield from _message(an_object(text.value(), where, "a message"), session, title, where)


def _message(row: Json, session: str, title: str, where: str) -> Iterator[Event]:
    if row.get("type", "message") != "message":
        yield Skipped("system line", where)
        return
    said = _text(row.get("text", ""), where)
    attached = [v for key in _FILES if isinstance(v := row.get(key), str) and v.strip()]
    if not said.strip():
        yield Skipped("attachment without text" if attached or "media_type" in row else "empty message", where)
        return
    moment, problem = _time(row, where)
    if problem:
        yield problem
    kept = {
        "chat": title,
        "attachments": "\n".join(v for v in attached if not v.startswith("(File not included")),
        "reply_to": some_text(row, "reply_to_message_id"),
        "forwarded_from": some_text(row, "forwarded_from"),
        "edited": some_text(row, "edited"),
        "author_id": some_text(row, "from_id"),
    }
    yield Record(
        NewMessage(
            speaker=some_text(row, "from") or some_text(row, "from_id") or "Deleted account",
            text=said,
            sent_at=moment,
            session=session,
            source_ref=some_text(row, "id"),
            source="telegram",
            metadata={k: v for k, v in kept.items() if v},
        ),
        session,
        where,
    )


def _time(row: Json, where: str) -> tuple[datetime | None, Event | None]:
    """Give the exact time in the zone of the clock that `date` shows."""
    exact = clock.parse(row.get("date_unixtime"))
    if exact is not None:
        return clock.local(exact, row.get("date")), None
    moment, problems = timed(row, where, "date_unixtime", "date")
    return moment, problems[0] if problems else None


def _text(value: Any, where: str) -> str:
    """Join the pieces of a text; a link that follows a word without a space gets one."""
    if isinstance(value, str):
        return value
    if not isinstance(value, list):
        raise UnreadableInput(f"{where}: expected text or a list of pieces in 'text', found {kind(value)}")
    text = ""
    for piece in value:
        if isinstance(piece, str):
            text += piece
            continue
        row = an_object(piece, where, "text or an object as a piece of 'text'")
        said = some_text(row, "text") or ""
        if row.get("type") == "link" and text and re.search(r"\w[:,;.]?\Z", text):
            text += " "
        text += said
    return text


FORMAT: Final = ReaderFormat(
    name="telegram",
    title="Telegram export",
    extensions=(".json",),
    keeps="names, texts, exact times in the zone of the exporting clock, message ids, replies, forwards and edits, "
    "names of files",
    drops="service lines, reactions, media without text",
    detect=detect,
    read=read,
)
