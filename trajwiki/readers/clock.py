"""Times as files write them: ISO, numbers since 1970, words; naive where no zone is named."""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime, timedelta, timezone
from typing import Any, Final

FIRST_YEAR: Final = 1900
LAST_YEAR: Final = 2200
MILLISECONDS_FROM: Final = 100_000_000_000  # such a number of seconds is the year 5138
MICROSECONDS_FROM: Final = 100_000_000_000_000
MAX_TIME_CHARS: Final = 64

_MONTHS: Final = {
    name: number
    for number, names in enumerate(
        ("january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul", "august aug",
         "september sep sept", "october oct", "november nov", "december dec"), start=1
    )
    for name in names.split()
}  # fmt: skip
_CLOCK: Final = re.compile(r"(\d{1,2})[:.](\d{2})(?:[:.](\d{2})(?:\.\d+)?)?\s*([ap])?\.?(?:m\b)?", re.IGNORECASE)
_DAY_MONTH: Final = re.compile(r"(\d{1,2})(?:st|nd|rd|th)?\s+(?:of\s+)?([a-z]{3,9})\.?,?\s+(\d{4})", re.IGNORECASE)
_MONTH_DAY: Final = re.compile(r"([a-z]{3,9})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})", re.IGNORECASE)
_YEAR_FIRST: Final = re.compile(r"(\d{4})[/.-](\d{1,2})[/.-](\d{1,2})")
_DAY_FIRST: Final = re.compile(r"(\d{1,2})\.(\d{1,2})\.(\d{4})")  # dotted dates have the day first


def parse(value: Any) -> datetime | None:
    """Give the time a value stands for: aware when it names its zone or is a number, else naive; None when unreadable.

    Numbers are seconds since 1970, or milliseconds or microseconds when they are too large for that.
    """
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int | float):
        return from_number(value)
    if not isinstance(value, str) or len(value) > MAX_TIME_CHARS:
        return None
    text = value.strip()
    try:
        return sensible(datetime.fromisoformat(text))
    except ValueError:
        pass
    if re.fullmatch(r"-?\d{9,17}(?:\.\d{1,9})?", text, re.ASCII):
        return from_number(float(text))
    return _written(text)


def from_number(value: float) -> datetime | None:
    """Give the time of a number since 1970, in UTC; None when it is no time of these centuries."""
    try:
        seconds = float(value)
    except OverflowError:
        return None
    if not math.isfinite(seconds):
        return None
    if abs(seconds) >= MICROSECONDS_FROM:
        seconds /= 1_000_000
    elif abs(seconds) >= MILLISECONDS_FROM:
        seconds /= 1_000
    try:
        return sensible(datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds))
    except OverflowError:
        return None


def sensible(moment: datetime) -> datetime | None:
    """Give the time back when it lies in these centuries, so that no later arithmetic runs off the calendar."""
    return moment if FIRST_YEAR <= moment.year < LAST_YEAR else None


def local(moment: datetime, written: Any) -> datetime:
    """Give an aware time in the zone whose clock showed `written`, where that is a whole quarter of an hour away."""
    shown = parse(written)
    if shown is None or shown.tzinfo is not None:
        return moment
    offset = shown - moment.astimezone(UTC).replace(tzinfo=None)
    if abs(offset) > timedelta(hours=14) or offset % timedelta(minutes=15):
        return moment
    return moment.astimezone(timezone(offset))


def _written(text: str) -> datetime | None:
    """Read a day and a clock time in words, such as ``1:56 pm on 8 May, 2023`` or ``2023/05/20 (Sat) 02:21``."""
    day, rest = _day(text)
    if day is None:
        return None
    clock = _CLOCK.search(rest)
    if clock is None:
        return day
    hour, minute, second = int(clock[1]), int(clock[2]), int(clock[3] or 0)
    if clock[4]:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if clock[4].lower() == "p" else 0)
    zone = UTC if re.search(r"(?:\bUTC|\bGMT|\dZ)\b", rest) else None
    try:
        return day.replace(hour=hour, minute=minute, second=second, tzinfo=zone)
    except ValueError:
        return None


def _day(text: str) -> tuple[datetime | None, str]:
    """Give the day and the text without it."""
    for pattern, order in ((_YEAR_FIRST, "ymd"), (_DAY_FIRST, "dmy"), (_DAY_MONTH, "dmy"), (_MONTH_DAY, "mdy")):
        if (match := pattern.search(text)) is None:
            continue
        parts = dict(zip(order, match.groups(), strict=True))
        month = _MONTHS.get(parts["m"].lower()) or (int(parts["m"]) if parts["m"].isdecimal() else 0)
        try:
            day = sensible(datetime(int(parts["y"]), month, int(parts["d"])))
        except ValueError:
            return None, ""
        return day, text[: match.start()] + " " + text[match.end() :]
    return None, ""
