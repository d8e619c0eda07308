"""Saying a time span in English."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Final

from trajwiki.domain.times import Precision, TimeSpan
from trajwiki.language import dates
from trajwiki.language.time_words import MONTHS

_MONTHS: Final = tuple(name.capitalize() for name in MONTHS)
_SEASONS: Final = {3: "spring", 6: "summer", 9: "autumn", 12: "winter"}
_YEARS_FROM: Final = 730  # days: a window longer than this is said in years,
_MONTHS_FROM: Final = 45  # one longer than this in months


def span_words(span: TimeSpan) -> str:
    """Give a span in words that can answer "when?".

    "7 May 2023", "the weekend of 20-21 May 2023", "the week of 15-21 May 2023", "May 2023", "summer 2022", "2022",
    "the 1990s", "from May to July 2022", "since March 2016", "until 24 June 2023", "around early May 2023",
    "around 2018-2021". Any span has words, also one that does not fit its precision.
    """
    start, end = span.start, span.end
    about = "around " if span.precision is Precision.APPROXIMATE else ""
    if start is None or end is None:
        if start is None:
            return f"{'sometime before' if about else 'until'} {_ending(end, loose=bool(about))}" if end else ""
        return f"since {about}{_beginning(start, loose=bool(about))}"
    if about:
        return about + _window(start, end)
    return _grain(start, end, span.precision) or _range(start, end)


def _day(day: date) -> str:
    return f"{day.day} {_month(day)}"


def _month(day: date) -> str:
    return f"{_MONTHS[day.month - 1]} {day.year}"


def _beginning(day: date, *, loose: bool) -> str:
    if day.day == 1 and day.month == 1:
        return str(day.year)
    return _month(day) if day.day == 1 or loose else _day(day)


def _ending(day: date, *, loose: bool) -> str:
    if day.day == 31 and day.month == 12:
        return str(day.year)
    return _month(day) if loose or day == _month_end(day) else _day(day)


def _month_end(day: date) -> date:
    return dates.month(day.year, day.month).end or day


def _grain(start: date, end: date, precision: Precision) -> str | None:
    """The name of the calendar unit that the span is, or None when it is none."""
    if start == end:
        return _day(start)
    span = TimeSpan(start, end, precision)
    if precision is Precision.WEEK and (end - start) == timedelta(days=6):
        return f"the week of {_days(start, end)}"
    if precision is Precision.WEEKEND and (end - start) == timedelta(days=1):
        return f"the weekend of {_days(start, end)}"
    if precision is Precision.MONTH and span == dates.month(start.year, start.month):
        return _month(start)
    if precision is Precision.YEAR and span == dates.year_span(start.year):
        return str(start.year)
    if precision is Precision.SEASON and start.month in _SEASONS and (end - start).days in range(88, 93):
        return f"{_SEASONS[start.month]} {_years(start, end)}"
    if precision is Precision.DECADE and (start.month, start.day, start.year % 10) == (1, 1, 0):
        return f"the {start.year}s"
    return None


def _range(start: date, end: date) -> str:
    """From one end to the other, in whole years or months where they are whole."""
    if start.day == 1 and end == _month_end(end):
        if start.month == 1 and end.month == 12:
            return f"from {start.year} to {end.year}" if start.year != end.year else str(start.year)
        if _month(start) == _month(end):
            return _month(start)
        return f"from {_short_month(start, end)} to {_month(end)}"
    return f"from {_short_day(start, end)} to {_day(end)}"


def _window(start: date, end: date) -> str:
    """An inexact span, in units that do not pretend to more than is known."""
    length = (end - start).days
    if length > _YEARS_FROM or (length > 300 and start.day == start.month == 1 and end.month == 12):
        return _years(start, end)
    month = dates.month(start.year, start.month)
    if _month(start) == _month(end):
        parts = ("early", "mid", "late")
        part = next((p for p in parts if (dates.part(month, p).start, dates.part(month, p).end) == (start, end)), None)
        if part:
            return f"{part}{'-' if part == 'mid' else ' '}{_month(start)}"
    if length > _MONTHS_FROM:
        joint = "-" if start.year == end.year else " - "
        return f"{_short_month(start, end)}{joint}{_month(end)}"
    if (start, end) == (month.start, month.end):
        return _month(start)
    return _days(start, end)


def _years(start: date, end: date) -> str:
    return str(start.year) if start.year == end.year else f"{start.year}-{end.year}"


def _days(start: date, end: date) -> str:
    """Two days close to each other: 15-21 May 2023, 29 May - 4 June 2023."""
    if start == end:
        return _day(start)
    if _month(start) == _month(end):
        return f"{start.day}-{_day(end)}"
    return f"{_short_day(start, end)} - {_day(end)}"


def _short_day(start: date, end: date) -> str:
    """The first day of two, without the year or the month that the second repeats."""
    if _month(start) == _month(end):
        return str(start.day)
    return f"{start.day} {_short_month(start, end)}"


def _short_month(start: date, end: date) -> str:
    return _MONTHS[start.month - 1] if start.year == end.year else _month(start)
