"""BFCL's memory track: JSON lines of conversations, each a list of turns, each a list of messages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from trajwiki.domain.messages import NewMessage
from trajwiki.readers import jsontext
from trajwiki.readers.base import Confidence, Event, Head, Options, ReaderFormat, Record
from trajwiki.readers.fields import a_list, a_role, a_text, an_object, some_list, some_text
from trajwiki.readers.files import Source


def detect(head: Head) -> Confidence:
    """Objects whose question is a list of lists of messages."""
    turns = some_list(head.first, "question")
    turn = turns[0] if turns else None
    ours = isinstance(turn, list) and turn and isinstance(turn[0], dict) and "role" in turn[0]
    return Confidence.SURE if ours and "id" in head.first else Confidence.NO


def read(source: Source, options: Options) -> Iterator[Event]:
    """Give the messages of each conversation; those of a scenario belong together."""
    for place, value in jsontext.values(source):
        row = an_object(value, place, "a conversation with id and question")
        session = a_text(row, "id", place)
        scenario = some_text(row, "scenario") or session
        number = 0
        for turn in a_list(row.get("question"), place, "a list of turns in 'question'"):
            for item in turn if isinstance(turn, list) else [turn]:
                number += 1
                where = f"{place} ({session}), message {number}"
                yield Record(_message(item, session, number, where), scenario, where)


def _message(item: Any, session: str, number: int, where: str) -> NewMessage:
    said = an_object(item, where, "a message with role and content")
    role = a_role(said.get("role"), where)
    return NewMessage(
        speaker=str(said["role"]).lower(),
        text=a_text(said, "content", where),
        session=session,
        source_ref=f"{session}:{number}",
        source="bfcl",
        role=role,
    )


FORMAT: Final = ReaderFormat(
    name="bfcl",
    title="BFCL memory conversations",
    extensions=(".json", ".jsonl"),
    keeps="every message; the conversation's id is the session, the scenario the conversation",
    drops="topics and classes",
    detect=detect,
    read=read,
)
