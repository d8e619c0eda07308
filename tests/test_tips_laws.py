"""Laws of procedural memory, on random histories."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import partial

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.tip_runs import IDS, NOW, Vectors, tip
from trajwiki.domain.runs import Outcome
from trajwiki.domain.tipbook import TipBook, unconserved
from trajwiki.domain.tips import Tip, TipCategory, TipSource, TipState, TipVerb
from trajwiki.errors import UsageError
from trajwiki.models.wordllama import WordLlamaEmbedder
from trajwiki.tips import curation
from trajwiki.tips.consolidation import consolidate
from trajwiki.tips.curation import By
from trajwiki.tips.extraction import op_of
from trajwiki.tips.replay import without_runs

EMBEDDER = WordLlamaEmbedder()
CONTENTS = (
    "Call `list_all` before `pick_one`.",
    "Call `pick_one` before `list_all`.",
    "Never call `list_all` twice.",
    "Always call `list_all` twice.",
    "Keep the result that is there already.",
)
DESCRIPTIONS = (
    "pick one item of a list",
    "pick an item from the list",
    "pay an overdue invoice",
    "pay the invoice that is overdue",
)
RUNS = tuple(f"run_{n}" for n in range(6))

slow = partial(settings, deadline=None, suppress_health_check=list(HealthCheck))


@st.composite
def tips(draw: st.DrawFn) -> list[Tip]:
    found = {}
    for n in range(draw(st.integers(1, 9))):
        outcome = draw(st.sampled_from([Outcome.SUCCESS, Outcome.FAILURE]))
        sources = [TipSource(draw(st.sampled_from(RUNS)), 1, n + 1, outcome)]
        if draw(st.booleans()):
            other = Outcome.FAILURE if outcome is Outcome.SUCCESS else Outcome.SUCCESS
            sources.append(TipSource(draw(st.sampled_from(RUNS)), n + 1, n + 2, other))
        one = tip(
            f"t{n}",
            draw(st.sampled_from(CONTENTS)),
            description=draw(st.sampled_from(DESCRIPTIONS)),
            category=draw(st.sampled_from([TipCategory.STRATEGY, TipCategory.RECOVERY])),
            sources=tuple(dict.fromkeys(sources)),
        )
        found[one.id] = one
    return list(found.values())


def propose(book: TipBook, new: list[Tip]) -> None:
    for t in new:
        placed = replace(t, ordinal=len(book.tips))
        n = len(book.ops)
        book.apply([placed], [op_of(IDS, n, TipVerb.PROPOSE, t.id, TipState.PROPOSED, reason="passed", at=NOW)])


def settle(book: TipBook, fresh: set[str] | None = None) -> int:
    made = consolidate(
        book,
        Vectors(EMBEDDER).of(book),
        ids=IDS,
        ordinal=len(book.tips),
        op_ordinal=len(book.ops),
        at=NOW,
        fresh=fresh,
    )
    book.apply(made.tips, made.ops)
    return len(made.ops)


def meddle(book: TipBook, seed: int, moves: int) -> None:
    """What persons might do, in any order; what is not allowed is refused and changes nothing."""
    rng = random.Random(seed)
    for _ in range(moves):
        by = By(IDS, rng.choice(["person:Ana", "rule"]), "so it is", NOW, len(book.tips), len(book.ops))
        some = rng.choice(sorted(book.tips))
        name = rng.choice(["approve", "reject", "withdraw", "restore", "expire", "split", "merge", "settle"])
        try:
            if name == "settle":
                settle(book)
                continue
            if name == "merge":
                done = curation.merge(book, rng.sample(sorted(book.tips), 2), Vectors(EMBEDDER).of(book), by)
            else:
                done = getattr(curation, name)(book, some, by)
        except (UsageError, ValueError):
            continue
        book.apply(done.tips, done.ops)


def shape(book: TipBook) -> set[tuple[object, ...]]:
    """The tips that are delivered, without what the order of intake may change: ordinals."""
    return {(t.id, t.content, t.description, t.sources, t.made_from) for t in book.deliverable()}


@given(tips(), st.integers(0, 10_000), st.integers(0, 12), st.sets(st.sampled_from(RUNS), max_size=4))
@slow(max_examples=60)
def test_support_is_conserved_and_every_source_resolves_whatever_is_done(
    new: list[Tip], seed: int, moves: int, erased: set[str]
) -> None:
    book = TipBook()
    propose(book, new)
    meddle(book, seed, moves)
    assert unconserved(book) == ()
    assert [op.ordinal for op in book.ops] == list(range(len(book.ops)))
    left = without_runs(book, erased, Vectors(EMBEDDER).of(book), ids=IDS, at=NOW, embedder=EMBEDDER).book
    assert unconserved(left) == ()
    assert not any(s.run_id in erased for t in left.tips.values() for s in t.sources)
    whole = {t.id for t in new if not erased & {s.run_id for s in t.sources}}
    assert whole <= set(left.tips)
    assert settle(left) == 0


@given(tips(), st.integers(0, 10_000), st.integers(0, 8))
@slow(max_examples=50)
def test_consolidating_twice_changes_nothing(new: list[Tip], seed: int, moves: int) -> None:
    book = TipBook()
    propose(book, new)
    meddle(book, seed, moves)
    settle(book)
    assert settle(book) == 0


@given(tips(), st.integers(0, 10_000), st.booleans())
@slow(max_examples=60)
def test_the_order_of_intake_does_not_change_the_consolidated_set(new: list[Tip], seed: int, one_by_one: bool) -> None:
    """Contrary tips that are equally well founded are the exception: there the newer one stands, by design."""
    new = [t for t in new if "pick_one` before" not in t.content and "Never" not in t.content]
    if not new:
        return
    first, second = TipBook(), TipBook()
    propose(first, new)
    settle(first)
    shuffled = random.Random(seed).sample(new, len(new))
    for t in shuffled:
        propose(second, [t])
        if one_by_one:
            settle(second, {t.id})
    if not one_by_one:
        settle(second)
    assert shape(first) == shape(second)


@given(tips(), st.sets(st.sampled_from(RUNS), max_size=4))
@slow(max_examples=50)
def test_erasing_runs_is_the_same_as_never_having_had_them(new: list[Tip], erased: set[str]) -> None:
    whole, never = TipBook(), TipBook()
    propose(whole, new)
    settle(whole)
    left = without_runs(whole, erased, Vectors(EMBEDDER).of(whole), ids=IDS, at=NOW, embedder=EMBEDDER).book
    kept = [t for t in new if not erased & {s.run_id for s in t.sources}]
    propose(never, kept)
    settle(never)
    two_left = [
        t
        for t in new
        if t not in kept and {s.outcome for s in t.sources if s.run_id not in erased} == {s.outcome for s in t.sources}
    ]
    if not two_left:
        assert shape(left) == shape(never)
