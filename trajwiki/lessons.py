"""Building procedural memory: from runs to analyses and tips, each stage moving the live practice forward.

Nothing here writes. A function takes the live practice, moves it, and gives the change that the engine writes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypedDict

from trajwiki.domain.ids import Ids
from trajwiki.domain.practice import Practice, PracticeChange
from trajwiki.domain.problems import Problem
from trajwiki.domain.runs import Analysis, NewRun, Run
from trajwiki.domain.state import Vector
from trajwiki.domain.tipbook import LIVE, TipBook
from trajwiki.domain.tips import Tip, TipOp, TipState
from trajwiki.models.embedding import Embedder
from trajwiki.tips.analysis import analyse
from trajwiki.tips.consolidation import consolidate
from trajwiki.tips.contrast import contrast_tips
from trajwiki.tips.curation import By, Curated
from trajwiki.tips.extraction import Extracted, extract_tips
from trajwiki.tips.retrieval import TipIndex

Decision = Callable[[TipBook, By], Curated]


class LivePractice:
    """The runs and tips of a space with indexes for finding tips, moved forward together.

    Attributes:
        practice: All runs and tips.
        index: Of the tips that can be delivered.
        approved: Of those among them that a person approved.
    """

    def __init__(self, change: PracticeChange, head: int, *, embedder: Embedder) -> None:
        self.practice = Practice()
        self.index = TipIndex(embedder)
        self.approved = TipIndex(embedder)
        self.apply(change)
        self.practice.head = head

    def apply(self, change: PracticeChange) -> None:
        """Move past a change."""
        self.practice.apply(change)
        book = self.practice.book
        touched = dict.fromkeys([*(t.id for t in change.tips), *(op.tip_id for op in change.tip_ops)])
        for index, states in ((self.index, LIVE), (self.approved, {TipState.APPROVED})):
            given = {t: book.state.get(t) in states and not book.tips[t].instruction_like for t in touched}
            index.remove(t for t, wanted in given.items() if not wanted)
            index.add([book.tips[t] for t, wanted in given.items() if wanted], self.practice.vectors)


def tip_vectors(tips: Sequence[Tip], embedder: Embedder) -> list[Vector]:
    """Embed tips: their descriptions, by which they are found, and their advice."""
    return [
        Vector(kind, tip.id, row)
        for kind in ("description", "advice")
        for tip, row in zip(tips, embedder.embed([t.text_for(kind) for t in tips]), strict=True)
    ]


class _Places(TypedDict):
    """Where the next tip and operation stand, and which tips are there."""

    ordinal: int
    op_ordinal: int
    known: Collection[str]


@dataclass(slots=True)
class Lessons:
    """The stages with what they need.

    Attributes:
        live: The practice that is moved forward.
        ids: Of the space.
        embedder: For vectors of tips.
        problems: What the stages doubted or dropped.
    """

    live: LivePractice
    ids: Ids
    embedder: Embedder
    problems: list[Problem] = field(default_factory=list)

    def take_runs(self, runs: Sequence[NewRun], at: datetime) -> PracticeChange:
        """Store runs that are not there yet, analyse them, and draw tips from them."""
        whole = PracticeChange()
        for new in runs:
            kept = self.keep_runs([new])
            whole.extend(kept)
            for run, analysis in zip(kept.runs, kept.analyses, strict=True):
                self._learn(run, analysis, at, whole)
        return whole

    def keep_runs(self, runs: Sequence[NewRun]) -> PracticeChange:
        """Store and analyse runs that are not there yet, without drawing tips from them."""
        whole = PracticeChange()
        for new in runs:
            run = self._named(new)
            if (run.source, run.source_ref) not in self.live.practice.run_by_ref:
                raws = [(run.id, new.raw)] if new.raw else []
                self._move(PracticeChange(runs=[run], analyses=[analyse(run)], raws=raws), whole)
        return whole

    def consolidation(self, at: datetime, *, fresh: Collection[str] | None = None) -> PracticeChange:
        """Say what `consolidate` would do, without doing it."""
        book = self.live.practice.book
        found = consolidate(
            book,
            self.live.practice.vectors,
            ids=self.ids,
            ordinal=len(book.tips),
            op_ordinal=len(book.ops),
            at=at,
            embedder=self.embedder,
            fresh=fresh,
        )
        return PracticeChange(tips=list(found.tips), tip_ops=list(found.ops))

    def consolidate(self, at: datetime, *, fresh: Collection[str] | None = None) -> PracticeChange:
        """Merge what says the same; of what contradicts, the weaker gives way.

        Args:
            at: The time of it.
            fresh: Ids of the tips that are new since the last time; None: look at all.
        """
        found = self.consolidation(at, fresh=fresh)
        return self.take_tips(found.tips, found.tip_ops)

    def decide(self, decision: Decision, *, actor: str, reason: str, at: datetime) -> PracticeChange:
        """Carry out what a person or a policy decided about tips."""
        book = self.live.practice.book
        found = decision(book, By(self.ids, actor, reason, at, len(book.tips), len(book.ops)))
        return self.take_tips(found.tips, found.ops)

    def take_tips(self, tips: Sequence[Tip], ops: Sequence[TipOp]) -> PracticeChange:
        """Take tips with what is done to them."""
        change = PracticeChange(tips=list(tips), tip_ops=list(ops), tip_vectors=tip_vectors(tips, self.embedder))
        self.live.apply(change)
        return change

    def _named(self, new: NewRun) -> Run:
        """Give the run its id: the same run of the same source has the same one."""
        newest = next(reversed(self.live.practice.runs.values()), None)
        return Run(
            id=self.ids.of("run", new.source, new.source_ref),
            ordinal=newest.ordinal + 1 if newest else 0,
            source_ref=new.source_ref,
            source=new.source,
            task=new.task,
            steps=new.steps,
            app=new.app,
            agent=new.agent,
            outcome=new.outcome,
            outcome_by=new.outcome_by,
            outcome_note=new.outcome_note,
            task_ref=new.task_ref,
            parent_ref=new.parent_ref,
            metadata=new.metadata,
        )

    def _learn(self, run: Run, analysis: Analysis, at: datetime, whole: PracticeChange) -> None:
        """Draw tips from a run alone, and from its contrast with other tries at its task."""
        practice = self.live.practice
        whole.extend(self._take(extract_tips(run, analysis, ids=self.ids, at=at, **self._places())))
        tries = [r for r in practice.runs.values() if run.task_ref and r.task_ref == run.task_ref]
        if len(tries) > 1:
            seen = contrast_tips(tries, practice.analyses, ids=self.ids, at=at, only=[run.id], **self._places())
            whole.extend(self._take(seen))

    def _take(self, found: Extracted) -> PracticeChange:
        self.problems += found.problems
        return self.take_tips(found.tips, found.ops)

    def _places(self) -> _Places:
        book = self.live.practice.book
        return _Places(ordinal=len(book.tips), op_ordinal=len(book.ops), known=book.tips.keys())

    def _move(self, change: PracticeChange, whole: PracticeChange) -> None:
        self.live.apply(change)
        whole.extend(change)
