"""Advice in plain English, composed from what one run shows; each template says only what its run bears out."""

from __future__ import annotations

from collections.abc import Iterator

from trajwiki.domain.runs import Finding, Outcome
from trajwiki.domain.tips import Priority, Scope, TipCategory
from trajwiki.language.tokens import fold, stem
from trajwiki.tips.corrections import recovered, reread
from trajwiki.tips.drafts import Draft, distinct, needs, said, share_said
from trajwiki.tips.facts import Facts, is_specific, leaves
from trajwiki.tips.findings import Call, arguments_of
from trajwiki.tips.wording import general_error, in_words


def from_finding(facts: Facts, finding: Finding) -> Iterator[Draft]:
    """Give the advice that one finding bears out; nothing where it bears out none."""
    if finding.kind == "recovery":
        yield from recovered(facts, finding)
    elif finding.kind == "error" and not finding.details.get("recovered"):
        yield from _refused(facts, finding)
    elif finding.kind == "repeated-call":
        yield from _repeated(finding)
    elif finding.kind == "one-by-one":
        yield from _walked(finding)
    elif finding.kind == "validation" and facts.run.outcome is Outcome.SUCCESS:
        yield from _checked(facts, finding)


def _refused(facts: Facts, finding: Finding) -> Iterator[Draft]:
    """An error that nothing put right, in a run that did not succeed."""
    tool, error = finding.details.get("tool"), general_error(str(finding.details.get("error", "")), facts.names)
    call = next((c for c in facts.calls if c.step.number in finding.steps), None)
    if not tool or not error or call is None or not call.step.tool or facts.run.outcome is Outcome.SUCCESS:
        return
    span = (finding.steps[0], finding.steps[-1])
    named = _named(error, call)
    if not named:
        return
    yield Draft(
        TipCategory.RECOVERY,
        Priority.HIGH,
        Scope.DOMAIN,
        f"Before `{tool}`, check {said(named)} against what the call will compute or look up: "
        f"a wrong value is refused with “{error}”.",
        f"A run that met this refusal of `{tool}` did not put it right and did not succeed.",
        (
            f"Work out {said(named)} from results, with everything that the call will add to it.",
            f"When `{tool}` is refused like this, correct {said(named, word='or')} from the words of "
            "the refusal, and tell the user what changed.",
        ),
        f"The task needs `{tool}`, or a call of it was refused with “{error}”.",
        *span,
        f"Sending `{tool}` again with a guess.",
    )
    yield reread(span)


def _repeated(finding: Finding) -> Iterator[Draft]:
    tool, count = str(finding.details.get("tool")), int(finding.details.get("count", 2))
    if tool == "code" or finding.details.get("failed"):
        return
    span = (finding.steps[0], finding.steps[-1])
    yield Draft(
        TipCategory.OPTIMIZATION,
        Priority.MEDIUM if count > 2 else Priority.LOW,
        Scope.DOMAIN,
        f"Keep what `{tool}` gives back: calling it again with the same arguments gave the same result.",
        "Each needless call costs time and pushes earlier results out of sight.",
        (f"Before calling `{tool}`, look whether its result for these arguments stands above.", "Use that result."),
        needs(tool),
        *span,
    )
    yield Draft(
        TipCategory.OPTIMIZATION,
        Priority.LOW,
        Scope.GENERIC,
        "Use a result that is already there instead of making the same call again.",
        "Nothing changed in between, so the same call gave the same result.",
        ("Look whether the call was made before with the same arguments.", "If nothing changed since, use its result."),
        "A reading call is about to be made with arguments that were used before.",
        *span,
    )


def _walked(finding: Finding) -> Iterator[Draft]:
    """Calls made one by one, where the run itself found the call that takes them at once."""
    d = finding.details
    tool, bulk, argument = str(d.get("tool")), d.get("bulk"), str(d.get("argument"))
    if not bulk:
        return
    span = (finding.steps[0], finding.steps[-1])
    wide = f" with `{d['bulk_argument']}`" if d.get("bulk_argument") else ""
    yield Draft(
        TipCategory.OPTIMIZATION,
        Priority.MEDIUM,
        Scope.DOMAIN,
        f"Use `{bulk}`{wide} instead of calling `{tool}` once for each `{argument}`.",
        "One call gave what many single calls had been made for.",
        (f"Call `{bulk}`{wide}.", f"Call `{tool}` only for what is still missing."),
        needs(tool),
        *span,
    )
    yield Draft(
        TipCategory.OPTIMIZATION,
        Priority.LOW,
        Scope.GENERIC,
        "Look for a call that takes many items, or a larger page, before walking through them one by one.",
        "One wider call replaces a long row of calls that differ in one argument.",
        ("List the arguments of the tools at hand.", "Use the one that takes a list, a filter or a page size."),
        "The same call is about to be made for each of several items or pages.",
        *span,
    )


def _checked(facts: Facts, finding: Finding) -> Iterator[Draft]:
    """A look at the last change, where the two calls are about the same thing."""
    made = [c for c in facts.calls if c.step.number in finding.steps]
    given = [{fold(str(x.value)) for x in leaves(arguments_of(c.step)) if is_specific(x.value)} for c in made]
    if len(given) < 2 or not given[0] & given[-1]:
        return
    check, change = str(finding.details.get("tool")), str(finding.details.get("after"))
    if "code" in (check, change):
        return
    span = (finding.steps[0], finding.steps[-1])
    yield Draft(
        TipCategory.STRATEGY,
        Priority.MEDIUM,
        Scope.DOMAIN,
        f"After `{change}`, look at the result with `{check}` before saying that the task is done.",
        "The run behind this succeeded and looked at its last change before it ended.",
        (f"Call `{check}` on what `{change}` changed.", "Compare it with what was asked, and correct what differs."),
        needs(change),
        *span,
    )
    yield Draft(
        TipCategory.STRATEGY,
        Priority.LOW,
        Scope.GENERIC,
        "Look at what a change has done with a reading call before finishing.",
        "A call can be accepted and still not do what was asked.",
        ("Read back what was changed.", "Compare it with the request point by point."),
        "The task changes something, and the last change has been made.",
        *span,
    )


def _named(error: str, call: Call) -> list[str]:
    """Arguments that an error speaks about: it shares the words of their names."""
    told = {stem(w) for w in in_words(error).split()}
    scored = [
        (-share, x.field)
        for x in distinct(leaves(arguments_of(call.step)))
        if (share := share_said(x.field, told)) >= 0.5
    ]
    best = min((share for share, _ in scored), default=0.0)
    return [field for share, field in scored if share == best][:2]
