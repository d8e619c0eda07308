"""Trajectories: append-only threads of snapshots about one evolving thing."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Trajectory:
    """The identity of a thread. Its members and versions are records of their own.

    Attributes:
        id: Content id, from its first snapshot.
        ordinal: Order in the space, from 0.
        continues: The closed trajectory that this one goes on from, if any.
    """

    id: str
    ordinal: int
    continues: str | None = None


@dataclass(frozen=True, slots=True)
class Member:
    """That a snapshot is the n-th of a trajectory. Append-only.

    Attributes:
        trajectory_id: The thread.
        ordinal: From 0.
        snapshot_id: The snapshot.
        score: The match score g (paper, A.2) it was put here with; 1.0 for a first member.
        decided_by: Rule or model.
    """

    trajectory_id: str
    ordinal: int
    snapshot_id: str
    score: float
    decided_by: str


@dataclass(frozen=True, slots=True)
class TrajectoryVersion:
    """What a thread looked like after its n-th snapshot.

    Attributes:
        trajectory_id: The thread.
        ordinal: Equal to the ordinal of the member that made it.
        title: A few words a person would choose.
        summary: Markdown under four headings (design, dialogue.md 5).
    """

    trajectory_id: str
    ordinal: int
    title: str
    summary: str
