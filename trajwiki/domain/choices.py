"""What the owner of a space can choose for it alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from trajwiki.errors import UsageError


@dataclass(frozen=True, slots=True)
class Choices:
    """Choices of one space.

    Attributes:
        mask: Mask keys, tokens, passwords and card numbers in what people say; in runs they always are.
        review: Deliver only tips that a person approved.
        consolidate: Merge tips that say the same whenever a run is added; else only when asked.
        withdraw: Withdraw a tip whose record is worse than the base rate past the stated confidence.
    """

    mask: bool = False
    review: bool = False
    consolidate: bool = True
    withdraw: bool = False


def choices_of(stored: Mapping[str, Any]) -> Choices:
    """Give the choices behind stored values; what was never chosen is as it is by default."""
    return Choices(**{f.name: bool(stored[f.name]) for f in fields(Choices) if f.name in stored})


def choice(name: str, value: str | bool) -> bool:
    """Read the value of a choice. Raises UsageError when there is no such choice or value."""
    names = [f.name for f in fields(Choices)]
    if name not in names:
        raise UsageError(f"a space has the choices {', '.join(names)}, not {name!r}")
    if isinstance(value, bool):
        return value
    said = {"on": True, "true": True, "yes": True, "off": False, "false": False, "no": False}.get(value.casefold())
    if said is None:
        raise UsageError(f"{name} is on or off, not {value!r}")
    return said
