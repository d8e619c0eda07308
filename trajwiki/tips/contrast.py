"""Tips from two runs at one task that ended differently: what the one that succeeded did and the other did not.

Every pair of a run that succeeded and one that failed is compared by itself, so the tips do not depend on the order
in which runs come, and an erased run takes exactly its pairs with it. What several pairs show alike becomes one tip
with their support when tips are consolidated.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from trajwiki.domain.ids import Ids
from trajwiki.domain.runs import Analysis, Outcome, Run
from trajwiki.domain.tips import Granularity, Priority, Scope, Tip, TipCategory
from trajwiki.language.tokens import fold
from trajwiki.tips.drafts import Draft, differences, needs, said
from trajwiki.tips.extraction import Extracted, admit, tip_of
from trajwiki.tips.facts import Facts, facts_of, is_act, is_specific, leaves
from trajwiki.tips.findings import Call, is_change
from trajwiki.tips.policy import fields_in, quote, rules_for, rules_in
from trajwiki.tips.wording import describe, in_words

PER_PAIR: Final = 4
TRIGGER_WORDS: Final = 24
MAX_PAIRS: Final = 400  # of one task; beyond it the first runs by id are compared


@dataclass(frozen=True, slots=True)
class Pair:
    """A run that succeeded and one that failed, at the same task."""

    good: Facts
    bad: Facts


def contrast_tips(
    runs: Iterable[Run],
    analyses: Mapping[str, Analysis],
    *,
    ids: Ids,
    ordinal: int,
    at: datetime,
    op_ordinal: int = 0,
    known: Collection[str] = (),
    only: Collection[str] | None = None,
) -> Extracted:
    """Compare runs at the same task (same application and `task_ref`) that ended differently.

    Args:
        runs: All runs of the space, or those of the tasks that are meant.
        analyses: Of the runs, by run id.
        ids: Makes the ids of the space.
        ordinal: Of the first new tip.
        at: The time of the operations.
        op_ordinal: Of the first new operation.
        known: Ids of tips that are there already.
        only: Compare only pairs with one of these runs; None: all.
    """
    by_task: dict[tuple[str, str, str], list[Run]] = {}
    for run in runs:
        if run.task_ref:
            by_task.setdefault((run.source, run.app or "", run.task_ref), []).append(run)
    read: dict[str, Facts] = {}
    tips: list[Tip] = []
    for key in sorted(by_task):
        for pair in _pairs(by_task[key], only, read):
            first = analyses.get(pair.good.run.id)
            phases = first.subtasks if first else ()
            for draft, (a, b) in _drafts(pair):
                sources = [(pair.good.run, *a), (pair.bad.run, *b)]
                tips.append(tip_of(draft, sources, pair.good, phases, ids=ids))
    held = {r.id: r for group in by_task.values() for r in group}
    return admit(tips, held, list(read.values()), ids=ids, ordinal=ordinal, op_ordinal=op_ordinal, at=at, known=known)


def _pairs(runs: Sequence[Run], only: Collection[str] | None, read: dict[str, Facts]) -> Iterator[Pair]:
    good = sorted((r for r in runs if r.outcome is Outcome.SUCCESS), key=lambda r: r.id)
    bad = sorted((r for r in runs if r.outcome is Outcome.FAILURE), key=lambda r: r.id)
    wanted = [(g, b) for g in good for b in bad if only is None or g.id in only or b.id in only]
    for g, b in wanted[:MAX_PAIRS]:
        for run in (g, b):
            if run.id not in read:
                read[run.id] = facts_of(run)
        yield Pair(read[g.id], read[b.id])


Span = tuple[int, int]
Found = tuple[Draft, tuple[Span, Span]]  # with the steps in the run that succeeded and in the one that failed


def _drafts(pair: Pair) -> list[Found]:
    """The differences that matter, at most four, those in what was changed before those in what was looked at."""
    found = [*_changes(pair), *_refused_more(pair), *_looks(pair), *_ending(pair)]
    kept: dict[str, Found] = {}
    for draft, spans in found:
        kept.setdefault(draft.content, (draft, spans))
    return list(kept.values())[:PER_PAIR]


def _changes(pair: Pair) -> Iterator[Found]:
    good, bad = _done(pair.good), _done(pair.bad)
    tools = list(dict.fromkeys(c.tool for c in [*good, *bad]))
    for tool in tools:
        a, b = [c for c in good if c.tool == tool], [c for c in bad if c.tool == tool]
        if a and not b:
            if not any(c.tool == tool for c in pair.bad.calls):  # tried and refused is another story
                yield from _missing(pair, a)
        elif b and not a:
            yield from _needless(pair, b)
        elif _keys(a) != _keys(b):
            yield from _differing(pair, a, b)


def _missing(pair: Pair, calls: Sequence[Call]) -> Iterator[Found]:
    """A change that only the run that succeeded made."""
    call = calls[0]
    rule, fields, reader = _rule(pair.good, call)
    instead = [c for c in _done(pair.bad) if c.tool not in {x.tool for x in _done(pair.good)}]
    negative = f"Ending with `{instead[-1].tool}` instead." if instead else f"Ending without `{call.tool}`."
    steps = (
        *((f"Call `{reader}` and read {said(fields)}.",) if reader and fields else ()),
        *((f"Check the request against the rule “{rule}”",) if rule else ()),
        f"When it is due, call `{call.tool}`.",
    )
    draft = Draft(
        TipCategory.STRATEGY,
        Priority.HIGH,
        Scope.DOMAIN,
        f"Do not end such a task without asking whether `{call.tool}` is due: a run that called it succeeded, "
        "one that did not failed.",
        "It is the change by which the two runs at the same task differ.",
        steps if len(steps) > 1 else (f"Find out whether the request is met by {_gerund(call.tool)}.", *steps),
        f"{_like(pair)} `{call.tool}` can be called.",
        *_span(calls),
        negative,
        Granularity.TASK,
    )
    yield draft, (_span(calls), _end(pair.bad))
    if is_change(call):
        yield _generic_missing(calls), (_span(calls), _end(pair.bad))


def _needless(pair: Pair, calls: Sequence[Call]) -> Iterator[Found]:
    """A change that only the run that failed made."""
    call = calls[0]
    rule, fields, reader = _rule(pair.bad, call)
    steps = (
        *((f"Call `{reader}` and read {said(fields)}.",) if reader and fields else ()),
        f"Ask whether the request wants `{call.tool}` now"
        + (f", and whether the rule “{rule}” allows it." if rule else ", and whether the instructions allow it."),
        f"Without a clear yes to both, leave `{call.tool}` out.",
    )
    yield (
        Draft(
            TipCategory.STRATEGY,
            Priority.HIGH,
            Scope.DOMAIN,
            f"Do not call `{call.tool}` on such a task before it is clear that it is wanted and allowed: "
            "a run that called it failed, one that left it out succeeded.",
            "A change that is not due spoils the result, even when all else is right.",
            steps,
            needs(call.tool),
            *_span(calls),
            f"Calling `{call.tool}` because it is the nearest tool at hand.",
            Granularity.TASK,
        ),
        (_whole(pair.good), _span(calls)),
    )


def _differing(pair: Pair, good: Sequence[Call], bad: Sequence[Call]) -> Iterator[Found]:
    """The same change, for other things or with other arguments."""
    spans = (_span(good), _span(bad))
    left_good = [c for c in good if _key(c) not in _keys(bad)]
    left_bad = [c for c in bad if _key(c) not in _keys(good)]
    matched: set[int] = set()
    for right in left_good:
        wrong = max((c for c in left_bad if c.step.number not in matched), key=lambda c: alike(c, right), default=None)
        if wrong is None or alike(wrong, right) < 0.5:
            continue
        matched |= {wrong.step.number, right.step.number}
        for field, old, new in differences(wrong.step.arguments, right.step.arguments)[:2]:
            yield _argument(pair, right, wrong, field, old, new), (_span([right]), _span([wrong]))
    more = [c for c in left_good if c.step.number not in matched]
    extra = [c for c in left_bad if c.step.number not in matched]
    if more and len(good) > len(bad):
        yield _all_of_them(pair, good, more[0]), spans
    if extra:
        yield from _one_too_many(pair, good, extra)


def _argument(pair: Pair, right: Call, wrong: Call, field: str, old: Any, new: Any) -> Draft:
    tool = right.tool
    origin = pair.good.origin(new, right.step.number) if new is not None else None
    before = pair.bad.origin(old, wrong.step.number) if old is not None else None
    bare = field.rpartition(".")[2]
    if origin and origin.tool and origin.field:
        source = f"`{origin.field}` in the result of `{origin.tool}`"
        same = before is not None and (before.tool, before.field) == (origin.tool, origin.field)
        how = f"choose the entry of {source} that the request means" if same else f"take it from {source}"
        steps = (
            f"Call `{origin.tool}` and go through all entries, not only the first that fits.",
            f"Compare each with everything that the request says, and copy the one that fits best into `{field}`.",
        )
    elif origin and origin.tool is None:
        how = "ask the user for it and take it as said"
        steps = (f"Ask for `{bare}` when the request leaves it open.", f"Give the answer to `{tool}` as `{field}`.")
    else:
        rule, _, _ = _rule(pair.good, right, only=field)
        how = "work it out from the instructions and the records before calling"
        steps = (
            f"Work out `{field}` by the rule “{rule}”"
            if rule
            else f"Work out `{field}` from the records, step by step.",
            f"Call `{tool}` with it once.",
        )
    return Draft(
        TipCategory.STRATEGY,
        Priority.HIGH,
        Scope.DOMAIN,
        f"In `{tool}`, `{field}` decides: {how}. A run that got it right succeeded, one that did not failed.",
        f"The two runs at the same task differ in `{field}` of `{tool}`.",
        steps,
        needs(tool),
        *_span([right]),
        f"Giving `{tool}` the first `{bare}` that comes up.",
        Granularity.TASK,
    )


def _all_of_them(pair: Pair, good: Sequence[Call], call: Call) -> Draft:
    listed = _listing(pair.good, good)
    where = f" Start from `{listed[1]}` of `{listed[0]}`." if listed else ""
    return Draft(
        TipCategory.STRATEGY,
        Priority.HIGH,
        Scope.DOMAIN,
        f"Call `{call.tool}` for everything that the request covers, not only for the first: "
        "a run that left some out failed, one that did all succeeded.",
        "The end state has to hold for each thing that was asked for.",
        (
            f"List everything that the request covers before the first `{call.tool}`.{where}",
            f"Call `{call.tool}` once for each that qualifies.",
            "Compare the list with the calls before ending.",
        ),
        needs(call.tool),
        *_span([call]),
        granularity=Granularity.TASK,
    )


def _one_too_many(pair: Pair, good: Sequence[Call], extra: Sequence[Call]) -> Iterator[Found]:
    call = extra[0]
    rule, fields, reader = _rule(pair.bad, call)
    steps = (
        *((f"Call `{reader}` for each and read {said(fields)}.",) if reader and fields else ()),
        f"Check each against the rule “{rule}”"
        if rule
        else "Ask of each whether the request and the instructions cover it.",
        f"Call `{call.tool}` only for those that pass, and say why the others are left.",
    )
    yield (
        Draft(
            TipCategory.STRATEGY,
            Priority.HIGH,
            Scope.DOMAIN,
            f"Decide on `{call.tool}` for each thing by itself: a run that called it for one too many failed, "
            "one that left that one out succeeded.",
            "Things that are named in one breath need not all qualify.",
            steps,
            needs(call.tool),
            *_span(extra),
            f"Calling `{call.tool}` for all that the user names without looking at each.",
            Granularity.TASK,
        ),
        (_span(good), _span(extra)),
    )


def _refused_more(pair: Pair) -> Iterator[Found]:
    """A tool that kept refusing in the run that failed only, and was never made to work there."""
    for tool in dict.fromkeys(c.tool for c in pair.bad.calls if c.error is not None and c.step.tool):
        own = [c for c in pair.bad.calls if c.tool == tool]
        if (
            len(own) < 2
            or any(c.error is None for c in own)
            or any(c.tool == tool and c.error for c in pair.good.calls)
        ):
            continue
        good = [c for c in pair.good.calls if c.tool == tool]
        draft = Draft(
            TipCategory.RECOVERY,
            Priority.MEDIUM,
            Scope.DOMAIN,
            f"When `{tool}` is refused twice, stop and work out its arguments anew instead of trying again.",
            f"A run that kept calling `{tool}` against refusals failed; "
            "one at the same task that never met them succeeded.",
            (
                "Write down what each refusal says.",
                "Work out every argument from results.",
                "Ask the user before a third try.",
            ),
            needs(tool),
            *(_span(good) if good else _whole(pair.good)),
            granularity=Granularity.TASK,
        )
        yield draft, (_span(good) if good else _whole(pair.good), _span(own))


def _looks(pair: Pair) -> Iterator[Found]:
    """Reading calls that only the run that succeeded made, before its last change or its end."""
    had = {c.tool for c in pair.bad.calls if c.error is None}
    changes = _done(pair.good)
    for tool in dict.fromkeys(c.tool for c in pair.good.calls if c.step.tool and not is_act(c) and c.error is None):
        if tool in had or in_words(tool) in ("think", "plan", "reflect"):
            continue
        call = next(c for c in pair.good.calls if c.tool == tool)
        later = next((c for c in changes if c.step.number > call.step.number), None)
        before = f"`{later.tool}`" if later else "the final answer"
        used = pair.good.used(call, spoken=later is None)
        if not (used or (later is not None and pair.good.feeds(call))):
            continue
        draft = Draft(
            TipCategory.STRATEGY,
            Priority.MEDIUM,
            Scope.DOMAIN,
            f"Call `{tool}` before {before} on such a task: a run that did succeeded, one that did not failed.",
            "What it shows is needed to decide rightly.",
            (f"Call `{tool}`" + (f" and read {said(used)}." if used else "."), f"Use what it shows for {before}."),
            f"{_like(pair)} `{tool}` can be called.",
            *_span([call]),
            f"Going on to {before} without `{tool}`.",
            Granularity.TASK,
        )
        yield draft, (_span([call]), _whole(pair.bad))


def _ending(pair: Pair) -> Iterator[Found]:
    """How often the same reading call was made: for each thing, or for the first only."""
    for tool in dict.fromkeys(c.tool for c in pair.good.calls if c.step.tool and not is_act(c)):
        a = {_key(c): c for c in pair.good.calls if c.tool == tool and c.error is None}
        b = {_key(c): c for c in pair.bad.calls if c.tool == tool and c.error is None}
        if not b or len(a) < 2 or not set(b) < set(a) or not next(iter(a.values())).step.arguments:
            continue
        varied = next((f for f, _, _ in differences(*(c.step.arguments for c in list(a.values())[:2]))), None)
        if varied is None or any(
            _listed(x.value) for c in a.values() for x in leaves(c.step.arguments) if x.field == varied
        ):
            continue
        draft = Draft(
            TipCategory.STRATEGY,
            Priority.MEDIUM,
            Scope.DOMAIN,
            f"Call `{tool}` for every `{varied}` that the request can mean before deciding: a run that looked at all "
            "succeeded, "
            "one that looked at fewer failed.",
            "The thing that the request is about may be one that was not looked at.",
            (f"List every `{varied}` in question.", f"Call `{tool}` for each.", "Decide when all results are there."),
            f"{_like(pair)} More than one `{varied}` can be meant.",
            *_span(list(a.values())),
            granularity=Granularity.TASK,
        )
        yield draft, (_span(list(a.values())), _span(list(b.values())))


def _generic_missing(calls: Sequence[Call]) -> Draft:
    return Draft(
        TipCategory.STRATEGY,
        Priority.LOW,
        Scope.GENERIC,
        "Before ending, go through the tools that change something and ask of each whether the request makes it due.",
        "A run that stopped with a good answer and without the change that was due failed at its task.",
        (
            "List the changes that the request asks for or that the instructions attach to it.",
            "Make each one that is due, or say why not.",
        ),
        "The task is about to be ended with an answer or a hand-over and without a change.",
        *_span(calls),
        granularity=Granularity.TASK,
    )


def _rule(facts: Facts, call: Call, only: str | None = None) -> tuple[str | None, tuple[str, ...], str | None]:
    """The rule that bears most on a call, the fields that tell whether it holds, and the tool that shows them."""
    arguments = [only] if only else [x.field for x in leaves(call.step.arguments)]
    found = rules_for(call.tool, rules_in(facts), arguments=arguments, limit=1)
    record = facts.record_of(call)
    if not found:
        return None, (), None
    return quote(found[0]), fields_in(found[0], record[1]) if record else (), record[0].tool if record else None


def _listing(facts: Facts, changes: Sequence[Call]) -> tuple[str, str] | None:
    """Tool and field of the result that lists most of the things that a change was made for, two at least."""
    asked = {fold(str(x.value)) for c in changes for x in leaves(c.step.arguments) if is_specific(x.value)}
    everywhere = [{fold(str(x.value)) for x in leaves(c.step.arguments)} for c in changes]
    asked -= everywhere[0].intersection(*everywhere[1:])
    best: tuple[int, tuple[str, str] | None] = (1, None)
    for call in facts.calls:
        if call.result is None or is_act(call):
            continue
        shown = facts.results.get(call.result.number, ())
        for field in dict.fromkeys(x.field for x in shown if x.field):
            hits = len({fold(str(x.value)) for x in shown if x.field == field} & asked)
            if hits > best[0]:
                best = (hits, (call.tool, field))
    return best[1]


def _listed(value: Any) -> bool:
    return isinstance(value, str) and len(value.split()) > 3


def _done(facts: Facts) -> list[Call]:
    return [c for c in facts.calls if c.step.tool and is_act(c) and c.error is None]


def _key(call: Call) -> str:
    shown = {k: v for k, v in call.step.arguments.items() if not _listed(v)}  # free text differs in every run
    return json.dumps([call.tool, shown], sort_keys=True, default=str)


def _keys(calls: Iterable[Call]) -> set[str]:
    return {_key(c) for c in calls}


def alike(a: Call, b: Call) -> float:
    """Give the share of fields of two calls that hold the same values: how likely one was meant as the other."""
    x, y = _by_field(a), _by_field(b)
    fields = x.keys() | y.keys()
    return sum(x.get(f) == y.get(f) for f in fields) / max(len(fields), 1)


def _by_field(call: Call) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for leaf in leaves(call.step.arguments):
        found.setdefault(leaf.field, []).append(str(leaf.value))
    return found


def _span(calls: Sequence[Call]) -> Span:
    numbers = [n for c in calls for n in c.steps]
    return min(numbers), max(numbers)


def _whole(facts: Facts) -> Span:
    return 1, len(facts.run.steps)


def _end(facts: Facts) -> Span:
    last = [c for c in facts.calls if c.step.tool]
    return (last[-1].step.number if last else 1), len(facts.run.steps)


def _like(pair: Pair) -> str:
    """The trigger of advice that was learned at one task: the beginning of the task, without its values."""
    facts = pair.good
    words = describe(facts.run.task, facts.values, facts.told).split()
    return f"The task is like “{' '.join(words[:TRIGGER_WORDS])}{'…' if len(words) > TRIGGER_WORDS else ''}”."


def _gerund(tool: str) -> str:
    return f"a call of `{tool}`"
