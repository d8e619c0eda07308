"""Answers that say nothing without their question: "Where are you from?" - "Sweden."."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from trajwiki.language import verbs as v
from trajwiki.language.lexicon import INTERJECTIONS
from trajwiki.language.persons import possessive
from trajwiki.language.sentences import Sentence, split_sentences

MAX_ANSWER_WORDS: Final = 8

_LEAD_WORDS: Final = (
    "yeah|yes|yep|oh|well|hmm|definitely|probably|it's|it is|it was|that's|that would be|it has to be|i'm|his name is"
    "|her name is|their name is|its name is|they're|he's|she's|about|around|for|called|named|in|to|from|at|since|,"
    "|thanks[^.!?]{0,20}[!.]"
)
_LEAD: Final = rf"(?:(?:{_LEAD_WORDS}) ?){{0,6}}"
_AMOUNT: Final = (
    r"a|an|\d+|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|a few|a couple of|several"
    "|many"
)
_SINCE: Final = r"\d{4}|(?:last |early |late )?(?-i:[A-Z])[a-z]+(?: \d{4})?|childhood|birth|college|high school"
_DURATION: Final = re.compile(
    rf"(?:about |around |almost |nearly |over |more than |for ){{0,3}}"
    rf"(?P<a>(?:{_AMOUNT}) (?:years?|months?|weeks?|days?|decades?)|since (?:{_SINCE}))(?: now| already)?\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class ShortAnswer:
    """A statement put together from a question and the answer to it.

    Attributes:
        text: The third-person sentence.
        start: Offset of the quoted words in the answering message.
        end: Offset behind them.
    """

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Form:
    question: re.Pattern[str]
    answer: re.Pattern[str]
    text: str  # with {n} name, {p} possessive, {a} the answer and the groups of the question


def _form(question: str, answer: str, text: str) -> _Form:
    return _Form(
        re.compile(rf"\b{question}\s*\?\Z", re.IGNORECASE), re.compile(rf"{_LEAD}{answer}", re.IGNORECASE), text
    )


_NAME: Final = r"(?-i:[A-Z])[\w'’-]+(?: (?-i:[A-Z])[\w'’-]+){0,3}"
_PROPER: Final = rf"(?P<a>{_NAME})"
_OWN: Final = "dog|cat|puppy|kitten|pup|pet|bunny|hamster|turtle|son|daughter|husband|wife|baby"
_THING: Final = rf"(?P<a>\"[^\"]+\"|{_NAME}|[\w' -]{{3,40}}?)\s*(?:[.!,;-]|\Z| because| for sure)"
_FORMS: Final = (
    _form(r"where are you (?:originally )?from", _PROPER, "{n} is from {a}."),
    _form(r"where do you live(?: now)?", _PROPER, "{n} lives in {a}."),
    _form(r"where do you work", _PROPER, "{n} works at {a}."),
    _form(
        r"what(?:'s| is| are) your (?P<t>(?:all-time )?(?:favou?rite|fave|fav) [\w ]{2,30}?)", _THING, "{p} {t} is {a}."
    ),
    _form(
        rf"what(?:'s| is) (?:your|his|her|the|its) (?P<t>{_OWN})(?:'s)? (?:name|called)",
        _PROPER,
        "{p} {t} is called {a}.",
    ),
    _form(r"how old are you", r"(?P<a>\d{1,3})", "{n} is {a} years old."),
)
_HOW_LONG: Final = re.compile(
    r"\bhow long (?:have|has) (?P<who>you|you guys|you two|you all|you both) (?P<adv>been )?"
    r"(?P<rest>[^?]{2,60})\?\s*\Z",
    re.IGNORECASE,
)
_POINTS_OUT: Final = re.compile(
    r"\b(?:it|that|this|them|those|these|he|she|they|there|one|so|doing|you|your|i|my)\b", re.IGNORECASE
)


def short_answer(question: str, told: Sequence[Sentence], name: str) -> ShortAnswer | None:
    """Give the statement that the beginning of a message makes by answering the last question before it, or None.

    Args:
        question: The message before, whole.
        told: The sentences of the message.
        name: Display name of who answers.
    """
    asked = next((s.text for s in reversed(split_sentences(question)) if s.text.endswith("?")), None)
    if asked is None:
        return None
    for sentence in [s for s in told if not s.text.endswith("?")][:2]:
        text = _how_long(asked, sentence, name) or _formed(asked, sentence, name)
        if text:
            return ShortAnswer(text[0].upper() + text[1:], sentence.start, sentence.start + len(sentence.text))
    return None


def _formed(question: str, answer: Sentence, name: str) -> str | None:
    for form in _FORMS:
        asked = form.question.search(question)
        if not asked:
            continue
        told = form.answer.match(answer.text)
        if told and _says_what(told["a"]):
            return form.text.format(n=name, p=possessive(name), a=told["a"].strip(' "“”'), **asked.groupdict())
    return None


def _says_what(value: str) -> bool:
    """Whether an answer names something, and does not only point or exclaim."""
    words = value.lower().split()
    return 0 < len(words) <= MAX_ANSWER_WORDS and words[0] not in INTERJECTIONS and not _POINTS_OUT.search(value)


def _how_long(question: str, answer: Sentence, name: str) -> str | None:
    asked = _HOW_LONG.search(question)
    told = _DURATION.match(answer.text)
    if not asked or not told or (asked["who"].lower() != "you" and not asked["adv"]):
        return None
    what = asked["rest"].strip()
    verb = what.split()[0].lower()
    if _POINTS_OUT.search(what) or (not asked["adv"] and verb not in v.PARTICIPLE and not verb.endswith("ed")):
        return None
    duration = told["a"]
    span = duration if duration.lower().startswith("since") else f"for {duration.lower()}"
    return f"{name} has {'been ' if asked['adv'] else ''}{what} {span}."
