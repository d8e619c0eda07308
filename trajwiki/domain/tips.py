"""Tips: advice for later runs, with where it comes from, what was done to it, and what came of it."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from datetime import datetime

from trajwiki.domain.runs import Outcome


class TipCategory(enum.StrEnum):
    """What a tip is for (report, 3.1.3)."""

    STRATEGY = "strategy"  # what worked, to be done again
    RECOVERY = "recovery"  # what to do when this goes wrong
    OPTIMIZATION = "optimization"  # how to do it with less


class Priority(enum.StrEnum):
    """How much is lost without it."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


class Granularity(enum.StrEnum):
    """What it was drawn from."""

    TASK = "task"
    SUBTASK = "subtask"


class Scope(enum.StrEnum):
    """How far it reaches."""

    DOMAIN = "domain"  # names the application's own tools and fields
    GENERIC = "generic"  # holds for any application; its `app` is None


class TipState(enum.StrEnum):
    """Whether a tip is delivered."""

    PROPOSED = "proposed"  # passed its checks; delivered unless the space asks for review
    APPROVED = "approved"  # a person approved it
    REJECTED = "rejected"  # failed a check, or a person rejected it
    MERGED = "merged"  # lives on in the tip it was merged into
    SUPERSEDED = "superseded"  # lost against a contradicting tip
    WITHDRAWN = "withdrawn"  # taken out of use
    EXPIRED = "expired"  # by retention


class TipVerb(enum.StrEnum):
    """What can happen to a tip."""

    PROPOSE = "PROPOSE"
    APPROVE = "APPROVE"
    REJECT = "REJECT"
    EDIT = "EDIT"
    MERGE = "MERGE"
    SPLIT = "SPLIT"
    SUPERSEDE = "SUPERSEDE"
    WITHDRAW = "WITHDRAW"
    RESTORE = "RESTORE"
    EXPIRE = "EXPIRE"


@dataclass(frozen=True, slots=True)
class TipSource:
    """Steps of a run that a tip stands on.

    Attributes:
        run_id: The run.
        first: Number of the first step.
        last: Number of the last step.
        outcome: Of the run.
    """

    run_id: str
    first: int
    last: int
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Tip:
    """One piece of advice. Immutable: an edit or a merge makes another tip and says what it came from.

    Attributes:
        id: Keyed hash of its content and, for a merged tip, of the tips it was made from.
        ordinal: Place among the tips of the space, from 0.
        category: What it is for.
        content: The advice: one or two sentences.
        purpose: Why it helps.
        steps: What to do, in order; at least one.
        trigger: When it applies, in words that can be tested against a task.
        negative_example: What not to do, if there is one.
        priority: How much is lost without it.
        app: Application or domain; None: generic.
        task_category: A short normalized name of the kind of task.
        granularity: Drawn from a whole task or from a subtask.
        scope: Domain or generic.
        description: Index text: the task's own words, a subtask's generalized ones, or a cluster's canonical ones.
        sources: Runs and steps; at least one, each once.
        made_from: Ids of the tips it was merged or edited from; empty for an extracted one.
        decided_by: ``rule``, a model's name, or ``person:NAME``.
        instruction_like: Its words address an agent or model as an order from somewhere else; never delivered (F68).
    """

    id: str
    ordinal: int
    category: TipCategory
    content: str
    purpose: str
    steps: tuple[str, ...]
    trigger: str
    negative_example: str | None
    priority: Priority
    app: str | None
    task_category: str
    granularity: Granularity
    scope: Scope
    description: str
    sources: tuple[TipSource, ...]
    made_from: tuple[str, ...] = ()
    decided_by: str = "rule"
    instruction_like: bool = False

    @property
    def support(self) -> int:
        """Number of runs it stands on."""
        return len({s.run_id for s in self.sources})

    def text_for(self, kind: str) -> str:
        """Give the text that is embedded for it: its ``description``, by which it is found, or its ``advice``."""
        return self.description if kind == "description" else f"{self.content} {self.purpose}"


@dataclass(frozen=True, slots=True)
class TipOp:
    """Something done to a tip. Append-only; the fold of all operations gives each tip's state.

    Attributes:
        id: Keyed hash.
        ordinal: Place among the tip operations of the space, from 0.
        verb: What was done.
        tip_id: To which tip.
        state: Its state after it.
        others: MERGE, SUPERSEDE, EDIT: the tip that stands for it now. SPLIT: the tips it was merged from.
        actor: ``rule``, a model's name, or ``person:NAME``.
        reason: A sentence.
        at: UTC.
    """

    id: str
    ordinal: int
    verb: TipVerb
    tip_id: str
    state: TipState
    others: tuple[str, ...]
    actor: str
    reason: str
    at: datetime


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A tip that was considered for a delivery and not given, with the reason."""

    tip_id: str
    reason: str


@dataclass(frozen=True, slots=True)
class Delivery:
    """Tips that went into a prompt.

    Attributes:
        id: Random.
        at: UTC.
        task: The task they were asked for, in the asker's words.
        app: The application that was named, if one was.
        task_category: As inferred from the task.
        strategy: ``cosine`` or ``model``.
        tip_ids: In the order given.
        scores: One for each tip, in [0, 1].
        left_out: What was considered and not given.
        block: The exact text that was given.
        words: Number of words of the block.
    """

    id: str
    at: datetime
    task: str
    app: str | None
    task_category: str
    strategy: str
    tip_ids: tuple[str, ...]
    scores: tuple[float, ...]
    left_out: tuple[LeftOut, ...]
    block: str
    words: int


class Use(enum.StrEnum):
    """What a run did with a tip it was given."""

    FOLLOWED = "followed"
    CONTRADICTED = "contradicted"
    NOT_APPLICABLE = "not applicable"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Feedback:
    """What came of a delivery.

    Attributes:
        delivery_id: Of the delivery.
        at: UTC.
        outcome: Of the run that received it.
        run_id: The run, if it was added.
        uses: (tip id, use), for tips of the delivery.
        said_by: ``person:NAME``, or ``rule`` when read from the run's steps.
    """

    delivery_id: str
    at: datetime
    outcome: Outcome
    run_id: str | None
    uses: tuple[tuple[str, Use], ...]
    said_by: str
