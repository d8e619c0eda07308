"""Drift: how far the talk of a trajectory moves from where it began (cosines of snapshot vectors, in [-1, 1])."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from trajwiki.domain.state import SpaceState


@dataclass(frozen=True, slots=True)
class Drift:
    """The course of a trajectory.

    Attributes:
        head: Cosine of each snapshot with the first; 1 for the first.
        previous: Cosine of each snapshot with the one before; 1 for the first.
    """

    head: tuple[float, ...]
    previous: tuple[float, ...]

    @property
    def head_tail(self) -> float:
        """Cosine of the first and the latest snapshot."""
        return self.head[-1]

    @property
    def neighbour(self) -> float:
        """Mean cosine of neighbours; 1 for a single snapshot."""
        return float(np.mean(self.previous[1:])) if len(self.previous) > 1 else 1.0


def drift(state: SpaceState, trajectory_id: str) -> Drift:
    """Give the drift of a trajectory; where a vector is missing, 0."""
    vectors = state.vectors["snapshot"]
    rows = [vectors.get(m.snapshot_id) for m in state.members[trajectory_id]]
    first = rows[0]
    head, previous = [1.0], [1.0]
    for before, row in itertools.pairwise(rows):
        head.append(round(float(first @ row), 4) if first is not None and row is not None else 0.0)
        previous.append(round(float(before @ row), 4) if before is not None and row is not None else 0.0)
    return Drift(tuple(head), tuple(previous))
