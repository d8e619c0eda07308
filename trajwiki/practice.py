"""Practice: the runs of agents that a space remembers, and how what they teach is committed."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from typing import TypeVar

from trajwiki.domain.choices import Choices, choice, choices_of
from trajwiki.domain.history import Commit, CommitKind
from trajwiki.domain.ids import Ids
from trajwiki.domain.practice import Practice, PracticeChange
from trajwiki.domain.runs import Analysis, NewRun, Run
from trajwiki.domain.tips import Delivery, Feedback, Tip
from trajwiki.errors import UnknownItem, UsageError
from trajwiki.handle import Handle
from trajwiki.lessons import Lessons, LivePractice, tip_vectors
from trajwiki.store.spaces import SpaceInfo, Writing
from trajwiki.tips.feedback import uses
from trajwiki.tips.intake import checked
from trajwiki.tips.replay import without_runs

T = TypeVar("T")


class Practising(Handle):
    """The part of `Space` that remembers runs."""

    # Choices of the space.

    def choices(self) -> Choices:
        """Give what was chosen for this space."""
        info = self._memory.store.find(self.name)
        return choices_of(self._memory.store.choices(info.id)) if info else Choices()

    def choose(self, name: str, value: bool | str) -> Choices:
        """Choose something for this space; see `Choices`. Raises UsageError."""
        chosen = choice(name, value)
        info = self._memory.store.find(self.name) or self._create()
        self._memory.store.choose(info.id, name, chosen)
        return self.choices()

    # Runs.

    def add_run(self, run: NewRun | Iterable[NewRun], *, delivery: str | None = None) -> Commit:
        """Remember runs: each is analysed, and tips are drawn from it. Those that are there already change nothing.

        Secrets are masked. Tips that say the same become one at once, unless the space chose otherwise.

        Args:
            run: One, or several, which are committed together.
            delivery: The delivery that the (one) run received; its outcome is then noted as feedback.

        Raises:
            UsageError: One cannot be stored as given, and none was; or a delivery goes with more than one.
            UnknownItem: There is no such delivery.
        """
        runs = [checked(r) for r in ([run] if isinstance(run, NewRun) else run)]
        info = self._memory.store.find(self.name) or self._create()
        given = self._delivery(info, delivery) if delivery else None
        if given and len(runs) != 1:
            raise UsageError(f"a delivery goes with one run, not {len(runs)}")
        self.problems = []
        taken: list[PracticeChange] = []

        def take(lessons: Lessons, at: datetime) -> PracticeChange:
            taken.append(lessons.take_runs(runs, at))
            return taken[-1]

        commit = self._practise(info, CommitKind.RUNS, take)
        if commit and self.choices().consolidate:
            fresh = [t.id for t in taken[-1].tips]
            self._practise(info, CommitKind.CONSOLIDATE, lambda lessons, at: lessons.consolidate(at, fresh=fresh))
        if given:
            practice = self.practice()
            named = practice.run_by_ref[runs[0].source, runs[0].source_ref]
            self._note_use(info, given, practice.runs[named])
        return commit or self._nothing_new(info, CommitKind.RUNS)

    def practice(self) -> Practice:
        """Give all runs and tips at the newest commit. It must not be changed."""
        with self._practising() as live:
            return live.practice

    def runs(self) -> list[Run]:
        """List the runs, in order."""
        return list(self.practice().runs.values())

    def run(self, run_id: str) -> Run:
        """Give a run. Raises UnknownItem."""
        return self._one(self.practice().runs, run_id, "run")

    def analysis(self, run_id: str) -> Analysis:
        """Give what was found in a run. Raises UnknownItem."""
        return self._one(self.practice().analyses, run_id, "run")

    def run_raw(self, run_id: str) -> str:
        """Give the raw record of a run, secrets masked. Raises UnknownItem."""
        self.run(run_id)
        return self._memory.store.run_raw(self._info().id, run_id) or ""

    def erase_run(self, run_ids: Sequence[str], *, dry_run: bool = False) -> dict[str, list[str]]:
        """Erase runs with all that stood on them alone; tips that other runs support stay with those.

        The history of tips is played again without them. Deliveries and feedback, which quote tips, are dropped.

        Args:
            run_ids: Ids or source refs.
            dry_run: Only say what would fall.

        Returns:
            Ids: of the runs, of the tips that fall, of those that stay with less under them, and of new ones.

        Raises:
            UnknownItem: There is no such run.
        """
        info, memory = self._info(), self._memory
        with memory.locked(info.id), memory.dropped_on_error(info.id), memory.store.exclusive(info.id) as writing:
            before = self._lessons(info, writing).live.practice
            gone = {_run_id(before, run_id) for run_id in run_ids}
            at = memory.clock()
            dated, made = self._without(info, before, gone, writing, at)
            after = [t.id for change in (*dated.values(), made) for t in change.tips]
            found = {
                "runs": sorted(gone),
                "falls": [t for t in before.book.tips if t not in after],
                "stays": [t for t in after if t in before.book.tips and _stands(before.book.tips[t], gone)],
                "new": [t for t in after if t not in before.book.tips],
            }
            if dry_run or not gone:
                return found
            writing.rewrite_practice(sorted(dated.items()))
            arguments = {"erased": {"runs": len(gone), "tips": len(found["falls"])}}
            note = f"erased {len(gone)} runs"
            commit = Commit(writing.head + 1, at, memory.actor, CommitKind.ERASE, note, {}, arguments)
            writing.write_practice(made, commit)
        memory.forget(info.id)
        memory.store.scrub()
        return found

    # For the parts that work with tips.

    @contextlib.contextmanager
    def _practising(self) -> Iterator[LivePractice]:
        info = self._memory.store.find(self.name)
        if info is None:
            yield LivePractice(PracticeChange(), 0, embedder=self._memory.embedder)
            return
        with self._memory.locked(info.id):
            yield self._memory.live_practice(info)

    def _practise(
        self,
        info: SpaceInfo,
        kind: CommitKind,
        build: Callable[[Lessons, datetime], PracticeChange],
        *,
        note: str | None = None,
    ) -> Commit | None:
        """Think out a change of procedural memory and write it; None when there was nothing to change."""
        memory = self._memory
        with memory.locked(info.id), memory.dropped_on_error(info.id):
            with memory.store.exclusive(info.id) as writing:
                lessons = self._lessons(info, writing)
                at = memory.clock()
                change = build(lessons, at)
                if not change:
                    return None
                counts = change.counts()
                said = note or f"{kind.value}: {counts.get('runs', 0)} runs, {counts.get('tips', 0)} tips"
                commit = Commit(writing.head + 1, at, memory.actor, kind, said, counts)
                writing.write_practice(change, commit)
            lessons.live.practice.head = commit.n
            self.problems += lessons.problems
            return commit

    def _lessons(self, info: SpaceInfo, writing: Writing) -> Lessons:
        live = self._memory.live_practice(info)
        if live.practice.head != writing.head:
            live.apply(writing.load_practice(after=live.practice.head))
            live.practice.head = writing.head
        return self._memory.lessons(info.id, live)

    def _note_use(self, info: SpaceInfo, delivery: Delivery, run: Run) -> None:
        """Note what a run made of what it was given, read from its steps."""
        practice = self.practice()
        tips = [practice.book.tips[t] for t in delivery.tip_ids if t in practice.book.tips]
        found = Feedback(delivery.id, self._memory.clock(), run.outcome, run.id, uses(run, tips), "rule")
        self._save_feedback(info, found)

    def _save_feedback(self, info: SpaceInfo, feedback: Feedback) -> None:
        raise NotImplementedError

    def _delivery(self, info: SpaceInfo, delivery_id: str) -> Delivery:
        found = self._memory.store.delivery(info.id, delivery_id)
        if found is None:
            raise UnknownItem(f"space {self.name!r} has no delivery {delivery_id!r}")
        return found

    def _one(self, there: dict[str, T], item_id: str, what: str) -> T:
        if item_id not in there:
            raise UnknownItem(f"space {self.name!r} has no {what} {item_id!r}")
        return there[item_id]

    def _without(
        self, info: SpaceInfo, before: Practice, gone: set[str], writing: Writing, at: datetime
    ) -> tuple[dict[int, PracticeChange], PracticeChange]:
        """Give what each commit holds without some runs, and what is made anew because of it."""
        memory, ids = self._memory, Ids(info.id)
        kept = {r.id: r for r in before.runs.values() if r.id not in gone}
        left = without_runs(before.book, gone, before.vectors, ids=ids, at=at, embedder=memory.embedder, runs=kept).book
        commits = {c.at: c.n for c in writing.commits()}
        dated: dict[int, PracticeChange] = {}
        since = writing.run_commits()
        raws = dict(writing.raws())
        for run in kept.values():
            change = dated.setdefault(since[run.id], PracticeChange())
            change.runs.append(run)
            change.analyses.append(before.analyses[run.id])
            change.raws += [(run.id, raws[run.id])] if run.id in raws else []
        made, placed = PracticeChange(), set[str]()
        for op in left.ops:
            n = commits.get(op.at)
            change = dated.setdefault(n, PracticeChange()) if n is not None else made
            change.tip_ops.append(op)
            if op.tip_id not in placed:
                placed.add(op.tip_id)
                change.tips.append(left.tips[op.tip_id])
                change.tip_vectors += tip_vectors([left.tips[op.tip_id]], memory.embedder)
        return dated, made


def _run_id(practice: Practice, given: str) -> str:
    if given in practice.runs:
        return given
    found = [run_id for (_, ref), run_id in practice.run_by_ref.items() if ref == given]
    if len(found) != 1:
        raise UnknownItem(f"there is no run {given!r}" if not found else f"several runs are called {given!r}")
    return found[0]


def _stands(tip: Tip, gone: set[str]) -> bool:
    return any(s.run_id in gone for s in tip.sources)
