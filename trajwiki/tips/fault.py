"""Which agent, at which step, brought about the failure of a run."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from trajwiki.domain.runs import Run, StepKind
from trajwiki.tips.dependencies import Link, argument_values
from trajwiki.tips.findings import Call, is_change
from trajwiki.tips.team import Team, Turn, team_of

# Log-odds of a turn per unit of a signal: conditional logit over the turns of a run, fitted with an L2 penalty (on
# signals in standard deviations) to failed runs whose step at fault people had marked, then frozen. `bench
# attribution` gives the figures of the same signals when the runs that are judged take no part in the fit.
PEERS: Final[Mapping[str, float]] = {
    "first": -0.48,
    "place": 0.2,
    "newcomer": 0.1,
    "first_code": 1.07,
    "code_came_to_nothing": 0.82,
    "code_was_not_run": 0.26,
    "opens_with_code": 0.86,
    "strays_from_task": 2.46,
    "hedges": 0.68,
    "claims": 0.35,
    "asks": -0.29,
    "closes": -0.22,
    "says_little": -0.66,
    "brings_in": 0.19,
    "looks_without_tool": 0.46,
}
LED: Final[Mapping[str, float]] = {
    "leads": 0.0,
    "early": 1.97,
    "place": -0.05,
    "before_restart": 0.85,
    "strays_from_order": 0.91,
    "own_words": -0.84,
    "own_words_accepted": 3.8,
    "accepts_raw_report": 4.37,
}
AGENT: Final = 0.3  # weight of the agent's probability beside that of the step, where one turn is chosen for both
OTHERS: Final = 3  # further turns that are named

_REASONS: Final[Mapping[str, str]] = {
    "strays_from_task": "it does not take up the task that was given",
    "opens_with_code": "it starts with code before anything is known",
    "first_code": "it is the first code, on which the rest builds",
    "code_came_to_nothing": "its code gave nothing back",
    "code_was_not_run": "its code was not run",
    "hedges": "it goes on with assumed or made-up values",
    "looks_without_tool": "it says that it looked itself, and gives values that no tool gave",
    "claims": "it states results that no tool gave",
    "brings_in": "it brings in values that stood nowhere before",
    "newcomer": "it is the agent's first turn",
    "early": "it lays the ground for what follows",
    "strays_from_order": "it does little of what was ordered",
    "own_words_accepted": "its answer, without a source, was accepted as final",
    "accepts_raw_report": "it took a page or a file for the answer, which nobody had stated",
    "leads": "it directs the others",
}


@dataclass(frozen=True, slots=True)
class Fault:
    """The step that a failure is put down to.

    Attributes:
        step: Its number.
        agent: Who acted there.
        text: Why this step.
        confidence: In [0, 1].
        others: Next likely steps, best first.
    """

    step: int
    agent: str
    text: str
    confidence: float
    others: tuple[int, ...] = ()


def locate(run: Run, calls: Sequence[Call], links: Sequence[Link]) -> Fault:
    """Give the step at fault in a failed run.

    Among several agents the turns are weighed against each other; the chosen one is best for agent and step
    together. An agent alone with tools is judged by its calls.
    """
    team = team_of(run)
    if len(team.members) < 2 and calls:
        return _alone(run, calls, links)
    if not team.turns:
        step = run.steps[-1]
        return Fault(step.number, step.agent, "No agent acted in this run.", 0.0)
    shares = probabilities(team, LED if team.led else PEERS)
    best = choose(team, shares)
    turn = team.turns[best]
    order = sorted(range(len(shares)), key=lambda i: (-shares[i], i))
    others = tuple(team.turns[i].step for i in order if i != best)[:OTHERS]
    return Fault(turn.step, turn.agent, _why(turn, LED if team.led else PEERS), round(shares[best], 3), others)


def probabilities(team: Team, weights: Mapping[str, float]) -> list[float]:
    """Give the share of each turn in the fault; they sum to 1."""
    scores = [sum(weights.get(name, 0.0) * value for name, value in turn.signals.items()) for turn in team.turns]
    top = max(scores)
    odds = [math.exp(score - top) for score in scores]
    return [o / sum(odds) for o in odds]


def choose(team: Team, shares: Sequence[float]) -> int:
    """Give the index of the turn that is best for step and agent together; the earlier one of equals."""
    by_agent: dict[str, float] = defaultdict(float)
    for turn, share in zip(team.turns, shares, strict=True):
        by_agent[turn.agent] += share
    worth = [share + AGENT * by_agent[turn.agent] for turn, share in zip(team.turns, shares, strict=True)]
    return max(range(len(worth)), key=lambda i: (worth[i], -i))


def _why(turn: Turn, weights: Mapping[str, float]) -> str:
    speaking = sorted(
        (name for name in turn.signals if name in _REASONS and weights.get(name, 0.0) * turn.signals[name] > 0.1),
        key=lambda name: (-weights[name] * turn.signals[name], name),
    )
    reasons = [_REASONS[name] for name in speaking[:3]]
    who = turn.agent or "The agent"
    return f"{who} went wrong here: {'; '.join(reasons)}." if reasons else f"{who} most likely went wrong here."


def _alone(run: Run, calls: Sequence[Call], links: Sequence[Link]) -> Fault:
    """An error at the end, else a change with invented values, else the last change, else stopping without one."""
    last = calls[-1]
    if last.error is not None:
        row = [c for c in calls if c.tool == last.tool]
        while len(row) > 1 and row[-2].error is not None:
            row.pop()
        return _at(row[-1], f"{last.tool} failed and nothing put it right: {last.error.words}", 0.5)
    changes = [c for c in calls if is_change(c) and c.error is None]
    known = {(link.step, link.value) for link in links if link.argument}
    for call in changes:
        made_up = [
            (n, v) for n, v in argument_values(call.step.arguments) if _is_id(v) and (call.step.number, v) not in known
        ]
        if made_up:
            name, value = made_up[0]
            return _at(call, f"{call.tool} was given {name} = {value!r}, which stood nowhere before.", 0.35)
    if changes:
        return _at(changes[-1], f"{changes[-1].tool} is the last change that was made.", 0.3)
    said = [s for s in run.steps if s.kind in (StepKind.MESSAGE, StepKind.FINAL) and s.agent == last.step.agent]
    if said:
        return Fault(said[-1].number, said[-1].agent, "The agent ended without having changed anything.", 0.3)
    return _at(last, "The run ended after this call.", 0.2)


def _is_id(value: str) -> bool:
    """Whether a value can only be copied: it has letters and digits; sums, words and dates can be worked out."""
    return any(c.isdigit() for c in value) and any(c.isalpha() for c in value) and " " not in value


def _at(call: Call, text: str, confidence: float) -> Fault:
    return Fault(call.step.number, call.step.agent, text, confidence)
