"""How large a space is, and how its trajectories hold together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from trajwiki.domain.state import SpaceState


@dataclass(frozen=True, slots=True)
class Sizes:
    """Numbers of things in a space."""

    messages: int
    exchanges: int
    snapshots: int
    claims: int
    trajectories: int
    pages: int


@dataclass(frozen=True, slots=True)
class Drift:
    """How far trajectories wander (design, dialogue.md 10). Means over trajectories of two or more snapshots.

    Attributes:
        trajectories: How many there are in all.
        longer: How many have two or more snapshots.
        mean_length: Mean number of snapshots of a trajectory.
        head_tail: Mean cosine of the first and the latest snapshot, in [-1, 1].
        neighbours: Mean cosine of a snapshot and the next, averaged in each trajectory first.
    """

    trajectories: int
    longer: int
    mean_length: float
    head_tail: float
    neighbours: float


def sizes_of(state: SpaceState) -> Sizes:
    """Count what a space holds."""
    return Sizes(
        messages=len(state.messages),
        exchanges=len(state.exchanges),
        snapshots=len(state.snapshots),
        claims=len(state.claims),
        trajectories=len(state.trajectories),
        pages=len(state.pages),
    )


def drift_of(states: list[SpaceState]) -> Drift:
    """Measure the drift of all trajectories of some spaces."""
    head_tail, neighbours, lengths = [], [], []
    for state in states:
        vectors = state.vectors["snapshot"]
        for trajectory_id in state.trajectories:
            rows = np.array([vectors[s.id] for s in state.snapshots_in(trajectory_id)])
            lengths.append(len(rows))
            if len(rows) > 1:
                head_tail.append(float(rows[0] @ rows[-1]))
                neighbours.append(float(np.einsum("ij,ij->i", rows[:-1], rows[1:]).mean()))
    return Drift(
        trajectories=len(lengths),
        longer=len(head_tail),
        mean_length=_mean(lengths),
        head_tail=_mean(head_tail),
        neighbours=_mean(neighbours),
    )


def _mean(values: list[float] | list[int]) -> float:
    return round(float(np.mean(values)), 4) if values else 0.0
