"""Calendar arithmetic: the days that a week, weekend, month, season, year, decade or holiday covers.

Weeks run from Monday to Sunday, weekends from Saturday to Sunday. Seasons are the meteorological ones of the northern
hemisphere: spring is March to May, and a winter bears the year in which it begins. What the calendar of `datetime`
does not hold raises ValueError or OverflowError.
"""

from __future__ import annotations

import calendar
import enum
from collections.abc import Callable, Iterable
from datetime import date, timedelta
from typing import Final

from trajwiki.domain.times import Precision, TimeSpan

SEASON_STARTS: Final = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}


class Tense(enum.StrEnum):
    """To which side of its moment a sentence looks."""

    PAST = "past"
    FUTURE = "future"
    OPEN = "open"


def day_span(day: date) -> TimeSpan:
    """Give the day itself."""
    return TimeSpan(day, day, Precision.DAY)


def week_of(day: date) -> TimeSpan:
    """Give the week, Monday to Sunday, that holds the day."""
    monday = day - timedelta(days=day.weekday())
    return TimeSpan(monday, monday + timedelta(days=6), Precision.WEEK)


def weekend_of(day: date) -> TimeSpan:
    """Give the weekend of the week that holds the day."""
    saturday = day + timedelta(days=5 - day.weekday())
    return TimeSpan(saturday, saturday + timedelta(days=1), Precision.WEEKEND)


def month(year: int, number: int) -> TimeSpan:
    """Give a calendar month."""
    last = calendar.monthrange(year, number)[1]
    return TimeSpan(date(year, number, 1), date(year, number, last), Precision.MONTH)


def season(year: int, name: str) -> TimeSpan:
    """Give a season by its English name; winter runs into the next year."""
    first = date(year, SEASON_STARTS[name], 1)
    return TimeSpan(first, shift(first, 3, "month") - timedelta(days=1), Precision.SEASON)


def year_span(year: int) -> TimeSpan:
    """Give a calendar year."""
    return TimeSpan(date(year, 1, 1), date(year, 12, 31), Precision.YEAR)


def decade(first_year: int) -> TimeSpan:
    """Give the ten years from a year on."""
    return TimeSpan(date(first_year, 1, 1), date(first_year + 9, 12, 31), Precision.DECADE)


def weekday_in_week(day: date, weekday: int) -> TimeSpan:
    """Give a weekday (Monday is 0) of the week that holds the day."""
    return day_span(day + timedelta(days=weekday - day.weekday()))


_GRAINS: Final[dict[str, Callable[[date], TimeSpan]]] = {
    "day": day_span,
    "week": week_of,
    "fortnight": week_of,
    "weekend": weekend_of,
    "month": lambda day: month(day.year, day.month),
    "year": lambda day: year_span(day.year),
    "decade": lambda day: decade(day.year - day.year % 10),
}


def weekday_before(day: date, weekday: int) -> date:
    """Give the last such weekday (Monday is 0) before a day."""
    return day - timedelta(days=(day.weekday() - weekday - 1) % 7 + 1)


def grain(day: date, unit: str) -> TimeSpan:
    """Give the unit (day, week, fortnight, weekend, month, year, decade) that holds the day."""
    return _GRAINS[unit](day)


_DAYS: Final = {"day": 1, "week": 7, "weekend": 7, "fortnight": 14}
_MONTHS: Final = {"month": 1, "year": 12, "decade": 120}


def shift(day: date, count: int, unit: str) -> date:
    """Give the day that lies so many units later; the last of a month stays in the month it is moved to."""
    if unit in _DAYS:
        return day + timedelta(days=count * _DAYS[unit])
    months = day.year * 12 + day.month - 1 + count * _MONTHS[unit]
    year, index = divmod(months, 12)
    if not date.min.year <= year <= date.max.year:
        raise OverflowError(f"no such year: {year}")
    return date(year, index + 1, min(day.day, calendar.monthrange(year, index + 1)[1]))


def part(span: TimeSpan, word: str) -> TimeSpan:
    """Give a part of a closed span.

    Args:
        span: What it is part of.
        word: "early", "mid", "late" or "middle" for a third, in whole months of a year and whole years of a decade;
            "beginning", "start" or "end" for a week of a month, a month of a year, else a third; "first half" or
            "second half".
    """
    start, end = _closed(span)
    if word in {"first half", "second half"}:
        cut = _cut(span, 1, 2)
        first, last = (start, cut - timedelta(days=1)) if word == "first half" else (cut, end)
        return TimeSpan(first, last, Precision.SPAN)
    size = {Precision.MONTH: 7, Precision.YEAR: 31}.get(span.precision)
    if size and word in {"beginning", "start", "end"}:
        first, last = (
            (end - timedelta(days=size - 1), end) if word == "end" else (start, start + timedelta(days=size - 1))
        )
        return TimeSpan(first, last, Precision.APPROXIMATE)
    index = {"early": 0, "beginning": 0, "start": 0, "mid": 1, "middle": 1, "late": 2, "end": 2}[word]
    second, third = _cut(span, 1, 3), _cut(span, 2, 3)
    one = timedelta(days=1)
    first, last = ((start, second - one), (second, third - one), (third, end))[index]
    return TimeSpan(first, last, Precision.APPROXIMATE)


def _cut(span: TimeSpan, numerator: int, denominator: int) -> date:
    """The first day behind a fraction of a closed span, in whole units where they divide it well."""
    start, end = _closed(span)
    if span.precision is Precision.DECADE:
        return shift(start, -(-10 * numerator // denominator), "year")
    if span.precision in (Precision.YEAR, Precision.SEASON):
        months = 12 if span.precision is Precision.YEAR else 3
        return shift(start, months * numerator // denominator, "month")
    days = (end - start).days + 1
    return start + timedelta(days=days * numerator // denominator)


def loosen(span: TimeSpan) -> TimeSpan:
    """Give what "around" makes of a span: its neighbourhood, by its own grain."""
    count, unit = {
        Precision.DAY: (3, "day"),
        Precision.WEEKEND: (5, "day"),
        Precision.WEEK: (1, "week"),
        Precision.MONTH: (15, "day"),
        Precision.YEAR: (1, "year"),
    }.get(span.precision, (0, "day"))
    return TimeSpan(
        shift(span.start, -count, unit) if span.start else None,
        shift(span.end, count, unit) if span.end else None,
        Precision.APPROXIMATE,
    )


def beside(day: date, noun: str, direction: int) -> TimeSpan:
    """Give the day, week, weekend, month or year right before (-1) or after (+1) the one that holds a day."""
    if noun == "weekend" and direction > 0 and day.weekday() < 5:
        return weekend_of(day)
    return grain(shift(day, direction, noun), noun)


def weekday_beside(day: date, weekday: int, direction: int) -> TimeSpan:
    """Give the last such weekday before (-1) or the first after (+1) a day."""
    if direction < 0:
        return day_span(weekday_before(day, weekday))
    return day_span(weekday_before(day + timedelta(days=1), weekday) + timedelta(days=7))


def yearly(make: Callable[[int], TimeSpan], day: date) -> list[TimeSpan]:
    """Give what recurs every year, in the years around a day; years that lack it (29 February) are left out."""
    spans = []
    for year in range(max(date.min.year, day.year - 5), min(date.max.year, day.year + 5) + 1):
        try:
            spans.append(make(year))
        except (ValueError, OverflowError):
            continue
    return spans


def nearest(spans: Iterable[TimeSpan], day: date, tense: Tense) -> TimeSpan | None:
    """Choose the occurrence that a sentence means: the last begun, the next not over, or, undecided, the closest.

    Args:
        spans: Closed occurrences, in order.
        day: When it was said.
        tense: Where the sentence looks.
    """
    closed = [(s, *_closed(s)) for s in spans]
    if tense is Tense.PAST:
        return next((s for s, start, _ in reversed(closed) if start <= day), None)
    if tense is Tense.FUTURE:
        return next((s for s, _, end in closed if end >= day), None)
    return min(closed, key=lambda c: max((c[1] - day).days, (day - c[2]).days, 0), default=(None,))[0]


def lies(span: TimeSpan, day: date) -> int:
    """Tell where a span lies as seen from a day: -1 over, 0 there, 1 to come."""
    if span.end and span.end < day:
        return -1
    return 1 if span.start and span.start > day else 0


def before(spans: Iterable[TimeSpan], day: date) -> TimeSpan | None:
    """Give the last of the spans that is over before the day."""
    return next((s for s in reversed(list(spans)) if _closed(s)[1] < day), None)


def after(spans: Iterable[TimeSpan], day: date) -> TimeSpan | None:
    """Give the first of the spans that begins after the day."""
    return next((s for s in spans if _closed(s)[0] > day), None)


def holiday(year: int, name: str) -> TimeSpan:
    """Give a holiday, by its key in HOLIDAYS, in a year."""
    return day_span(HOLIDAYS[name](year))


def _closed(span: TimeSpan) -> tuple[date, date]:
    if span.start is None or span.end is None:
        raise ValueError(f"an open span has no parts: {span.iso()}")
    return span.start, span.end


def nth_weekday(year: int, number: int, weekday: int, nth: int) -> date:
    """Give the nth (1-5, or -1 for the last) weekday of a month."""
    days = [w[weekday] for w in calendar.Calendar().monthdayscalendar(year, number) if w[weekday]]
    if nth == 0 or not -len(days) <= nth <= len(days):
        raise ValueError(f"no such day: the {nth}. weekday {weekday} of {year}-{number}")
    return date(year, number, days[nth - 1 if nth > 0 else nth])


def _easter(year: int) -> date:
    """Easter Sunday, by the moon of the Gregorian calendar's tables."""
    golden = year % 19
    century, in_century = divmod(year, 100)
    moon = (19 * golden + century - century // 4 - (century - (century + 8) // 25 + 1) // 3 + 15) % 30
    sunday = (32 + 2 * (century % 4) + 2 * (in_century // 4) - moon - in_century % 4) % 7
    late = (golden + 11 * moon + 22 * sunday) // 451
    month_number, day = divmod(moon + sunday - 7 * late + 114, 31)
    return date(year, month_number, day + 1)


HOLIDAYS: Final[dict[str, Callable[[int], date]]] = {
    "new year's day": lambda y: date(y, 1, 1),
    "new year's eve": lambda y: date(y, 12, 31),
    "christmas": lambda y: date(y, 12, 25),
    "christmas eve": lambda y: date(y, 12, 24),
    "boxing day": lambda y: date(y, 12, 26),
    "halloween": lambda y: date(y, 10, 31),
    "valentine's day": lambda y: date(y, 2, 14),
    "st patrick's day": lambda y: date(y, 3, 17),
    "independence day": lambda y: date(y, 7, 4),
    "juneteenth": lambda y: date(y, 6, 19),
    "veterans day": lambda y: date(y, 11, 11),
    "thanksgiving": lambda y: nth_weekday(y, 11, 3, 4),
    "black friday": lambda y: nth_weekday(y, 11, 3, 4) + timedelta(days=1),
    "labor day": lambda y: nth_weekday(y, 9, 0, 1),
    "memorial day": lambda y: nth_weekday(y, 5, 0, -1),
    "mother's day": lambda y: nth_weekday(y, 5, 6, 2),
    "father's day": lambda y: nth_weekday(y, 6, 6, 3),
    "easter": _easter,
    "good friday": lambda y: _easter(y) - timedelta(days=2),
    "easter monday": lambda y: _easter(y) + timedelta(days=1),
}
"""Days of holidays by year (those of the United States where countries differ)."""
