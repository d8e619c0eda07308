"""The wiki lane: question -> pages -> trajectories -> snapshots (paper, 3.3 and A.5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from trajwiki.domain.snapshots import Features
from trajwiki.domain.state import SpaceState
from trajwiki.domain.wiki import PageType
from trajwiki.retrieval import constants as c
from trajwiki.retrieval.constants import Routing
from trajwiki.retrieval.index import SearchIndex
from trajwiki.retrieval.query import Query
from trajwiki.retrieval.selection import cover

DECIMALS: Final = 6  # of scores before they are compared


@dataclass(frozen=True, slots=True)
class Route:
    """Where the wiki led.

    Attributes:
        pages: (page id, score in [0, 1]), best first.
        candidates: Trajectories that the pages link.
        trajectories: (trajectory id, score in [0, 1]) selected, best first.
    """

    pages: tuple[tuple[str, float], ...]
    candidates: int
    trajectories: tuple[tuple[str, float], ...]


def route(query: Query, state: SpaceState, index: SearchIndex, *, settings: Routing) -> Route:
    """Follow the wiki from a question to trajectories.

    Args:
        query: The question.
        state: The space.
        index: Of the same state.
        settings: How far to go.
    """
    pages = _rank_pages(query, state, index, settings)[: settings.pages]
    linked = dict.fromkeys(
        t
        for page_id, _ in pages
        for t in sorted(state.links.get(page_id, ()), key=lambda t: state.trajectories[t].ordinal)
    )
    ranked = _rank_trajectories(query, list(linked), state, index, settings)
    shape = query.shape
    if shape.list_like or shape.count_like or shape.comparison or shape.multi_entity:
        ranked = cover(query, ranked, state, limit=settings.trajectories)
    return Route(tuple(pages), len(linked), tuple(ranked[: settings.trajectories]))


def _rank_pages(query: Query, state: SpaceState, index: SearchIndex, settings: Routing) -> list[tuple[str, float]]:
    ids = [p.id for p in sorted(state.pages.values(), key=lambda p: p.slug) if p.type is not PageType.INDEX]
    if not ids:
        return []
    vectors = np.stack([state.vectors["page"][i] for i in ids])
    dense, sparse = vectors @ query.vector, np.zeros(len(ids))
    items_wanted = query.shape.list_like or query.shape.count_like
    for n, page_id in enumerate(ids):
        features = index.page_features(page_id)
        family, mismatch = _family(query, features)
        dense[n] += (
            c.PAGE_ENTITY * bool(_names(query) & features.entities)
            + c.PAGE_GRANULARITY * (items_wanted and state.pages[page_id].type is PageType.INVENTORY)
            + c.PAGE_FAMILY * family
            - c.PAGE_FAMILY_PENALTY * mismatch
        )
        sparse[n] = (
            _overlap(query, features, index, settings)
            + c.PAGE_SPARSE_FAMILY * family
            - c.PAGE_SPARSE_FAMILY_PENALTY * mismatch
        )
    return fuse(ids, dense, sparse)


def _rank_trajectories(
    query: Query, ids: Sequence[str], state: SpaceState, index: SearchIndex, settings: Routing
) -> list[tuple[str, float]]:
    if not ids:
        return []
    summaries = np.stack([state.vectors["trajectory"][i] for i in ids])
    latest = np.stack([state.vectors["snapshot"][state.members[i][-1].snapshot_id] for i in ids])
    dense = c.TRAJECTORY_SUMMARY * (summaries @ query.vector) + c.TRAJECTORY_LATEST * (latest @ query.vector)
    sparse = np.zeros(len(ids))
    for n, trajectory_id in enumerate(ids):
        features = state.features[trajectory_id]
        family, mismatch = _family(query, features)
        event = _event(query, features, index)
        dense[n] += (
            c.TRAJECTORY_ENTITY * bool(_names(query) & features.entities)
            + c.TRAJECTORY_FAMILY * family
            + c.TRAJECTORY_EVENT * event
            - c.TRAJECTORY_FAMILY_PENALTY * mismatch
        )
        sparse[n] = (
            _overlap(query, features, index, settings)
            + c.TRAJECTORY_SPARSE_FAMILY * family
            + c.TRAJECTORY_SPARSE_EVENT * event
            - c.TRAJECTORY_SPARSE_FAMILY_PENALTY * mismatch
        )
    return fuse(ids, dense, sparse)


def fuse(ids: Sequence[str], dense: np.ndarray, sparse: np.ndarray) -> list[tuple[str, float]]:
    """Fuse two lists of scores by reciprocal rank, best first, scaled to [0, 1]; ties go by the order given."""
    total = np.zeros(len(ids))
    for scores in (dense, sparse):
        ranks = np.empty(len(ids))
        ranks[np.argsort(-np.round(scores, DECIMALS), kind="stable")] = np.arange(1, len(ids) + 1)
        total += 1 / (c.RRF_K + ranks)
    order = np.argsort(-total, kind="stable")
    best = 2 / (c.RRF_K + 1)
    return [(ids[i], round(float(total[i]) / best, DECIMALS)) for i in order]


def _names(query: Query) -> frozenset[str]:
    return frozenset(query.shape.entities)


def _family(query: Query, features: Features) -> tuple[bool, bool]:
    """Whether there is a facet of the kind the question asks for; and whether there are facets, but none such."""
    wanted = set(query.shape.facets)
    if not wanted or not features.facets:
        return False, False
    found = bool(wanted & {f.name for f in features.facets})
    return found, not found


def _event(query: Query, features: Features, index: SearchIndex) -> float:
    """Share of the question's rare words that are exact terms or names there."""
    held = {word for term in features.terms | features.entities for word in index.stems_of(term)}
    return _share([k for k in query.shape.keywords if k in held], query.shape.keywords, index)


def _overlap(query: Query, features: Features, index: SearchIndex, settings: Routing) -> float:
    asked = frozenset(query.shape.keywords)
    if settings.weighted_overlap:
        return _share([k for k in query.shape.keywords if k in features.keywords], query.shape.keywords, index)
    union = len(asked | features.keywords)
    return len(asked & features.keywords) / union if union else 0.0


def _share(found: Sequence[str], asked: Sequence[str], index: SearchIndex) -> float:
    whole = sum(index.messages.idf(k) for k in set(asked))
    return sum(index.messages.idf(k) for k in set(found)) / whole if whole else 0.0
