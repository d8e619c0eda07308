"""The order desk: its evaluator sees the shop alone, guidelines are read by their words, and they help."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest

from trajwiki import Memory
from trajwiki.cli.demo_tips import lines
from trajwiki.desk.agent import Agent
from trajwiki.desk.api import NEW, OLD, SESSION, Desk
from trajwiki.desk.demo import play
from trajwiki.desk.reading import Rule, read_rules
from trajwiki.desk.tasks import FAMILIES, TRAINED, evaluate, make_task
from trajwiki.desk.trial import Size, attempt, training, unseen
from trajwiki.domain.runs import Outcome, OutcomeBy, StepKind


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    with Memory.open(tmp_path_factory.mktemp("demo") / "demo.db") as memory:
        return play(memory, seeds=1, size=Size(before=1, after=3, tries=4, unseen=8))


def test_consolidated_tips_help_beyond_chance_at_unseen_tasks(played: dict[str, Any]) -> None:
    low, _ = played["arms"]["consolidated"]["gain"]
    assert low > 0, played["arms"]
    assert 0 < played["arms"]["none"]["rate"] < played["arms"]["consolidated"]["rate"] < 1


def test_what_is_printed_is_what_was_found(played: dict[str, Any]) -> None:
    text = "\n".join(lines(played))
    for arm in played["arms"].values():
        assert f"{arm['rate']:.0%}" in text
    assert played["guidelines"]["block"] in text
    assert {c["which"] for c in played["attribution"]["causes"]} == {"immediate", "proximate", "root"}
    assert json.loads(json.dumps(played)) == played


def test_unseen_tasks_are_none_of_the_training_and_some_families_are_new() -> None:
    trained = {r.task for v in (OLD, NEW) for r in training(v, seed=1, tasks=3, tries=1)}
    new = unseen(1, tasks=3)
    assert not trained & {t.text for t in new}
    assert {t.family for t in new} - set(TRAINED)


@pytest.mark.parametrize("family", FAMILIES)
def test_the_outcome_comes_from_the_shop_and_not_from_the_agent(family: str) -> None:
    claims = set()
    for n in range(12):
        task = make_task(family, f"t{n}")
        desk = Desk(task.shop())
        agent = Agent(desk, task.text, seed=str(n))
        claims.add((agent.work() == "All is done.", evaluate(task, desk.shop).success))
        run = attempt(task, seed=str(n))
        assert (run.outcome is Outcome.SUCCESS) == evaluate(task, desk.shop).success
        assert run.outcome_by is OutcomeBy.EVALUATION
    assert not evaluate(make_task(family, "t0"), make_task(family, "t0").shop()).success  # doing nothing is no success
    assert any(not success for _, success in claims)


def test_the_agent_is_the_same_for_the_same_seed_and_varies_over_seeds() -> None:
    task = make_task("refund", "t1")
    assert attempt(task, seed="a").steps == attempt(task, seed="a").steps
    assert len({len(attempt(task, seed=str(n)).steps) for n in range(20)}) > 3


def test_a_change_beyond_what_was_asked_is_no_success() -> None:
    task = make_task("refund", "t1")
    shop = task.shop()
    order = next(o for o in shop.orders.values() if o["number"] in task.text)
    order["refunded"] = order["paid"]
    assert evaluate(task, shop).success
    other = next(o for o in shop.orders.values() if o is not order)
    other["priority"] = "urgent"
    assert "priority" in evaluate(task, shop).note


def test_sessions_end_calls_are_limited_and_the_likely_field_is_the_wrong_one() -> None:
    shop = make_task("refund", "t1").shop()
    order = next(iter(shop.orders.values()))
    desk = Desk(shop)

    def call(tool: str, **arguments: Any) -> dict[str, Any]:
        reply: dict[str, Any] = json.loads(desk.call(tool, arguments))
        return reply

    asked = {"order_id": order["order_id"]}
    assert "session" in call("get_order", **asked)["error"]
    call("sign_in")
    assert "is required" in call("refund_order", **asked)["error"]
    assert "payment_id" in call("refund_order", **asked, payment_id=order["payment_ref"], amount=1.0)["error"]
    assert call("refund_order", **asked, payment_id=order["charge_id"], amount=order["paid"]) == {"refunded": True}
    assert call("list_orders", email=order["email"])["pages"] > 1
    errors = [call("get_order", **asked).get("error", "") for _ in range(SESSION)]
    assert any("too many" in e for e in errors)
    assert "session" in errors[-1]


def test_guidelines_are_read_by_their_words_and_what_is_not_understood_says_nothing() -> None:
    block = (
        "1. [high recovery] Fill `pay.id` of `pay_bill` from `ref` in the result of `show_bill`; a value from `no` of "
        "`show_bill` was refused with “no such bill”. (id: tip_x)\n   When: The task needs `pay_bill`.\n"
        "   Why: Call `drop_all` before `pay_bill`.\n\n2. [low strategy] Look twice and think. (id: tip_y)\n"
    )
    assert read_rules(block) == [
        Rule("fill", "pay_bill", "id", "ref", "show_bill", "no such bill"),
        Rule("shun-field", "pay_bill", "id", "no", "show_bill"),
    ]
    rng = Random(3)
    for _ in range(200):
        read_rules("".join(rng.choice("`1. [](id:tip)“”before call\n ") for _ in range(300)))


def test_a_wrong_rule_does_harm() -> None:
    wrong = (
        "1. [high recovery] Fill `amount` of `refund_order` from `price` in the result of `get_order`; "
        "a value from `paid` of `get_order` was refused with “x”. (id: tip_x)"
    )
    tasks = [make_task("refund", f"t{n}") for n in range(10)]

    def successes(guidelines: str) -> int:
        runs = [attempt(t, seed=str(n), guidelines=guidelines) for t in tasks for n in range(6)]
        return sum(r.outcome is Outcome.SUCCESS for r in runs)

    assert successes(wrong) < successes("") / 2


def test_observations_answer_their_calls() -> None:
    run = attempt(make_task("hold", "t2"), seed="1")
    for step in run.steps:
        if step.kind in (StepKind.OBSERVATION, StepKind.ERROR):
            assert run.steps[(step.answers or 0) - 1].kind is StepKind.ACTION
