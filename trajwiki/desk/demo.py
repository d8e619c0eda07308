"""The demo of tips as values: one run traced back, what was learned, a contradiction settled, and what it is worth."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from trajwiki.desk.trial import ARMS, FULL, TOP_K, Arm, Size, Trial, run_trial, summed
from trajwiki.domain.runs import Attribution, EventKind, Outcome, Run, Step, StepKind
from trajwiki.domain.tipbook import LIVE
from trajwiki.domain.tips import Tip, TipState
from trajwiki.engine import Memory
from trajwiki.space import Space
from trajwiki.tips.rates import Rate, difference

TIPS: Final = 6  # that are shown
LINE: Final = 150

Progress = Callable[[str, int, int], None]


def play(
    memory: Memory, *, seeds: int, size: Size = FULL, top_k: int = TOP_K, progress: Progress | None = None
) -> dict[str, Any]:
    """Run the demo in a memory and give all it shows as JSON values.

    Args:
        memory: Gets one space for each repetition.
        seeds: Repetitions, each with shops, runs and unseen tasks of its own; at least 1.
        size: Of each repetition.
        top_k: Tips in a block, at most.
        progress: Told (what, done, of how many).
    """
    spaces: list[Space] = []
    trials: list[Trial] = []
    for seed in range(1, seeds + 1):
        spaces.append(memory.create_space(f"desk-{seed}", id=f"order-desk-{seed}"))
        trials.append(run_trial(spaces[-1], seed=seed, size=size, top_k=top_k))
        if progress is not None:
            progress("repetitions", seed, seeds)
    arms = summed(trials)
    conflict = next((c for s in spaces if (c := _conflict(s)) is not None), None)
    return {
        "seeds": seeds,
        "tips_in_a_block": top_k,
        "training": {"runs": sum(t.runs for t in trials), "successes": sum(t.successes for t in trials)},
        "attribution": _attribution(spaces[0]),
        "tips": _tips(spaces[0]),
        "conflict": conflict,
        "guidelines": {"task": trials[0].shown.task, "block": trials[0].shown.block},
        "arms": {name: _arm(arms[name], arms["none"]) for name in ARMS},
        "consolidated_over_raw": list(difference(arms["consolidated"].rate(), arms["raw"].rate())),
    }


def _attribution(space: Space) -> dict[str, Any] | None:
    """The failed run whose causes lie furthest apart; the shorter one of several."""
    found: list[tuple[int, int, Run, Attribution]] = []
    for run in space.runs():
        if run.outcome is Outcome.FAILURE:
            for event in space.analysis(run.id).attributions[:1]:
                if event.event is EventKind.FAILURE:
                    causes = {event.immediate.step, event.proximate.step, event.root.step}
                    found.append((-len(causes), len(run.steps), run, event))
    if not found:
        return None
    _, _, run, event = min(found, key=lambda x: (x[0], x[1], x[2].ordinal))
    named = (("immediate", event.immediate), ("proximate", event.proximate), ("root", event.root))
    return {
        "task": run.task,
        "outcome": run.outcome,
        "evaluator": run.outcome_note,
        "steps": [f"{s.number:>3} {_step(s)}" for s in run.steps],
        "causes": [{"which": which, "step": c.step, "text": c.text} for which, c in named],
    }


def _step(step: Step) -> str:
    if step.kind is StepKind.ACTION:
        given = ", ".join(f"{n}={v!r}" for n, v in step.arguments.items())
        return f"{step.tool}({given})"[:LINE]
    text = " ".join(step.text.split())
    return f"{step.kind}: {text if len(text) <= LINE else text[: LINE - 1] + '…'}"


def _tips(space: Space) -> dict[str, Any]:
    """Counts by state, and the best supported tips, one for each thing that they are about."""
    counts: dict[str, int] = {}
    live: list[Tip] = []
    for tip, state in space.tips():
        counts[state] = counts.get(state, 0) + 1
        if state in LIVE and tip.app is not None:
            live.append(tip)
    best: dict[tuple[str, str], Tip] = {}
    for tip in sorted(live, key=lambda t: (-t.support, t.content)):
        best.setdefault((tip.category, tip.content.split("`")[0]), tip)
    return {"states": counts, "shown": [_tip(t) for t in list(best.values())[:TIPS]]}


def _conflict(space: Space) -> dict[str, Any] | None:
    """The first tip that gave way to a contrary one."""
    everything = {tip.id: (tip, state) for tip, state in space.tips()}
    for tip, state in everything.values():
        if state is TipState.SUPERSEDED:
            op = space.tip_history(tip.id)[-1]
            winner = everything[op.others[0]][0] if op.others else None
            return {"gave_way": _tip(tip), "reason": op.reason, "stands": _tip(winner) if winner else None}
    return None


def _tip(tip: Tip) -> dict[str, Any]:
    return {"id": tip.id, "category": tip.category, "content": tip.content, "support": tip.support}


def _arm(arm: Arm, base: Arm) -> dict[str, Any]:
    families = {f: {**_rate(arm.rate(f)), "gain": list(difference(arm.rate(f), base.rate(f)))} for f in arm.tries}
    return {**_rate(arm.rate()), "gain": list(difference(arm.rate(), base.rate())), "families": families}


def _rate(found: Rate) -> dict[str, Any]:
    return {"successes": found.hits, "tries": found.n, "rate": found.value, "interval": [found.low, found.high]}
