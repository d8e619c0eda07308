"""Who and when: the agent and the step at fault in failed runs, against labels, with baselines in the same run.

A data folder holds one folder per subset, and in it a JSON file per run with the labels ``mistake_agent`` and
``mistake_step`` (from 0, into ``history``). The labels, and the right answers that stand beside them, are read for
scoring only; what is analysed is the task and the steps.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from trajwiki.domain.runs import EventKind, NewRun, Outcome, OutcomeBy, Run
from trajwiki.errors import UnreadableInput
from trajwiki.evaluation.markdown import share, table
from trajwiki.evaluation.output import Progress, silent
from trajwiki.evaluation.stats import wilson
from trajwiki.readers.runs.reading import read_runs
from trajwiki.tips.analysis import analyse
from trajwiki.tips.fault import choose, probabilities
from trajwiki.tips.team import Team, team_of

FOLDS: Final = 10
PENALTY: Final[Mapping[bool, float]] = {False: 20.0, True: 12.0}  # L2, by whether the team is led; signals in SDs
ROUNDS: Final = 50

_ROLE: Final = re.compile(r"\s*\([^()]*\)\s*$")
_INDEX: Final = re.compile(r"/history/(\d+)")

Guess = tuple[str, int]  # agent, and index into the history of the file


@dataclass(frozen=True, slots=True)
class Case:
    """A failed run with its labels.

    Attributes:
        name: Of the file, without its ending.
        run: As it is analysed: without the labels, the answer and whatever else the file holds.
        speakers: Name of the agent of every entry of the history.
        at: Index into the history of every step.
        agent: The agent at fault.
        step: Index of the entry at fault.
    """

    name: str
    run: Run
    speakers: tuple[str, ...]
    at: tuple[int, ...]
    agent: str
    step: int


def run_attribution(data: Path, *, progress: Progress = silent) -> dict[str, dict[str, Any]]:
    """Give, by subset folder, the accuracy of the attribution, of the baselines, and what the misses look like.

    The frozen weights of the product were fitted to runs of this kind; where those runs are in `data` too,
    ``cross_validated`` tells what to expect of others: the same signals, fitted without the fold that is judged.

    Raises:
        UnreadableInput: A file is not a labelled run, or there is none.
    """
    subsets = {subset: load(files) for subset, files in find(data).items()}
    cases = [case for part in subsets.values() for case in part]
    guesses: dict[int, tuple[Guess, tuple[int, ...]]] = {}
    for done, case in enumerate(cases, start=1):
        guesses[id(case)] = _attributed(case)
        progress("attributing", done, len(cases))
    held_out = dict(zip(map(id, cases), cross_validated(cases), strict=True))
    report: dict[str, dict[str, Any]] = {}
    for subset, part in subsets.items():
        made = [guesses[id(case)] for case in part]
        report[subset] = {
            "runs": len(part),
            **_accuracy(part, [guess for guess, _ in made]),
            "cross_validated": _accuracy(part, [held_out[id(case)] for case in part]),
            "baselines": baselines(part),
            "misses": _misses(part, made),
        }
    return report


def find(data: Path) -> dict[str, list[Path]]:
    """Give the run files by subset; files that stand in `data` itself are a subset of its name.

    Raises:
        UnreadableInput: There are none.
    """
    if not data.is_dir():
        raise UnreadableInput(f"{data} is not a folder; give the one that holds a folder of JSON runs per subset")
    found: dict[str, list[Path]] = {}
    for path in sorted(data.rglob("*.json")):
        folders = path.relative_to(data).parts[:-1]
        found.setdefault(folders[0] if folders else data.resolve().name, []).append(path)
    if not found:
        raise UnreadableInput(f"{data} holds no JSON file; give the folder that holds a folder of runs per subset")
    return found


def load(files: Sequence[Path]) -> list[Case]:
    """Read labelled runs.

    Raises:
        UnreadableInput: A file is no JSON, or no labelled run.
    """
    return [_case(path) for path in files]


def _case(path: Path) -> Case:
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        history, agent, step = record["history"], str(record["mistake_agent"]), int(record["mistake_step"])
        speakers = tuple(_ROLE.sub("", str(entry.get("name") or entry["role"])) for entry in history)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise UnreadableInput(
            f"{path} is not a labelled run (history, mistake_agent, mistake_step): {error}"
        ) from error
    runs = list(read_runs(path))
    if len(runs) != 1:
        raise UnreadableInput(f"{path} holds {len(runs)} runs instead of one")
    run = _unlabelled(runs[0])
    at = tuple(_index(s.where, s.number) for s in run.steps)
    return Case(path.stem, run, speakers, at, agent, step)


def _unlabelled(run: NewRun) -> Run:
    """The task and the steps, and that the run failed, which is all that is known of it."""
    return Run(
        id=run.source_ref or "run",
        ordinal=0,
        source_ref=run.source_ref,
        source=run.source,
        task=run.task,
        steps=run.steps,
        outcome=Outcome.FAILURE,
        outcome_by=OutcomeBy.EVALUATION,
    )


def _index(where: str, number: int) -> int:
    match = _INDEX.search(where)
    return int(match.group(1)) if match else number - 1


def _attributed(case: Case) -> tuple[Guess, tuple[int, ...]]:
    """The guess, and the indices of all steps that the attribution names."""
    found = next(a for a in analyse(case.run).attributions if a.event is EventKind.FAILURE)
    named = (found.root, *found.contributing, found.proximate, found.immediate)
    return (found.agent, case.at[found.root.step - 1]), tuple(case.at[c.step - 1] for c in named)


def _accuracy(cases: Sequence[Case], guesses: Sequence[Guess]) -> dict[str, Any]:
    agents = [guess[0] == case.agent for case, guess in zip(cases, guesses, strict=True)]
    steps = [guess[1] == case.step for case, guess in zip(cases, guesses, strict=True)]
    agent, step = wilson(sum(agents), len(agents)), wilson(sum(steps), len(steps))
    return {
        "agent_accuracy": agent.value,
        "step_accuracy": step.value,
        "agent_interval": [agent.low, agent.high],
        "step_interval": [step.low, step.high],
    }


def _misses(cases: Sequence[Case], made: Sequence[tuple[Guess, tuple[int, ...]]]) -> dict[str, int]:
    """Count what the wrong guesses have in common."""
    kinds: Counter[str] = Counter()
    for case, ((agent, step), named) in zip(cases, made, strict=True):
        if step == case.step:
            continue
        kinds["wrong_step"] += 1
        kinds["right_agent_wrong_step"] += agent == case.agent
        kinds["too_early"] += step < case.step
        kinds["too_late"] += step > case.step
        kinds["right_step_named_as_other_cause"] += case.step in named
        kinds["label_is_a_result"] += case.step not in _choices(case)
        kinds["label_in_last_third"] += case.step >= 2 * len(case.speakers) / 3
    return {kind: kinds[kind] for kind in sorted(kinds)}


def _choices(case: Case) -> set[int]:
    return {case.at[turn.step - 1] for turn in team_of(case.run).turns}


def baselines(cases: Sequence[Case]) -> dict[str, dict[str, float]]:
    """Give agent and step accuracy of what needs no reading; what is chosen from labels is chosen in other folds."""
    rules: dict[str, Callable[[Case, Sequence[Case]], Guess]] = {
        "first_step": lambda case, _: _entry(case, 0),
        "last_step": lambda case, _: _entry(case, len(case.speakers) - 1),
        "best_constant_step": lambda case, others: _entry(case, _most_common(c.step for c in others)),
        "most_frequent_agent": lambda case, others: _agents_first(case, _most_common(c.agent for c in others)),
        "agent_of_first_step": lambda case, _: _agents_first(case, case.speakers[0]),
    }
    found = {"random": _random(cases)}
    for name, rule in rules.items():
        guesses = [rule(case, _others(cases, i)) for i, case in enumerate(cases)]
        figures = _accuracy(cases, guesses)
        found[name] = {key: figures[key] for key in ("agent_accuracy", "step_accuracy")}
    return found


def _others(cases: Sequence[Case], i: int) -> list[Case]:
    """The cases of the other folds; of a single case, none."""
    return [case for j, case in enumerate(cases) if j % FOLDS != i % FOLDS]


def _random(cases: Sequence[Case]) -> dict[str, float]:
    """Expected accuracy of a step, and of an agent, drawn at random in each run."""
    steps = [1 / len(case.speakers) for case in cases]
    agents = [(case.agent in case.speakers) / len(set(case.speakers)) for case in cases]
    return {
        "agent_accuracy": round(float(np.mean(agents)), 4),
        "step_accuracy": round(float(np.mean(steps)), 4),
    }


def _entry(case: Case, step: Any) -> Guess:
    step = min(int(step or 0), len(case.speakers) - 1)
    return case.speakers[step], step


def _agents_first(case: Case, agent: Any) -> Guess:
    return str(agent), case.speakers.index(agent) if agent in case.speakers else 0


def _most_common(values: Iterator[Any]) -> Any:
    """The most frequent value, the smallest of equals; None of nothing."""
    counts = Counter(values)
    return min(counts, key=lambda value: (-counts[value], value), default=None)


def cross_validated(cases: Sequence[Case]) -> list[Guess]:
    """Give the guesses that the signals allow when their weights come from the other folds."""
    teams = [team_of(case.run) for case in cases]
    weights: dict[tuple[int, bool], Mapping[str, float]] = {}
    guesses: list[Guess] = []
    for i, (case, team) in enumerate(zip(cases, teams, strict=True)):
        if not team.turns:
            guesses.append(_entry(case, 0))
            continue
        fold = (i % FOLDS, team.led)
        if fold not in weights:
            kin = [j for j in range(len(cases)) if j % FOLDS != fold[0] and teams[j].led == team.led]
            weights[fold] = fit([(teams[j], cases[j].at.index(cases[j].step) + 1) for j in kin if _has_step(cases[j])])
        known = weights[fold] or dict.fromkeys(team.turns[0].signals, 0.0)
        turn = team.turns[choose(team, probabilities(team, known))]
        guesses.append((turn.agent, case.at[turn.step - 1]))
    return guesses


def _has_step(case: Case) -> bool:
    return case.step in case.at


def fit(marked: Sequence[tuple[Team, int]]) -> dict[str, float]:
    """Fit the weights of a conditional logit over turns to teams with the step at fault (Newton, L2 penalty).

    Teams whose step at fault is no turn are left out; of none, the weights are empty.
    """
    usable = [(team, [t.step for t in team.turns].index(step)) for team, step in marked if _is_turn(team, step)]
    if not usable:
        return {}
    names = list(usable[0][0].turns[0].signals)
    tables = [np.array([[turn.signals[n] for n in names] for turn in team.turns]) for team, _ in usable]
    spread = np.vstack(tables).std(axis=0) + 1e-9
    tables = [rows / spread for rows in tables]
    chosen = [y for _, y in usable]
    penalty = PENALTY[usable[0][0].led]
    weights = np.zeros(len(names))
    value = _likelihood(weights, tables, chosen, penalty)
    for _ in range(ROUNDS):
        slope, curve = -penalty * weights, penalty * np.eye(len(names))
        for rows, y in zip(tables, chosen, strict=True):
            p = _softmax(rows @ weights)
            mean = p @ rows
            slope += rows[y] - mean
            curve += (rows * p[:, None]).T @ rows - np.outer(mean, mean)
        step, size = np.linalg.solve(curve, slope), 1.0
        while (new := _likelihood(weights + size * step, tables, chosen, penalty)) < value and size > 1e-4:
            size /= 2
        weights, gain, value = weights + size * step, new - value, new
        if abs(gain) < 1e-7:
            break
    return {name: float(w) for name, w in zip(names, weights / spread, strict=True)}


def _is_turn(team: Team, step: int) -> bool:
    return any(turn.step == step for turn in team.turns)


def _softmax(scores: np.ndarray) -> np.ndarray:
    odds = np.exp(scores - scores.max())
    return np.asarray(odds / odds.sum())


def _likelihood(weights: np.ndarray, tables: Sequence[np.ndarray], chosen: Sequence[int], penalty: float) -> float:
    return float(
        sum(np.log(_softmax(rows @ weights)[y] + 1e-300) for rows, y in zip(tables, chosen, strict=True))
        - penalty * (weights @ weights) / 2
    )


def render(report: Mapping[str, Mapping[str, Any]]) -> str:
    """Give the report as Markdown: a table a subset, and the misses."""
    lines: list[str] = ["# Attribution of failed runs", ""]
    for subset, figures in report.items():
        rows = [("attribution", figures), ("the same, cross-validated", figures["cross_validated"])]
        rows += [(name.replace("_", " "), found) for name, found in figures["baselines"].items()]
        cells = [(name, share(f["agent_accuracy"]), share(f["step_accuracy"])) for name, f in rows]
        lines += [f"## {subset}: {figures['runs']} runs", "", *table(("", "agent", "step"), cells)]
        misses = ", ".join(f"{name.replace('_', ' ')} {n}" for name, n in figures["misses"].items())
        lines += [f"Misses: {misses or 'none'}.", ""]
    return "\n".join(lines)
