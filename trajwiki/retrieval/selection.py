"""Choosing trajectories that complement each other, for questions that want many things (paper, A.5)."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from trajwiki.domain.claims import ClaimKind
from trajwiki.domain.snapshots import Features
from trajwiki.domain.state import SpaceState
from trajwiki.retrieval import constants as c
from trajwiki.retrieval.query import Query


def cover(
    query: Query, ranked: Sequence[tuple[str, float]], state: SpaceState, *, limit: int
) -> list[tuple[str, float]]:
    """Choose greedily by relevance and by what is new; the strongest is the anchor.

    Args:
        query: The question.
        ranked: (trajectory id, score), best first.
        state: The space.
        limit: How many.

    Returns:
        The chosen, in the order of choice, with the scores they came with.
    """
    left = {t: (1 - n / len(ranked), score) for n, (t, score) in enumerate(ranked)}  # s_rank of A.5
    chosen: list[tuple[str, float]] = []
    seen = Features()
    while left and len(chosen) < limit:
        if chosen:
            best = max(left, key=lambda t: (left[t][0] + _gain(query, t, seen, chosen, state), -_place(t, state)))
        else:
            best = next(iter(left))
        chosen.append((best, left.pop(best)[1]))
        seen = seen | state.features[best]
    return chosen


def _gain(
    query: Query, trajectory_id: str, seen: Features, chosen: Sequence[tuple[str, float]], state: SpaceState
) -> float:
    features = state.features[trajectory_id]
    wanted = set(query.shape.facets)
    relevant = {f for f in features.facets if f.name in wanted} if wanted else set(features.facets)
    asked = frozenset(query.shape.entities)
    kinds = {state.claims[i].kind for s in state.snapshots_in(trajectory_id) for i in s.claim_ids}
    gain = (
        c.COVER_ENTITY * _share(features.entities & asked - seen.entities, asked)
        + c.COVER_FACET * _share({f.name for f in relevant} - {f.name for f in seen.facets}, wanted)
        + c.COVER_ITEM * bool({f.value for f in relevant} - {f.value for f in seen.facets})
        + c.COVER_TERM * _share(features.terms - seen.terms, features.terms)
        + c.COVER_INVENTORY * (query.shape.list_like and len(relevant) > 1)
        + c.COVER_COUNT * (query.shape.count_like and ClaimKind.COUNT in kinds)
        + c.COVER_FAMILY * bool(wanted and relevant)
    )
    pages = {p for t, _ in chosen for p in state.pages_of.get(t, ())}
    redundant = (
        c.REDUNDANT_ENTITY * _share(features.entities & seen.entities, features.entities)
        + c.REDUNDANT_TERM * _share(features.terms & seen.terms, features.terms)
        + c.REDUNDANT_CLUSTER * bool(pages & set(state.pages_of.get(trajectory_id, ())))
        + c.MISMATCHED_FAMILY * bool(wanted and not relevant)
    )
    return gain - redundant


def _share(part: Collection[object], whole: Collection[object]) -> float:
    n, of = len(part), len(whole)
    return n / of if of else 0.0


def _place(trajectory_id: str, state: SpaceState) -> int:
    return state.trajectories[trajectory_id].ordinal
