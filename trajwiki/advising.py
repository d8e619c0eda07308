"""Advising: the tips of a space, what people decide about them, what is given to agents and what comes of it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from trajwiki.agent_task import AgentTask
from trajwiki.domain.history import Commit, CommitKind
from trajwiki.domain.ids import random_id
from trajwiki.domain.practice import PracticeChange
from trajwiki.domain.runs import NewRun, Outcome, Run
from trajwiki.domain.tips import Delivery, Feedback, Tip, TipOp, TipState, TipVerb, Use
from trajwiki.errors import UnknownItem, UnknownSpace, UsageError
from trajwiki.lessons import Decision, Lessons
from trajwiki.memory.amendment import PERSON
from trajwiki.practice import Practising
from trajwiki.store.spaces import SpaceInfo
from trajwiki.tips import curation
from trajwiki.tips.delivery import delivery_of, render_block
from trajwiki.tips.extraction import op_of
from trajwiki.tips.feedback import Record, flagged, tip_stats, withdrawals
from trajwiki.tips.lapse import Lifetimes, lapsed
from trajwiki.tips.retrieval import TOP_K, Guide, choose

GUIDELINE_WORDS: Final = 400
RULE: Final = "rule"
STRATEGIES: Final = ("cosine", "model")


class Advising(Practising):
    """The part of `Space` that works with tips."""

    # Reading tips.

    def tips(self, *, state: TipState | None = None) -> list[tuple[Tip, TipState]]:
        """List the tips with their states, in order; all, or those of one state."""
        book = self.practice().book
        return [(t, book.state[t.id]) for t in book.tips.values() if state in (None, book.state[t.id])]

    def tip(self, tip_id: str) -> Tip:
        """Give a tip. Raises UnknownItem."""
        return self._one(self.practice().book.tips, tip_id, "tip")

    def tip_history(self, tip_id: str) -> list[TipOp]:
        """Give what was done to a tip and to those it was made from, oldest first. Raises UnknownItem."""
        self.tip(tip_id)
        return list(self.practice().book.history(tip_id))

    # Deciding about tips.

    def approve_tip(self, tip_id: str, *, reason: str) -> Commit:
        """Approve a tip as a person. Raises UnknownItem, or UsageError where its state does not allow it."""
        return self._decide("approved", reason, lambda book, by: curation.approve(book, tip_id, by))

    def reject_tip(self, tip_id: str, *, reason: str) -> Commit:
        """Reject a tip; it stays readable and is never delivered. Raises as `approve_tip`."""
        return self._decide("rejected", reason, lambda book, by: curation.reject(book, tip_id, by))

    def withdraw_tip(self, tip_id: str, *, reason: str) -> Commit:
        """Take a tip out of use from the next delivery on. Raises as `approve_tip`."""
        return self._decide("withdrawn", reason, lambda book, by: curation.withdraw(book, tip_id, by))

    def restore_tip(self, tip_id: str, *, reason: str) -> Commit:
        """Put a tip back into use. Raises as `approve_tip`."""
        return self._decide("restored", reason, lambda book, by: curation.restore(book, tip_id, by))

    def edit_tip(self, tip_id: str, *, reason: str, **changes: Any) -> Commit:
        """Put an edited tip in the place of one.

        Args:
            tip_id: The tip.
            reason: Why.
            changes: New values of content, purpose, steps, trigger, negative_example or priority.

        Raises:
            UnknownItem: There is no such tip.
            UsageError: A field cannot be edited, or the result fails a check.
        """
        runs = self.practice().runs
        return self._decide("edited", reason, lambda book, by: curation.edit(book, tip_id, changes, runs, by))

    def merge_tips(self, tip_ids: Sequence[str], *, reason: str) -> Commit:
        """Make one tip of several, in the words of the first; their sources are united. Raises as `approve_tip`."""
        vectors = self.practice().vectors
        return self._decide("merged", reason, lambda book, by: curation.merge(book, tip_ids, vectors, by))

    def split_tip(self, tip_id: str, *, reason: str) -> Commit:
        """Undo a merge: the tips it was made from stand for themselves again. Raises as `approve_tip`."""
        return self._decide("split", reason, lambda book, by: curation.split(book, tip_id, by))

    def consolidate_tips(self, *, dry_run: bool = False) -> tuple[Commit | None, PracticeChange]:
        """Merge tips that say the same; of those that contradict, the weaker gives way.

        Returns:
            The commit, or None when nothing was to do or for a dry run; and what it changes.
        """
        info = self._info()
        self.problems = []
        if dry_run:
            with self._practising() as live:
                return None, self._memory.lessons(info.id, live).consolidation(self.now())
        done: list[PracticeChange] = []

        def build(lessons: Lessons, at: datetime) -> PracticeChange:
            done.append(lessons.consolidate(at))
            return done[-1]

        return self._practise(info, CommitKind.CONSOLIDATE, build), done[-1]

    def expire_tips(self, lifetimes: Lifetimes) -> Commit:
        """Let tips lapse that are too old, not asked for, or never of help; those a person approved do not."""
        records = self.tip_stats()
        reason = "retention"
        return self._decide("lapsed", reason, lambda book, by: lapsed(book, records, lifetimes, by), actor=RULE)

    def share_tip(self, tip_id: str, to: str, *, reason: str) -> Commit:
        """Share a tip with another space, with the runs it stands on; withdrawing it there takes it back.

        What was shared is the other space's own from then on: deleting this one leaves it there.

        Args:
            tip_id: A tip that can be delivered.
            to: Name of the space that gets it; it is there already.
            reason: Why.

        Raises:
            UnknownItem: There is no such tip.
            UnknownSpace: There is no such space.
            UsageError: The tip is out of use, or the space is this one.
        """
        practice = self.practice()
        tip = self._one(practice.book.tips, tip_id, "tip")
        if tip not in practice.book.deliverable():
            raise UsageError(f"tip {tip_id} is {practice.book.state[tip_id].value}; only one in use can be shared")
        other = self._memory.space(to)
        if to == self.name:
            raise UsageError("a tip is shared with another space")
        if self._memory.store.find(to) is None:
            raise UnknownSpace(f"there is no space named {to!r}")
        runs = [practice.runs[s.run_id] for s in tip.sources]
        raws = {r.id: self.run_raw(r.id) for r in runs}
        return other.receive_tip(tip, runs, raws, origin=self.name, reason=reason)

    def receive_tip(
        self, tip: Tip, runs: Sequence[Run], raws: Mapping[str, str], *, origin: str, reason: str
    ) -> Commit:
        """Take a tip that another space shares; see `share_tip`."""
        info, actor = self._info(), PERSON + self._memory.actor
        new = {r.id: _as_new(r, raws.get(r.id, ""), origin) for r in runs}

        def take(lessons: Lessons, at: datetime) -> PracticeChange:
            change = lessons.keep_runs(list(new.values()))
            there = lessons.live.practice
            ids = {old: there.run_by_ref[r.source, r.source_ref] for old, r in new.items()}
            sources = tuple(replace(s, run_id=ids[s.run_id]) for s in tip.sources)
            here = lessons.ids.of("tip", "shared", tip.id)
            if here in there.book.tips:
                raise UsageError(f"space {self.name!r} has this tip already, as {here}")
            made = replace(tip, id=here, ordinal=len(there.book.tips), sources=sources, made_from=())
            said = f"shared from space {origin}: {reason}"
            op = op_of(
                lessons.ids,
                len(there.book.ops),
                TipVerb.PROPOSE,
                here,
                TipState.PROPOSED,
                reason=said,
                at=at,
                actor=actor,
            )
            change.extend(lessons.take_tips([made], [op]))
            return change

        commit = self._practise(info, CommitKind.TIPS, take, note=f"tip shared from space {origin}")
        return commit or self._nothing_new(info, CommitKind.TIPS)

    # Giving tips, and what comes of them.

    def guidelines(
        self,
        task: str,
        *,
        app: str | None = None,
        strategy: str = "cosine",
        top_k: int = TOP_K,
        budget: int = GUIDELINE_WORDS,
        core: int = 0,
    ) -> Delivery:
        """Choose tips for a task and give the block for a prompt. The delivery is recorded.

        Args:
            task: What the agent is about to do.
            app: Application or domain; generic tips stay eligible.
            strategy: How tips are found: by meaning and words, or led by what a model makes of the task.
            top_k: Tips, at most.
            budget: Words of the block, at most.
            core: How many of the tips with most support are given whatever the task.

        Raises:
            UsageError: The task is empty, a number is out of range, or there is no model to lead.
        """
        if strategy not in STRATEGIES:
            raise UsageError(f"a strategy is one of {', '.join(STRATEGIES)}, not {strategy!r}")
        info = self._memory.store.find(self.name)
        guide = self._guide() if strategy == "model" else None
        worse = flagged(self.tip_stats()) if info else frozenset()
        with self._practising() as live:
            index = live.approved if self.choices().review else live.index
            choice = choose(index, task, app=app, guide=guide, top_k=top_k, core=core, flagged=worse)
        block = render_block(choice, budget=budget)
        found = delivery_of(choice, block, task=task, delivery_id=random_id("delivery"), at=self.now())
        if info is not None:
            self._memory.store.save_delivery(info.id, found)
        return found

    def deliveries(self) -> list[Delivery]:
        """List what was delivered, oldest first."""
        return self._memory.store.deliveries(self._info().id)

    def feedback(
        self,
        delivery_id: str,
        *,
        outcome: Outcome | str,
        followed: Sequence[str] = (),
        ignored: Sequence[str] = (),
    ) -> Feedback:
        """Say what came of a delivery.

        Args:
            delivery_id: The delivery.
            outcome: How the run that received it ended.
            followed: Ids of tips that it followed.
            ignored: Ids of tips that did not apply or were not followed.

        Raises:
            UnknownItem: There is no such delivery, or it held no such tip.
            UsageError: There is no such outcome.
        """
        info = self._info()
        given = self._delivery(info, delivery_id)
        for tip_id in (*followed, *ignored):
            if tip_id not in given.tip_ids:
                raise UnknownItem(f"delivery {delivery_id} held no tip {tip_id!r}")
        if outcome not in list(Outcome):
            raise UsageError(f"an outcome is one of {', '.join(Outcome)}, not {outcome!r}")
        said = {**dict.fromkeys(ignored, Use.NOT_APPLICABLE), **dict.fromkeys(followed, Use.FOLLOWED)}
        uses = tuple((t, said.get(t, Use.UNKNOWN)) for t in given.tip_ids)
        found = Feedback(delivery_id, self.now(), Outcome(outcome), None, uses, PERSON + self._memory.actor)
        self._save_feedback(info, found)
        return found

    def all_feedback(self) -> list[Feedback]:
        """List the feedback, oldest first."""
        return self._memory.store.feedback(self._info().id)

    def tip_stats(self) -> dict[str, Record]:
        """Give the record of each tip that was delivered: used, and outcomes against the base rate of such tasks."""
        store, info = self._memory.store, self._info()
        given = store.deliveries(info.id)
        practice = self.practice()
        delivered = dict.fromkeys(t for d in given for t in d.tip_ids)
        tips = [practice.book.tips[t] for t in delivered if t in practice.book.tips]
        return tip_stats(tips, given, store.feedback(info.id), practice.runs.values()) if tips else {}

    @contextlib.contextmanager
    def task(
        self,
        task: str,
        *,
        app: str | None = None,
        agent: str | None = None,
        task_ref: str | None = None,
        **options: Any,
    ) -> Iterator[AgentTask]:
        """Open a task of an agent: it has guidelines, takes steps, and is stored as a run, also when the body raises.

        Args:
            task: What the agent is to do.
            app: Application or domain.
            agent: Name of the agent.
            task_ref: Name of the task, where several runs are tries at the same one: they are compared.
            options: As in `guidelines`.
        """
        if self._memory.store.find(self.name) is None:
            self._create()
        opened = AgentTask(task, app, agent, self.guidelines(task, app=app, **options), self.now, task_ref)
        try:
            yield opened
        except BaseException as error:
            opened.failed_with(error)
            raise
        finally:
            if opened.steps:
                self.add_run(opened.as_run(), delivery=opened.delivery.id)

    # Inside.

    def _decide(self, what: str, reason: str, decision: Decision, *, actor: str | None = None) -> Commit:
        info, who = self._info(), actor or PERSON + self._memory.actor
        if not reason.strip():
            raise UsageError("a decision about a tip needs a reason")
        self.problems = []
        commit = self._practise(
            info,
            CommitKind.TIPS,
            lambda lessons, at: lessons.decide(decision, actor=who, reason=reason, at=at),
            note=f"tips {what}",
        )
        return commit or self._nothing_new(info, CommitKind.TIPS)

    def _save_feedback(self, info: SpaceInfo, feedback: Feedback) -> None:
        self._memory.store.save_feedback(info.id, random_id("feedback"), feedback)
        if self.choices().withdraw:
            records = self.tip_stats()
            if flagged(records):
                self._decide("withdrawn", "its record", lambda book, by: withdrawals(book, records, by), actor=RULE)

    def _guide(self) -> Guide:
        raise UsageError("no model is configured that could lead the choice of tips; see docs/model-mode.md")


def _as_new(run: Run, raw: str, origin: str) -> NewRun:
    return NewRun(
        source_ref=f"{run.source_ref}@{origin}",
        source=run.source,
        task=run.task,
        steps=run.steps,
        app=run.app,
        agent=run.agent,
        outcome=run.outcome,
        outcome_by=run.outcome_by,
        outcome_note=run.outcome_note,
        task_ref=run.task_ref,
        parent_ref=run.parent_ref,
        metadata={**run.metadata, "shared_from": origin},
        raw=raw,
    )
