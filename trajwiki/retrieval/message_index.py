"""Messages as arrays, for the message lane: appended to as messages arrive, frozen when a recall needs them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from trajwiki.domain.messages import Message
from trajwiki.language.tokens import count_words, is_stopword, stem, words
from trajwiki.models.embedding import Embedder

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]

REACH: Final = 3  # neighbours on each side that lend a message their words
DECAY: Final = 80.0  # words of distance over which a neighbour's words lose 1/e of their weight
SHRINK: Final = 20.0  # messages' worth of zero mean in the centring, so that a small space is hardly centred
FULL: Final = 30  # words from which a message is no longer short

_TIME: Final = re.compile(
    r"\b(?:yesterday|today|tonight|tomorrow|last|next|ago|weeks?|months?|years?|weekends?|mornings?"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|june|july|august|september|october"
    r"|november|december|summer|winter|spring|recently|since|(?:19|20)\d\d)\b",
    re.IGNORECASE,
)
_NAME: Final = re.compile(r"(?<=[a-z,] )[A-Z][a-z]+")  # a capitalised word that does not open its sentence


@dataclass(frozen=True, slots=True)
class Arrays:
    """n messages in the order of sessions, V distinct content words, d dimensions.

    Attributes:
        order: Row to document number (order of arrival).
        word_vectors: (V, d) unit rows.
        word_stem: (V,) stem numbers.
        stems: Stem to its number.
        idf: Per stem.
        occurrence: Word numbers of the messages' distinct content words, message by message.
        offset: (n + 1,) starts into `occurrence`.
        vectors: (n, d) centred unit rows.
        mean: (d,) what was taken off.
        starts: First row of each session.
        session: (n,) session numbers.
        session_words: Words of each session over the mean.
        reach: (2 REACH, n) weight lent by the message 1, 2 … before, then 1, 2 … after.
        speaker: (n,) speaker numbers.
        day: (n,) proleptic ordinals of the dates, 0 where unknown.
        asks: 1 where the text ends with a question mark.
        time: 1 where a time is named.
        names: Capitalised words inside sentences, at most 2, halved.
        opening: 1 where the message opens its session.
        substance: min(words, FULL) / FULL.
    """

    order: Ints
    word_vectors: Floats
    word_stem: Ints
    stems: dict[str, int]
    idf: Floats
    occurrence: Ints
    offset: Ints
    vectors: Floats
    mean: Floats
    starts: Ints
    session: Ints
    session_words: Floats
    reach: Floats
    speaker: Ints
    day: Ints
    asks: Floats
    time: Floats
    names: Floats
    opening: Floats
    substance: Floats


@dataclass(frozen=True, slots=True)
class _Row:
    words: tuple[int, ...]
    size: int
    session: int
    speaker: int
    day: int
    asks: bool
    time: bool
    names: int


class MessageIndex:
    """Grows message by message.

    Args:
        embedder: For single words, by the thousand: a fast one.

    Attributes:
        speakers: Names by number, in order of appearance.
    """

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._rows: list[_Row] = []
        self._vectors: list[np.ndarray] = []
        self._words: dict[str, int] = {}
        self._word_vectors = np.zeros((0, embedder.dimension), dtype=np.float32)
        self._stems: dict[str, int] = {}
        self._word_stem: list[int] = []
        self._documents: list[int] = []  # per stem
        self._sessions: dict[tuple[str, str], int] = {}
        self._speakers: dict[str, int] = {}
        self._name_words: set[str] = set()  # of speakers
        self._frozen: Arrays | None = None

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def speakers(self) -> list[str]:
        """Names by number."""
        return list(self._speakers)

    def append(self, message: Message, vector: np.ndarray) -> None:
        """Add a message with its embedding; it gets the next document number."""
        content = [w for w in dict.fromkeys(words(message.content)) if not is_stopword(w)]
        numbers = tuple(self._number(w) for w in content)
        for s in {self._word_stem[w] for w in numbers}:
            self._documents[s] += 1
        self._rows.append(
            _Row(
                words=numbers,
                size=count_words(message.text),
                session=self._sessions.setdefault((message.source, message.session), len(self._sessions)),
                speaker=self._speakers.setdefault(message.speaker, len(self._speakers)),
                day=message.sent_at.toordinal() if message.sent_at else 0,
                asks=message.text.rstrip().endswith(("?", "？", "؟")),
                time=_TIME.search(message.text) is not None,
                names=min(2, sum(n.casefold() not in self._name_words for n in _NAME.findall(message.text))),
            )
        )
        self._vectors.append(vector)
        self._name_words.update(words(message.speaker))
        self._frozen = None

    def idf(self, term: str) -> float:
        """Give the inverse document frequency of a stem; that of a word never seen is the highest."""
        n = len(self._rows)
        found = self._stems.get(term)
        df = self._documents[found] if found is not None else 0
        return float(np.log1p((n - df + 0.5) / (df + 0.5)))

    def embed_words(self, terms: Sequence[str]) -> Floats:
        """Give unit rows for words, comparable with `word_vectors`."""
        return self._embedder.embed(terms)

    def arrays(self) -> Arrays:
        """Give the arrays of the messages so far."""
        if self._frozen is None:
            self._frozen = self._freeze()
        return self._frozen

    def _number(self, word: str) -> int:
        number = self._words.get(word)
        if number is None:
            number = self._words[word] = len(self._words)
            stem_number = self._stems.setdefault(stem(word), len(self._stems))
            if stem_number == len(self._documents):
                self._documents.append(0)
            self._word_stem.append(stem_number)
        return number

    def _freeze(self) -> Arrays:
        label = np.array([r.session for r in self._rows], dtype=np.int64)
        order = np.argsort(label, kind="stable")
        rows = [self._rows[i] for i in order]
        n = len(rows)
        session = label[order]
        starts = np.flatnonzero(np.r_[True, session[1:] != session[:-1]]) if n else np.zeros(0, dtype=np.int64)
        size = np.array([r.size for r in rows], dtype=np.float32)
        length = np.add.reduceat(size, starts) if n else size
        raw = np.stack([self._vectors[i] for i in order]) if n else np.zeros((0, 1), dtype=np.float32)
        mean = raw.mean(axis=0) * np.float32(n / (n + SHRINK)) if n else np.zeros(1, dtype=np.float32)
        opening = np.zeros(n, dtype=np.float32)
        opening[starts] = 1.0
        documents = np.array(self._documents, dtype=np.float32)
        return Arrays(
            order=order,
            word_vectors=self._all_word_vectors(),
            word_stem=np.array(self._word_stem, dtype=np.int64),
            stems=self._stems,
            idf=np.log1p((n - documents + 0.5) / (documents + 0.5)).astype(np.float32),
            occurrence=np.array([w for r in rows for w in r.words], dtype=np.int64),
            offset=np.cumsum([0] + [len(r.words) for r in rows]),
            vectors=unit(raw - mean),
            mean=mean,
            starts=starts,
            session=session,
            session_words=(length / max(float(length.mean()), 1.0)).astype(np.float32) if n else length,
            reach=_reach(size, session),
            speaker=np.array([r.speaker for r in rows], dtype=np.int64),
            day=np.array([r.day for r in rows], dtype=np.int64),
            asks=np.array([r.asks for r in rows], dtype=np.float32),
            time=np.array([r.time for r in rows], dtype=np.float32),
            names=np.array([r.names / 2 for r in rows], dtype=np.float32),
            opening=opening,
            substance=(np.minimum(size, FULL) / FULL).astype(np.float32),
        )

    def _all_word_vectors(self) -> Floats:
        new = list(self._words)[len(self._word_vectors) :]
        if new:
            self._word_vectors = np.concatenate([self._word_vectors, self._embedder.embed(new)])
        return self._word_vectors


def unit(x: npt.NDArray[np.floating]) -> Floats:
    """Give the rows scaled to length one; rows of zeros stay zeros."""
    return np.asarray(x / np.maximum(np.linalg.norm(x, axis=-1, keepdims=True), 1e-9), dtype=np.float32)


def _reach(size: Floats, session: Ints) -> Floats:
    """exp(-words between the middles / DECAY) to each neighbour of the same session, 0 elsewhere."""
    n = len(size)
    middle = np.cumsum(size, dtype=np.float64) - size / 2
    out = np.zeros((2 * REACH, n), dtype=np.float32)
    for k in range(1, min(REACH, n - 1) + 1):
        near = np.exp(-(middle[k:] - middle[:-k]) / DECAY) * (session[k:] == session[:-k])
        out[k - 1, k:] = near
        out[REACH + k - 1, :-k] = near
    return out
