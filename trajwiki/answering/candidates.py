"""The claims that may answer a question, with how well each is supported."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from trajwiki.domain.claims import Claim, ClaimDraft, ClaimKind, Facet, Status
from trajwiki.domain.evidence import Evidence, Recall
from trajwiki.domain.state import SpaceState
from trajwiki.domain.times import TimeSpan
from trajwiki.language.tokens import fold, keywords
from trajwiki.memory.extraction import extract_claims
from trajwiki.retrieval.shape import Shape

FACET = 0.45  # share of the support that a wanted facet gives
WORDS = 0.50  # share that the question's words give
PLACE = 0.05  # share that the rank of the message gives


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
    scored = [_scored(c, shape, weights) for c in found if _is_about(c, shape)]
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
    if not shape.subject_speakers:
        return True
    text = fold(f"{candidate.subject} {candidate.text}")
    return any(fold(s) in text or fold(s) == fold(candidate.evidence.speaker) for s in shape.subject_speakers)


def _weights(found: Sequence[Candidate], shape: Shape) -> dict[str, float]:
    df = Counter(k for c in found for k in set(keywords(c.text)))
    return {k: math.log(1 + (len(found) + 1) / (df[k] + 0.5)) for k in shape.keywords}


def _scored(c: Candidate, shape: Shape, weights: dict[str, float]) -> Candidate:
    held = set(keywords(c.text)) | (set(keywords(c.facet.name.replace("_", " "))) if c.facet else set())
    whole = sum(weights.values())
    words = sum(w for k, w in weights.items() if k in held) / whole if whole else 0.0
    fits = c.facet is not None and c.facet.name in shape.facets
    support = FACET * fits + WORDS * words + PLACE * c.evidence.score
    return Candidate(
        **{name: getattr(c, name) for name in c.__slots__ if name not in ("support", "facet_fits")},
        support=round(support, 4),
        facet_fits=fits,
    )
