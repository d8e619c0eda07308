"""Plain transcripts: a name, a colon and a text on each line, perhaps after a time."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from typing import Final

from trajwiki.domain.messages import NewMessage, Role
from trajwiki.readers import clock
from trajwiki.readers.base import Confidence, Event, Head, Options, ReaderFormat, Record, Skipped
from trajwiki.readers.fields import ROLES, unreadable_time
from trajwiki.readers.files import Source

LINES_TO_TELL: Final = 100
MAX_NAME_WORDS: Final = 4
SHARE_TO_TELL: Final = 0.4  # of these lines that must begin a turn

_TIME: Final = r"\d{4}-\d{2}-\d{2}[T ,]{1,2}\d{1,2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?(?:Z|[+-]\d{2}:?\d{2})?"
_CLOCK: Final = r"\d{1,2}:\d{2}(?::\d{2})?(?:\s?[AaPp][Mm])?"  # a time without a day is no time
_TURN: Final = re.compile(
    rf"\s{{0,3}}(?:[\[(]?(?:(?P<before>{_TIME})|{_CLOCK})[\])]?[ \t,|-]{{1,3}})?\*{{0,2}}"
    r"(?P<name>[^\W\d_][^:\n*<>{}\[\]()=\"|]{0,39})"
    rf"(?:[\[(](?:(?P<after>{_TIME})|{_CLOCK})[\])])?:\*{{0,2}}(?:[ \t]+(?P<text>\S.*)|\s*\Z)"
)


def detect(head: Head) -> Confidence:
    """Most lines begin with a name and a colon, and names come back."""
    if head.items or head.members:
        return Confidence.NO
    lines = [line for line in head.text.split("\n")[:1000] if line.strip()][:LINES_TO_TELL]
    names = Counter(match["name"] for line in lines if (match := _turn(line)) is not None)
    if not lines or _turn(lines[0]) is None or len(names) < 2 or names.total() < SHARE_TO_TELL * len(lines):
        return Confidence.NO
    return Confidence.MAYBE if names.total() == 2 or max(names.values()) > 1 else Confidence.NO


def read(source: Source, options: Options) -> Iterator[Event]:
    """Give the turns in order; a line without a name belongs to the turn before it."""
    start = 0
    open_: re.Match[str] | None = None
    body: list[str] = []
    for number, line in source.lines():
        match = _turn(line)
        if match is None:
            if open_ is not None:
                body.append(line)
            elif line.strip():
                yield Skipped("line before the first turn", source.at(f"line {number}"))
            continue
        if open_ is not None:
            yield from _message(open_, body, source, start)
        start, open_, body = number, match, [match["text"] or ""]
    if open_ is not None:
        yield from _message(open_, body, source, start)


def _turn(line: str) -> re.Match[str] | None:
    match = _TURN.fullmatch(line.removesuffix("\r"))
    return match if match is not None and len(match["name"].split()) <= MAX_NAME_WORDS else None


def _message(match: re.Match[str], body: list[str], source: Source, line: int) -> Iterator[Event]:
    where = source.at(f"line {line}")
    text = "\n".join(body).strip()
    if not text:
        yield Skipped("empty message", where)
        return
    moment: datetime | None = None
    if written := match["before"] or match["after"]:
        moment = clock.parse(written)
        if moment is None:
            yield unreadable_time(written, where)
    name = match["name"].strip()
    yield Record(
        NewMessage(
            speaker=name,
            text=text,
            sent_at=moment,
            session=source.stem,
            source="plain",
            role=ROLES.get(name.lower(), Role.USER),
        ),
        source.stem,
        where,
    )


FORMAT: Final = ReaderFormat(
    name="plain",
    title="plain transcript (Name: text)",
    extensions=(".txt", ".md"),
    keeps="names, texts of several lines, a time before the name; names such as User and Assistant as roles",
    drops="lines before the first turn",
    detect=detect,
    read=read,
)
