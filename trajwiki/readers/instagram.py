"""Instagram and Messenger messages from Meta's export: newest first, with letters written as bytes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from trajwiki.domain.messages import NewMessage
from trajwiki.readers import jsontext
from trajwiki.readers.base import Confidence, Event, Head, Json, Options, ReaderFormat, Record, Skipped
from trajwiki.readers.fields import a_list, a_text, an_object, some_list, some_object, some_text, timed
from trajwiki.readers.files import Source

_FILES: Final = ("photos", "videos", "audio_files", "files", "gifs")
# What Meta writes for an action, in place of words.
_ACTION: Final = re.compile(
    r"(?:Liked a message|Reacted .{1,8} to your message ?|.{1,80} sent an attachment\.|You sent an attachment\.)\s*"
)


def detect(head: Head) -> Confidence:
    """An object with messages that name a sender and a time in milliseconds."""
    messages = some_list(head.first, "messages")[:3]
    ours = messages and all(isinstance(m, dict) and {"sender_name", "senderName"} & set(m) for m in messages)
    return Confidence.SURE if ours else Confidence.NO


def read(source: Source, options: Options) -> Iterator[Event]:
    """Give the messages from the first to the last."""
    row = an_object(jsontext.whole(source), source.name, "an object with messages")
    title = _mended(some_text(row, "title", "threadName") or "")
    session = some_text(row, "thread_path") or title or source.stem
    messages = a_list(row.get("messages"), source.name, "a list in 'messages'")
    numbered = list(enumerate(messages, start=1))
    if len(messages) > 1 and _stamp(messages[0]) > _stamp(messages[-1]):
        numbered.reverse()
    for number, value in numbered:
        where = source.at(f"message {number}")
        yield from _message(an_object(value, where, "a message"), session, title, where)


def _stamp(value: Any) -> float:
    stamp = value.get("timestamp_ms", value.get("timestamp")) if isinstance(value, dict) else None
    return stamp if isinstance(stamp, int | float) and not isinstance(stamp, bool) else 0


def _message(row: Json, session: str, title: str, where: str) -> Iterator[Event]:
    speaker = _mended(a_text(row, "senderName" if "senderName" in row else "sender_name", where))
    key = "text" if "text" in row else "content"  # `text` and `senderName`: Messenger's encrypted chats
    said = _mended(a_text(row, key, where)) if row.get(key) is not None else ""
    share = some_object(row, "share")
    attached = [
        name
        for kind in _FILES
        for held in some_list(row, kind)
        if isinstance(held, dict) and (name := some_text(held, "uri"))
    ]
    attached += [link] if (link := some_text(share, "link")) else []
    if row.get("is_unsent") is True or row.get("isUnsent") is True:
        yield Skipped("unsent message", where)
    elif not said.strip():
        yield Skipped("attachment without text" if attached else "empty message", where)
    elif _ACTION.fullmatch(said):
        yield Skipped("system line", where)
    else:
        sent_at, problems = timed(row, where, "timestamp_ms", "timestamp")
        yield from problems
        kept = {"chat": title, "attachments": "\n".join(attached)}
        kept = {k: v for k, v in kept.items() if v}
        yield Record(
            NewMessage(speaker, said, sent_at, session, None, "instagram", metadata=kept),
            session,
            where,
        )


def _mended(text: str) -> str:
    """Undo Meta's spelling of UTF-8 bytes as single letters, where the text is one."""
    try:
        return text.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return text


FORMAT: Final = ReaderFormat(
    name="instagram",
    title="Instagram or Messenger export",
    extensions=(".json", ".zip"),
    keeps="names, texts with their letters mended, times, links to attachments",
    drops="reactions, likes, calls, unsent messages, media without text",
    detect=detect,
    read=read,
)
