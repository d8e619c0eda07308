"""What a speaker says of themselves, told in the third person: "I love my dog" -> "Melanie loves her dog", as it were.

Gender is not known, so a speaker who is named once in a sentence is "they" and "their" afterwards, and the name again
wherever "they" could be taken for somebody else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from trajwiki.language import lexicon as lex
from trajwiki.language import verbs as v
from trajwiki.language.lexicon import word_set
from trajwiki.language.tokenizing import FINITE, Tag, Token

MAX_NAMINGS: Final = 3  # a sentence that names its speaker more often reads badly and is given up

_GENERIC_SPEAKERS: Final = word_set("user human me customer client student patient person you visitor guest")
_FIRST: Final = word_set("i me my mine myself we us our ours ourselves")
_SECOND: Final = word_set("you your yours yourself yourselves y'all")
_EVERYBODYS: Final = word_set("veterans troops heroes country nation planet world society government generation")
_BETTER: Final = frozenset({"better", "rather", "best"})


@dataclass(frozen=True, slots=True)
class Cast:
    """Who is who in what is being read.

    Attributes:
        speaker: As named in a claim ("Melanie", "the user").
        other: The only other speaker, or None when there is no such one or it is not a person.
        company: Who "we" are beside the speaker, as in "their family"; None when the talk does not say.
    """

    speaker: str
    other: str | None = None
    company: str | None = None


def display_name(speaker: str, *, is_person: bool = True) -> str:
    """Give a speaker as named in a claim: roles of a chat become "the user", names stay as they are."""
    name = " ".join(speaker.split()).strip(" :,;\"'")
    if not name or name.casefold() in _GENERIC_SPEAKERS:
        return "the user" if is_person else "the assistant"
    return name


def possessive(name: str) -> str:
    """Give the possessive of a name: "Melanie's", "James'"."""
    return f"{name}'" if name.endswith("s") else f"{name}'s"


def to_third_person(tokens: Sequence[Token], cast: Cast) -> str | None:
    """Give a tagged clause of a speaker as a third-person sentence with a full stop, or None where it would not read.

    Args:
        tokens: One clause, stripped of what does not belong to the statement; its subject is there.
        cast: Who is who.
    """
    told = _Telling(_subject_first(tokens), cast)
    return told.sentence()


def _subject_first(tokens: Sequence[Token]) -> list[Token]:
    """Bring "my son and I" and "me and my son" at the start into the order "I and my son"."""
    tokens = list(tokens)
    lows = [t.low for t in tokens]
    if lows[:2] == ["me", "and"]:
        first = tokens[0]
        return [Token("I", "i", first.start, first.end, first.space, Tag.PRONOUN), *tokens[1:]]
    if lows and lows[0] in {"my", "our"} and "i" in lows:
        at = lows.index("i")
        if 2 <= at <= 6 and lows[at - 1] in {"and", "&"} and not any(t.tag in FINITE for t in tokens[:at]):
            joined = tokens[at - 1]
            return [tokens[at], joined, *_spaced(tokens[: at - 1]), *tokens[at + 1 :]]
    return tokens


def _spaced(tokens: Sequence[Token]) -> list[Token]:
    first = tokens[0]
    return [Token(first.text.lower(), first.low, first.start, first.end, True, first.tag), *tokens[1:]]


class _Telling:
    """One clause on its way into the third person, from left to right."""

    def __init__(self, tokens: Sequence[Token], cast: Cast) -> None:
        self.tokens = tokens
        self.cast = cast
        self.out: list[tuple[str, bool]] = []
        self.namings = 0
        self.we_named = False
        self.rival = False  # somebody else is there whom "they" could mean
        self.failed = False
        self.is_subject = False  # the speaker is named as one who does something
        self.own = False  # the next "my" is in the subject: "I and my son"
        self.inflect: dict[int, str] = {}

    def sentence(self) -> str | None:
        for i in range(len(self.tokens)):
            self._tell(i)
            if self.failed or self.namings > MAX_NAMINGS:
                return None
        text = "".join((" " if space and k else "") + word for k, (word, space) in enumerate(self.out)).strip()
        text = text.rstrip(" ,;:-–—.!…")
        if not text:
            return None
        stopped = text[-1] == "?" or text.endswith(('."', ".”", '!"', "!”", '?"', "?”"))
        return text[0].upper() + text[1:] + ("" if stopped else ".")

    def _tell(self, i: int) -> None:
        token = self.tokens[i]
        low = token.low
        if i in self.inflect:
            self._put(self.inflect[i], True if low.startswith("'") else token.space)
        elif low == "i" and token.tag is not Tag.NAME:
            self._subject(i)
        elif low in _FIRST and low != "i":
            self._first(i, low)
        elif low in _SECOND:
            self._second(i, low)
        elif low in {"this", "that", "these", "those"} and token.tag is Tag.DETERMINER:
            self._pointing(i, low)
        elif low == "'s" and token.tag is Tag.AUX and i > 0 and self.tokens[i - 1].tag is not Tag.PRONOUN:
            self._put(self._long_s(i), True)
        else:
            self._watch(i)
            text = token.text
            if i == 0 and token.tag is not Tag.NAME and text[1:].islower() and low not in _KEEP_CAPITAL:
                text = text if not self.out else text.lower()
            self._put(text, token.space)

    def _put(self, text: str, space: bool) -> None:
        self.out.append((text, space or not self.out))

    def _low(self, i: int) -> str:
        return self.tokens[i].low if 0 <= i < len(self.tokens) else ""

    # The speaker.

    def _name(self) -> str:
        self.namings += 1
        return self.cast.speaker

    def _subject(self, i: int) -> None:
        self.is_subject = True
        space = self.tokens[i].space
        joined = (
            self._low(i - 1) in {"and", "&"}
            and self._low(i - 2) != ","
            and i > 1
            and not any(t.tag in FINITE for t in self.tokens[:i])
        )
        followed = (self._low(i + 1) in {"and", "&"} and self._low(i + 2) in {"my", "our"}) or (
            self._low(i + 1) == "and" and (i + 2 < len(self.tokens) and self.tokens[i + 2].tag is Tag.NAME)
        )
        if self.namings and not self.rival:
            self._put("they", space)
            self._plural(i)
            return
        if self.we_named and not self.rival:
            self._put(self._name(), space)
            self._singular(i)
            return
        self._put(self._name(), space)
        self.rival = False
        if joined or followed:
            self._plural(i)
            self.own = followed
        else:
            self._singular(i)

    def _verb_after(self, i: int) -> int | None:
        for j in range(i + 1, min(i + 9, len(self.tokens))):
            if self.tokens[j].tag in FINITE:
                return j
            if self.tokens[j].tag is Tag.PARTICIPLE and self._low(j) in v.PAST:
                return None
        return None

    def _singular(self, i: int) -> None:
        """Make the verbs of a singular subject agree with it."""
        j = self._verb_after(i)
        if j is None:
            if not any(t.tag is Tag.PARTICIPLE and t.low in v.PAST for t in self.tokens[i + 1 : i + 4]):
                self.failed = True
            return
        verb = self.tokens[j]
        present = self._agree(j)
        if (present and verb.tag is Tag.BASE) or verb.low in {"do", "have"}:
            self._coordinate(j)

    def _agree(self, j: int) -> bool:
        verb = self.tokens[j]
        if verb.low in {"am", "'m", "are", "'re"}:
            self.inflect[j] = "is"
        elif verb.low == "were":
            self.inflect[j] = "was"
        elif verb.low in {"have", "'ve"}:
            self.inflect[j] = "has"
        elif verb.low == "do":
            self.inflect[j] = "does"
        elif verb.low == "'ll":
            self.inflect[j] = "will"
        elif verb.low == "'d":
            self.inflect[j] = self._long_d(j)
        elif verb.tag is Tag.BASE:
            self.inflect[j] = v.third_person(verb.low)
            return True
        return False

    def _long_d(self, j: int) -> str:
        k = j + 1
        while k < len(self.tokens) and self.tokens[k].tag is Tag.ADVERB and self._low(k) not in _BETTER:
            k += 1
        word = self._low(k)
        had = word in _BETTER or word in {"been", "had"} or (word in v.PARTICIPLE and word not in v.BASES)
        return "had" if had or (word.endswith("ed") and word not in v.BASES) else "would"

    def _long_s(self, i: int) -> str:
        after = self.tokens[i + 1] if i + 1 < len(self.tokens) else None
        if after and (after.low in {"been", "got", "had"} or (after.low == "always" and self._low(i + 2) == "been")):
            return "has"
        return "is"

    def _coordinate(self, j: int) -> None:
        """Inflect base verbs that a joining word puts beside the finite one: "I cook and bake"."""
        for k in range(j + 1, len(self.tokens)):
            token = self.tokens[k]
            if token.tag in (Tag.SUBORDINATOR, Tag.TO, Tag.MODAL, Tag.PAST, Tag.AUX) or token.low in {"i", "we"}:
                return
            if token.tag is Tag.BASE:
                before = k - 1
                while before > j and self.tokens[before].tag is Tag.ADVERB:
                    before -= 1
                if self._low(before) not in {"and", "or", "but", ","} or (self._low(before) == "," and k == j + 2):
                    return
                self._agree(k)

    def _plural(self, i: int) -> None:
        j = self._verb_after(i)
        if j is None:
            return
        verb = self.tokens[j]
        if verb.low in {"am", "'m", "is"} or verb.low in {"'re"}:
            self.inflect[j] = "are"
        elif verb.low == "was":
            self.inflect[j] = "were"
        elif verb.low in {"'ve", "has"}:
            self.inflect[j] = "have"
        elif verb.low == "'ll":
            self.inflect[j] = "will"
        elif verb.low == "'d":
            self.inflect[j] = self._long_d(j)

    def _first(self, i: int, low: str) -> None:
        space = self.tokens[i].space
        named = (self.namings or self.we_named) and not self.rival
        if low in {"we", "us", "our", "ours", "ourselves"}:
            self._we(i, low, space)
        elif low == "my":
            theirs = named or self.own or self._cataphoric(i) or self._listed(i)
            self._put("their" if theirs else possessive(self._name()), space)
            self.own = False
        elif low == "me":
            self._put("them" if named and not self.we_named else self._name(), space)
        elif low == "mine":
            self._put(possessive(self._name()), space)
            self.failed = self.failed or self._low(i - 1) != "of"
        else:
            self._put("themselves", space)
            self.failed = self.failed or not self.is_subject

    def _cataphoric(self, i: int) -> bool:
        """Whether "my" stands in an opening phrase whose main clause names the speaker right behind it."""
        opens = self.tokens[0].tag in (Tag.PREPOSITION, Tag.GERUND, Tag.PARTICIPLE, Tag.SUBORDINATOR, Tag.ADVERB)
        return opens and not self.namings and any(t.low == "i" for t in self.tokens[i + 1 :])

    def _listed(self, i: int) -> bool:
        """Whether "my" goes on a list whose earlier member is the speaker's: "my son and my dog"."""
        return (
            bool(self.namings)
            and self._low(i - 1) in {"and", ",", "&", "or"}
            and "my" in [t.low for t in self.tokens[:i]]
        )

    def _we(self, i: int, low: str, space: bool) -> None:
        if low in {"ours", "ourselves"}:
            self._put("theirs" if low == "ours" else "themselves", space)
            self.failed = self.failed or not self.we_named
            return
        if low == "we" and self.namings and not self.we_named:
            self.failed = self._low(i + 1) in _TALKED or self._low(i - 1) not in {
                "when",
                "while",
                "before",
                "after",
                "since",
                "until",
            }
            self.we_named = True
        if self.we_named:
            self._put({"we": "they", "us": "them", "our": "their"}[low], space)
        elif low == "our" and any(self._low(i + k) in _EVERYBODYS for k in (1, 2)):
            self._put("the", space)  # "our veterans", "our planet"
        elif low == "our":
            named = self.namings and not self.rival
            self._put("their" if named or "we" in [t.low for t in self.tokens[i:]] else possessive(self._name()), space)
        else:
            with_whom = self.cast.company or "others"
            if self.namings and low == "us" and not self.rival:
                self._put(f"them and {with_whom}" if self.cast.company else "them", space)
            else:
                self._put(f"{self._name()} and {with_whom}", space)
            self.we_named = True
        if low == "we":
            self._plural(i)

    # Others.

    def _second(self, i: int, low: str) -> None:
        other = self.cast.other
        subject = (
            low == "you"
            and i + 1 < len(self.tokens)
            and (self.tokens[i + 1].tag in FINITE or self.tokens[i + 1].tag is Tag.ADVERB)
        )
        if other is None or subject or low in {"yourself", "yourselves", "y'all"}:
            self.failed = True
            return
        self.rival = True
        self._put(other if low == "you" else possessive(other), self.tokens[i].space)

    def _pointing(self, i: int, low: str) -> None:
        """Things that were pointed at are not there to be seen: "that lake" becomes "the lake", times stay."""
        space = self.tokens[i].space
        noun = next((t.low for t in self.tokens[i + 1 : i + 5] if t.tag is Tag.NOUN), "")
        if noun in TIME_NOUNS or (low in {"these"} and noun in {"days"}) or self._low(i + 1) in {"past", "coming"}:
            self._put(self.tokens[i].text, space)
        elif low == "this" and (noun in lex.PERSON_SINGULAR or self._low(i - 1) in CREATED) and not noun.endswith("s"):
            self._put("an" if self._low(i + 1)[:1] in "aeiou" else "a", space)
        elif low == "these" and i > 0 and self.tokens[i - 1].tag in (*FINITE, Tag.PARTICIPLE, Tag.GERUND):
            self._put("some", space)
        else:
            self._put("the", space)

    def _watch(self, i: int) -> None:
        """Note who else is in the sentence."""
        token = self.tokens[i]
        low = token.low
        if low in {"they", "them", "their"} or low in lex.PERSON_PLURAL or low in lex.COLLECTIVES:
            self.rival = True
        elif low in lex.PERSON_SINGULAR or (low in lex.PETS and low.endswith("s")):
            self.rival = self.rival or not self._predicate(i)
        elif (
            token.tag is Tag.NAME
            and self._low(i - 1) not in {"in", "at", "to", "from", "on", "of", "'s"}
            and (i == 0 or self.tokens[i - 1].tag is not Tag.NAME)
        ):
            self.rival = self.rival or self._low(i - 1) in {"with", "and", "met", "named", "called", "told", "for"}

    def _predicate(self, i: int) -> bool:
        """Whether the noun at i says what the subject is: "was a kid"."""
        j = i - 1
        while j > 0 and self.tokens[j].tag in (Tag.DETERMINER, Tag.ADJECTIVE, Tag.ADVERB):
            j -= 1
        return self._low(j) in v.BE or self._low(j) == "as"


_KEEP_CAPITAL: Final = frozenset({"i"})
_TALKED: Final = word_set("talked spoke chatted met last caught")
CREATED: Final = word_set(
    "made painted drew wrote built baked cooked created bought got found won designed knitted grew"
)
"""What is done to "this bowl" by somebody who shows it, so that it can be told as "a bowl"."""
TIME_NOUNS: Final = word_set(
    """week weekend month year morning afternoon evening night day days time summer winter spring fall autumn season
    semester term quarter monday tuesday wednesday thursday friday saturday sunday january february march april may
    june july august september october november december moment point decade century weeks months years christmas
    thanksgiving halloween easter"""
)
