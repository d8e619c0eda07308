"""The trial: what the agent's runs teach, and whether that helps it at tasks that it has not seen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from trajwiki.desk.agent import Agent
from trajwiki.desk.api import NEW, OLD, Desk
from trajwiki.desk.tasks import COMPOSED, TRAINED, Task, evaluate, make_task
from trajwiki.domain.runs import NewRun, Outcome, OutcomeBy
from trajwiki.domain.tips import Delivery
from trajwiki.space import Space
from trajwiki.tips.rates import Rate, rate

APP: Final = "order desk"
ARMS: Final = ("none", "raw", "consolidated")
TOP_K: Final = 12  # tips for a task; most tasks take three or four tools
WORDS: Final = 2_000  # of a block, at most


@dataclass(frozen=True, slots=True)
class Size:
    """How much is tried.

    Attributes:
        before: Tasks of each family that are worked at before the interface changes.
        after: After that.
        tries: At each task, in the training and at unseen ones.
        unseen: Unseen tasks of each family.
    """

    before: int = 2
    after: int = 4
    tries: int = 4
    unseen: int = 6


FULL: Final = Size()


@dataclass(slots=True)
class Arm:
    """How the agent did with one kind of guidelines: tries and successes by family of tasks."""

    name: str
    tries: Counter[str] = field(default_factory=Counter)
    hits: Counter[str] = field(default_factory=Counter)

    def rate(self, *families: str) -> Rate:
        """Give the share of successes, of some families or of all, with its interval."""
        chosen = families or tuple(self.tries)
        return rate(sum(self.hits[f] for f in chosen), sum(self.tries[f] for f in chosen))

    def __add__(self, other: Arm) -> Arm:
        return Arm(self.name, self.tries + other.tries, self.hits + other.hits)


@dataclass(frozen=True, slots=True)
class Trial:
    """What one repetition gave.

    Attributes:
        runs: Of the training.
        successes: Of them.
        arms: By name, in the order of `ARMS`.
        shown: A delivery for an unseen task.
    """

    runs: int
    successes: int
    arms: Mapping[str, Arm]
    shown: Delivery


def attempt(task: Task, *, seed: str, version: int = NEW, guidelines: str = "") -> NewRun:
    """Let the agent work at a task. The outcome is the evaluator's, read from the shop; the agent has no say."""
    desk = Desk(task.shop(), version=version)
    agent = Agent(desk, task.text, seed=seed, guidelines=guidelines)
    agent.work()
    verdict = evaluate(task, desk.shop)
    return NewRun(
        source_ref=f"{task.ref}:{version}:{seed}",
        source="order desk",
        task=task.text,
        steps=tuple(agent.steps),
        app=APP,
        agent="clerk",
        outcome=Outcome.SUCCESS if verdict.success else Outcome.FAILURE,
        outcome_by=OutcomeBy.EVALUATION,
        outcome_note=verdict.note,
        task_ref=f"{task.ref}:{version}",
    )


def training(version: int, *, seed: int, tasks: int, tries: int) -> list[NewRun]:
    """Give runs without guidelines at tasks of the families that are trained."""
    when = "before" if version == OLD else "after"
    todo = [make_task(family, f"{seed}-{when}-{n}") for family in TRAINED for n in range(tasks)]
    return [attempt(t, seed=f"{seed}/{n}", version=version) for t in todo for n in range(tries)]


def unseen(seed: int, *, tasks: int) -> list[Task]:
    """Give tasks in other shops: of the families that were trained, and of families composed of their parts."""
    return [make_task(family, f"{seed}-unseen-{n}") for family in (*TRAINED, *COMPOSED) for n in range(tasks)]


def try_arm(name: str, tasks: Iterable[Task], blocks: Mapping[str, str], *, tries: int) -> Arm:
    """Let the agent try tasks with the blocks that stand under their refs; the same seeds whatever the blocks."""
    arm = Arm(name)
    for task in tasks:
        for n in range(tries):
            run = attempt(task, seed=f"unseen/{n}", guidelines=blocks.get(task.ref, ""))
            arm.tries[task.family] += 1
            arm.hits[task.family] += run.outcome is Outcome.SUCCESS
    return arm


def run_trial(space: Space, *, seed: int, size: Size = FULL, top_k: int = TOP_K) -> Trial:
    """Work, learn, and work again at what was not seen; one repetition with shops and tasks of its own.

    Runs without guidelines go into the space, first those before a change of the interface, then those after it. For
    every unseen task the space is asked for guidelines, once before its tips are consolidated and once after.
    """
    space.choose("consolidate", "off")
    runs = [
        *training(OLD, seed=seed, tasks=size.before, tries=size.tries),
        *training(NEW, seed=seed, tasks=size.after, tries=size.tries),
    ]
    space.add_run(runs)
    tasks = unseen(seed, tasks=size.unseen)
    raw = _given(space, tasks, top_k)
    space.consolidate_tips()
    learned = _given(space, tasks, top_k)
    of_arm = {"none": {}, "raw": raw, "consolidated": learned}
    arms = {
        name: try_arm(name, tasks, {ref: d.block for ref, d in of_arm[name].items()}, tries=size.tries) for name in ARMS
    }
    return Trial(len(runs), sum(r.outcome is Outcome.SUCCESS for r in runs), arms, learned[tasks[0].ref])


def summed(trials: Sequence[Trial]) -> dict[str, Arm]:
    """Give the arms over all repetitions."""
    return {name: sum((t.arms[name] for t in trials[1:]), trials[0].arms[name]) for name in ARMS}


def _given(space: Space, tasks: Iterable[Task], top_k: int) -> dict[str, Delivery]:
    return {t.ref: space.guidelines(t.text, app=APP, top_k=top_k, budget=WORDS) for t in tasks}
