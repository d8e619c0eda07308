"""Which trajectory a snapshot continues, if any (paper, 3.1 and A.2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np

from trajwiki.domain.snapshots import Features, Snapshot
from trajwiki.domain.state import Change, SpaceState
from trajwiki.language.tokens import fold

W_SUMMARY: Final = 0.60
W_LATEST: Final = 0.20
W_KEYWORDS: Final = 0.20
B_ENTITY: Final = 0.08
B_FACET_VALUE: Final = 0.06
B_FACET_TAG: Final = 0.03
B_CONTINUITY: Final = 0.04
B_CONTINUITY_MAX: Final = 0.14
P_BROAD_ENTITY: Final = 0.10
P_LEXICAL_ONLY: Final = 0.04
PREFILTER: Final = 32
SHORTLIST: Final = 3
DECIMALS: Final = 4  # scores are rounded, so that another BLAS does not change memory


@dataclass(frozen=True, slots=True)
class Candidate:
    """A trajectory that a snapshot may continue, with its score g (about 0 to 1.3)."""

    trajectory_id: str
    score: float


class MatchIndex:
    """Which trajectories hold a feature; kept beside a state so that matching does not scan it."""

    def __init__(self, state: SpaceState) -> None:
        self._state = state
        self._holders: dict[str, set[str]] = {}
        self.speakers: set[str] = set()
        for trajectory_id in state.trajectories:
            self._take(trajectory_id)
        self._hear(state.snapshots.values())

    def apply(self, change: Change) -> None:
        """Follow the state, which has applied the change already."""
        self._hear(change.snapshots)
        for trajectory_id in dict.fromkeys(m.trajectory_id for m in change.members):
            self._take(trajectory_id)

    def overlapping(self, features: Features) -> list[str]:
        """Give the trajectories that share a keyword, entity or facet, most overlap first, at most 32.

        Speakers are in nearly every trajectory and say nothing here.
        """
        counts: Counter[str] = Counter()
        for key in _keys(features, self.speakers):
            counts.update(self._holders.get(key, ()))
        order = self._state.trajectories
        return sorted(counts, key=lambda t: (-counts[t], order[t].ordinal))[:PREFILTER]

    def _hear(self, snapshots: Iterable[Snapshot]) -> None:
        """Know the speakers of what was understood; who only waits to be read must not matter yet."""
        self.speakers.update(fold(self._state.messages[m].speaker) for s in snapshots for m in s.message_ids)

    def _take(self, trajectory_id: str) -> None:
        for key in _keys(self._state.features[trajectory_id], self.speakers):
            self._holders.setdefault(key, set()).add(trajectory_id)


def candidates(snapshot: Snapshot, vector: np.ndarray, state: SpaceState, index: MatchIndex) -> list[Candidate]:
    """Give the three best trajectories for a snapshot that is not in the state's trajectories yet, best first.

    Args:
        snapshot: The new snapshot.
        vector: Its embedding, unit float32 of shape (d,).
        state: The space.
        index: Of the same state.
    """
    ids = index.overlapping(snapshot.features) or list(state.trajectories)
    if not ids:
        return []
    summaries = np.stack([state.vectors["trajectory"][t] for t in ids])
    latest = np.stack([state.vectors["snapshot"][state.members[t][-1].snapshot_id] for t in ids])
    cosines = W_SUMMARY * (summaries @ vector) + W_LATEST * (latest @ vector)
    scored = [
        Candidate(t, round(float(cosine) + _overlap(snapshot.features, state.features[t], index.speakers), DECIMALS))
        for t, cosine in zip(ids, cosines, strict=True)
    ]
    scored.sort(key=lambda c: (-c.score, state.trajectories[c.trajectory_id].ordinal))
    return scored[:SHORTLIST]


def _overlap(a: Features, b: Features, speakers: set[str]) -> float:
    union = len(a.keywords | b.keywords)
    score = W_KEYWORDS * len(a.keywords & b.keywords) / union if union else 0.0
    shared_entity = bool(a.entities & b.entities)
    specific = len(_specific(a, speakers) & _specific(b, speakers))
    if shared_entity:
        score += B_ENTITY
    if a.facets & b.facets:
        score += B_FACET_VALUE
    elif {f.name for f in a.facets} & {f.name for f in b.facets}:
        score += B_FACET_TAG
    score += min(B_CONTINUITY_MAX, B_CONTINUITY * specific)
    if not specific:
        if shared_entity:
            score -= P_BROAD_ENTITY
        elif a.keywords & b.keywords:
            score -= P_LEXICAL_ONLY
    return score


def _specific(features: Features, speakers: set[str]) -> frozenset[str]:
    """What ties two snapshots to one thread: exact terms and names other than the speakers'."""
    return features.terms | (features.entities - speakers)


def _keys(features: Features, speakers: set[str]) -> list[str]:
    return (
        [f"k:{k}" for k in features.keywords]
        + [f"e:{e}" for e in features.entities - speakers]
        + [f"f:{f.name}={fold(f.value)}" for f in features.facets]
    )
