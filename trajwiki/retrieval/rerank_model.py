"""The wiki lane with a model that orders pages and trajectories; where it gives nothing the fused order stands."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Final

from trajwiki.domain.state import SpaceState
from trajwiki.memory.summaries import NOTHING
from trajwiki.models.asking import Asker
from trajwiki.models.prompts import reranks
from trajwiki.models.prompts.base import Prompt, said
from trajwiki.models.prompts.reranks import Ranking
from trajwiki.retrieval.constants import Routing
from trajwiki.retrieval.index import SearchIndex
from trajwiki.retrieval.query import Query
from trajwiki.retrieval.routing import Route, _rank_pages, _rank_trajectories
from trajwiki.retrieval.selection import cover
from trajwiki.wiki.routing import routing_text
from trajwiki.wiki.titles import page_title

POOL: Final = 12  # paper, A.7
SHOWN: Final = 220  # characters of a page or trajectory

Ranked = list[tuple[str, float]]


def route_with_model(query: Query, state: SpaceState, index: SearchIndex, *, settings: Routing, asker: Asker) -> Route:
    """Follow the wiki from a question to trajectories, as `route` does.

    Args:
        query: The question.
        state: The space.
        index: Of the same state.
        settings: How far to go.
        asker: Of the space.
    """
    pages = _rank_pages(query, state, index, settings)[: settings.pages]
    told = [
        (said(page_title(state, state.pages[p])), said(routing_text(state, state.pages[p])[:SHOWN]))
        for p, _ in pages[:POOL]
    ]
    pages = _reranked(reranks.PAGES, query, pages, told, "P", asker)
    linked = sorted({t for p, _ in pages for t in state.links.get(p, ())}, key=lambda t: state.trajectories[t].ordinal)
    ranked = _rank_trajectories(query, linked, state, index, settings)
    told = [_told(state, t) for t, _ in ranked[:POOL]]
    ranked = _reranked(reranks.TRAJECTORIES, query, ranked, told, "T", asker)
    shape = query.shape
    if shape.list_like or shape.count_like or shape.comparison or shape.multi_entity:
        ranked = cover(query, ranked, state, limit=settings.trajectories)
    return Route(tuple(pages), len(linked), tuple(ranked[: settings.trajectories]))


def _told(state: SpaceState, trajectory_id: str) -> tuple[str, str]:
    version = state.versions[trajectory_id][-1]
    lines = (line for line in version.summary.split("\n") if line and line != NOTHING and not line.startswith("## "))
    return said(version.title), said(" ".join(lines)[:SHOWN])


def _reranked(
    prompt: Prompt[Ranking], query: Query, ranked: Ranked, told: Sequence[tuple[str, str]], letter: str, asker: Asker
) -> Ranked:
    """The first of a list in the order of the model; those it leaves out follow as they were."""
    n = len(told)
    if n < 2:
        asker.skip(prompt)
        return ranked
    lines = [f"question | {said(query.question[:1000])} | {query.shape.answer_type.value}"]
    lines += [f"{letter}{i} | {title} | {text}" for i, (title, text) in enumerate(told, start=1)]
    reply = asker.ask(prompt, lines, check=partial(_useless, letter=letter, n=n))
    if reply is None:
        return ranked
    first = _places(reply, letter, n)
    order = [*first, *(i for i in range(n) if i not in first)]
    scores = [score for _, score in ranked[:n]]  # the best place has the best score still
    return [(ranked[i][0], score) for i, score in zip(order, scores, strict=True)] + ranked[n:]


def _places(reply: Ranking, letter: str, n: int) -> list[int]:
    known = {f"{letter}{i}": i - 1 for i in range(1, n + 1)}
    return list(dict.fromkeys(known[k] for name in reply.ranking if (k := name.strip().upper()) in known))


def _useless(reply: Any, letter: str, n: int) -> str | None:
    assert isinstance(reply, Ranking)
    return None if _places(reply, letter, n) else "unknown-candidate"
