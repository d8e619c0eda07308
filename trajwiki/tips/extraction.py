"""Tips from one analysed run: whole-task and per-subtask, for the application and for any application."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from trajwiki.domain.ids import Ids
from trajwiki.domain.problems import Problem
from trajwiki.domain.runs import Analysis, Outcome, Run, Subtask
from trajwiki.domain.tips import Granularity, Priority, Scope, Tip, TipOp, TipSource, TipState, TipVerb
from trajwiki.tips.checks import faults, is_order
from trajwiki.tips.drafts import Draft
from trajwiki.tips.facts import Facts, facts_of, is_act
from trajwiki.tips.plans import planned, prepared, ruled
from trajwiki.tips.policy import rules_in
from trajwiki.tips.templates import from_finding
from trajwiki.tips.wording import describe, in_words, task_category

PER_PHASE: Final = 4  # tips of a subtask, and of a whole task (report, 3.1.4: two to four; fewer where there is less)
RULE: Final = "rule"
RANK: Final = {Priority.HIGH: 0, Priority.MEDIUM: 1, Priority.LOW: 2}


@dataclass(frozen=True, slots=True)
class Extracted:
    """What was drawn from a run.

    Attributes:
        tips: Tips, proposed and rejected ones.
        ops: PROPOSE for those that passed their checks, REJECT with the reasons for the others; one each.
        problems: What could not be used.
    """

    tips: tuple[Tip, ...] = ()
    ops: tuple[TipOp, ...] = ()
    problems: tuple[Problem, ...] = ()


def extract_tips(
    run: Run,
    analysis: Analysis,
    *,
    ids: Ids,
    ordinal: int,
    at: datetime,
    op_ordinal: int = 0,
    known: Collection[str] = (),
) -> Extracted:
    """Draw tips from one run (report, 3.1.3 and 3.1.4); fewer where there is less to say, none where there is nothing.

    Args:
        run: The run.
        analysis: What was found in it.
        ids: Makes the ids of the space.
        ordinal: Of the first new tip in the space.
        at: The time of the operations.
        op_ordinal: Of the first new tip operation in the space.
        known: Ids of tips that are there already, which are not given again.
    """
    facts = facts_of(run)
    drafts = _limited(run, analysis.subtasks, [*_task_drafts(facts), *_phase_drafts(facts, analysis)])
    tips = [tip_of(d, [(run, d.first, d.last)], facts, analysis.subtasks, ids=ids) for d in drafts]
    return admit(tips, {run.id: run}, [facts], ids=ids, ordinal=ordinal, op_ordinal=op_ordinal, at=at, known=known)


def admit(
    tips: Iterable[Tip],
    runs: dict[str, Run],
    facts: Sequence[Facts],
    *,
    ids: Ids,
    ordinal: int,
    op_ordinal: int,
    at: datetime,
    known: Collection[str] = (),
) -> Extracted:
    """Number tips, check each, and say what was done with it. A tip that is known, or comes twice, is given once."""
    kept: list[Tip] = []
    ops: list[TipOp] = []
    problems: list[Problem] = []
    for tip in {t.id: t for t in tips if t.id not in known}.values():
        own = [f for f in facts if any(s.run_id == f.run.id for s in tip.sources)]
        reasons = faults(tip, runs, own)
        order = any("F68" in r for r in reasons)
        kept.append(numbered(tip, ordinal + len(kept), instruction_like=order))
        verb, state = (TipVerb.REJECT, TipState.REJECTED) if reasons else (TipVerb.PROPOSE, TipState.PROPOSED)
        reason = "; ".join(reasons) or "it passed its checks"
        ops.append(op_of(ids, op_ordinal + len(ops), verb, tip.id, state, reason=reason, at=at))
        if reasons:
            problems.append(Problem("tip.rejected", f"a tip was not proposed: {reason}", tip.id))
    return Extracted(tuple(kept), tuple(ops), tuple(problems))


def tip_of(
    draft: Draft, sources: Sequence[tuple[Run, int, int]], facts: Facts, subtasks: Sequence[Subtask], *, ids: Ids
) -> Tip:
    """Make a tip of a draft; its number comes later."""
    run = facts.run
    task = describe(run.task, facts.values, facts.told)
    phase = next((s for s in subtasks if s.first <= draft.first <= s.last), None)
    whole = draft.granularity is Granularity.TASK or phase is None
    description = (
        task if whole or phase is None else describe(phase.description, facts.values, facts.told | _names(facts))
    )
    app = None if draft.scope is Scope.GENERIC else run.app
    placed = tuple(TipSource(r.id, first, last, r.outcome) for r, first, last in sources)
    category = task_category(task)
    identity = [draft.category, draft.content, *draft.steps, draft.trigger, app, category, draft.scope, description]
    of_sources = [f"{s.run_id}:{s.first}:{s.last}" for s in placed]
    return Tip(
        id=ids.of("tip", *identity, *of_sources),
        ordinal=0,
        category=draft.category,
        content=draft.content,
        purpose=draft.purpose,
        steps=draft.steps,
        trigger=draft.trigger,
        negative_example=draft.negative,
        priority=draft.priority,
        app=app,
        task_category=category,
        granularity=Granularity.TASK if whole else Granularity.SUBTASK,
        scope=draft.scope,
        description=description,
        sources=placed,
        decided_by=RULE,
    )


def numbered(tip: Tip, ordinal: int, *, instruction_like: bool = False) -> Tip:
    """Give the tip with its place among the tips of the space."""
    return replace(tip, ordinal=ordinal, instruction_like=tip.instruction_like or instruction_like)


def op_of(
    ids: Ids,
    ordinal: int,
    verb: TipVerb,
    tip_id: str,
    state: TipState,
    *,
    reason: str,
    at: datetime,
    actor: str = RULE,
    others: tuple[str, ...] = (),
) -> TipOp:
    """Make an operation; its id comes from its place and what it does."""
    return TipOp(
        ids.of("tipop", ordinal, verb, tip_id, *others), ordinal, verb, tip_id, state, others, actor, reason, at
    )


def _task_drafts(facts: Facts) -> Iterator[Draft]:
    yield from planned(facts)


def _phase_drafts(facts: Facts, analysis: Analysis) -> Iterator[Draft]:
    for finding in analysis.findings:
        yield from from_finding(facts, finding)
    rules = rules_in(facts)
    seen: set[str] = set()
    for call in reversed(facts.calls):  # the last call of a tool is the one that counted
        if not call.step.tool or not is_act(call) or call.tool in seen:
            continue
        seen.add(call.tool)
        yield from ruled(facts, call, rules)
        if call.error is None and facts.run.outcome in (Outcome.SUCCESS, Outcome.UNKNOWN):
            draft = prepared(facts, call)
            if draft is not None:
                yield draft


def _limited(run: Run, subtasks: Sequence[Subtask], drafts: Sequence[Draft]) -> list[Draft]:
    """At most four of a phase: what costs most first, the application's own before what holds anywhere."""
    groups: dict[int, list[Draft]] = {}
    said: set[str] = set()
    for draft in drafts:
        if draft.content in said or is_order(draft.content):
            continue
        said.add(draft.content)
        whole = draft.granularity is Granularity.TASK
        phase = next((n for n, s in enumerate(subtasks) if s.first <= draft.first <= s.last), len(subtasks))
        groups.setdefault(-1 if whole else phase, []).append(draft)
    kept = []
    for phase in sorted(groups):
        ranked = sorted(groups[phase], key=lambda d: (RANK[d.priority], d.scope is Scope.GENERIC, d.first, d.content))
        kept += sorted(ranked[:PER_PHASE], key=lambda d: (d.first, d.content))
    return kept


def _names(facts: Facts) -> frozenset[str]:
    return frozenset(w for n in facts.names for w in in_words(n).split())
