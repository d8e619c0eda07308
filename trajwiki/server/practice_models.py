"""What goes in and comes out of procedural memory, as the spec shows it."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final, Literal

from pydantic import AwareDatetime, Field

from trajwiki.domain.messages import MAX_NAME, MAX_TEXT
from trajwiki.domain.runs import NewRun, Outcome, OutcomeBy, Step, StepKind
from trajwiki.domain.tips import Priority
from trajwiki.server.models import Given, ListOut, Shown

MAX_RUNS: Final = 200  # of one request
MAX_STEPS: Final = 50_000  # of one run

# In


class StepIn(Given):
    """A step of a run."""

    kind: StepKind = Field(examples=["action"])
    text: str = Field(default="", max_length=MAX_TEXT)
    agent: str = Field(default="", max_length=MAX_NAME)
    tool: str | None = Field(default=None, max_length=MAX_NAME, examples=["refund_order"])
    arguments: dict[str, Any] = Field(default_factory=dict, examples=[{"order_id": "A17"}])
    answers: int | None = Field(default=None, ge=1, description="Of an observation: the number of its action.")
    at: AwareDatetime | None = None
    tokens: tuple[int, int] | None = None
    where: str = Field(default="", max_length=MAX_NAME)


class RunIn(Given):
    """A run of an agent, as it was."""

    task: str = Field(min_length=1, max_length=MAX_TEXT, examples=["Refund the order of a customer."])
    steps: list[StepIn] = Field(min_length=1, max_length=MAX_STEPS)
    source_ref: str = Field(default="", max_length=MAX_NAME, description="Your name for it; empty: of its content.")
    source: str = Field(default="rest", max_length=MAX_NAME)
    app: str | None = Field(default=None, max_length=MAX_NAME)
    agent: str | None = Field(default=None, max_length=MAX_NAME)
    outcome: Outcome = Outcome.UNKNOWN
    outcome_by: OutcomeBy = OutcomeBy.NOBODY
    outcome_note: str = Field(default="", max_length=MAX_TEXT)
    task_ref: str | None = Field(default=None, max_length=MAX_NAME)
    parent_ref: str | None = Field(default=None, max_length=MAX_NAME)
    metadata: dict[str, Any] = Field(default_factory=dict)
    raw: str = Field(default="", description="The record as it was read; secrets in it are masked.")

    def run(self) -> NewRun:
        """Give it as the engine takes it."""
        given = {name: getattr(self, name) for name in type(self).model_fields if name != "steps"}
        steps = tuple(
            Step(n, **{name: getattr(s, name) for name in StepIn.model_fields}) for n, s in enumerate(self.steps, 1)
        )
        return NewRun(steps=steps, **given)


class RunsIn(Given):
    """Runs, which are committed together."""

    runs: list[RunIn] = Field(max_length=MAX_RUNS)
    delivery: str | None = Field(
        default=None, max_length=100, description="The delivery that the one run received; its outcome is noted."
    )


class RunsEraseIn(Given):
    """Which runs to erase."""

    runs: list[str] = Field(min_length=1, max_length=1000, description="Ids or source refs.")
    confirm: bool = Field(default=False, description="false: only say what would fall.")


class GuidelinesIn(Given):
    """What an agent is about to do."""

    task: str = Field(min_length=1, max_length=MAX_TEXT, examples=["Refund the order of a customer."])
    app: str | None = Field(default=None, max_length=MAX_NAME, examples=["shop"])
    strategy: Literal["cosine", "model"] = "cosine"
    top_k: int | None = Field(default=None, ge=1, le=100, description="Tips, at most.")
    budget: int | None = Field(default=None, ge=1, le=100_000, description="Words of the block, at most.")
    core: int = Field(default=0, ge=0, le=100, description="Tips of most support that are given whatever the task.")


class FeedbackIn(Given):
    """What came of a delivery."""

    delivery_id: str = Field(min_length=1, max_length=100)
    outcome: Outcome
    followed: list[str] = Field(default_factory=list, max_length=1000)
    ignored: list[str] = Field(default_factory=list, max_length=1000)


class EditIn(Given):
    """What to change of a tip; what is left out stays."""

    reason: str = Field(min_length=1, max_length=MAX_TEXT)
    content: str | None = Field(default=None, min_length=1, max_length=MAX_TEXT)
    purpose: str | None = Field(default=None, min_length=1, max_length=MAX_TEXT)
    steps: list[str] | None = Field(default=None, min_length=1, max_length=100)
    trigger: str | None = Field(default=None, min_length=1, max_length=MAX_TEXT)
    negative_example: str | None = Field(default=None, max_length=MAX_TEXT)
    priority: Priority | None = None

    def changes(self) -> dict[str, Any]:
        """Give the new values."""
        given = {name: getattr(self, name) for name in type(self).model_fields if name != "reason"}
        shown = {name: value for name, value in given.items() if value is not None}
        return shown | ({"steps": tuple(self.steps)} if self.steps is not None else {})


class MergeIn(Given):
    """Which tips are one."""

    tips: list[str] = Field(min_length=2, max_length=100)
    reason: str = Field(min_length=1, max_length=MAX_TEXT)


class ShareIn(Given):
    """Who else gets a tip."""

    to: str = Field(min_length=1, max_length=MAX_NAME, description="Name of the other space.", examples=["team"])
    reason: str = Field(min_length=1, max_length=MAX_TEXT)


class ConsolidateIn(Given):
    """Whether to only look."""

    confirm: bool = Field(default=False, description="false: only say what would be done.")


class ChoicesIn(Given):
    """What to choose for a space; what is left out stays."""

    mask: bool | None = None
    review: bool | None = None
    consolidate: bool | None = None
    withdraw: bool | None = None


# Out


class RunOut(Shown):
    """A run with its steps, what was found in it, and its tips (`trajwiki.run/1`)."""

    id: str
    ordinal: int
    source_ref: str
    task: str
    outcome: str
    steps: list[dict[str, Any]]
    analysis: dict[str, Any]
    tips: list[str]


class RawOut(Shown):
    """The record that a run was read from, secrets masked."""

    id: str
    raw: str


class RunErasureOut(Shown):
    """What an erasure of runs does, or did (`trajwiki.run-erasure/1`)."""

    done: bool
    runs: list[str]
    falls: list[str]
    stays: list[str]
    new: list[str]


class TipOut(Shown):
    """A tip with its state and sources (`trajwiki.tip/1`)."""

    id: str
    ordinal: int
    state: str
    category: str
    priority: str
    content: str
    steps: list[str]
    trigger: str
    sources: list[dict[str, Any]]


class TipsOut(ListOut):
    """Tips, in order."""

    items: list[TipOut]


class TipHistoryOut(Shown):
    """What was done to a tip (`trajwiki.tip-history/1`)."""

    ops: list[dict[str, Any]]


class TipStatsOut(Shown):
    """What came of each tip that was delivered (`trajwiki.tip-stats/1`)."""

    tips: list[dict[str, Any]]


class ConsolidationOut(Shown):
    """What was made one, or would be (`trajwiki.consolidation/1`)."""

    commit: int | None
    ops: list[dict[str, Any]]


class DeliveryOut(Shown):
    """Tips that were given for a task (`trajwiki.delivery/1`)."""

    id: str
    at: datetime
    task: str
    tip_ids: list[str]
    block: str
    words: int


class DeliveriesOut(ListOut):
    """Deliveries, oldest first."""

    items: list[DeliveryOut]


class FeedbackOut(Shown):
    """What came of a delivery (`trajwiki.feedback/1`)."""

    delivery_id: str
    at: datetime
    outcome: str


class FeedbacksOut(ListOut):
    """Feedback, oldest first."""

    items: list[FeedbackOut]


class ChoicesOut(Shown):
    """What was chosen for a space (`trajwiki.choices/1`)."""

    mask: bool
    review: bool
    consolidate: bool
    withdraw: bool
