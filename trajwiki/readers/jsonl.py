"""Our own JSON lines: one message a line, read strictly and written exactly."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any, Final, TextIO

from trajwiki.domain.messages import NewMessage, Role
from trajwiki.errors import UnreadableInput
from trajwiki.readers import clock, jsontext
from trajwiki.readers.base import Confidence, Event, Head, Json, Options, ReaderFormat, Record
from trajwiki.readers.fields import a_text, an_object, kind, short
from trajwiki.readers.files import Source

KEYS: Final = ("speaker", "text", "sent_at", "session", "source_ref", "source", "caption", "role", "metadata")
_NEAR: Final = {"timestamp": "sent_at", "time": "sent_at", "date": "sent_at", "content": "text", "message": "text",
                "id": "source_ref", "dia_id": "source_ref", "name": "speaker", "author": "speaker",
                "conversation": "session"}  # fmt: skip


def detect(head: Head) -> Confidence:
    """Objects with a speaker and a text."""
    row = head.first
    ours = isinstance(row.get("speaker"), str) and ("text" in row or "caption" in row)
    return Confidence.SURE if ours else Confidence.NO


def read(source: Source, options: Options) -> Iterator[Event]:
    """Give the message of each line (or of each item, when the file is one JSON list)."""
    is_list = source.start(64).decode("utf-8", "ignore").lstrip("\ufeff \t\r\n").startswith("[")
    for where, value in jsontext.values(source) if is_list else jsontext.lines(source):
        message = _message(an_object(value, where, "a JSON object: one message"), where)
        yield Record(message, message.source or source.stem, where)


def write_jsonl(messages: Iterable[NewMessage], file: TextIO) -> int:
    """Write messages so that `read` gives them back; returns how many."""
    number = 0
    for message in messages:
        row: Json = {"speaker": message.speaker, "text": message.text}
        if message.sent_at is not None:
            row["sent_at"] = message.sent_at.isoformat()
        optional = {"session": message.session, "source_ref": message.source_ref, "source": message.source,
                    "caption": message.caption, "metadata": dict(message.metadata)}  # fmt: skip
        row.update({key: value for key, value in optional.items() if value})
        if message.role is not Role.USER:
            row["role"] = message.role.value
        # Line separators inside a text are escaped, so that every tool agrees on what a line is.
        line = json.dumps(row, ensure_ascii=False).replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
        file.write(line.replace("\x85", "\\u0085") + "\n")
        number += 1
    return number


def _message(row: Json, where: str) -> NewMessage:
    for key in row:
        if key not in KEYS:
            near = _NEAR.get(key) or next(iter(difflib.get_close_matches(key[:40], KEYS, n=1)), None)
            hint = f"; is it {near!r}?" if near else ""
            raise UnreadableInput(f"{where}: unknown key {short(key)}{hint} Known are {', '.join(KEYS)}")
    given = {key: value for key, value in row.items() if value is not None}
    return NewMessage(
        speaker=_speaker(given, where),
        text=a_text(given, "text", where) if "text" in given or "caption" not in given else "",
        sent_at=_sent_at(given, where),
        session=_optional(given, "session", where) or "",
        source_ref=_optional(given, "source_ref", where),
        source=_optional(given, "source", where) or "",
        caption=_optional(given, "caption", where),
        role=_role(given.get("role", "user"), where),
        metadata=_metadata(given.get("metadata", {}), where),
    )


def _speaker(row: Json, where: str) -> str:
    speaker = a_text(row, "speaker", where)
    if not speaker.strip():
        raise UnreadableInput(f"{where}: expected a name in 'speaker', found nothing in it")
    return speaker


def _optional(row: Json, key: str, where: str) -> str | None:
    return a_text(row, key, where) if key in row else None


def _sent_at(row: Json, where: str) -> datetime | None:
    text = _optional(row, "sent_at", where)
    if text is None:
        return None
    try:
        moment = clock.sensible(datetime.fromisoformat(text))
    except ValueError:
        moment = None
    if moment is None:
        raise UnreadableInput(
            f"{where}: expected a time such as 2023-05-08T13:56:00+01:00 in 'sent_at', found {short(text)}"
        )
    return moment


def _role(name: Any, where: str) -> Role:
    try:
        return Role(name)
    except ValueError:
        raise UnreadableInput(
            f"{where}: expected one of {', '.join(r.value for r in Role)} in 'role', found {short(name)}"
        ) from None


def _metadata(value: Any, where: str) -> dict[str, str]:
    row = an_object(value, where, "an object of texts in 'metadata'")
    for key, held in row.items():
        if not isinstance(held, str):
            raise UnreadableInput(f"{where}: expected text in metadata {short(key)}, found {kind(held)}")
    return row


FORMAT: Final = ReaderFormat(
    name="trajwiki",
    title="trajwiki JSON lines",
    extensions=(".jsonl",),
    keeps="everything; it is read strictly and an unknown key is an error",
    drops="nothing",
    detect=detect,
    read=read,
    tells_edits=True,
)
