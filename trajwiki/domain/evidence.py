"""What a question is answered from."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from trajwiki.domain.problems import Problem


@dataclass(frozen=True, slots=True)
class Evidence:
    """One message that was chosen for a question, and the way that led to it.

    Attributes:
        source_ref: The caller's name for the message.
        message_id: Ours.
        speaker: Who said it.
        timestamp: When, in the zone it came with; None when unknown.
        text: The message's text, verbatim; stands in the context.
        session: Where it was said.
        trajectory_id: The thread it belongs to; None while its exchange is open.
        snapshot_id: The snapshot it was understood in; None while its exchange is open.
        claim_ids: The claims that stand on it.
        superseded: True when every claim on it is deprecated: it tells how things were.
        score: In [0, 1], higher is better.
    """

    source_ref: str
    message_id: str
    speaker: str
    timestamp: datetime | None
    text: str
    session: str
    trajectory_id: str | None
    snapshot_id: str | None
    claim_ids: tuple[str, ...]
    superseded: bool
    score: float


@dataclass(frozen=True, slots=True)
class Scored:
    """A page or trajectory with the score it was chosen by, in [0, 1]."""

    id: str
    name: str
    score: float


@dataclass(frozen=True, slots=True)
class Recall:
    """The evidence for one question, packed to a budget.

    Attributes:
        question: As asked.
        space: Name of the space.
        budget: The most words the context may have.
        tokens: Words in the context (language/tokens.py, count_words).
        context: The exact string to hand to a model.
        evidence: The messages in it, in the order of the context.
        pages: Wiki pages chosen, best first.
        trajectories: Trajectories chosen, best first.
        candidates: Number of trajectories reachable from the chosen pages.
        dropped: Source refs of messages that ranked but did not fit the budget.
        problems: What went wrong or was doubted.
        timings_ms: Milliseconds by stage.
    """

    question: str
    space: str
    budget: int
    tokens: int
    context: str
    evidence: tuple[Evidence, ...]
    pages: tuple[Scored, ...]
    trajectories: tuple[Scored, ...]
    candidates: int = 0
    dropped: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    timings_ms: dict[str, float] = field(default_factory=dict)
