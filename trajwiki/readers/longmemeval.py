"""LongMemEval: questions, each with a haystack of dated sessions; the sessions are read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from trajwiki.domain.messages import NewMessage
from trajwiki.errors import UnreadableInput
from trajwiki.readers import clock, jsontext
from trajwiki.readers.base import Confidence, Event, Head, Json, Options, ReaderFormat, Record
from trajwiki.readers.fields import a_list, a_role, a_text, an_object, some_text, unreadable_time
from trajwiki.readers.files import Source


def detect(head: Head) -> Confidence:
    """Objects with haystack sessions."""
    return Confidence.SURE if "haystack_sessions" in head.first or "haystack_dates" in head.first else Confidence.NO


def read(source: Source, options: Options) -> Iterator[Event]:
    """Give the turns of each haystack; a turn's ref is its session and its number in it."""
    for place, value in jsontext.values(source):
        row = an_object(value, place, "an item with haystack_sessions")
        name = some_text(row, "question_id")
        if name is None:
            raise UnreadableInput(f"{place}: expected text in 'question_id'")
        yield from _haystack(row, name, f"{place} ({name})")


def _haystack(row: Json, name: str, place: str) -> Iterator[Event]:
    sessions = a_list(row.get("haystack_sessions"), place, "a list in 'haystack_sessions'")
    names = a_list(row.get("haystack_session_ids", [f"session_{n}" for n in range(1, len(sessions) + 1)]), place)
    dates = a_list(row.get("haystack_dates", [None] * len(sessions)), place)
    if not len(sessions) == len(names) == len(dates):
        raise UnreadableInput(f"{place}: expected as many haystack_session_ids and haystack_dates as haystack_sessions")
    turns: Counter[str] = Counter()
    for session, held, written in zip(map(str, names), sessions, dates, strict=True):
        moment = clock.parse(written)
        if written is not None and moment is None:
            yield unreadable_time(written, f"{place}, session {session}")
        for turn in a_list(held, f"{place}, session {session}", "a list of turns"):
            turns[session] += 1  # by name: a haystack may hold a session twice
            where = f"{place}, session {session}, turn {turns[session]}"
            said = an_object(turn, where, "a turn with role and content")
            role = a_role(said.get("role"), where)
            message = NewMessage(
                speaker=str(said["role"]).lower(),
                text=a_text(said, "content", where),
                sent_at=moment,
                session=session,
                source_ref=f"{session}:{turns[session]}",
                source=name,
                role=role,
            )
            yield Record(message, name, where)


FORMAT: Final = ReaderFormat(
    name="longmemeval",
    title="LongMemEval JSON",
    extensions=(".json",),
    keeps="every turn of the haystacks with the time of its session; each question's haystack is a conversation",
    drops="questions, answers and marks of evidence",
    detect=detect,
    read=read,
)
