"""Words for tips: what may be said of a run without saying whose run it was."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import Final

from trajwiki.language.lexicon import word_set
from trajwiki.language.stopwords import FILLERS, STOPWORDS
from trajwiki.language.tagging import tag
from trajwiki.language.tokenizing import Tag, Token
from trajwiki.language.tokens import fold, stem

DESCRIPTION_WORDS: Final = 60
ERROR_CHARACTERS: Final = 160
UNKNOWN: Final = "X"  # stands for a value in a description

_QUOTED: Final = re.compile(r"\"[^\"\n]{1,200}\"|“[^”\n]{1,200}”|`[^`\n]{1,200}`|(?<!\w)'[^'\n]{1,80}'(?!\w)")
_ADDRESS: Final = re.compile(r"https?://\S+|[^\s@]{1,80}@[^\s@]{1,80}")
_DIGITS: Final = re.compile(r"[$€£]\s?\d(?:[\d.,]*\d)?|#\w+|\b\w*\d(?:[\w.,:/%#-]*[\w%#])?")
_MONTH: Final = re.compile(
    r"\b(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    r"nov(?:ember)?|dec(?:ember)?|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b(?! (?:i|you|we|be)\b)",
    re.I,
)
_PATH: Final = re.compile(r"(?<![\w/])(?:[~.]{0,2}/)?(?:[\w.-]+/)+[\w.-]+")
_CODE: Final = re.compile(r"`([^`\n]+)`")
_RUNS: Final = re.compile(rf"\b{UNKNOWN}\b(?:(?:,| and| or|, and)? {UNKNOWN}\b)+")
_WORD: Final = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_LABEL: Final = re.compile(r"^\W*(?:error|failed|failure)\b\s*[:!-]+\s*(?=\w)", re.I)
_BREAK: Final = re.compile(r"[.!?:;\n]\s*$|^\W*$")

_GREETINGS: Final = word_set("hi hello hey dear greetings good morning afternoon evening there")
_VAGUE: Final = word_set("couple number lot bit kind sort id ids way help issue issues problem problems some")
_WISHES: Final = frozenset(
    map(stem, word_set("want need like wish try help look plan have hope let ask go start please can would assist"))
)


def code_names(text: str) -> tuple[str, ...]:
    """Give the names that a tip marks as code, in order, each once."""
    return tuple(dict.fromkeys(_CODE.findall(text)))


def in_words(name: str) -> str:
    """Give a tool's or field's name as words: ``getUserDetails`` and ``get_user_details`` are "get user details"."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name)
    return " ".join(re.split(r"[\W_]+", spaced)).strip().lower()


def general_error(words: str, known: Collection[str] = ()) -> str:
    """Give an error's words without the values of its case, at most 160 characters.

    Args:
        words: As the tool gave them.
        known: Names of tools, arguments and fields, which may stay.
    """
    text = " ".join(words[:2_000].replace("`", "'").split())
    text = _LABEL.sub("", text)
    text = _QUOTED.sub(lambda m: m.group() if m.group()[1:-1] in known else UNKNOWN, text)
    text = _PATH.sub(UNKNOWN, _ADDRESS.sub(UNKNOWN, text))
    text = _DIGITS.sub(lambda m: m.group() if m.group() in known else UNKNOWN, text)
    text = _RUNS.sub(UNKNOWN, text).strip(" .,;:")
    text = text.replace("“", "").replace("”", "")
    return text if len(text) <= ERROR_CHARACTERS else text[:ERROR_CHARACTERS].rsplit(" ", 1)[0] + "…"


def describe(text: str, values: Collection[str], keep: Collection[str] = ()) -> str:
    """Give a task in its own words with names, ids, dates, amounts and addresses as ``X``, at most 60 words.

    Args:
        text: The task as it was asked.
        values: Folded words of the values that stand in the records of the run: none of them stays.
        keep: Folded words of the instructions, which stay: they are about any task.
    """
    text = " ".join(text[:4_000].split())
    for pattern in (_QUOTED, _ADDRESS, _PATH, _DIGITS, _MONTH):
        text = pattern.sub(UNKNOWN, text)
    text = re.sub(r"\b\w+(?:_\w+)+\b", lambda m: m.group() if m.group().casefold() in keep else UNKNOWN, text)
    out: list[str] = []
    end = 0
    opening = True
    for match in _WORD.finditer(text):
        gap, word = text[end : match.start()], match.group()
        opening = opening or bool(_BREAK.search(gap)) if gap.strip() else opening
        out += [gap, word if _may_stay(word, values, keep, opening=opening) else UNKNOWN]
        end, opening = match.end(), False
    out.append(text[end:])
    plain = re.sub(rf"\b(?:May|March) {UNKNOWN}\b", UNKNOWN, " ".join("".join(out).split()))
    plain = re.sub(rf"(?<=[a-z,] )[A-Z][a-z]+ (?={UNKNOWN}\b)", "", plain)  # "New York" is one name
    plain = _RUNS.sub(UNKNOWN, plain)
    words = plain.split()
    return " ".join(words[:DESCRIPTION_WORDS]) + ("…" if len(words) > DESCRIPTION_WORDS else "")


def _may_stay(word: str, values: Collection[str], keep: Collection[str], *, opening: bool) -> bool:
    low = fold(word).removesuffix("'s")
    if low in STOPWORDS or low in keep or low in FILLERS or word == UNKNOWN:
        return True
    if low in values:
        return False
    return not word[0].isupper() or opening


@lru_cache(maxsize=4096)
def task_category(text: str) -> str:
    """Give a short normalized name of the kind of task: the verb that is asked for and its object, as stems.

    "Could you please cancel my two flights?" and "I'd like to cancel a flight" are both ``cancel flight``. A text
    in which no request is found gives its first two content words; one without words gives ``task``.
    """
    for clause in re.split(r"(?<=[.!?])\s+|\n+", text[:1_500])[:6]:
        tokens = tag(clause)
        for i, token in enumerate(tokens):
            verb = stem(token.low)
            if token.tag not in (Tag.BASE, Tag.GERUND) or verb in _WISHES or token.low in STOPWORDS:
                continue
            thing, end = _object(tokens, i + 1)
            if verb == "make" and thing is not None:  # "make a change to a booking" is to change it
                verb, (thing, _) = thing, _object(tokens, end + 1)
            if thing is not None:
                return f"{verb} {thing}"
    content = [
        stem(w.casefold())
        for w in _WORD.findall(text[:1_500])
        if w.casefold() not in STOPWORDS | FILLERS | _GREETINGS and stem(w.casefold()) not in _WISHES and w != UNKNOWN
    ]
    return " ".join(list(dict.fromkeys(content))[:2]) or "task"


def _object(tokens: Sequence[Token], start: int) -> tuple[str | None, int]:
    """The last noun of the first run of nouns, stemmed, and where the run ends."""
    last, i = None, start
    for i in range(start, min(start + 10, len(tokens))):
        if tokens[i].tag is Tag.NOUN and tokens[i].text != UNKNOWN and tokens[i].low not in _VAGUE:
            last = stem(tokens[i].low)
        elif last is not None or tokens[i].tag in (Tag.BASE, Tag.MARK):
            break
    return last, i
