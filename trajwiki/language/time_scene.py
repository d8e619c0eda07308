"""What surrounds a time expression: when it was said, and to which side of that moment its sentence looks."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Final

from trajwiki.language.dates import Tense
from trajwiki.language.verbs import BASES, PARTICIPLE, PAST

_REACH: Final = 140  # characters of a sentence that are looked at on either side of an expression

_PAST_FORMS: Final = frozenset(f for f in (*PAST, *PARTICIPLE) if f not in BASES) | frozenset(
    ["was", "were", "did", "had", "been", "wasn't", "weren't", "didn't", "hadn't", "ago", "used"]
)
# End like a past form and say nothing of the past: feelings and states of now, nouns, arrangements for later.
_NOT_PAST: Final = frozenset(
    {
        *("excited", "interested", "scared", "tired", "married", "worried", "stressed", "thrilled", "pleased", "bored"),
        *("supposed", "united", "naked", "sacred", "booked", "scheduled", "reserved", "planned", "invited"),
        *("hundred", "indeed", "exceed", "proceed", "succeed", "breed", "speed", "embed"),
    }
)
_FUTURE: Final = re.compile(
    r"\b(?:will|won't|shall|gonna|wanna|gotta|going to|let's|can|should|must|might|upcoming|coming up|deadline|rsvp"
    r"|plan(?:s|ning|ned)?|hop(?:e|es|ing) to|wants? to|needs? to|ha(?:ve|s) to|look(?:ing)? forward|can't wait"
    r"|excited (?:for|to)|ready (?:for|to)|about to|supposed to|due(?! to)|scheduled|booked|reserved|reservation"
    r"|appointment|invited|remind|see (?:you|ya|u)|catch you|starts|begins|opens|leaves|arrives|coming|tomorrow|soon"
    r"|signed up for|set for|intend|expecting)\b|'ll\b"
    r"|'s (?:not )?(?:going|coming|having|getting|starting|leaving|visiting|moving|playing|flying|throwing|hosting"
    r"|opening|performing|taking|turning|arriving|happening|joining|doing|giving)\b"
    r"|(?:\b(?:am|is|are|be|i'm|(?:he|she|it|that|who|what|there)'s)|'re) (?:\w{1,12}ly |not |just |also )?"
    r"(?!amaz|interest|excit|bor|charm|inspir|touch|challeng|feel|think|wonder|be|do|love|overwhelm|someth|anyth|noth"
    r"|everyth|morn|even)\w{2,12}ing\b"
)
_FUTURE_RIGHT_BEFORE: Final = re.compile(
    r"(?:(?:\b(?:is|are)|'s|'re)\s(?:on|in|at|due|this|for|from)?\s?"
    r"|\b(?:moved?|rescheduled?|push(?:ed)?|postponed?|shift(?:ed)?|bump(?:ed)?|delayed?)\b[^,]{0,30}\b(?:to|from|until|till)\s)(?:the\s)?$"
)
_FROM_THEN: Final = re.compile(r"\b(?:starting|beginning|effective|as of)\s(?:in|on|from)?\s?(?:the\s)?$")
_SIDE: Final = re.compile(r"\b(?:since|until|till|by|starting)\s(?:on\s)?(?:the\s)?$")
_HABIT: Final = re.compile(r"\b(?:usually|always|typically|normally|generally|tends? to)\b")
_ONGOING: Final = re.compile(r"\b(?:have|has|haven't|hasn't|been)\b|'ve\b|'s (?=had|known|\w{2,12}ed\b)")
_WORD: Final = re.compile(r"[a-z]+(?:'[a-z]+)?")
_STOPS: Final = ".!?;\n"


@dataclass(frozen=True, slots=True)
class Scene:
    """The message around an expression.

    Attributes:
        text: As written.
        flat: The flattened text, of the same length.
        moment: When it was said; its date, in its own zone, is what relative words count from.
        forced: A tense that overrides what the sentence looks like.
    """

    text: str
    flat: str
    moment: datetime
    forced: Tense | None = None

    @property
    def day(self) -> date:
        """The day on which it was said."""
        return self.moment.date()

    def seen_from(self, day: date, *, forced: Tense | None = None) -> Scene:
        """Give the same text, counted from another day."""
        return replace(self, moment=datetime(day.year, day.month, day.day, 12), forced=forced)

    def before(self, start: int, size: int = 40) -> str:
        """Give the characters right before an offset."""
        return self.flat[max(0, start - size) : start]

    def after(self, end: int, size: int = 40) -> str:
        """Give the characters right after an offset."""
        return self.flat[end : end + size]

    def clause(self, start: int, end: int) -> tuple[str, str]:
        """Give what stands before and after an expression in its sentence."""
        left, right = self.before(start, _REACH), self.after(end, _REACH)
        left = left[max(left.rfind(stop) for stop in _STOPS) + 1 :]
        stops = [at for stop in _STOPS if (at := right.find(stop)) >= 0]
        return left, right[: min(stops, default=len(right))]

    def tense(self, start: int, end: int) -> Tense:
        """Tell where the sentence of an expression looks.

        The nearest sign before the expression decides, else the first one behind it in the sentence.
        """
        if self.forced is not None:
            return self.forced
        left, right = self.clause(start, end)
        if _FUTURE_RIGHT_BEFORE.search(left) or _FROM_THEN.search(left):
            return Tense.FUTURE
        past, future = _last_past(left), _last_future(left)
        if past < 0 and future < 0:
            past, future = -_first(_past_ends(right)), -_first(m.end() for m in _FUTURE.finditer(right))
        if past == future:
            side = _SIDE.search(left)
            return Tense.OPEN if not side else Tense.PAST if side.group().startswith("since") else Tense.FUTURE
        return Tense.PAST if past > future else Tense.FUTURE

    def capital(self, at: int) -> bool:
        """Tell whether the character at an offset is written as a capital."""
        return self.text[at].isupper()

    def habitual(self, start: int, end: int) -> bool:
        """Tell whether the sentence speaks of what happens again and again ("usually")."""
        return any(_HABIT.search(side) for side in self.clause(start, end))

    def ongoing(self, start: int, end: int) -> bool:
        """Tell whether the sentence up to the expression speaks of what began earlier and goes on ("have been")."""
        left, right = self.clause(start, end)
        signs = [m.end() for m in _ONGOING.finditer(left)]
        if not signs:
            return right.startswith((" now", " already"))
        # A simple past between "have" and the expression starts a story of its own: "I've heard she lived there for".
        return not re.search(r"\b(?:was|were|did|i|she|he|they|we|you)\b", left[signs[-1] :])


_NEVER: Final = 10 * _REACH


def _first(ends: Iterable[int]) -> int:
    return next(iter(ends), _NEVER)


def _past_ends(text: str) -> list[int]:
    return [m.end() for m in _WORD.finditer(text) if _is_past(m.group())]


def _last_past(text: str) -> int:
    ends = _past_ends(text)
    return ends[-1] if ends else -1


def _last_future(text: str) -> int:
    last = -1
    for match in _FUTURE.finditer(text):
        last = match.end()
    return last


def _is_past(word: str) -> bool:
    if word in _NOT_PAST:
        return False
    return word in _PAST_FORMS or (word.endswith("ed") and len(word) > 4)
