"""Vectors of another model: made commit by commit, kept aside, and put in place all at once.

The texts are those that were embedded when each commit was written, so the past can be searched as before.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from trajwiki.domain.practice import Practice
from trajwiki.domain.state import SpaceState, Vector
from trajwiki.memory.snapshots import embedded_text
from trajwiki.memory.summaries import retrieval_text
from trajwiki.models.embedding import Embedder
from trajwiki.store.spaces import SpaceStore, Writing
from trajwiki.wiki.routing import routing_text

BATCH: Final = 512  # vectors that are kept at a time


def prepare(
    store: SpaceStore, space_id: str, embedder: Embedder, *, progress: Callable[[int, int], None] | None = None
) -> None:
    """Make the vectors of every commit that has none of this model yet, and keep them aside."""
    head = store.head(space_id)
    done = store.staged_upto(space_id, embedder.name)
    state, practice = SpaceState(), Practice()
    pending: list[tuple[int, bool, Vector, str]] = []
    for n in range(1, head + 1):
        change, _ = store.load(space_id, after=n - 1, upto=n)
        state.apply(change)
        lessons, _ = store.load_practice(space_id, after=n - 1, upto=n)
        practice.apply(lessons)
        if n > done:
            pending += [(n, False, v, _text(v, state)) for v in change.vectors]
            pending += [(n, True, v, practice.book.tips[v.item_id].text_for(v.kind)) for v in lessons.tip_vectors]
        if len(pending) >= BATCH or n == head:
            _stage(store, space_id, embedder, pending)
            pending = []
            if progress:
                progress(n, head)


def finish(writing: Writing, embedder: Embedder) -> int:
    """Put the vectors that were kept aside in place of the others; gives their number.

    Raises:
        ConcurrentWrite: Others committed meanwhile; `prepare` has to go on.
    """
    return writing.swap_vectors(embedder.name, embedder.dimension)


def _stage(store: SpaceStore, space_id: str, embedder: Embedder, pending: list[tuple[int, bool, Vector, str]]) -> None:
    rows = embedder.embed([text for *_, text in pending])
    fresh = [(n, own, Vector(v.kind, v.item_id, row)) for (n, own, v, _), row in zip(pending, rows, strict=True)]
    store.stage_vectors(space_id, embedder.name, fresh)


def _text(vector: Vector, state: SpaceState) -> str:
    """Give the text that a vector of the newest commit in a state stands for; nothing for a page that is gone."""
    if vector.kind == "message":
        return state.messages[vector.item_id].content
    if vector.kind == "snapshot":
        return embedded_text([state.messages[m] for m in state.snapshots[vector.item_id].message_ids])
    if vector.kind == "trajectory":
        return retrieval_text(state, vector.item_id)
    page = state.pages.get(vector.item_id)
    return routing_text(state, page) if page else ""
