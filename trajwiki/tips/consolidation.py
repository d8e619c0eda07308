"""Tips that say the same become one with all their sources; of contrary ones the better founded stands.

Whether two extracted tips belong together depends on these two alone: same category, application, scope and
granularity, descriptions nearer than a threshold, and the same advice. What is connected by such pairs becomes one
tip. So neither the order of intake nor the number of consolidations changes the result, and a new tip touches only
what it is connected with.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

import numpy as np

from trajwiki.domain.ids import Ids
from trajwiki.domain.runs import Outcome
from trajwiki.domain.tipbook import LIVE, TipBook, united
from trajwiki.domain.tips import Priority, Tip, TipCategory, TipOp, TipState, TipVerb
from trajwiki.errors import UsageError
from trajwiki.models.embedding import Embedder
from trajwiki.tips.extraction import RANK, RULE, op_of
from trajwiki.tips.sameness import contrary, kind_of, names_in, plain, same_advice

NEAR: Final = 0.75  # cosine of two descriptions from which they are about the same kind of task
DIGITS: Final = 4  # scores are rounded to 1e-4 before they are compared with a threshold
BLOCK: Final = 512

Vectors = Mapping[str, Mapping[str, np.ndarray]]


@dataclass(frozen=True, slots=True)
class Consolidation:
    """What a consolidation makes.

    Attributes:
        tips: Merged tips.
        ops: In order: PROPOSE and MERGE, WITHDRAW of what repeats a withdrawn tip, SUPERSEDE and RESTORE.
    """

    tips: tuple[Tip, ...] = ()
    ops: tuple[TipOp, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.ops)


def consolidate(
    book: TipBook,
    vectors: Vectors,
    *,
    ids: Ids,
    ordinal: int,
    op_ordinal: int,
    at: datetime,
    embedder: Embedder | None = None,
    fresh: Collection[str] | None = None,
    near: float = NEAR,
) -> Consolidation:
    """Merge what says the same, and settle what is contrary (report, 3.2).

    Args:
        book: All tips; it is not changed.
        vectors: ``description`` and ``advice`` to tip id to unit vector, float32 (d,).
        ids: Makes the ids of the space.
        ordinal: Of the first new tip.
        op_ordinal: Of the first new operation.
        at: The time of the operations.
        embedder: Embeds what has no vector yet; without it that is an error.
        fresh: Ids of extracted tips that are new since the last time; only what they touch is looked at. None: all.
        near: Threshold for descriptions.

    Raises:
        UsageError: A vector is missing and there is no embedder.
    """
    work = Progression(book, TipVectors(book, vectors, embedder), ids, ordinal, op_ordinal, at)
    leaves = _leaves(book)
    groups = _groups(work, leaves, fresh, near)
    touched: set[str] = {work.book.stands_for(t) for t in leaves if fresh is None or t in fresh}
    for group in groups:
        merged = _settle(work, group)
        if merged is not None:
            touched.add(merged)
    _contest(work, touched, near)
    return Consolidation(tuple(work.tips), tuple(work.ops))


class Progression:
    """A copy of the book that moves on with the operations that are made."""

    def __init__(self, book: TipBook, space: TipVectors, ids: Ids, ordinal: int, op_ordinal: int, at: datetime) -> None:
        self.book, self.space, self.ids, self.at = book.copy(), space, ids, at
        self.tips: list[Tip] = []
        self.ops: list[TipOp] = []
        self._ordinal, self._op_ordinal = ordinal, op_ordinal

    def add(self, tip: Tip, state: TipState, reason: str) -> str:
        """Propose a merged tip, or put it back when it is there already; give its id."""
        if tip.id in self.book.tips:
            self.do(TipVerb.RESTORE, tip.id, state, reason)
            return tip.id
        tip = replace(tip, ordinal=self._ordinal + len(self.tips))
        self.space.adopt(tip, [self.book.tips[x] for x in tip.made_from])
        self.tips.append(tip)
        self.book.apply([tip], [])
        self.do(TipVerb.PROPOSE, tip.id, state, reason)
        return tip.id

    def do(self, verb: TipVerb, tip_id: str, state: TipState, reason: str, others: tuple[str, ...] = ()) -> None:
        """Record an operation and move on."""
        n = self._op_ordinal + len(self.ops)
        op = op_of(self.ids, n, verb, tip_id, state, reason=reason, at=self.at, others=others)
        self.ops.append(op)
        self.book.apply([], [op])


class TipVectors:
    """Vectors of tips; what is missing is embedded once."""

    def __init__(self, book: TipBook, vectors: Vectors, embedder: Embedder | None) -> None:
        self._book, self._given, self._embedder = book, vectors, embedder
        self._made: dict[tuple[str, str], np.ndarray] = {}

    def adopt(self, tip: Tip, parts: Iterable[Tip]) -> None:
        """A merged tip has the description of one of its parts, and with it the vector."""
        for part in parts:
            if part.description == tip.description:
                self._made["description", tip.id] = self.rows("description", [part])[0]
                return

    def rows(self, kind: str, tips: Sequence[Tip]) -> np.ndarray:
        """Give the vectors of some tips, float32 (n, d). Raises UsageError when one is missing and nothing embeds."""
        given = self._given.get(kind, {})
        missing = [t for t in tips if t.id not in given and (kind, t.id) not in self._made]
        if missing:
            if self._embedder is None:
                raise UsageError(f"tip {missing[0].id} has no {kind} vector; re-embed the space")
            made = self._embedder.embed([t.text_for(kind) for t in missing])
            self._made.update({(kind, t.id): row for t, row in zip(missing, made, strict=True)})
        return np.stack([given[t.id] if t.id in given else self._made[kind, t.id] for t in tips])


def _leaves(book: TipBook) -> dict[str, str]:
    """Extracted tips that take part, with the tips that stand for them now."""
    found = {}
    for tip in book.tips.values():
        if tip.made_from or tip.instruction_like:
            continue
        root = book.stands_for(tip.id)
        if _takes_part(book, root) and not book.kept_apart(root):
            found[tip.id] = root
    return found


def _takes_part(book: TipBook, root: str) -> bool:
    op, state = book.last_op(root), book.state.get(root)
    return state in LIVE or _overruled(op) or _verdict(op)


def _overruled(op: TipOp | None) -> bool:
    """Superseded by rule, which more evidence can turn round."""
    return op is not None and op.verb is TipVerb.SUPERSEDE and op.state is TipState.SUPERSEDED


def _verdict(op: TipOp | None) -> bool:
    """Taken out of use for what it says: by a person, or for its record."""
    if op is None:
        return False
    if op.verb is TipVerb.WITHDRAW:
        return op.state is TipState.WITHDRAWN
    return op.verb is TipVerb.REJECT and op.actor.startswith("person:")


def _groups(
    work: Progression, leaves: Mapping[str, str], fresh: Collection[str] | None, near: float
) -> list[tuple[str, ...]]:
    """Tips that stand, by what is connected through their extracted tips; each group sorted, only those of several."""
    buckets: dict[tuple[object, ...], list[Tip]] = {}
    for tip_id in leaves:
        tip = work.book.tips[tip_id]
        buckets.setdefault((*kind_of(tip), names_in(tip.content)), []).append(tip)
    union = _Union()
    for bucket in buckets.values():
        new = [t for t in bucket if fresh is None or t.id in fresh]
        if not new or len(bucket) < 2:
            continue
        for a, b in _near_pairs(work.space, new, bucket, near):
            union.join(leaves[a], leaves[b])
    return sorted(g for g in union.groups() if len(g) > 1)


def _near_pairs(space: TipVectors, new: Sequence[Tip], bucket: Sequence[Tip], near: float) -> Iterator[tuple[str, str]]:
    described, advised = space.rows("description", bucket), space.rows("advice", bucket)
    place = {t.id: i for i, t in enumerate(bucket)}
    for start in range(0, len(new), BLOCK):
        rows = [place[t.id] for t in new[start : start + BLOCK]]
        close = np.round(described[rows] @ described.T, DIGITS) >= near
        advice = np.round(advised[rows] @ advised.T, DIGITS)
        for i, j in zip(*np.nonzero(close), strict=True):
            a, b = bucket[rows[i]], bucket[j]
            if a.id != b.id and same_advice(a, b, float(advice[i, j])):
                yield a.id, b.id


class _Union:
    """Which things are connected."""

    def __init__(self) -> None:
        self._up: dict[str, str] = {}

    def find(self, x: str) -> str:
        self._up.setdefault(x, x)
        while self._up[x] != x:
            self._up[x] = self._up[self._up[x]]
            x = self._up[x]
        return x

    def join(self, a: str, b: str) -> None:
        a, b = self.find(a), self.find(b)
        if a != b:
            self._up[max(a, b)] = min(a, b)

    def groups(self) -> list[tuple[str, ...]]:
        found: dict[str, list[str]] = {}
        for x in self._up:
            found.setdefault(self.find(x), []).append(x)
        return [tuple(sorted(g)) for g in found.values()]


def _settle(work: Progression, group: Sequence[str]) -> str | None:
    """Merge a group, or let it follow the verdict on one of its tips. Gives the merged tip."""
    verdicts = [t for t in group if _verdict(work.book.last_op(t))]
    rest = [t for t in group if t not in verdicts]
    if verdicts:
        op = work.book.last_op(verdicts[0])
        for tip_id in rest:
            if work.book.state[tip_id] is not TipState.APPROVED:
                reason = f"it says the same as {verdicts[0]}, which {op.actor if op else RULE} took out of use"
                work.do(TipVerb.WITHDRAW, tip_id, TipState.WITHDRAWN, reason)
        return None
    return merge_into(work, rest) if len(rest) > 1 else None


def merge_into(work: Progression, roots: Sequence[str]) -> str:
    """Make one tip of several that stand; every one of them lives on in it."""
    parts = [work.book.tips[t] for t in roots]
    approved = [t for t in parts if work.book.state[t.id] is TipState.APPROVED]
    merged = merged_tip(work.book, parts, work.space, ids=work.ids, words_of=approved)
    state = TipState.APPROVED if approved else TipState.PROPOSED
    reason = f"{len(parts)} tips say the same" + ("; its words were approved before" if approved else "")
    new = work.add(merged, state, reason)
    for tip in parts:
        work.do(TipVerb.MERGE, tip.id, TipState.MERGED, f"it says the same as {len(parts) - 1} other", (new,))
    return new


def merged_tip(
    book: TipBook, parts: Sequence[Tip], space: TipVectors, *, ids: Ids, words_of: Sequence[Tip] = (), actor: str = RULE
) -> Tip:
    """Give the tip that several become: the words of the best founded one, the sources of all.

    Args:
        book: That holds them and what they were made from.
        parts: Tips that stand.
        space: Their vectors.
        ids: Makes the ids of the space.
        words_of: Tips whose words come first, such as approved ones.
        actor: Who merges.
    """
    grown = sorted({x for p in parts for x in book.leaves_of(p.id)})
    leaves = [book.tips[x] for x in grown]
    edited = [p for p in parts if p.decided_by.startswith("person:")]
    best = max(edited or words_of, key=lambda t: t.ordinal) if edited or words_of else _best(leaves)
    kept = edited + [t for t in words_of if t.made_from]  # words that no extracted tip has
    made_from = tuple(sorted({*grown, *(t.id for t in kept)}))
    description = canonical(leaves, space)
    sources = united(parts)
    priority = min((t.priority for t in [*leaves, best]), key=lambda p: RANK[p])
    category = _commonest(t.task_category for t in leaves)
    identity = [best.content, *best.steps, best.trigger, description, priority, category]
    return replace(
        best,
        id=ids.of("tip", "merged", *identity, *made_from, *(f"{s.run_id}:{s.first}:{s.last}" for s in sources)),
        priority=priority,
        task_category=category,
        description=description,
        sources=sources,
        made_from=made_from,
        decided_by=best.decided_by if edited else actor,
    )


def canonical(leaves: Sequence[Tip], space: TipVectors) -> str:
    """Give the description that is nearest to all others, which stands for the cluster and is embedded anew."""
    texts = sorted({t.description for t in leaves})
    if len(texts) < 3:
        return max(texts, key=lambda d: (sum(t.description == d for t in leaves), -len(d), d))
    one = {t.description: t for t in sorted(leaves, key=lambda t: t.id, reverse=True)}
    rows = space.rows("description", [one[d] for d in texts])
    weight = np.array([sum(t.description == d for t in leaves) for d in texts], dtype=np.float32)
    score = np.round((rows @ rows.T) @ weight, DIGITS - 1)
    return texts[int(np.argmax(score))]


def founded(tip: Tip, state: TipState | None = None) -> tuple[int, ...]:
    """Give how well a tip is founded, greater is better: approved, then a successful source or a recovery, then
    support, then newer.
    """
    sound = tip.category is TipCategory.RECOVERY or any(s.outcome is Outcome.SUCCESS for s in tip.sources)
    return int(state is TipState.APPROVED), int(sound), tip.support, tip.ordinal


def _best(leaves: Sequence[Tip]) -> Tip:
    """The best founded wording, whatever the order of intake: sound, then the commonest steps, then by its words."""
    common = Counter((t.steps, t.trigger) for t in leaves)
    return min(
        leaves,
        key=lambda t: (-founded(t)[1], -common[t.steps, t.trigger], -len(t.steps), plain(t.content), t.steps, t.id),
    )


def _commonest(names: Iterable[str]) -> str:
    counted = Counter(names)
    return min(counted, key=lambda n: (-counted[n], n))


def _contest(work: Progression, touched: Collection[str], near: float) -> None:
    """Of contrary tips about one kind of task the better founded stands; what nothing beats any more stands again."""
    book = work.book
    able = [
        t
        for t in book.roots()
        if (book.state[t] in LIVE or _overruled(book.last_op(t))) and not book.tips[t].instruction_like
    ]
    by_kind: dict[object, list[Tip]] = {}
    for tip_id in able:
        tip = book.tips[tip_id]
        by_kind.setdefault((*kind_of(tip), names_in(tip.content)), []).append(tip)
    for tips in by_kind.values():
        if not any(t.id in touched for t in tips):
            continue
        rivals = _rivals(work.space, tips, touched, near)
        for tip in tips:
            if tip.id not in rivals and not (tip.id in touched and _overruled(book.last_op(tip.id))):
                continue
            better = [r for r in rivals.get(tip.id, ()) if _beats(book, r, tip)]
            state = book.state[tip.id]
            if better and state in LIVE:
                winner = max(better, key=lambda r: founded(r, book.state[r.id]))
                reason = f"{winner.id} says the contrary and is better founded"
                work.do(TipVerb.SUPERSEDE, tip.id, TipState.SUPERSEDED, reason, (winner.id,))
            elif not better and state is TipState.SUPERSEDED:
                work.do(
                    TipVerb.RESTORE,
                    tip.id,
                    TipState.PROPOSED,
                    "nothing that says the contrary is better founded any more",
                )


def _beats(book: TipBook, a: Tip, b: Tip) -> bool:
    return founded(a, book.state[a.id]) > founded(b, book.state[b.id])


def _rivals(space: TipVectors, tips: Sequence[Tip], touched: Collection[str], near: float) -> dict[str, list[Tip]]:
    """Contrary tips of each tip that is touched, or that is contrary to a touched one."""
    found: dict[str, list[Tip]] = {}
    pairs = [(a, b) for a in tips if a.id in touched for b in tips if a.id != b.id and contrary(a, b)]
    if not pairs:
        return found
    involved = list({t.id: t for pair in pairs for t in pair}.values())
    rows = {t.id: row for t, row in zip(involved, space.rows("description", involved), strict=True)}
    for a, b in pairs:
        if round(float(rows[a.id] @ rows[b.id]), DIGITS) >= near:
            for x, y in ((a, b), (b, a)):
                if y not in found.setdefault(x.id, []):
                    found[x.id].append(y)
    return found


def priority_of(tips: Iterable[Tip]) -> Priority:
    """Give the highest priority of some tips."""
    return min((t.priority for t in tips), key=lambda p: RANK[p])
