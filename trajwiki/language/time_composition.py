"""How expressions of time combine with the words around them: "since May", "early 2022", "from Monday to Friday"."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Final

from trajwiki.domain.times import Precision, TimeSpan
from trajwiki.language import dates
from trajwiki.language.dates import Tense
from trajwiki.language.time_resolvers import bare_weekday, beside_other
from trajwiki.language.time_rules import TENSED, Rule
from trajwiki.language.time_scene import Scene
from trajwiki.language.time_words import compile_pattern

Match = re.Match[str]


@dataclass(frozen=True, slots=True)
class Found:
    """An expression that a rule has matched.

    Attributes:
        start: Offset of its first character.
        end: Offset behind its last character.
        span: What it means.
        relative: True when that depends on the moment of speaking.
        rule: The row of the grammar.
        match: What the row matched.
    """

    start: int
    end: int
    span: TimeSpan
    relative: bool
    rule: Rule
    match: Match


def compose(found: list[Found], scene: Scene) -> list[Found]:
    """Widen expressions by the words before them that change what they mean, and join the two ends of ranges.

    Args:
        found: Expressions that do not overlap, in order.
        scene: Their message.
    """
    for pattern, combine in _INNER:
        found = _prefixed(found, scene, pattern, combine)
    found = _ranges(found, scene)
    return _prefixed(found, scene, *_OPEN)


Combine = Callable[[Match, Found, Scene], TimeSpan | None]


def _prefixed(found: list[Found], scene: Scene, pattern: re.Pattern[str], combine: Combine) -> list[Found]:
    done: list[Found] = []
    for item in found:
        floor = done[-1].end if done else 0
        before = scene.flat[max(floor, item.start - 40) : item.start]
        match = pattern.search(before)
        span = _attempt(combine, match, item, scene) if match else None
        if match and span:
            item = replace(item, start=item.start - len(before) + match.start(), span=span)  # noqa: PLW2901
        done.append(item)
    return done


def _attempt(combine: Combine, match: Match, item: Found, scene: Scene) -> TimeSpan | None:
    try:
        return combine(match, item, scene)
    except (ValueError, OverflowError):  # days that no calendar has
        return None


# Parts and neighbours

_HAS_PARTS: Final = frozenset({Precision.WEEK, Precision.MONTH, Precision.SEASON, Precision.YEAR, Precision.DECADE})


def _part(match: Match, item: Found, scene: Scene) -> TimeSpan | None:
    word = match["part"] or " ".join(match["edge"].split())
    if item.span.precision not in _HAS_PARTS:
        return None
    if word in {"later", "earlier"}:
        start, end = (scene.day, item.span.end) if word == "later" else (item.span.start, scene.day)
        return TimeSpan(start, end, Precision.APPROXIMATE) if item.span.contains(scene.day) else None
    return dates.part(item.span, word)


def _week_of(match: Match, item: Found, _scene: Scene) -> TimeSpan | None:
    if item.span.precision is not Precision.DAY or item.span.start is None:
        return None
    return dates.grain(item.span.start, match["noun"])


def _beside(match: Match, item: Found, scene: Scene) -> TimeSpan | None:
    back = match["side"] in {"before", "prior to"}
    day = item.span.start if back else item.span.end
    return beside_other(match, scene.seen_from(day)) if day else None


def _around(_match: Match, item: Found, _scene: Scene) -> TimeSpan | None:
    return dates.loosen(item.span)


_INNER: Final[tuple[tuple[re.Pattern[str], Combine], ...]] = (
    (
        compile_pattern(
            r"(?:the )?(?:(?P<part>early|mid|late|later|earlier)(?:-|\s(?:(?:part )?(?:of|in) )?)"
            r"|(?P<edge>beginning|start|middle|end|first half|second half) of )(?:the )?",
            at_end=True,
        ),
        _part,
    ),
    (compile_pattern("(?:the )?(?P<noun>week|weekend) of (?:the )?", at_end=True), _week_of),
    (
        compile_pattern(
            "(?:(?:the )?(?:(?P<noun>day|night|week|weekend|month|year)|WEEKDAY)|QTY UNIT)"
            " (?P<side>before|after|prior to|following) (?:the )?",
            at_end=True,
        ),
        _beside,
    ),
    (compile_pattern("(?:sometime )?(?:around|circa|roughly|approximately) ", at_end=True), _around),
)

# Open ends

_GONE_BY: Final = re.compile(r"\b(?:last|past|yesterday|recent|recently|lately)\b")
_VISITING: Final = re.compile(
    r"\b(?:stop|drop|com|swing|swung|came|pass|go|went|walk|driv|drove|get|got|put)\w{0,5}\s$"
)


_ONWARDS: Final = re.compile(r"\s(?:on|onwards?|forward)\b")


def _open(match: Match, item: Found, scene: Scene) -> TimeSpan | None:
    word, span = match["word"].split()[-1], item.span
    start, end = span.start, span.end
    if word == "from" and not _ONWARDS.match(scene.after(item.end, 12)):
        return None
    if word in {"since", "starting", "beginning", "of", "from"}:
        return TimeSpan(start, None, Precision.SPAN) if start else None
    if end is None or (start is None and word in {"before", "to"}):
        return None
    if match["word"] == "up to" and item.relative and item.rule.resolve not in TENSED:
        return None  # "what are you up to today?"
    if word in {"until", "till", "til"} or match["word"] == "up to":
        return TimeSpan(None, end, Precision.SPAN)
    # What is behind one is no end: "got through last week", "tired after yesterday"; nor "after Friday's game".
    if _GONE_BY.search(item.match.group()) or scene.after(item.end, 2) == "'s":
        return None
    if word == "after":
        return TimeSpan(end + timedelta(days=1), None, Precision.SPAN)
    if word in {"before", "to"}:
        return TimeSpan(None, start - timedelta(days=1), Precision.SPAN) if start else None
    if word == "by" and _VISITING.search(scene.before(item.start - len(match.group()), 12)):
        return None
    return TimeSpan(None, end, Precision.SPAN)


_OPEN: Final = (
    compile_pattern(
        "(?P<word>(?:ever )?since|starting|beginning|as of|from|(?:up )?until|till|'?til|up to|through|thru|by|before"
        "|prior to|after) (?:in |on |from )?(?:the )?",
        at_end=True,
    ),
    _open,
)

# Ranges

_LEAD: Final = compile_pattern("(?P<lead>from|between) (?:the )?", at_end=True)
_JOINT: Final = re.compile(r"\s?(?P<joint>to|until|till|til|through|thru|and|up to|-|–|—)\s?(?:the\s)?")


_RESCHEDULED: Final = re.compile(r"\b(?:mov|chang|reschedul|push|shift|switch|postpon|bump|swap)\w{0,5}\b")


def _ranges(found: list[Found], scene: Scene) -> list[Found]:
    done: list[Found] = []
    for item in found:
        if done and (joined := _join(done[-1], item, scene)) is not None:
            done[-1:] = joined
        else:
            done.append(item)
    return done


def _join(first: Found, second: Found, scene: Scene) -> list[Found] | None:
    """Give the range of two expressions, none where they name a habit ("open Monday to Friday"); None: no range."""
    if second.start - first.end > 12:
        return None
    gap = _JOINT.fullmatch(scene.flat[first.end : second.start])
    lead = _LEAD.search(scene.before(first.start, 14))
    if not gap or (gap["joint"] == "and" and (not lead or lead["lead"] != "between")):
        return None
    if not lead:
        if first.rule.resolve is bare_weekday and second.rule.resolve is bare_weekday:
            return []
        if first.span.precision is not second.span.precision or first.rule.resolve not in TENSED:
            return None
    span = None if _RESCHEDULED.search(scene.before(first.start)) else _range(first, second, scene)
    if span is None:
        return None
    start = first.start - (len(lead.group()) if lead else 0)
    relative = second.relative or (first.relative and first.rule.resolve not in TENSED)
    return [replace(first, start=start, end=second.end, span=span, relative=relative)]


def _range(first: Found, second: Found, scene: Scene) -> TimeSpan | None:
    """The span from one to the other; a first date without a year is the last one before the second."""
    start, end = first.span.start, second.span.end
    if first.relative and first.rule.resolve in TENSED and end:
        try:
            again = first.rule.resolve(first.match, scene.seen_from(end, forced=Tense.PAST))
        except (ValueError, OverflowError):
            return None
        start = again.start if again else start
    if start is None or end is None or start > end:
        return None
    return TimeSpan(start, end, Precision.SPAN)
