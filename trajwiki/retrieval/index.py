"""What a recall searches: messages, trajectories and pages, as words and as vectors."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from functools import reduce

from trajwiki.domain.messages import Message
from trajwiki.domain.snapshots import Features
from trajwiki.domain.state import Change, SpaceState
from trajwiki.language.tokens import keywords
from trajwiki.models.embedding import Embedder
from trajwiki.retrieval.message_index import MessageIndex
from trajwiki.retrieval.packing import Line, line_of


class SearchIndex:
    """Messages by number, in order of arrival; trajectories and pages as the state has them.

    Attributes:
        message_ids: The messages, in the order of the documents of `messages`.
        messages: As arrays, for the message lane.
        position: Message id to document number.
        embedder: The one that made the vectors.
        lines: How each message stands in a context, measured.
        caption_terms: Search terms of its caption.
    """

    def __init__(self, state: SpaceState, *, embedder: Embedder, words: Embedder) -> None:
        self.embedder = embedder
        self._words = words
        self._state = state
        self._reset()

    def _reset(self) -> None:
        self.message_ids: list[str] = []
        self.position: dict[str, int] = {}
        self.lines: list[Line] = []
        self.caption_terms: list[frozenset[str]] = []
        self.messages = MessageIndex(self._words)
        self._page_features: dict[str, Features] = {}
        self._stems: dict[str, frozenset[str]] = {}
        self._add(self._state.messages.values())

    def apply(self, change: Change) -> None:
        """Follow the state, which has applied the change already."""
        if any(m.revision for m in change.messages):
            self._reset()  # a document changed under its number
        else:
            self._add(change.messages)
        grown = {m.trajectory_id for m in change.members}
        for page_id in {link.page_id for link in change.links + change.ended_links}.union(
            p for t in grown for p in self._state.pages_of.get(t, ())
        ):
            self._page_features.pop(page_id, None)

    def page_features(self, page_id: str) -> Features:
        """Give what the trajectories on a page are recognised by, together."""
        found = self._page_features.get(page_id)
        if found is None:
            parts = [self._state.features[t] for t in self._state.links.get(page_id, ())]
            found = self._page_features[page_id] = reduce(operator.or_, parts, Features())
        return found

    def stems_of(self, term: str) -> frozenset[str]:
        """Give the search terms in an exact term or name."""
        found = self._stems.get(term)
        if found is None:
            found = self._stems[term] = frozenset(keywords(term))
        return found

    def _add(self, messages: Iterable[Message]) -> None:
        for message in messages:
            self.position[message.id] = len(self.message_ids)
            self.message_ids.append(message.id)
            self.lines.append(line_of(message))
            self.caption_terms.append(frozenset(keywords(message.caption)) if message.caption else frozenset())
            self.messages.append(message, self._state.vectors["message"][message.id])
