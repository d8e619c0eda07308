"""What dates mean: days, months, years, seasons and holidays as the calendar names them.

A resolver takes the match and its scene and gives the span, or None when the words are no time after all. Where the
year is not said it is the one that the tense of the sentence asks for: the last begun, the next not over, or, where
nothing tells, the nearest. 7/5/2023 is day/month, unless only month/day can be meant (5/25/2023). Two-digit years
are 2000 to 2039 and 1940 to 1999.
"""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import Final

from trajwiki.domain.times import Precision, TimeSpan
from trajwiki.language import dates
from trajwiki.language.time_scene import Scene
from trajwiki.language.time_words import (
    DECADES,
    FOREIGN_MONTHS,
    MONTH_SHORT,
    ORDINALS,
    WEEKDAY_SHORT,
    compile_pattern,
    holiday_key,
    month_number,
    weekday_number,
)

Match = re.Match[str]

_PIVOT: Final = 40  # '39 is 2039, '40 is 1940


# Are the words a time at all?

_NOT_A_DAY_BEFORE: Final = re.compile(
    r"\b(?:every|each|any|most|some|a|an|another|one|per|happy|black|good|cyber|ash|palm|taco|casual|freaky|super"
    r"|bloody|manic|ruby|giving|alternate|either|the|my|your|his|her|our|their)\s$"
)
_NOT_A_DAY_AFTER: Final = re.compile(
    r"\s(?:school|roast|funday|mornings|afternoons|evenings|nights|times|the 13th)\b|\s?[:(]"
)
_LEADS_TO_DAY: Final = re.compile(r"\b(?:on|by|until|till|since|before|after|from|to|this|next|last|past|coming)\s$")
_ALSO_WORDS: Final = frozenset({"mon", "wed", "sat", "sun", "weds"})


def weekday_is_meant(match: Match, scene: Scene) -> bool:
    """Tell whether a weekday's name stands for one day: not "every Friday", "Sunday school", "the sun"."""
    name, start = match["wd"], match.start("wd")
    if name in WEEKDAY_SHORT:
        if name in _ALSO_WORDS and not scene.capital(start):
            return False
        if not _LEADS_TO_DAY.search(scene.before(start, 8)):
            return False
    if not match.groupdict().get("which") and _NOT_A_DAY_BEFORE.search(scene.before(match.start(), 10)):
        return False
    return not _NOT_A_DAY_AFTER.match(scene.after(match.end(), 12))


_NAMES_TOO: Final = frozenset({"april", "may", "june", "august", "march", *MONTH_SHORT})
_LEADS_TO_MONTH: Final = compile_pattern(
    r"(?:in|during|of|since|until|till|til|by|before|after|early|mid|late|around|through|last|next|this|past|coming"
    r"|beginning|starting|between|MONTH (?:and|or|to|through)|MONTH2\s?[-–])[-\s]?(?:this |the )?",
    at_end=True,
)
_FROM: Final = re.compile(r"\bfrom\s$")
_RANGE_FOLLOWS: Final = re.compile(r"\s?(?:to|until|till|through|thru|on|onwards?|-|–)\b")
_VERB_FOLLOWS: Final = re.compile(
    r"\s(?:be|have|not|need|seem|want|also|well|help|feel|take|get|sound|look|i|we|you|he)\b"
)


def month_is_meant(match: Match, scene: Scene, *, which: str = "") -> bool:
    """Tell whether a month's name stands for the month: not "you may", "they march", "June told me"."""
    name, start, end = match["month"], match.start("month"), match.end("month")
    if name not in _NAMES_TOO:
        return True
    if name in {"may", "march", "mar"} and not scene.capital(start):
        if which == "this" or _VERB_FOLLOWS.match(scene.after(end, 8)):
            return False
        if re.search(r"\b(?:to|and|or|this)\s$", scene.before(start, 5)):
            return False
    if which:
        return True
    before = scene.before(start, 24)
    if _FROM.search(before):
        return bool(_RANGE_FOLLOWS.match(scene.after(end, 10)))
    return bool(_LEADS_TO_MONTH.search(before))


# Years

_COUNTED: Final = re.compile(
    r"\s(?!was|is|has|this|as|his|its|us|alas|plus|yes|perhaps|always|does|onwards)[a-z]{2,}s\b|\s?[%$€°]"
)
_LEADS_TO_YEAR: Final = re.compile(
    r"\b(?:in|since|until|till|til|by|before|after|from|during|of|to|through|circa|early|mid|late|year|between|around"
    r"|starting|beginning|back to)[-\s]$"
)


def bare_year(match: Match, scene: Scene) -> TimeSpan | None:
    """Resolve "in 2016", "the year 2016", "in '98"; None for other numbers ("in 2000 steps")."""
    if not _LEADS_TO_YEAR.search(scene.before(match.start(), 12)) or _COUNTED.match(scene.after(match.end(), 16)):
        return None
    return dates.year_span(_year(match) or 0)


def year_range(match: Match, _scene: Scene) -> TimeSpan | None:
    """Resolve "2015-2018", "from 2015 to 2018", "between 2015 and 2018"."""
    return TimeSpan(date(int(match["year"]), 1, 1), date(int(match["year2"]), 12, 31), Precision.SPAN)


_HEAT: Final = re.compile(
    r"\b(?:degrees?|temperatures?|weather|highs?|lows?|fahrenheit|celsius|humid|mph|warm|hot|cold)\b|°"
)


def decade_words(match: Match, scene: Scene) -> TimeSpan | None:
    """Resolve "the 90s", "the late 1980s", "the nineties"; None for temperatures and ages."""
    groups = match.groupdict()
    tens = DECADES[groups["name"]] if groups.get("name") else int(groups["tens"]) * 10
    century = int(groups["century"]) * 100 if groups.get("century") else 1900
    if groups.get("tens") and not any(groups[lead] for lead in ("the", "mark", "part", "century")):
        return None  # "in his 30s"
    if not groups.get("century") and (tens < 20 or _HEAT.search(" ".join(scene.clause(*match.span())))):
        return None
    span = dates.decade(century + tens)
    if century + tens == 1900:  # "the 1900s" is the century
        return TimeSpan(date(1900, 1, 1), date(1999, 12, 31), Precision.SPAN)
    return dates.part(span, groups["part"]) if groups.get("part") else span


def _year(match: Match, day: date | None = None) -> int | None:
    """The year that YEAR, YY or "last year" captured, or None."""
    groups = match.groupdict()
    if year := groups.get("year") or groups.get("year2"):
        return int(year)
    if groups.get("yy"):
        return _century(int(groups["yy"][1:]))
    if groups.get("whose") and day:
        return day.year + {"last": -1, "this": 0, "next": 1}[groups["whose"]]
    return None


def _century(short: int) -> int:
    return short + (2000 if short < _PIVOT else 1900)


# What comes every year


def in_year(match: Match, year: int) -> TimeSpan:
    """Give the month, day of a month, season or holiday that a pattern captured, in a year."""
    groups = match.groupdict()
    if groups.get("season"):
        return dates.season(year, groups["season"])
    if groups.get("holiday"):
        return dates.holiday(year, holiday_key(groups["holiday"]))
    number = month_number(groups["month"])
    if groups.get("day"):
        return dates.day_span(date(year, number, int(groups["day"])))
    return dates.month(year, number)


def occurrences(match: Match, day: date) -> list[TimeSpan]:
    """Give what a pattern captured in each of the years around a day."""
    return dates.yearly(lambda year: in_year(match, year), day)


def _by_tense(match: Match, scene: Scene) -> TimeSpan | None:
    return dates.nearest(occurrences(match, scene.day), scene.day, scene.tense(*match.span()))


def month_day(match: Match, scene: Scene) -> TimeSpan | None:
    """Resolve "7 May 2023", "May 7th", "Friday, the 7th of May last year"."""
    year = _year(match, scene.day)
    if year is not None:
        return in_year(match, year)
    number_last = match.start("month") < match.start("day")
    if number_last and not scene.capital(match.start("month")) and _COUNTED.match(scene.after(match.end(), 16)):
        return None  # "they may 7 times", "march 5 miles"
    return _by_tense(match, scene)


def month_days(match: Match, scene: Scene) -> TimeSpan | None:
    """Resolve "May 5-8, 2023", "from the 5th to the 8th of May", "June 28 to July 3"."""
    if match["joint"] == "and" and not match.group().startswith("between"):
        return None
    last_month = month_number(match.groupdict().get("month2") or match["month"])
    year = _year(match, scene.day)
    if year is None:
        span = dates.nearest(
            dates.yearly(lambda y: dates.day_span(date(y, last_month, int(match["day2"]))), scene.day),
            scene.day,
            scene.tense(*match.span()),
        )
        if span is None or span.end is None:
            return None
        year = span.end.year
    end = date(year, last_month, int(match["day2"]))
    first_month = month_number(match["month"])
    start = date(year - (first_month > last_month), first_month, int(match["day"]))
    return TimeSpan(start, end, Precision.SPAN)


def month(match: Match, scene: Scene) -> TimeSpan | None:
    """Resolve "May 2022", "May of last year", "in May"."""
    year = _year(match, scene.day)
    if year is not None:
        return in_year(match, year)
    if not month_is_meant(match, scene) or scene.habitual(*match.span()):
        return None
    return _by_tense(match, scene)


def season(match: Match, scene: Scene) -> TimeSpan | None:
    """Resolve "summer 2021", "the summer of last year", "over the summer", "late spring"."""
    groups, year = match.groupdict(), _year(match, scene.day)
    if year is None and (scene.habitual(*match.span()) or _is_a_fall(match, scene)):
        return None
    if year is None and _NOT_ONE_SEASON.match(scene.after(match.end(), 10)):
        return None
    span = in_year(match, year) if year is not None else _by_tense(match, scene)
    return dates.part(span, groups["part"]) if span and groups.get("part") else span


_NOT_ONE_SEASON: Final = re.compile(r"\s(?:months?|season|time|heat|sun)\b")
_INJURY: Final = re.compile(r"\b(?:injur|hurt|brok|sprain|surviv|kill|damag|bruis|ankle|wrist|hip|knee|ladder|stairs)")


def _is_a_fall(match: Match, scene: Scene) -> bool:
    return match["season"] == "fall" and bool(_INJURY.search(" ".join(scene.clause(*match.span()))))


_LEADS_TO_HOLIDAY: Final = re.compile(
    r"\b(?:on|at|over|during|for|since|until|till|by|before|after|around|this|from|is|was)\s(?:the\s)?$"
)


def holiday(match: Match, scene: Scene) -> TimeSpan | None:
    """Resolve "Christmas 2022", "on New Year's Eve"; None where no day is meant ("Christmas tree", "I love Easter")."""
    year = _year(match, scene.day)
    if year is not None:
        return in_year(match, year)
    if not _LEADS_TO_HOLIDAY.search(scene.before(match.start(), 12)) or scene.habitual(*match.span()):
        return None
    return _by_tense(match, scene)


# Days in numbers


def iso_date(match: Match, _scene: Scene) -> TimeSpan | None:
    """Resolve "2023-05-07" and "2023年5月7日", also without the day or the month."""
    year, groups = int(match["year"]), match.groupdict()
    if not groups.get("m"):
        return dates.year_span(year)
    number = FOREIGN_MONTHS[groups["m"]] if groups["m"] in FOREIGN_MONTHS else int(groups["m"])
    return dates.day_span(date(year, number, int(groups["d"]))) if groups.get("d") else dates.month(year, number)


_MEASURE_FOLLOWS: Final = re.compile(r"\s?(?:of|cups?|tsp|tbsp|inch|inches|miles?|full|stars?|the|an?|\")\b")


def numeric_date(match: Match, scene: Scene) -> TimeSpan | None:
    """Resolve "7/5/2023", "25.12.23" and, after "on" and the like, "7/5"."""
    first, second = int(match["a"]), int(match["b"])
    day_number, month_of_it = (second, first) if second > 12 else (first, second)
    if match.groupdict().get("year"):
        year = int(match["year"])
        return dates.day_span(date(year if year > 99 else _century(year), month_of_it, day_number))
    if _MEASURE_FOLLOWS.match(scene.after(match.end(), 12)):
        return None
    spans = dates.yearly(lambda y: dates.day_span(date(y, month_of_it, day_number)), scene.day)
    return dates.nearest(spans, scene.day, scene.tense(*match.span()))


_LEADS_TO_NTH: Final = re.compile(r"\b(?:on|by|since|until|till|before|after|from|for|to|through|and|was|is)\s$")
_NOUN_FOLLOWS: Final = re.compile(
    r"\s(?!(?:and|but|at|with|for|in|of|so|because|when|to|till|until|through|as|if|i|we|he|she|they|it|is|was|this"
    r"|works?|would|will)\b)\w|-"
)


def nth_of_month(match: Match, scene: Scene) -> TimeSpan | None:
    """Resolve "on the 7th", "the 7th of this month"; not "on the 7th floor"."""
    day_number = int(match["nth"])
    if match["which"] is None:
        if not _LEADS_TO_NTH.search(scene.before(match.start(), 9)) or _NOUN_FOLLOWS.match(scene.after(match.end())):
            return None
        if re.match(r"\sof\b", scene.after(match.end(), 4)):
            return None
        around = [dates.shift(scene.day.replace(day=1), n, "month") for n in range(-2, 3)]
        spans = [dates.day_span(m.replace(day=day_number)) for m in around if _has(m, day_number)]
        return dates.nearest(spans, scene.day, scene.tense(*match.span()))
    count = {"last": -1, "next": 1}.get(match["which"], 0)
    return dates.day_span(dates.shift(scene.day.replace(day=1), count, "month").replace(day=day_number))


def weekday_and_nth(match: Match, scene: Scene) -> TimeSpan | None:
    """Resolve "on Thursday the 5th": the month near the day of speaking in which it falls on that weekday."""
    if not _LEADS_TO_NTH.search(scene.before(match.start(), 9)):
        return None
    day_number, first = int(match["nth"]), scene.day.replace(day=1)
    months = [m for n in range(-11, 12) if _has(m := dates.shift(first, n, "month"), day_number)]
    days = [d for m in months if (d := m.replace(day=day_number)).weekday() == weekday_number(match["wd"])]
    return dates.nearest([dates.day_span(d) for d in days], scene.day, scene.tense(*match.span()))


def _has(first: date, day_number: int) -> bool:
    return dates.month(first.year, first.month).contains(first + timedelta(days=day_number - 1))


def ordinal_part(match: Match, scene: Scene) -> TimeSpan | None:
    """Resolve "the first week of May", "the last Friday of this month", "the first day of 2023"."""
    groups, nth = match.groupdict(), ORDINALS[match["ordinal"]]
    if groups.get("month"):
        year = _year(match, scene.day)
        whole = dates.month(year, month_number(groups["month"])) if year is not None else _by_tense(match, scene)
    elif groups.get("which"):
        count = {"last": -1, "next": 1}.get(groups["which"], 0)
        whole = dates.grain(dates.shift(scene.day, count, groups["whole"]), groups["whole"])
    else:
        whole = dates.year_span(_year(match) or 0)
    if whole is None or whole.start is None or whole.end is None:
        return None
    return _part_of(whole.start, whole.end, groups, nth)


def _part_of(start: date, end: date, groups: dict[str, str | None], nth: int) -> TimeSpan | None:
    """The nth day, week, weekend or weekday between two days; weeks are counted in sevens from the start."""
    unit, name = groups.get("unit"), groups.get("weekday")
    if name or unit == "weekend":
        days = [start + timedelta(days=n) for n in range((end - start).days + 1)]
        hits = [d for d in days if d.weekday() == (weekday_number(name) if name else 5)]
        hit = hits[nth - 1 if nth > 0 else nth] if abs(nth) <= len(hits) else None
        return (dates.day_span(hit) if name else dates.weekend_of(hit)) if hit else None
    size = {"day": 1, "week": 7, "month": 0}[unit or "day"]
    if not size:
        first = dates.shift(start, nth - 1 if nth > 0 else 11, "month")
        return dates.month(first.year, first.month)
    first = start + timedelta(days=size * (nth - 1)) if nth > 0 else end - timedelta(days=size - 1)
    return TimeSpan(first, first + timedelta(days=size - 1), Precision.DAY if size == 1 else Precision.WEEK)
