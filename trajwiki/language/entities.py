"""Names in a sentence: people, places, organisations, titles, tags."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from trajwiki.language import lexicon as lex
from trajwiki.language.lexicon import word_set
from trajwiki.language.tagging import tag
from trajwiki.language.tokenizing import Tag, Token
from trajwiki.language.tokens import fold
from trajwiki.language.verbs import BASES, GERUND, PAST

CALENDAR: Final = word_set(
    """monday tuesday wednesday thursday friday saturday sunday january february march april may june july august
    september october november december mon tue tues wed thu thur thurs fri sat sun jan feb mar apr jun jul aug
    sep sept oct nov dec am pm a.m p.m mondays tuesdays wednesdays thursdays fridays saturdays sundays"""
)
MONTHS: Final = word_set("january february march april june july august september october november december")
NOT_NAMES: Final = (
    lex.ADVERBS | lex.EVALUATIVE | lex.FEELINGS | lex.VAGUE | lex.INTERJECTIONS | lex.SUBJECTS | lex.OBJECTS
    | lex.POSSESSIVES | lex.DETERMINERS | lex.PREPOSITIONS | lex.SUBORDINATORS | lex.RELATIVES | lex.COORDINATORS
    | lex.PERSON_SINGULAR | lex.PERSON_PLURAL | CALENDAR | word_set("i ok tv diy ai pc id")
)  # fmt: skip
_INSIDE: Final = word_set("of the de la del da di van von al el & 's")
_QUOTE_MARKS: Final = " \"'“”‘’«».,!?"
_CAPITALS: Final = re.compile(r"[A-Z][A-Z0-9&-]{1,9}\Z")


def find_entities(text: str, known: Iterable[str] = ()) -> list[str]:
    """Give the names in a text, in order of appearance, each once, as they are written.

    A name is a run of capitalised words inside a sentence (joined by "of", "the", "de"), a quoted title, an acronym,
    a tag. The first word of a sentence counts only when it is one of the known names, an acronym, or the beginning of
    a longer name. Months and days are not names.

    Args:
        text: A sentence.
        known: Names of people who take part.
    """
    names = frozenset(fold(k) for k in known)
    return entities_of(tag(text, names), names)


def entities_of(tokens: Sequence[Token], names: frozenset[str] = frozenset()) -> list[str]:
    """Give the names among the tokens of one tagged sentence; as `find_entities`."""
    found: dict[str, str] = {}
    i = 0
    while i < len(tokens):
        token = tokens[i]
        if token.tag is Tag.QUOTED:
            title = token.text.strip(_QUOTE_MARKS)
            if _is_title(title):
                found.setdefault(fold(title), title)
        elif token.text[0] in "#@" and len(token.text) > 2:
            found.setdefault(fold(token.text), token.text)
        elif _begins(tokens, i, names):
            end = _run(tokens, i)
            name = _joined(tokens[i:end])
            if fold(name) not in NOT_NAMES and len(name) > 1:
                found.setdefault(fold(name), name)
            i = end
            continue
        i += 1
    return list(found.values())


def _is_title(title: str) -> bool:
    first = title.split()[:1]
    return bool(first) and len(title.split()) <= 10 and (first[0][0].isupper() or first[0][0].isdigit())


def _begins(tokens: Sequence[Token], i: int, names: frozenset[str]) -> bool:
    token = tokens[i]
    if not token.text[0].isupper() or not token.text[0].isalpha():
        return False
    if token.low in names:
        return True
    if _first_of_name(tokens, i):
        return True
    if token.low in NOT_NAMES or token.tag not in (Tag.NAME, Tag.NOUN, Tag.ADJECTIVE, Tag.GERUND):
        return False
    if _CAPITALS.match(token.text):
        return token.low not in BASES and token.low not in PAST
    if i > 0 and tokens[i - 1].text not in {".", "!", "?", ":", '"', "“", "(", "*"}:
        return token.tag is Tag.NAME
    if token.low in BASES or token.low in GERUND or token.low in PAST:
        return False
    nearby = tokens[i + 1] if i + 1 < len(tokens) else None
    return nearby is not None and nearby.text[0].isupper() and nearby.tag is Tag.NAME and nearby.low not in NOT_NAMES


def _first_of_name(tokens: Sequence[Token], i: int) -> bool:
    """Whether an ordinary word begins a longer name: "New York", "Great Wall"."""
    ordinary = tokens[i].low in lex.EVALUATIVE or tokens[i].low in lex.VAGUE
    return (
        ordinary and (i > 0 or tokens[i].low == "new") and tokens[i].tag is not Tag.ADVERB and _capital(tokens, i + 1)
    )


def _run(tokens: Sequence[Token], i: int) -> int:
    """The end of the name that begins at i."""
    end = i + 1
    while end < len(tokens) and (step := _goes_on(tokens, end)):
        end += step
    while end > i + 1 and tokens[end - 1].low in _INSIDE:
        end -= 1
    return end


def _goes_on(tokens: Sequence[Token], end: int) -> int:
    """How many tokens at the end of a name belong to it as well."""
    token = tokens[end]
    if token.text[0].isupper() and token.tag in (Tag.NAME, Tag.NOUN) and token.low not in CALENDAR and token.space:
        return 1
    if token.tag is Tag.NUMBER and token.text.isdigit() and len(token.text) < 4:
        return 1
    if token.low == "'s" and end + 1 < len(tokens) and tokens[end + 1].text[0].isupper():
        return 2
    if token.low in _INSIDE and _capital(tokens, end + 1):
        return 1
    of_the = token.low == "of" and end + 1 < len(tokens) and tokens[end + 1].low == "the"
    return 2 if of_the and _capital(tokens, end + 2) else 0


def _capital(tokens: Sequence[Token], i: int) -> bool:
    return (
        i < len(tokens) and tokens[i].text[0].isupper() and tokens[i].tag is Tag.NAME and tokens[i].low not in NOT_NAMES
    )


def _joined(tokens: Sequence[Token]) -> str:
    return "".join((" " if t.space and k else "") + t.text for k, t in enumerate(tokens)).rstrip(".")
