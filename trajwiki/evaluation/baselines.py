"""Flat baselines: rank the raw messages of a conversation and take them while they fit a budget of words.

    bm25    BM25 over "speaker: text caption", English stop words out, Snowball stems
    bm25n   the same with half of each neighbour's score added
    dense   cosine with the product's own embedder
    rrf     bm25 and dense, reciprocal rank fusion with k = 60
    rrf4    the four of bm25, bm25n, dense and dense with neighbours, fused

No learning, no tuning, no structure: what a memory has to beat to be worth its cost. BM25 here is the public `bm25s`,
not ours, so that a fault of our own index cannot flatter us.
"""

from __future__ import annotations

import importlib
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import Stemmer

from trajwiki.domain.messages import NewMessage
from trajwiki.errors import MissingExtra
from trajwiki.models.embedding import Embedder

if TYPE_CHECKING:
    from types import ModuleType

METHODS: Final = ("bm25", "bm25n", "dense", "rrf", "rrf4")
RRF_K: Final = 60
NEIGHBOUR: Final = 0.5


@dataclass(frozen=True, slots=True)
class FlatIndex:
    """The raw messages of one conversation, ready to be ranked. Made by `index_flat`."""

    words: np.ndarray
    vectors: np.ndarray
    embedder: Embedder
    _bm25s: ModuleType
    _bm25: Any
    _stemmer: Any

    def rank(self, question: str) -> dict[str, np.ndarray]:
        """Give the positions of all messages, best first, by method."""
        return {name: np.argsort(-score, kind="stable") for name, score in self._scores(question).items()}

    def pack(self, order: np.ndarray, budget: int) -> set[int]:
        """Take positions in order while they fit a budget of words; one that does not fit is passed over."""
        taken, used = set(), 0
        for position in order:
            if used + self.words[position] <= budget:
                taken.add(int(position))
                used += int(self.words[position])
        return taken

    def _scores(self, question: str) -> dict[str, np.ndarray]:
        (tokens,) = _tokenize(self._bm25s, [question], self._stemmer, ids=False)
        lexical = np.asarray(self._bm25.get_scores(tokens) if tokens else np.zeros(len(self.words)))
        dense = self.vectors @ self.embedder.embed([question])[0]
        return {
            "bm25": lexical,
            "bm25n": smooth(lexical),
            "dense": dense,
            "rrf": fuse(lexical, dense),
            "rrf4": fuse(lexical, dense, smooth(lexical), smooth(dense)),
        }


def index_flat(messages: Sequence[NewMessage], embedder: Embedder) -> FlatIndex:
    """Index the messages of one conversation.

    Raises:
        MissingExtra: bm25s is not installed.
    """
    try:
        bm25s = importlib.import_module("bm25s")
    except ImportError as error:
        raise MissingExtra("the flat baselines need an extra: pip install 'trajwiki[bench]'") from error
    logging.getLogger("bm25s").setLevel(logging.WARNING)
    docs = [flat_text(m) for m in messages]
    stemmer = Stemmer.Stemmer("english")
    index = bm25s.BM25()
    index.index(_tokenize(bm25s, docs, stemmer), show_progress=False)
    words = np.array([len(d.split()) for d in docs])
    return FlatIndex(words, embedder.embed(docs), embedder, bm25s, index, stemmer)


def flat_text(message: NewMessage) -> str:
    """Give the line a message is ranked and counted by."""
    return f"{message.speaker}: {message.text} {message.caption or ''}".strip()


def smooth(scores: np.ndarray) -> np.ndarray:
    """Add half of each neighbour's score."""
    out = scores.copy()
    out[1:] += NEIGHBOUR * scores[:-1]
    out[:-1] += NEIGHBOUR * scores[1:]
    return out


def fuse(*scores: np.ndarray) -> np.ndarray:
    """Give the reciprocal rank fusion of score lists; ties keep the order of the messages."""
    total = np.zeros(len(scores[0]))
    for score in scores:
        rank = np.empty(len(score))
        rank[np.argsort(-score, kind="stable")] = np.arange(len(score))
        total += 1 / (RRF_K + rank)
    return total


def _tokenize(bm25s: ModuleType, texts: list[str], stemmer: Any, *, ids: bool = True) -> Any:
    return bm25s.tokenize(texts, stopwords="en", stemmer=stemmer, show_progress=False, return_ids=ids)
