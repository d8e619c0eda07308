"""From the messages of an exchange to claims, by rule (paper, A.1): what people say of themselves, in third person."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from trajwiki.domain.claims import ClaimDraft
from trajwiki.domain.messages import Message
from trajwiki.domain.problems import Problem
from trajwiki.language import verbs as v
from trajwiki.language.entities import NOT_NAMES
from trajwiki.language.foreign import is_foreign
from trajwiki.language.lexicon import PETS, RELATIONS, word_set
from trajwiki.language.lists import ItemList, find_list
from trajwiki.language.persons import Cast, possessive, to_third_person
from trajwiki.language.sentences import Sentence, is_whole, split_clauses
from trajwiki.language.tagging import tag
from trajwiki.language.tokenizing import Tag, Token
from trajwiki.language.tokens import fold
from trajwiki.memory.annotation import annotate
from trajwiki.memory.quoting import (
    answer,
    preserve,
    quote_answer,
    quote_arrangement,
    quote_foreign,
    quote_note,
    quote_order,
    tell_caption,
)
from trajwiki.memory.reader import BELIEVED, Reader, addresses_a_machine, open_reader, own_sentences
from trajwiki.memory.references import as_one, company_in, is_accompanied, unresolved
from trajwiki.memory.refusals import MIN_WORDS, is_vague, refusal
from trajwiki.memory.stripping import strip_closing, strip_opening
from trajwiki.memory.subjects import supply_subject
from trajwiki.memory.verification import verify_claim

__all__ = ["extract_claims", "verify_claim"]


def extract_claims(
    messages: Sequence[Message], *, speakers: Sequence[str], previous: Message | None = None
) -> tuple[list[ClaimDraft], list[Problem]]:
    """Give what the messages of one exchange state, in order, each statement of a message once.

    Args:
        messages: A turn and its reply.
        speakers: Everybody who spoke in the session so far.
        previous: The message just before, for answers that say nothing without their question.

    Returns:
        Verified drafts, and what was dropped and why.
    """
    drafts: dict[tuple[str, str], ClaimDraft] = {}
    problems: list[Problem] = []
    known = {m.id: m for m in messages}
    heard = previous
    for message in messages:
        for draft in _read(message, heard, speakers):
            problem = verify_claim(draft, known)
            if problem is not None:
                problems.append(problem)
            else:
                drafts.setdefault((message.id, fold(draft.text)), draft)
        heard = message
    return list(drafts.values()), problems


def _read(message: Message, previous: Message | None, speakers: Sequence[str]) -> Iterator[ClaimDraft]:
    """One message: what it answers, what its sentences state, what its image shows."""
    if message.role not in BELIEVED or not message.content.strip():
        return
    reader = open_reader(message, speakers=speakers, previous=previous)
    yield from answer(reader)
    before: Sentence | None = None
    for sentence in own_sentences(reader.body):
        reader.sentence = sentence.text
        yield from _read_sentence(reader, sentence, before)
        before = sentence
    yield from tell_caption(reader)


def _read_sentence(reader: Reader, sentence: Sentence, before: Sentence | None) -> Iterator[ClaimDraft]:
    if addresses_a_machine(sentence.text):
        yield from quote_order(reader, sentence)
    elif is_foreign(sentence.text):
        yield from quote_foreign(reader, sentence)
    else:
        told = [*_tell(reader, sentence), *_names_told(reader, sentence)]
        told += quote_arrangement(reader, sentence, told)
        kept = told or [*preserve(reader, sentence, before)] or [*quote_answer(reader, sentence, before)]
        yield from kept or quote_note(reader, sentence)


# The way of an English sentence: clauses -> statements (stripped, subject supplied, references resolved, refused or
# kept) -> third person -> annotated claim -> items of its list.


def _tell(reader: Reader, sentence: Sentence) -> Iterator[ClaimDraft]:
    tokens = tag(sentence.text, reader.names)
    cast = replace(reader.cast, company=company_in(reader.body, sentence.start + len(sentence.text)))
    clauses = split_clauses(tokens)
    if sentence.text.rstrip("\"'”)").endswith("?"):
        clauses = clauses[:-1]
    for stated in _stated(reader, tokens, clauses, cast):
        yield from _claims_of(reader, sentence, stated, cast)


def _stated(
    reader: Reader, tokens: Sequence[Token], clauses: Sequence[Sequence[Token]], cast: Cast
) -> list[list[Token]]:
    """The clauses that state something; one that points back is kept together with the one it points at."""
    kept: list[list[Token]] = []
    before: Sequence[Token] = ()
    for clause in clauses:
        stated = statement_of(clause, reader.names)
        resolved = reader.mentions.resolve(stated) if stated and not is_vague(stated) else None
        reader.mentions.note(clause)
        if resolved is not None and refusal(resolved) is None:
            if not unresolved(resolved):
                kept.append(resolved)
            elif (whole := _with(before, clause, tokens, reader.names)) and to_third_person(whole, cast) is not None:
                if kept and kept[-1][-1].end > whole[0].start:
                    kept.pop()
                kept.append(whole)
            elif shorter := _shortened(resolved, reader.names):
                kept.append(shorter)
        elif (
            resolved is not None and refusal(resolved) in _LOOSE_END and (shorter := _shortened(resolved, reader.names))
        ):
            kept.append(shorter)
        before = clause
    return kept


_LOOSE_END: Final = frozenset({"unfinished", "praise-only"})
"""Refusals for what stands at the end of a clause and may be left off."""


def _shortened(tokens: Sequence[Token], names: frozenset[str]) -> list[Token] | None:
    """The longest beginning of a clause that says something by itself, before a comma or joining word."""
    for i in range(len(tokens) - 1, MIN_WORDS - 1, -1):
        if tokens[i].text == "," or tokens[i].tag is Tag.COORDINATOR:
            stated = statement_of(tokens[:i], names)
            if stated and is_whole(stated) and refusal(stated) is None and not unresolved(stated):
                return stated
    return None


def statement_of(clause: Sequence[Token], names: frozenset[str]) -> list[Token] | None:
    """Give a clause without what surrounds the statement and with its subject, or None when nothing is left."""
    return supply_subject(strip_closing(strip_opening(clause, names), names))


def _with(
    before: Sequence[Token], clause: Sequence[Token], tokens: Sequence[Token], names: frozenset[str]
) -> list[Token] | None:
    """A clause together with the one before it, when that says what it points at."""
    if not before:
        return None
    joined = [t for t in tokens if before[0].start <= t.start and t.end <= clause[-1].end]
    whole = statement_of(joined, names)
    if whole is None or refusal(whole) is not None or unresolved(whole):
        return None
    return whole


def _claims_of(reader: Reader, sentence: Sentence, tokens: Sequence[Token], cast: Cast) -> Iterator[ClaimDraft]:
    if is_accompanied(tokens):
        tokens = as_one(tokens)
    text = to_third_person(tokens, cast)
    if text is None:
        return
    start, end = sentence.start + tokens[0].start, sentence.start + tokens[-1].end
    whole = annotate(reader.told(text, start, end, "statement"))
    yield whole
    listed = find_list(tokens)
    if listed is None or not _gives_items(tokens, listed, whole):
        return
    for item in listed.items:
        told = to_third_person([*tokens[: listed.start], replace(item[0], space=True), *item[1:]], cast)
        if told is not None:
            draft = annotate(reader.told(told, start, end, "item"))
            yield replace(draft, status=whole.status, valid=whole.valid, negated=whole.negated)


# Items.

_BEFORE_ITEMS: Final = frozenset({Tag.BASE, Tag.PAST, Tag.PARTICIPLE, Tag.PREPOSITION, Tag.AUX, Tag.TO, Tag.GERUND})
_LISTING: Final = word_set("instrument sport likes dislikes read watched allergic_to pet language studies visited")
"""Relations whose lists of two are two facts; in others "a and b" is often one thing."""
_LISTING_VERBS: Final = word_set("collect grow teach sell breed coach practice drink eat")
_ONE_THING: Final = (
    {"mac", "cheese"}, {"rock", "roll"}, {"fish", "chips"}, {"bread", "butter"}, {"arts", "crafts"}, {"drag", "drop"}
)  # fmt: skip
_BINDING: Final = word_set("between of mix both either")


def _gives_items(tokens: Sequence[Token], listed: ItemList, whole: ClaimDraft) -> bool:
    """Whether every item of a list is a statement of its own with the words before it: "I play piano and ..."."""
    lead, end = tokens[: listed.start], listed.end
    if not 2 <= len(lead) <= 7 or lead[0].low not in {"i", "we"} or lead[-1].tag not in _BEFORE_ITEMS:
        return False
    if listed.joined_by == "or" and not whole.negated:
        return False
    if lead[-1].tag is Tag.PARTICIPLE and lead[-2].tag not in (Tag.AUX, Tag.PARTICIPLE, Tag.ADVERB):
        return False  # "canned food, toiletries and clothes"
    if any(t.low in _BINDING or t.tag is Tag.MARK for t in lead):
        return False
    if any(t.tag is Tag.POSSESSIVE for t in listed.items[-1][1:]):
        return False  # "my friends, family and mentors' support"
    if end < len(tokens) and (tokens[end].text in {"'", "’"} or tokens[end].tag in (Tag.NOUN, Tag.NAME)):
        return False
    if len(listed.items) > 2:
        return True
    if any(t.low == "of" for t in listed.items[0]) or {item[-1].low for item in listed.items} in _ONE_THING:
        return False  # "a mix of cardio and weights", "mac and cheese"
    if v.base_of(lead[-1].low) in _LISTING_VERBS:
        return True
    return whole.facet is not None and whole.facet.name in _LISTING


# Names said in passing.

_CALLED: Final = re.compile(
    r"\b[Mm]y (?P<who>(?:(?:best|old|close|older|younger|little|big|new|good|oldest|youngest|late) )?"
    rf"(?:{'|'.join(sorted(RELATIONS | PETS))}))(?:,? (?:named|called|is called|is named|'s name is))?(?:, | )"
    r"(?P<name>[A-Z][a-z]+(?:-[A-Z][a-z]+)?(?: [A-Z][a-z]+)?)\b(?!')"
)


def _names_told(reader: Reader, sentence: Sentence) -> Iterator[ClaimDraft]:
    """What somebody of the speaker's is called: "my dog Max"."""
    for match in _CALLED.finditer(sentence.text):
        if match["name"].lower().split()[0] in NOT_NAMES or fold(match["name"]) in reader.names:
            continue
        text = f"{possessive(reader.name)} {match['who']} is called {match['name']}."
        start, end = sentence.start + match.start(), sentence.start + match.end()
        yield annotate(reader.told(text, start, end, "name"))
