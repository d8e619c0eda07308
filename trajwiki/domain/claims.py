"""Claims: atomic sentences with sources and a history."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from datetime import datetime

from trajwiki.domain.times import TimeSpan


class Status(enum.StrEnum):
    """What the memory holds of a claim now (paper, 3.1)."""

    ACTIVE = "active"
    DEPRECATED = "deprecated"
    CONTRADICTORY = "contradictory"
    NEEDS_CONFIRMATION = "needs-confirmation"


class ClaimKind(enum.StrEnum):
    """What sort of statement it is; decides what counts and what can be superseded."""

    FACT = "fact"  # a state: lives in, is, has
    EVENT = "event"  # something that happened
    PLAN = "plan"  # something intended; not counted as happened
    PREFERENCE = "preference"  # likes, hates, favourite
    COUNT = "count"  # a stated number of things
    CORRECTION = "correction"  # takes an earlier statement back or replaces its value


@dataclass(frozen=True, slots=True)
class Facet:
    """A relation and its value: ``lives_in = Lisbon``.

    Attributes:
        name: From the closed list in language/facets.py.
        value: In the speaker's own words.
    """

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class Quote:
    """Where a statement stands.

    Attributes:
        message_id: The message.
        text: Copied from the message's content, character for character.
        start: Offset of the quote in ``Message.content``, in characters.
    """

    message_id: str
    text: str
    start: int


@dataclass(frozen=True, slots=True)
class ClaimDraft:
    """What an extractor reads out of a message, before it is anything in the memory.

    Attributes:
        text: A complete third-person sentence: "Melanie's son is called Tim."
        quote: Where it stands.
        subject: Whom or what it is about, as named in the text ("Melanie", "Melanie's son").
        kind: What sort of statement.
        facet: Relation and value, where the sentence has one of a known kind.
        valid: The time it speaks of, where the words say one.
        status: ACTIVE, or NEEDS_CONFIRMATION for doubt, hearsay and open questions.
        entities: Names of people, places, organisations, titles in it.
        terms: Exact source terms worth finding it by (quoted titles, items, counts, activities).
        negated: True when it denies ("no longer works at").
        replaces: For a correction that names it: the earlier value ("not Monday but Tuesday" -> "Monday").
        decided_by: The rule or model that read it.
        instruction_like: True when the text addresses a machine ("ignore previous instructions"): kept as a
            quote, never followed.
    """

    text: str
    quote: Quote
    subject: str
    kind: ClaimKind
    facet: Facet | None = None
    valid: TimeSpan | None = None
    status: Status = Status.ACTIVE
    entities: tuple[str, ...] = ()
    terms: tuple[str, ...] = ()
    negated: bool = False
    replaces: str | None = None
    decided_by: str = "rule"
    instruction_like: bool = False


@dataclass(frozen=True, slots=True)
class Claim:
    """One immutable sentence of the memory. The same sentence said again gains a source.

    Attributes are those of ClaimDraft; the sources are ClaimSource records, the status a ClaimState.
    """

    id: str
    ordinal: int
    text: str
    subject: str
    kind: ClaimKind
    facet: Facet | None
    valid: TimeSpan | None
    entities: tuple[str, ...]
    terms: tuple[str, ...]
    negated: bool
    instruction_like: bool = False


@dataclass(frozen=True, slots=True)
class ClaimSource:
    """That a claim stands on a message, by these words. Append-only.

    Attributes:
        claim_id: The claim.
        ordinal: Place in the order of sources of the space, from 0.
        snapshot_id: The snapshot in which it was read.
        quote: The words.
    """

    claim_id: str
    ordinal: int
    snapshot_id: str
    quote: Quote


class Op(enum.StrEnum):
    """What was done to a claim (paper, 3.1 and A.3)."""

    ADD = "ADD"
    REVISE = "REVISE"  # adds `claim_id` and deprecates `replaces`
    DEPRECATE = "DEPRECATE"
    STATUS = "STATUS"
    RESTORE = "RESTORE"


@dataclass(frozen=True, slots=True)
class ClaimOp:
    """One step in the history of a claim. Append-only.

    Attributes:
        id: Content id.
        ordinal: Place in the order of operations of the space, from 0.
        op: What was done.
        claim_id: To which claim.
        status: What the claim is from here on.
        replaces: For REVISE, the claim that is deprecated by it.
        cause: The snapshot (or correction) that caused it.
        decided_by: Rule, model or person.
        reason: A sentence.
        heard_at: When the causing message was sent, if known.
    """

    id: str
    ordinal: int
    op: Op
    claim_id: str
    status: Status
    replaces: str | None
    cause: str
    decided_by: str
    reason: str
    heard_at: datetime | None


def statuses_of(op: ClaimOp) -> tuple[tuple[str, Status], ...]:
    """Give what an operation sets: pairs of claim id and status. The fold of these is the state."""
    if op.op is Op.REVISE and op.replaces is not None:
        return ((op.replaces, Status.DEPRECATED), (op.claim_id, op.status))
    return ((op.claim_id, op.status),)
