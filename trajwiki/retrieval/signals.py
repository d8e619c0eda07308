"""What speaks for a message as evidence: lexical, dense and structural signals, each an array over messages.

All are computed from one soft term x message matrix, one cosine vector, and arrays made when the messages came.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import numpy as np

from trajwiki.language.tokens import is_stopword, stem, words
from trajwiki.models.embedding import Embedder
from trajwiki.retrieval.message_index import REACH, Arrays, Floats, MessageIndex, unit
from trajwiki.retrieval.shape import Shape

SOFT: Final = 0.3  # cosine of two words at which a match starts to count
DAYS: Final = 7.0  # days of distance over which closeness to a date in the question loses 1/e
FEEDBACK: Final = 5  # first-stage messages whose mean vector is fed back into the query
K1: Final = 1.2  # of BM25 over sessions
B: Final = 0.5

_ASKS_TIME: Final = re.compile(
    r"\b(?:when|since|how long|(?:what|which) (?:date|day|month|year|time|week|season))\b", re.IGNORECASE
)
_ASKS_NAME: Final = re.compile(r"\b(?:who|whose|whom|which|where|names?|named|called|titled?)\b", re.IGNORECASE)


def signals(
    question: str, shape: Shape, index: MessageIndex, embedder: Embedder
) -> tuple[dict[str, Floats], Floats, Arrays]:
    """Give all signals but `feedback`, the centred unit query vector, and the arrays they are over."""
    arrays = index.arrays()
    names = {w for name in index.speakers for w in words(name)}
    terms = [w for w in dict.fromkeys(words(question)) if not is_stopword(w) and w not in names]
    matrix, idf = _match(terms, index, arrays)
    scale = np.float32(1 / np.sqrt(max(float(idf.sum()), 1e-9)))
    own = idf @ matrix
    plain = " ".join(w for w in question.split() if not names.intersection(words(w))) or question
    query = unit(embedder.embed([plain])[0] - arrays.mean)
    dense = arrays.vectors @ query
    wants_time = np.float32(_ASKS_TIME.search(question) is not None)
    wants_name = np.float32(_ASKS_NAME.search(question) is not None)
    found = {
        "speaker": _speaker(shape, index, arrays),
        "date": _date(shape, arrays),
        "dense_near": _near(dense, arrays),
        "dense_session": np.maximum.reduceat(dense, arrays.starts)[arrays.session],
        "before": (idf @ _lend(matrix, arrays)) * scale,
        "session": _session(matrix, arrays),
        "reply": _previous(arrays.asks * own, arrays) * scale,
        "time": arrays.time,
        "asked_time": arrays.time * wants_time,
        "asked_name": arrays.names * wants_name,
        "question": arrays.asks,
        "opening": arrays.opening,
        "substance": arrays.substance,
    }
    return found, query, arrays


def feedback(first: Floats, query: Floats, arrays: Arrays) -> Floats:
    """Give the cosine to the query, moved half-way to the mean of the messages that score best so far."""
    top = np.argsort(-first, kind="stable")[:FEEDBACK]
    return np.asarray(arrays.vectors @ unit(query + unit(arrays.vectors[top].mean(axis=0))), dtype=np.float32)


def _match(terms: Sequence[str], index: MessageIndex, arrays: Arrays) -> tuple[Floats, Floats]:
    """Terms x messages in [0, 1]: 1 for the same stem, else the closest word's cosine above SOFT; and their idf."""
    n = len(arrays.session)
    if not terms or not len(arrays.word_stem):
        return np.zeros((0, n), dtype=np.float32), np.zeros(0, dtype=np.float32)
    cosine = index.embed_words(terms) @ arrays.word_vectors.T
    soft = np.clip((cosine - SOFT) / (1 - SOFT), 0, 1).astype(np.float32)
    idf = np.full(len(terms), np.log1p(2 * n), dtype=np.float32)
    out = np.zeros((len(terms), n), dtype=np.float32)
    filled = np.diff(arrays.offset) > 0
    for j, term in enumerate(terms):
        if (found := arrays.stems.get(stem(term))) is not None:
            soft[j, arrays.word_stem == found] = 1.0
            idf[j] = arrays.idf[found]
        out[j, filled] = np.maximum.reduceat(soft[j, arrays.occurrence], arrays.offset[:-1][filled])
    return out, idf


def _speaker(shape: Shape, index: MessageIndex, arrays: Arrays) -> Floats:
    """+1 for messages of a speaker the question is about, -1 for the others; 0 where it names none or all."""
    named = [n for n, name in enumerate(index.speakers) if name in shape.subject_speakers]
    if not named or len(named) == len(index.speakers):
        return np.zeros(len(arrays.speaker), dtype=np.float32)
    return np.where(np.isin(arrays.speaker, named), 1.0, -1.0).astype(np.float32)


def _date(shape: Shape, arrays: Arrays) -> Floats:
    """Closeness in days to the nearest date that the question names."""
    out = np.zeros(len(arrays.day), dtype=np.float32)
    for mention in shape.times:
        if mention.span is None:
            continue
        start, end = mention.span.start or mention.span.end, mention.span.end or mention.span.start
        if start is None or end is None:
            continue
        gap = np.maximum(np.maximum(start.toordinal() - arrays.day, arrays.day - end.toordinal()), 0)
        out = np.maximum(out, np.exp(-gap / DAYS).astype(np.float32) * (arrays.day > 0))
    return out


def _session(matrix: Floats, arrays: Arrays) -> Floats:
    """BM25 of the sessions as documents, from soft counts."""
    if not len(matrix):
        return np.zeros(matrix.shape[1], dtype=np.float32)
    count = np.add.reduceat(matrix, arrays.starts, axis=1)
    df = np.maximum.reduceat(matrix, arrays.starts, axis=1).sum(axis=1)
    idf = np.log1p((len(arrays.starts) - df + 0.5) / (df + 0.5))
    score = idf @ (count * (K1 + 1) / (count + K1 * (1 - B + B * arrays.session_words)))
    return np.asarray(score, dtype=np.float32)[arrays.session]


def _near(dense: Floats, arrays: Arrays) -> Floats:
    """The mean of a message's cosine and its two neighbours' on each side, by closeness."""
    near, total = dense.copy(), np.ones_like(dense)
    for k in range(1, min(2, len(dense) - 1) + 1):
        near[k:] += arrays.reach[k - 1, k:] * dense[:-k]
        near[:-k] += arrays.reach[REACH + k - 1, :-k] * dense[k:]
        total += arrays.reach[k - 1] + arrays.reach[REACH + k - 1]
    return near / total


def _lend(matrix: Floats, arrays: Arrays) -> Floats:
    """Terms x messages, each entry raised to the decayed best of the messages before it in its session."""
    out = matrix.copy()
    for k in range(1, min(REACH, matrix.shape[1] - 1) + 1):
        np.maximum(out[:, k:], matrix[:, :-k] * arrays.reach[k - 1, k:], out=out[:, k:])
    return out


def _previous(x: Floats, arrays: Arrays) -> Floats:
    """Each message's value of x at the message before it in its session, else 0."""
    out = np.zeros_like(x)
    out[1:] = x[:-1] * (arrays.session[1:] == arrays.session[:-1])
    return out
