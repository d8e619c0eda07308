"""The vocabulary of time: names of weekdays, months, seasons and holidays, amounts, and the pattern notation.

Patterns are written in a small notation and match flattened text (see `flatten`): a space stands for one to three
white-space characters, and a word in capitals for a fragment of this vocabulary, captured under its name in lower case
(``last WEEKDAY`` captures `weekday`; WEEKDAY2 is the same fragment captured as `weekday2`; two may stand side by side,
as in UNITTAIL).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from trajwiki.language.numbers import ONES, TENS, parse_number

_DAY_NAMES: Final = "monday tuesday wednesday thursday friday saturday sunday"
WEEKDAYS: Final = {name: i for i, name in enumerate(_DAY_NAMES.split())}
WEEKDAY_SHORT: Final = {
    "mon": 0, "tue": 1, "tues": 1, "wed": 2, "weds": 2, "thu": 3, "thur": 3, "thurs": 3, "fri": 4, "sat": 5, "sun": 6,
}  # fmt: skip
_MONTH_NAMES: Final = "january february march april may june july august september october november december"
MONTHS: Final = {name: i for i, name in enumerate(_MONTH_NAMES.split(), start=1)}
MONTH_SHORT: Final = {
    "jan": 1, "feb": 2, "mar": 3, "apr": 4, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "sept": 9, "oct": 10, "nov": 11,
    "dec": 12,
}  # fmt: skip
SEASONS: Final = ("spring", "summer", "autumn", "fall", "winter")
ORDINALS: Final = {
    "first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4, "fifth": 5, "last": -1,
}  # fmt: skip
DECADES: Final = {
    "twenties": 20, "thirties": 30, "forties": 40, "fifties": 50, "sixties": 60, "seventies": 70, "eighties": 80,
    "nineties": 90,
}  # fmt: skip
UNITS: Final = {
    "minute": "minute", "min": "minute", "hour": "hour", "hr": "hour", "day": "day", "night": "day", "week": "week",
    "wk": "week", "weekend": "weekend", "fortnight": "fortnight", "month": "month", "year": "year", "yr": "year",
    "decade": "decade",
}  # fmt: skip
_FOREIGN_MONTH_NAMES: Final = (
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "januar februar märz april mai juni juli august september oktober november dezember",
    "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
)
FOREIGN_MONTHS: Final = {name: i for names in _FOREIGN_MONTH_NAMES for i, name in enumerate(names.split(), start=1)}

VAGUE: Final = {
    "a couple": (2, 3), "couple": (2, 3), "a few": (2, 5), "few": (2, 5), "several": (3, 8), "some": (2, 8),
    "many": (5, 15),
}  # fmt: skip
"""How many units vague words may mean, from and to."""

_PLAIN_HOLIDAYS: Final = (
    *("halloween", "independence day", "juneteenth", "veterans day", "labor day", "memorial day", "boxing day"),
    *("black friday", "good friday", "easter monday"),
)
_HOLIDAY_SPELLINGS: Final = {
    r"new years?'?s? eve": "new year's eve",
    r"new years?'?s? day|new year'?s|new year": "new year's day",
    r"(?:christmas|xmas) eve": "christmas eve",
    r"(?:christmas|xmas)(?: day)?": "christmas",
    r"valentine'?s'?(?: day)?": "valentine's day",
    r"(?:st|saint)\.? patrick'?s day": "st patrick's day",
    r"thanksgiving(?: day)?": "thanksgiving",
    r"mother'?s'? day": "mother's day",
    r"father'?s'? day": "father's day",
    **{name: name for name in _PLAIN_HOLIDAYS},
    r"easter(?: sunday)?": "easter",
}
_HOLIDAYS: Final = [(re.compile(pattern), key) for pattern, key in _HOLIDAY_SPELLINGS.items()]


def _any(names: object) -> str:
    return "|".join(sorted({str(n) for n in names}, key=lambda n: (-len(n), n)))  # type: ignore[attr-defined]


_NUMBER: Final = rf"(?:{_any(TENS)})(?:[-\s](?:{_any(list(ONES)[1:10])}))?|{_any(ONES)}|hundred"
_PART: Final = r"(?: early| late)?(?: (?:morning|afternoon|evening|night))(?!s)"
FRAGMENTS: Final = {
    "WEEKDAY": rf"(?P<weekday>{_any(WEEKDAYS)})",
    "WD": rf"(?P<wd>{_any(WEEKDAYS)}|{_any(WEEKDAY_SHORT)})",
    "MONTH": rf"(?P<month>{_any(MONTHS)}|(?:{_any(MONTH_SHORT)})\b)(?:\.(?=\s{{1,3}}['0-9]))?",
    "SEASON": rf"(?P<season>{_any(SEASONS)})",
    "HOLIDAY": rf"(?P<holiday>{'|'.join(_HOLIDAY_SPELLINGS)})",
    "YEAR": r"(?P<year>(?:19|20)[0-9]{2})(?!,?[0-9])",
    "YY": r"(?P<yy>'[0-9]{2})(?!s)",
    "DAY": r"(?P<day>3[01]|[12][0-9]|0?[1-9])(?:\s?(?:st|nd|rd|th))?(?![0-9])",
    "NTH": r"(?P<nth>3[01]|[12][0-9]|[1-9])(?:st|nd|rd|th)",
    "ORDINAL": rf"(?P<ordinal>{_any(ORDINALS)})",
    "PART": _PART,
    "UNIT": rf"(?P<unit>{_any(UNITS)})(?:s'?|'s)?",
    "GRAIN": r"(?P<grain>weekend|week|month|year|decade)",
    "QTY": (
        r"(?P<qty>half an?|(?:a )?(?:couple|few)(?: of| more)?|several|some|many"
        rf"|(?:an? )?(?:{_NUMBER})|[0-9]{{1,6}}(?:\.[0-9])?|an?)"
        rf"(?:(?:\s?[-–]\s?| to | or )(?P<upto>[0-9]{{1,4}}|{_any(ONES)}))?(?P<plushalf> and a half)?"
        r"(?: full| whole| short| long| good)?"
    ),
    "ABOUT": (
        r"(?P<about>about|around|roughly|approximately|maybe|like|just over|a (?:little|bit) (?:over|more than)|over"
        r"|more than|at least|nearly|almost|just under|less than|under|well over)"
    ),
    "TAIL": r"(?P<tail> and a half| or so| or two| and change)?",
    "WHICH": r"(?P<which>last|this past|past|previous|next|this coming|coming|this upcoming|upcoming|this)",
}
"""What the words in capitals stand for."""

_CAPITALS: Final = re.compile(rf"(?<!\\)(?:{_any(FRAGMENTS)})2?")
_BEFORE: Final = r"(?<!\w)(?<![0-9][.,/-])"


def compile_pattern(notation: str, *, at_end: bool = False) -> re.Pattern[str]:
    """Compile a pattern in the notation of this module; `at_end` anchors it to the end of the text."""
    body = _CAPITALS.sub(_fragment, notation).replace(" ", r"\s{1,3}")
    return re.compile(rf"{_BEFORE}(?:{body})" + ("$" if at_end else r"(?!\w)"))


def _fragment(match: re.Match[str]) -> str:
    name = match.group()
    if name.endswith("2"):
        return FRAGMENTS[name[:-1]].replace(f"?P<{name[:-1].lower()}>", f"?P<{name.lower()}>")
    return FRAGMENTS[name]


_STRAIGHT: Final = str.maketrans({"\u2019": "'", "\u2018": "'", "\u02bc": "'", "\u00a0": " ", "\u202f": " "})


def flatten(text: str) -> str:
    """Give the text in lower case with straight apostrophes, every character at its old offset."""
    lowered = text.lower()
    if len(lowered) != len(text):
        lowered = "".join(low if len(low := c.lower()) == 1 else c for c in text)
    return lowered.translate(_STRAIGHT)


def weekday_number(name: str) -> int:
    """Give 0 for Monday to 6 for Sunday, from a full name or a short one."""
    return WEEKDAYS[name] if name in WEEKDAYS else WEEKDAY_SHORT[name]


def month_number(name: str) -> int:
    """Give 1 to 12, from a full English name or a short one."""
    return MONTHS[name] if name in MONTHS else MONTH_SHORT[name]


def holiday_key(words: str) -> str:
    """Give the key in HOLIDAYS of a holiday as it is spelled."""
    words = " ".join(words.split())
    return next(key for pattern, key in _HOLIDAYS if pattern.fullmatch(words))


@dataclass(frozen=True, slots=True)
class Amount:
    """How much of a unit: from `low` to `high`, equal where the words are exact.

    Attributes:
        low: The least.
        high: The most.
        unit: A value of UNITS.
        said: The number that stands in the words; where there is none, the most they may mean.
    """

    low: int
    high: int
    unit: str
    said: int

    @property
    def exact(self) -> bool:
        """Tell whether the words name one number."""
        return self.low == self.high


_HALVES: Final = {
    "decade": (10, "year"), "year": (12, "month"), "month": (30, "day"), "fortnight": (14, "day"), "week": (7, "day"),
    "day": (24, "hour"), "hour": (60, "minute"),
}  # fmt: skip
_MORE: Final = ("over", "more than", "at least")
_LESS: Final = ("under", "less than", "nearly", "almost")


def read_amount(match: re.Match[str], unit: str = "day") -> Amount:
    """Read the amount that QTY and, where the pattern has them, UNIT, ABOUT and TAIL captured."""
    groups = match.groupdict()
    words = " ".join(groups["qty"].split())
    unit = UNITS[groups["unit"]] if groups.get("unit") else unit
    plain = words.removesuffix(" of").removesuffix(" more")
    if plain in VAGUE:
        return Amount(*VAGUE[plain], unit, VAGUE[plain][1])
    number = _plain_number(words)
    if groups.get("plushalf") or (groups.get("tail") or "").endswith("half"):
        number += 0.5
    if number != int(number):
        size, smaller = _HALVES.get(unit, (1, unit))
        middle = round(number * size)
        return Amount(max(middle - 1, 0), middle + 1, smaller, middle)
    said = low = high = int(number)
    if groups.get("upto"):
        said = high = int(parse_number(groups["upto"]) or high)
    elif groups.get("tail"):
        high += 1
    elif groups.get("about"):
        return _about(said, unit, " ".join(groups["about"].split()))
    return Amount(min(low, high), max(low, high), unit, said)


_FEW: Final = 3


def _about(number: int, unit: str, word: str) -> Amount:
    """An amount with "about", "over" or "nearly" before it: a third of a unit off where there are few, else one."""
    size, smaller = _HALVES[unit] if number <= _FEW and unit in _HALVES else (1, unit)
    slack = (size + 2) // 3
    low = number * size - (0 if word.endswith(_MORE) else slack)
    high = number * size + (0 if word.endswith(_LESS) else slack)
    return Amount(max(low, 0), high, smaller, number * size)


def _plain_number(words: str) -> float:
    if words in {"a", "an"}:
        return 1
    if words.startswith("half"):
        return 0.5
    return parse_number(words) or 0
