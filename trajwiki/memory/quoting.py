"""Statements kept in the speaker's own words, where telling them in the third person would not be safe."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

from trajwiki.domain.claims import ClaimDraft, ClaimKind, Facet, Status
from trajwiki.language import foreign
from trajwiki.language.entities import MONTHS, NOT_NAMES, find_entities
from trajwiki.language.sentences import Sentence, split_clauses, split_sentences
from trajwiki.language.tagging import tag
from trajwiki.language.tokenizing import Tag, Token
from trajwiki.language.tokens import fold
from trajwiki.memory.annotation import annotate, terms_in
from trajwiki.memory.claim_kinds import replaced_value
from trajwiki.memory.cues import amounts, announces, hearsay_in, intends, puts_right
from trajwiki.memory.reader import BELIEVED, Reader, addresses_a_machine, own_sentences
from trajwiki.memory.references import unresolved
from trajwiki.memory.refusals import (
    NO_ANSWER,
    UNQUOTABLE,
    concrete_words,
    has_no_verb,
    is_imperative,
    is_question,
    refusal,
    speaks_to_the_other,
)  # fmt: skip
from trajwiki.memory.short_answers import short_answer
from trajwiki.memory.stripping import strip_closing, strip_opening
from trajwiki.memory.subjects import supply_subject

MAX_QUOTED_WORDS: Final = 40
MAX_ASKED_WORDS: Final = 25
MAX_NOTE_WORDS: Final = 15


def quoted(reader: Reader, sentence: Sentence, *, rule: str, question: str = "") -> ClaimDraft:
    """Give the claim that somebody said this: ``Ana said: "Vivo en Lisboa."``.

    Args:
        reader: Of the message.
        sentence: A stretch of its body.
        rule: Why it is quoted.
        question: What it answers, where it says nothing without that.
    """
    inner = _inner(sentence.text)
    inner = inner[0].upper() + inner[1:]
    inner = inner if inner.rstrip("'\"”’")[-1:] in (*".!?…。！？",) else inner + "."
    text = f'{reader.name} said: "{inner}"'
    if question:
        text = f'Asked "{_inner(question)}", {reader.cast.speaker} said: "{inner}"'
    told = reader.told(text, sentence.start, sentence.start + len(sentence.text), rule)
    draft = annotate(told, said=sentence.text)
    kind = ClaimKind.CORRECTION if draft.replaces else ClaimKind.PLAN if intends(inner) else ClaimKind.FACT
    return replace(draft, subject=reader.name, facet=None, kind=kind, negated=False)


def _inner(text: str) -> str:
    """A text as it can stand between double quotes, on one line."""
    return " ".join(text.replace('"', "'").replace("“", "'").replace("”", "'").split())


def quote_order(reader: Reader, sentence: Sentence) -> Iterator[ClaimDraft]:
    """Give words that address a machine as what they are: something somebody said."""
    draft = quoted(reader, sentence, rule="instruction")
    yield replace(draft, instruction_like=True, kind=ClaimKind.FACT, replaces=None)


def quote_foreign(reader: Reader, sentence: Sentence) -> Iterator[ClaimDraft]:
    """Give a statement in another language as a quote, and the plain facts that can be read from it."""
    if not foreign.is_foreign_statement(sentence.text):
        return
    yield quoted(reader, sentence, rule="foreign")
    for fact in foreign.foreign_facts(sentence.text):
        text = fact.form.format(name=reader.name, value=fact.value)
        draft = annotate(reader.told(text, sentence.start + fact.start, sentence.start + fact.end, "foreign"))
        yield replace(draft, subject=reader.name, facet=Facet(fact.facet, fact.value), terms=(fact.value,))


def preserve(reader: Reader, sentence: Sentence, before: Sentence | None) -> Iterator[ClaimDraft]:
    """Give a sentence with a name, title, month or count that no claim took up, where it can be read alone.

    Where it points back, the sentence before it goes into the quote as well.
    """
    if replaced_value(sentence.text) is not None and not sentence.text.endswith("?"):
        yield quoted(reader, sentence, rule="correction")
        return
    if puts_right(sentence.text) and not _asks(sentence):
        yield replace(quoted(reader, sentence, rule="correction"), kind=ClaimKind.CORRECTION)
        return
    tokens = _statement_tokens(reader, sentence)
    if tokens is not None and announces(sentence.text):
        yield quoted(reader, _from(sentence, tokens), rule="arranged")
        return
    heard = hearsay_in(sentence.text)
    if tokens is not None and heard and not unresolved(tag(heard, reader.names)):
        yield replace(quoted(reader, _from(sentence, tokens), rule="heard"), status=Status.NEEDS_CONFIRMATION)
        return
    if tokens is None or any(rule(tokens) for rule in UNQUOTABLE) or not _has_surface(reader, sentence.text, tokens):
        return
    kept = _joined(reader, before, sentence) if unresolved(tokens) else _from(sentence, tokens)
    if kept is not None:
        yield quoted(reader, kept, rule="preserved")


def quote_arrangement(reader: Reader, sentence: Sentence, told: Sequence[ClaimDraft]) -> Iterator[ClaimDraft]:
    """Give the clauses about times, amounts and cancellations of something that the claims of a sentence left out."""
    if not told or not (announces(sentence.text) or amounts(sentence.text)):
        return
    covered = [(d.quote.start - sentence.start, d.quote.start - sentence.start + len(d.quote.text)) for d in told]
    for clause in split_clauses(tag(sentence.text, reader.names)):
        start, end = clause[0].start, clause[-1].end
        if any(a < end and start < b for a, b in covered):
            continue
        text = sentence.text[start:end]
        if announces(text) or amounts(text):
            yield quoted(reader, Sentence(text, sentence.start + start), rule="arranged")


def _statement_tokens(reader: Reader, sentence: Sentence) -> list[Token] | None:
    """The tokens of a sentence that states something, without its opening; None for questions and calls."""
    tokens = strip_opening(tag(sentence.text, reader.names), reader.names)
    if _asks(sentence) or not tokens or not 4 <= len(sentence.text.split()) <= MAX_QUOTED_WORDS:
        return None
    if is_question(tokens) or is_imperative(tokens) or has_no_verb(tokens):
        return None
    return tokens


def _asks(sentence: Sentence) -> bool:
    return sentence.text.rstrip("\"'”)").endswith("?")


def _from(sentence: Sentence, tokens: Sequence[Token]) -> Sentence:
    """The sentence from its first statement token on."""
    return Sentence(sentence.text[tokens[0].start :], sentence.start + tokens[0].start)


def _has_surface(reader: Reader, text: str, tokens: Sequence[Token]) -> bool:
    """Whether a sentence holds a name of somebody else, a title, a month, or a number of things."""
    found = (fold(e) for e in find_entities(text, reader.names))
    if any(e not in reader.names and not reader.names & set(e.split()) for e in found):
        return True
    if len(tokens) > 2 and tokens[1].tag is Tag.PAST and _may_be_called(tokens[0]):
        return True
    if any(t.low in MONTHS for t in tokens):
        return True
    return any(a.tag is Tag.NUMBER and a.low != "one" and b.tag is Tag.NOUN for a, b in pairwise(tokens))


def _may_be_called(token: Token) -> bool:
    """Whether the first word of a sentence may be a name: "Pepper died"."""
    return token.tag in (Tag.NOUN, Tag.NAME) and token.text[0].isupper() and token.low not in NOT_NAMES


def _joined(reader: Reader, before: Sentence | None, sentence: Sentence) -> Sentence | None:
    """A sentence with the one before it, which says what it points at; None when that does not help."""
    if before is None or "\n" in reader.body[before.start : sentence.start]:
        return None
    tokens = _statement_tokens(reader, before)
    if tokens is None or unresolved(tokens) or speaks_to_the_other(tokens):
        return None
    start = before.start + tokens[0].start
    whole = Sentence(reader.body[start : sentence.start + len(sentence.text)], start)
    return whole if len(whole.text.split()) <= MAX_QUOTED_WORDS else None


def quote_note(reader: Reader, sentence: Sentence) -> Iterator[ClaimDraft]:
    """Give a line of a note to oneself ("Errands: Pick up the parcel. Call the plumber.") as it stands."""
    if not _NOTE.match(reader.body) or "?" in reader.body or not 3 <= len(sentence.text.split()) <= MAX_NOTE_WORDS:
        return
    tokens = tag(sentence.text, reader.names)
    if not any(t.low in {"you", "your", "thanks"} for t in tokens) and concrete_words(tokens):
        yield replace(quoted(reader, sentence, rule="note"), kind=ClaimKind.PLAN)


_NOTE: Final = re.compile(r"\s*[A-Z][\w &/'-]{2,30}: [A-Z]")


# Answers to the message before.


def answer(reader: Reader) -> Iterator[ClaimDraft]:
    """Give the statement that a message makes together with the question before it ("How old are you?" - "30")."""
    asked = reader.previous
    if asked is None or asked.speaker == reader.message.speaker or "?" not in asked.text:
        return
    found = short_answer(asked.text, own_sentences(reader.body), reader.cast.speaker)
    if found is not None:
        yield annotate(reader.told(found.text, found.start, found.end, "answer"))


def quote_answer(reader: Reader, sentence: Sentence, before: Sentence | None) -> Iterator[ClaimDraft]:
    """Give the first words of a message with its question, where they hold a name or number and need it."""
    asked = reader.previous
    first = before is None or len(before.text.split()) <= 3
    if not first or _asks(sentence) or asked is None or asked.role not in BELIEVED:
        return
    question = next((s.text for s in reversed(split_sentences(asked.text)) if s.text.endswith("?")), "")
    tokens = strip_opening(tag(sentence.text, reader.names), reader.names)
    if asked.speaker == reader.message.speaker or not question or not tokens or addresses_a_machine(question):
        return
    if max(len(sentence.text.split()), len(question.split())) > MAX_ASKED_WORDS:
        return
    if _needs_more(question, tokens, reader):
        return
    if any(rule(tokens) for rule in NO_ANSWER) or (len(tokens) < 3 and tokens[0].low[:3] in reader.names):
        return
    if _has_surface(reader, sentence.text, tokens) or _states_something(reader, tokens):
        yield quoted(reader, _from(sentence, tokens), rule="asked", question=question)


_CHECKS_BACK: Final = re.compile(r"\b(?:right|huh|eh|yeah|isn't it|doesn't it|don't you)\s*\?\Z", re.IGNORECASE)


def _needs_more(question: str, answer: Sequence[Token], reader: Reader) -> bool:
    """Whether a question only checks, or points back like its answer, and neither names anything."""
    if _CHECKS_BACK.search(question):
        return True
    asked = tag(question, reader.names)
    if any(t.tag in (Tag.NAME, Tag.QUOTED) and t.low not in reader.names for t in (*asked, *answer)):
        return False
    return any(t.low in _POINTING for t in asked) and any(t.low in _POINTING and t.tag is Tag.PRONOUN for t in answer)


_POINTING: Final = frozenset({"it", "that", "this", "them", "they", "those", "these", "its", "their"})


def _states_something(reader: Reader, tokens: Sequence[Token]) -> bool:
    """Whether a sentence would be a claim if it did not point at what was asked about."""
    stated = supply_subject(strip_closing(tokens, reader.names))
    refused = refusal(stated) if stated else "empty"
    return refused is None or (refused == "no-anchor" and stated is not None and len(concrete_words(stated)) > 1)


# Images.

_IMAGE: Final = re.compile(
    r"(?:an? |the )?(?:photo|photography|photograph|picture|image|screenshot|painting|drawing|close up|sketch|poster"
    r"|video)\b",
    re.IGNORECASE,
)
_IMAGE_WORDS: Final = frozenset({"photo", "photography", "photograph", "picture", "image"})


def tell_caption(reader: Reader) -> Iterator[ClaimDraft]:
    """Give what a message shows: "Melanie shared a photo of a lake."."""
    caption = (reader.message.caption or "").strip()
    at = reader.message.content.rfind(caption) if caption else -1
    if at < 0 or not any(c.isalpha() for c in caption) or len(caption) > MAX_ASKED_WORDS * 20:
        return
    shown = " ".join(caption.split()).rstrip(" .")
    shown = re.sub(r"^a photography of", "a photograph of", shown)
    if not _IMAGE.match(shown):
        shown = f"an image of {shown}"
    told = reader.told(f"{reader.name} shared {shown}.", at, at + len(caption), "image")
    terms = tuple(t for t in terms_in(tag(caption, reader.names), told) if fold(t) not in _IMAGE_WORDS)
    yield ClaimDraft(told.text, told.quote, reader.name, ClaimKind.EVENT, terms=terms, decided_by=told.rule)
