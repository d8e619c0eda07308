"""Runs, tips, deliveries and feedback in a real store: kept, found again, decided about, erased, shared."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from trajwiki import Memory, NewMessage, Settings, Space
from trajwiki.domain.practice import Practice
from trajwiki.domain.runs import NewRun, Outcome, OutcomeBy, Step, StepKind
from trajwiki.domain.tips import TipState, Use
from trajwiki.erasure import Selection
from trajwiki.errors import InvalidRun, UnknownItem, UsageError
from trajwiki.models.wordllama import WordLlamaEmbedder
from trajwiki.tips.lapse import Lifetimes

KEY = "sk-proj-9f8A7b6C5d4E3f2G1h0I9j8K7l6M5n4O"


def _run(ref: str, *, good: bool, task: str = "Refund the order of a customer.", task_ref: str = "t1") -> NewRun:
    """A run at an order desk; the bad one refunds without looking at the order first."""
    steps = [Step(1, StepKind.PROMPT, task)]

    def call(tool: str, answer: str, error: bool = False, **arguments: Any) -> None:
        at = len(steps) + 1
        steps.append(Step(at, StepKind.ACTION, "", agent="desk", tool=tool, arguments=arguments))
        kind = StepKind.ERROR if error else StepKind.OBSERVATION
        steps.append(Step(at + 1, kind, answer, agent=tool, tool=tool, answers=at))

    call("login", '{"token": "ok"}', api_key=KEY)
    if good:
        call("get_order", '{"order_id": "A17", "status": "delivered", "payment_id": "p_77"}', order_id="A17")
        call("refund_order", "Error: payment_id is required", error=True, order_id="A17")
        call("refund_order", '{"status": "refunded"}', order_id="A17", payment_id="p_77")
        steps.append(Step(len(steps) + 1, StepKind.FINAL, "The refund is done."))
    else:
        call("refund_order", "Error: payment_id is required", error=True, order_id="A17")
        steps.append(Step(len(steps) + 1, StepKind.FINAL, "I could not refund it."))
    return NewRun(
        source_ref=ref,
        source="test",
        task=task,
        steps=tuple(steps),
        app="shop",
        agent="desk",
        outcome=Outcome.SUCCESS if good else Outcome.FAILURE,
        outcome_by=OutcomeBy.EVALUATION,
        task_ref=task_ref,
        raw=f'{{"ref": "{ref}", "key": "{KEY}"}}',
    )


def _essence(practice: Practice) -> dict[str, Any]:
    return {
        "runs": practice.runs,
        "analyses": practice.analyses,
        "tips": practice.book.tips,
        "state": practice.book.state,
        "ops": practice.book.ops,
        "vectors": {k: {i: v.tobytes() for i, v in vs.items()} for k, vs in practice.vectors.items()},
    }


@pytest.fixture
def desk(memory: Memory) -> Space:
    space = memory.space("desk")
    space.add_run(_run("r1", good=True))
    space.add_run([_run("r2", good=False), _run("r3", good=True)])
    return space


def test_what_is_learned_is_there_after_reopening_and_in_an_archive(
    desk: Space, memory: Memory, tmp_path: Path, embedder: WordLlamaEmbedder
) -> None:
    before = _essence(desk.practice())
    assert before["tips"]
    assert desk.add_run(_run("r1", good=True)).counts == {}  # the same again adds nothing
    desk.export(tmp_path / "a.zip")
    with Memory.open(memory.database.path, settings=Settings(), embedder=embedder) as again:
        assert _essence(again.space("desk").practice()) == before
        assert not again.space("desk").examine()
    with Memory.open(tmp_path / "other.db", settings=Settings(), embedder=embedder) as other:
        other.import_space(tmp_path / "a.zip")
        assert _essence(other.space("desk").practice()) == before
        other.space("desk").export(tmp_path / "b.zip")
    assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()


def test_one_by_one_or_together_teaches_the_same(desk: Space, memory: Memory) -> None:
    other = memory.create_space("other")
    other.add_run([_run("r3", good=True), _run("r1", good=True), _run("r2", good=False)])

    def stand(space: Space) -> set[tuple[str, int]]:
        return {(t.content, t.support) for t in space.practice().book.deliverable()}

    assert stand(other) == stand(desk)


def test_no_secret_is_kept(desk: Space, memory: Memory) -> None:
    path = memory.database.path
    assert path is not None
    memory.store.scrub()
    kept = b"".join(p.read_bytes() for p in path.parent.glob(path.name + "*"))
    assert KEY.encode() not in kept
    run = desk.runs()[0]
    assert "[secret:" in str(run.steps[1].arguments)
    assert '"ref": "r1"' in desk.run_raw(run.id)


def test_a_tip_resolves_to_the_steps_of_its_runs(desk: Space) -> None:
    for tip, _ in desk.tips():
        for source in tip.sources:
            run = desk.run(source.run_id)
            assert 1 <= source.first <= source.last <= len(run.steps)
            assert source.outcome is run.outcome


def test_a_delivery_is_recorded_and_its_outcome_noted(desk: Space) -> None:
    given = desk.guidelines("Refund the order of another customer", app="shop")
    assert given.tip_ids
    assert all(t in given.block for t in given.tip_ids)
    assert desk.deliveries() == [given]
    desk.feedback(given.id, outcome="success", followed=given.tip_ids[:1])
    record = desk.tip_stats()[given.tip_ids[0]]
    assert (record.delivered, record.with_it.hits, record.uses) == (1, 1, {Use.FOLLOWED: 1})
    with pytest.raises(UnknownItem):
        desk.feedback("delivery_none", outcome="success")
    with pytest.raises(UnknownItem):
        desk.feedback(given.id, outcome="success", followed=["tip_none"])
    with pytest.raises(UsageError, match="outcome"):
        desk.feedback(given.id, outcome="splendid")


def test_a_withdrawn_tip_is_not_given_again_and_says_why(desk: Space) -> None:
    task = "Refund the order of another customer"
    tip_id = desk.guidelines(task, app="shop").tip_ids[0]
    desk.withdraw_tip(tip_id, reason="the shop changed its form")
    assert tip_id not in desk.guidelines(task, app="shop").tip_ids
    assert desk.tip_history(tip_id)[-1].reason == "the shop changed its form"
    desk.restore_tip(tip_id, reason="it did not")
    assert tip_id in desk.guidelines(task, app="shop").tip_ids


def test_where_review_is_asked_only_approved_tips_are_given(desk: Space) -> None:
    task = "Refund the order of another customer"
    tip_id = desk.guidelines(task, app="shop").tip_ids[0]
    desk.choose("review", "on")
    assert not desk.guidelines(task, app="shop").tip_ids
    desk.approve_tip(tip_id, reason="checked")
    assert desk.guidelines(task, app="shop").tip_ids == (tip_id,)
    assert dict((t.id, s) for t, s in desk.tips())[tip_id] is TipState.APPROVED


def test_a_task_is_stored_as_a_run_also_when_its_body_raises(desk: Space) -> None:
    before = len(desk.runs())
    with desk.task("Refund the order of another customer", app="shop", agent="desk") as task:
        assert task.guidelines
        task.thought("I look at the order first.")
        task.action("get_order", order_id="B2")
        task.observation('{"status": "delivered"}')
        task.succeeded("refunded")
    with pytest.raises(ZeroDivisionError), desk.task("Divide", app="shop") as task:
        task.action("divide", by=0)
        _ = 1 / 0
    good, bad = desk.runs()[before:]
    assert (good.outcome, bad.outcome) == (Outcome.SUCCESS, Outcome.FAILURE)
    assert good.steps[2].answers == 2
    assert "ZeroDivisionError" in bad.steps[-1].text
    assert {f.run_id for f in desk.all_feedback()} == {good.id, bad.id}


def test_an_erased_run_leaves_nothing_and_takes_what_stood_on_it_alone(desk: Space, memory: Memory) -> None:
    desk.add_run(replace(_run("odd", good=True, task="Photograph the zebra Quagga.", task_ref="t9"), app="zoo"))
    shown = desk.erase_run(["odd"], dry_run=True)
    assert shown["falls"] and len(desk.runs()) == 4
    assert desk.erase_run(["odd"])["falls"] == shown["falls"]
    path = memory.database.path
    assert path is not None
    assert not [p for p in path.parent.glob(path.name + "*") if b"Quagga" in p.read_bytes()]
    assert not [t for t, _ in desk.tips() if t.app == "zoo"]
    assert len(desk.runs()) == 3
    assert not desk.examine()
    with pytest.raises(UnknownItem):
        desk.erase_run(["odd"])


def test_a_shared_tip_outlives_the_space_it_came_from(desk: Space, memory: Memory) -> None:
    memory.create_space("sister")
    tip, _ = next((t, s) for t, s in desk.tips() if s is TipState.PROPOSED)
    desk.share_tip(tip.id, "sister", reason="same shop")
    memory.delete_space("desk")
    sister = memory.space("sister")
    ((shared, state),) = sister.tips()
    assert (shared.content, state) == (tip.content, TipState.PROPOSED)
    assert sister.run(shared.sources[0].run_id).steps
    sister.withdraw_tip(shared.id, reason="no longer")
    assert not sister.guidelines("Refund the order", app="shop").tip_ids


def test_decisions_are_commits_and_bad_ones_are_refused(desk: Space) -> None:
    tip_id = next(t.id for t, s in desk.tips() if s is TipState.PROPOSED)
    commit = desk.edit_tip(tip_id, reason="clearer", purpose="It saves one refused call.")
    assert desk.log(limit=1)[0].n == commit.n
    with pytest.raises(UsageError):
        desk.approve_tip(tip_id, reason="x")  # it lives on in the edited one
    with pytest.raises(UnknownItem):
        desk.approve_tip("tip_none", reason="x")
    with pytest.raises(UsageError, match="reason"):
        desk.withdraw_tip(tip_id, reason=" ")
    assert desk.expire_tips(Lifetimes(expire_days=1)).counts == {}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"task": " "}, "task"),
        ({"steps": ()}, "step"),
        ({"app": "a" * 5000}, "app"),
        ({"metadata": {"a": object()}}, "JSON"),
    ],
)
def test_a_run_that_cannot_be_kept_is_refused(memory: Memory, change: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidRun, match=said):
        memory.space("s").add_run(replace(_run("r", good=True), **change))
    assert not memory.spaces()


def test_dialogue_and_practice_share_a_history_and_nothing_else(desk: Space) -> None:
    desk.add([NewMessage("Ana", "I live in Lisbon.", source_ref="m1")])
    desk.flush()
    tips = _essence(desk.practice())
    desk.erase(Selection(refs=("m1",)))
    assert _essence(desk.practice()) == tips
    assert "refund" not in desk.recall("refund order payment_id").context
    assert [c.n for c in desk.log()] == list(range(desk.log()[0].n, 0, -1))


def test_dialogue_is_masked_only_where_the_space_asks_for_it(memory: Memory) -> None:
    said = [NewMessage("Ana", f"My key is {KEY}, please keep it.", source_ref="m1")]
    memory.space("open").add(said)
    memory.space("closed").choose("mask", True)
    memory.space("closed").add(said)
    assert KEY in memory.space("open").recall("key").context
    assert KEY not in memory.space("closed").recall("key").context
    with pytest.raises(UsageError, match="mask"):
        memory.space("open").choose("maks", "on")
