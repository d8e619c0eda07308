"""Recall: the lanes of a profile, fused, packed to a budget."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Final, Protocol

import numpy as np

from trajwiki.domain.evidence import Evidence, Recall, Scored
from trajwiki.domain.state import SpaceState
from trajwiki.language.tokens import count_words
from trajwiki.retrieval import constants as c
from trajwiki.retrieval.expansion import expand
from trajwiki.retrieval.index import SearchIndex
from trajwiki.retrieval.message_lane import message_scores
from trajwiki.retrieval.packing import Line, pack, render, time_order
from trajwiki.retrieval.query import Query
from trajwiki.retrieval.routing import DECIMALS, Route, route
from trajwiki.wiki.titles import page_title

SCORE_DECIMALS: Final = 4
DROPPED_SHOWN: Final = 50


class Router(Protocol):
    """What `route` does, perhaps with the help of a model."""

    def __call__(self, query: Query, state: SpaceState, index: SearchIndex, *, settings: c.Routing) -> Route:
        """Give where the wiki leads."""
        ...


def recall(query: Query, state: SpaceState, index: SearchIndex, *, router: Router = route) -> Recall:
    """Give the evidence for a question.

    Args:
        query: The question, with profile and budget.
        state: The space.
        index: Of the same state.
        router: Follows the wiki from the question to trajectories.
    """
    timings: dict[str, float] = {}
    settings = c.PAPER if query.profile == "paper" else c.OURS
    with _timed(timings, "route"):
        found = router(query, state, index, settings=settings)
        snapshots = expand(found, query, state, settings=settings)
    with _timed(timings, "rank"):
        scores = _scores(query, state, index, snapshots)
    with _timed(timings, "pack"):
        lines = (_line(query, state, index, i) for i in _by_worth(scores, index))
        chosen, dropped = pack(lines, budget=query.budget)
        context = render(chosen, key=query.key)
    return Recall(
        question=query.question,
        space=query.space,
        budget=query.budget,
        tokens=count_words(context),
        context=context,
        evidence=tuple(_evidence(state, index, line, scores) for line in sorted(chosen, key=time_order)),
        pages=_page_scores(found, state),
        trajectories=tuple(
            Scored(t, state.versions[t][-1].title, round(score, SCORE_DECIMALS)) for t, score in found.trajectories
        ),
        candidates=found.candidates,
        dropped=tuple(line.message.source_ref for line in dropped[:DROPPED_SHOWN]),
        timings_ms=timings,
    )


def _scores(query: Query, state: SpaceState, index: SearchIndex, snapshots: list[str]) -> np.ndarray:
    """Give every message's log-odds by the lanes of the profile; minus infinity is out of reach."""
    wiki = np.zeros(len(index.message_ids))
    for place, snapshot_id in enumerate(snapshots):
        for message_id in state.snapshots[snapshot_id].message_ids:
            wiki[index.position[message_id]] = (c.RRF_K + 1) / (c.RRF_K + 1 + place)
    if query.profile == "paper":
        return np.where(wiki > 0, np.log(np.maximum(wiki, 1e-9)), -np.inf)
    messages = message_scores(query, index.messages, index.embedder)
    if query.profile == "wiki":
        return np.where(wiki > 0, messages, -np.inf)
    return messages + c.WIKI_WEIGHT * wiki if query.profile == "default" else messages


def _by_worth(scores: np.ndarray, index: SearchIndex) -> list[int]:
    """Order messages within reach by what they are worth per word."""
    words = np.array([line.words for line in index.lines])
    worth = np.round(scores - c.LENGTH_POWER * np.log(np.maximum(words, 1)), DECIMALS)
    return [int(i) for i in np.argsort(-worth, kind="stable") if np.isfinite(worth[i])]


def _line(query: Query, state: SpaceState, index: SearchIndex, doc: int) -> Line:
    line = index.lines[doc]
    message_id = line.message.id
    claims = state.claims_of.get(message_id)
    superseded = bool(claims) and not any(state.is_current(i) for i in claims or ())
    asked = bool(line.caption_words) and not index.caption_terms[doc].isdisjoint(query.shape.keywords)
    return replace(line, superseded=superseded, with_caption=asked) if superseded or asked else line


def _evidence(state: SpaceState, index: SearchIndex, line: Line, scores: np.ndarray) -> Evidence:
    message = line.message
    score = float(np.exp(scores[index.position[message.id]] - scores.max()))  # odds, of the best one's
    return Evidence(
        source_ref=message.source_ref,
        message_id=message.id,
        speaker=message.speaker,
        timestamp=message.sent_at,
        text=message.text,
        session=message.session,
        trajectory_id=state.trajectory_of_message(message.id),
        snapshot_id=state.snapshot_of_message(message.id),
        claim_ids=tuple(state.claims_of.get(message.id, ())),
        superseded=line.superseded,
        score=round(score, SCORE_DECIMALS),
    )


def _page_scores(found: Route, state: SpaceState) -> tuple[Scored, ...]:
    return tuple(
        Scored(state.pages[p].slug, page_title(state, state.pages[p]), round(score, SCORE_DECIMALS))
        for p, score in found.pages
    )


@contextmanager
def _timed(timings: dict[str, float], stage: str) -> Iterator[None]:
    start = time.perf_counter()
    yield
    timings[stage] = round((time.perf_counter() - start) * 1000, 3)
