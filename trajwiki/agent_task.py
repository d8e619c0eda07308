"""A task of an agent while it runs: the guidelines it was given, and the steps it takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from trajwiki.domain.ids import random_id
from trajwiki.domain.runs import NewRun, Outcome, OutcomeBy, Step, StepKind
from trajwiki.domain.tips import Delivery


class AgentTask:
    """What `Space.task` gives; when its block ends, the steps are stored as a run.

    Attributes:
        task: What the agent is to do.
        delivery: The tips that were given for it.
        guidelines: The block for the prompt; empty when no tip applies.
        steps: Taken so far.
    """

    def __init__(
        self,
        task: str,
        app: str | None,
        agent: str | None,
        delivery: Delivery,
        clock: Callable[[], datetime],
        task_ref: str | None = None,
    ) -> None:
        self.task = task
        self.delivery = delivery
        self.guidelines = delivery.block
        self.steps: list[Step] = []
        self._app, self._agent, self._clock, self._task_ref = app, agent, clock, task_ref
        self._outcome, self._by, self._note = Outcome.UNKNOWN, OutcomeBy.NOBODY, ""

    def step(
        self,
        kind: StepKind | str,
        text: str = "",
        *,
        tool: str | None = None,
        arguments: Mapping[str, Any] | None = None,
        answers: int | None = None,
    ) -> int:
        """Take a step, and give its number.

        Args:
            kind: See `StepKind`.
            text: What was said, or what came back.
            tool: Name of the tool, for an action and for what came back from it.
            arguments: Of an action.
            answers: Of an observation: the number of its action; None: the last one.

        Raises:
            ValueError: There is no such kind.
        """
        number, kind = len(self.steps) + 1, StepKind(kind)
        last = next((s for s in reversed(self.steps) if s.kind is StepKind.ACTION), None)
        if kind in (StepKind.OBSERVATION, StepKind.ERROR) and last is not None:
            answers, tool = answers or last.number, tool or last.tool
        self.steps.append(
            Step(
                number,
                kind,
                text,
                agent=self._agent or "",
                tool=tool,
                arguments=arguments or {},
                answers=answers,
                at=self._clock(),
            )
        )
        return number

    def thought(self, text: str) -> int:
        """Note what the agent thinks."""
        return self.step(StepKind.THOUGHT, text)

    def action(self, tool: str, /, **arguments: Any) -> int:
        """Note a call of a tool."""
        return self.step(StepKind.ACTION, tool=tool, arguments=arguments)

    def observation(self, text: str, *, error: bool = False) -> int:
        """Note what came back from the last call."""
        return self.step(StepKind.ERROR if error else StepKind.OBSERVATION, text)

    def final(self, text: str) -> int:
        """Note the last answer."""
        return self.step(StepKind.FINAL, text)

    def succeeded(self, note: str = "", *, by: OutcomeBy = OutcomeBy.EVALUATION) -> None:
        """Say that it succeeded."""
        self.ended(Outcome.SUCCESS, note, by=by)

    def failed(self, note: str = "", *, by: OutcomeBy = OutcomeBy.EVALUATION) -> None:
        """Say that it failed."""
        self.ended(Outcome.FAILURE, note, by=by)

    def ended(self, outcome: Outcome | str, note: str = "", *, by: OutcomeBy = OutcomeBy.EVALUATION) -> None:
        """Say how it ended, and who says so."""
        self._outcome, self._by, self._note = Outcome(outcome), by, note

    def failed_with(self, error: BaseException) -> None:
        """Note that the agent's own program broke off."""
        self.step(StepKind.ERROR, f"{type(error).__name__}: {error}")
        self.failed(type(error).__name__, by=OutcomeBy.ENVIRONMENT)

    def as_run(self) -> NewRun:
        """Give the run that it is."""
        return NewRun(
            source_ref=random_id("task"),
            source="trajwiki",
            task=self.task,
            steps=tuple(self.steps),
            app=self._app,
            agent=self._agent,
            outcome=self._outcome,
            outcome_by=self._by,
            outcome_note=self._note,
            task_ref=self._task_ref,
        )
