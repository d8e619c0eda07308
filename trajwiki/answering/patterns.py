"""How reasons, feelings, names, colours, amounts and frequencies are worded."""

from __future__ import annotations

import re
from typing import Final

from trajwiki.language import lexicon as lex
from trajwiki.language.lexicon import word_set

BECAUSE: Final = re.compile(
    r"\b(?:because(?: of)?|since|'cause|due to|as a way to|so that|in order to|so (?=(?:i|we|they|he|she|it|my|\w+) )"
    r"|(?<=[a-z] )to (?=(?:[a-z]+) )|for (?=[a-z]+ing\b))\s*(?P<why>.+)",
    re.IGNORECASE,
)
FELT: Final = (lex.FEELINGS | lex.EVALUATIVE | word_set(
    """free light humbled awestruck inspired peaceful calm joy love happiness sadness fear relief pride awe nostalgia
    motivated energized touched moved comfortable cozy loved supported satisfied disappointed angry upset frustrated
    hopeful optimistic amazed overjoyed ecstatic elated gratitude appreciation refreshed relaxed refreshing accepted"""
)) - word_set("ready sure best better true huge big well right fine possible important special")  # fmt: skip
LIKED: Final = re.compile(r"\b(?:loves?|hates?|likes?|enjoys?|dislikes?|adores?|can't stand)\b")
NAMED: Final = re.compile(
    r"(?:called|named|name is|name's|name was|names are|call (?:him|her|it|them)) "
    r"(?P<n>[\"“]?[A-Z][\w'-]*(?: (?:and )?[A-Z][\w'-]*)*)"
)
BY: Final = re.compile(r"[\"”’] by (?P<who>[A-Z][\w.]*(?: [A-Z][\w.]*){0,2})")
COLOURS: Final = re.compile(
    r"\b(?:(?:dark|light|bright|pale|deep) )?(?:red|orange|yellow|green|blue|purple|violet|pink|brown|black|white"
    r"|gr[ae]y|gold|silver|beige|turquoise|teal|cream)\b",
    re.IGNORECASE,
)
_NUMBER: Final = (
    r"(?:\d[\d.,]*|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty)"
)
_SUM: Final = r"[$€£]\s?\d[\d.,]*(?:k|m| million| thousand)?"
_UNIT: Final = (
    "%|percent|years old|km|miles|kilometers|kilometres|feet|meters|metres|kg|lbs|hours|minutes|m[gmlo]+/[a-z]+"
    "|ng/[a-z]+|bpm"
)
_MONEY: Final = "dollars|euros|pounds|bucks|cents|usd|eur|gbp"
MONEY: Final = re.compile(rf"{_SUM}|\b\d[\d.,]*\s?(?:{_MONEY})\b", re.IGNORECASE)
AMOUNTS: Final = re.compile(rf"{_SUM}|\b\d[\d.,]*\s?(?:{_UNIT}|{_MONEY})|\b{_NUMBER}\b(?: [a-z]+)?", re.IGNORECASE)
_WHILE: Final = "day|week|month|year|morning|evening|night|weekend|summer|winter"
_TIMES: Final = rf"(?:once or twice|once|twice|(?:{_NUMBER}|a few|several) times)"
OFTEN: Final = re.compile(
    rf"\b(?:(?:at least |about |almost )?{_TIMES} (?:or \w+ )?(?:a|an|per|every|each) \w+"
    rf"|every (?:other |single )?(?:\w+ )?(?:(?:{_WHILE})s?|\w+days?|\w+ (?:days|weeks|months))"
    r"|daily|weekly|monthly|yearly|annually|regularly|(?:mon|tues|wednes|thurs|fri|satur|sun)days"
    rf"|each (?:{_WHILE}))\b",
    re.IGNORECASE,
)
