"""Tips as they would be without some runs: the history is played again with the hole."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from trajwiki.domain.ids import Ids
from trajwiki.domain.runs import Run
from trajwiki.domain.tipbook import LIVE, TipBook, united
from trajwiki.domain.tips import Tip, TipOp, TipState, TipVerb
from trajwiki.errors import UsageError
from trajwiki.models.embedding import Embedder
from trajwiki.tips import curation
from trajwiki.tips.consolidation import Progression, TipVectors, Vectors, consolidate, merge_into
from trajwiki.tips.curation import By, Curated
from trajwiki.tips.extraction import RULE, op_of


@dataclass(frozen=True, slots=True)
class Replayed:
    """A whole history of tips.

    Attributes:
        book: All tips, states and operations; in place of the old book.
        dropped: Operations of persons that no longer had a tip to stand on.
    """

    book: TipBook
    dropped: tuple[TipOp, ...]


def without_runs(
    book: TipBook,
    run_ids: Collection[str],
    vectors: Vectors,
    *,
    ids: Ids,
    at: datetime,
    embedder: Embedder | None = None,
    runs: Mapping[str, Run] | None = None,
) -> Replayed:
    """Give the tips as if some runs had never been added.

    An extracted tip falls with a run that it was drawn from: alone, or as one side of a comparison; one with further
    sources of the same outcomes keeps these. What persons did, and what was withdrawn for its record or lapsed, is
    done again on what is left; merges and supersessions by rule are made anew.

    Args:
        book: The old history; it is not changed.
        run_ids: The runs that go.
        vectors: ``description`` and ``advice`` to tip id to vector, of the extracted tips at least.
        ids: Makes the ids of the space.
        at: The time of operations that are made anew.
        embedder: Embeds what has no vector.
        runs: The runs that stay, for the checks of edited tips; None: edited tips are taken as checked.
    """
    gone = set(run_ids)
    new = TipBook()
    stands: dict[str, str] = {}  # tip of the old history to the tip that has its place now
    dropped: list[TipOp] = []
    work = _Player(new, book, vectors, embedder, ids, at, stands, runs)
    for op in book.ops:
        old = book.tips.get(op.tip_id)
        if old is None:
            continue
        if not old.made_from and op.verb in (TipVerb.PROPOSE, TipVerb.REJECT) and old.id not in stands:
            kept = remaining(old, gone)
            if kept is not None:
                kept = replace(kept, ordinal=len(new.tips))
                stands[old.id] = kept.id
                work.add([kept], [_renumbered(op, ids, len(new.ops))])
        elif _is_decision(op) and not work.again(op):
            dropped.append(op)
    made = consolidate(new, vectors, ids=ids, ordinal=len(new.tips), op_ordinal=len(new.ops), at=at, embedder=embedder)
    new.apply(made.tips, made.ops)
    return Replayed(new, tuple(dropped))


def remaining(tip: Tip, gone: Collection[str]) -> Tip | None:
    """Give an extracted tip without the sources that go, or None when it falls."""
    left = tuple(s for s in tip.sources if s.run_id not in gone)
    if len(left) == len(tip.sources):
        return tip
    if {s.outcome for s in left} != {s.outcome for s in tip.sources}:
        return None
    return replace(tip, sources=left)


def _is_decision(op: TipOp) -> bool:
    """What was not made by consolidation: it is done again, not made anew."""
    if op.actor.startswith("person:"):
        return op.verb not in (TipVerb.PROPOSE, TipVerb.RESTORE) or op.reason != ""
    return op.verb in (TipVerb.WITHDRAW, TipVerb.EXPIRE) and "says the same as" not in op.reason


class _Player:
    """Does again what was decided, on the tips that are left."""

    def __init__(
        self,
        new: TipBook,
        old: TipBook,
        vectors: Vectors,
        embedder: Embedder | None,
        ids: Ids,
        at: datetime,
        stands: dict[str, str],
        runs: Mapping[str, Run] | None,
    ) -> None:
        self.new, self.old, self.stands, self.runs = new, old, stands, runs
        self.vectors, self.embedder, self.ids, self.at = vectors, embedder, ids, at

    def add(self, tips: Collection[Tip], ops: Collection[TipOp]) -> None:
        self.new.apply(tips, ops)

    def again(self, op: TipOp) -> bool:
        """Do an operation again; False when there is nothing left to do it on."""
        if op.verb is TipVerb.PROPOSE:
            return True  # comes with the MERGE or EDIT that it belongs to
        if op.verb is TipVerb.MERGE:
            return self._merge(op)
        if op.verb is TipVerb.RESTORE and (was := self._before(op)) and was.verb is TipVerb.SPLIT:
            return True  # comes with the SPLIT
        tip_id = self._place(op.tip_id)
        if tip_id is None:
            return False
        if op.verb is TipVerb.EDIT:
            return self._edit(op, tip_id)
        try:
            done = _DO[op.verb](self.new, tip_id, self._by(op))
        except UsageError:
            return op.verb is TipVerb.SPLIT and self._alone(op, tip_id)  # else what it changed is not there any more
        self.add(done.tips, done.ops)
        return True

    def _alone(self, op: TipOp, tip_id: str) -> bool:
        """A split of which one part is left: nothing to split, but that part stands again."""
        if self.new.state[tip_id] not in LIVE:
            n = len(self.new.ops)
            self.add(
                [],
                [
                    op_of(
                        self.ids,
                        n,
                        TipVerb.RESTORE,
                        tip_id,
                        TipState.PROPOSED,
                        reason=op.reason,
                        at=op.at,
                        actor=op.actor,
                    )
                ],
            )
        return True

    def _place(self, tip_id: str) -> str | None:
        """The tip that has the place of an old one: itself, or what its remaining parts become."""
        if tip_id in self.stands:
            return self.new.stands_for(self.stands[tip_id])
        roots = list(
            dict.fromkeys(
                self.new.stands_for(self.stands[x]) for x in sorted(self.old.leaves_of(tip_id)) if x in self.stands
            )
        )
        if not roots:
            return None
        if len(roots) > 1:
            work = Progression(
                self.new,
                TipVectors(self.new, self.vectors, self.embedder),
                self.ids,
                len(self.new.tips),
                len(self.new.ops),
                self.at,
            )
            merged = merge_into(work, roots)
            self.add(work.tips, work.ops)
            roots = [merged]
        self.stands[tip_id] = roots[0]
        return roots[0]

    def _edit(self, op: TipOp, tip_id: str) -> bool:
        edited = self.old.tips[op.others[0]]
        parent = self.new.tips[tip_id]
        new = replace(
            edited,
            made_from=(parent.id,),
            sources=parent.sources,
            ordinal=len(self.new.tips),
            description=parent.description,
        )
        new = replace(
            new, id=edited.id if united([edited]) == united([new]) else self.ids.of("tip", edited.id, parent.id)
        )
        n = len(self.new.ops)
        state = TipState.APPROVED if op.actor.startswith("person:") else TipState.PROPOSED
        self.add(
            [new],
            [
                op_of(self.ids, n, TipVerb.PROPOSE, new.id, state, reason=op.reason, at=op.at, actor=op.actor),
                op_of(
                    self.ids,
                    n + 1,
                    TipVerb.EDIT,
                    tip_id,
                    TipState.MERGED,
                    reason=op.reason,
                    at=op.at,
                    actor=op.actor,
                    others=(new.id,),
                ),
            ],
        )
        self.stands[edited.id] = new.id
        return True

    def _merge(self, op: TipOp) -> bool:
        """A merge by hand: done when its first part is met, with all parts that are left."""
        target = op.others[0]
        if target in self.stands:
            return True
        parts = [p for p in self.old.tips[target].made_from if self._place(p) is not None]
        places = list(dict.fromkeys(p for x in parts if (p := self._place(x)) is not None))
        if not places:
            return False
        if len(places) == 1:
            self.stands[target] = places[0]
            return True
        try:
            done = curation.merge(self.new, places, self.vectors, self._by(op))
        except UsageError:
            return False  # one of them is out of use now
        self.add(done.tips, done.ops)
        self.stands[target] = done.tips[0].id
        return True

    def _before(self, op: TipOp) -> TipOp | None:
        """The SPLIT that a RESTORE came with."""
        return next(
            (
                o
                for o in self.old.ops
                if o.verb is TipVerb.SPLIT and op.tip_id in o.others and o.reason and o.at == op.at
            ),
            None,
        )

    def _by(self, op: TipOp) -> By:
        return By(self.ids, op.actor, op.reason, op.at, len(self.new.tips), len(self.new.ops))


def _renumbered(op: TipOp, ids: Ids, ordinal: int) -> TipOp:
    return op_of(
        ids, ordinal, op.verb, op.tip_id, op.state, reason=op.reason, at=op.at, actor=op.actor, others=op.others
    )


def _keep(book: TipBook, tip_id: str, by: By) -> Curated:
    return Curated()


_DO = {
    TipVerb.APPROVE: curation.approve,
    TipVerb.REJECT: curation.reject,
    TipVerb.WITHDRAW: curation.withdraw,
    TipVerb.RESTORE: curation.restore,
    TipVerb.EXPIRE: curation.expire,
    TipVerb.SPLIT: curation.split,
    TipVerb.SUPERSEDE: _keep,
}
__all__ = ["RULE", "Replayed", "remaining", "without_runs"]
