"""The subject that chat leaves out: "Went to Rome", "Just got back", "Here's a picture of me"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from trajwiki.language import lexicon as lex
from trajwiki.language import verbs as v
from trajwiki.language.lexicon import word_set
from trajwiki.language.sentences import finite_verbs
from trajwiki.language.tokenizing import Tag, Token

_AFTER_WAS: Final = frozenset({Tag.ADJECTIVE, Tag.ADVERB, Tag.GERUND, Tag.PARTICIPLE})
_SAYS_I: Final = word_set(
    "love like hate miss enjoy prefer want need hope wish live work play own speak collect study practice"
)


def supply_subject(tokens: Sequence[Token]) -> list[Token] | None:
    """Put in the "I" that a chat sentence leaves out, or give None where something else than "I" was left out."""
    if not tokens:
        return None
    i = 0
    while i < len(tokens) - 1 and tokens[i].tag is Tag.ADVERB and tokens[i].low not in {"there", "here"}:
        i += 1
    if tokens[i].low == "here" and len(tokens) > i + 3 and tokens[i + 1].low in {"'s", "is", "are"}:
        return _shared(tokens[i:])
    reading = next((r for rule in _LEFT_OUT if (r := rule(tokens, i)) is not None), _Reading())
    if reading.other:
        return None
    return _with_subject(tokens, i, reading.verb) if reading.supplied else list(tokens)


@dataclass(frozen=True, slots=True)
class _Reading:
    """What a clause leaves out.

    Attributes:
        supplied: Whether the speaker is its subject.
        verb: The auxiliary that is left out as well, if any.
        other: Whether its subject is something else, which is not there.
    """

    supplied: bool = False
    verb: str = ""
    other: bool = False


_SPEAKER: Final = _Reading(supplied=True)
_I_AM: Final = _Reading(supplied=True, verb="'m")
_I_HAVE: Final = _Reading(supplied=True, verb="'ve")
_NOTHING: Final = _Reading()
_SOMETHING_ELSE: Final = _Reading(other=True)


def _mood(tokens: Sequence[Token], i: int) -> _Reading | None:
    """So: "Excited for the trip", "Off to bed", "Not sure"."""
    first = tokens[i]
    feels = first.low in lex.FEELINGS and not _has_object(tokens, i + 1)
    if not feels and not (first.low in {"off", "not"} and len(tokens) > i + 2):
        return None
    behind = tokens[i + 1] if i + 1 < len(tokens) else first
    if behind.tag is Tag.PRONOUN or behind.low in {"that", "to", "for", "about"}:
        return _I_AM  # "glad we met"
    return _NOTHING if finite_verbs(_main(tokens[i + 1 :])) else _I_AM


def _past(tokens: Sequence[Token], i: int) -> _Reading | None:
    """So: "Went to Rome", "Just got back"."""
    first = tokens[i]
    if first.tag is not Tag.PAST or first.low in {"said", "thought", "let"} or not _is_known_past(tokens, i):
        return None
    if i + 1 < len(tokens) and tokens[i + 1].low in {"me", "us"}:
        return _SOMETHING_ELSE  # "made me think"
    rest = _main(tokens[i + 1 :])
    if finite_verbs(rest) and not any(t.tag is Tag.COORDINATOR or t.low in lex.SUBJECTS for t in rest):
        return _NOTHING  # "processed foods make me tired"
    return _SPEAKER


def _perfect(tokens: Sequence[Token], i: int) -> _Reading | None:
    """So: "Been to Rome"; but not "been a busy week"."""
    first = tokens[i]
    if first.low not in {"been", "gotten"} and not (first.tag is Tag.PARTICIPLE and first.low in {"seen", "done"}):
        return None
    behind = tokens[i + 1] if i + 1 < len(tokens) else first
    if behind.tag in (Tag.DETERMINER, Tag.NUMBER) or behind.low in lex.EVALUATIVE | {
        "ages",
        "years",
        "weeks",
        "months",
    }:
        return _SOMETHING_ELSE
    return _I_HAVE


def _finite_verb(tokens: Sequence[Token], i: int) -> _Reading | None:
    """So: "Had fun", "Did an analysis", "Was nervous", "Can't wait", "Love tea"."""
    first = tokens[i]
    behind = tokens[i + 1].tag if i + 1 < len(tokens) else None
    found = (
        first.low == "had"
        or (first.low == "did" and _has_object(tokens, i + 1))
        or (first.low == "have" and behind is Tag.PARTICIPLE)
        or (first.low == "was" and behind in _AFTER_WAS)
        or (first.low in {"ca", "could", "will", "would", "'ll", "wo"} and not _is_subject(tokens, i + 1))
        or (first.low in _SAYS_I and first.tag in (Tag.BASE, Tag.AUX))
    )
    return _SPEAKER if found else None


def _progressive(tokens: Sequence[Token], i: int) -> _Reading | None:
    """So: "Planning a trip"; but not "Planning a trip is fun"."""
    first = tokens[i]
    if first.tag is not Tag.GERUND or not first.low.isalpha() or v.base_of(first.low) not in _PROGRESSIVE:
        return None
    if first.low == "hoping":
        return _I_AM
    subordinate = sum(t.tag is Tag.SUBORDINATOR for t in tokens)
    is_subject = finite_verbs(tokens[i + 1 :]) > subordinate or finite_verbs(_main(tokens[i + 1 :]))
    return _NOTHING if is_subject else _I_AM


_LEFT_OUT: Final = (_mood, _past, _perfect, _finite_verb, _progressive)
"""How a clause without subject can be read; the first that applies counts."""


def _with_subject(tokens: Sequence[Token], i: int, verb: str) -> list[Token]:
    start, at = tokens[0].start, tokens[i].start
    said = [Token("I", "i", start, start, False, Tag.PRONOUN)]
    if verb:
        said.append(Token(verb, verb, at, at, False, Tag.AUX))
    first = replace(tokens[0], text=_lowered(tokens[0]), space=True)
    return [*said, first, *tokens[1:]]


_PROGRESSIVE: Final = word_set(
    """plan try look work research finish think prepare prep study read learn train practice hope head go rehearse
    search wait start consider save apply move pack write organize"""
)
"""Verbs whose bare -ing form says what the speaker is doing, rather than naming a thing that is talked about."""


def _is_known_past(tokens: Sequence[Token], i: int) -> bool:
    if tokens[i].low in {"mixed", "limited"}:
        return False
    return tokens[i].low in v.PAST or (tokens[i].low.isalpha() and tokens[i].low.endswith("ed") and i + 1 < len(tokens))


def _shared(tokens: Sequence[Token]) -> list[Token]:
    """So: "Here's a picture of me" told as what was done: "I shared a picture of me"."""
    here, verb, *shown = tokens
    return [
        Token("I", "i", here.start, here.end, False, Tag.PRONOUN),
        Token("shared", "shared", verb.start, verb.end, True, Tag.PAST),
        replace(shown[0], space=True),
        *shown[1:],
    ]


def _has_object(tokens: Sequence[Token], i: int) -> bool:
    """Whether "did" is followed by what was done and not by a question: "did an analysis"."""
    opens = i < len(tokens) and tokens[i].tag in (Tag.DETERMINER, Tag.NOUN, Tag.POSSESSIVE, Tag.ADJECTIVE, Tag.NUMBER)
    return opens and not any(t.tag is Tag.BASE for t in tokens[i : i + 6])


def _lowered(token: Token) -> str:
    return token.text if token.tag in (Tag.NAME, Tag.QUOTED) or token.text[1:2].isupper() else token.low


def _main(tokens: Sequence[Token]) -> list[Token]:
    """The tokens up to the first subordinate clause, or a dash."""
    ends = (
        i for i, t in enumerate(tokens) if t.tag is Tag.SUBORDINATOR or (t.text in {"-", "–", "—", ";"} and t.space)
    )
    end = next(ends, len(tokens))
    return [t for i, t in enumerate(tokens[:end]) if i == 0 or tokens[i - 1].tag is not Tag.TO]


def _is_subject(tokens: Sequence[Token], i: int) -> bool:
    return i < len(tokens) and tokens[i].low in lex.SUBJECTS
