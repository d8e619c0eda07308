"""From selected trajectories to snapshots (paper, A.5: update_linked_plus_neighbors)."""

from __future__ import annotations

from trajwiki.domain.state import SpaceState
from trajwiki.retrieval.constants import Routing
from trajwiki.retrieval.query import Query
from trajwiki.retrieval.routing import DECIMALS, Route


def expand(route: Route, query: Query, state: SpaceState, *, settings: Routing) -> list[str]:
    """Give the snapshots to read, the most useful first.

    The best snapshot of each trajectory, then the best of the rest up to a number, then their neighbours, then the
    snapshots that a revision links them to.
    """
    vectors = state.vectors["snapshot"]
    similarity = {
        s.id: round(float(vectors[s.id] @ query.vector), DECIMALS)
        for t, _ in route.trajectories
        for s in state.snapshots_in(t)
    }
    best = sorted(similarity, key=lambda s: (-similarity[s], state.snapshots[s].ordinal))
    first: dict[str, str] = {}
    for snapshot_id in best:
        first.setdefault(state.trajectory_of[snapshot_id], snapshot_id)
    chosen = dict.fromkeys(first[t] for t, _ in route.trajectories)
    for snapshot_id in best:
        if len(chosen) >= settings.snapshots * settings.trajectories:
            break
        chosen.setdefault(snapshot_id)
    core = list(chosen)
    for snapshot_id in core:
        chosen.update(dict.fromkeys(_neighbours(snapshot_id, state, settings.radius)))
    for snapshot_id in core:
        chosen.update(dict.fromkeys(_linked_by_update(snapshot_id, state)))
    return list(chosen)


def _neighbours(snapshot_id: str, state: SpaceState, radius: int) -> list[str]:
    members = [m.snapshot_id for m in state.members[state.trajectory_of[snapshot_id]]]
    here = members.index(snapshot_id)
    return members[max(0, here - radius) : here + radius + 1]


def _linked_by_update(snapshot_id: str, state: SpaceState) -> list[str]:
    """The snapshots behind the claims that revise a claim of this one, or are revised by one."""
    linked: list[str] = []
    for claim_id in state.snapshots[snapshot_id].claim_ids:
        for other in state.revisions_of.get(claim_id, ()):
            linked += [s.snapshot_id for s in state.sources.get(other, ())]
    return linked
