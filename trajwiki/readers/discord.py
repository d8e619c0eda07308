"""Discord channels as DiscordChatExporter writes them to JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from trajwiki.domain.messages import NewMessage, Role
from trajwiki.readers.base import Confidence, Event, Head, Json, Options, ReaderFormat, Record, Skipped
from trajwiki.readers.fields import a_text, an_object, some_list, some_object, some_text, timed
from trajwiki.readers.files import Source
from trajwiki.readers.jsontext import JsonText

_SPOKEN: Final = ("Default", "Reply", "ThreadStarterMessage", "ChatInputCommand", "ContextMenuCommand", "0", "19")


def detect(head: Head) -> Confidence:
    """An object with guild, channel and messages; or the list of messages that Discord itself gives."""
    row = head.first
    if head.is_list and isinstance(row.get("author"), dict) and {"content", "timestamp", "id"} <= set(row):
        return Confidence.SURE
    ours = isinstance(row.get("channel"), dict) and ("guild" in row or "messages" in row)
    messages = some_list(row, "messages")[:1]
    shaped = all(isinstance(m, dict) and "author" in m and "content" in m for m in messages)
    return Confidence.SURE if ours and shaped else Confidence.NO


def read(source: Source, options: Options) -> Iterator[Event]:
    """Give the messages of the channel, one at a time."""
    text = JsonText(source)
    head: Json = {}
    if text.peek() == "[":
        yield from _messages(text, head, source)
        text.end()
        return
    if text.peek() != "{":
        raise text.error("expected a JSON object with guild, channel and messages")
    for key in text.members():
        if key == "messages" and text.peek() == "[":
            yield from _messages(text, head, source)
        else:
            head[key] = text.value()
    text.end()


def _messages(text: JsonText, head: Json, source: Source) -> Iterator[Event]:
    channel, guild = some_object(head, "channel"), some_object(head, "guild")
    title = " / ".join(n for n in (some_text(guild, "name"), some_text(channel, "name")) if n)
    for number in text.items():
        text.peek()
        where = source.at(f"message {number} (line {text.line})")
        row = an_object(text.value(), where, "a message")
        session = some_text(channel, "id") or some_text(row, "channel_id") or source.stem
        yield from _message(row, session, title, where)


def _message(row: Json, session: str, title: str, where: str) -> Iterator[Event]:
    if str(row.get("type", "Default")) not in _SPOKEN:
        yield Skipped("system line", where)
        return
    author = an_object(row.get("author"), where, "an object in 'author'")
    said = a_text(row, "content", where) if row.get("content") is not None else ""
    attached = [
        name
        for held in some_list(row, "attachments")
        if isinstance(held, dict) and (name := some_text(held, "fileName", "filename", "url"))
    ]
    if not said.strip():
        silent = attached or row.get("stickers") or row.get("embeds")
        yield Skipped("attachment without text" if silent else "empty message", where)
        return
    sent_at, problems = timed(row, where)
    yield from problems
    kept = {
        "channel": title,
        "attachments": "\n".join(attached),
        "reply_to": some_text(some_object(row, "reference"), "messageId"),
        "edited": some_text(row, "timestampEdited"),
        "author_id": some_text(author, "id"),
    }
    yield Record(
        NewMessage(
            speaker=some_text(author, "nickname", "global_name", "name", "username", "id") or "",
            text=said,
            sent_at=sent_at,
            session=session,
            source_ref=some_text(row, "id"),
            source="discord",
            role=Role.TOOL if author.get("isBot") is True or author.get("bot") is True else Role.USER,
            metadata={k: v for k, v in kept.items() if v},
        ),
        session,
        where,
    )


FORMAT: Final = ReaderFormat(
    name="discord",
    title="Discord channel (DiscordChatExporter JSON)",
    extensions=(".json",),
    keeps="nicknames, texts, times, message ids, replies and edits, names of attachments; bots as tools",
    drops="system lines, reactions, embeds, stickers, media without text",
    detect=detect,
    read=read,
)
