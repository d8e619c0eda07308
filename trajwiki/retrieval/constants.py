"""Every number of retrieval, in one table. Where one comes from the paper, its section stands beside it.

The paper leaves some signals undefined; docs/retrieval.md says how they are defined here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Routing:
    """Settings of the wiki lane (paper, A.5 and A.7).

    Attributes:
        pages: t, how many pages are followed.
        trajectories: k, how many trajectories are selected.
        weighted_overlap: Sparse scores weigh shared words by rarity; False: plain Jaccard, as in the paper.
        radius: Neighbouring snapshots taken along on each side.
        snapshots: Snapshots selected before neighbours, as a multiple of k.
    """

    pages: int = 15
    trajectories: int = 15
    weighted_overlap: bool = True
    radius: int = 1
    snapshots: int = 2


MESSAGE_WEIGHTS: Final = {
    # Log-odds that a message is evidence, per unit of a signal (retrieval/signals.py). Fitted by listwise maximum
    # likelihood on three conversations with the signs held, rounded by hand, checked on two others.
    "speaker": 2.0,
    "date": 6.0,
    "dense_near": 4.0,
    "dense_session": 1.5,
    "before": 1.5,
    "session": 0.35,
    "reply": 0.8,
    "time": 0.4,
    "asked_time": 2.0,
    "asked_name": 2.5,
    "question": -0.7,
    "opening": 0.5,
    "substance": 1.0,
}
FEEDBACK_WEIGHT: Final = 2.0
WIKI_WEIGHT: Final = 0.5  # log-odds for a message on the first snapshot that the wiki led to
LENGTH_POWER: Final = 0.5  # what is packed first is worth most per word to this power

PAPER: Final = Routing(weighted_overlap=False)
OURS: Final = Routing()

RRF_K: Final = 60  # A.7

# Pages (A.5)
PAGE_ENTITY: Final = 0.08  # b_entity: the page shares a name with the question
PAGE_GRANULARITY: Final = 0.03  # a_gran: an inventory page for a question that wants items or a count
PAGE_FAMILY: Final = 0.10
PAGE_FAMILY_PENALTY: Final = 0.12
PAGE_SPARSE_FAMILY: Final = 0.35
PAGE_SPARSE_FAMILY_PENALTY: Final = 0.25

# Trajectories (A.5)
TRAJECTORY_SUMMARY: Final = 0.75
TRAJECTORY_LATEST: Final = 0.15
TRAJECTORY_ENTITY: Final = 0.10
TRAJECTORY_FAMILY: Final = 0.08
TRAJECTORY_EVENT: Final = 0.10
TRAJECTORY_FAMILY_PENALTY: Final = 0.04
TRAJECTORY_SPARSE_FAMILY: Final = 0.60
TRAJECTORY_SPARSE_EVENT: Final = 0.75
TRAJECTORY_SPARSE_FAMILY_PENALTY: Final = 0.25

# Coverage selection (A.5); the parts of p_red are ours
COVER_ENTITY: Final = 0.90
COVER_FACET: Final = 0.65
COVER_ITEM: Final = 0.30
COVER_TERM: Final = 0.12
COVER_INVENTORY: Final = 0.18
COVER_COUNT: Final = 0.18
COVER_FAMILY: Final = 0.75
REDUNDANT_ENTITY: Final = 0.05
REDUNDANT_TERM: Final = 0.05
REDUNDANT_CLUSTER: Final = 0.10
MISMATCHED_FAMILY: Final = 0.15
