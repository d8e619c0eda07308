"""Whether what a model wrote is borne out by its sources: names and numbers all, other words for the most part."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from trajwiki.language.lexicon import word_set
from trajwiki.language.times import parse_number
from trajwiki.language.tokens import fold, is_stopword, stem, words

SHARE: Final = 0.5  # of the content words of a text that its sources must hold
_NAME: Final = re.compile(r"(?<![.!?:\"“] )(?<!^)\b[A-Z][\w’'-]*\w")
_CALENDAR: Final = word_set(
    """january february march april may june july august september october november december monday tuesday wednesday
    thursday friday saturday sunday"""
)


def ungrounded(text: str, sources: Sequence[str], *, allowed: Iterable[str] = ()) -> str | None:
    """Give the first name or number of a text that no source holds, or the text itself when most of it is new.

    Args:
        text: What the model wrote.
        sources: What it may stand on.
        allowed: Further texts whose words may be used: names of speakers, dates that were worked out.
    """
    held = {w for source in (*sources, *allowed) for w in words(source)}
    stems = {stem(w) for w in held}
    numbers = {n for w in held if (n := parse_number(w)) is not None}
    for word in words(text):
        if any(c.isdigit() for c in word) and word not in held and parse_number(word) not in numbers:
            return word
    for match in _NAME.finditer(text):
        for word in words(match.group()):
            known = word in held or stem(word) in stems or is_stopword(word) or word in _CALENDAR
            if not known:
                return match.group()
    content = [w for w in words(text) if not is_stopword(w)]
    if content and sum(stem(w) in stems for w in content) < SHARE * len(content):
        return text[:80]
    return None


def stands_in(surface: str, sources: Iterable[str]) -> bool:
    """Tell whether a source holds a surface, letter by letter after folding."""
    folded = fold(surface)
    return bool(folded) and any(folded in fold(source) for source in sources)


_MARKS: Final = frozenset("\"'“”‘’„«»`´")


def locate(quote: str, content: str) -> tuple[int, int] | None:
    """Give where a quote stands in a text, white space and quotation marks aside; None when it does not.

    Returns:
        Start and end in characters.
    """
    at = content.find(quote)
    if quote and at >= 0:
        return at, at + len(quote)
    wanted, _ = _bare(quote.strip().strip(".…").strip())
    held, places = _bare(content)
    at = held.find(wanted) if wanted else -1
    if at < 0:
        return None
    start, end = places[at], places[at + len(wanted) - 1] + 1
    if quote.strip()[0] in _MARKS and start and content[start - 1] in _MARKS:
        start -= 1
    if quote.strip()[-1] in _MARKS and end < len(content) and content[end] in _MARKS:
        end += 1
    return start, end


def _bare(text: str) -> tuple[str, list[int]]:
    """The letters and marks of a text without white space and quotation marks, folded one by one, with their places."""
    kept: list[str] = []
    places: list[int] = []
    for i, c in enumerate(text):
        if c.isspace() or c in _MARKS:
            continue
        folded = c.casefold()
        kept.append(folded if len(folded) == 1 else c)
        places.append(i)
    return "".join(kept), places
