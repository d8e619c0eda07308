"""What came of tips: how runs used them, their record, and when they lapse."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from tests.tip_runs import IDS, NOW, book_of, failing, recovering, run, tip
from trajwiki.domain.runs import Outcome
from trajwiki.domain.tips import Delivery, Feedback, TipState, Use
from trajwiki.errors import UsageError
from trajwiki.tips.curation import By
from trajwiki.tips.feedback import flagged, tip_stats, uses, withdrawals
from trajwiki.tips.lapse import Lifetimes, lapsed
from trajwiki.tips.rates import difference, rate

BEFORE = tip(
    "before",
    "Call `get_account` before `refund_order`.",
    steps=("Call `get_account` first.", "Then call `refund_order`."),
    trigger="The task needs `refund_order`.",
)


def delivery(n: int, *tip_ids: str, kind: str = "refund order") -> Delivery:
    return Delivery(
        f"delivery_{n}",
        NOW + timedelta(n),
        "refund my order",
        "shop",
        kind,
        "cosine",
        tip_ids,
        (0.5,) * len(tip_ids),
        (),
        "",
        0,
    )


def told(n: int, outcome: Outcome, *used: tuple[str, Use]) -> Feedback:
    return Feedback(f"delivery_{n}", NOW + timedelta(n), outcome, None, used, "rule")


def test_calls_show_whether_a_tip_was_followed() -> None:
    refund = ("refund_order", {"order_id": "W1"}, {"status": "ok"})
    look = ("get_account", {"id": "A1"}, {"name": "x"})
    order = run("o", [look, refund], task="Refund it.", outcome=Outcome.SUCCESS)
    against = run("a", [refund, look], task="Refund it.", outcome=Outcome.FAILURE)
    other = run("n", [("say_hello", {}, "hello")], task="Greet.", outcome=Outcome.SUCCESS)
    assert uses(order, [BEFORE]) == (("tip_before", Use.FOLLOWED),)
    assert uses(against, [BEFORE]) == (("tip_before", Use.CONTRADICTED),)
    assert uses(other, [BEFORE]) == (("tip_before", Use.NOT_APPLICABLE),)
    vague = tip("vague", "Think before you act on anything.", steps=("Take your time.",), trigger="Always, in a way.")
    assert uses(order, [vague]) == (("tip_vague", Use.UNKNOWN),)
    never = tip("never", "Never call `say_hello`.", steps=("Leave it out.",), trigger="The task needs `say_hello`.")
    assert uses(other, [never]) == (("tip_never", Use.CONTRADICTED),)


def test_a_run_that_cites_a_tip_follows_it() -> None:
    one = run("c", [("think", "By tip_before I look first.")], task="Refund it.", outcome=Outcome.SUCCESS)
    assert uses(one, [BEFORE])[0][1] is Use.FOLLOWED


def test_a_record_counts_outcomes_against_the_base_rate_of_the_kind_of_task() -> None:
    given = [delivery(n, "tip_a") for n in range(10)]
    spared = [delivery(n, "tip_b") for n in range(10, 30)]
    elsewhere = [delivery(n, "tip_b", kind="ship order") for n in range(30, 40)]
    said = [told(n, Outcome.SUCCESS if n == 0 else Outcome.FAILURE, ("tip_a", Use.FOLLOWED)) for n in range(10)]
    said += [told(n, Outcome.SUCCESS if n < 28 else Outcome.FAILURE) for n in range(10, 30)]
    said += [told(n, Outcome.FAILURE) for n in range(30, 40)]
    records = tip_stats([tip("a"), tip("b"), tip("c")], [*given, *spared, *elsewhere], said)
    a = records["tip_a"]
    assert (a.delivered, a.with_it.hits, a.with_it.n, a.without.hits, a.without.n) == (10, 1, 10, 18, 20)
    assert a.flag == "worse" and a.high < 0 and a.uses == {Use.FOLLOWED: 10}
    assert records["tip_c"].delivered == 0 and records["tip_c"].flag is None
    assert (records["tip_c"].with_it.low, records["tip_c"].with_it.high) == (0.0, 1.0)
    assert flagged(records) == {"tip_a"}


def test_recurrence_alone_says_nothing_for_a_tip() -> None:
    """F49."""
    from trajwiki.domain.tips import TipSource

    often = replace(tip("often"), sources=tuple(TipSource(f"run_{n}", 1, 2, Outcome.FAILURE) for n in range(50)))
    record = tip_stats([often], [delivery(n, "tip_often") for n in range(5)], [])["tip_often"]
    assert record.flag is None and not record.helped and record.with_it.n == 0


def test_runs_without_a_delivery_are_part_of_the_base_rate() -> None:
    runs = [recovering("g"), failing("b")]
    kind = "refund order"
    records = tip_stats([tip("a")], [delivery(1, "tip_a", kind=kind)], [told(1, Outcome.SUCCESS)], runs)
    assert (records["tip_a"].without.hits, records["tip_a"].without.n) == (1, 2)


def test_what_is_worse_is_withdrawn_unless_a_person_approved_it() -> None:
    given = [delivery(n, "tip_a", "tip_b") for n in range(10)]
    spared = [delivery(n) for n in range(10, 30)]
    said = [told(n, Outcome.FAILURE) for n in range(10)] + [told(n, Outcome.SUCCESS) for n in range(10, 30)]
    records = tip_stats([tip("a"), tip("b")], [*given, *spared], said)
    book = book_of(tip("a"))
    book.apply([tip("b")], book_of(tip("b"), state=TipState.APPROVED).ops)
    made = withdrawals(book, records, By(IDS, "rule", "", NOW, 2, 2))
    assert [op.tip_id for op in made.ops] == ["tip_a"]
    assert "0 of 10" in made.ops[0].reason and "20 of 20" in made.ops[0].reason


@pytest.mark.parametrize(
    ("lifetimes", "days", "reason"),
    [
        (Lifetimes(expire_days=30), 31, "no run has added to it for 30 days"),
        (Lifetimes(expire_days=30), 30, None),
        (Lifetimes(idle_days=10), 15, "not delivered for 10 days"),
        (Lifetimes(idle_days=10), 12, None),
        (Lifetimes(fruitless=3), 5, "none of 3 runs"),
        (Lifetimes(fruitless=4), 5, None),
    ],
)
def test_when_a_tip_lapses(lifetimes: Lifetimes, days: int, reason: str | None) -> None:
    book = book_of(tip("a"))
    given = [delivery(n, "tip_a") for n in (1, 2, 3)]
    records = tip_stats([tip("a")], given, [told(n, Outcome.FAILURE) for n in (1, 2, 3)])
    made = lapsed(book, records, lifetimes, By(IDS, "rule", "", NOW + timedelta(days), 1, 1))
    assert [reason in op.reason for op in made.ops] == ([True] if reason else []) if reason else made.ops == ()


def test_a_lifetime_of_nothing_is_refused() -> None:
    with pytest.raises(UsageError, match="at least 1"):
        Lifetimes(idle_days=0)


def test_intervals_hold_at_the_edges() -> None:
    assert rate(0, 0).low == 0.0 and rate(0, 0).high == 1.0
    assert rate(5, 5).high == 1.0 and 0.5 < rate(5, 5).low < 1
    assert rate(5, 10, confidence=0.8).low > rate(5, 10).low
    assert difference(rate(0, 20), rate(20, 20))[1] < 0 and difference(rate(1, 2), rate(0, 0)) == (-1.0, 1.0)
