"""LoCoMo: conversations of numbered sessions, each with one time; also REALTALK, with a time for each message."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Final

from trajwiki.domain.messages import NewMessage
from trajwiki.errors import UnreadableInput
from trajwiki.readers import clock, jsontext
from trajwiki.readers.base import Confidence, Event, Head, Json, Options, ReaderFormat, Record
from trajwiki.readers.fields import a_list, a_text, an_object, short, some_object, some_text, timed, unreadable_time
from trajwiki.readers.files import Source

_SESSION: Final = re.compile(r"session_(\d{1,6})", re.ASCII)


def detect(head: Head) -> Confidence:
    """An object whose `conversation`, or which itself, has lists named session_N."""
    return Confidence.SURE if _sessions(some_object(head.first, "conversation") or head.first) else Confidence.NO


def read(source: Source, options: Options) -> Iterator[Event]:
    """Give the turns of each conversation in the order of its sessions."""
    for number, (place, value) in enumerate(jsontext.values(source), start=1):
        sample = an_object(value, place, "an object with a conversation")
        talk = some_object(sample, "conversation") or sample
        sessions = _sessions(talk)
        if not sessions:
            raise UnreadableInput(f"{place}: expected lists named session_1, session_2 …, found {short(sorted(talk))}")
        unnamed = source.stem if number == 1 else f"{source.stem}-{number}"
        name = some_text(sample, "sample_id", "conversation_id", "id") or unnamed
        yield from _conversation(talk, sessions, name, f"{place} ({name})")


def _sessions(talk: Json) -> list[str]:
    numbers = {int(match[1]): key for key in talk if (match := _SESSION.fullmatch(key)) and isinstance(talk[key], list)}
    return [numbers[n] for n in sorted(numbers)]


def _conversation(talk: Json, sessions: list[str], name: str, place: str) -> Iterator[Event]:
    for session in sessions:
        said_at = talk.get(f"{session}_date_time")
        moment = clock.parse(said_at)
        if said_at and moment is None:
            yield unreadable_time(said_at, f"{place}, {session}_date_time")
        for number, turn in enumerate(a_list(talk[session], f"{place}, {session}"), start=1):
            where = f"{place}, {session}, turn {number}"
            row = an_object(turn, where, "a turn with speaker, dia_id and text")
            own, problems = timed(row, where)
            yield from problems
            yield Record(_turn(row, name, session, own or moment, where), name, where)


def _turn(row: Json, name: str, session: str, moment: datetime | None, where: str) -> NewMessage:
    caption = some_text(row, "blip_caption")
    text = some_text(row, "text", "clean_text")
    if text is None:
        text = "" if caption or "text" not in row else a_text(row, "text", where)
    if text == "" and not caption and not ({"text", "clean_text"} & set(row)):
        a_text(row, "text", where)  # says what is missing
    return NewMessage(
        speaker=a_text(row, "speaker", where),
        text=text,
        sent_at=moment,
        session=session,
        source_ref=some_text(row, "dia_id"),
        source=name,
        caption=caption,
    )


FORMAT: Final = ReaderFormat(
    name="locomo",
    title="LoCoMo JSON",
    extensions=(".json",),
    keeps="speaker, text and image caption of every turn; dia_id as the source ref; the time of the session, or of "
    "the turn where it has one (REALTALK)",
    drops="image links and search queries, questions, summaries, observations and event lists",
    detect=detect,
    read=read,
)
