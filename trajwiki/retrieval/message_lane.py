"""The message lane: every message of the space scored for a question, without a detour over the wiki."""

from __future__ import annotations

import numpy as np

from trajwiki.models.embedding import Embedder
from trajwiki.retrieval import constants as c
from trajwiki.retrieval.message_index import Floats, MessageIndex
from trajwiki.retrieval.query import Query
from trajwiki.retrieval.signals import feedback, signals


def message_scores(query: Query, index: MessageIndex, embedder: Embedder) -> Floats:
    """Give every message's log-odds of being evidence, up to a constant.

    Args:
        query: The question.
        index: The messages.
        embedder: The one that made the messages' vectors.

    Returns:
        float32 of shape (n,), by document number.
    """
    if not len(index):
        return np.zeros(0, dtype=np.float32)
    found, vector, arrays = signals(query.question, query.shape, index, embedder)
    first = np.zeros(len(index), dtype=np.float32)
    for name, weight in c.MESSAGE_WEIGHTS.items():
        first += np.float32(weight) * found[name]
    score = first + np.float32(c.FEEDBACK_WEIGHT) * feedback(first, vector, arrays)
    out = np.empty_like(score)
    out[arrays.order] = score
    return out
