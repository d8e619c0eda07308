"""Chat text cut into sentences, and sentences into clauses that can stand alone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from trajwiki.language import lexicon as lex
from trajwiki.language.tokenizing import FINITE, Tag, Token
from trajwiki.language.verbs import PARTICIPLE


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence where it stands.

    Attributes:
        text: Copied from the source, without white space around it.
        start: Offset in the source.
    """

    text: str
    start: int


_ABBREVIATION: Final = re.compile(
    r"(?:\b(?:mr|mrs|ms|dr|st|prof|jr|sr|vs|etc|e\.g|i\.e|approx|dept|est|inc|no|vol|fig|jan|feb|mar|apr|jun|jul|aug|sept?"
    r"|oct|nov|dec|a\.m|p\.m)|(?<![\w'’])(?-i:[A-Z]))\Z",
    re.IGNORECASE,
)
_EMOJI: Final = "\u2600-\u27bf\u2b50\u2b55\u2764\ufe0f\u200d\U0001f1e6-\U0001faff"
_END: Final = re.compile(rf"(?:[.!?…]+[\"”’')\]*_]*|[。！？؟।]+|[{_EMOJI}]+)")
_BULLET: Final = re.compile(r"\s*(?:[-*•·▪–]\s+|\(?\d{1,2}[.)]\s+|#{1,6}\s+|>\s*)+")
_QUOTED: Final = re.compile(r"\"[^\"\n]{1,300}\"|“[^”\n]{1,300}”")
_LINE: Final = re.compile(r"[^\n\r]+")


def split_sentences(text: str) -> list[Sentence]:
    """Give the sentences of a text in order. Line breaks end a sentence; bullets and headings marks are left out.

    A full stop ends a sentence when white space or a capital letter follows and no abbreviation, initial or digit
    stands before it; nothing ends inside double quotes, unless the quote ends there too.
    """
    found: list[Sentence] = []
    for line in _LINE.finditer(text):
        begin = line.start()
        bullet = _BULLET.match(line.group())
        if bullet:
            begin += bullet.end()
        found += _split_line(text, begin, line.end())
    return found


def _split_line(text: str, begin: int, end: int) -> Iterator[Sentence]:
    inside = [m.span() for m in _QUOTED.finditer(text, begin, end)]
    start = begin
    for match in _END.finditer(text, begin, end):
        if _ends_sentence(text, match, end) and not any(a < match.start() and match.end() < b for a, b in inside):
            yield from _trimmed(text, start, match.end())
            start = match.end()
    yield from _trimmed(text, start, end)


def _ends_sentence(text: str, match: re.Match[str], end: int) -> bool:
    mark, after = match.group(), text[match.end() : match.end() + 2]
    if match.end() >= end:
        return True
    before = text[max(0, match.start() - 12) : match.start()]
    following = after.lstrip()[:1]
    if mark[-1] in '"”’)' and following.islower():
        return False
    if mark[0] == "." and not mark.startswith(".."):
        if _ABBREVIATION.search(before) and not (
            before.lower().endswith((" i", ".m")) and after[:1].isspace() and following.isupper()
        ):
            return False
        if not after[0].isspace():
            return after[0].isupper() and before[-2:].isalpha() and before[-1].islower() and not after[1:2].isupper()
        return True
    if mark[0] in ".…":
        return after[0].isspace() and not following.islower()
    if mark[0] in "!?":
        return True
    if mark[0] in "。！？؟।":
        return True
    return following.isupper() or not following.isalnum()


def _trimmed(text: str, start: int, end: int) -> Iterator[Sentence]:
    piece = text[start:end]
    stripped = piece.strip()
    if stripped:
        yield Sentence(stripped, start + len(piece) - len(piece.lstrip()))


_DASHES: Final = frozenset({"-", "–", "—", "--", ";", "…", "...", ".."})
_JOINS: Final = frozenset({"and", "but", "so", "plus", "&", "then", "yet", "or"})
_OPEN_SUBJECTS: Final = frozenset(
    {"i", "we", "it", "he", "she", "they", "you", "that", "this", "there", "these", "those"}
)


def split_clauses(tokens: Sequence[Token]) -> list[list[Token]]:
    """Give the clauses of a tagged sentence that can stand alone, in order; joining words and marks are left out.

    It is cut at a dash or semicolon, a joining word, or a comma, where a subject with its verb follows and what
    stands before is a whole clause itself. Subordinate clauses stay with their main clause.
    """
    clauses: list[list[Token]] = []
    start = i = 0
    while i < len(tokens):
        length = _joint(tokens, start, i)
        if length:
            clauses.append(list(tokens[start:i]))
            start = i = i + length
        else:
            i += 1
    clauses.append(list(tokens[start:]))
    return [c for c in clauses if any(t.tag is not Tag.MARK for t in c)]


def _joint(tokens: Sequence[Token], start: int, i: int) -> int:
    """How many tokens join two clauses at i; 0 when there is no joint."""
    if i <= start:
        return 0
    if tokens[i].low in _DASHES and (tokens[i].low != "-" or tokens[i].space):
        ahead = i + 1 + (i + 1 < len(tokens) and tokens[i + 1].low in _JOINS)
        return ahead - i if starts_clause(tokens, ahead, coordinate=True) or _elliptic(tokens, ahead) else 0
    if tokens[i].text == ":" and not is_whole(tokens[start:i]):  # "big news: I moved"
        return 1 if starts_clause(tokens, i + 1) else 0
    length = _joining(tokens, i)
    if not length or _joins_subjects(tokens, start, i) or _between(tokens, start, i):
        return 0
    comma, left = tokens[i].text == ",", tokens[start:i]
    if not is_whole(left) and not (comma and length > 1 and _is_remark(left)):
        return 0
    if length > 1 and _opens_with_condition(tokens, i + length):
        return length
    splice = comma and length == 1
    if splice and (left[0].tag is Tag.SUBORDINATOR or _is_second_condition(tokens, start, i)):
        return 0
    if splice and tokens[i + 1 : i + 2] and tokens[i + 1].low in {"my", "our"}:
        return length if _starts_with_noun(tokens, i + 1, coordinate=False) else 0
    return length if starts_clause(tokens, i + length, pronoun_only=splice) else 0


def _joining(tokens: Sequence[Token], i: int) -> int:
    """The length of what can join clauses at i: ",", "and", ", but then"."""
    end = i + (tokens[i].text == ",")
    if end < len(tokens) and tokens[end].low in _JOINS and tokens[end].tag in (Tag.COORDINATOR, Tag.ADVERB):
        end += 1
        if end < len(tokens) and tokens[end].low in {"then", "so"}:
            end += 1
    return end - i


def _is_remark(tokens: Sequence[Token]) -> bool:
    """Whether tokens are a remark without verb: "crazy ride so far"."""
    return not any(t.tag in FINITE or t.tag is Tag.SUBORDINATOR for t in tokens)


def _opens_with_condition(tokens: Sequence[Token], i: int) -> bool:
    """Whether a subordinate clause with its main clause begins at i: "when life gets busy, I ..."."""
    if i >= len(tokens) or tokens[i].tag is not Tag.SUBORDINATOR or tokens[i].low in _OPENING_WORDS - {"if", "because"}:
        return False
    comma = next((j for j in range(i, min(i + 14, len(tokens))) if tokens[j].text == ","), None)
    return comma is not None and starts_clause(tokens, comma + 1)


def _is_second_condition(tokens: Sequence[Token], start: int, i: int) -> bool:
    """Whether the comma at i ends a condition that a joining word added: ", and now, whenever we meet, we ..."."""
    last = next((j for j in range(i - 1, start, -1) if tokens[j].tag is Tag.SUBORDINATOR), start)
    j = last - 1
    while j > start and (tokens[j].tag is Tag.ADVERB or tokens[j].text == ","):
        j -= 1
    return last > start and tokens[j].tag is Tag.COORDINATOR


def _between(tokens: Sequence[Token], start: int, i: int) -> bool:
    """Whether "and" at i belongs to a "between" or "both" before it."""
    if tokens[i].low != "and":
        return False
    for j in range(i - 1, max(start, i - 8) - 1, -1):
        if tokens[j].low in {"between", "both"}:
            return True
        if tokens[j].low == "and" or tokens[j].tag in FINITE:
            return False
    return False


def _joins_subjects(tokens: Sequence[Token], start: int, i: int) -> bool:
    """Whether "and" at i stands inside a subject: ", and my teammates and I were"."""
    if tokens[i].low not in {"and", "&"} or i + 1 >= len(tokens) or tokens[i + 1].low != "i":
        return False
    j = i - 1
    while j > start and tokens[j].tag in (Tag.NOUN, Tag.NAME, Tag.ADJECTIVE):
        j -= 1
    if tokens[j].tag is Tag.POSSESSIVE:
        j -= 1
    return j < i - 1 and (j < start or tokens[j].tag in (Tag.MARK, Tag.COORDINATOR, Tag.SUBORDINATOR, Tag.ADVERB))


def starts_clause(tokens: Sequence[Token], i: int, *, pronoun_only: bool = False, coordinate: bool = False) -> bool:
    """Tell whether a subject with its finite verb begins at i.

    Args:
        tokens: Tagged.
        i: Where.
        pronoun_only: Whether only a pronoun is a sure subject there.
        coordinate: Whether the subject may be of two parts, "the color and the shape".
    """
    i = _past_adverbs(tokens, i)
    if i >= len(tokens):
        return False
    if tokens[i].tag in (Tag.AUX, Tag.MODAL) and i + 1 < len(tokens) and tokens[i + 1].low in lex.SUBJECTS:
        return True  # ", have you read it?"
    if tokens[i].low in _OPEN_SUBJECTS and tokens[i].tag is Tag.PRONOUN:
        j = _past_adverbs(tokens, i + 1)
        return j < len(tokens) and tokens[j].tag in FINITE
    return not pronoun_only and _starts_with_noun(tokens, i, coordinate=coordinate)


def _past_adverbs(tokens: Sequence[Token], i: int) -> int:
    while i < len(tokens) and tokens[i].tag is Tag.ADVERB:
        i += 1
    return i


def _starts_with_noun(tokens: Sequence[Token], i: int, *, coordinate: bool) -> bool:
    """Whether a noun phrase with its finite verb begins at i, within a few tokens."""
    head = False
    for j in range(i, min(i + 8, len(tokens))):
        tag, joins = tokens[j].tag, tokens[j].low in {"and", "&"}
        if head and tag in FINITE:
            return _is_its_verb(tokens, i, j)
        if head and joins and j + 2 < len(tokens) and tokens[j + 1].low == "i":
            return tokens[j + 2].tag in FINITE or tokens[j + 2].tag is Tag.ADVERB  # "my friends and I went"
        if head and joins and coordinate:
            continue
        if tag in _BREAKS or tag in FINITE or (tag is Tag.PREPOSITION and not head) or (tag is Tag.PRONOUN and j > i):
            return False
        head = head or tag in (Tag.NOUN, Tag.NAME, Tag.QUOTED, Tag.PRONOUN)
    return False


_BREAKS: Final = frozenset({Tag.MARK, Tag.COORDINATOR, Tag.SUBORDINATOR, Tag.TO})


def _is_its_verb(tokens: Sequence[Token], i: int, j: int) -> bool:
    """Whether the finite form at j is surely the verb of the noun at i, and not a participle: "goods made with"."""
    ambiguous = tokens[j].tag is Tag.PAST and tokens[j].low in PARTICIPLE
    sure_subject = tokens[i].tag in (Tag.POSSESSIVE, Tag.NAME)
    return tokens[j - 1].tag is not Tag.TO and (sure_subject or not ambiguous)


def _elliptic(tokens: Sequence[Token], i: int) -> bool:
    """Whether a remark without subject begins at i: "so fun", "very relaxing", "can't wait"."""
    rest = [t for t in tokens[i:] if t.tag is not Tag.MARK]
    if not rest:
        return True
    if rest[0].low in {"ca", "wo", "looking", "hoping", "hope", "thanks", "what", "how"}:
        return True
    return len(rest) <= 4 and all(
        t.tag in (Tag.ADVERB, Tag.ADJECTIVE) or t.low in lex.EVALUATIVE or t.low == "a" for t in rest
    )


_OPENING_WORDS: Final = frozenset({"how", "that", "because", "what", "if", "why", "where", "which", "who"})


def is_whole(tokens: Sequence[Token]) -> bool:
    """Tell whether tokens hold a main clause: a finite verb that no open subordinate clause owns."""
    if tokens and tokens[0].tag is Tag.SUBORDINATOR and tokens[0].low not in {"that", "what"}:
        comma = next((i for i, t in enumerate(tokens) if t.text == ","), None)
        if comma is None:
            return False
        tokens = tokens[comma + 1 :]
    last = max((i for i, t in enumerate(tokens) if t.tag is Tag.SUBORDINATOR), default=-1)
    if (
        last >= 0
        and tokens[last].low in _OPENING_WORDS
        and not any(t.tag in FINITE or t.tag in (Tag.TO, Tag.GERUND) for t in tokens[last + 1 :])
    ):
        return False
    return any(
        t.tag in FINITE and (i == 0 or tokens[i - 1].tag not in (Tag.TO, Tag.MODAL) or t.tag is Tag.AUX)
        for i, t in enumerate(tokens)
    )


def finite_verbs(tokens: Sequence[Token]) -> int:
    """Give the number of finite verbs among tagged tokens."""
    return sum(
        t.tag in FINITE and (i == 0 or tokens[i - 1].tag not in (Tag.TO, Tag.MODAL, Tag.AUX))
        for i, t in enumerate(tokens)
    )
