"""From a third-person sentence to a claim: its subject, relation, kind, time, names and terms."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import Final

from trajwiki.domain.claims import ClaimDraft, ClaimKind, Facet, Quote, Status
from trajwiki.domain.times import TimeSpan, day_of
from trajwiki.language import verbs as v
from trajwiki.language.entities import entities_of
from trajwiki.language.facets import read_facet, read_inverted
from trajwiki.language.lexicon import EVALUATIVE, FEELINGS, PERSON_SINGULAR, VAGUE
from trajwiki.language.persons import possessive
from trajwiki.language.tagging import tag
from trajwiki.language.times import find_times
from trajwiki.language.tokenizing import FINITE, Tag, Token, render
from trajwiki.language.tokens import fold
from trajwiki.memory.claim_kinds import affirm, is_called_off, is_doubtful, kind_of, plan_in, replaced_value

MAX_TERMS: Final = 8
MAX_TERM_WORDS: Final = 4
MAX_SUBJECT_WORDS: Final = 8  # after the name


@dataclass(frozen=True, slots=True)
class Told:
    """A sentence of a speaker in the third person, with its source.

    Attributes:
        text: The third-person sentence.
        quote: Where it stands.
        speaker: Display name of who said it.
        names: Folded names of those who take part.
        said_at: When it was said.
        rule: What read it.
        sentence: The whole sentence in which the quote stands, where that is longer.
    """

    text: str
    quote: Quote
    speaker: str
    names: frozenset[str]
    said_at: datetime | None
    rule: str = "rule"
    sentence: str = ""


def annotate(told: Told, *, said: str | None = None) -> ClaimDraft:
    """Give the claim that a told sentence makes.

    Args:
        told: The sentence with its source.
        said: Where the sentence is "X said: ...", the words between the quotes, which hold the names and terms.
    """
    read = tag(told.text, told.names)
    tokens = read if said is None else tag(said, told.names)
    source = fold(told.quote.text)
    subject, predicate = split_subject(told.text, told.speaker, read)
    affirmed, negated = affirm(predicate)
    reading = read_inverted(told.text) or read_facet(subject, affirmed)
    facet = _in_source(reading.facet, source) if reading else None
    replaces = replaced_value(told.quote.text) or replaced_value(told.sentence)
    if replaces is not None and fold(replaces) in fold(predicate) and not replaced_value(told.quote.text):
        replaces = None  # it is another clause that puts something right
    kind = ClaimKind.CORRECTION if replaces is not None else kind_of(affirmed, facet, told.text)
    if facet is None and kind is ClaimKind.PLAN:
        facet = plan_in(affirmed, source)
    return ClaimDraft(
        text=told.text,
        quote=told.quote,
        subject=(reading.subject if facet and reading else None) or subject,
        kind=kind,
        facet=facet,
        valid=valid_time(told.quote.text, told.said_at, plan=kind is ClaimKind.PLAN),
        status=Status.NEEDS_CONFIRMATION if is_doubtful(told.text) else Status.ACTIVE,
        entities=tuple(_entities(tokens, told, source)),
        terms=terms_in(tokens, told, facet),
        negated=negated or is_called_off(predicate),
        replaces=replaces,
        decided_by=told.rule,
    )


def _in_source(facet: Facet, source: str) -> Facet | None:
    """The facet with a value that the source holds word for word, if need be without its article."""
    article, _, bare = facet.value.partition(" ")
    values = (facet.value, bare) if article.lower() in {"the", "a", "their"} else (facet.value,)
    return next((Facet(facet.name, value) for value in values if value and fold(value) in source), None)


# Subject.


def split_subject(text: str, speaker: str, tokens: Sequence[Token]) -> tuple[str, str]:
    """Give whom a sentence is about, and the rest of it.

    The subject is what the speaker has ("Melanie's son") where the sentence begins with that, else the speaker.

    Args:
        text: A third-person sentence.
        speaker: Display name of who said it.
        tokens: The sentence, tagged.
    """
    name = speaker[0].upper() + speaker[1:]
    if text.startswith(possessive(name) + " "):
        return _possession(text, name, tokens, 0)
    opened = text.find(f" {possessive(speaker)} ") + 1
    if 0 < opened <= 20 and all(t.tag in (Tag.ADVERB, Tag.MARK) for t in tokens if t.start < opened):
        return _possession(text, speaker, tokens, opened)
    if text.startswith(name + " "):
        rest = text[len(name) + 1 :]
        company = _COMPANY.match(rest)
        return name, rest[company.end() :] if company else rest
    _, comma, rest = text.partition(", ")
    if comma and rest.startswith(name + " "):
        return name, rest[len(name) + 1 :]
    at = text.find(f" {speaker} ")
    if 0 < at <= 20 and not any(t.tag in FINITE for t in tokens if t.start < at):
        return name, text[at + len(speaker) + 2 :]  # "Yesterday Melanie went"
    if speaker in text:
        return name, text
    verb = next((t for i, t in enumerate(tokens) if i and t.tag in FINITE), None)
    return (text[: verb.start].strip(), text[verb.start :]) if verb and verb.start else (name, text)


_COMPANY: Final = re.compile(r"and (?:their \w+|others|[A-Z]\w+|some friends|a friend|friends|\w+) ")


def _possession(text: str, name: str, tokens: Sequence[Token], at: int) -> tuple[str, str]:
    """The subject "Melanie's son" and what is said of it."""
    own = at + len(possessive(name))
    inside = [i for i, t in enumerate(tokens) if t.start > own]
    verb = next((i for i in inside if tokens[i].tag in FINITE), None)
    if verb is None or verb == inside[0]:
        return name, text
    last = verb - 1
    while last > inside[0] and tokens[last].tag is Tag.ADVERB:
        last -= 1
    phrase = tokens[inside[0] : last + 1]
    joint = next((i for i, t in enumerate(phrase) if t.tag is Tag.COORDINATOR), 0)
    if joint and phrase[joint - 1].low in PERSON_SINGULAR:  # "Melanie's brother and Lily"
        phrase, last = phrase[:joint], inside[0] + joint - 1
    if len(phrase) > MAX_SUBJECT_WORDS or any(t.tag in (Tag.MARK, Tag.COORDINATOR, Tag.SUBORDINATOR) for t in phrase):
        return name, text
    return text[at : tokens[last].end], text[tokens[verb].start :].strip()


# Time.


def valid_time(source: str, said_at: datetime | None, *, plan: bool = False) -> TimeSpan | None:
    """Give the time that the main verb of a sentence speaks of, or None.

    Times inside a relative clause or an opening "after losing ..." belong to something else.
    """
    mentions = [m for m in find_times(source, said_at) if m.span is not None]
    if not mentions:
        return None
    own = [m for m in mentions if not _belongs_elsewhere(source, m.start)]
    if len(own) > 1 and _MOVED_FROM.search(source[: own[0].start]) and _TO.search(source[: own[1].start]):
        own = own[1:]  # "moved from Saturday to Sunday"
    today = day_of(said_at)
    if plan and today is not None:
        own = [m for m in own if m.span and (m.span.end is None or m.span.end >= today)] or own
    return own[0].span if own else None


_MOVED_FROM: Final = re.compile(
    r"\b(?:moved|pushed|postponed|rescheduled|changed|switched|shifted) (?:\w+ ){0,4}from (?:the )?\Z", re.IGNORECASE
)
_TO: Final = re.compile(r" to (?:the )?\Z")
_RELATIVE: Final = re.compile(r"(?:\b\w+ (?:that|which|who|whom|whose)\b|\bwhere\b|\bthan\b)[^,]*\Z", re.IGNORECASE)
_OPENING: Final = re.compile(r"\s*(?:after|before|since)\s+\w+ing\b[^,]*\Z", re.IGNORECASE)


def _belongs_elsewhere(source: str, at: int) -> bool:
    before = source[:at]
    return bool(_RELATIVE.search(before)) or bool(_OPENING.match(before))


# Names and terms.


def _entities(tokens: Sequence[Token], told: Told, source: str) -> Iterable[str]:
    for name in entities_of(tokens, told.names):
        bare = name.removesuffix("'s")
        if fold(bare) in source or fold(bare) in told.names or fold(bare) == fold(told.speaker):
            yield bare


def terms_in(tokens: Sequence[Token], told: Told, facet: Facet | None = None) -> tuple[str, ...]:
    """Give the exact terms by which a claim may be found: its value and its noun phrases, all held by the quote.

    Args:
        tokens: The sentence, tagged.
        told: It with its source.
        facet: Its relation, if any.
    """
    source = fold(told.quote.text)
    found = {fold(facet.value): facet.value} if facet is not None else {}
    for phrase in noun_phrases(tokens):
        key = fold(phrase)
        if key in source and key not in told.names and key != fold(told.speaker):
            found.setdefault(key, phrase)
    return tuple(found.values())[:MAX_TERMS]


_LIGHT: Final = VAGUE | EVALUATIVE | FEELINGS


def noun_phrases(tokens: Sequence[Token]) -> list[str]:
    """Give the content noun phrases and activities of a tagged sentence: "pottery class", "two loaves", "swimming"."""
    progressive = {b.low for a, b in pairwise(tokens) if a.tag in (Tag.AUX, Tag.ADVERB) or a.low == "been"}
    runs: list[list[Token]] = [[]]
    for token in tokens:
        if _continues(token, runs[-1]):
            runs[-1].append(token)
        else:
            runs.append([token] if _continues(token, []) else [])
    phrases = (_phrase(run, progressive) for run in runs if run)
    return [p for p in phrases if len(p) > 2]


def _phrase(run: Sequence[Token], progressive: set[str]) -> str:
    """The words of a run that name something; empty when it names nothing."""
    last = run[-1]
    if last.tag not in (Tag.NOUN, Tag.NAME, Tag.QUOTED, Tag.GERUND) or all(t.low in _LIGHT for t in run):
        return ""
    if len(run) == 1 and last.tag is Tag.GERUND and (v.base_of(last.low) in _LIGHT or last.low in progressive):
        return ""
    kept = list(run[-MAX_TERM_WORDS:])
    while len(kept) > 1 and kept[0].low in _LIGHT:
        del kept[0]
    return render(kept).strip(" \"'“”")


def _continues(token: Token, run: Sequence[Token]) -> bool:
    if token.tag is Tag.QUOTED or token.tag is Tag.GERUND:
        return not run
    if token.tag in (Tag.NOUN, Tag.NAME):
        return token.text[0].isalnum() or token.text[0] in "#@"
    return (
        token.tag in (Tag.ADJECTIVE, Tag.NUMBER)
        and token.tag not in FINITE
        and (not run or run[-1].tag in (Tag.ADJECTIVE, Tag.NUMBER))
    )
