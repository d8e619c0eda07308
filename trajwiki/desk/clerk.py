"""What the agent has at hand: calls, what it saw, the rules that it took up, and what it does when it is refused."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from random import Random
from typing import Any, Final

from trajwiki.desk.api import Desk
from trajwiki.desk.reading import Rule, read_rules
from trajwiki.desk.tools import TOOLS
from trajwiki.domain.runs import Step, StepKind
from trajwiki.language.tokens import is_stopword, stem, words

OBEYS: Final = 0.8  # probability with which the agent takes up a rule for a run
PATIENCE: Final = 4  # refusals of one call after which the agent gives it up
LIMIT: Final = 24  # calls after which it ends


class GaveUpError(Exception):
    """The agent sees no further way."""


class Clerk:
    """The hands of the agent.

    Attributes:
        steps: What it thought, did and saw.
        rules: The rules that it took up.
        seen: Entries of results, with the tool that gave them.
    """

    def __init__(self, desk: Desk, task: str, *, seed: str, guidelines: str = "", obeys: float = OBEYS) -> None:
        self._desk, self._task, self._rng = desk, task, Random(seed)
        self.steps: list[Step] = [Step(1, StepKind.PROMPT, task)]
        self.rules = [r for r in read_rules(guidelines) if self._rng.random() < obeys]
        self.seen: list[tuple[str, dict[str, Any]]] = []

    def _patient(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any] | None:
        """Make a call that is not itself the goal; None when it is refused for good."""
        for _ in range(PATIENCE):
            reply = self._call(tool, arguments)
            if "error" not in reply:
                return reply
            if not self._mend(str(reply["error"]), tool):
                return None
        return None

    def _mend(self, error: str, tool: str) -> bool:
        """Do what may help against a refusal that is not about an argument; False when nothing comes to mind."""
        told = [r for r in self.rules if r.kind in ("before", "again") and speaks(r.error, error)]
        told.sort(key=lambda r: r.tool != tool)
        for rule in told:
            if rule.kind == "again":
                return True
            if rule.name in TOOLS and not TOOLS[rule.name].takes:
                self._call(rule.name, {})
                return True
        if self._blamed(tool, error):
            return False
        options = {"again": 0.8, "sign_in": 0.5, "wait": 0.5, "": 0.6}
        for name in ("sign_in", "wait"):
            if stems(error) & stems(f"{name} {TOOLS[name].says}"):
                options[name] += 1.0
        (choice,) = self._rng.choices(list(options), weights=list(options.values()))
        if choice in TOOLS:
            self._call(choice, {})
        return bool(choice)

    def _call(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        if self._desk.calls >= LIMIT:
            raise GaveUpError("it takes too long")
        self._step(StepKind.ACTION, "", tool=tool, arguments=dict(arguments))
        text = self._desk.call(tool, arguments)
        reply: dict[str, Any] = json.loads(text)
        kind = StepKind.ERROR if "error" in reply else StepKind.OBSERVATION
        self._step(kind, text, tool=tool, answers=len(self.steps))
        if "error" not in reply:
            lists = [v for v in reply.values() if isinstance(v, list)]
            self.seen += [(tool, entry) for entry in (lists[0] if lists else [reply])]
        return reply

    def _blamed(self, tool: str, error: str) -> str | None:
        """The argument that a refusal names, or that advice names for such a refusal."""
        for rule in self.rules:
            if rule.kind == "correct" and rule.tool == tool and speaks(rule.error, error):
                return rule.name
        return next((n for n in TOOLS[tool].takes if re.search(rf"\b{n}\b", error)), None)

    def _is_open(self) -> bool:
        """Whether the agent thinks that it has a session: it signed in and was not refused since."""
        for step in reversed(self.steps):
            if step.tool == "sign_in":
                return True
            if step.kind is StepKind.ERROR and "session" in step.text:
                return False
        return False

    def _about(self, kind: str, tool: str, name: str = "") -> list[Rule]:
        return [r for r in self.rules if r.kind == kind and r.tool == tool and (not name or r.name == name)]

    def _follows(self, kind: str, tool: str, name: str = "") -> bool:
        return bool(self._about(kind, tool, name))

    def _chance(self, probability: float) -> bool:
        return self._rng.random() < probability

    def _think(self, text: str) -> None:
        self._step(StepKind.THOUGHT, text)

    def _step(
        self,
        kind: StepKind,
        text: str,
        *,
        tool: str | None = None,
        arguments: Mapping[str, Any] | None = None,
        answers: int | None = None,
    ) -> None:
        agent = tool or "clerk" if answers else "clerk"
        self.steps.append(
            Step(len(self.steps) + 1, kind, text, agent=agent, tool=tool, arguments=arguments or {}, answers=answers)
        )


def speaks(said: str, error: str) -> bool:
    """Whether advice about a refusal is about this one."""
    a, b = stems(said), stems(error)
    return bool(a) and len(a & b) >= 0.6 * len(a | b)


@lru_cache(maxsize=4096)
def stems(text: str) -> frozenset[str]:
    """Give the stems of the words that say something."""
    return frozenset(stem(w) for w in words(text.replace("_", " ")) if not is_stopword(w))
