"""Advice in plain English, composed from what one run shows; each template says only what its run bears out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from trajwiki.domain.runs import Finding, Outcome, Step, StepKind
from trajwiki.domain.tips import Granularity, Priority, Scope, TipCategory
from trajwiki.language.tokens import stem
from trajwiki.tips.facts import Facts, Leaf, Origin, is_act, is_specific, leaves
from trajwiki.tips.findings import Call, arguments_of
from trajwiki.tips.wording import general_error, in_words

TRANSIENT: Final = frozenset({"limit", "http"})


@dataclass(frozen=True, slots=True)
class Draft:
    """A tip before it has passed its checks. Attributes as in `Tip`, with the steps of the run that it stands on."""

    category: TipCategory
    priority: Priority
    scope: Scope
    content: str
    purpose: str
    steps: tuple[str, ...]
    trigger: str
    first: int
    last: int
    negative: str | None = None
    granularity: Granularity = Granularity.SUBTASK


def needs(tool: str) -> str:
    """Give the trigger of advice about a tool."""
    words = in_words(tool)
    return f"The task needs `{tool}`" + (f" (to {words})." if is_change_name(tool) else f" ({words}).")


def is_change_name(tool: str) -> bool:
    """Tell whether a tool's name says that it changes something."""
    return is_act(_call_of(tool))


def said(names: Sequence[str], *, word: str = "and") -> str:
    """Give names as code, joined for a sentence."""
    code = [f"`{n}`" for n in names]
    return code[0] if len(code) == 1 else f"{', '.join(code[:-1])} {word} {code[-1]}"


def from_finding(facts: Facts, finding: Finding) -> Iterator[Draft]:
    """Give the advice that one finding bears out; nothing where it bears out none."""
    if finding.kind == "recovery":
        yield from _recovered(facts, finding)
    elif finding.kind == "error" and not finding.details.get("recovered"):
        yield from _refused(facts, finding)
    elif finding.kind == "repeated-call":
        yield from _repeated(finding)
    elif finding.kind == "one-by-one":
        yield from _walked(finding)
    elif finding.kind == "validation" and facts.run.outcome is Outcome.SUCCESS:
        yield from _checked(finding)


def _recovered(facts: Facts, finding: Finding) -> Iterator[Draft]:
    details = finding.details
    tool, error = str(details.get("tool")), general_error(str(details.get("error", "")), facts.names)
    if not error:
        return
    wrong, right = _calls_at(facts, finding, tool)
    span = (finding.steps[0], finding.steps[-1])
    changed = differences(arguments_of(wrong.step), arguments_of(right.step)) if wrong and right else []
    if changed and right is not None and wrong is not None and right.step.tool:
        field, old, new = _telling(facts, changed, error, right.step.number)
        origin = facts.origin(new, right.step.number) if new is not None else None
        before = facts.origin(old, wrong.step.number) if old is not None else None
        yield from _corrected(tool, field, error, old=old, new=new, origin=origin, before=before, span=span)
    elif details.get("before"):
        yield from _prepared_first(tool, str(details["before"]), error, span)
    elif details.get("error_kind") in TRANSIENT and not changed:
        yield Draft(
            TipCategory.RECOVERY,
            Priority.LOW,
            Scope.DOMAIN,
            f"`{tool}` can fail for a moment with “{error}” and work when it is called again unchanged.",
            "The call is right; only its moment was not.",
            (
                f"Wait a little and call `{tool}` again with the same arguments.",
                "Look elsewhere only when it fails twice.",
            ),
            f"`{tool}` failed with “{error}”.",
            *span,
        )


def _corrected(
    tool: str,
    field: str,
    error: str,
    *,
    old: Any,
    new: Any,
    origin: Origin | None,
    before: Origin | None,
    span: tuple[int, int],
) -> Iterator[Draft]:
    trigger = f"The task needs `{tool}`, or a call of it was refused with “{error}”."
    if new is None:
        content = f"Leave `{field}` out of `{tool}` in this case: with it the call is refused with “{error}”."
        steps = (f"Call `{tool}` without `{field}`.",)
        generic = None
    elif (
        origin is not None
        and origin.tool is not None
        and before
        and (before.tool, before.field) == (origin.tool, origin.field)
    ):
        content = (
            f"Choose `{field}` of `{tool}` with care among `{origin.field}` of `{origin.tool}`: not every entry is taken; "
            f"one was refused with “{error}”, another one worked."
        )
        steps = (
            f"Compare the entries of `{origin.field}` in the result of `{origin.tool}` with what `{tool}` is for.",
            f"When `{tool}` is refused like this, offer the user the other entries.",
        )
        generic = None
    elif origin is not None and origin.tool is not None and origin.field:
        content = (
            f"Fill `{field}` of `{tool}` from `{origin.field}` in the result of `{origin.tool}`; "
            f"{_whence(before)} was refused with “{error}”."
        )
        steps = (
            f"Call `{origin.tool}` before `{tool}`, and find the entry that is meant.",
            f"Copy its `{origin.field}` into `{field}` exactly as it stands.",
        )
        generic = _copied(error, span)
    elif origin is not None and origin.tool is not None:
        content = f"Work out `{field}` for `{tool}` with `{origin.tool}`; {_whence(before)} was refused with “{error}”."
        steps = (f"Call `{origin.tool}` first.", f"Put what it gives into `{field}` and call `{tool}` once.")
        generic = _reread(error, span)
    elif origin is not None and origin.step > span[0]:
        content = f"When `{tool}` is refused with “{error}”, ask the user for the right `{field}` before calling again."
        steps = (
            f"Say that `{field}` was refused and what the refusal says.",
            f"Call `{tool}` with what the user answers.",
        )
        generic = None
    elif old is None:
        content = f"Always give `{field}` to `{tool}`: without it the call is refused with “{error}”."
        steps = (f"Set `{field}` in the first call of `{tool}`.",)
        generic = None
    else:
        shape = _shape(old, new)
        content = f"When `{tool}` is refused with “{error}”, the argument to correct is `{field}`{shape}."
        steps = (
            f"Read what the refusal says about `{field}`, and work it out again from the results at hand.",
            f"Correct `{field}` alone, keep the other arguments, and call `{tool}` again.",
        )
        generic = _reread(error, span)
    purpose = f"In the run behind this, `{tool}` was refused once and worked when `{field}` was put right."
    negative = f"Calling `{tool}` with a `{field}` that no result has shown." if origin and origin.tool else None
    yield Draft(TipCategory.RECOVERY, Priority.HIGH, Scope.DOMAIN, content, purpose, steps, trigger, *span, negative)
    if generic is not None:
        yield generic


def _copied(error: str, span: tuple[int, int]) -> Draft:
    return Draft(
        TipCategory.RECOVERY,
        Priority.MEDIUM,
        Scope.GENERIC,
        "Copy an identifier from the result that lists it; one that is put together from the words of a request is refused.",
        "A person names a thing by a part of its identifier or in other words; the system knows only the whole one.",
        (
            "Call the tool that lists the things which the request can mean.",
            "Find the entry that fits the words of the request, and copy its identifier unchanged into the next call.",
        ),
        "A call takes an identifier, and the request names the thing in other words; or a call was refused because "
        "something was not found or not valid.",
        *span,
    )


def _reread(error: str, span: tuple[int, int]) -> Draft:
    return Draft(
        TipCategory.RECOVERY,
        Priority.MEDIUM,
        Scope.GENERIC,
        "When a call is refused, find the one argument that the refusal is about, work it out again, and change nothing else.",
        "The refusal says which value does not fit; other changes bring new faults in.",
        (
            "Take the words of the refusal, and match them to an argument of the call.",
            "Work out that argument again from results, not from memory.",
            "Send the call again with this one change.",
        ),
        "A call was refused with a message about a value.",
        *span,
    )


def _prepared_first(tool: str, before: str, error: str, span: tuple[int, int]) -> Iterator[Draft]:
    yield Draft(
        TipCategory.RECOVERY,
        Priority.HIGH,
        Scope.DOMAIN,
        f"Call `{before}` before `{tool}`: without it `{tool}` was refused with “{error}”.",
        f"`{tool}` worked unchanged once `{before}` had been called.",
        (f"Call `{before}`.", f"Then call `{tool}`."),
        f"The task needs `{tool}`, or a call of it was refused with “{error}”.",
        *span,
    )
    yield Draft(
        TipCategory.RECOVERY,
        Priority.MEDIUM,
        Scope.GENERIC,
        "When a call is refused although its arguments are right, look for the call that has to come before it.",
        "Some calls work only after another one, such as signing in or opening what they are about.",
        (
            "Read the refusal for what is missing.",
            "Make the call that brings it about.",
            "Repeat the refused call unchanged.",
        ),
        "A call was refused, and nothing in its arguments is wrong.",
        *span,
    )


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
        f"Before `{tool}`, check {said(named)} against what the call will compute or look up: a wrong value is refused with “{error}”.",
        f"A run that met this refusal of `{tool}` did not put it right and did not succeed.",
        (
            f"Work out {said(named)} from results, with everything that the call will add to it.",
            f"When `{tool}` is refused like this, correct {said(named, word='or')} from the words of the refusal, and tell the user what changed.",
        ),
        f"The task needs `{tool}`, or a call of it was refused with “{error}”.",
        *span,
        f"Sending `{tool}` again with a guess.",
    )
    yield _reread(error, span)


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


def _checked(finding: Finding) -> Iterator[Draft]:
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


def differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[tuple[str, Any, Any]]:
    """Give (field, old value, new value) of what differs between two sets of arguments, inside lists and records too."""
    a, b = list(leaves(old)), list(leaves(new))
    out = []
    for field in dict.fromkeys(x.field for x in [*a, *b]):
        had = [x.value for x in a if x.field == field]
        has = [x.value for x in b if x.field == field]
        if had != has:
            gone = [v for v in had if v not in has]
            come = [v for v in has if v not in had]
            if bool(come) or not has:  # fewer entries of the same kind are no value that was put right
                out.append((field, gone[0] if gone else None, come[0] if come else None))
    return [(f, x, y) for f, x, y in out if f and not (x is None and y is None)]


def _telling(facts: Facts, changed: Sequence[tuple[str, Any, Any]], error: str, before: int) -> tuple[str, Any, Any]:
    """The difference that explains most: the error speaks of it; else its new value was shown by a tool, or said."""
    told = {stem(w) for w in in_words(error).split()}

    def weight(change: tuple[str, Any, Any]) -> tuple[float, int]:
        origin = facts.origin(change[2], before) if change[2] is not None else None
        seen = 0 if origin is None else 1 + (origin.tool is not None) + bool(origin.field)
        return _share(change[0], told), seen

    return max(changed, key=weight)


def _share(field: str, told: set[str]) -> float:
    """How much of a field's name an error says; 0 when it does not say its last word."""
    parts = [[stem(w) for w in in_words(part).split()] for part in field.split(".")]
    own = {w for part in parts for w in part}
    return len(own & told) / len(own) if own and set(parts[-1]) & told else 0.0


def _calls_at(facts: Facts, finding: Finding, tool: str) -> tuple[Call | None, Call | None]:
    """The last refused call and the one that worked."""
    own = [c for c in facts.calls if c.step.number in finding.steps and c.tool == tool]
    wrong = [c for c in own if c.error is not None]
    right = [c for c in own if c.error is None]
    return (wrong[-1] if wrong else None), (right[-1] if right else None)


def _named(error: str, call: Call) -> list[str]:
    """Arguments that an error speaks about: it shares the words of their names."""
    told = {stem(w) for w in in_words(error).split()}
    scored = [
        (-share, x.field) for x in distinct(leaves(arguments_of(call.step))) if (share := _share(x.field, told)) >= 0.5
    ]
    return [field for _, field in sorted(scored, key=lambda x: x[0])][:2]


def distinct(found: Iterator[Leaf]) -> list[Leaf]:
    """One leaf for each field: the first specific one."""
    kept: dict[str, Leaf] = {}
    for leaf in found:
        if leaf.field and (
            leaf.field not in kept or (not is_specific(kept[leaf.field].value) and is_specific(leaf.value))
        ):
            kept[leaf.field] = leaf
    return list(kept.values())


def _whence(origin: Origin | None) -> str:
    if origin is None:
        return "a value that no result had shown"
    if origin.tool is None:
        return "what the user had said"
    return f"a value from `{origin.field}` of `{origin.tool}`" if origin.field else f"a value from `{origin.tool}`"


def _shape(old: Any, new: Any) -> str:
    """How the form of a value changed, where it did."""
    kinds = {str: "text", int: "a number", float: "a number", bool: "true or false", list: "a list", dict: "a record"}
    a, b = kinds.get(type(old)), kinds.get(type(new))
    return f": it takes {b}, not {a}" if a and b and a != b else ""


def _call_of(tool: str) -> Call:
    return Call(Step(number=1, kind=StepKind.ACTION, text="", tool=tool), None, None)
