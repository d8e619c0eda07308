"""Words of a text: folded, tokenised, stemmed, and counted for budgets."""

from __future__ import annotations

import re
import threading
import unicodedata
from functools import lru_cache
from typing import Final

import Stemmer

from trajwiki.language.stopwords import FILLERS, STOPWORDS
from trajwiki.language.verbs import IRREGULAR_BASES

_QUOTES: Final = str.maketrans(
    dict.fromkeys("\u2018\u2019\u201a\u201b\u02bc\u2032\u00b4`", "'")
    | dict.fromkeys("\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033", '"')
)

# Scripts that put no spaces between words (and hangul, whose words are long compounds): Thai, Lao, Myanmar, Khmer,
# kana, hangul, ideographs.
_DENSE: Final = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u1100-\u11ff\u3041-\u30ff\u3130-\u318f\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff々〇"
)
# Marks that belong to a word but are no letters by themselves: accents, Hebrew and Arabic points, Indic vowels.
_MARKS: Final = "\u0300-\u036f\u0483-\u0487\u0591-\u05c7\u0610-\u061a\u064b-\u0670\u0900-\u0963\u0966-\u0dff"
_LETTER: Final = rf"(?:(?![{_DENSE}])[^\W_]|[{_MARKS}])"

_DENSE_CHAR: Final = re.compile(rf"[{_DENSE}]")
_DENSE_RUN: Final = re.compile(rf"[{_DENSE}]+")
_WORD: Final = re.compile(rf"[{_DENSE}]+|\d+(?:[.,:]\d+)+(?![^\W_])|{_LETTER}+(?:'{_LETTER}+)*")
_THOUSANDS: Final = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_OTHER_RUN: Final = re.compile(rf"{_LETTER}+")
_ACCENTS: Final = re.compile("[\u0300-\u036f]")

# Forms that Snowball, which cuts endings, cannot bring together with their base.
_IRREGULAR: Final[dict[str, str]] = IRREGULAR_BASES | {
    "been": "be", "children": "child", "men": "man", "women": "woman", "people": "person", "feet": "foot",
    "teeth": "tooth", "mice": "mouse", "geese": "goose", "wives": "wife", "knives": "knife",
    "leaves": "leaf", "shelves": "shelf",
}  # fmt: skip

CACHED_LENGTH: Final = 200  # characters: names, values and sentences come again and again, whole messages do not

_stemmer = Stemmer.Stemmer("english")
_stemmer_lock = threading.Lock()  # a Snowball stemmer holds state while it works


def fold(text: str) -> str:
    """Give the text in the form in which texts are compared: NFKC, case-folded, straight quotes, single spaces."""
    return _folded(text) if len(text) <= CACHED_LENGTH else _fold(text)


def _fold(text: str) -> str:
    text = text.translate(_QUOTES)
    if not text.isascii():
        text = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return " ".join(text.casefold().split())


_folded = lru_cache(maxsize=1 << 16)(_fold)


def words(text: str) -> list[str]:
    """Give the words of a text, folded, in order.

    A word is a run of letters and digits of any script; an apostrophe inside a word belongs to it, a possessive "'s"
    does not; numbers keep their points and colons ("3.5", "25:50") and lose the commas between thousands. A run of a
    script without spaces gives its overlapping pairs of characters, or the one character there is.
    """
    found: list[str] = []
    for match in _WORD.finditer(fold(text)):
        word = match.group()
        if _DENSE_CHAR.match(word):
            found += [word[i : i + 2] for i in range(len(word) - 1)] or [word]
        elif word[0].isdigit() and "," in word:
            found += [word.replace(",", "")] if _THOUSANDS.fullmatch(word) else word.split(",")
        else:
            found.append(word.removesuffix("'s"))
    return found


def keywords(text: str) -> list[str]:
    """Give the stems of the content words of a text, in order, with repeats: what search and overlap work on."""
    return list(_keywords(text))


@lru_cache(maxsize=16384)  # pages and summaries ask for the same claims again and again
def _keywords(text: str) -> tuple[str, ...]:
    return tuple(stem(w) for w in words(text) if w not in STOPWORDS and w not in FILLERS)


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """Give the stem of one word, for comparing: "paginated", "pagination" -> "pagin"; "went" -> "go".

    Before Snowball's English rules: accents of Latin letters go ("Zürich" is "zurich"), and the common irregular
    forms become their base. Words with anything but letters stay as they are.
    """
    word = fold(word)
    if not word.isascii():
        plain = _ACCENTS.sub("", unicodedata.normalize("NFD", word))
        word = plain if plain.isascii() else word
    word = word.removesuffix("'s")
    if not word.replace("'", "").isalpha():
        return word
    with _stemmer_lock:
        return str(_stemmer.stemWord(_IRREGULAR.get(word, word)))


def is_stopword(word: str) -> bool:
    """Tell whether a word is a function word, which says nothing about a topic."""
    return fold(word) in STOPWORDS


def count_words(text: str) -> int:
    """Give the size of a text in words: the rule for every budget.

    Words are what whitespace separates. In scripts that put no spaces between words (ideographs, kana, hangul, Thai,
    Lao, Khmer, Myanmar) every character counts as a word, and so does every run of other letters beside them. Never
    less than ``len(text.split())``.
    """
    if not _DENSE_CHAR.search(text):
        return len(text.split())
    return sum(_size(token) for token in text.split())


def _size(token: str) -> int:
    dense = len(_DENSE_CHAR.findall(token))
    if not dense:
        return 1
    return dense + len(_OTHER_RUN.findall(_DENSE_RUN.sub(" ", token)))
