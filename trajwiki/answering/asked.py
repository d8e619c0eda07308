"""What a question asks for: a person, a place, a reason, a thing of a kind; and whom and what it names."""

from __future__ import annotations

import enum
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from trajwiki.domain.answers import AnswerType
from trajwiki.domain.state import SpaceState
from trajwiki.language import verbs as v
from trajwiki.language.lexicon import ADVERBS, word_set
from trajwiki.language.tokens import fold, keywords, stem, words
from trajwiki.retrieval.shape import Shape

_I: Final = re.IGNORECASE


class Focus(enum.Enum):
    """What sort of words would answer."""

    WHO = "a person"
    WHERE = "a place"
    WHY = "a reason"
    FEEL = "a feeling"
    TITLE = "a title"
    CALLED = "a name"
    COLOUR = "a colour"
    AMOUNT = "an amount"
    OFTEN = "how often"
    DEED = "what somebody does"
    THING = "a thing"


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, parsed.

    Attributes:
        question: As asked.
        shape: Its shape.
        focus: What would answer.
        noun: Stem of the thing asked for in "what kind of car", "which car"; empty when none is named.
        verb: Base form of its main verb, or empty.
        doers: Folded names of the speakers that do what is asked about; all that it names when that is not clear.
        keys: Stems that evidence should hold.
        names: Stems of the names in it, but for those of speakers.
        image: Whether it asks about a picture.
        unknown_doer: Whether it asks who did it: "Who is allergic to nuts?".
        weights: The keys with their weight: the rarer in the space, the more.
    """

    question: str
    shape: Shape
    focus: Focus
    noun: str
    verb: str
    doers: tuple[str, ...]
    keys: tuple[str, ...]
    names: tuple[str, ...]
    image: bool
    unknown_doer: bool
    weights: Mapping[str, float]


_AUX: Final = "do|does|did|is|are|was|were|has|have|had|can|could|would|will|should"
_PLACES: Final = "city|cities|country|countries|state|states|town|place|places|location|region|continent"
_TITLES: Final = (
    "book|novel|movie|film|song|album|game|show|series|band|artist|musician|author|podcast|magazine|play|poem"
)
_FOCI: Final = tuple(
    (focus, re.compile(pattern, _I))
    for focus, pattern in (
        (Focus.WHO, r"^(?:who|whom|whose|with whom)\b"),
        (Focus.WHERE, rf"^(?:to |from |in |at )?(?:where|(?:what|which) (?:\w+ )?(?:{_PLACES}))\b"),
        (
            Focus.WHY,
            r"^(?:why|how come)\b|\b(?:what|which) (?:is|was|were|are) the (?:\w+ )?reasons?\b"
            r"|^what (?:made|inspired|motivated|prompted|sparked|led|drove|caused|encouraged)\b",
        ),
        (
            Focus.FEEL,
            r"^how (?:does|did|do|is|was|has) .*\bfeel(?:s|ing)?\b|\bwhat (?:emotions?|feelings?|mood)\b"
            r"|\bwhat was .{1,40} reaction\b|^how (?:do|does|did) .{1,40} (?:react|describe)\b",
        ),
        (Focus.COLOUR, r"\bcolou?rs?\b"),
        (Focus.OFTEN, r"\bhow (?:often|frequently)\b"),
        (
            Focus.AMOUNT,
            r"\bhow (?:much|old|far|tall|big|large|fast)\b|\bwhat (?:percent|price|age)\b",
        ),
        (Focus.CALLED, r"\b(?:what|who) .*\b(?:names?|called|named)\b"),
        (
            Focus.TITLE,
            rf"^(?:what|which) (?!(?:\w+ )?(?:kinds?|types?|sorts?|genres?)\b)(?:\w+ ){{0,2}}?(?:{_TITLES})s?\b",
        ),
        (
            Focus.DEED,
            rf"^what happen(?:s|ed)\b|^what (?:else )?(?:{_AUX}) .*\b(?:do|doing|done)\b",
        ),
    )
)
_KIND: Final = re.compile(
    r"\b(?:what|which) (?:\w+ )?(?:kinds?|types?|sorts?|styles?|genres?|brands?|flavou?rs?) of (?P<n>[\w' -]{2,40}?)"
    r" (?:do|does|did|is|are|was|were|has|have|had|can|could|would|will|should)\b",
    _I,
)
_NOUN: Final = re.compile(
    rf"\b(?:what|which) (?P<n>(?:[\w'-]+ ){{1,4}}?)(?:{_AUX})\b",
    _I,
)
_INSTRUCTION: Final = re.compile(r"(?<=[?.!])\s+(?:give|answer|return|name|round|use|state|reply|write)\b[^?]*", _I)
_DOER: Final = re.compile(r"\b(?:do|does|did|is|are|was|were|has|have|had|can|could|would|will|should)(?:n't)? ", _I)
_ACCORDING: Final = re.compile(r"\baccording to (?P<who>[\w' -]{1,60})", _I)
_WHO_DOES: Final = re.compile(r"who (?!(?:did|does|do) )\w+", _I)
_IMAGE: Final = re.compile(r"\b(?:photos?|pictures?|images?|paintings?|show(?:ed|n)?|shared?|posters?)\b", _I)
_NO_KEYS: Final = frozenset(
    stem(w)
    for w in word_set(
        """kind type sort name think describe mention accord say said would likely become became recent recently
        current currently new latest big biggest happen happened way thing one specific particular"""
    )
)


def ask(question: str, shape: Shape, state: SpaceState) -> Asked:
    """Parse a question.

    Args:
        question: As asked.
        shape: Its shape.
        state: The space that it is asked of.
    """
    focus = next((f for f, pattern in _FOCI if pattern.search(question)), Focus.THING)
    match = _KIND.search(question) or _NOUN.search(question)
    noun = keywords(match["n"])[-1:] if match and focus not in (Focus.WHERE, Focus.CALLED) else []
    timed = {k for m in shape.times for k in keywords(m.text)}
    told = {k for s in _INSTRUCTION.findall(question) for k in keywords(s)} - set(
        keywords(_INSTRUCTION.sub(" ", question))
    )
    without = _NO_KEYS | timed | told
    keys = tuple(k for k in shape.keywords if k not in without) or shape.keywords
    return Asked(
        question=question,
        shape=shape,
        focus=focus,
        noun=noun[0] if noun else "",
        verb=_verb(question, shape),
        doers=_doers(question, shape),
        keys=keys,
        names=tuple(k for k in keys if k in _names(question)),
        image=bool(_IMAGE.search(question)),
        unknown_doer=not shape.subject_speakers and bool(_WHO_DOES.match(question)),
        weights=_weights(keys, state),
    )


_NAME: Final = re.compile(r"(?<=[a-z,'’\"“] )[A-Z][\w'-]+")


def _names(question: str) -> frozenset[str]:
    return frozenset(k for m in _NAME.finditer(question) for k in keywords(m.group()))


def _weights(keys: Sequence[str], state: SpaceState) -> dict[str, float]:
    n = len(state.snapshots)
    weights = {}
    for key in keys:
        df = sum(key in s.features.keywords for s in state.snapshots.values())
        weights[key] = math.log(1 + (n + 1) / (df + 0.5))
    return weights


def _doers(question: str, shape: Shape) -> tuple[str, ...]:
    """Whom the auxiliary of the question is followed by: "What did Ann give Ben?" asks about Ann."""
    named = tuple(fold(s) for s in shape.subject_speakers)
    if (says := _ACCORDING.search(question)) and (who := [n for n in named if fold(says["who"]).startswith(n)]):
        return tuple(who)
    if len(named) < 2 or shape.answer_type is AnswerType.YES_NO:
        return named
    for match in _DOER.finditer(question):
        rest = fold(question[match.end() :])
        first = next((n for n in named if rest.startswith(n)), None)
        if first is not None:
            joined = re.match(rf"{re.escape(first)}(?:'s?)? (?:and|or) ", rest)
            return named if joined else (first,)
    return named


_PASSING: Final = v.BE | v.HAVE | v.DO | v.MODALS | ADVERBS


def _verb(question: str, shape: Shape) -> str:
    """The last verb of the question's own clause, which is behind its auxiliary."""
    names = {w for s in shape.subject_speakers for w in words(s)}
    asked = words(question)
    start = next((i + 1 for i, w in enumerate(asked) if w in v.BE | v.HAVE | v.DO | v.MODALS), 0)
    for word in asked[start:]:
        if word in names or word in _PASSING:
            continue
        if word in v.BASES or word in v.GERUND or word in v.PAST or word in v.PARTICIPLE:
            return v.base_of(word)
    return "do" if {"do", "doing", "done"} & set(asked[start:]) else ""


def unknown_keys(asked: Asked, held: frozenset[str]) -> Sequence[str]:
    """Give the keys that a text does not hold."""
    return [k for k in asked.keys if k not in held]
