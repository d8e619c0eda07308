"""When two tips say the same, and when one says the contrary of the other."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from trajwiki.domain.tips import Tip
from trajwiki.language.tokens import fold, keywords
from trajwiki.tips.wording import code_names

SAME: Final = 0.95  # cosine of advice from which two wordings with the same names are one
ALIKE: Final = 0.6  # share of words that two contrary pieces of advice have in common

_NEGATIVE: Final = re.compile(r"^(?:never|do not|don[’']t|avoid|stop|skip|refrain from)\b", re.I)
_CONDITION: Final = re.compile(r"\b(?:without|before|until|unless|except|only|if|when)\b", re.I)
_STRIP: Final = re.compile(r"\b(?:never|do not|don[’']t|avoid|stop|skip|refrain from|always|not)\b", re.I)
_ORDER: Final = re.compile(r"`([^`\n]+)`[^`.;:]{0,30}\b(before|after)\b[^`.;:]{0,30}`([^`\n]+)`")
_NUMBER: Final = re.compile(r"\d+(?:[.,]\d+)*")

Key = tuple[str, str, str, str]


def kind_of(tip: Tip) -> Key:
    """Give what has to be equal for two tips to be compared: category, application, scope and granularity."""
    return tip.category.value, (tip.app or "").casefold(), tip.scope.value, tip.granularity.value


@lru_cache(maxsize=65536)
def names_in(content: str) -> tuple[str, ...]:
    """Give the names of tools and fields in advice, sorted: tips that name other things never say the same."""
    return tuple(sorted(set(code_names(content))))


@lru_cache(maxsize=65536)
def plain(content: str) -> str:
    """Give advice in the form in which wordings are compared for being equal."""
    return " ".join(re.sub(r"[^\w`]+", " ", fold(content)).split())


def same_advice(a: Tip, b: Tip, cosine: float) -> bool:
    """Tell whether two tips say the same: in the same words, or nearly so, about the same names and numbers.

    Args:
        a: One tip.
        b: Another one.
        cosine: Of their advice, in [-1, 1].
    """
    if plain(a.content) == plain(b.content):
        return True
    return (
        cosine >= SAME
        and names_in(a.content) == names_in(b.content)
        and _NUMBER.findall(a.content) == _NUMBER.findall(b.content)
        and forbids(a.content) == forbids(b.content)
        and _orders(a.content) == _orders(b.content)
    )


def contrary(a: Tip, b: Tip) -> bool:
    """Tell whether two tips cannot both be followed.

    One says never what the other says to do, in much the same words; or they differ only in a number; or they put
    the same two names in opposite order.
    """
    if names_in(a.content) != names_in(b.content) or plain(a.content) == plain(b.content):
        return False
    if _orders(a.content) & {(y, x) for x, y in _orders(b.content)}:
        return True
    if forbids(a.content) != forbids(b.content):
        x, y = (set(keywords(_STRIP.sub(" ", t.content))) for t in (a, b))
        return bool(x | y) and len(x & y) >= ALIKE * len(x | y)
    numbers = _NUMBER.findall(a.content), _NUMBER.findall(b.content)
    return numbers[0] != numbers[1] and _NUMBER.sub("#", plain(a.content)) == _NUMBER.sub("#", plain(b.content))


def forbids(content: str) -> bool:
    """Whether advice forbids outright; "do not … before …" only says when."""
    sentence = re.split(r"[.;:](?:\s|$)", content.strip(), maxsplit=1)[0]
    return bool(_NEGATIVE.match(sentence)) and not _CONDITION.search(sentence)


def _orders(content: str) -> frozenset[tuple[str, str]]:
    """Pairs of names of which the first comes first."""
    return frozenset(
        (x, y) if word.casefold() == "before" else (y, x) for x, word, y in _ORDER.findall(content[:2_000]) if x != y
    )
