"""What surrounds a statement and is not part of it: exclamations, names called, set phrases, praise in passing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from trajwiki.language import lexicon as lex
from trajwiki.language.lexicon import word_set
from trajwiki.language.tokenizing import Tag, Token
from trajwiki.memory.phrases import CLOSINGS, OPENINGS


def strip_opening(tokens: Sequence[Token], names: frozenset[str]) -> list[Token]:
    """Leave out what stands before the statement: exclamations, names called, set phrases, joining words."""
    tokens = list(tokens)
    while tokens:
        length = _opening(tokens, names)
        if not length:
            return tokens
        del tokens[:length]
    return tokens


def _opening(tokens: Sequence[Token], names: frozenset[str]) -> int:
    """How many tokens at the beginning are no part of the statement."""
    first = tokens[0]
    if first.tag is Tag.MARK and first.text not in "([":
        return 1
    lows = [t.low for t in tokens[:12]]
    if lows[0] == "since" and lows[1:2] in (["we"], ["our"]) and (n := _since_the_last_talk(lows)):
        return n
    return _phrase(tokens, lows) or _topic(tokens, lows) or _call(tokens, names)


def _phrase(tokens: Sequence[Token], lows: Sequence[str]) -> int:
    """So: "by the way", "also,"."""
    first = lows[0]
    if first in {"just", "still"} or (first == "so" and len(lows) > 1 and _intensifies(tokens[1])):
        return 0
    for phrase in OPENINGS:
        n = len(phrase)
        if tuple(lows[:n]) == phrase and (n > 1 or lows[n : n + 1] == [","] or first in _JOINING):
            return n
    return 0


def _topic(tokens: Sequence[Token], lows: Sequence[str]) -> int:
    """So: "as for the cat,", "speaking of music,"."""
    if lows[:2] not in (["as", "for"], ["speaking", "of"]):
        return 0
    comma = next((i for i, t in enumerate(tokens) if t.text in {",", "—", "–", "-"}), 0)
    return comma + 1 if 0 < comma < 8 else 0


def _call(tokens: Sequence[Token], names: frozenset[str]) -> int:
    """So: "Wow,", "Caroline,", "Hey Mel!"."""
    first = tokens[0]
    followed = tokens[1] if len(tokens) > 1 else None
    if followed is None:
        return 0
    if first.low in names:
        return 2 if followed.text in {",", "!"} else 0
    if first.low not in lex.INTERJECTIONS:
        return 0
    if followed.text in {",", "!", ".", "…", "...", "-", "–", "—"}:
        return 2
    if followed.low in names and (first.low in _GREETS or len(tokens) < 3 or tokens[2].tag is Tag.MARK):
        return 2
    hard = first.low in _HARD or (first.low in {"well", "honestly"} and followed.low in {"i", "my", "we"})
    return 1 if hard and followed.low not in {"to", "for"} else 0


_JOINING: Final = word_set("and but so plus or yet")
_GREETS: Final = word_set("hey hi hello thanks wow yeah oh congrats")


def _since_the_last_talk(lows: Sequence[str]) -> int:
    """The length of "since we last spoke" and its like at the start."""
    talk = {"spoke", "talked", "chatted", "met", "chat", "talk", "conversation", "up"}
    n = next((i + 1 for i, low in enumerate(lows[:6]) if low in talk), 0)
    return n + 1 if n and lows[n : n + 1] == [","] else n


_HARD: Final = word_set(
    """wow hey hi hello yeah yep yup yes nope oh ooh aw aww omg gosh btw haha hahaha lol whoa woah hmm um uh ah ok
    okay"""
)


def _intensifies(token: Token) -> bool:
    return token.tag in (Tag.ADJECTIVE, Tag.ADVERB) or token.low in {"many", "much", "few"}


def strip_closing(tokens: Sequence[Token], names: frozenset[str]) -> list[Token]:
    """Leave out what stands behind the statement: end marks, emoji, names called, set phrases, praise in passing."""
    tokens = list(tokens)
    while tokens:
        length = _closing(tokens, names)
        if not length:
            return tokens
        del tokens[len(tokens) - length :]
    return tokens


def _closing(tokens: Sequence[Token], names: frozenset[str]) -> int:
    last = tokens[-1]
    if last.tag is Tag.MARK and last.text not in ")]%":
        return 1
    if last.low in {"talked", "spoke", "chatted", "met", "caught"} or tokens[-2:][0].low in {"last", "caught"}:
        at = next((i for i in range(len(tokens) - 1, max(0, len(tokens) - 6), -1) if tokens[i].low == "since"), None)
        if at is not None and at > 0 and tokens[at + 1].low in {"we", "the", "our"}:
            return len(tokens) - at
    lows = [t.low for t in tokens[-6:]]
    for phrase in CLOSINGS:
        if tuple(lows[-len(phrase) :]) == phrase and len(tokens) > len(phrase):
            return len(phrase)
    if last.low in names and len(tokens) > 1 and tokens[-2].text == ",":
        return 2
    if (last.tag is Tag.ADVERB or last.low == "overall") and len(tokens) > 4 and tokens[-2].tag is Tag.COORDINATOR:
        return 2  # "..., but overall"
    if last.tag is Tag.COORDINATOR and len(tokens) > 3:
        return 1
    return _remark(tokens)


def _remark(tokens: Sequence[Token]) -> int:
    """The length of a remark at the end that only praises: ", which is pretty exciting", ", so fun"."""
    for i in range(len(tokens) - 1, max(0, len(tokens) - 12), -1):
        if tokens[i].text not in {",", "-", "–", "—"}:
            continue
        rest = tokens[i + 1 :]
        relative = rest[0].low in {"which", "and", "but", "so", "it"}
        light = all(_is_light(t) for t in rest)
        praised = any(t.low in lex.EVALUATIVE for t in rest)
        if light and praised and (relative or len(rest) <= 4):
            return len(rest) + 1
        return 0
    return 0


def _is_light(token: Token) -> bool:
    if token.tag in (Tag.ADVERB, Tag.AUX, Tag.DETERMINER, Tag.MARK, Tag.PREPOSITION):
        return True
    return token.low in lex.EVALUATIVE or token.low in lex.VAGUE or token.low in _LIGHT


_LIGHT: Final = word_set("which it me and but been so have has that")
