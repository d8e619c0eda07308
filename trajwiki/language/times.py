"""The times that a text speaks of: which words name a time, and which days they mean.

The grammar is a table (time_rules); it is small, needs no clock and no network, and is linear in the text. Relative
words count from the moment at which the text was said, in its own zone, and from nothing else.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Final

from trajwiki.domain.times import TimeSpan
from trajwiki.language.numbers import Duration, Number, find_durations, find_numbers, parse_number
from trajwiki.language.time_composition import Found, compose
from trajwiki.language.time_phrases import span_words
from trajwiki.language.time_rules import Rule, rules_for
from trajwiki.language.time_scene import Scene
from trajwiki.language.time_words import flatten

__all__ = [
    "Duration",
    "Number",
    "TimeMention",
    "find_durations",
    "find_numbers",
    "find_times",
    "parse_number",
    "span_words",
]


@dataclass(frozen=True, slots=True)
class TimeMention:
    """Words that name a time.

    Attributes:
        text: The words, verbatim.
        start: Offset of the first character in the text.
        end: Offset behind the last character; ``text[start:end]`` are the words.
        span: The days they mean; None where that depends on a moment of speaking that is not known.
        relative: True when the span depends on the moment of speaking.
    """

    text: str
    start: int
    end: int
    span: TimeSpan | None
    relative: bool


_ANY_MOMENT: Final = datetime(2000, 6, 14, 12)  # stands in where the moment is unknown; what depends on it is not told


def find_times(text: str, said_at: datetime | None) -> list[TimeMention]:
    """Give the times a text speaks of, in order, without overlap; of two readings the longer one.

    Ages, bare durations, clock times and habits ("every Friday") are no times.

    Args:
        text: Anything.
        said_at: When it was said; relative words count from its date. None: unknown; they are found, but their span
            is None.
    """
    flat = flatten(text)
    rules = rules_for(flat)
    if not rules:
        return []
    scene = Scene(text, flat, said_at or _ANY_MOMENT)
    found = compose(_anchored(_longest(rules, scene), scene), scene)
    return [
        TimeMention(
            text[f.start : f.end], f.start, f.end, None if f.relative and said_at is None else f.span, f.relative
        )
        for f in found
    ]


def _longest(rules: list[Rule], scene: Scene) -> list[Found]:
    """Match all rules and keep the longest readings that do not overlap, in order of place."""
    matches = []
    for order, rule in enumerate(rules):
        for match in rule.pattern.finditer(scene.flat):
            start, end = match.span("core" if "core" in rule.pattern.groupindex else 0)
            matches.append((start - end, start, order, end, rule, match))
    matches.sort(key=lambda m: m[:3])
    taken = bytearray(len(scene.flat))
    found = []
    for _, start, _, end, rule, match in matches:
        if any(taken[start:end]):
            continue
        try:
            span = rule.resolve(match, scene)
        except (ValueError, OverflowError):  # "31 February 2023", "90000 years ago": no time, nor is a part of it
            taken[start:end] = b"\x01" * (end - start)
            continue
        if span is not None:
            taken[start:end] = b"\x01" * (end - start)
            found.append(Found(start, end, span, _is_relative(rule, match), rule, match))
    return sorted(found, key=lambda f: f.start)


def _is_relative(rule: Rule, match: re.Match[str]) -> bool:
    groups = match.groupdict()
    return not (rule.absolute or groups.get("year") or groups.get("year2") or groups.get("yy"))


def _anchored(found: list[Found], scene: Scene) -> list[Found]:
    """Count what hangs on an earlier expression from there, and drop what has none to hang on."""
    done: list[Found] = []
    for item in found:
        if item.rule.anchor and done:
            back = item.match["side"] in {"before", "earlier"}
            day = done[-1].span.start if back else done[-1].span.end
            span = _count_from(item, day, scene) if day else None
            if span:
                done.append(replace(item, span=span, relative=done[-1].relative))
        elif item.rule.anchor != "must":
            done.append(item)
    return done


def _count_from(item: Found, day: date, scene: Scene) -> TimeSpan | None:
    try:
        return item.rule.resolve(item.match, scene.seen_from(day))
    except (ValueError, OverflowError):
        return None
