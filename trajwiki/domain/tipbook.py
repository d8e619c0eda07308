"""The tips of a space: a fold of what was proposed, merged, approved and withdrawn."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from trajwiki.domain.tips import Tip, TipOp, TipSource, TipState, TipVerb

LIVE: Final = frozenset({TipState.PROPOSED, TipState.APPROVED})
"""States of a tip that can be delivered, unless the space asks for review."""

LIVES_ON: Final = frozenset({TipVerb.MERGE, TipVerb.EDIT})
"""Operations after which another tip stands for this one."""


class TipBook:
    """All tips with their states.

    Attributes:
        tips: By id, in order.
        state: Tip id to its state now.
        ops: All operations, in order.
    """

    def __init__(self) -> None:
        self.tips: dict[str, Tip] = {}
        self.state: dict[str, TipState] = {}
        self.ops: list[TipOp] = []
        self._last: dict[str, TipOp] = {}
        self._apart: set[str] = set()

    def apply(self, tips: Iterable[Tip], ops: Iterable[TipOp]) -> None:
        """Move past further tips and operations."""
        for tip in tips:
            self.tips[tip.id] = tip
        for op in ops:
            self.ops.append(op)
            self.state[op.tip_id] = op.state
            self._last[op.tip_id] = op
            if op.verb is TipVerb.SPLIT:
                self._apart.update(op.others)

    def copy(self) -> TipBook:
        """Give a book that can be moved on without changing this one."""
        other = TipBook()
        other.tips, other.state, other.ops = dict(self.tips), dict(self.state), list(self.ops)
        other._last, other._apart = dict(self._last), set(self._apart)
        return other

    def deliverable(self, review: bool = False) -> tuple[Tip, ...]:
        """Give the tips that can go into a prompt, in order; with `review` only those that were approved."""
        wanted = frozenset({TipState.APPROVED}) if review else LIVE
        return tuple(t for t in self.tips.values() if self.state.get(t.id) in wanted and not t.instruction_like)

    def history(self, tip_id: str) -> tuple[TipOp, ...]:
        """Give all that was done to a tip and to the tips it was made from, in order."""
        family = {tip_id, *self.ancestors(tip_id)}
        return tuple(op for op in self.ops if op.tip_id in family)

    def last_op(self, tip_id: str) -> TipOp | None:
        """Give the latest operation on a tip."""
        return self._last.get(tip_id)

    def ancestors(self, tip_id: str) -> Iterator[str]:
        """Give the ids of the tips that a tip was made from, near ones first, each once."""
        seen: set[str] = {tip_id}
        queue = [tip_id]
        for at in queue:
            for parent in self.tips[at].made_from if at in self.tips else ():
                if parent not in seen:
                    seen.add(parent)
                    queue.append(parent)
                    yield parent

    def leaves_of(self, tip_id: str) -> frozenset[str]:
        """Give the extracted tips behind a tip: itself, when it was made from nothing."""
        family = [tip_id, *self.ancestors(tip_id)]
        return frozenset(t for t in family if t in self.tips and not self.tips[t].made_from)

    def stands_for(self, tip_id: str) -> str:
        """Give the id of the tip in which a tip lives on, after all merges and edits: itself, when there is none."""
        seen: set[str] = set()
        while tip_id not in seen:
            seen.add(tip_id)
            op = self._last.get(tip_id)
            if op is None or self.state[tip_id] is not TipState.MERGED or op.verb not in LIVES_ON or not op.others:
                break
            tip_id = op.others[0]
        return tip_id

    def kept_apart(self, tip_id: str) -> bool:
        """Tell whether a tip came out of a split, after which only a person merges it again."""
        return tip_id in self._apart

    def roots(self) -> tuple[str, ...]:
        """Give the ids of the tips that stand for themselves, whatever their state, in order."""
        return tuple(t for t in self.tips if self.state.get(t) is not TipState.MERGED)


def united(tips: Iterable[Tip]) -> tuple[TipSource, ...]:
    """Give the sources of several tips, each once, in the order of run ids and steps."""
    found = {s for tip in tips for s in tip.sources}
    return tuple(sorted(found, key=lambda s: (s.run_id, s.first, s.last, s.outcome.value)))


def unconserved(book: TipBook) -> tuple[str, ...]:
    """Give the ids of extracted tips that break the support law: each is a source of exactly one tip that stands.

    The law: following merges and edits from an extracted tip leads to one tip that is not merged, that was made from
    it, and that holds all of its sources.
    """
    bad = []
    for tip in book.tips.values():
        if tip.made_from:
            continue
        root = book.stands_for(tip.id)
        whole = root in book.tips and set(tip.sources) <= set(book.tips[root].sources)
        if not whole or book.state.get(root) is TipState.MERGED or tip.id not in book.leaves_of(root):
            bad.append(tip.id)
    return tuple(bad)
