"""What time expressions mean, counted from the day of speaking: one function for each kind of relative pattern.

A resolver takes the match and its scene and gives the span, or None when the words are no time after all. It may raise
ValueError or OverflowError for days that no calendar has. Rules for ambiguous forms:

- "last Friday" is the last one before the day of speaking; "this Friday" the one of its week, or, once that is over
  and the sentence looks ahead, the coming one; "next Friday" the one of the week after. "next weekend" likewise.
- "last May" and "last summer" are the last that is over, "next May" and "next summer" the first not yet begun.
- "two weeks ago" is the week that holds that day, "two months ago" the month, "two years ago" the year; vague amounts
  ("a few weeks ago", "about two years ago") are windows.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Final

from trajwiki.domain.times import Precision, TimeSpan
from trajwiki.language import dates
from trajwiki.language.dates import Tense
from trajwiki.language.time_dates import month_is_meant, occurrences, weekday_is_meant
from trajwiki.language.time_foreign import DENSE, LATIN, means_time
from trajwiki.language.time_scene import Scene
from trajwiki.language.time_words import UNITS, Amount, read_amount, weekday_number

Match = re.Match[str]
Resolver = Callable[[Match, Scene], TimeSpan | None]


def on_day(count: int) -> Resolver:
    """Give a resolver for the day that lies so many days away."""
    return lambda _match, scene: dates.day_span(scene.day + timedelta(days=count))


def foreign(match: Match, scene: Scene) -> TimeSpan | None:
    """Resolve a phrase of another language by its table."""
    phrase = match["phrase"]
    if phrase in LATIN and not means_time(phrase, text=scene.flat, before=scene.before(match.start(), 8)):
        return None
    unit, count = LATIN.get(phrase) or DENSE[phrase]
    return dates.grain(dates.shift(scene.day, count, unit), unit)


# Amounts of time


def offset(amount: Amount, scene: Scene, direction: int) -> TimeSpan:
    """Give the unit that lies an amount away (direction -1: back, +1: ahead), or the window of an inexact amount."""
    unit = amount.unit
    if unit in {"hour", "minute"}:
        first, last = sorted((scene.moment + direction * _clock(n, unit)).date() for n in (amount.low, amount.high))
        return TimeSpan(first, last, Precision.DAY if first == last else Precision.APPROXIMATE)
    near, far = (dates.grain(dates.shift(scene.day, direction * n, unit), unit) for n in (amount.low, amount.high))
    if amount.exact:
        return near
    if not amount.low:
        near = dates.day_span(scene.day)
    if direction < 0:
        near, far = far, near
    return TimeSpan(near.start, far.end, Precision.APPROXIMATE)


def _clock(count: int, unit: str) -> timedelta:
    return timedelta(hours=count) if unit == "hour" else timedelta(minutes=count)


def ago(match: Match, scene: Scene) -> TimeSpan | None:
    """Resolve "three years ago", "a few weeks back", "it's been two months since"."""
    amount = read_amount(match)
    if match.groupdict().get("sharp") and amount.exact:  # "a year ago today"
        return dates.day_span(dates.shift(scene.day, -amount.low, amount.unit))
    return offset(amount, scene, -1)


_COUNTED: Final = re.compile(r"(?:[0-9]|hundred|thousand|million|billion)\s$")
_MANY: Final = {"day": 7, "week": 8, "month": 12, "year": 20, "decade": 5}


def units_ago(match: Match, scene: Scene) -> TimeSpan | None:
    """Resolve "weeks ago", "years back": more than one, nobody knows how many."""
    unit = match["unit"]
    if _COUNTED.search(scene.before(match.start(), 10)):
        return None
    return offset(Amount(2, _MANY[unit], unit, 2), scene, -1)


def long_ago(match: Match, scene: Scene) -> TimeSpan | None:
    """Resolve "a while ago", "a long time ago", "not too long ago"."""
    words = match.group()
    if words.startswith("not"):
        return TimeSpan(dates.shift(scene.day, -3, "month"), scene.day, Precision.APPROXIMATE)
    end = dates.shift(scene.day, -1, "year") if "long" in words or "ages" in words else scene.day
    return TimeSpan(None, end, Precision.APPROXIMATE)


def weekdays_ago(match: Match, scene: Scene) -> TimeSpan | None:
    """Resolve "two Fridays ago", "three weekends ago"."""
    amount = read_amount(match, "week")
    weekday = match.groupdict().get("weekday")
    if weekday is None:
        return offset(replace(amount, unit="weekend"), scene, -1)
    last = dates.weekday_before(scene.day, weekday_number(weekday))
    first, end = (dates.shift(last, 1 - n, "week") for n in (amount.high, amount.low))
    return TimeSpan(first, end, Precision.DAY if first == end else Precision.APPROXIMATE)


_NO_DEADLINE: Final = re.compile(r"\b(?:time|once|twice|times|thing|best|worst)\s(?:\w+\s)?$")


_NOT_SINCE: Final = re.compile(r"\b(?:haven't|hasn't|have not|has not|havent|hasnt)\b")


def ahead(match: Match, scene: Scene) -> TimeSpan | None:
    """Resolve "in two weeks", "in 3 months' time"; None for how long something took ("I read it in two days")."""
    amount = read_amount(match)
    if not match.groupdict().get("sure"):
        if amount.unit not in {"hour", "minute"} and _NOT_SINCE.search(scene.clause(*match.span())[0]):
            return _still(amount, scene)
        tense, left = scene.tense(*match.span()), scene.clause(*match.span())[0]
        # Where no verb tells, the words are a date only near the beginning: "Back in two weeks!"
        if amount.unit in {"hour", "minute"} or tense is Tense.PAST or (tense is Tense.OPEN and left.count(" ") > 2):
            return None
        if _NO_DEADLINE.search(left):
            return None
    return offset(amount, scene, 1)


def within(match: Match, scene: Scene) -> TimeSpan | None:
    """Resolve "within two weeks" where the sentence looks ahead."""
    amount = read_amount(match)
    if amount.unit in {"hour", "minute"} or scene.tense(*match.span()) is not Tense.FUTURE:
        return None
    return TimeSpan(scene.day, dates.shift(scene.day, amount.high, amount.unit), Precision.SPAN)


def from_day(match: Match, scene: Scene) -> TimeSpan | None:
    """Resolve "two weeks from now", "a week from Friday", "3 days from tomorrow"."""
    amount = read_amount(match)
    if match["base"] in {"now", "today"}:
        return offset(amount, scene, 1)
    base = scene.day + timedelta(days=1)
    if match["base"] != "tomorrow":
        base = dates.weekday_before(base, weekday_number(match["base"])) + timedelta(days=7)
    return dates.day_span(dates.shift(base, amount.low, amount.unit)) if amount.exact else None


_EACH: Final = re.compile(r"\b(?:in|every|each|after|within|once|by|of|had)\s$")


def ongoing(match: Match, scene: Scene) -> TimeSpan | None:
    """Resolve "for three years" where it goes on ("have been"), "seven years now": open at its end; else None."""
    amount = read_amount(match)
    if amount.unit in {"hour", "minute"} or _EACH.search(scene.before(match.start(), 9)):
        return None
    if not (match["now"] or scene.ongoing(*match.span())):
        return None
    return _still(amount, scene)


def _still(amount: Amount, scene: Scene) -> TimeSpan:
    return TimeSpan(dates.shift(scene.day, -amount.said, amount.unit), None, Precision.APPROXIMATE)


_LAST_THE_VERB: Final = re.compile(
    r"(?:\b(?:to|will|can|could|would|should|may|might|must|only|usually|it|they)|n't|'ll)\s$"
)


def stretch(match: Match, scene: Scene) -> TimeSpan | None:
    """Resolve "the last three weeks", "the past year", "the next few days": a window up to, or from, the day itself."""
    which, groups = match["which"], match.groupdict()
    if which == "last" and _LAST_THE_VERB.search(scene.before(match.start(), 10)):
        return None
    if groups.get("qty") in {"a", "an"}:  # "batteries last a week"
        return None
    amount = read_amount(match) if groups.get("qty") else Amount(1, 1, UNITS[match["unit"]], 1)
    direction = 1 if which in {"next", "coming"} else -1
    if amount.unit in {"hour", "minute"}:
        edge = (scene.moment + direction * _clock(amount.high, amount.unit)).date()
    else:
        edge = dates.shift(scene.day, direction * amount.high, amount.unit)
    start, end = sorted((edge, scene.day))
    return TimeSpan(start, end, Precision.SPAN if amount.exact else Precision.APPROXIMATE)


_RECENT_DAYS: Final = 30


def recently(match: Match, scene: Scene) -> TimeSpan | None:
    """Resolve "recently", "lately", "in recent months": a window up to the day of speaking."""
    unit = match.groupdict().get("unit")
    start = dates.shift(scene.day, -5, UNITS[unit]) if unit else scene.day - timedelta(days=_RECENT_DAYS)
    return TimeSpan(start, scene.day, Precision.APPROXIMATE)


def coming_units(match: Match, scene: Scene) -> TimeSpan | None:
    """Resolve "the coming weeks"."""
    return TimeSpan(scene.day, dates.shift(scene.day, 5, UNITS[match["unit"]]), Precision.APPROXIMATE)


def the_other(match: Match, scene: Scene) -> TimeSpan | None:
    """Resolve "the other day", "the other week"."""
    unit = UNITS[match["unit"]]
    high = {"day": 7, "week": 4, "weekend": 4, "month": 6}[unit]
    return offset(Amount(1, high, unit, high), scene, -1)


# Last, this, next

_OWNED: Final = re.compile(r"\b(?:my|your|his|her|our|their|the|its)\s$")
_PART_OF: Final = re.compile(r"\s(?:of|at|as|in the|before)\b")
_FALLS: Final = re.compile(r"\s(?:apart|short|asleep|into|through|off|down|behind)\b")


def which_unit(match: Match, scene: Scene) -> TimeSpan | None:
    """Resolve "last week", "this past weekend", "next year"; not "my last year of college"."""
    which, unit = _which(match), match["grain"]
    if _OWNED.search(scene.before(match.start(), 8)) and _PART_OF.match(scene.after(match.end(), 8)):
        return None
    if unit == "weekend" and which == "this":
        looks_back = scene.tense(*match.span()) is Tense.PAST and scene.day.weekday() < 5
        return dates.weekend_of(dates.shift(scene.day, -1 if looks_back else 0, "week"))
    if which in {"past", "coming"} and unit != "weekend":
        count = -1 if which == "past" else 1
        start, end = sorted((scene.day, dates.shift(scene.day, count, unit)))
        return TimeSpan(start, end, Precision.SPAN)
    # The weekend that comes is that of this week, until it is there.
    count = {"last": -1, "past": -1, "this": 0, "next": 1, "coming": 0 if scene.day.weekday() < 5 else 1}[which]
    return dates.grain(dates.shift(scene.day, count, unit), unit)


def which_weekday(match: Match, scene: Scene) -> TimeSpan | None:
    """Resolve "last Friday", "this coming Monday", "next Tuesday night"."""
    which, weekday = _which(match), weekday_number(match["wd"])
    if not weekday_is_meant(match, scene):
        return None
    if which in {"last", "past"}:
        return dates.day_span(dates.weekday_before(scene.day, weekday))
    if which == "coming":
        return dates.weekday_beside(scene.day, weekday, 1)
    found = dates.weekday_in_week(dates.shift(scene.day, 1 if which == "next" else 0, "week"), weekday)
    if which == "this" and dates.lies(found, scene.day) < 0 and scene.tense(*match.span()) is not Tense.PAST:
        return dates.weekday_in_week(dates.shift(scene.day, 1, "week"), weekday)
    return found


def which_yearly(match: Match, scene: Scene) -> TimeSpan | None:
    """Resolve "last May", "this summer", "next Christmas"."""
    which, groups = _which(match), match.groupdict()
    if groups.get("month") and not month_is_meant(match, scene, which=which):
        return None
    if groups.get("season") == "fall" and _FALLS.match(scene.after(match.end(), 12)):
        return None
    spans = occurrences(match, scene.day)
    if which in {"last", "past"}:
        return dates.before(spans, scene.day)
    if which in {"next", "coming"}:
        return dates.after(spans, scene.day)
    own = [s for s in spans if s.start and s.start.year == scene.day.year]
    tense = scene.tense(*match.span())
    return dates.nearest(spans, scene.day, tense) if tense is Tense.PAST or not own else own[0]


def _which(match: Match) -> str:
    word = match["which"].split()[-1]
    return {"previous": "last", "upcoming": "coming"}.get(word, word)


def weekday_of_week(match: Match, scene: Scene) -> TimeSpan | None:
    """Resolve "Friday of last week", "next week on Tuesday"."""
    count = {"last": -1, "this": 0, "next": 1}[match["which"]]
    return dates.weekday_in_week(dates.shift(scene.day, count, "week"), weekday_number(match["weekday"]))


def before_last(match: Match, scene: Scene) -> TimeSpan | None:
    """Resolve "the week before last", "the Friday before last", "the weekend after next"."""
    groups, direction = match.groupdict(), -1 if match["side"] == "before" else 1
    if groups.get("grain"):
        return dates.grain(dates.shift(scene.day, 2 * direction, match["grain"]), match["grain"])
    if groups.get("weekday"):
        weekday = weekday_number(match["weekday"])
        if direction < 0:
            return dates.day_span(dates.shift(dates.weekday_before(scene.day, weekday), -1, "week"))
        return dates.weekday_in_week(dates.shift(scene.day, 2, "week"), weekday)
    spans = occurrences(match, scene.day)
    first = dates.before(spans, scene.day) if direction < 0 else dates.after(spans, scene.day)
    return spans[spans.index(first) + direction] if first else None


def bare_weekday(match: Match, scene: Scene) -> TimeSpan | None:
    """Resolve a weekday by the tense of its sentence: never the day of speaking, which one would call today."""
    if not weekday_is_meant(match, scene) or scene.habitual(*match.span()):
        return None
    past = dates.weekday_before(scene.day, weekday_number(match["wd"]))
    future = past + timedelta(days=7 if past + timedelta(days=7) > scene.day else 14)
    tense = scene.tense(*match.span())
    if tense is Tense.OPEN:
        tense = Tense.PAST if scene.day - past <= future - scene.day else Tense.FUTURE
    return dates.day_span(past if tense is Tense.PAST else future)


def the_weekend(match: Match, scene: Scene) -> TimeSpan | None:
    """Resolve "over the weekend" by the tense of its sentence."""
    if scene.habitual(*match.span()):
        return None
    tense, weekday = scene.tense(*match.span()), scene.day.weekday()
    if tense is Tense.OPEN:
        tense = Tense.PAST if weekday < 3 else Tense.FUTURE
    return dates.weekend_of(dates.shift(scene.day, -1 if tense is Tense.PAST and weekday < 5 else 0, "week"))


def part_of_current(match: Match, scene: Scene) -> TimeSpan | None:
    """Resolve "the end of the month", "the beginning of the year": of the current one, unless the tense forbids it."""
    unit, word = match["unit"], match["part"]
    span = dates.part(dates.grain(scene.day, unit), word)
    count = {Tense.PAST: -1, Tense.FUTURE: 1, Tense.OPEN: 0}[scene.tense(*match.span())]
    if count and dates.lies(span, scene.day) == -count:
        return dates.part(dates.grain(dates.shift(scene.day, count, unit), unit), word)
    return span


def this_time(match: Match, scene: Scene) -> TimeSpan | None:
    """Resolve "this time last year": two weeks around the same day."""
    day = dates.shift(scene.day, -1 if match["which"] == "last" else 1, match["unit"])
    return TimeSpan(day - timedelta(days=14), day + timedelta(days=14), Precision.APPROXIMATE)


# Counted from another expression of the text: the day of the scene is that of the other expression


def beside_other(match: Match, scene: Scene) -> TimeSpan | None:
    """Resolve "the week before", "the Saturday after", "two days later", "the next morning"."""
    groups = match.groupdict()
    direction = -1 if groups["side"] in {"before", "earlier", "prior to"} else 1
    if groups.get("qty"):
        amount = read_amount(match)
        return None if amount.unit in {"hour", "minute"} else offset(amount, scene, direction)
    if groups.get("weekday"):
        return dates.weekday_beside(scene.day, weekday_number(groups["weekday"]), direction)
    return dates.beside(
        scene.day,
        {"week": "week", "weekend": "weekend", "month": "month", "year": "year"}.get(groups["noun"], "day"),
        direction,
    )
