"""Slack's export: a zip of users, channels and one file a day; or one such file."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import Any, Final

from trajwiki.domain.messages import NewMessage, Role
from trajwiki.readers import clock, jsontext
from trajwiki.readers.base import Confidence, Event, Head, Json, Options, ReaderFormat, Record, Skipped
from trajwiki.readers.fields import (
    a_list,
    an_object,
    some_list,
    some_object,
    some_text,
    unreadable_time,
)
from trajwiki.readers.files import Source, archive, kind_of

_DAY: Final = re.compile(r"(?:[^/]+/)*(?P<channel>[^/]+)/\d{4}-\d{2}-\d{2}\.json")
_MENTION: Final = re.compile(r"<([@#!]?)([^<>|\s]{1,2000})(?:\|([^<>]{0,2000}))?>")
_CHANNEL_LISTS: Final = ("channels.json", "groups.json", "dms.json", "mpims.json")
_SPOKEN: Final = ("", "me_message", "thread_broadcast", "file_share", "file_comment", "bot_message", "message_replied",
                  "slackbot_response", "reply_broadcast")  # fmt: skip


def detect(head: Head) -> Confidence:
    """An archive with users.json and files named by days; or messages with a user and a `ts`."""
    if head.members:
        names = {PurePosixPath(m).name for m in head.members}
        days = any(_DAY.fullmatch(m) for m in head.members)
        return Confidence.SURE if days and ({"users.json", *_CHANNEL_LISTS} & names) else Confidence.NO
    rows = head.objects[:3]
    if rows and isinstance(rows[0].get("messages"), list):
        rows = [m for m in rows[0]["messages"][:3] if isinstance(m, dict)]
    ours = rows and all(
        r.get("type") == "message" and isinstance(r.get("ts"), str) and "sessionId" not in r for r in rows
    )
    return Confidence.SURE if ours else Confidence.NO


def read(source: Source, options: Options) -> Iterator[Event]:
    """Give the messages of each channel by time; a thread, with the message it hangs on, is a session of its own."""
    if not kind_of(source.start(64)):
        value = jsontext.whole(source)
        messages = value.get("messages") if isinstance(value, dict) else value
        yield from _day(messages, source, source.stem, {})
        return
    members = {m.name.rpartition("!")[2]: m for m in archive(Path(source.name), source.encoding)}
    people = _people(members)
    titles = _titles(members, people)
    for name in sorted(members):
        if (match := _DAY.fullmatch(name)) is not None:
            channel = titles.get(match["channel"], match["channel"])
            yield from _day(jsontext.whole(members[name]), members[name], channel, people)
        elif PurePosixPath(name).name not in ("users.json", *_CHANNEL_LISTS):
            yield Skipped("file that is no conversation", members[name].name)


def _people(members: Mapping[str, Source]) -> dict[str, str]:
    """Give the name of each user id: the real name, made distinct by the handle where two people share it."""
    found: dict[str, tuple[str, str]] = {}
    for name in sorted(members):
        if PurePosixPath(name).name != "users.json":
            continue
        for value in a_list(jsontext.whole(members[name]), members[name].name, "a list of users"):
            if isinstance(value, dict) and (id_ := some_text(value, "id")):
                found[id_] = (_name(value) or id_, some_text(value, "name") or id_)
    shared = [name for name, _ in found.values()]
    return {i: name if shared.count(name) == 1 else f"{name} ({handle})" for i, (name, handle) in found.items()}


def _name(row: Json) -> str | None:
    profile = some_object(row, "profile")
    return some_text(profile, "real_name") or some_text(row, "real_name") or some_text(
        profile, "display_name"
    ) or some_text(row, "name")  # fmt: skip


def _titles(members: Mapping[str, Source], people: Mapping[str, str]) -> dict[str, str]:
    """Name the folders that are called by an id: direct messages, by who is in them."""
    titles: dict[str, str] = {}
    for name in sorted(members):
        if PurePosixPath(name).name != "dms.json":
            continue
        for value in a_list(jsontext.whole(members[name]), members[name].name, "a list of direct messages"):
            if isinstance(value, dict) and (id_ := some_text(value, "id")):
                titles[id_] = " and ".join(people.get(str(m), str(m)) for m in some_list(value, "members")) or id_
    return titles


def _day(value: Any, source: Source, channel: str, people: Mapping[str, str]) -> Iterator[Event]:
    rows = [
        (source.at(f"message {n}"), an_object(row, source.at(f"message {n}"), "a message"))
        for n, row in enumerate(a_list(value, source.name, "a list of messages"), start=1)
    ]
    for where, row in sorted(rows, key=lambda pair: _stamp(pair[1])):
        edited = row.get("subtype") == "message_changed"
        held = some_object(row, "message") if edited else row
        yield from _message(held, channel, people, where)


def _stamp(row: Json) -> float:
    moment = clock.parse(row.get("ts"))
    return moment.timestamp() if moment else 0.0


def _message(row: Json, channel: str, people: Mapping[str, str], where: str) -> Iterator[Event]:
    subtype = row.get("subtype") or ""
    if row.get("type", "message") != "message" or subtype not in _SPOKEN or row.get("hidden") is True:
        yield Skipped("system line", where)
        return
    is_bot = subtype == "bot_message" or ("bot_id" in row and row.get("bot_id") is not None)
    files = [f for f in (*some_list(row, "files"), row.get("file")) if isinstance(f, dict)]
    comment = some_object(row, "comment") if subtype == "file_comment" else {}
    text = some_text(comment, "comment") or _text(row, files, is_bot=is_bot)
    if not text.strip():
        yield Skipped("attachment without text" if files or row.get("attachments") else "empty message", where)
        return
    moment, problem = _time(row, where)
    if problem:
        yield problem
    user = some_text(row, "user", "bot_id") or some_text(comment, "user") or ""
    ref, thread = some_text(row, "ts"), some_text(row, "thread_ts")
    kept = {
        "attachments": "\n".join(n for f in files if (n := some_text(f, "name", "title"))),
        "edited": some_text(some_object(row, "edited"), "ts"),
        "author_id": user,
        "thread": thread,
    }
    yield Record(
        NewMessage(
            speaker=people.get(user) or _name(some_object(row, "user_profile")) or some_text(row, "username") or user,
            text=_readable(text, people),
            sent_at=moment,
            session=f"{channel}/{thread}" if thread else channel,
            source_ref=f"{channel}:{ref}" if ref else None,
            source="slack",
            role=Role.TOOL if is_bot else Role.USER,
            metadata={k: v for k, v in kept.items() if v},
        ),
        channel,
        where,
    )


def _time(row: Json, where: str) -> tuple[datetime | None, Event | None]:
    moment = clock.parse(row.get("ts"))
    return moment, None if moment else unreadable_time(row.get("ts"), where)


def _text(row: Json, files: list[Json], *, is_bot: bool) -> str:
    """Give what was said: the text, the words said with a file, and for a bot what it put into attachments."""
    comments = [some_text(some_object(f, "initial_comment"), "comment") for f in files]
    said = [row.get("text"), *comments]
    if is_bot:
        for held in some_list(row, "attachments"):
            if isinstance(held, dict):
                said += [some_text(held, "pretext"), some_text(held, "text") or some_text(held, "fallback")]
    kept = [s for s in said if isinstance(s, str) and s.strip()]
    return "\n".join(dict.fromkeys(kept))


def _readable(text: str, people: Mapping[str, str]) -> str:
    """Write mentions, channels and links as a person saw them."""

    def shown(match: re.Match[str]) -> str:
        mark, target, label = match.groups()
        if mark == "@":
            return f"@{people.get(target) or label or target}"
        if mark == "#":
            return f"#{label or target}"
        if mark == "!":
            return label or f"@{target.partition('^')[0]}"
        plain = target.removeprefix("mailto:")
        return plain if not label or label == plain else f"{label} ({plain})"

    return html.unescape(_MENTION.sub(shown, text))


FORMAT: Final = ReaderFormat(
    name="slack",
    title="Slack export",
    extensions=(".zip", ".json"),
    keeps="real names, texts with mentions resolved, times, threads as sessions, edits, file names; bots as tools",
    drops="joins, topics and other system lines, reactions, link previews, files without text",
    detect=detect,
    read=read,
)
