"""The tips of a space: a fold of what was proposed, merged, approved and withdrawn."""

from __future__ import annotations

from collections.abc import Iterable

from trajwiki.domain.tips import Tip, TipOp, TipState


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

    def apply(self, tips: Iterable[Tip], ops: Iterable[TipOp]) -> None:
        """Move past further tips and operations."""
        for tip in tips:
            self.tips[tip.id] = tip
        for op in ops:
            self.ops.append(op)
            self.state[op.tip_id] = op.state
