"""Commits: the numbered steps of a space."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any


class CommitKind(enum.StrEnum):
    """What a commit did."""

    MESSAGES = "messages"  # messages stored (and exchanges closed)
    UNDERSTAND = "understand"  # exchanges read into snapshots, claims, trajectories, pages
    FLUSH = "flush"  # open exchanges closed on request
    CORRECTION = "correction"  # a person said what is right
    REVERT = "revert"  # the claims of a commit are again what they were before it
    ERASE = "erase"  # messages or runs are gone, and what stood on them alone
    RUNS = "runs"  # runs stored, analysed, and tips drawn from them
    CONSOLIDATE = "consolidate"  # tips that say the same are one, of those that contradict the weaker gives way
    TIPS = "tips"  # a person or a policy decided about tips
    REEMBED = "reembed"  # vectors of another model


@dataclass(frozen=True, slots=True)
class Commit:
    """One atomic write to a space.

    Attributes:
        n: From 1, without gaps.
        at: UTC wall time.
        actor: Who asked for it.
        kind: What it did.
        note: A sentence for a person.
        counts: How many records of each kind it added.
        arguments: What was asked for, where that is not in the records themselves.
    """

    n: int
    at: datetime
    actor: str
    kind: CommitKind
    note: str
    counts: dict[str, int]
    arguments: dict[str, Any] = field(default_factory=dict)
