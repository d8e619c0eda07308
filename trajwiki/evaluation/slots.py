"""A slot-aware F1 in the spirit of the paper's B.1, without a model.

The paper extracts "canonical answer slots" from both answers and matches values inside a slot one to one, softly but
conservatively; it does not give its extractor. Ours has four slots and these rules:

    polarity  "yes" or "no" as the first word ("likely yes", "likely no" too)
    date      a day, month or year in any common English spelling, as ISO: 2023-05-07, 2023-05, 2023
    number    a numeral or number word from zero to twenty that is not part of a date, also once, twice, "three times"
    item      what is left of each part between commas, semicolons, "and" or "or", as a set of stems without function
              words and without the words of the question, which both sides may repeat (unless that leaves nothing)

Dates and numbers match when equal, polarity when the same. Two items match when they are equal, or when one holds the
other and the rest is not distinguishing: a number, a colour, a negation or a capitalised name. The matching is a
maximum one-to-one matching in each slot.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from trajwiki.evaluation.metrics import tokens_of

_MONTHS: Final = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)
_MONTH: Final = "|".join(rf"{m[:3]}(?:{m[3:]})?" if m != "may" else m for m in _MONTHS) + "|sept"
_DAY: Final = r"(\d{1,2})(?:st|nd|rd|th)?"
_YEAR: Final = r"(\d{4})"
_DATES: Final = tuple(
    (re.compile(pattern, re.IGNORECASE), order)
    for pattern, order in (
        (rf"\b{_YEAR}-(\d\d)-(\d\d)\b", "ynd"),
        (rf"\b{_DAY}\s+(?:of\s+)?({_MONTH})\b\.?,?\s+{_YEAR}\b", "dmy"),
        (rf"\b({_MONTH})\b\.?\s+{_DAY}\b,?\s+{_YEAR}\b", "mdy"),
        (rf"\b({_MONTH})\b\.?,?\s+(?:of\s+)?{_YEAR}\b", "my"),
        (r"\b((?:19|20)\d\d)\b", "y"),
    )
)
_NUMBER_WORDS: Final = {
    word: number
    for number, words in enumerate(
        (
            *(("zero",), ("one", "once"), ("two", "twice"), ("three",), ("four",), ("five",), ("six",), ("seven",)),
            *(("eight",), ("nine",), ("ten",), ("eleven",), ("twelve",), ("thirteen",), ("fourteen",), ("fifteen",)),
            *(("sixteen",), ("seventeen",), ("eighteen",), ("nineteen",), ("twenty",)),
        )
    )
    for word in words
}
_NUMBER: Final = re.compile(rf"\b(\d+(?:[.,]\d+)*|{'|'.join(_NUMBER_WORDS)})\b(?:\s+times?\b)?", re.IGNORECASE)
_POLARITY: Final = re.compile(r"^\W*(?:likely|probably|most likely)?\W*(yes|no)\b", re.IGNORECASE)
_BREAK: Final = re.compile(r"[,;:\n.!?]|\band\b|\bor\b|&", re.IGNORECASE)
_CAPITALISED: Final = re.compile(r"(?<!^)(?<![.!?]\s)\b[A-Z][\w'-]+")
_FUNCTION_WORDS: Final = frozenset(
    tokens_of(
        "i you he she it we they me him her us them my your his its our their this that these those am is are was were "
        "be been being do does did have has had will would can could should of in on at to for from with by as into "
        "about during after before who whom which what when where why how there also both some any s likely probably"
    )
)
_DISTINGUISHING: Final = frozenset(
    tokens_of(
        "red orange yellow green blue purple pink brown black white grey gray gold silver not no never without except "
        "ex former step half first second third last next old new"
    )
)


@dataclass(frozen=True, slots=True)
class Slot:
    """One canonical value of an answer.

    Attributes:
        kind: ``polarity``, ``date``, ``number`` or ``item``.
        value: Normalized; for an item its stems, sorted.
        names: Stems that were written with a capital, which must not be matched away.
    """

    kind: str
    value: tuple[str, ...]
    names: frozenset[str] = frozenset()


def slots_of(text: str, *, question: str = "") -> list[Slot]:
    """Give the canonical slots of an answer, in order and without repeats."""
    rest = text
    found: list[Slot] = []
    if match := _POLARITY.match(rest):
        found.append(Slot("polarity", (match.group(1).lower(),)))
        rest = rest[match.end() :]
    for pattern, order in _DATES:
        for match in pattern.finditer(rest):
            found.append(Slot("date", (_iso(match.groups(), order),)))
        rest = pattern.sub(" , ", rest)
    for match in _NUMBER.finditer(rest):
        found.append(Slot("number", (_number(match.group(1)),)))
    rest = _NUMBER.sub(" ", rest)
    found.extend(_items(rest, asked=frozenset(tokens_of(question))))
    return list(dict.fromkeys(found or _items(rest, asked=frozenset())))


def slot_f1(predicted: str, gold: str, *, question: str = "") -> float:
    """Give the F1 over a maximum one-to-one matching of slots, in [0, 1] (paper, B.1)."""
    left, right = slots_of(predicted, question=question), slots_of(gold, question=question)
    if not left or not right:
        return float(not left and not right)
    matched = _matching(left, right)
    return 2 * matched / (len(left) + len(right))


def _iso(groups: Sequence[str], order: str) -> str:
    part = dict(zip(order, groups, strict=True))
    month = part.get("n") or (f"{_month(part['m']):02d}" if "m" in part else None)
    day = f"{int(part['d']):02d}" if "d" in part else None
    return "-".join(p for p in (part["y"], month, day) if p)


def _month(word: str) -> int:
    return next(n for n, name in enumerate(_MONTHS, start=1) if name.startswith(word.lower()[:3]))


def _number(word: str) -> str:
    return str(_NUMBER_WORDS.get(word.lower(), word.replace(",", "")))


def _items(text: str, *, asked: frozenset[str]) -> Iterator[Slot]:
    names = frozenset(t for name in _CAPITALISED.findall(text) for t in tokens_of(name))
    for part in _BREAK.split(text):
        stems = frozenset(tokens_of(part)) - _FUNCTION_WORDS - asked
        if stems:
            yield Slot("item", tuple(sorted(stems)), names & stems)


def _agree(one: Slot, other: Slot) -> bool:
    if one.kind != other.kind:
        return False
    if one.value == other.value:
        return True
    if one.kind != "item":
        return False
    left, right = set(one.value), set(other.value)
    if not (left < right or right < left):
        return False
    rest = left ^ right
    return not rest & _DISTINGUISHING and not rest & (one.names | other.names)


def _matching(left: Sequence[Slot], right: Sequence[Slot]) -> int:
    """Give the size of a maximum one-to-one matching (augmenting paths)."""
    partner: dict[int, int] = {}

    def place(i: int, tried: set[int]) -> bool:
        for j, slot in enumerate(right):
            if j not in tried and _agree(left[i], slot):
                tried.add(j)
                if j not in partner or place(partner[j], tried):
                    partner[j] = i
                    return True
        return False

    return sum(place(i, set()) for i in range(len(left)))
