"""Words by which a sentence says what it does to others: puts right, puts off, calls off, passes on, doubts."""

from __future__ import annotations

import re
from typing import Final

from trajwiki.language.lexicon import word_set
from trajwiki.language.tokens import keywords, stem
from trajwiki.memory.propositions import (
    CALENDAR_STEMS,
    CLAUSE_END,
    IS_OFF,
    LIGHT_STEMS,
    body_of,
    said_words,
)

# Corrections and new dates.

_CUE: Final = re.compile(
    r"\b(?:sorry|correction|actually|wait|hang on|hold on|oops|my mistake|my bad|(?:got|have|had) (?:it|that) wrong"
    r"|(?:that's|that was|i was) wrong|i meant|i misspoke|mixed (?:it|that|them|those(?: two)?) up|mix those"
    r"|typo|misread"
    r"|i should have said|strike that|scratch that)\b",
    re.IGNORECASE,
)
_MOVED: Final = re.compile(
    r"\b(?:moved?|pushed|push|postponed?|rescheduled?|shifted|bumped|delayed|brought forward|put off|changed"
    r"|switched)\b"
    r".{0,60}?\b(?:to|until|till|from)\b|\b(?:instead|change of plans?|new date)\b",
    re.IGNORECASE,
)


def signals_correction(text: str) -> bool:
    """Tell whether a message says of itself that it puts something right."""
    return bool(_CUE.search(text.replace("’", "'")))


def moves_a_date(text: str) -> bool:
    """Tell whether a claim says that something was put at another time."""
    return bool(_MOVED.search(text)) and bool(_TIMED.search(text))


_TIMED: Final = re.compile(
    r"\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|may|june|july|august"
    r"|september|october"
    r"|november|december|tomorrow|tonight|next (?:week|weekend|month|year)|\d{1,2}(?:st|nd|rd|th)"
    r"|\d{1,2}(?::\d\d)? ?(?:am|pm)"
    r"|\d{1,2}:\d\d)\b",
    re.IGNORECASE,
)
_ARRANGED: Final = re.compile(
    r"(?:\w+, |but |and |so )?(?:the|my|our|their) (?:[\w'-]+ ){1,6}?(?:is|are|starts|start|begins|leaves"
    r"|takes place|ends)\b",
    re.IGNORECASE,
)
_PUT_OFF: Final = re.compile(
    r"\b(?:moved|pushed|postponed|rescheduled|shifted|bumped|delayed|put off|switched)\b(?: back)?", re.IGNORECASE
)


def announces(sentence: str) -> bool:
    """Tell whether a sentence gives, moves or cancels the time of something: "The exam is on 3 March"."""
    if IS_OFF.match(sentence):
        return True
    if not _TIMED.search(sentence):
        return False
    return bool(_ARRANGED.match(sentence) or (_PUT_OFF.search(sentence) and _DEFINITE.search(sentence)))


_AMOUNT: Final = re.compile(
    r"(?:\w+,? |but |and |so )?(?:the|my|our|their) (?:[\w'-]+ ){1,4}?(?:is|are|costs?|takes?|was|were|has"
    r"|have) (?:now )?"
    r"(?:[$€£]\s?)?\d[\d,.]*",
    re.IGNORECASE,
)
_INTENDS: Final = re.compile(
    r"(?:and |but |so )?(?:i|we)(?:'m| am|'re| are|'ll| will)? ?(?:(?:also|still|really|now) )*"
    r"(?:going to|planning|plan(?: on| to)|want to|hope to|hoping to|thinking (?:of|about)|intend to)\b",
    re.IGNORECASE,
)
_PUTS_RIGHT: Final = re.compile(
    r"(?:no|oh|oops|sorry|wait|ah|hm+)?[,.! ]*(?:(?:that's|that was|that is|i was) wrong|correction\b"
    r"|my mistake|i misspoke"
    r"|(?:i )?got (?:it|that) wrong|i mixed (?:it|that|them) up)\W+(?:\w+\W+){2,}",
    re.IGNORECASE,
)


def amounts(sentence: str) -> bool:
    """Tell whether a sentence gives the amount of something definite: "The rent is 900 euros"."""
    return bool(_AMOUNT.match(sentence))


def intends(said: str) -> bool:
    """Tell whether a sentence in the first person says what somebody is going to do."""
    return bool(_INTENDS.match(said))


def puts_right(sentence: str) -> bool:
    """Tell whether a sentence says that something was wrong and what is right."""
    return bool(_PUTS_RIGHT.match(sentence))


_DEFINITE: Final = re.compile(r"\b(?:the|my|our)\b", re.IGNORECASE)
_HEARSAY: Final = re.compile(
    r"(?:well |so |hey )?(?:i (?:just |also )?(?:heard|was told)|rumou?r has it|word is|they say|people say"
    r"|someone (?:said|told me)) (?:that )?(?!about|from|of|you|great|so|it\b)(?P<what>\w.+)",
    re.IGNORECASE,
)


def hearsay_in(sentence: str) -> str:
    """Give what a sentence passes on as heard, or nothing."""
    match = _HEARSAY.match(sentence)
    return match["what"] if match else ""


_MOVING: Final = frozenset(
    stem(w)
    for w in word_set(
        """move moved push pushed postpone postponed reschedule rescheduled shift shifted bump bumped delay delayed
        bring brought forward put change changed switch switched instead plan weekend am pm get got"""
    )
)


def topic_of_move(text: str, subject: str) -> frozenset[str]:
    """Give the stems of what was put at another time."""
    head = CLAUSE_END.split(body_of(text, subject).removeprefix("Change of plan, "), maxsplit=1)[0]
    content = frozenset(k for k in keywords(head) if not k[0].isdigit())
    return content - CALENDAR_STEMS - _MOVING - set(keywords(subject)) - LIGHT_STEMS


_DOUBTING: Final = frozenset(
    stem(w)
    for w in word_set(
        """maybe perhaps apparently supposedly allegedly guess guesses think thinks suspect suspects hear heard told
        said seems seem probably might may could sure whether rumour rumor"""
    )
)


def doubted(text: str, subject: str) -> frozenset[str]:
    """Give the stems of what a doubtful claim would say if it were sure."""
    inner = said_words(text)
    clause = re.split(r"[,;]\s|\bbut\b", inner, maxsplit=1)[0]
    return frozenset(keywords(clause)) - _DOUBTING - CALENDAR_STEMS - set(keywords(subject.partition("'")[0]))
