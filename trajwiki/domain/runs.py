"""Runs: complete executions of an agent on a task, and what an analysis finds in them."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any


class StepKind(enum.StrEnum):
    """What a step is."""

    PROMPT = "prompt"  # instructions or the task, given to the agent
    THOUGHT = "thought"  # the agent's reasoning
    ACTION = "action"  # a call of a tool, or code that is run
    OBSERVATION = "observation"  # what came back
    ERROR = "error"  # what came back, when it says that the action failed
    MESSAGE = "message"  # said to a user or to another agent
    FINAL = "final"  # the last answer


class Outcome(enum.StrEnum):
    """How a run ended."""

    SUCCESS = "success"
    FAILURE = "failure"
    PARTIAL = "partial"
    UNKNOWN = "unknown"


class OutcomeBy(enum.StrEnum):
    """Who said how a run ended."""

    EVALUATION = "evaluation"  # a report from outside the agent: reward, test, label, a person
    ENVIRONMENT = "environment"  # exit code or status of the system it ran in
    AGENT = "agent"  # read from the agent's own last words
    NOBODY = "nobody"


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a run.

    Attributes:
        number: From 1, without gaps.
        kind: What it is.
        agent: Name of the agent, role or sub-agent that acted or spoke; the tool's name for what a tool gave back.
        text: Verbatim, secrets masked.
        tool: Name of the tool that was called, for an action and for what came back from it.
        arguments: Of an action: JSON values, secrets masked.
        answers: Of an observation or error: the number of the action that it answers, if it is known.
        at: Aware time, if the file gives one.
        tokens: (in, out) as the file gives them, if it does.
        where: JSON pointer or line in the raw intake.
    """

    number: int
    kind: StepKind
    text: str
    agent: str = ""
    tool: str | None = None
    arguments: Mapping[str, Any] = field(default_factory=dict)
    answers: int | None = None
    at: datetime | None = None
    tokens: tuple[int, int] | None = None
    where: str = ""


@dataclass(frozen=True, slots=True)
class NewRun:
    """A run as a reader or a caller gives it.

    Attributes:
        source_ref: The caller's own id of the run; unique among the runs of a source. Empty: made from the content.
        source: Name of the format or system it comes from.
        task: What the agent was asked to do, in the words of the asker.
        steps: In order; at least one.
        app: Application or domain, if the file names one.
        agent: Name of the agent, if the file gives one.
        outcome: How it ended.
        outcome_by: Who said so.
        outcome_note: Their words, such as a reward, a failed check or an exit status.
        task_ref: Name of the task where several runs are tries at the same task.
        parent_ref: `source_ref` of the run that this one is a sub-agent's part of.
        metadata: Anything else worth keeping, JSON values.
        raw: The record as it was read, as text, secrets masked.
    """

    source_ref: str
    source: str
    task: str
    steps: tuple[Step, ...]
    app: str | None = None
    agent: str | None = None
    outcome: Outcome = Outcome.UNKNOWN
    outcome_by: OutcomeBy = OutcomeBy.NOBODY
    outcome_note: str = ""
    task_ref: str | None = None
    parent_ref: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    raw: str = ""


@dataclass(frozen=True, slots=True)
class Run:
    """A stored run. Attributes as in `NewRun`, with the id, and the place among the runs of the space from 0."""

    id: str
    ordinal: int
    source_ref: str
    source: str
    task: str
    steps: tuple[Step, ...]
    app: str | None = None
    agent: str | None = None
    outcome: Outcome = Outcome.UNKNOWN
    outcome_by: OutcomeBy = OutcomeBy.NOBODY
    outcome_note: str = ""
    task_ref: str | None = None
    parent_ref: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)

    def step(self, number: int) -> Step:
        """Give a step by number. Raises IndexError."""
        if not 1 <= number <= len(self.steps):
            raise IndexError(f"run {self.id} has steps 1 to {len(self.steps)}, not {number}")
        return self.steps[number - 1]


class Thought(enum.StrEnum):
    """Categories of reasoning (report, 3.1.1)."""

    ANALYTICAL = "analytical"
    PLANNING = "planning"
    VALIDATION = "validation"
    REFLECTION = "reflection"
    SELF_CORRECTION = "self-correction"


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that an analysis sees in a run.

    Attributes:
        kind: A stable name, such as ``error``, ``recovery``, ``repeated-call``, ``unused-result``, ``one-by-one``,
            ``validation``, ``no-validation``.
        steps: Numbers of the steps it stands on, in order; at least one.
        text: A sentence that names the tool, argument or words meant.
        confidence: In [0, 1].
        details: JSON values for the stages that follow: tool, argument, wrong and right value, error words.
    """

    kind: str
    steps: tuple[int, ...]
    text: str
    confidence: float
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Cause:
    """A step with what it did wrong (or right)."""

    step: int
    text: str


class EventKind(enum.StrEnum):
    """What is traced back to its causes."""

    FAILURE = "failure"
    RECOVERY = "recovery"
    INEFFICIENCY = "inefficiency"
    SUCCESS = "success"


@dataclass(frozen=True, slots=True)
class Attribution:
    """An outcome event traced back to the decisions that led to it (report, 3.1.2).

    Attributes:
        event: What happened.
        at_step: Where it showed.
        immediate: The step that made it happen.
        proximate: The decision before it that led there.
        root: The earliest step that determined it.
        contributing: Other steps that helped it along.
        agent: Who acted at the root.
        confidence: In [0, 1].
    """

    event: EventKind
    at_step: int
    immediate: Cause
    proximate: Cause
    root: Cause
    contributing: tuple[Cause, ...]
    agent: str
    confidence: float


@dataclass(frozen=True, slots=True)
class Subtask:
    """A logical phase of a run (report, 3.1.4).

    Attributes:
        first: Number of its first step.
        last: Number of its last step.
        description: Generalized: without names, ids and amounts of the task.
        app: Application or domain, if one is known.
        purpose: What it is for within the task.
        succeeded: Whether it reached its purpose; None when that cannot be told.
    """

    first: int
    last: int
    description: str
    app: str | None
    purpose: str
    succeeded: bool | None


@dataclass(frozen=True, slots=True)
class Analysis:
    """What was found in one run.

    Attributes:
        run_id: Of the run.
        thoughts: Step numbers by category of thought.
        findings: Errors, recoveries, inefficiencies, successes, in order of their first step.
        attributions: Outcome events traced back, the run's own outcome first.
        subtasks: In order; together they cover the run from its first action to its end.
        decided_by: ``rule``, or the model's name.
    """

    run_id: str
    thoughts: Mapping[Thought, tuple[int, ...]]
    findings: tuple[Finding, ...]
    attributions: tuple[Attribution, ...]
    subtasks: tuple[Subtask, ...]
    decided_by: str = "rule"
