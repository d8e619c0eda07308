"""WhatsApp's text export, in the spellings of dates and clocks that phones of many countries write."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final

from trajwiki.domain.messages import NewMessage
from trajwiki.domain.problems import Problem
from trajwiki.errors import UnreadableInput
from trajwiki.readers import clock
from trajwiki.readers.base import Confidence, Event, Head, Options, ReaderFormat, Record, Skipped
from trajwiki.readers.files import Source

MAX_NAME_CHARS: Final = 100
LINES_TO_TELL: Final = 30  # of the head; one of the first, or two of these, must be headers

_MARKS: Final = "\u200e\u200f\u202a\u202b\u202c\u202d\u202e\ufeff"
_HEADER: Final = re.compile(
    rf"[{_MARKS}]*(?P<bracket>\[?)"
    r"(?P<a>\d{1,4})(?P<sep>[/.\-])\s?(?P<b>\d{1,2})[/.\-]\s?(?P<c>\d{1,4})\.?,?\s{1,2}(?:(?:at|à|um|klo|kl\.?|a\slas)\s)?"
    r"(?P<before>上午|下午|凌晨|早上|中午|晚上|오전|오후|午前|午後)?\s?"
    r"(?P<hour>\d{1,2})[:.](?P<minute>\d{2})(?:[:.](?P<second>\d{2}))?"
    r"(?:\s?(?P<half>[AaPp])\.?\s?[Mm]\.?)?"
    r"(?:\]\s?|\s[-\u2013\u2014]\s)(?P<body>.*)",
    re.DOTALL,
)
_BODY: Final = re.compile(rf"[{_MARKS}]*(?P<name>[^:\n]{{1,{MAX_NAME_CHARS}}}):(?:[ \u00a0](?P<text>.*)|\Z)", re.DOTALL)
_AFTERNOON: Final = ("下午", "晚上", "오후", "午後")
_ISO_BRACKET: Final = re.compile(r"\s*\[\d{4}-\d{2}-\d{2},? \d{2}:\d{2}\]")  # that is Signal

_OMITTED: Final = re.compile(rf"[{_MARKS}]*(?:<[^\W\d_][\w ]{{2,30}} \w{{2,20}}>|\w{{3,12}} (?:card )?omitted)\.?")
_ATTACHED: Final = re.compile(
    rf"[{_MARKS}]*(?:<[^<>:\n]{{3,30}}: (?P<in_angles>[^<>\n]{{1,200}})>|(?P<named>[^\n]{{1,200}}\.\w{{2,5}}) "
    r"\((?:file attached|Datei angehängt|archivo adjunto|fichier joint|file allegato|arquivo anexado|"
    r"bestand bijgevoegd)\))\s*(?P<text>.*)",
    re.DOTALL,
)
_DELETED: Final = re.compile(
    rf"[{_MARKS}]*(?:This message was deleted|You deleted this message|Diese Nachricht wurde gelöscht|"
    r"Du hast diese Nachricht gelöscht|Este mensaje fue eliminado|Eliminaste este mensaje|Se eliminó este mensaje\.?|"
    r"Ce message a été supprimé|Vous avez supprimé ce message|Esta mensagem foi apagada|Mensagem apagada|"
    r"Questo messaggio è stato eliminato|null)\.?\s*"
)
_CALL: Final = re.compile(rf"[{_MARKS}]*(?:Missed|Silenced) (?:group )?(?:voice|video) call\b.{{0,60}}", re.DOTALL)
_EDITED: Final = re.compile(rf"\s*[{_MARKS}]*<This message was edited>\s*\Z")


@dataclass(frozen=True, slots=True)
class _Entry:
    """A header with its lines."""

    line: int
    match: re.Match[str]
    body: str


def detect(head: Head) -> Confidence:
    """Lines that begin with a date, a clock time, and ` - ` or brackets."""
    if head.items:
        return Confidence.NO
    lines = [line for line in head.text[:20_000].split("\n") if line.strip()][:LINES_TO_TELL]
    headers = [n for n, line in enumerate(lines) if _header(line)]
    if not headers or _ISO_BRACKET.match(lines[headers[0]]):
        return Confidence.NO
    return Confidence.SURE if headers[0] == 0 or len(headers) > 1 else Confidence.NO


def read(source: Source, options: Options) -> Iterator[Event]:
    """Give the messages in order; the order of day and month is found from the whole file first."""
    order: str | None = options.date_order
    if order is None:
        order, doubt = _date_order(source)
        if doubt:
            yield Problem("time.ambiguous-date-order", doubt, source.name)
    for entry in _entries(source):
        if isinstance(entry, Skipped):
            yield entry
        else:
            yield from _message(entry, order, source)


def _header(line: str) -> re.Match[str] | None:
    """Match a line that begins a message: with a clock time that exists."""
    match = _HEADER.match(line.removesuffix("\r"))
    if match is None or int(match["minute"]) > 59 or int(match["hour"]) > 24:
        return None
    return match


def _entries(source: Source) -> Iterator[_Entry | Skipped]:
    """Put lines together: a header and what follows until the next one."""
    start = 0
    open_: re.Match[str] | None = None
    body: list[str] = []
    for number, line in source.lines():
        match = _header(line)
        if match is None:
            if open_ is not None:
                body.append(line)
            elif line.strip():
                yield Skipped("line before the first message", source.at(f"line {number}"))
            continue
        if open_ is not None:
            yield _Entry(start, open_, "\n".join(body).rstrip())
        start, open_, body = number, match, [match["body"]]
    if open_ is not None:
        yield _Entry(start, open_, "\n".join(body).rstrip())


def _message(entry: _Entry, order: str, source: Source) -> Iterator[Event]:
    where = source.at(f"line {entry.line}")
    said = _BODY.fullmatch(entry.body)
    if said is None or _is_notice(said["name"]):
        yield Skipped("system line", where)
        return
    text = said["text"] or ""
    metadata: dict[str, str] = {}
    if _DELETED.fullmatch(text):
        yield Skipped("deleted message", where)
        return
    if attached := _ATTACHED.fullmatch(text):
        metadata["attachments"] = attached["in_angles"] or attached["named"]
        text = attached["text"]
    if _OMITTED.fullmatch(text) or (attached and not text.strip()):
        yield Skipped("attachment without text", where)
        return
    if text.startswith(("\u200e", "\u200f")) or _CALL.fullmatch(text):
        yield Skipped("system line", where)  # iPhones mark their own words so
        return
    if edited := _EDITED.search(text):
        metadata["edited"] = "yes"
        text = text[: edited.start()]
    moment = _moment(entry.match, order)
    if moment is None:
        raise UnreadableInput(
            f"{where}: the date {_written(entry.match)} does not exist in the order {order}; give another"
        )
    yield Record(
        NewMessage(
            speaker=said["name"].strip(_MARKS + " ").removeprefix("~").strip("\u202f\u00a0 "),
            text=text,
            sent_at=moment,
            session=source.stem,
            source="whatsapp",
            metadata=metadata,
        ),
        source.stem,
        where,
    )


def _is_notice(name: str) -> bool:
    """Tell the words before a colon from a name: a quotation that the colon cuts."""
    return name.count('"') % 2 == 1 or name.count("“") > name.count("”") or name.count("«") > name.count("»")


def _written(match: re.Match[str]) -> str:
    return f"{match['a']}{match['sep']}{match['b']}{match['sep']}{match['c']}"


def _day(match: re.Match[str], order: str) -> date | None:
    year, month, day = (int(match["abc"[order.index(letter)]]) for letter in "ymd")
    try:
        return date(year + 2000 if year < 100 else year, month, day)
    except ValueError:
        return None


def _moment(match: re.Match[str], order: str) -> datetime | None:
    day = _day(match, order)
    hour, minute, second = int(match["hour"]), int(match["minute"]), int(match["second"] or 0)
    if match["half"]:
        hour = hour % 12 + (12 if match["half"].lower() == "p" else 0)
    elif match["before"]:
        hour = hour % 12 + (12 if match["before"] in _AFTERNOON else 0) + (12 if match["before"] == "中午" else 0)
    if day is None:
        return None
    try:
        return clock.sensible(datetime(day.year, day.month, day.day, hour % 24, minute, min(second, 59)))
    except ValueError:
        return None


def _date_order(source: Source) -> tuple[str, str]:
    """Find the order of the dates of a file.

    A number above 12 tells a day, one above 31 a year; then the order in which time runs forward; then dots, which
    stand between numbers where the day comes first.

    Returns:
        The order, and the doubt about it, which is empty when there is none.

    Raises:
        UnreadableInput: The dates contradict each other.
    """
    backward = {"dmy": 0, "mdy": 0}
    last: dict[str, date] = {}
    possible = {"dmy", "mdy"}
    dots = some = False
    for number, line in source.lines():
        if (match := _header(line)) is None:
            continue
        if len(match["a"]) > 2 or int(match["a"]) > 31:
            return "ymd", ""
        some = True
        dots = dots or match["sep"] == "."
        for order in sorted(possible):
            if (day := _day(match, order)) is None:
                possible.discard(order)
                continue
            backward[order] += day < last.get(order, day)
            last[order] = day
        if not possible:
            raise UnreadableInput(
                f"{source.at(f'line {number}')}: the date {_written(match)} fits neither day nor month first as the "
                "dates before it do; give the order of the dates"
            )
    if not some or len(possible) == 1:
        return (min(possible), "")
    if backward["dmy"] != backward["mdy"]:
        return min(backward, key=lambda order: backward[order]), ""
    if dots:
        return "dmy", ""
    return "dmy", (
        "its dates can be read with the day first or the month first; the day was taken to be first "
        "(the option date_order says otherwise)"
    )


FORMAT: Final = ReaderFormat(
    name="whatsapp",
    title="WhatsApp text export",
    extensions=(".txt", ".zip"),
    keeps="names, texts of several lines, times as the phone wrote them, names of attached files, edits",
    drops="system lines, calls, deleted messages, media without text",
    detect=detect,
    read=read,
)
