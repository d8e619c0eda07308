"""Which tips fit a task: by meaning, by words, and by what is known of the task, in one ranking."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from trajwiki.domain.tips import Granularity, LeftOut, Priority, Scope, Tip, TipCategory
from trajwiki.errors import EmbedderMismatch, UsageError
from trajwiki.language.tokens import fold, keywords, words
from trajwiki.models.embedding import Embedder
from trajwiki.tips.sameness import plain
from trajwiki.tips.wording import describe, task_category

TOP_K: Final = 5  # report, 4.1.4
THRESHOLD: Final = 0.2  # of the fused score
CONSIDERED: Final = 20  # tips that a delivery tells of having left out
QUEUE: Final = 200  # candidates that are compared for variety

W_DESCRIPTION: Final = 0.45
W_ADVICE: Final = 0.15
W_WORDS: Final = 0.3
W_CATEGORY: Final = 0.1
SOFT: Final = 0.3  # cosine of two words at which a match starts to count
WEIGHT: Final[Mapping[Priority, float]] = {Priority.HIGH: 1.0, Priority.MEDIUM: 0.9, Priority.LOW: 0.75}
GENERIC: Final = 0.85  # what holds anywhere comes after what was learned here
import os
LEVEL: Final = float(os.environ.get('LV','0.5'))
REPEAT: Final = 0.5  # a tip for a call that is named already counts half

Floats = np.ndarray


@dataclass(frozen=True, slots=True)
class Guess:
    """What a model makes of a task (report, 3.3.2).

    Attributes:
        app: Application; None: unknown.
        task_category: Kind of task; empty: unknown.
        categories: Categories of tips that would help; empty: all.
    """

    app: str | None = None
    task_category: str = ""
    categories: frozenset[TipCategory] = frozenset()


Guide = Callable[[str], Guess]


@dataclass(frozen=True, slots=True)
class Ranked:
    """A tip with its score in [0, 1]."""

    tip: Tip
    score: float


@dataclass(frozen=True, slots=True)
class Choice:
    """What was chosen for a task.

    Attributes:
        core: Tips that are always given, best supported first.
        ranked: Tips for this task, best first.
        left_out: What was considered and not given.
        task_category: As inferred.
        app: As named or inferred.
        strategy: ``cosine`` or ``model``.
    """

    core: tuple[Ranked, ...]
    ranked: tuple[Ranked, ...]
    left_out: tuple[LeftOut, ...]
    task_category: str
    app: str | None
    strategy: str

    @property
    def all(self) -> tuple[Ranked, ...]:
        """Core and ranked, in the order of delivery."""
        return (*self.core, *self.ranked)


@dataclass(slots=True)
class _Words:
    """Which tips have which stems."""

    rows: dict[str, list[int]] = field(default_factory=dict)


class TipIndex:
    """Deliverable tips as arrays; grows by single tips and forgets single tips.

    Attributes:
        embedder: The one that made the vectors.
    """

    def __init__(self, embedder: Embedder) -> None:
        self.embedder = embedder
        self._tips: list[Tip | None] = []
        self._row: dict[str, int] = {}
        self._stems = _Words()
        self._described = np.zeros((0, embedder.dimension), dtype=np.float32)
        self._advised = np.zeros((0, embedder.dimension), dtype=np.float32)
        self._vocabulary: list[str] = []
        self._vocabulary_rows = np.zeros((0, embedder.dimension), dtype=np.float32)
        self._new_stems: dict[str, str] = {}

    def __len__(self) -> int:
        return len(self._row)

    def __contains__(self, tip_id: str) -> bool:
        return tip_id in self._row

    def add(
        self, tips: Sequence[Tip], vectors: Mapping[str, Mapping[str, np.ndarray]], *, model: str | None = None
    ) -> None:
        """Take tips in.

        Args:
            tips: Those that can be delivered; known ones are passed over.
            vectors: ``description`` and ``advice`` to tip id to unit vector.
            model: Name of the embedding model that made them; None: the index's own.

        Raises:
            EmbedderMismatch: They come from another model, or have another dimension.
            UsageError: A vector is missing.
        """
        if model is not None and model != self.embedder.name:
            raise EmbedderMismatch(
                f"vectors of tips come from {model!r}, the space embeds with {self.embedder.name!r}; "
                "run `trajwiki reembed`"
            )
        new = [t for t in {t.id: t for t in tips}.values() if t.id not in self._row]
        if not new:
            return
        self._described = np.vstack([self._described, _rows(new, "description", vectors, self.embedder)])
        self._advised = np.vstack([self._advised, _rows(new, "advice", vectors, self.embedder)])
        for tip in new:
            row = len(self._tips)
            self._row[tip.id] = row
            self._tips.append(tip)
            text = f"{tip.description} {tip.content} {tip.trigger}".replace("_", " ")
            for word in words(text):
                for stem in keywords(word):
                    if stem not in self._stems.rows:
                        self._new_stems.setdefault(stem, word)
            for stem in dict.fromkeys(keywords(text)):
                self._stems.rows.setdefault(stem, []).append(row)

    def remove(self, tip_ids: Iterable[str]) -> None:
        """Forget tips: withdrawn, merged, erased."""
        for tip_id in tip_ids:
            row = self._row.pop(tip_id, None)
            if row is not None:
                self._tips[row] = None
                self._described[row] = 0
                self._advised[row] = 0

    def tips(self) -> tuple[Tip, ...]:
        """Give the tips in the index, in order."""
        return tuple(t for t in self._tips if t is not None)

    def scores(self, task: str, *, category: str = "") -> Floats:
        """Give a score in [0, 1] for every row: cosines of description and advice, words, and the kind of task."""
        n = len(self._tips)
        if not n:
            return np.zeros(0, dtype=np.float32)
        query = describe(task, (), ()) or task
        asked = self.embedder.embed([query])[0]
        close = np.clip(self._described @ asked, 0, 1)
        helpful = np.clip(self._advised @ asked, 0, 1)
        lexical = self._lexical(task)
        same = np.fromiter(
            (t is not None and bool(category) and t.task_category == category for t in self._tips), np.float32, n
        )
        total = W_DESCRIPTION * close + W_ADVICE * helpful + W_WORDS * lexical + W_CATEGORY * same
        return np.asarray(np.round(total, 4), dtype=np.float32)

    def _lexical(self, task: str) -> Floats:
        """Share of the task's content words, weighted by rarity, that a tip has, or has a word of like meaning for."""
        n = len(self._tips)
        out = np.zeros(n, dtype=np.float32)
        asked = {stem: word for word in words(task[:4_000]) for stem in keywords(word)}
        if not asked:
            return out
        self._learn()
        soft = self._soft(list(asked.values()))
        total = 0.0
        for i, stem in enumerate(asked):
            rows = self._stems.rows.get(stem, [])
            idf = float(np.log1p(n / (1 + len(rows)))) if rows else float(np.log1p(n))
            total += idf
            hit = np.zeros(n, dtype=np.float32)
            for j in np.flatnonzero(soft[i] > SOFT):
                at = self._stems.rows[self._vocabulary[j]]
                hit[at] = np.maximum(hit[at], soft[i, j])
            hit[rows] = 1.0
            out += idf * hit
        return out / np.float32(max(total, 1e-9))

    def _learn(self) -> None:
        """Embed the words that came since the last question."""
        if self._new_stems:
            made = self.embedder.embed(list(self._new_stems.values()))
            self._vocabulary += list(self._new_stems)
            self._vocabulary_rows = np.vstack([self._vocabulary_rows, made])
            self._new_stems = {}

    def _soft(self, asked: Sequence[str]) -> Floats:
        return np.asarray(np.round(self.embedder.embed(asked) @ self._vocabulary_rows.T, 4), dtype=np.float32)

    def row(self, n: int) -> Tip | None:
        """Give the tip of a row, or None when it was removed."""
        return self._tips[n]


def choose(
    index: TipIndex,
    task: str,
    *,
    app: str | None = None,
    guide: Guide | None = None,
    top_k: int | None = TOP_K,
    threshold: float = THRESHOLD,
    core: int = 0,
    flagged: Collection[str] = (),
) -> Choice:
    """Choose tips for a task (report, 3.3): by cosine and words, or led by what a model makes of the task.

    Generic tips stay eligible whatever the application. Priority weighs in. A tip whose advice another one gives
    already is left out, and so is one that lies below the threshold. The answer is the same for the same index.

    Args:
        index: The tips that can be delivered.
        task: In the asker's words.
        app: Application, if it is known.
        guide: Makes a guess of application, kind of task and useful categories; None: no model.
        top_k: At most that many for the task; None: as many as pass.
        threshold: Least score.
        core: Give that many of the best supported tips for any task of the application.
        flagged: Ids of tips whose record speaks against them; they come after the others.

    Raises:
        UsageError: The task is empty, or a number is negative.
    """
    if not task.strip():
        raise UsageError("guidelines need a task; say what the agent is about to do")
    if core < 0 or (top_k is not None and top_k < 0) or not 0 <= threshold <= 1:
        raise UsageError("top-k and core are not negative, and a threshold lies between 0 and 1")
    guess = guide(task) if guide is not None else Guess()
    app = app if app is not None else guess.app
    category = guess.task_category or task_category(describe(task, (), ()))
    scores = index.scores(task, category=category)
    candidates = _eligible(index, scores, app, guess, flagged)
    held = _core(candidates, core)
    ranked, left = _pick(candidates, {r.tip.id for r in held}, top_k, threshold)
    return Choice(tuple(held), tuple(ranked), tuple(left), category, app, "model" if guide is not None else "cosine")


def _eligible(index: TipIndex, scores: Floats, app: str | None, guess: Guess, flagged: Collection[str]) -> list[Ranked]:
    found = []
    level = _levels(index, scores)
    for n in np.flatnonzero(scores >= 0):
        tip = index.row(int(n))
        if tip is None or (app is not None and tip.app is not None and fold(tip.app) != fold(app)):
            continue
        if guess.categories and tip.category not in guess.categories:
            continue
        weight = WEIGHT[tip.priority] * (GENERIC if tip.scope is Scope.GENERIC else 1.0)
        weight *= 0.5 if tip.id in flagged else 1.0
        found.append(Ranked(tip, round(min(1.0, float(scores[n]) * weight * level[tip.granularity]), 4)))
    return sorted(found, key=lambda r: (-r.score, -r.tip.support, r.tip.ordinal, r.tip.id))


def _levels(index: TipIndex, scores: Floats) -> dict[Granularity, float]:
    """What brings the best tip of a subtask half-way up to the best of a whole task, or the other way round.

    A whole task is described in an asker's words, a subtask in those of its calls, so that the one is nearer to any
    question for no merit of its advice.
    """
    best = dict.fromkeys(Granularity, 0.0)
    for n in np.argsort(-scores, kind="stable"):
        tip = index.row(int(n))
        if tip is not None and not best[tip.granularity]:
            best[tip.granularity] = float(scores[n])
        if all(best.values()):
            break
    top = max(best.values())
    return {g: (top / b) ** LEVEL if b > 0 else 1.0 for g, b in best.items()}


def _core(candidates: Sequence[Ranked], size: int) -> list[Ranked]:
    """The best supported tips, whatever the task; recurrence counts only beside a success or a recovery."""
    from trajwiki.tips.consolidation import founded

    able = [r for r in candidates if founded(r.tip)[1] and r.tip.support > 1]
    return sorted(able, key=lambda r: (-r.tip.support, -r.score, r.tip.ordinal))[:size]


def _pick(
    candidates: Sequence[Ranked], given: set[str], top_k: int | None, threshold: float
) -> tuple[list[Ranked], list[LeftOut]]:
    """The best ones, each next one counting less the more of them are about the same call already."""
    ranked: list[Ranked] = []
    left: list[LeftOut] = []
    told = {plain(r.tip.content): r.tip.id for r in candidates if r.tip.id in given}
    about: Counter[str] = Counter()
    able = [r for r in candidates if r.tip.id not in given]
    queue = [(r, _subject(r.tip)) for r in (able if top_k is None else able[:QUEUE])]
    while queue and (top_k is None or len(ranked) < top_k):
        best = 0 if top_k is None else _next(queue, about)
        one, subject = queue.pop(best)
        if (twin := told.get(plain(one.tip.content))) is not None:
            left.append(LeftOut(one.tip.id, f"{twin} gives the same advice"))
        elif one.score < threshold:
            left.append(LeftOut(one.tip.id, f"its score {one.score} is below {threshold}"))
        else:
            ranked.append(one)
            told[plain(one.tip.content)] = one.tip.id
            about[subject] += 1
        if top_k is None and one.score < threshold:
            break
    for one, _ in queue:
        low = one.score < threshold
        reason = f"its score {one.score} is below {threshold}" if low else f"{top_k} fit better"
        left.append(LeftOut(one.tip.id, reason))
    return ranked, left[:CONSIDERED]


def _next(queue: Sequence[tuple[Ranked, str]], about: Mapping[str, int]) -> int:
    """Place of the next one; candidates stand by score, so the search ends where none can be better."""
    best, top = 0, -1.0
    for n, (one, subject) in enumerate(queue):
        if one.score <= top:
            break
        score = one.score * REPEAT ** about.get(subject, 0)
        if score > top:
            best, top = n, score
    return best


def _subject(tip: Tip) -> str:
    """The first name that advice marks as code, with its category: what it is mainly about."""
    from trajwiki.tips.wording import code_names

    names = code_names(tip.content)
    return f"{tip.category.value} {names[0]}" if names else plain(tip.content)


def _rows(
    tips: Sequence[Tip], kind: str, vectors: Mapping[str, Mapping[str, np.ndarray]], embedder: Embedder
) -> Floats:
    given = vectors.get(kind, {})
    missing = [t.id for t in tips if t.id not in given]
    if missing:
        raise UsageError(f"tip {missing[0]} has no {kind} vector; run `trajwiki reembed`")
    rows = np.stack([given[t.id] for t in tips]).astype(np.float32)
    if rows.shape[1] != embedder.dimension:
        raise EmbedderMismatch(
            f"vectors of tips have {rows.shape[1]} dimensions, the space embeds in {embedder.dimension}; "
            "run `trajwiki reembed`"
        )
    return rows
