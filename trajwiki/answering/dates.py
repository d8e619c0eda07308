"""When something was: the time that a sentence names, in its own terms if those are relative, or when it was said."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Final

from trajwiki.answering.asked import Asked
from trajwiki.answering.candidates import Candidate, time_of
from trajwiki.domain.claims import ClaimKind
from trajwiki.domain.times import Precision, TimeSpan
from trajwiki.language.times import find_times, span_words
from trajwiki.language.tokens import keywords

_AGO: Final = re.compile(
    r"(?:about |around |almost |like )?(?P<n>(?:a |an |one |two |three |four |\w+ )*?\w+) ago\Z", re.IGNORECASE
)
_LAST: Final = re.compile(r"(?:the |this )?(?:last|past|previous) (?P<unit>week|weekend)\Z", re.IGNORECASE)
_WEEKDAY: Final = re.compile(r"\b(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\b", re.IGNORECASE)
_JUST: Final = re.compile(r"\b(?:just|recently|finally|today|tonight|now|currently|lately)\b", re.IGNORECASE)
_AHEAD: Final = re.compile(
    r"\b(?:will|going to|plan(?:s|ning)?|hop(?:e|es|ing)|want(?:s)? to|'ll|soon|can't wait)\b", re.IGNORECASE
)
_INEXACT: Final = (Precision.WEEK, Precision.WEEKEND, Precision.APPROXIMATE)


def date_words(c: Candidate, span: TimeSpan) -> str:
    """Give a time that a candidate names: a week or so before a day is said from that day, as the speaker did."""
    said = c.evidence.timestamp
    words = span_words(span)
    mention = next((m for m in find_times(c.quote, said) if m.span == span), None)
    if mention is None or said is None:
        return words
    if span.precision in _INEXACT and mention.relative:
        if last := _LAST.match(mention.text):
            return f"the {last['unit'].lower()} before {_day(said)}"
        if ago := _AGO.match(mention.text):
            return f"{ago['n'].lower()} before {_day(said)}"
    if span.start == span.end and span.start is not None and _WEEKDAY.search(mention.text):
        return f"{span.start:%A} {words}"
    return words


def known_since(c: Candidate) -> str:
    """Give what the day on which something was said tells of when it was; empty when even that is not known."""
    said = c.evidence.timestamp
    if said is None:
        return ""
    if _AHEAD.search(c.text) or c.kind is ClaimKind.PLAN:
        return f"after {_day(said)}"
    if _JUST.search(c.text):
        return f"around {_day(said)}"
    return f"by {_day(said)}"


def anchor(c: Candidate, span: TimeSpan) -> str:
    """Give the line that shows where a date comes from."""
    return f"{c.quote} -> {span.iso()} ({c.evidence.source_ref})"


def named_time(c: Candidate, asked: Asked) -> TimeSpan | None:
    """Give the time that a candidate names: of several in a sentence, the one nearest to the question's words."""
    if c.stated:
        return c.valid
    mentions = [m for m in find_times(c.text, c.evidence.timestamp) if m.span is not None]
    if len(mentions) < 2:
        return time_of(c)
    known = [m.start() for m in re.finditer(r"\w+", c.text) if set(keywords(m.group())) & set(asked.keys)]
    best = min(mentions, key=lambda m: sum(sorted(abs(m.start - k) for k in known)[:2]))
    return best.span


def _day(moment: datetime) -> str:
    return f"{moment.day} {moment:%B %Y}"
