"""Lists inside a sentence: "piano, violin and the clarinet" as three items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from trajwiki.language.tokenizing import FINITE, Tag, Token

MAX_ITEMS: Final = 8
MAX_ITEM_WORDS: Final = 5
_ENDS: Final = frozenset({Tag.SUBORDINATOR, Tag.TO, Tag.MARK})


@dataclass(frozen=True, slots=True)
class ItemList:
    """A list in a tagged clause.

    Attributes:
        start: Index of its first token in the clause.
        end: Index behind its last.
        items: The tokens of each item, in order; at least two.
        joined_by: "and" or "or".
    """

    start: int
    end: int
    items: tuple[tuple[Token, ...], ...]
    joined_by: str


def find_list(tokens: Sequence[Token]) -> ItemList | None:
    """Give the list of nouns or activities in a clause whose end is marked by "and" or "or", or None."""
    for at, token in enumerate(tokens):
        if token.low in {"and", "or", "&"} and 0 < at < len(tokens) - 1:
            last = _item_after(tokens, at + 1)
            if last is None:
                continue
            start, items = _items_before(tokens, at)
            if items and (len(items) > 1 or tokens[at - 1].text != ","):
                found = [*items, tuple(tokens[at + 1 : last])]
                if len(found) <= MAX_ITEMS and _alike(found):
                    return ItemList(start, last, tuple(found), "or" if token.low == "or" else "and")
    return None


def _item_after(tokens: Sequence[Token], i: int) -> int | None:
    """The end of the item that begins at i."""
    end = i
    while end < len(tokens) and tokens[end].tag not in _ENDS and tokens[end].tag is not Tag.COORDINATOR:
        if tokens[end].tag in FINITE:
            return None
        if tokens[end].tag is Tag.PREPOSITION and tokens[end].low != "of":
            break
        if (end > i and tokens[end].tag in (Tag.ADVERB, Tag.PRONOUN)) or _is_time(tokens, end):
            break
        end += 1
    return end if _is_item(tokens[i:end]) else None


def _items_before(tokens: Sequence[Token], at: int) -> tuple[int, list[tuple[Token, ...]]]:
    """The items before the joining word, which are separated by commas, and where the first begins."""
    items: list[tuple[Token, ...]] = []
    end = at - 1 if tokens[at - 1].text == "," else at
    while True:
        start = end
        while start > 0 and not _bounds(tokens, start - 1):
            start -= 1
        item = tuple(tokens[start:end])
        if not _is_item(item):
            return (end + 1 if items else 0, items)
        items.insert(0, item)
        if start == 0 or tokens[start - 1].text != ",":
            return start, items
        end = start - 1


def _bounds(tokens: Sequence[Token], i: int) -> bool:
    token = tokens[i]
    if token.tag in _ENDS or token.tag in FINITE or token.tag in (Tag.COORDINATOR, Tag.PARTICIPLE, Tag.ADVERB):
        return True
    if token.tag is Tag.PREPOSITION:
        return token.low != "of" or (i > 0 and tokens[i - 1].tag is not Tag.NOUN)
    if token.tag is Tag.GERUND:  # "been reading A, B and C" against "hiking, camping and fishing"
        return i > 0 and (tokens[i - 1].tag is Tag.PARTICIPLE or tokens[i - 1].tag is Tag.AUX)
    return token.tag is Tag.PRONOUN


def _is_item(item: Sequence[Token]) -> bool:
    if not 0 < len(item) <= MAX_ITEM_WORDS:
        return False
    if any(t.tag in FINITE or t.tag in (Tag.PRONOUN, Tag.MARK, Tag.COORDINATOR) for t in item):
        return False
    return item[-1].tag in (Tag.NOUN, Tag.NAME, Tag.QUOTED, Tag.GERUND)


def _alike(items: Sequence[Sequence[Token]]) -> bool:
    """Whether the items could stand for one another: all activities, or none."""
    compound = [len(item) > 1 and item[0].tag is Tag.GERUND and item[-1].tag is Tag.NOUN for item in items]
    activities = [item[0].tag is Tag.GERUND for item, both in zip(items, compound, strict=True) if not both]
    return all(activities) or not any(activities)


def _is_time(tokens: Sequence[Token], i: int) -> bool:
    return tokens[i].low in {"last", "next", "this", "every", "each"} and i + 1 < len(tokens)
