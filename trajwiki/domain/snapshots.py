"""Exchanges and snapshots: what was read together, and what was understood of it."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from trajwiki.domain.claims import Facet


class ClosedBy(enum.StrEnum):
    """What ended an exchange. Stored, never recomputed."""

    NEXT_TURN = "next-turn"
    SESSION = "session"
    SILENCE = "silence"
    FLUSH = "flush"
    EDIT = "edit"  # a message was edited: its exchange is read again
    CORRECTION = "correction"  # one message of a person about the memory itself


@dataclass(frozen=True, slots=True)
class Exchange:
    """Messages that are read together: a turn and the reply that follows, inside one session.

    Attributes:
        id: Content id.
        ordinal: Order in the space, from 0.
        session: The session it lies in (with its source, as ``source/session``).
        message_ids: In the order they were said.
        closed_by: What ended it.
    """

    id: str
    ordinal: int
    session: str
    message_ids: tuple[str, ...]
    closed_by: ClosedBy


@dataclass(frozen=True, slots=True)
class Features:
    """What a snapshot or trajectory is recognised by (paper, A.2).

    Attributes:
        keywords: K, stems of content words.
        entities: E, normalized entity keys (case-folded names).
        terms: X, exact source-backed terms, case-folded.
        facets: F, relations with values.
    """

    keywords: frozenset[str] = frozenset()
    entities: frozenset[str] = frozenset()
    terms: frozenset[str] = frozenset()
    facets: frozenset[Facet] = frozenset()

    def __or__(self, other: Features) -> Features:
        return Features(
            self.keywords | other.keywords,
            self.entities | other.entities,
            self.terms | other.terms,
            self.facets | other.facets,
        )


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One exchange, understood. Immutable.

    Attributes:
        id: Content id.
        ordinal: Order in the space, from 0.
        exchange_id: What it was understood from.
        message_ids: The messages of that exchange.
        summary: The claims of the exchange, or what was said where there are none.
        context: Session, speakers, time, and what the talk is about.
        features: What it is recognised by.
        claim_ids: The claims that gained a source here, in order.
    """

    id: str
    ordinal: int
    exchange_id: str
    message_ids: tuple[str, ...]
    summary: str
    context: str
    features: Features
    claim_ids: tuple[str, ...]
