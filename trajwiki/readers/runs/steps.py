"""Building the steps of a run: numbered, with what came back tied to the call that it answers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from trajwiki.domain.runs import Step, StepKind
from trajwiki.readers.runs.errors import failed

USERS = ("user", "human", "person")  # agents whose words are never the run's final answer


class Steps:
    """The steps of one run, in the making.

    `call` and `result` keep the ids of calls, so that a result finds its action: by the id, else by the tool's name,
    else it answers the oldest call that waits for an answer.
    """

    def __init__(self) -> None:
        self._steps: list[Step] = []
        self._by_id: dict[str, int] = {}
        self._waiting: dict[int, None] = {}  # actions without an answer, in order

    def __len__(self) -> int:
        return len(self._steps)

    @property
    def last(self) -> Step | None:
        """The step added last."""
        return self._steps[-1] if self._steps else None

    @property
    def asked(self) -> bool:
        """Whether someone has asked for something."""
        return any(s.kind is StepKind.PROMPT and s.agent != "system" for s in self._steps)

    @property
    def waits(self) -> bool:
        """Whether a call waits for its answer."""
        return bool(self._waiting)

    def add(
        self,
        kind: StepKind,
        text: str,
        *,
        agent: str = "",
        tool: str | None = None,
        arguments: Mapping[str, Any] | None = None,
        answers: int | None = None,
        at: datetime | None = None,
        tokens: tuple[int, int] | None = None,
        where: str = "",
    ) -> int:
        """Add a step and give its number."""
        number = len(self._steps) + 1
        self._steps.append(
            Step(
                number=number, kind=kind, text=text, agent=agent, tool=tool, arguments=arguments or {},
                answers=answers, at=at, tokens=tokens, where=where,
            )
        )  # fmt: skip
        return number

    def call(
        self,
        tool: str,
        arguments: Any,
        *,
        id: str | None = None,
        text: str | None = None,
        agent: str = "",
        at: datetime | None = None,
        tokens: tuple[int, int] | None = None,
        where: str = "",
    ) -> int:
        """Add an action. Arguments are a JSON value, or a text of one."""
        given = arguments_of(arguments)
        if text is None:
            text = f"{tool}({arguments if isinstance(arguments, str) else plain_json(given)})"
        number = self.add(
            StepKind.ACTION, text, agent=agent, tool=tool, arguments=given, at=at, tokens=tokens, where=where
        )
        self._waiting[number] = None
        if id:
            self._by_id[id] = number
        return number

    def result(
        self,
        text: str,
        *,
        id: str | None = None,
        tool: str | None = None,
        flag: bool | None = None,
        at: datetime | None = None,
        tokens: tuple[int, int] | None = None,
        where: str = "",
    ) -> int:
        """Add what came back: an observation, or an error when the file (`flag`) or the text says so."""
        answers = self._answered(id, tool)
        name = tool or (self._steps[answers - 1].tool if answers else None)
        kind = StepKind.ERROR if failed(text, flag=flag) else StepKind.OBSERVATION
        return self.add(
            kind, text, agent=name or "", tool=name, answers=answers, at=at, tokens=tokens, where=where
        )  # fmt: skip

    def name_agent(self, number: int, agent: str) -> None:
        """Say who acted in a step, where it is not the tool."""
        self._steps[number - 1] = replace(self._steps[number - 1], agent=agent)

    def _answered(self, id: str | None, tool: str | None) -> int | None:
        number = self._by_id.get(id) if id else None
        if number is None:
            waiting = [n for n in self._waiting if tool is None or self._steps[n - 1].tool == tool]
            number = waiting[0] if waiting else None
        if number is not None:
            self._waiting.pop(number, None)
        return number

    def finish(self) -> tuple[Step, ...]:
        """Give the steps; what an agent said last, with no action after it, is the final answer."""
        for i, (step, after) in enumerate(zip(self._steps, self._steps[1:], strict=False)):
            if step.kind is StepKind.MESSAGE and after.kind is StepKind.ACTION and step.agent == after.agent:
                self._steps[i] = replace(step, kind=StepKind.THOUGHT)  # said to itself, on the way to the action
        for i in range(len(self._steps) - 1, -1, -1):
            step = self._steps[i]
            if step.kind is StepKind.FINAL or step.kind is StepKind.ACTION:
                break
            if step.kind is StepKind.MESSAGE and step.agent.lower() not in USERS:
                self._steps[i] = replace(step, kind=StepKind.FINAL)
                break
        return tuple(self._steps)


def arguments_of(value: Any) -> dict[str, Any]:
    """Give arguments as an object: parsed when they are the text of one, else under ``input``."""
    if value is None or value == "":
        return {}
    if isinstance(value, str):
        parsed = loads(value)
        if isinstance(parsed, str):  # a text in a text
            parsed = loads(parsed)
        return dict(parsed) if isinstance(parsed, dict) else {"input": value}
    if isinstance(value, Mapping):
        return {str(k): v for k, v in value.items()}
    return {"input": value}


def loads(text: str) -> Any:
    """Give the JSON value of a text, or None when it is none."""
    try:
        return json.loads(text, parse_constant=lambda _: None)
    except (ValueError, RecursionError):
        return None


def plain_json(value: Any, *, compact: bool = False) -> str:
    """Write a JSON value as a text."""
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":") if compact else None)
    except (ValueError, RecursionError):
        return ""
