"""A space in memory: its state with the indexes that are kept beside it."""

from __future__ import annotations

from trajwiki.domain.state import Change, SpaceState
from trajwiki.memory.matching import MatchIndex
from trajwiki.models.embedding import Embedder
from trajwiki.retrieval.index import SearchIndex
from trajwiki.wiki.assign import WikiIndex


class LiveSpace:
    """The state of a space and what is derived from it, moved forward together.

    Attributes:
        space_id: Of the space.
        state: The fold of all commits up to `state.head`.
        matches: For matching snapshots to trajectories.
        wiki: For placing trajectories on pages.
        search: For recall.
    """

    def __init__(self, space_id: str, change: Change, head: int, *, embedder: Embedder, words: Embedder) -> None:
        self.space_id = space_id
        self.state = SpaceState()
        self.state.apply(change)
        self.state.head = head
        self.matches = MatchIndex(self.state)
        self.wiki = WikiIndex.from_state(self.state)
        self.search = SearchIndex(self.state, embedder=embedder, words=words)

    def apply(self, change: Change) -> None:
        """Move the state and every index past a change."""
        self.state.apply(change)
        self.matches.apply(change)
        self.wiki.apply(change)
        self.search.apply(change)
