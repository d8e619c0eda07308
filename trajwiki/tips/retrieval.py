"""Which tips fit a task: by meaning, by words, and by what is known of the task, in one ranking."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Final

import numpy as np

from trajwiki.domain.runs import Outcome
from trajwiki.domain.tips import Granularity, LeftOut, Priority, Scope, Tip, TipCategory
from trajwiki.errors import EmbedderMismatch, UsageError
from trajwiki.language.tokens import fold, is_stopword, stem, words
from trajwiki.models.embedding import Embedder
from trajwiki.tips.sameness import plain
from trajwiki.tips.wording import code_names, describe, task_category

TOP_K: Final = 5  # report, 4.1.4
THRESHOLD: Final = 0.2  # of the fused score
CONSIDERED: Final = 20  # tips that a delivery tells of having left out
QUEUE: Final = 200  # candidates that are compared for variety
UNCAPPED: Final = 1_000  # tips that are given at most, where nothing else limits them

W_DESCRIPTION: Final = 0.45
W_ADVICE: Final = 0.15
W_WORDS: Final = 0.3
W_CATEGORY: Final = 0.1
SOFT: Final = 0.3  # cosine of two words at which a match starts to count
WEIGHT: Final[Mapping[Priority, float]] = {Priority.HIGH: 1.0, Priority.MEDIUM: 0.9, Priority.LOW: 0.75}
GENERIC: Final = 0.85  # what holds anywhere comes after what was learned here
LEVEL: Final = 0.75
"""How far the best tip of the weaker granularity is brought up to the best of the other one.

A whole task is described in an asker's words, a subtask in those of its calls, so that the one is nearer to any
question for no merit of its advice.
"""
FLAGGED: Final = 0.5
COMPARED: Final = 1.2  # what stands on runs that ended differently
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


_LEVELS: Final = tuple(Granularity)
_CATEGORIES: Final = tuple(TipCategory)


@dataclass(frozen=True, slots=True)
class Columns:
    """What ranking needs of every row, as arrays of one length.

    Attributes:
        alive: The row was not removed.
        weight: By priority, scope, and what kinds of run it stands on.
        app: Number of its application; -1: generic.
        kind: Number of its task category.
        level: Number of its granularity.
        category: Number of its category.
        support: Runs that it stands on; 0 where none of them speaks for it.
    """

    alive: np.ndarray
    weight: np.ndarray
    app: np.ndarray
    kind: np.ndarray
    level: np.ndarray
    category: np.ndarray
    support: np.ndarray


class TipIndex:
    """Deliverable tips as arrays; grows by single tips and forgets single tips.

    Attributes:
        embedder: The one that made the vectors.
    """

    def __init__(self, embedder: Embedder) -> None:
        self.embedder = embedder
        self._tips: list[Tip | None] = []
        self._row: dict[str, int] = {}
        self._stems: dict[str, list[int]] = {}
        self._apps: dict[str, int] = {}
        self._kinds: dict[str, int] = {}
        self.columns = _columns((), {}, {})
        self._meaning = np.zeros((0, embedder.dimension), dtype=np.float32)  # both vectors, weighted
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
        described, advised = (_rows(new, kind, vectors, self.embedder) for kind in ("description", "advice"))
        self._meaning = np.vstack([self._meaning, W_DESCRIPTION * described + W_ADVICE * advised])
        fresh = _columns(new, self._apps, self._kinds)
        self.columns = Columns(
            *(np.concatenate([getattr(self.columns, f.name), getattr(fresh, f.name)]) for f in fields(Columns))
        )
        for tip in new:
            row = len(self._tips)
            self._row[tip.id] = row
            self._tips.append(tip)
            text = f"{tip.description} {tip.content} {tip.trigger}".replace("_", " ")
            for word in dict.fromkeys(words(text)):
                if is_stopword(word):
                    continue
                rows = self._stems.setdefault(base := stem(word), [])
                if not rows:
                    self._new_stems[base] = word
                if not rows or rows[-1] != row:
                    rows.append(row)

    def remove(self, tip_ids: Iterable[str]) -> None:
        """Forget tips: withdrawn, merged, erased."""
        for tip_id in tip_ids:
            row = self._row.pop(tip_id, None)
            if row is not None:
                self._tips[row] = None
                self.columns.alive[row] = False
                self._meaning[row] = 0

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
        lexical = self._lexical(task)
        same = (self.columns.kind == self._kinds.get(category, -1)).astype(np.float32)
        total = np.clip(self._meaning @ asked, 0, 1) + W_WORDS * lexical + W_CATEGORY * same
        return np.asarray(np.round(total, 4), dtype=np.float32)

    def _lexical(self, task: str) -> Floats:
        """Share of the task's content words, weighted by rarity, that a tip has, or has a word of like meaning for."""
        n = len(self._tips)
        out = np.zeros(n, dtype=np.float32)
        asked = {stem(word): word for word in words(task[:4_000]) if not is_stopword(word)}
        if not asked:
            return out
        self._learn()
        soft = self._soft(list(asked.values()))
        total = 0.0
        for i, base in enumerate(asked):
            rows = self._stems.get(base, [])
            idf = float(np.log1p(n / (1 + len(rows)))) if rows else float(np.log1p(n))
            total += idf
            hit = np.zeros(n, dtype=np.float32)
            for j in np.flatnonzero(soft[i] > SOFT):
                at = self._stems[self._vocabulary[j]]
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

    def place(self, tip_id: str) -> int:
        """Give the row of a tip."""
        return self._row[tip_id]

    def app_number(self, app: str) -> int:
        """Give the number of an application in the columns, or -2 when no tip is of it."""
        return self._apps.get(fold(app), -2)


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
    weighed = _eligible(index, scores, app, guess, flagged)
    held = _core(index, weighed, core)
    order = np.lexsort((-index.columns.support, -weighed))
    able = int((weighed >= (threshold if top_k is None else 0)).sum())
    size = min(able, QUEUE + core) if top_k is not None else min(able, UNCAPPED) + CONSIDERED
    candidates = _ranked(index, order[:size], weighed)
    ranked, left = _pick([r for r in candidates if r.score >= 0], held, top_k, threshold)
    return Choice(tuple(held), tuple(ranked), tuple(left), category, app, "model" if guide is not None else "cosine")


def _eligible(index: TipIndex, scores: Floats, app: str | None, guess: Guess, flagged: Collection[str]) -> np.ndarray:
    """The score of every row, -1 where a tip cannot be given for this application or was removed."""
    columns = index.columns
    able = columns.alive.copy()
    if app is not None:
        able &= (columns.app == -1) | (columns.app == index.app_number(app))
    if guess.categories:
        able &= np.isin(columns.category, [n for n, c in enumerate(_CATEGORIES) if c in guess.categories])
    weighed = scores * columns.weight
    for tip_id in flagged:
        if tip_id in index:
            weighed[index.place(tip_id)] *= FLAGGED
    best = [float(scores[able & (columns.level == n)].max(initial=0.0)) for n in range(len(_LEVELS))]
    for n, own in enumerate(best):  # see LEVEL
        if own > 0:
            weighed[columns.level == n] *= (max(best) / own) ** LEVEL
    return np.where(able, np.round(np.minimum(weighed, 1.0), 4), -1.0)


def _ranked(index: TipIndex, order: np.ndarray, scores: np.ndarray) -> list[Ranked]:
    return [Ranked(tip, round(float(scores[n]), 4)) for n in order if (tip := index.row(int(n))) is not None]


def _core(index: TipIndex, scores: np.ndarray, size: int) -> list[Ranked]:
    """The best supported tips, whatever the task; recurrence counts only beside a success or a recovery (F49)."""
    if not size:
        return []
    support = np.where(scores >= 0, index.columns.support, 0)
    order = np.lexsort((-scores, -support))[:size]
    return [
        r for r in _ranked(index, order, np.maximum(scores, 0)) if r.tip.support > 1 and support[index.place(r.tip.id)]
    ]


def _pick(
    candidates: Sequence[Ranked], held: Sequence[Ranked], top_k: int | None, threshold: float
) -> tuple[list[Ranked], list[LeftOut]]:
    """The best ones, each next one counting less the more of them are about the same call already."""
    ranked: list[Ranked] = []
    left: list[LeftOut] = []
    given = {r.tip.id for r in held}
    told = {plain(r.tip.content): r.tip.id for r in held}
    about: Counter[str] = Counter()
    able = [r for r in candidates if r.tip.id not in given]
    queue = [(r, _subject(r.tip)) for r in able[:UNCAPPED]]
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
    return f"{tip.category.value} {_main(tip.content)}"


@lru_cache(maxsize=65536)
def _main(content: str) -> str:
    names = code_names(content)
    return names[0] if names else plain(content)


def _columns(tips: Sequence[Tip], apps: dict[str, int], kinds: dict[str, int]) -> Columns:
    weights = [
        WEIGHT[t.priority]
        * (GENERIC if t.scope is Scope.GENERIC else 1.0)
        * (COMPARED if {Outcome.SUCCESS, Outcome.FAILURE} <= {s.outcome for s in t.sources} else 1.0)
        for t in tips
    ]
    app = [-1 if t.app is None else apps.setdefault(fold(t.app), len(apps)) for t in tips]
    sound = [t.category is TipCategory.RECOVERY or any(s.outcome is Outcome.SUCCESS for s in t.sources) for t in tips]
    return Columns(
        np.ones(len(tips), dtype=bool),
        np.array(weights, dtype=np.float64),
        np.array(app, dtype=np.int64),
        np.array([kinds.setdefault(t.task_category, len(kinds)) for t in tips], dtype=np.int64),
        np.array([_LEVELS.index(t.granularity) for t in tips], dtype=np.int64),
        np.array([_CATEGORIES.index(t.category) for t in tips], dtype=np.int64),
        np.array([t.support if ok else 0 for t, ok in zip(tips, sound, strict=True)], dtype=np.int64),
    )


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
