"""What a tip is before it has passed its checks, and the words that all templates use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from trajwiki.domain.runs import Step, StepKind
from trajwiki.domain.tips import Granularity, Priority, Scope, TipCategory
from trajwiki.language.tokens import stem
from trajwiki.tips.facts import Leaf, is_act, is_specific, leaves
from trajwiki.tips.findings import Call
from trajwiki.tips.policy import GENERAL
from trajwiki.tips.wording import in_words


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


def differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[tuple[str, Any, Any]]:
    """Give (field, old value, new value) of what differs between the arguments of two calls, nested too."""
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


def share_said(field: str, told: set[str]) -> float:
    """How much of a field's name an error says; 0 when it does not say its last word."""
    parts = [[stem(w) for w in in_words(part).split()] for part in field.split(".")]
    own = {w for part in parts for w in part} - GENERAL
    return len(own & told) / len(own) if own and (set(parts[-1]) - GENERAL) & told else 0.0


def distinct(found: Iterator[Leaf]) -> list[Leaf]:
    """One leaf for each field: the first specific one."""
    kept: dict[str, Leaf] = {}
    for leaf in found:
        if leaf.field and (
            leaf.field not in kept or (not is_specific(kept[leaf.field].value) and is_specific(leaf.value))
        ):
            kept[leaf.field] = leaf
    return list(kept.values())


def _call_of(tool: str) -> Call:
    return Call(Step(number=1, kind=StepKind.ACTION, text="", tool=tool), None, None)
