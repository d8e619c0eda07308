"""The claims that may answer a question, with how well each is supported."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from trajwiki.domain.claims import Claim, ClaimDraft, ClaimKind, Facet, Status
from trajwiki.domain.evidence import Evidence, Recall
from trajwiki.domain.state import SpaceState
from trajwiki.domain.times import TimeSpan
from trajwiki.language.tokens import fold, keywords
from trajwiki.memory.extraction import extract_claims
from trajwiki.retrieval.shape import Shape

FACET: Final = 0.25  # share of the support that a wanted facet gives
WORDS: Final = 0.40  # share that the question's words give
FOCUS: Final = 0.08  # share that saying little else gives
PLACE: Final = 0.35  # share that the rank of the message gives
BEFORE: Final = 0.20  # more for what is no longer true, where a question asks how things were
IMAGE: Final = 0.5  # what a caption is worth beside words that were said
_IMAGE: Final = re.compile(r"\bshared an? (?:photo|image|picture)")
_ASKS_IMAGE: Final = re.compile(r"\b(?:photo|picture|image|painting|show(?:ed|n)?|shared?|poster)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A claim on a recalled message.

    Attributes:
        claim_id: Empty when its exchange is still open.
        text, subject, kind, facet, valid, negated, terms: Of the claim.
        status: Now.
        quote: The words in the message.
        evidence: The message.
        support: In [0, 1]: how well it fits the question.
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
    support: float = 0.0
    facet_fits: bool = False


def candidates(recall: Recall, state: SpaceState, shape: Shape) -> list[Candidate]:
    """Give the claims on the recalled messages that are about the right person, best supported first."""
    found = _stored(recall, state) + _unread(recall, state)
    weights = _weights(found, shape)
    places = _places(found, state)
    scored = [_scored(c, recall.question, shape, weights, places) for c in found if _is_about(c, shape)]
    return sorted(scored, key=lambda c: (-c.support, -c.evidence.score, c.text))


def _stored(recall: Recall, state: SpaceState) -> list[Candidate]:
    out = []
    for evidence in recall.evidence:
        for claim_id in evidence.claim_ids:
            claim = state.claims[claim_id]
            quote = next(s.quote for s in state.sources[claim_id] if s.quote.message_id == evidence.message_id)
            out.append(_candidate(claim_id, claim, state.status[claim_id], quote.text, evidence))
    return out


def _unread(recall: Recall, state: SpaceState) -> list[Candidate]:
    """Claims of messages whose exchange is still open: read on the fly, kept nowhere."""
    out = []
    for evidence in recall.evidence:
        if evidence.snapshot_id is None:
            message = state.messages[evidence.message_id]
            drafts, _ = extract_claims([message], speakers=list(state.speakers), previous=None)
            out += [_candidate("", d, d.status, d.quote.text, evidence) for d in drafts]
    return out


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


def _is_about(candidate: Candidate, shape: Shape) -> bool:
    """A claim about somebody else, even one that names the person asked about, is no answer."""
    if not shape.subject_speakers:
        return True
    subject = fold(candidate.subject)
    return any(fold(s) in subject for s in shape.subject_speakers)


def _weights(found: Sequence[Candidate], shape: Shape) -> dict[str, float]:
    df = Counter(k for c in found for k in set(keywords(c.text)))
    return {k: math.log(1 + (len(found) + 1) / (df[k] + 0.5)) for k in shape.keywords}


def _places(found: Sequence[Candidate], state: SpaceState) -> dict[str, float]:
    """Give the place of each claim's message; what replaced a claim that was found stands no lower than that."""
    places: dict[str, float] = {}
    for c in found:
        places[c.claim_id] = max(places.get(c.claim_id, 0.0), c.evidence.score)
    return {
        c: max([place, *(places.get(o, 0.0) for o in state.revisions_of.get(c, ()) if not state.is_current(o))])
        for c, place in places.items()
    }


def _scored(
    c: Candidate, question: str, shape: Shape, weights: dict[str, float], places: dict[str, float]
) -> Candidate:
    held = set(keywords(c.text)) | (set(keywords(c.facet.name.replace("_", " "))) if c.facet else set())
    whole = sum(weights.values())
    words = sum(w for k, w in weights.items() if k in held) / whole if whole else 0.0
    fits = c.facet is not None and c.facet.name in shape.facets
    focus = len(held & weights.keys()) / len(held) if held else 0.0
    support = FACET * fits + WORDS * words + FOCUS * focus + PLACE * max(c.evidence.score, places[c.claim_id])
    if fits and shape.past and c.status is Status.DEPRECATED:
        support += BEFORE
    if _IMAGE.search(c.text) and not _ASKS_IMAGE.search(question):
        support *= IMAGE
    return replace(c, support=round(min(support, 1.0), 4), facet_fits=fits)
