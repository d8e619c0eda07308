"""Tokens with a part of speech, by table and place: enough grammar to find who does what in a chat sentence."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from trajwiki.language import lexicon as lex
from trajwiki.language import verbs as v
from trajwiki.language.lexicon import word_set
from trajwiki.language.tokenizing import FINITE, Tag, Token, tokenize

_NUMBERS: Final = word_set(
    """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million dozen"""
)
_ING_NOUNS: Final = word_set(
    """thing something anything everything nothing morning evening king ring spring string wing ceiling clothing
    pudding sibling darling during sterling offspring wedding inning earring viking sting"""
)
_ED_NOT_VERBS: Final = word_set("bed red need seed speed weed shed feed hundred kindred sacred naked wicked med ed")
_ADJECTIVES: Final = (
    lex.EVALUATIVE
    | lex.FEELINGS
    | word_set(
        """new old big small little young long short high low first last next local own other main different same
        favorite favourite fave red blue green yellow black white brown pink purple orange grey gray recent current
        upcoming free full whole certain various several many few only early late deep warm cold hot fresh natural
        creative healthy strong similar professional medical public private older younger bigger smaller better best
        huge tiny"""
    )
)
_ADJECTIVE_ENDING: Final = re.compile(r"(?!vegetable).{3,}(?:ful|ous|less|ible|able)\Z")
_WH: Final = word_set("who whom whose which what where how why")
_EITHER: Final = word_set("before after since until till as like than")  # preposition or subordinator


def tag(text: str, names: frozenset[str] = frozenset()) -> list[Token]:
    """Give the tokens of a sentence with their parts of speech.

    Args:
        text: One sentence or clause.
        names: Folded names of people known to take part, which are names even at the start of a sentence.
    """
    plain = tokenize(text)
    tagger = _Tagger(plain, names)
    return [Token(t.text, t.low, t.start, t.end, t.space, tagger.next_tag(i)) for i, t in enumerate(plain)]


class _Tagger:
    """Walks through the tokens from left to right; what is behind it decides what a word can be."""

    def __init__(self, tokens: Sequence[Token], names: frozenset[str]) -> None:
        self.tokens = tokens
        self.names = names
        self.tags: list[Tag] = []
        self.finite = False  # whether the clause has its finite verb already

    def next_tag(self, i: int) -> Tag:
        found = self._tag(i)
        self.tags.append(found)
        if found in (Tag.SUBORDINATOR, Tag.COORDINATOR) or (found is Tag.MARK and self.tokens[i].text != "'"):
            self.finite = False
        elif found in FINITE and not (found is Tag.BASE and self._before(i) in (Tag.TO, Tag.MODAL)):
            self.finite = True
        return found

    # What stands around a word.

    def _low(self, i: int) -> str:
        return self.tokens[i].low if 0 <= i < len(self.tokens) else ""

    def _before(self, i: int) -> Tag | None:
        """The tag before, adverbs left out."""
        j = i - 1
        while j >= 0 and self.tags[j] is Tag.ADVERB:
            j -= 1
        return self.tags[j] if j >= 0 else None

    def _before_low(self, i: int) -> str:
        j = i - 1
        while j >= 0 and self.tags[j] is Tag.ADVERB:
            j -= 1
        return self._low(j)

    def _opens_object(self, i: int) -> bool:
        """Whether what stands at i would follow a verb rather than a noun."""
        low = self._low(i)
        return (
            low in lex.DETERMINERS
            or low in lex.POSSESSIVES
            or low in lex.OBJECTS
            or low in {"it", "to", "in", "on", "at", "with", "for", "about", "from", "up", "out", "that", "how", "into"}
            or (low in lex.ADVERBS and low not in {"and"})
        )

    # The classes, closed ones first.

    def _tag(self, i: int) -> Tag:
        token = self.tokens[i]
        low = token.low
        if not any(c.isalnum() for c in low):
            return Tag.COORDINATOR if low == "&" else Tag.MARK
        if low[0] in "\"“«'‘" and len(low) > 3:
            return Tag.QUOTED if low not in _CLITICS else self._clitic(i)
        if low in _CLITICS:
            return self._clitic(i)
        if low[0].isdigit() or low[0] in "$€£" or low in _NUMBERS:
            return Tag.NUMBER
        if token.text[0].isupper() and i > 0 and self._is_name(i):
            return Tag.NAME
        if low in self.names:
            return Tag.NAME
        return self._closed(i, low) or self._verb(i, low) or self._open(i, low)

    def _is_name(self, i: int) -> bool:
        low = self._low(i)
        if low in {"i", "ok", "tv"} or (self.tags[i - 1] is Tag.MARK and self.tokens[i - 1].text in '"“'):
            return False
        if low in lex.SUBJECTS or low in lex.INTERJECTIONS or low in lex.POSSESSIVES or low in lex.DETERMINERS:
            return False
        return not (low in lex.SUBORDINATORS or low in lex.COORDINATORS or low in lex.PREPOSITIONS)

    def _clitic(self, i: int) -> Tag:
        low = self._low(i)
        if low in {"'m", "'re", "'ve"}:
            return Tag.AUX
        if low in {"'ll", "'d"}:
            return Tag.MODAL
        if low == "n't":
            return Tag.ADVERB
        before = self._low(i - 1)
        if before in lex.SUBJECTS or before in {"that", "this", "there", "here"} or before in _WH:
            return Tag.AUX
        after = self._low(i + 1)
        if self.finite and before not in lex.RELATIONS:
            return Tag.POSSESSIVE
        if (
            after in lex.DETERMINERS
            or after in lex.POSSESSIVES
            or after in {"not", "been", "like", "about", "in", "to"}
        ):
            return Tag.AUX
        if after in lex.ADVERBS and after not in {"home", "alone", "only", "once"}:
            return Tag.AUX
        if after in _ADJECTIVES - {"old", "new", "first", "last", "own", "best", "favorite", "favourite", "big"}:
            followed = self._low(i + 2)
            return Tag.POSSESSIVE if followed and followed.isalpha() and followed not in _STOP else Tag.AUX
        if after.endswith("ing") and after not in _ING_NOUNS and (self._opens_object(i + 2) or before in lex.RELATIONS):
            return Tag.AUX
        return Tag.POSSESSIVE

    def _closed(self, i: int, low: str) -> Tag | None:
        after = self._low(i + 1)
        if low == "to":
            j = i + 1
            while self._low(j) in lex.ADVERBS or (self._low(j).endswith("ly") and self._low(j) not in v.BASES):
                j += 1
            verb = self._low(j)
            known = verb in v.BASES or verb in {"be", "have", "do"}
            takes = verb.isalpha() and verb not in _NOT_INFINITIVE and self._low(j + 1) in _TAKEN
            return Tag.TO if known or takes else Tag.PREPOSITION
        if low in lex.POSSESSIVES and low != "her":
            return Tag.POSSESSIVE
        if low == "her":
            return (
                Tag.POSSESSIVE
                if after.isalpha() and not self._opens_object(i + 1) and after not in _STOP
                else Tag.PRONOUN
            )
        if low in lex.SUBJECTS or low in lex.OBJECTS or (low in lex.INDEFINITE and low != "one"):
            return Tag.PRONOUN
        if low in v.MODALS:
            return Tag.MODAL
        if low in v.BE or low in v.HAVE or low in v.DO or low in {"done", "doing"}:
            return self._auxiliary(i, low)
        return self._linking(i, low, after)

    def _auxiliary(self, i: int, low: str) -> Tag:
        if low in {"being", "having", "doing"}:
            return Tag.GERUND
        if low in {"been", "done"}:
            return Tag.PARTICIPLE
        if low == "be" or (low in {"have", "do"} and self._before(i) in (Tag.TO, Tag.MODAL)):
            return Tag.BASE
        return Tag.AUX

    def _linking(self, i: int, low: str, after: str) -> Tag | None:
        if low == "there":
            return Tag.PRONOUN if after in v.BE or after == "'s" else Tag.ADVERB
        if (low == "no" and after == "longer") or (low == "longer" and self._low(i - 1) in {"no", "any"}):
            return Tag.ADVERB
        if low in {"this", "that", "these", "those"}:
            return self._demonstrative(i, low, after)
        if low in {"all", "both"} and self._low(i - 1) in {"we", "they", "you"}:
            return Tag.ADVERB
        if low in lex.DETERMINERS:
            return Tag.DETERMINER
        if low == "like":
            return self._like(i, after)
        if low in _EITHER or low in _WH or low in lex.SUBORDINATORS:
            return self._opening(i, low)
        if low in {"so", "yet", "then"}:
            return Tag.COORDINATOR if low == "so" and self._starts_clause(i + 1) else Tag.ADVERB
        if low in lex.COORDINATORS:
            return Tag.COORDINATOR
        if low in lex.ADVERBS or (low.endswith("ly") and len(low) > 4 and low not in lex.LY_NOT_ADVERBS):
            return Tag.ADVERB
        return Tag.PREPOSITION if low in lex.PREPOSITIONS else None

    def _opening(self, i: int, low: str) -> Tag:
        if low == "once" and not self._starts_clause(i + 1):
            return Tag.ADVERB
        return Tag.PREPOSITION if low in _EITHER and not self._starts_clause(i + 1) else Tag.SUBORDINATOR

    def _like(self, i: int, after: str) -> Tag:
        before = self._before(i)
        is_verb = (
            before in (Tag.PRONOUN, Tag.TO, Tag.MODAL)
            or (before is Tag.NOUN and after == "to")
            or self._before_low(i) in {"do", "does", "did"}
        )
        return Tag.BASE if is_verb else Tag.PREPOSITION

    def _demonstrative(self, i: int, low: str, after: str) -> Tag:
        before = self._before(i)
        if low == "that" and (before in _NAMING or (before in _SAYING and after in _THAT_OPENS)):
            return Tag.SUBORDINATOR
        ends = (
            not after
            or not after[0].isalnum()
            or after in _STOP
            or after == "to"
            or after in v.BE
            or after == "'s"
            or after in v.MODALS
        )
        ends = (
            ends
            or (after.endswith("ly") and after not in lex.LY_NOT_ADVERBS)
            or after in _WH
            or after in v.HAVE
            or after in v.DO
        )
        if ends or after in lex.ADVERBS or after in v.PAST or (after in v.THIRD and after not in v.NOUN_VERBS):
            return Tag.PRONOUN
        return Tag.DETERMINER

    def _starts_clause(self, i: int) -> bool:
        low = self._low(i)
        if low in lex.SUBJECTS or low in {"there", "that", "this"}:
            return True
        if low in lex.DETERMINERS or low in lex.POSSESSIVES or low in self.names:
            for j in range(i + 1, min(i + 6, len(self.tokens))):
                word = self._low(j)
                if word in v.BE or word in v.PAST or word in v.MODALS or word in v.HAVE or word in v.DO:
                    return True
                if not word[0].isalnum() or word in lex.PREPOSITIONS:
                    return False
        return False

    def _verb(self, i: int, low: str) -> Tag | None:
        before = self._before(i)
        if low == "last" and self._low(i + 1)[:1].isalpha() and before is not Tag.MODAL:
            return Tag.ADJECTIVE
        if low in lex.EVALUATIVE:
            return None
        if low.endswith("ing") and len(low) > 4 and "-" not in low and low not in _ING_NOUNS:
            return Tag.NOUN if before in (Tag.DETERMINER, Tag.POSSESSIVE) else Tag.GERUND
        if low in v.BASES and (verb := self._base_form(i, low, before)):
            return verb
        regular = low.endswith("ed") and len(low) > 3 and low not in _ED_NOT_VERBS and low not in v.BASES
        if low in v.PAST or low in v.PARTICIPLE or regular:
            return self._past_form(i, low, before)
        if low in v.THIRD:
            return self._third_form(i, low, before)
        if before is Tag.TO and self._low(i - 1) == "to":
            return Tag.BASE
        if self._low(i - 1) in {"i", "we"} and low.isalpha() and low not in _ADJECTIVES:
            after = self._low(i + 1)
            return Tag.ADVERB if after in v.BASES or after in v.PAST or after in v.BE else Tag.BASE
        if low.endswith(("ize", "ify")) and len(low) > 5:
            return self._base_form(i, low, before)
        return None

    def _base_form(self, i: int, low: str, before: Tag | None) -> Tag | None:
        subject = self._before_low(i)
        if before in (Tag.TO, Tag.MODAL) or subject in {"do", "does", "did", "let's"}:
            return Tag.BASE
        if subject in {"i", "we", "you", "they"}:
            return Tag.PAST if low in v.PAST else Tag.BASE
        if before in (Tag.DETERMINER, Tag.POSSESSIVE, Tag.ADJECTIVE, Tag.PREPOSITION, Tag.NUMBER):
            return Tag.NOUN
        noun_too = low in v.NOUN_VERBS
        if before in (None, Tag.MARK, Tag.COORDINATOR):
            if noun_too and not self._opens_object(i + 1) and self._low(i + 1) not in {"i", "we"}:
                return Tag.NOUN
            return Tag.BASE
        if before is Tag.PRONOUN:
            return Tag.PAST if low in v.PAST and subject in {"he", "she", "it"} else Tag.BASE
        if before in (Tag.NOUN, Tag.NAME) and _is_plural(subject) and not noun_too:
            return Tag.BASE
        if before is Tag.NOUN and subject in lex.PERSON_PLURAL and not self.finite and self._opens_object(i + 1):
            return Tag.BASE  # "my twins play the harp"
        if before is Tag.SUBORDINATOR and not noun_too:
            return Tag.BASE
        if low in v.PAST and not self.finite:
            return None
        return Tag.NOUN if noun_too or before in (Tag.NOUN, Tag.NAME) else Tag.BASE

    def _past_form(self, i: int, low: str, before: Tag | None) -> Tag:
        subject = self._before_low(i)
        if subject in v.BE or subject in v.HAVE or subject in {"'s", "'d", "got", "being", "having"}:
            return Tag.PARTICIPLE
        if before in (Tag.DETERMINER, Tag.POSSESSIVE):
            return Tag.ADJECTIVE
        if low not in v.PAST and low in v.PARTICIPLE:
            return Tag.PARTICIPLE
        if before in (Tag.PREPOSITION, Tag.ADJECTIVE, Tag.NUMBER, Tag.GERUND, Tag.BASE, Tag.THIRD, Tag.PAST):
            return Tag.PARTICIPLE
        if before in (Tag.NOUN, Tag.NAME, Tag.QUOTED) and self.finite:
            return Tag.PARTICIPLE
        if before is Tag.PRONOUN and subject in lex.OBJECTS:
            return Tag.PARTICIPLE
        return Tag.PAST

    def _third_form(self, i: int, low: str, before: Tag | None) -> Tag:
        subject = self._before_low(i)
        if subject in {"he", "she", "it", "that", "this", "who", "which", "what", "everyone", "someone", "everything"}:
            return Tag.THIRD
        if before is None and (self._opens_object(i + 1) or self._low(i + 1) == "like"):
            return Tag.THIRD
        if before not in (Tag.NOUN, Tag.NAME, Tag.GERUND, Tag.QUOTED, Tag.PRONOUN) or self.finite:
            return Tag.NOUN
        if v.THIRD[low] in v.NOUN_VERBS and not (
            self._opens_object(i + 1)
            or self._low(i + 1) == "as"
            or self._low(i + 1).endswith("ing")
            or self._low(i + 1) in _ADJECTIVES
        ):
            return Tag.NOUN
        return Tag.NOUN if _is_plural(subject) and before is Tag.NOUN else Tag.THIRD

    def _open(self, i: int, low: str) -> Tag:
        after_adverb = i > 0 and self.tags[i - 1] is Tag.ADVERB and self._before(i) in (Tag.NOUN, Tag.NAME)
        if after_adverb and not self.finite and low.endswith("s") and self._opens_object(i + 1):
            return Tag.THIRD  # "my grandma still teases me"
        if low in _ADJECTIVES or (_ADJECTIVE_ENDING.fullmatch(low) and self._before(i) is not Tag.DETERMINER):
            return Tag.ADJECTIVE
        return Tag.NOUN


_CLITICS: Final = frozenset({"n't", "'m", "'re", "'ve", "'ll", "'d", "'s"})
_TAKEN: Final = lex.OBJECTS | lex.POSSESSIVES | frozenset({"it", "the", "a", "an"})
_NOT_INFINITIVE: Final = lex.DETERMINERS | lex.POSSESSIVES | lex.OBJECTS | _WH
_NAMING: Final = (Tag.NOUN, Tag.NAME)
_SAYING: Final = (Tag.BASE, Tag.PAST, Tag.THIRD, Tag.PARTICIPLE, Tag.ADJECTIVE, Tag.GERUND)
_THAT_OPENS: Final = lex.SUBJECTS | lex.POSSESSIVES | lex.DETERMINERS | lex.INDEFINITE
_STOP: Final = lex.PREPOSITIONS | lex.SUBORDINATORS | lex.COORDINATORS | lex.SUBJECTS | v.BE | v.MODALS


def _is_plural(noun: str) -> bool:
    return noun in lex.PERSON_PLURAL or (noun.endswith("s") and not noun.endswith(("ss", "us", "is")) and len(noun) > 3)
