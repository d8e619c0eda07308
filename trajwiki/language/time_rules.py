"""The grammar of time: a table of patterns and what they mean, in the notation of time_words."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from trajwiki.language import time_dates as dated
from trajwiki.language import time_foreign
from trajwiki.language import time_resolvers as counted
from trajwiki.language.time_resolvers import Resolver
from trajwiki.language.time_words import (
    DECADES,
    FOREIGN_MONTHS,
    MONTH_SHORT,
    MONTHS,
    SEASONS,
    WEEKDAY_SHORT,
    WEEKDAYS,
    compile_pattern,
)

DIGITS: Final = "#"  # the cue of patterns that begin with digits
DENSE: Final = "\u2025"  # the cue of patterns in scripts without spaces

_HOLIDAY_CUES: Final = (
    "christmas xmas year years halloween valentine valentines patrick thanksgiving mother mothers father fathers easter"
    " boxing independence juneteenth veterans black labor memorial good"
)
_CLASSES: Final[dict[str, Iterable[str]]] = {
    "WEEKDAY": [*WEEKDAYS, *WEEKDAY_SHORT],
    "MONTH": [*MONTHS, *MONTH_SHORT],
    "SEASON": SEASONS,
    "HOLIDAY": _HOLIDAY_CUES.split(),
    "DECADE": DECADES,
    "FOREIGN": {phrase.split()[0].split("'")[0].split("-")[0] for phrase in time_foreign.LATIN},
    "FOREIGN_MONTH": FOREIGN_MONTHS,
}


@dataclass(frozen=True, slots=True)
class Rule:
    """A row of the grammar.

    Attributes:
        cues: Words of which a text must hold one for the pattern to be tried.
        pattern: Matches flattened text; a group named `core` narrows what is taken as the expression.
        resolve: What it means.
        absolute: True when it needs no moment of speaking; a pattern that captured a year never needs one.
        anchor: "" when it counts from the moment of speaking; "may" when it counts from an earlier expression of the
            text if there is one ("the week before"); "must" when it is no time without one ("the next day").
    """

    cues: frozenset[str]
    pattern: re.Pattern[str]
    resolve: Resolver
    absolute: bool = False
    anchor: str = ""


def _words(cues: str) -> frozenset[str]:
    return frozenset(word for cue in cues.split() for word in _CLASSES.get(cue, [cue]))


def _row(cues: str, notation: str, resolve: Resolver, *, absolute: bool = False, anchor: str = "") -> Rule:
    return Rule(_words(cues), compile_pattern(notation), resolve, absolute, anchor)


_PART_OF_DAY: Final = r"(?:morning|afternoon|evening|night)"
_CLOSE: Final = r"(?=\s{0,3}(?:[.,;:!?)]|$)|\s(?:and|but|so|too|as well)\b)"  # nothing follows that it belongs to
_WHOSE: Final = r"(?:,? (?:of )?YEAR| (?:of )?YY| (?:of )?(?P<whose>last|this|next) year)"
_LAST_NEXT: Final = "last past previous next coming upcoming this"
_TO: Final = r"\s?(?P<joint>-|–|—|to|until|till|through|thru|and)\s?"
_THIRD: Final = r"(?P<part>early|mid|late)[-\s]"
_EDGE: Final = r"(?:the )?(?P<part>beginning|start|middle|end) of"
_MD: Final = r"(?P<m>1[0-2]|0?[1-9])(?P=s)(?P<d>3[01]|[12][0-9]|0?[1-9])"
_AB: Final = r"(?P<a>3[01]|[12][0-9]|0?[1-9])(?P<s>[/.-])(?P<b>3[01]|[12][0-9]|0?[1-9])"
_IN_WHOLE: Final = r"(?:of|in) (?:MONTH(?:,? YEAR)?|(?P<which>the|this|next|last) (?P<whole>month|year))"

RULES: Final[tuple[Rule, ...]] = (
    # the days around
    _row("yesterday yday", "(?:yesterday|yday)(?:PART)?", counted.on_day(-1)),
    _row("yesterday", "(?:the )?day before yesterday", counted.on_day(-2)),
    _row("today tonight", "(?:earlier |later )?(?:today|tonight)", counted.on_day(0)),
    _row("this", rf"(?:earlier |later )?this (?:very )?{_PART_OF_DAY}", counted.on_day(0)),
    _row("tomorrow tmrw", "(?:tomorrow|tmrw)(?:PART)?", counted.on_day(1)),
    _row("tomorrow", "(?:the )?day after tomorrow", counted.on_day(2)),
    _row("last", "(?:late )?last (?:night|evening)", counted.on_day(-1)),
    _row("last", "(?:the )?night before last", counted.on_day(-2)),
    # amounts of time, back and ahead
    _row("ago", "(?:ABOUT )?QTY UNITTAIL ago(?P<sharp> today)?", counted.ago),
    _row("back", "(?:ABOUT )?QTY UNITTAIL back(?! (?:to|in|at|from|home|then))", counted.ago),
    _row("since", "been (?P<core>(?:ABOUT )?QTY UNITTAIL since)", counted.ago),
    _row("ago back", "(?P<unit>day|week|month|year|decade)s (?:ago|back)", counted.units_ago),
    _row("ago back", "(?:(?:a|quite a|some) )?(?:long )?(?:while|time) (?:ago|back)|ages ago", counted.long_ago),
    _row("ago", "(?:not )?(?:(?:so|too|very|that) )?long ago", counted.long_ago),
    _row("ago", "QTY (?:WEEKDAY|weekend)s? ago", counted.weekdays_ago),
    _row("in", "in (?:ABOUT )?QTY UNITTAIL(?P<sure> time)?(?! (?:of|at) )", counted.ahead),
    _row("within", "within (?:ABOUT )?QTY UNIT", counted.within),
    _row("from", f"QTY UNIT from (?P<base>now|today|tomorrow|{'|'.join(WEEKDAYS)})", counted.from_day),
    _row("for", "for (?:ABOUT )?QTY UNITTAIL(?P<now>)?", counted.ongoing),
    _row(
        "been",
        "(?P<now>been) (?:[a-z]{2,15} ){1,2}(?P<core>(?:ABOUT )?QTY UNITTAIL)(?! (?:old|of))",
        counted.ongoing,
    ),
    _row("now already", "(?:for )?(?:ABOUT )?QTY UNITTAIL (?P<now>now|already)(?! and then)", counted.ongoing),
    _row(
        "last past next coming previous",
        "(?:(?:the|these) )?(?P<which>last|past|next|coming|previous) (?:ABOUT )?QTY UNIT(?! of )",
        counted.stretch,
    ),
    _row("last past next", "the (?P<which>last|past|next) (?P<unit>week|month|year|decade)(?! of )", counted.stretch),
    _row("coming", "the coming (?P<unit>day|week|month|year)s", counted.coming_units),
    _row("recent", "recent (?P<unit>day|week|month|year)s", counted.recently),
    _row("recently lately late", rf"recently|lately|of late{_CLOSE}", counted.recently),
    _row("other", "the other (?P<unit>day|night|week|month|weekend)", counted.the_other),
    _row("time", "(?:around )?this time (?P<which>last|next) (?P<unit>week|month|year)", counted.this_time),
    # last, this, next
    _row(_LAST_NEXT, "WHICH GRAIN", counted.which_unit),
    _row(_LAST_NEXT, "WHICH WD(?:PART)?", counted.which_weekday),
    _row(_LAST_NEXT, "WHICH (?:MONTH|SEASON|HOLIDAY)", counted.which_yearly),
    _row("week", "(?P<which>last|this|next) week(?:'s)?,? (?:on )?WEEKDAY(?:PART)?", counted.weekday_of_week),
    _row("week", "WEEKDAY(?:PART)? (?:of )?(?P<which>last|this|next) week", counted.weekday_of_week),
    _row("before", "(?:the )?(?:GRAIN|WEEKDAY|SEASON|MONTH) (?P<side>before) last", counted.before_last),
    _row("after", "(?:the )?(?:GRAIN|WEEKDAY|SEASON|MONTH) (?P<side>after) next", counted.before_last),
    _row("WEEKDAY", "WD(?:PART)?", counted.bare_weekday),
    _row("weekend", "(?:over|at|during|for|on) the weekend", counted.the_weekend),
    _row("of", rf"{_EDGE} (?:the|this) (?P<unit>week|month|year|decade)", counted.part_of_current),
    # days and months
    _row("MONTH", rf"(?:WD,? )?MONTH (?:the )?DAY(?![:/][0-9]){_WHOSE}?", dated.month_day),
    _row("MONTH", rf"(?:WD,? )?(?:the )?DAY[-\s](?:of )?MONTH(?:{_WHOSE}|-YEAR2)?", dated.month_day),
    _row(
        "MONTH",
        rf"(?:(?:from|between) )?MONTH (?:the )?DAY{_TO}(?:MONTH2 )?(?:the )?DAY2{_WHOSE}?",
        dated.month_days,
    ),
    _row("MONTH", rf"(?:(?:from|between) )?(?:the )?DAY{_TO}(?:the )?DAY2 (?:of )?MONTH{_WHOSE}?", dated.month_days),
    _row("MONTH", rf"MONTH{_WHOSE}?", dated.month),
    _row("WEEKDAY", f"(?:the )?ORDINAL WEEKDAY {_IN_WHOLE}", dated.ordinal_part),
    _row("of in", f"(?:the )?ORDINAL (?P<unit>day|week|weekend|month) (?:{_IN_WHOLE}|of YEAR2)", dated.ordinal_part),
    _row("#", rf"YEAR(?P<s>[-/.]){_MD}(?:t[0-9:.]{{4,15}}z?)?", dated.iso_date),
    _row("#", rf"{_AB}(?P=s)(?P<year>(?:19|20)?[0-9]{{2}})", dated.numeric_date),
    _row(
        "#",
        rf"(?:on|by|since|until|from|before|after) (?P<core>{_AB.replace('[/.-]', '/')})(?![/.][0-9])",
        dated.numeric_date,
    ),
    _row("#", "the NTH(?: of (?P<which>the|this|last|next) month)?", dated.nth_of_month),
    _row("WEEKDAY", "WD,? (?:the )?NTH", dated.weekday_and_nth),
    # years and decades
    _row("#", "(?:the year )?YEAR|YY", dated.bare_year),
    _row("#", r"(?:from )?YEAR(?:\s?[-–—]\s?| (?:to|until|till|through) )YEAR2", dated.year_range),
    _row("between", "between YEAR and YEAR2", dated.year_range),
    _row(
        "#",
        rf"(?P<the>the )?(?:{_THIRD})?(?P<mark>')?(?P<century>19|20)?(?P<tens>[0-9])0'?s",
        dated.decade_words,
        absolute=True,
    ),
    _row("DECADE", rf"the (?:{_THIRD})?(?P<name>{'|'.join(DECADES)})", dated.decade_words, absolute=True),
    # seasons and holidays
    _row("SEASON", rf"(?:{_THIRD})?SEASON(?:{_WHOSE}| in YEAR2)", dated.season),
    _row(
        "SEASON", rf"(?:in|during|over|for|by|since|until|after|before) (?P<core>the (?:{_THIRD})?SEASON)", dated.season
    ),
    _row("SEASON", rf"{_THIRD}(?:in the )?SEASON", dated.season),
    _row("SEASON", rf"{_EDGE} (?:the )?SEASON(?:{_WHOSE})?", dated.season),
    _row("HOLIDAY", rf"HOLIDAY{_WHOSE}?", dated.holiday),
    # counted from another expression of the text
    _row(
        "before after",
        rf"the (?P<noun>week|weekend) (?P<side>before|after){_CLOSE}",
        counted.beside_other,
        anchor="may",
    ),
    _row("before after", rf"the WEEKDAY (?P<side>before|after){_CLOSE}", counted.beside_other, anchor="may"),
    _row(
        "before after",
        rf"the (?P<noun>day|night|month|year) (?P<side>before|after){_CLOSE}",
        counted.beside_other,
        anchor="must",
    ),
    _row("before after", rf"QTY UNIT (?P<side>before|after){_CLOSE}", counted.beside_other, anchor="must"),
    _row("later earlier", "QTY UNIT (?P<side>later|earlier)", counted.beside_other, anchor="must"),
    _row("next", rf"the (?P<side>next) (?P<noun>day|{_PART_OF_DAY})", counted.beside_other, anchor="must"),
    _row(
        "following",
        rf"the (?P<side>following) (?P<noun>day|week|weekend|month|year|{_PART_OF_DAY})",
        counted.beside_other,
        anchor="must",
    ),
    _row("following", "the (?P<side>following) WEEKDAY", counted.beside_other, anchor="must"),
    # other languages
    Rule(_words("FOREIGN"), time_foreign.LATIN_PATTERN, counted.foreign),
    Rule(_words(DENSE), time_foreign.DENSE_PATTERN, counted.foreign),
    Rule(_words("FOREIGN_MONTH"), time_foreign.LATIN_DATE, dated.iso_date),
    Rule(_words(DENSE), time_foreign.DENSE_DATE, dated.iso_date),
)

TENSED: Final = frozenset(
    {
        *(dated.month, dated.month_day, dated.season, dated.holiday, dated.numeric_date, dated.nth_of_month),
        counted.bare_weekday,
    }
)
"""Resolvers of expressions that do not say their own year or week."""

_BY_CUE: Final[dict[str, list[int]]] = {}
for _index, _rule in enumerate(RULES):
    for _cue in sorted(_rule.cues):
        _BY_CUE.setdefault(_cue, []).append(_index)

_CUE_WORD: Final = re.compile(r"[^\W\d_]+|\d+")


def rules_for(flat: str) -> list[Rule]:
    """Give the rules whose cues a flattened text holds, in the order of the table."""
    indexes: set[int] = set()
    for word in set(_CUE_WORD.findall(flat)):
        key = DIGITS if word[0].isdigit() else word
        indexes.update(_BY_CUE.get(key, ()))
    if not flat.isascii():
        indexes.update(_BY_CUE[DENSE])
    return [RULES[i] for i in sorted(indexes)]
