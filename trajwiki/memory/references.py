"""Whom a pronoun means: what a clause needs from before it, and who "we" are."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from trajwiki.language import lexicon as lex
from trajwiki.language import verbs as v
from trajwiki.language.lexicon import word_set
from trajwiki.language.persons import CREATED, TIME_NOUNS
from trajwiki.language.tokenizing import Tag, Token

_SINGULAR: Final = frozenset({"he", "she", "him", "his", "her", "hers", "himself", "herself"})
_PLURAL: Final = frozenset({"they", "them", "their", "theirs", "themselves"})
_HIS: Final = frozenset({"he", "him", "his"})
_HERS: Final = frozenset({"she", "her", "hers"})
_FEMALE: Final = word_set(
    """mom mum mother sister daughter wife girlfriend fiancee fiancée aunt niece grandma grandmother granny
    granddaughter woman girl lady stepmom stepdaughter mama nana stepsister"""
)
_MALE: Final = word_set(
    """dad father brother son husband boyfriend fiance fiancé uncle nephew grandpa grandfather grandson man guy boy
    stepdad stepson papa stepbrother hubby dude"""
)
_THING: Final = frozenset({"it", "its", "itself"})
_POINTERS: Final = frozenset({"this", "that", "these", "those"})


@dataclass(slots=True)
class Mentions:
    """Who was spoken of in a message so far, as words of its speaker: "my mom"."""

    singular: list[tuple[Token, ...]] = field(default_factory=list)
    plural: list[tuple[Token, ...]] = field(default_factory=list)

    def note(self, tokens: Sequence[Token]) -> None:
        """Take up the persons of a clause; they replace those of earlier clauses when there are any."""
        singular, plural = _persons(tokens)
        if singular:
            self.singular = singular
        if plural:
            self.plural = plural

    def resolve(self, tokens: Sequence[Token]) -> list[Token]:
        """Put the person in the place of the first pronoun that can mean only that one."""
        tokens = list(tokens)
        i = next((i for i, t in enumerate(tokens) if t.tag in _PRONOUNS and is_open(tokens, i)), None)
        known = self._meant_by(tokens[i].low) if i is not None else ()
        if i is None or not known:
            return tokens
        token = tokens[i]
        said = [Token(t.text, t.low, token.start, token.end, True, t.tag) for t in known]
        if token.low in {"his", "their"} or (token.low == "her" and token.tag is Tag.POSSESSIVE):
            said.append(Token("'s", "'s", token.end, token.end, False, Tag.POSSESSIVE))
        return [*tokens[:i], *said, *tokens[i + 1 :]]

    def _meant_by(self, pronoun: str) -> tuple[Token, ...]:
        """The words for whom a pronoun means, or nothing when that is not certain."""
        known = self.singular if pronoun in _SINGULAR else self.plural if pronoun in _PLURAL else []
        if len(known) != 1 or not known[0] or pronoun in _UNTOLD:
            return ()
        other_gender = _MALE if pronoun in _HERS else _FEMALE if pronoun in _HIS else frozenset()
        return () if known[0][-1].low in other_gender else known[0]


_PRONOUNS: Final = (Tag.PRONOUN, Tag.POSSESSIVE)
_UNTOLD: Final = frozenset({"hers", "theirs", "himself", "herself", "themselves"})


def _persons(tokens: Sequence[Token]) -> tuple[list[tuple[Token, ...]], list[tuple[Token, ...]]]:
    singular: list[tuple[Token, ...]] = []
    plural: list[tuple[Token, ...]] = []
    for i, token in enumerate(tokens):
        one = token.low in lex.RELATIONS or (token.low in lex.PETS and not token.low.endswith("s"))
        many = token.low in lex.PERSON_PLURAL or (token.low in lex.PETS and token.low.endswith("s"))
        if (
            token.tag is Tag.NAME
            and i > 0
            and tokens[i - 1].low not in {"in", "at", "to", "from", "on", "of", "the"}
            and (tokens[i - 1].tag is not Tag.NAME and tokens[i - 1].low not in lex.RELATIONS | lex.PETS)
        ):
            singular.append(())
        if token.tag is not Tag.NOUN or not (one or many):
            continue
        start = i
        while start > 0 and tokens[start - 1].tag is Tag.ADJECTIVE:
            start -= 1
        if start == 0 or tokens[start - 1].low != "my":
            singular += [()] if one else []  # somebody who cannot be named again
            plural += [()] if many else []
            continue
        phrase = tuple(tokens[start - 1 : i + 1])
        if i + 1 < len(tokens) and tokens[i + 1].tag is Tag.NAME and one:
            phrase = (tokens[i + 1],)
        (singular if one else plural).append(phrase)
    return _distinct(singular), _distinct(plural)


def _distinct(phrases: list[tuple[Token, ...]]) -> list[tuple[Token, ...]]:
    """Each once; two when one of them cannot be named, so that nothing is certain."""
    named = {tuple(t.low for t in p): p for p in phrases}
    return [p for p in named.values()] if () not in named or (len(named) == 1 and () not in named) else [(), ()]


def is_open(tokens: Sequence[Token], i: int) -> bool:
    """Tell whether the pronoun at i means something that does not stand before it in its clause."""
    low, before = tokens[i].low, tokens[:i]
    if low in _SINGULAR:
        return not any(
            t.low in lex.PERSON_SINGULAR
            or t.low in lex.PETS
            or t.tag is Tag.NAME
            or (t.low in _SINGULAR - {low} and t.low in {"he", "she"})
            for t in before
        )
    if low in _PLURAL:
        return not any(_can_be_they(t) or t.tag is Tag.NAME for t in before)
    if low in _THING:
        near = len(before) - (2 if before and before[-1].tag is Tag.PREPOSITION else 0)  # "an eye on it" is not the eye
        return not (_is_dummy(tokens, i) or any(_can_be_it(before, k) for k in range(near)))
    return False


def _can_be_they(token: Token) -> bool:
    low = token.low
    if (
        low in lex.PERSON_PLURAL
        or low in lex.COLLECTIVES
        or low in lex.PERSON_SINGULAR
        or (low in lex.INDEFINITE and low != "one")
        or low in _PLURAL
    ):
        return True
    return token.tag is Tag.NOUN and low.endswith("s") and not low.endswith("ss") and low not in _TIMES


def _can_be_it(before: Sequence[Token], k: int) -> bool:
    token = before[k]
    if token.tag is Tag.QUOTED or (token.tag is Tag.NAME and k > 0):
        return True
    if token.tag is Tag.GERUND:
        return k == 0 and len(before) > 3
    return (
        token.tag is Tag.NOUN
        and token.low not in _TIMES
        and token.low not in lex.PERSON_SINGULAR
        and token.low not in lex.PERSON_PLURAL
    )


_TIMES: Final = word_set(
    """time times day days week weeks month months year years today yesterday tomorrow morning evening night weekend
    lot lots bit way"""
)


def _is_dummy(tokens: Sequence[Token], i: int) -> bool:
    """Whether "it" means nothing: "it takes time to", "it was hard to", "makes it easy to", "it was raining"."""
    if tokens[i].low != "it":
        return False
    rest = [t for t in tokens[i + 1 : i + 12] if t.tag is not Tag.ADVERB]
    lows = [t.low for t in rest]
    if lows[1:2] and lows[1] in {"raining", "snowing", "sunny", "cold", "hot"}:
        return True
    if i > 0 and tokens[i - 1].low in {"make", "makes", "made", "making", "find", "finds", "found"}:
        return "to" in lows[:3]
    verb = lows[0] if lows else ""
    if verb in {"takes", "took", "helps", "feels", "felt"} or verb in v.BE or verb in {"'s", "has"}:
        counted = len(rest) > 2 and rest[2].tag in (Tag.NUMBER, Tag.DETERMINER)
        judged = verb not in v.BE | {"'s", "has", "feels", "felt"} or (
            rest[1:2]
            and (
                rest[1].tag in (Tag.ADJECTIVE, Tag.PARTICIPLE, Tag.GERUND)
                or rest[1].low in lex.EVALUATIVE
                or rest[1].low == "been"
            )
        )
        return bool(judged and any(t.tag is Tag.TO for t in rest[1:8])) or (
            lows[1:2] == ["been"] and "since" in lows and counted
        )
    return False


def unresolved(tokens: Sequence[Token]) -> bool:
    """Tell whether a clause points at something outside itself that a reader cannot know."""
    return any(rule(tokens, i) for i in range(len(tokens)) for rule in _POINTING)


def _is_open_pronoun(tokens: Sequence[Token], i: int) -> bool:
    """So: "it was great", "she came", "this is mine"."""
    token = tokens[i]
    if token.tag in _PRONOUNS and is_open(tokens, i):
        return True
    if token.tag is Tag.QUOTED:
        return token.low.strip(" \"'“”") in _PLAIN
    relative = token.low == "those" and _next(tokens, i) in {"who", "with", "in"}
    return token.low in _POINTERS and token.tag is Tag.PRONOUN and not relative


def _points_at_a_thing(tokens: Sequence[Token], i: int) -> bool:
    """So: "that movie", "these"; a name, title or number in the sentence tells more than the pointing does."""
    token = tokens[i]
    is_pointer = token.low in _POINTERS and token.tag is Tag.DETERMINER
    if not is_pointer or not _points_bare(tokens, i):
        return False
    return _next(tokens, i) in _ABSTRACT or not _is_specific(tokens)


_ABSTRACT: Final = word_set("one ones name way feeling kind place idea thing moment point reason sort type")


def _counts_nothing(tokens: Sequence[Token], i: int) -> bool:
    """So: "I got two", "a few more", "the red one", "something similar"."""
    low = tokens[i].low
    if low in {"one", "ones", "another"} and _stands_alone(tokens, i):
        return True
    if low == "something" and _next(tokens, i) in {"similar", "like"}:
        return True
    if low not in _AMOUNTS or i == 0 or _next(tokens, i) not in _NOTHING:
        return False
    few = low != "more" or tokens[i - 1].low in _AMOUNTS
    return few and tokens[i - 1].tag not in (Tag.NOUN, Tag.NAME, Tag.PRONOUN)


def _lacks_object(tokens: Sequence[Token], i: int) -> bool:
    """So: "I started when I was ten", "I've been working on for a while"."""
    token = tokens[i]
    if token.low in _OBJECTLESS and token.tag is not Tag.NOUN and _next(tokens, i) in _NO_OBJECT:
        relative = i > 1 and tokens[i - 1].low in lex.SUBJECTS and tokens[i - 2].tag in (Tag.NOUN, Tag.SUBORDINATOR)
        return not relative or (tokens[i - 2].low not in _RELATIVE and tokens[i - 2].tag is not Tag.NOUN)
    open_end = token.tag is Tag.PREPOSITION and token.low in {"on", "about", "with", "of", "into"}
    return open_end and _next(tokens, i) in {"for", "since"}


def _refers_back(tokens: Sequence[Token], i: int) -> bool:
    """So: "I think so", "me neither", "the library there"."""
    low = tokens[i].low
    if low in {"so", "such", "same", "else", "either", "neither"}:
        return _next(tokens, i) in {"", ".", ","}
    return low in {"there", "here"} and tokens[i].tag is Tag.ADVERB and not _place_before(tokens[:i])


_POINTING: Final = (_is_open_pronoun, _points_at_a_thing, _counts_nothing, _lacks_object, _refers_back)
"""The ways in which a word can need what was said before."""
_RELATIVE: Final = frozenset({"that", "which", "what"})
_AMOUNTS: Final = word_set("more few some several many any both each two three four")
_PLAIN: Final = lex.SUBJECTS | lex.OBJECTS | _POINTERS
_OBJECTLESS: Final = word_set(
    "started start starts begin began finished stopped continued tried did bought got made found playing"
)
_NO_OBJECT: Final = frozenset(
    {"", ".", ",", "when", "since", "last", "because", "after", "ever", "ago", "yesterday", "for"}
)
_NOTHING: Final = frozenset(
    {"", "to", ",", ".", "and", "but", "for", "in", "at", "on", "from", "last", "next", "this", "when", "because"}
)


def _is_specific(tokens: Sequence[Token]) -> bool:
    """Whether a name, title, number, or much else tells the reader more than the pointing does."""
    said = sum(t.tag is Tag.NOUN and t.low not in lex.VAGUE and t.low not in lex.EVALUATIVE for t in tokens)
    if said > 3 and any(t.low == "i" for t in tokens):
        return True
    return any(t.tag in (Tag.NAME, Tag.QUOTED) or (t.tag is Tag.NUMBER and t.low != "one") for t in tokens)


def _points_bare(tokens: Sequence[Token], i: int) -> bool:
    """Whether "this", "that" points at a thing that is named by one word only, and was no time: "that movie"."""
    run = []
    for token in tokens[i + 1 :]:
        if token.tag not in (Tag.NOUN, Tag.NAME, Tag.ADJECTIVE, Tag.NUMBER, Tag.QUOTED, Tag.GERUND):
            break
        run.append(token)
    if run and (run[-1].low in lex.PERSON_PLURAL or (run[-1].low in lex.PERSON_SINGULAR and tokens[i].low != "this")):
        return True
    if not run or run[0].low in TIME_NOUNS or (run[0].low in {"past", "coming"} and len(run) > 1):
        return False
    behind = _next(tokens, i + len(run))
    if run[-1].low in {"kind", "sort", "type"}:
        return True
    if behind in {"of", "who", "that", "where", "called", "named", "with", "from"}:
        return False
    if run[-1].low in lex.PERSON_SINGULAR or run[-1].low in lex.PETS:
        return run[-1].low in lex.PETS
    if tokens[i].low == "this" and i > 0 and tokens[i - 1].low in CREATED and tokens[0].low == "i":
        return False
    return len(run) < 2 or any(t.low in {"one", "stuff", "thing", "things", "way"} for t in run)


def _next(tokens: Sequence[Token], i: int) -> str:
    return tokens[i + 1].low if i + 1 < len(tokens) else ""


def _stands_alone(tokens: Sequence[Token], i: int) -> bool:
    """Whether "one", "ones", "another" stands for a noun that is not there."""
    after = tokens[i + 1] if i + 1 < len(tokens) else None
    if tokens[i].low == "others":
        return False
    if after is not None and (
        after.low == "of" or after.tag in (Tag.NOUN, Tag.NAME, Tag.ADJECTIVE, Tag.NUMBER, Tag.GERUND)
    ):
        return False
    if after is not None and after.text in {"-", "on"}:
        return False
    alone = after is None or after.tag is Tag.MARK
    return (
        not any(t.tag is Tag.NOUN for t in tokens[:i])
        or tokens[i].low == "ones"
        or (alone and i > 0 and tokens[i - 1].tag is Tag.ADJECTIVE)
    )


def _place_before(before: Sequence[Token]) -> bool:
    return any(
        (t.low in {"in", "at", "to", "from", "near"} and t.tag is Tag.PREPOSITION)
        or (k == len(before) - 1 and t.low in {"out", "up", "down", "over"})
        for k, t in enumerate(before)
    )


_KIN: Final = "|".join(
    sorted((lex.RELATIONS | lex.PERSON_PLURAL | lex.COLLECTIVES) - word_set("others everyone everybody members"))
)
_HOUSEHOLD: Final = "kids|fam|family|team|boys|girls"
_COMPANY: Final = tuple(
    (re.compile(pattern, re.IGNORECASE), form)
    for pattern, form in (
        (rf"\b(?:my|our) ((?:[a-z]+ )?(?:{_KIN})) and (?:I|me)\b", "their {}"),
        (r"\b(?-i:([A-Z][a-z]+)) and (?:I|me)\b", "{}"),
        (rf"\b(?:me|I) and my ((?:[a-z]+ )?(?:{_KIN}))\b", "their {}"),
        (rf"\bwith (?:my|our) ((?:[a-z]+ )?(?:{_KIN}))\b", "their {}"),
        (rf"\b(?:with|took|take|brought|taking|bringing) (?:the |my )?({_HOUSEHOLD})\b", "their {}"),
        (r"\bwith ((?:some |a few |a couple of |old )?friends|a friend|some people|others)\b", "{}"),
    )
)
COMPANY_REACH: Final = 600  # characters before the sentence in which company is looked for
_WITH: Final = re.compile(
    rf"\bwith (?:my|our|the|some|a few|a|a couple of)?\s*(?:[a-z]+ )?(?:{_KIN}|dog|dogs|puppy)\b", re.IGNORECASE
)


def is_accompanied(tokens: Sequence[Token]) -> bool:
    """Tell whether a clause with "we" says itself who was there: "we went camping with the kids"."""
    return any(t.low == "we" for t in tokens) and bool(_WITH.search(" ".join(t.low for t in tokens)))


def as_one(tokens: Sequence[Token]) -> list[Token]:
    """Give a clause with "we" as its speaker would say it alone: "I went camping with the kids"."""
    alone = {"we": "I", "us": "me", "our": "my", "ours": "mine"}
    return [
        Token(alone[t.low], alone[t.low].lower(), t.start, t.end, t.space, t.tag) if t.low in alone else t
        for t in tokens
    ]


def company_in(text: str, until: int) -> str | None:
    """Give who is with a speaker, so that "we" can be told: "their family"; None when the text does not say.

    Args:
        text: A message.
        until: Where the sentence with "we" ends; what is nearest before it, within COMPANY_REACH, counts.
    """
    best: tuple[int, str] | None = None
    for pattern, form in _COMPANY:
        for match in pattern.finditer(text, max(0, until - COMPANY_REACH), until):
            if best is None or match.start() > best[0]:
                best = (match.start(), form.format(match[1]))
    return best[1] if best else None
