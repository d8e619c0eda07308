"""What may answer a question: claims and sentences of the recalled messages, with how well each is supported."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from trajwiki.answering.asked import Asked
from trajwiki.domain.claims import Claim, ClaimDraft, ClaimKind, Facet, Status
from trajwiki.domain.evidence import Evidence, Recall
from trajwiki.domain.messages import Message
from trajwiki.domain.state import SpaceState
from trajwiki.domain.times import TimeSpan
from trajwiki.language.foreign import is_foreign
from trajwiki.language.tokens import fold, keywords, stem
from trajwiki.memory.annotation import valid_time
from trajwiki.memory.extraction import extract_claims
from trajwiki.memory.reader import BELIEVED, addresses_a_machine, own_sentences

PLACE: Final = 0.36  # share of the support that the rank of the message gives
SHORT: Final = 400  # characters of a message up to which its rank says as much of each of its sentences
LONG: Final = 800  # characters beyond which it says little
YIELDS: Final = 0.8  # share of PLACE and STATED that goes to the sentence's own words there
STATED: Final = 0.18  # share that being a claim gives, rather than a sentence as it was said
OWN: Final = 0.14  # share that the question's words in the sentence give
VERB: Final = 0.12  # share that the question's verb gives
REPLY: Final = 0.10  # share that the question's words in a question just before it give
NAMED: Final = 0.15  # share that the names in the question give
NOUN: Final = 0.06  # share that the thing asked for gives: "what car"
THEN: Final = 0.15  # more for what was said on, or speaks of, a day that the question names
FACET: Final = 0.10  # share that a wanted relation gives
BEFORE: Final = 0.20  # more for what is no longer true, where a question asks how things were
IMAGE: Final = 0.5  # what a caption is worth beside words that were said
PLAIN: Final = 2  # keys of a question that asks for a relation and nothing more: "Where does Ann live?"
RELATED: Final = 0.3  # certainty that a claim of the right person with a wanted relation gives by itself
OTHERS: Final = 0.7  # how much a better fit about somebody else speaks against an answer
READ: Final = 24  # messages, best first, whose sentences are looked at
_SHOWN: Final = re.compile(r"\bshared an? (?:photo|image|picture)")
_YOURS: Final = re.compile(r"\b(?:you|your|yours|you're|you've)\b", re.IGNORECASE)
_MINE: Final = re.compile(r"\b(?:i|my|me|mine|we|our|us|i'm|i've|we're|we've)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A claim on a recalled message, or a sentence of one.

    Attributes:
        claim_id: Empty for a sentence, and for a claim whose exchange is still open.
        text, subject, kind, facet, valid, negated, terms: Of the claim; a sentence is about who said it.
        status: Now.
        quote: The words in the message.
        evidence: The message.
        stated: Whether it is a claim.
        support: In [0, 1]: how well it fits the question.
        own: In [0, 1]: the part of the question's words, by weight, that it holds itself.
        reply: In [0, 1]: the part that it does not hold and a question just before it does.
        near: In [0, 1]: the part that neither holds and its message does.
        focus: In [0, 1]: the part of its words that are the question's.
        facet_fits: It has a facet that the question asks for.
    """

    claim_id: str
    text: str
    subject: str
    kind: ClaimKind
    facet: Facet | None
    valid: TimeSpan | None
    negated: bool
    terms: tuple[str, ...]
    status: Status
    quote: str
    evidence: Evidence
    stated: bool = True
    support: float = 0.0
    own: float = 0.0
    reply: float = 0.0
    near: float = 0.0
    focus: float = 0.0
    facet_fits: bool = False


def candidates(recall: Recall, state: SpaceState, asked: Asked) -> tuple[list[Candidate], float]:
    """Give what on the recalled messages is about the right person, and how surely the question is about that.

    Returns:
        The candidates, best supported first, and the certainty: the share of the question's words that one of them
        holds, less OTHERS of what something about somebody else holds.
    """
    found = [*_stored(recall, state), *_unread(recall, state), *_sentences(recall, state)]
    before = {e.message_id: _asked_before(e, state) for e in recall.evidence}
    scored = [_scored(c, asked, before[c.evidence.message_id]) for c in found]
    about = [c for c in scored if _is_about(c, asked) and _knows_names(c, asked, state)]
    others = max((c.own for c in scored if not _is_about(c, asked)), default=0.0)
    certainty = max((c.own for c in about), default=0.0) - OTHERS * others
    plain = len(asked.keys) <= PLAIN or is_foreign(asked.question)
    if asked.doers and plain and any(c.facet_fits for c in about):
        certainty = max(certainty, RELATED)
    return sorted(about, key=lambda c: (-c.support, -c.evidence.score, not c.stated, c.text)), certainty


def _stored(recall: Recall, state: SpaceState) -> Iterator[Candidate]:
    for evidence in recall.evidence:
        for claim_id in evidence.claim_ids:
            claim = state.claims[claim_id]
            quote = next(s.quote for s in state.sources[claim_id] if s.quote.message_id == evidence.message_id)
            yield _candidate(claim_id, claim, state.status[claim_id], quote.text, evidence)


def _unread(recall: Recall, state: SpaceState) -> Iterator[Candidate]:
    """Claims of messages whose exchange is still open: read on the fly, kept nowhere."""
    for evidence in recall.evidence:
        if evidence.snapshot_id is None:
            message = state.messages[evidence.message_id]
            drafts, _ = extract_claims([message], speakers=list(state.speakers), previous=None)
            yield from (_candidate("", d, d.status, d.quote.text, evidence) for d in drafts)


def _candidate(claim_id: str, c: Claim | ClaimDraft, status: Status, quote: str, evidence: Evidence) -> Candidate:
    return Candidate(
        claim_id=claim_id,
        text=c.text,
        subject=c.subject,
        kind=c.kind,
        facet=c.facet,
        valid=c.valid,
        negated=c.negated,
        terms=c.terms,
        status=status,
        quote=quote,
        evidence=evidence,
    )


def _sentences(recall: Recall, state: SpaceState) -> Iterator[Candidate]:
    """The sentences of the best messages that state something, for what no claim took up.

    A message all of whose claims are no longer true gives none.
    """
    best = sorted(recall.evidence, key=lambda e: -e.score)[:READ]
    for evidence in best:
        message = state.messages[evidence.message_id]
        if message.role not in BELIEVED or evidence.superseded:
            continue
        over = [
            s.quote
            for c in evidence.claim_ids
            if state.status[c] is not Status.ACTIVE
            for s in state.sources[c]
            if s.quote.message_id == message.id
        ]
        for sentence in own_sentences(message.text):
            text = sentence.text
            overlaps = any(
                q.start < sentence.start + len(text) and sentence.start < q.start + len(q.text) for q in over
            )
            if overlaps or text.endswith("?") or not 2 < len(text.split()) <= 60 or addresses_a_machine(text):
                continue
            yield Candidate(
                claim_id="",
                text=text,
                subject=_spoken_of(text, message, state),
                kind=ClaimKind.FACT,
                facet=None,
                valid=None,
                negated=False,
                terms=(),
                status=Status.ACTIVE,
                quote=text,
                evidence=evidence,
                stated=False,
            )


def _spoken_of(text: str, message: Message, state: SpaceState) -> str:
    """Who a sentence is about: who said it, or the only other speaker where it speaks to that one alone."""
    if _YOURS.search(text) and not _MINE.search(text):
        others = [s for s in state.speakers if s != message.speaker]
        return others[0] if len(others) == 1 else ""
    return message.speaker


def _is_about(candidate: Candidate, asked: Asked) -> bool:
    """What is said about somebody else, even where it names the person asked about, is no answer."""
    if not asked.doers:
        return True
    subject = fold(candidate.subject)
    return any(s in subject for s in asked.doers)


def _knows_names(c: Candidate, asked: Asked, state: SpaceState) -> bool:
    """Whether one of the names in the question, if any, is said near by: in the message or those next to it."""
    if not asked.names or c.facet_fits:
        return True
    message = state.messages[c.evidence.message_id]
    session = state.sessions[message.source, message.session]
    at = session.index(message.id)
    near = " ".join(state.messages[i].content for i in session[max(0, at - 2) : at + 3])
    return bool(set(asked.names) & set(keywords(near)))


def _asked_before(evidence: Evidence, state: SpaceState) -> frozenset[str]:
    """Stems of the message before, when it is somebody else's and asks something."""
    message = state.messages[evidence.message_id]
    session = state.sessions[message.source, message.session]
    at = session.index(message.id)
    before = state.messages[session[at - 1]] if at else None
    if before is None or before.speaker == message.speaker or "?" not in before.text:
        return frozenset()
    return frozenset(keywords(before.text))


def _scored(c: Candidate, asked: Asked, before: frozenset[str]) -> Candidate:
    held = set(keywords(c.text)) | (set(keywords(c.facet.name.replace("_", " "))) if c.facet else set())
    weights = asked.weights
    whole = sum(weights.values()) or 1.0
    own = sum(w for k, w in weights.items() if k in held) / whole
    reply = sum(w for k, w in weights.items() if k not in held and k in before) / whole
    message = frozenset(keywords(c.evidence.text))
    near = sum(w for k, w in weights.items() if k not in held and k not in before and k in message) / whole
    fits = c.facet is not None and c.facet.name in asked.shape.facets
    verb = bool(asked.verb) and stem(asked.verb) in held
    yields = YIELDS * min(1.0, max(0.0, (len(c.evidence.text) - SHORT) / LONG))
    support = (1 - yields) * (PLACE * c.evidence.score + STATED * c.stated) + (OWN + yields * (PLACE + STATED)) * own
    support += VERB * verb + REPLY * reply + FACET * fits
    named = sum(k in held for k in asked.names) / len(asked.names) if asked.names else 0.0
    support += NAMED * named + NOUN * (bool(asked.noun) and asked.noun in held) + THEN * _is_then(c, asked)
    if fits and asked.shape.past and c.status is Status.DEPRECATED:
        support += BEFORE
    if _SHOWN.search(c.text) and not asked.image:
        support *= IMAGE
    return replace(
        c,
        support=round(min(support, 1.0), 4),
        own=round(own, 4),
        reply=round(reply, 4),
        near=round(near, 4),
        focus=round(len(held & weights.keys()) / max(1, len(held)), 4),
        facet_fits=fits,
    )


def _is_then(c: Candidate, asked: Asked) -> bool:
    """Whether a question names a time in which a candidate was said, or of which it speaks."""
    spans = [m.span for m in asked.shape.times if m.span is not None and not m.relative]
    said = c.evidence.timestamp
    if not spans:
        return False
    if said is not None and any(span.contains(said.date()) for span in spans):
        return True
    own = c.valid
    return own is not None and any((day := own.start or own.end) is not None and span.contains(day) for span in spans)


def time_of(c: Candidate) -> TimeSpan | None:
    """Give the time that a candidate speaks of."""
    return c.valid if c.stated else valid_time(c.text, c.evidence.timestamp)


def best_per_message(found: Sequence[Candidate]) -> list[Candidate]:
    """Give the best candidate of each message, in order."""
    seen: dict[str, Candidate] = {}
    for c in found:
        seen.setdefault(c.evidence.message_id, c)
    return list(seen.values())
