"""The phrases of claims that say what they are about."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from trajwiki.domain.claims import Claim
from trajwiki.language import lexicon as lex
from trajwiki.language.time_words import MONTH_SHORT, MONTHS, UNITS, WEEKDAY_SHORT, WEEKDAYS
from trajwiki.language.tokens import fold, is_stopword, stem, words
from trajwiki.memory.digests import is_noise

MAX_WORDS: Final = 3
MIN_LETTERS: Final = 3
_TIME_WORDS: Final = {*MONTHS, *MONTH_SHORT, *WEEKDAYS, *WEEKDAY_SHORT, *UNITS, "weekend", "weekends"}
_DULL: Final = (
    lex.VAGUE | lex.EVALUATIVE | lex.FEELINGS | lex.INTERJECTIONS | lex.ADVERBS | _TIME_WORDS
    | {"other", "same", "different", "own", "being", "front", "far", "long"}
)  # fmt: skip

Phrase = tuple[str, tuple[str, ...]]  # as it is written, and its stems


def phrases_of(claim: Claim) -> Iterator[Phrase]:
    """Give the names, exact terms and values in a claim that can stand for what it is about.

    Those with vague words or numbers, and long ones, are left out; so are claims that only tell of a shared photo,
    and text that addresses a machine.
    """
    if claim.instruction_like or is_noise(claim):
        return
    names = {word for e in claim.entities for word in words(e)}
    value = (claim.facet.value,) if claim.facet else ()
    for text in dict.fromkeys((*claim.entities, *claim.terms, *value)):
        if stems := _telling_stems(text):
            yield _written(text, names), stems


@lru_cache(maxsize=1 << 15)
def _telling_stems(text: str) -> tuple[str, ...]:
    """Give the stems of a short phrase all of whose words tell something; else none."""
    content = [w for w in words(text) if not is_stopword(w)]
    return tuple(map(stem, content)) if len(content) <= MAX_WORDS and all(map(telling, content)) else ()


def telling(word: str) -> bool:
    """Tell whether a folded word says by itself what a talk is about."""
    return word not in _DULL and (not word.isascii() or (len(word) >= MIN_LETTERS and word.isalpha()))


def _written(text: str, names: set[str]) -> str:
    """Give a phrase as it stands inside a line: without an article, and small but for names."""
    parts = text.split()
    while len(parts) > 1 and is_stopword(parts[0]):
        parts = parts[1:]
    return " ".join(p.lower() if p[1:].islower() and fold(p).removesuffix("'s") not in names else p for p in parts)
