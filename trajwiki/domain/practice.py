"""Procedural memory of a space in memory: a fold of changes, apart from what is said in conversations.

Runs and tips share the commits of the space with dialogue memory and nothing else, so each kind is read without the
other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields

import numpy as np

from trajwiki.domain.runs import Analysis, Run
from trajwiki.domain.state import Vector
from trajwiki.domain.tipbook import TipBook
from trajwiki.domain.tips import Tip, TipOp


@dataclass(slots=True)
class PracticeChange:
    """Records of procedural memory that a commit adds.

    Attributes:
        runs: Runs.
        analyses: What was found in them.
        tips: Tips.
        tip_ops: What was done to tips, in order.
        tip_vectors: Embeddings of tips, by kind.
        raws: (run id, raw record) of the runs; written, and read only one by one.
    """

    runs: list[Run] = field(default_factory=list)
    analyses: list[Analysis] = field(default_factory=list)
    tips: list[Tip] = field(default_factory=list)
    tip_ops: list[TipOp] = field(default_factory=list)
    tip_vectors: list[Vector] = field(default_factory=list)
    raws: list[tuple[str, str]] = field(default_factory=list)

    def extend(self, other: PracticeChange) -> None:
        """Append the records of a later change."""
        for f in fields(self):
            getattr(self, f.name).extend(getattr(other, f.name))

    def counts(self) -> dict[str, int]:
        """Give the number of records by name, leaving out zeros."""
        return {f.name: n for f in fields(self) if (n := len(getattr(self, f.name)))}

    def __bool__(self) -> bool:
        return any(getattr(self, f.name) for f in fields(self))


class Practice:
    """All runs and tips of a space at one commit.

    Attributes:
        head: The commit this is the state of.
        runs: By id, in order.
        run_by_ref: (source, source ref) to run id.
        analyses: By run id.
        book: Tips with their states and operations.
        vectors: Kind to tip id to vector.
    """

    def __init__(self) -> None:
        self.head = 0
        self.runs: dict[str, Run] = {}
        self.run_by_ref: dict[tuple[str, str], str] = {}
        self.analyses: dict[str, Analysis] = {}
        self.book = TipBook()
        self.vectors: dict[str, dict[str, np.ndarray]] = {}

    def apply(self, change: PracticeChange) -> None:
        """Move to the state after the change."""
        for run in change.runs:
            self.runs[run.id] = run
            self.run_by_ref[run.source, run.source_ref] = run.id
        for analysis in change.analyses:
            self.analyses[analysis.run_id] = analysis
        self.book.apply(change.tips, change.tip_ops)
        for vector in change.tip_vectors:
            self.vectors.setdefault(vector.kind, {})[vector.item_id] = vector.data

    def tips_of(self, run_id: str) -> Iterator[Tip]:
        """Give the tips that stand on a run, in order."""
        return (t for t in self.book.tips.values() if any(s.run_id == run_id for s in t.sources))
