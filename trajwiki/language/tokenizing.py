"""Tokens of a chat sentence: words with contractions taken apart, marks, quoted stretches."""

from __future__ import annotations

import enum
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from trajwiki.language.verbs import GERUND


class Tag(enum.StrEnum):
    """What a token is in its sentence."""

    NOUN = "noun"
    NAME = "name"
    PRONOUN = "pronoun"
    DETERMINER = "determiner"
    POSSESSIVE = "possessive"  # my, your, 's after a noun
    PREPOSITION = "preposition"
    COORDINATOR = "coordinator"
    SUBORDINATOR = "subordinator"
    TO = "to"  # before an infinitive
    MODAL = "modal"
    AUX = "aux"  # finite be, have, do
    BASE = "base"  # a base form: finite or infinitive, by its place
    THIRD = "third"
    PAST = "past"
    PARTICIPLE = "participle"
    GERUND = "gerund"
    ADVERB = "adverb"
    ADJECTIVE = "adjective"
    NUMBER = "number"
    QUOTED = "quoted"
    MARK = "mark"  # punctuation, emoji


FINITE: Final = frozenset({Tag.MODAL, Tag.AUX, Tag.BASE, Tag.THIRD, Tag.PAST})
NOMINAL: Final = frozenset({Tag.NOUN, Tag.NAME, Tag.PRONOUN, Tag.NUMBER, Tag.QUOTED})


@dataclass(frozen=True, slots=True)
class Token:
    """One token of a sentence.

    Attributes:
        text: As it should be read: contractions taken apart ("I" "'m"), chat spellings written out ("going" "to").
        low: Folded for look-up: lower case, straight apostrophes.
        start: Offset in the sentence, where it begins in the source.
        end: Offset just behind it.
        space: Whether white space stands before it.
        tag: What it is.
    """

    text: str
    low: str
    start: int
    end: int
    space: bool
    tag: Tag = Tag.NOUN


_APOSTROPHES: Final = str.maketrans("’‘ʼ´`", "'''''")
_TOKEN: Final = re.compile(
    r"""
    "[^"\n]{1,120}" | “[^”\n]{1,120}” | «[^»\n]{1,120}»             # a quoted stretch is one token
  | (?<!\w)['‘](?=[A-Z])[^'’\n]{2,60}['’](?!\w)                      # in single quotes: a title
  | https?://\S{1,300} | [#@]\w{1,60}
  | [\w.+-]{1,60}@[\w-]{1,60}\.[\w.]{2,30}
  | \d{1,2}:\d\d(?::\d\d)? | [$€£]\s?\d[\d,]*(?:\.\d+)?[kKmM]?
  | \d[\d,]*(?:\.\d+)?(?:st|nd|rd|th|s|k|K|m|km|kg|lbs?|pm|am|%)?(?![\w-])
  | (?:[A-Z]\.){2,8} | (?:Mr|Mrs|Ms|Dr|St|Prof|Jr|Sr|vs|etc)\.
  | ['’](?:cause|cuz|em|til|bout)\b
  | [a-zA-Z]{2,20}in['’](?![\w’'])                                  # "startin'"
  | \w+(?:[-'’./&]\w+)*                                            # words, with what may stand inside one
  | \.{2,} | -{2,} | [^\w\s]
    """,
    re.VERBOSE,
)
_CLITIC: Final = re.compile(r"(.+?)(n't|'(?:m|re|ve|ll|d|s))\Z")
_WHOLE: Final = frozenset({"let's", "o'clock", "ma'am", "y'all"})
_SPELLINGS: Final[dict[str, tuple[str, ...]]] = {
    "im": ("I", "'m"), "ive": ("I", "'ve"), "dont": ("do", "n't"), "didnt": ("did", "n't"), "cant": ("ca", "n't"),
    "wont": ("wo", "n't"), "doesnt": ("does", "n't"), "isnt": ("is", "n't"), "wasnt": ("was", "n't"),
    "havent": ("have", "n't"), "couldnt": ("could", "n't"), "wouldnt": ("would", "n't"), "cannot": ("can", " not"),
    "thats": ("that", "'s"), "whats": ("what", "'s"), "theres": ("there", "'s"), "gonna": ("going", " to"),
    "wanna": ("want", " to"), "gotta": ("have", " to"), "kinda": ("kind", " of"), "sorta": ("sort", " of"),
    "lemme": ("let", " me"), "gimme": ("give", " me"), "u": ("you",), "ur": ("your",), "r": ("are",),
    "cuz": ("because",), "cos": ("because",), "coz": ("because",), "'cause": ("because",), "'cuz": ("because",),
    "'em": ("them",), "'til": ("until",), "'bout": ("about",), "goin'": ("going",), "w/": ("with",),
    "outta": ("out", " of"), "tryna": ("trying", " to"), "ima": ("I", "'ll"), "shoulda": ("should", " have"),
    "dunno": ("do", "n't", " know"), "thx": ("thanks",), "ppl": ("people",), "bday": ("birthday",),
}  # fmt: skip


def tokenize(text: str) -> list[Token]:
    """Give the tokens of a sentence, not yet tagged: words, marks, quoted stretches."""
    tokens: list[Token] = []
    for match in _TOKEN.finditer(text):
        start, end = match.span()
        word = match.group()
        low = word.translate(_APOSTROPHES).lower()
        space = start > 0 and text[start - 1].isspace()
        if low in _SPELLINGS:
            for i, piece in enumerate(_SPELLINGS[low]):
                shown = piece.strip()
                if i == 0 and word[0].isupper():
                    shown = shown[0].upper() + shown[1:]
                at = start if i == 0 else end
                tokens.append(Token(shown, shown.lower(), at, end, space if i == 0 else piece[0] == " "))
            continue
        if low.endswith("in'") and low[:-1] + "g" in GERUND:
            tokens.append(Token(word[:-1] + "g", low[:-1] + "g", start, end, space))
            continue
        found = _CLITIC.match(low) if "'" in low and low not in _WHOLE and word[0].isalnum() else None
        if found is None or len(low) != len(word):
            tokens.append(Token(word, low, start, end, space))
            continue
        at = found.start(2)
        tokens.append(Token(word[:at], low[:at], start, start + at, space))
        tokens.append(Token(word[at:].translate(_APOSTROPHES), low[at:], start + at, end, False))
    return tokens


def render(tokens: Sequence[Token]) -> str:
    """Give tokens as text again, spaced as in their source."""
    return "".join((" " if t.space and i else "") + t.text for i, t in enumerate(tokens))
