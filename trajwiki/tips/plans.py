"""Advice from the way that a run took: where its arguments came from, which rules bound it, and what came of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from trajwiki.domain.runs import Outcome
from trajwiki.domain.tips import Granularity, Priority, Scope, TipCategory
from trajwiki.language.tokens import is_stopword, stem, words
from trajwiki.tips.drafts import Draft, distinct, needs, said
from trajwiki.tips.facts import Facts, is_act, leaves, lists
from trajwiki.tips.findings import Call, is_change
from trajwiki.tips.policy import Rule, common_stems, fields_in, governed, quote, rules_for, rules_in
from trajwiki.tips.wording import describe, task_category

PLAN: Final = 8  # tools that a plan names at most

_FORBIDS: Final = re.compile(r"\b(?:cannot|can[’']t|not|only|never|unless|at most|den(?:y|ied))\b", re.I)


def prepared(facts: Facts, call: Call) -> Draft | None:
    """Give where the arguments of a change that worked came from, in a run that did not fail."""
    sources: dict[str, dict[str, None]] = {}
    pairs: list[str] = []
    first = call.step.number
    for leaf in distinct(leaves(call.step.arguments)):
        origin = facts.origin(leaf.value, call.step.number)
        if origin is None or origin.tool is None or not origin.field or origin.tool == call.tool or not leaf.field:
            continue
        sources.setdefault(origin.tool, {}).setdefault(origin.field)
        pairs.append(f"`{leaf.field}` is `{origin.field}` of `{origin.tool}`")
        first = min(first, origin.step)
    if not sources:
        return None
    tools = list(sources)
    return Draft(
        TipCategory.STRATEGY,
        Priority.MEDIUM,
        Scope.DOMAIN,
        f"Before `{call.tool}`, call {said(tools)}, and take its arguments from there: {'; '.join(pairs[:4])}.",
        "Values that are copied from results fit; values from memory or from what was said may not.",
        (
            *(f"Call `{t}` and note {said(list(sources[t])[:4])}." for t in tools[:3]),
            f"Then call `{call.tool}` with these values.",
        ),
        needs(call.tool),
        first,
        call.steps[-1],
    )


def ruled(facts: Facts, call: Call, rules: Sequence[Rule]) -> Iterator[Draft]:
    """Give the rules of the instructions that bind a change, with what they govern and what tells that they hold."""
    found = facts.record_of(call)
    arguments = [x.field for x in distinct(leaves(call.step.arguments))]
    for rule in rules_for(call.tool, rules, arguments=arguments):
        fields = fields_in(rule, found[1]) if found else ()
        bound = governed(rule, arguments, call.tool, common_stems(rules))[:3]
        yield Draft(
            TipCategory.STRATEGY,
            Priority.HIGH if facts.run.outcome is Outcome.FAILURE else Priority.MEDIUM,
            Scope.DOMAIN,
            f"Before `{call.tool}`, check this rule of the instructions: “{quote(rule)}”",
            "The tool may carry out what the rule forbids; checking it is the agent's part.",
            (
                *((f"Call `{found[0].tool}` and read {said(fields)}.",) if found and fields else ()),
                "Go through the rule clause by clause, for each thing that the change is about.",
                *((f"Set {said(bound)} by it.",) if bound else ()),
                f"Call `{call.tool}` only for what meets it; otherwise say which clause stands against it.",
            ),
            needs(call.tool),
            min(found[0].step.number, call.step.number) if found else call.step.number,
            call.steps[-1],
            f"Calling `{call.tool}` because the user insists.",
        )


def planned(facts: Facts) -> Iterator[Draft]:
    """Give the way that a run took which succeeded, as a whole-task tip: its calls, and what each was for."""
    done = [c for c in facts.calls if c.error is None and c.step.tool]
    if facts.run.outcome is not Outcome.SUCCESS or len({c.tool for c in done}) < 2:
        return
    changes = [c.tool for c in done if is_act(c)]
    if not any(is_change(c) for c in done):
        yield from declined(facts, done)
        return
    first = {c.tool: c for c in reversed(done) if is_change(c) or not is_act(c)}
    way = [
        t for t in dict.fromkeys(c.tool for c in done if c.tool in first) if is_act(first[t]) or facts.used(first[t])
    ][:PLAN]
    if len(way) < 2:
        return
    yield Draft(
        TipCategory.STRATEGY,
        Priority.LOW,
        Scope.DOMAIN,
        f"A run on such a task succeeded this way: {', then '.join(f'`{t}`' for t in way)}.",
        "It is the order in which the calls of a run that succeeded built on one another.",
        tuple(_stage(facts, first[t], changes.count(t)) for t in way),
        " ".join(needs(t) for t in list(dict.fromkeys(t for t in changes if t in first))[:3]),
        done[0].step.number,
        done[-1].steps[-1],
        granularity=Granularity.TASK,
    )


def _stage(facts: Facts, call: Call, times: int) -> str:
    if times > 1:
        return f"Call `{call.tool}` once for each thing that is asked for."
    used = () if times else facts.used(call)
    return f"Call `{call.tool}`" + (f" for {said(used)}." if used else ".")


def declined(facts: Facts, done: Sequence[Call]) -> Iterator[Draft]:
    """Give what a run checked that succeeded without changing anything, with the rule that its task falls under."""
    kind = task_category(describe(facts.run.task, facts.values, facts.told))
    over = next((c.tool for c in done if is_act(c)), None)
    rules = rules_for(kind.replace(" ", "_"), rules_in(facts), limit=1)
    if not rules:
        return
    (rule,) = rules
    if not _FORBIDS.search(quote(rule)):
        return  # nothing in it says why the request was not carried out
    shown = [
        (c, f) for c in done if c.result and not lists(c) and (f := fields_in(rule, facts.results[c.result.number]))
    ]
    if not shown:
        return
    looked, fields = max(shown, key=lambda x: len(x[1]))
    asked = [w for w in dict.fromkeys(words(facts.run.task[:2_000])) if stem(w) in rule.stems and w in facts.told]
    yield Draft(
        TipCategory.STRATEGY,
        Priority.HIGH,
        Scope.DOMAIN,
        f"Before agreeing to such a request, read {said(fields)} of `{looked.tool}` and check the rule "
        f"“{quote(rule)}”: "
        f"a run that {f'handed over with `{over}`' if over else 'changed nothing'} was right.",
        "What is asked for may be against the instructions, and then doing it is the fault.",
        (
            f"Call `{looked.tool}` and read {said(fields)}.",
            "Compare it with the rule, not with what the user says about it.",
            f"If the rule does not allow it, say so and {f'call `{over}`' if over else 'change nothing'}.",
        ),
        f"The task speaks of {', '.join([w for w in asked if not is_stopword(w)][:4])}.",
        done[0].step.number,
        done[-1].steps[-1],
        "Giving in because the user insists.",
        granularity=Granularity.TASK,
    )
