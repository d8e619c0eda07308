"""Signal chats as text: `[2019-12-24, 12:23] Name: text`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from trajwiki.domain.messages import NewMessage
from trajwiki.errors import UnreadableInput
from trajwiki.readers import clock
from trajwiki.readers.base import Confidence, Event, Head, Options, ReaderFormat, Record, Skipped
from trajwiki.readers.files import Source

_HEADER: Final = re.compile(
    r"\[(?P<time>\d{4}-\d{2}-\d{2},? \d{2}:\d{2}(?::\d{2})?)\] (?P<name>[^:\n]{1,100}):(?: (?P<text>.*)|\Z)"
)
_MINUTES: Final = re.compile(r"\[\d{4}-\d{2}-\d{2},? \d{2}:\d{2}\] [^:\n]{1,100}:")
_ATTACHED: Final = re.compile(r"!?\[(?P<name>[^\]\n]{1,200})\]\((?P<link>[^)\n]{1,500})\)")


def detect(head: Head) -> Confidence:
    """A first line with a date and a time of minutes in brackets."""
    first = next((line for line in head.text[:20_000].split("\n") if line.strip()), "")
    return Confidence.SURE if not head.items and _MINUTES.match(first) else Confidence.NO


def read(source: Source, options: Options) -> Iterator[Event]:
    """Give the messages in order, with the lines that follow a header."""
    start = 0
    open_: re.Match[str] | None = None
    body: list[str] = []
    for number, line in source.lines():
        match = _HEADER.fullmatch(line)
        if match is None:
            if open_ is not None:
                body.append(line)
            elif line.strip():
                yield Skipped("line before the first message", source.at(f"line {number}"))
            continue
        if open_ is not None:
            yield _message(open_, body, source, start)
        start, open_, body = number, match, [match["text"] or ""]
    if open_ is not None:
        yield _message(open_, body, source, start)


def _message(match: re.Match[str], body: list[str], source: Source, line: int) -> Event:
    where = source.at(f"line {line}")
    moment = clock.parse(match["time"].replace(",", ""))
    if moment is None:
        raise UnreadableInput(f"{where}: expected a date and time that exist, found {match['time']}")
    text = "\n".join(body).strip()
    attached = [f["name"] for f in _ATTACHED.finditer(text)]
    text = _ATTACHED.sub("", text).strip()
    if not text:
        return Skipped("attachment without text" if attached else "empty message", where)
    return Record(
        NewMessage(
            speaker=match["name"].strip(),
            text=text,
            sent_at=moment,
            session=source.stem,
            source="signal",
            metadata={"attachments": "\n".join(attached)} if attached else {},
        ),
        source.stem,
        where,
    )


FORMAT: Final = ReaderFormat(
    name="signal",
    title="Signal text",
    extensions=(".txt", ".md"),
    keeps="names, texts of several lines, times, names of attachments",
    drops="media without text",
    detect=detect,
    read=read,
)
