"""Advice from a refused call that was put right: what was wrong, what was right, and where the right value stood."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from trajwiki.domain.runs import Finding
from trajwiki.domain.tips import Priority, Scope, TipCategory
from trajwiki.language.tokens import stem
from trajwiki.tips.drafts import Draft, differences, share_said
from trajwiki.tips.facts import Facts, Origin, leaves
from trajwiki.tips.findings import Call, arguments_of
from trajwiki.tips.wording import general_error, in_words

TRANSIENT: Final = frozenset({"limit", "http"})
Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Fix:
    """One value that was put right.

    Attributes:
        tool: The tool that refused.
        field: The argument, with the names that lead to it.
        error: What the refusal said, without the values of the case.
        old: The refused value; None: there was none.
        new: The value that worked; None: it was left out.
        origin: Where the right value stood before.
        before: Where the refused one stood before.
        grew: There were values of this field before, and one more was given.
    """

    tool: str
    field: str
    error: str
    old: Any
    new: Any
    origin: Origin | None
    before: Origin | None
    grew: bool


@dataclass(frozen=True, slots=True)
class Advice:
    """What to say of a fix."""

    content: str
    steps: tuple[str, ...]
    negative: str | None = None


def recovered(facts: Facts, finding: Finding) -> Iterator[Draft]:
    """Give the advice that a recovery bears out."""
    details = finding.details
    tool, error = str(details.get("tool")), general_error(str(details.get("error", "")), facts.names)
    if not error:
        return
    wrong, right = _calls_at(facts, finding, tool)
    span = (finding.steps[0], finding.steps[-1])
    changed = differences(arguments_of(wrong.step), arguments_of(right.step)) if wrong and right else []
    if changed and right is not None and wrong is not None and right.step.tool:
        yield from _corrected(_fix(facts, wrong, right, changed, error), span)
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


def reread(span: Span) -> Draft:
    """Give the generic advice on a refusal that is about a value."""
    return Draft(
        TipCategory.RECOVERY,
        Priority.MEDIUM,
        Scope.GENERIC,
        "When a call is refused, find the one argument that the refusal is about, work it out again, and "
        "change nothing else.",
        "The refusal says which value does not fit; other changes bring new faults in.",
        (
            "Take the words of the refusal, and match them to an argument of the call.",
            "Work out that argument again from results, not from memory.",
            "Send the call again with this one change.",
        ),
        "A call was refused with a message about a value.",
        *span,
    )


def _fix(facts: Facts, wrong: Call, right: Call, changed: Sequence[tuple[str, Any, Any]], error: str) -> Fix:
    field, old, new = _telling(facts, changed, error, right.step.number)
    return Fix(
        tool=right.tool,
        field=field,
        error=error,
        old=old,
        new=new,
        origin=facts.origin(new, right.step.number) if new is not None else None,
        before=facts.origin(old, wrong.step.number) if old is not None else None,
        grew=old is None and any(x.field == field for x in leaves(arguments_of(wrong.step))),
    )


def _corrected(fix: Fix, span: Span) -> Iterator[Draft]:
    advice = _advice(fix)
    yield Draft(
        TipCategory.RECOVERY,
        Priority.HIGH,
        Scope.DOMAIN,
        advice.content,
        f"In the run behind this, `{fix.tool}` was refused and then worked when `{fix.field}` was put right.",
        advice.steps,
        f"The task needs `{fix.tool}`, or a call of it was refused with “{fix.error}”.",
        *span,
        advice.negative,
    )
    made_up = fix.old is not None and (fix.before is None or fix.before.tool is None)
    if made_up and fix.origin and fix.origin.tool and fix.origin.field:
        yield _copied(span)
    elif fix.new is not None and fix.old is not None:
        yield reread(span)


def _advice(fix: Fix) -> Advice:
    tool, field, error, origin = fix.tool, fix.field, fix.error, fix.origin
    if fix.new is None:
        return Advice(
            f"Leave `{field}` out of `{tool}` where it is refused with “{error}”.",
            (f"When `{tool}` is refused like this, call it again without `{field}`.",),
        )
    if fix.grew:
        where = f" from `{origin.field}` of `{origin.tool}`" if origin and origin.tool and origin.field else ""
        return Advice(
            f"When `{tool}` is refused with “{error}”, a further `{field}` beside those that were given can put "
            "it right.",
            (
                f"See what the values of `{field}` that were given do not cover.",
                f"Add a further `{field}`{where}, and call `{tool}` again.",
            ),
        )
    if origin is not None and origin.tool is not None:
        return _from_a_result(fix, origin, origin.tool)
    if origin is not None:
        return Advice(
            f"When `{tool}` is refused with “{error}”, ask the user for the right `{field}` before calling again.",
            (f"Say that `{field}` was refused, and why.", f"Call `{tool}` with what the user answers."),
        )
    if fix.old is None:
        return Advice(
            f"Always give `{field}` to `{tool}`: without it the call is refused with “{error}”.",
            (f"Set `{field}` in the first call of `{tool}`.",),
        )
    return Advice(
        f"When `{tool}` is refused with “{error}”, the argument to correct is `{field}`{_shape(fix.old, fix.new)}.",
        (
            f"Read what the refusal says about `{field}`, and work it out again from the results at hand.",
            f"Correct `{field}`, keep the arguments that are right, and call `{tool}` again.",
        ),
    )


def _from_a_result(fix: Fix, origin: Origin, source: str) -> Advice:
    tool, field, error, before = fix.tool, fix.field, fix.error, fix.before
    if before is not None and (before.tool, before.field) == (origin.tool, origin.field):
        place = f"`{origin.field}` of `{source}`" if origin.field else f"the result of `{source}`"
        return Advice(
            f"Choose `{field}` of `{tool}` with care in {place}: not every entry is taken; one was refused with "
            f"“{error}”, another one worked.",
            (
                f"Compare the entries in {place} with what `{tool}` is for.",
                f"When `{tool}` is refused like this, offer the user the other entries.",
            ),
        )
    if not origin.field:
        return Advice(
            f"Work out `{field}` for `{tool}` with `{source}`; {_whence(before)} was refused with “{error}”.",
            (f"Call `{source}` first.", f"Put what it gives into `{field}` and call `{tool}` once."),
        )
    return Advice(
        f"Fill `{field}` of `{tool}` from `{origin.field}` in the result of `{source}`; {_whence(before)} was "
        f"refused with “{error}”.",
        (
            f"Call `{source}` before `{tool}`, and find the entry that is meant.",
            f"Copy it from `{origin.field}` into `{field}` exactly as it stands.",
        ),
        f"Calling `{tool}` with a `{field}` that no result has shown.",
    )


def _copied(span: Span) -> Draft:
    return Draft(
        TipCategory.RECOVERY,
        Priority.MEDIUM,
        Scope.GENERIC,
        "Copy an identifier from the result that lists it; one that is put together from the words of a request is "
        "refused.",
        "A person names a thing by a part of its identifier or in other words; the system knows only the whole one.",
        (
            "Call the tool that lists the things which the request can mean.",
            "Find the entry that fits the words of the request, and copy its identifier unchanged into the next call.",
        ),
        "A call takes an identifier, and the request names the thing in other words; or a call was refused because "
        "something was not found or not valid.",
        *span,
    )


def _prepared_first(tool: str, before: str, error: str, span: Span) -> Iterator[Draft]:
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


def _telling(facts: Facts, changed: Sequence[tuple[str, Any, Any]], error: str, before: int) -> tuple[str, Any, Any]:
    """The difference that explains most: the error speaks of it; else its new value was shown by a tool, or said."""
    told = {stem(w) for w in in_words(error).split()}

    def weight(change: tuple[str, Any, Any]) -> tuple[float, int]:
        origin = facts.origin(change[2], before) if change[2] is not None else None
        seen = 0 if origin is None else 1 + (origin.tool is not None) + bool(origin.field)
        return share_said(change[0], told), seen

    return max(changed, key=weight)


def _calls_at(facts: Facts, finding: Finding, tool: str) -> tuple[Call | None, Call | None]:
    """The last refused call and the one that worked."""
    own = [c for c in facts.calls if c.step.number in finding.steps and c.tool == tool]
    wrong = [c for c in own if c.error is not None]
    right = [c for c in own if c.error is None]
    return (wrong[-1] if wrong else None), (right[-1] if right else None)


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
