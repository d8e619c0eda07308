"""Outcome events traced back over step dependencies to the earliest step that determined them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from trajwiki.domain.runs import Attribution, Cause, EventKind, Finding, Outcome, Run, Step, StepKind
from trajwiki.tips.dependencies import Link
from trajwiki.tips.ending import Ending
from trajwiki.tips.fault import Fault, locate
from trajwiki.tips.findings import Call, is_change
from trajwiki.tips.team import is_given

CONTRIBUTING: Final = 4  # steps named beside the causes
DEPTH: Final = 50  # dependencies followed backwards

_WASTE: Final = frozenset({"repeated-call", "one-by-one", "unused-result"})


def attribute(
    run: Run, calls: Sequence[Call], findings: Sequence[Finding], links: Sequence[Link], ending: Ending
) -> tuple[Attribution, ...]:
    """Give the outcome of the run traced back, then its recoveries, then what was wasted (report, 3.1.2)."""
    sources = _sources(links)
    found: list[Attribution] = []
    if ending.outcome in (Outcome.FAILURE, Outcome.PARTIAL):
        found.append(_failure(run, findings, sources, ending, locate(run, calls, links)))
    elif ending.outcome is Outcome.SUCCESS:
        found.append(_success(run, calls, findings, sources, ending))
    for finding in findings:
        if finding.kind == "recovery":
            found.append(_event(run, EventKind.RECOVERY, finding, sources))
    for finding in findings:
        if finding.kind in _WASTE:
            found.append(_event(run, EventKind.INEFFICIENCY, finding, sources))
    return tuple(found)


def trace(run: Run, step: int, sources: Mapping[int, Sequence[Link]]) -> list[Cause]:
    """Walk backwards from a step to the steps it stands on, nearest first; each with what it brought in.

    What the agent was told by its user or in its instructions was given, not decided: the walk ends before it.
    """
    chain: list[Cause] = []
    seen = {step}
    at = step
    for _ in range(DEPTH):
        if link := _decisive(run, sources.get(at, ()), seen):
            chain.append(Cause(link.source, _brought(run.step(link.source), link)))
            at = link.source
        elif (decision := _decision_before(run, at)) is not None and decision.number not in seen:
            chain.append(Cause(decision.number, f"{_who(decision)} decided on it: {_quote(decision.text)}"))
            at = decision.number
        elif (call := run.step(at).answers) is not None and call not in seen:
            chain.append(Cause(call, f"It answered {_what(run.step(call))}."))
            at = call
        else:
            break
        seen.add(at)
    return chain


def _failure(
    run: Run, findings: Sequence[Finding], sources: Mapping[int, Sequence[Link]], ending: Ending, fault: Fault
) -> Attribution:
    root = Cause(fault.step, fault.text)
    last = _last_act(run, ending.step)
    chain = [c for c in trace(run, last.number, sources) if c.step >= fault.step]
    unresolved = [
        f for f in findings if f.kind == "error" and not f.details.get("recovered") and f.steps[0] > fault.step
    ]
    immediate = Cause(last.number, f"The run ended here: {_quote(ending.words or last.text)}")
    if unresolved:
        proximate = Cause(unresolved[-1].steps[0], unresolved[-1].text)
    else:
        proximate = next((c for c in chain if fault.step < c.step < last.number), root)
    used = {root.step, proximate.step, immediate.step}
    others = [Cause(f.steps[0], f.text) for f in findings if f.kind in ("error", "no-validation")]
    others += [Cause(n, "It may have gone wrong here as well.") for n in fault.others]
    return Attribution(
        EventKind.FAILURE,
        ending.step,
        immediate,
        proximate,
        root,
        _distinct(others, used),
        fault.agent,
        fault.confidence,
    )


def _success(
    run: Run, calls: Sequence[Call], findings: Sequence[Finding], sources: Mapping[int, Sequence[Link]], ending: Ending
) -> Attribution:
    changes = [c for c in calls if is_change(c) and c.error is None]
    last = changes[-1].step if changes else _last_act(run, ending.step)
    chain = trace(run, last.number, sources)
    immediate = Cause(last.number, f"{_who(last)} reached the end with {_what(last)}.")
    proximate = chain[0] if chain else immediate
    root = chain[-1] if chain else immediate
    helped = [Cause(f.steps[-1], f.text) for f in findings if f.kind in ("recovery", "validation")]
    return Attribution(
        EventKind.SUCCESS,
        ending.step,
        immediate,
        proximate,
        root,
        _distinct(helped, {immediate.step, proximate.step, root.step}),
        run.step(root.step).agent,
        round(0.6 * ending.confidence, 3),
    )


def _event(run: Run, kind: EventKind, finding: Finding, sources: Mapping[int, Sequence[Link]]) -> Attribution:
    """A recovery or an inefficiency: it showed at its last step; what the first step stood on is its root."""
    first, last = finding.steps[0], finding.steps[-1]
    fixing = _action_at(run, finding)
    chain = trace(run, fixing, sources) if kind is EventKind.RECOVERY else []
    proximate = next((c for c in chain if c.step > first), Cause(first, finding.text))
    back = trace(run, first, sources)
    root = back[-1] if back else Cause(first, f"{_what(run.step(first))} began it.")
    others = [Cause(n, "part of it") for n in finding.steps]
    return Attribution(
        kind,
        last,
        Cause(fixing, finding.text),
        proximate,
        root,
        _distinct(others, {fixing, proximate.step, root.step}),
        run.step(root.step).agent,
        round(0.8 * finding.confidence, 3),
    )


def _action_at(run: Run, finding: Finding) -> int:
    actions = [n for n in finding.steps if run.step(n).kind is StepKind.ACTION]
    return actions[-1] if actions else finding.steps[-1]


def _last_act(run: Run, before: int) -> Step:
    kinds = (StepKind.ACTION, StepKind.MESSAGE, StepKind.FINAL)
    acts = [s for s in run.steps[:before] if s.kind in kinds and not is_given(s)]
    return acts[-1] if acts else run.steps[-1]


def _sources(links: Sequence[Link]) -> dict[int, list[Link]]:
    found: dict[int, list[Link]] = {}
    for link in links:
        found.setdefault(link.step, []).append(link)
    return found


def _decisive(run: Run, links: Sequence[Link], seen: set[int]) -> Link | None:
    """The link to follow: an argument before words, then the latest source, which is the nearest decision."""
    open_links = [link for link in links if link.source not in seen and not is_given(run.step(link.source))]
    return max(open_links, key=lambda link: (link.argument is not None, link.source, link.value), default=None)


def _decision_before(run: Run, number: int) -> Step | None:
    """The thought that stands directly before an action."""
    if run.step(number).kind is not StepKind.ACTION or number == 1:
        return None
    before = run.step(number - 1)
    return before if before.kind is StepKind.THOUGHT else None


def _distinct(causes: Sequence[Cause], used: set[int]) -> tuple[Cause, ...]:
    kept: dict[int, Cause] = {}
    for cause in causes:
        if cause.step not in used:
            kept.setdefault(cause.step, cause)
    return tuple(sorted(list(kept.values())[:CONTRIBUTING], key=lambda c: c.step))


def _brought(step: Step, link: Link) -> str:
    what = f"the {link.argument} {link.value!r}" if link.argument else repr(link.value)
    return f"{_what(step)} brought in {what}."


def _what(step: Step) -> str:
    if step.tool and step.kind is StepKind.ACTION:
        return f"the call of {step.tool}"
    return f"the result of {step.tool}" if step.tool else f"the {step.kind} of {_who(step)}"


def _who(step: Step) -> str:
    return step.agent or "the agent"


def _quote(text: str) -> str:
    line = " ".join(text[:600].split())
    return f"“{line if len(line) <= 160 else line[:159] + '…'}”"
