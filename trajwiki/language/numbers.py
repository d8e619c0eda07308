"""Stated numbers and durations: "three dozen", "twice", "35", "for two and a half years"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_ONES: Final = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
_TENS: Final = "twenty thirty forty fifty sixty seventy eighty ninety"
ONES: Final = {word: value for value, word in enumerate(_ONES.split())}
TENS: Final = {word: 10 * value for value, word in enumerate(_TENS.split(), start=2)}
SCALES: Final = {"dozen": 12, "hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
TIMES: Final = {"once": 1, "twice": 2, "thrice": 3}
PAIRS: Final = {"a couple of": 2, "a couple": 2, "couple of": 2, "a pair of": 2, "a pair": 2, "half a dozen": 6}

_SIMPLE: Final = {**ONES, **TENS}
_WORD: Final = "|".join(sorted({*_SIMPLE, *SCALES}, key=lambda w: (-len(w), w)))
_DIGITS: Final = r"[0-9]{1,3}(?:,[0-9]{3}){1,4}(?:\.[0-9]{1,6})?|[0-9]{1,15}(?:\.[0-9]{1,6})?"
_GAP: Final = r"(?:[-\s]|(?:(?<=hundred)|(?<=thousand)|(?<=million)) and )"
_CARDINAL: Final = rf"(?:an? (?={'|'.join(SCALES)}))?(?:{_DIGITS}|{_WORD})(?:{_GAP}(?:{_WORD})\b){{0,8}}"
_NUMBER: Final = re.compile(
    rf"(?<![\w.,:/$€£#'-])(?:{'|'.join(PAIRS)}|{'|'.join(TIMES)}|{_CARDINAL})(?![\w%]|[:/.,'-][0-9]|-?(?:st|nd|rd|th)\b)",
    re.IGNORECASE,
)
_PIECE: Final = re.compile(rf"{_DIGITS}|\ban?\b|(?:{_WORD})", re.IGNORECASE)

# "one" after these, or before those, stands for a thing and counts nothing.
_PRONOUN_AFTER: Final = re.compile(
    r"\b(?:this|that|the|which|no|any|every|each|some|my|your|his|her|our|their|new|old|last|next|another|other|first"
    r"|same|good|great|big|little|right|wrong|favorite|favourite)\s$",
    re.IGNORECASE,
)
_PRONOUN_BEFORE: Final = re.compile(r"\s(?:of|another|day|is|was|that|who|thing)\b|\s*[.,;!?]|\s*$", re.IGNORECASE)

_UNITS: Final = {
    "second": "second", "sec": "second", "minute": "minute", "min": "minute", "hour": "hour", "hr": "hour",
    "day": "day", "night": "night", "week": "week", "wk": "week", "weekend": "weekend", "fortnight": "fortnight",
    "month": "month", "year": "year", "yr": "year", "decade": "decade", "century": "century", "centurie": "century",
}  # fmt: skip
_VAGUE: Final = r"(?:a )?few|several|many"
_DURATION: Final = re.compile(
    rf"(?<![\w.,:/$€£#'-])(?P<range>(?:{_DIGITS}|{_WORD})(?:-|–| to | or ))?"
    rf"(?P<number>half an?|(?:a )?couple(?: of)?|{_VAGUE}|{_CARDINAL}|an?)"
    r"(?P<half_before> and a half)?[-\s](?P<more>more |full |whole |solid |long )?"
    rf"(?P<unit>{'|'.join(_UNITS)})s?'?(?P<half_after> and a half)?(?!\w)",
    re.IGNORECASE,
)
_NOT_A_LENGTH: Final = re.compile(
    r"[-\s](?:olds?|of age|ago|back|earlier|later|before|after|from (?:now|today)|prior)\b", re.IGNORECASE
)
# "twice a week" and "someday, one day" are no lengths; "a year" is one only after words that measure.
_MEASURED: Final = re.compile(
    r"\b(?:for|in|within|about|around|over|under|than|nearly|almost|take|takes|took|taken|taking|spend|spent|spending"
    r"|last|lasts|lasted|whole|after|every|only|just)\s$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Number:
    """A number where it stands.

    Attributes:
        text: The words, verbatim.
        start: Offset of the first character in the text.
        end: Offset behind the last character.
        value: What they say; an int where it is whole.
    """

    text: str
    start: int
    end: int
    value: float


@dataclass(frozen=True, slots=True)
class Duration:
    """A stated length of time: "5 years", "two weeks", "a few months".

    Attributes:
        text: The words, verbatim.
        start: Offset of the first character in the text.
        end: Offset behind the last character.
        number: How many units; None where the words are vague ("a few", "2-3").
        unit: second, minute, hour, day, night, week, weekend, fortnight, month, year, decade or century.
    """

    text: str
    start: int
    end: int
    number: float | None
    unit: str


def parse_number(words: str) -> float | None:
    """Give the number that the words say, or None: "three dozen" -> 36, "twice" -> 2, "1,200" -> 1200, "few" -> None.

    Whole numbers come as int. "a" alone is no number; "a couple" is 2.
    """
    words = " ".join(words.casefold().split())
    if words in PAIRS or words in TIMES:
        return PAIRS.get(words) or TIMES[words]
    if words in {"couple", "pair"}:
        return 2
    if not re.fullmatch(_CARDINAL, words):
        return None
    return _evaluate(_PIECE.findall(words))


def find_numbers(text: str) -> list[Number]:
    """Give the numbers in a text that can count things, in order.

    Ordinals, clock times, prices, percentages, fractions and digits inside other words ("5K", "B12") are left out, and
    so is "one" where it stands for a thing ("this one", "one of them"). Years and days of dates are numbers too: who
    counts leaves out what lies inside a TimeMention.
    """
    found = []
    for match in _NUMBER.finditer(text):
        words, start, end = match.group(), match.start(), match.end()
        if words.casefold() == "one" and (
            _PRONOUN_AFTER.search(text[max(0, start - 12) : start]) or _PRONOUN_BEFORE.match(text[end : end + 10])
        ):
            continue
        value = parse_number(words)
        if value is not None:
            found.append(Number(words, start, end, value))
    return found


def find_durations(text: str) -> list[Duration]:
    """Give the stated durations in a text, in order: "for three years" gives "three years".

    Ages ("3 years old"), distances in time ("3 years ago", "two days later") and rates ("twice a week") are none.
    """
    found = []
    for match in _DURATION.finditer(text):
        start, end = match.span()
        words = " ".join(match["number"].casefold().split())
        if _NOT_A_LENGTH.match(text[end : end + 16]):
            continue
        if words in {"a", "an", "one"} and not _is_measured(text, match):
            continue
        number = None if match["range"] else _duration_number(words)
        if number is not None and (match["half_before"] or match["half_after"]):
            number += 0.5
        found.append(Duration(match.group(), start, end, number, _UNITS[match["unit"].casefold()]))
    return found


def _is_measured(text: str, match: re.Match[str]) -> bool:
    start, end = match.span()
    if match["half_before"] or match["half_after"] or text[match.end("number") : match.end("number") + 1] == "-":
        return True
    return bool(_MEASURED.search(text[max(0, start - 12) : start])) or text[end : end + 5].casefold() == " long"


def _duration_number(words: str) -> float | None:
    if words in {"a", "an"}:
        return 1
    if words.startswith("half a"):
        return 0.5
    return parse_number(words)


def _evaluate(pieces: list[str]) -> float | None:
    """Read number words from left to right; None when they do not make one number ("two three")."""
    total: float = 0
    current: float | None = None  # what the next scale multiplies
    room = float("inf")  # a word must be smaller than this to be added to what stands before it
    for piece in pieces:
        if piece in SCALES:
            scale = SCALES[piece]
            if scale <= 100:
                current = (1 if current is None else current) * scale
                room = scale if scale == 100 else 1
            else:
                total += (1 if current is None else current) * scale
                current, room = None, scale
        elif piece in {"a", "an"}:
            current = 1
        else:
            value = _SIMPLE[piece] if piece in _SIMPLE else _digits(piece)
            if value >= room:
                return None
            current = (current or 0) + value
            room = 10 if piece in TENS else 1
    result = total + (current or 0)
    return int(result) if result == int(result) else result


def _digits(piece: str) -> float:
    plain = piece.replace(",", "")
    return float(plain) if "." in plain else int(plain)
