"""The measuring instruments: a figure that is wrong misleads everyone who reads it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from trajwiki import Memory, NewMessage
from trajwiki.domain.answers import Answer, AnswerType
from trajwiki.domain.evidence import Evidence, Recall, Scored
from trajwiki.domain.state import SpaceState
from trajwiki.errors import MissingExtra, UnreadableInput, UsageError
from trajwiki.evaluation import baselines
from trajwiki.evaluation.baselines import index_flat, smooth
from trajwiki.evaluation.bfcl import run_bfcl
from trajwiki.evaluation.clock import StageClock, standing_between
from trajwiki.evaluation.datasets import load_bfcl, load_locomo, load_locomo_questions, load_longmemeval
from trajwiki.evaluation.failures import Failure, Stage, localise
from trajwiki.evaluation.locomo import run_locomo
from trajwiki.evaluation.longmemeval import run_longmemeval
from trajwiki.evaluation.metrics import (
    Category,
    accepts,
    answer_f1,
    bleu1,
    context_coverage,
    recall_at,
    token_f1,
    tokens_of,
)
from trajwiki.evaluation.sizes import drift_of
from trajwiki.evaluation.slots import slot_f1
from trajwiki.evaluation.stats import difference, mean_of, percentile, wilson
from trajwiki.models.wordllama import WordLlamaEmbedder

ROOT = Path(__file__).parent.parent
TOOLS = ROOT.parent / "shared" / "tools"


# Metrics, against values computed by hand


def test_f1_compares_stems_without_articles_and_punctuation() -> None:
    assert tokens_of("The Dogs, and a CAT!") == ["dog", "cat"]
    assert token_f1("a red car", "the red bicycle") == 0.5
    assert token_f1("running", "She runs.") == pytest.approx(2 / 3)  # {run} and {she, run}: P 1, R 1/2
    assert token_f1("", "dog") == token_f1("dog", "") == token_f1("the", "an") == 0.0


def test_category_1_averages_over_the_parts_of_the_gold() -> None:
    assert answer_f1("pottery, swimming", "pottery, camping, painting", Category.MULTI_HOP) == pytest.approx(1 / 3)
    # One part of four stems holds each of the two golds: P 1/4, R 1, F 0.4 for both.
    assert answer_f1("Mel likes pottery and camping", "camping, pottery", Category.MULTI_HOP) == pytest.approx(0.4)
    assert answer_f1("pottery, swimming", "pottery, camping", Category.SINGLE_HOP) == 0.5


def test_category_3_stops_at_the_semicolon_and_5_asks_for_an_abstention() -> None:
    assert answer_f1("Yes", "Yes; it is classical music", Category.OPEN_DOMAIN) == 1.0
    assert answer_f1("Yes", "Yes; it is classical music", Category.SINGLE_HOP) < 1.0
    assert answer_f1(None, "", Category.ADVERSARIAL) == 1.0
    assert answer_f1("a dog", "", Category.ADVERSARIAL) == 0.0
    assert answer_f1(None, "a dog", Category.SINGLE_HOP) == 0.0


def test_bleu1_is_clipped_and_has_no_brevity_penalty() -> None:
    assert bleu1("red red car", "a red car in town") == pytest.approx(2 / 3)
    assert bleu1("Car!", "a red car") == 1.0
    assert (bleu1("", ""), bleu1("", "x"), bleu1("x", "")) == (1.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("predicted", "gold", "expected"),
    [
        ("May 7th, 2023", "7 May 2023", 1.0),
        ("2023-05-07", "7 May 2023", 1.0),
        ("May 2023", "7 May 2023", 0.0),
        ("Three times", "3", 1.0),
        ("twice", "3", 0.0),
        ("LGBTQ support group", "support group", 1.0),  # a benign modifier
        ("a red car", "a blue car", 0.0),
        ("red car", "car", 0.0),  # a colour distinguishes
        ("half a dozen", "dozen", 0.0),
        ("pottery, camping", "camping, pottery and painting", 0.8),  # P 1, R 2/3
        ("No, he stays", "Yes", 0.0),
        ("Likely no", "No", 1.0),
        ("", "", 1.0),
        ("", "camping", 0.0),
    ],
)
def test_slot_f1_matches_values_softly_and_keeps_what_distinguishes(predicted: str, gold: str, expected: float) -> None:
    assert slot_f1(predicted, gold) == pytest.approx(expected)


def test_slot_f1_does_not_charge_for_repeating_the_question() -> None:
    question = "Where did Ada go camping?"
    assert slot_f1("Ada went camping at the lake", "the lake", question=question) == pytest.approx(1.0)


def test_slots_match_one_to_one() -> None:
    assert slot_f1("support group, group", "support group") == pytest.approx(2 / 3)


def test_coverage_wants_the_whole_message_within_the_budget() -> None:
    context = "Ada: I moved to\n  Lisbon.\nBo: Nice!"
    assert context_coverage(context, ["I moved to Lisbon.", "I have a cat."], budget=10) == 0.5
    assert context_coverage(context, ["Nice!"], budget=5) == 0.0  # seven words
    with pytest.raises(ValueError, match="gold"):
        context_coverage(context, [], budget=10)


def test_accepted_strings_are_whole_words() -> None:
    assert accepts("It cost 1.8 million.", ["1.8"])
    assert accepts("I said ONE thing", ["1", "one"])
    assert not accepts("It is done, all 1513 of it", ["one", "513"])
    assert accepts("call me at 03-00 PM", ["0300 pm"])
    assert not accepts("anything", ["", "..."])


def test_gold_among_the_first_k() -> None:
    assert recall_at(["a", "b", "c"], ["c", "a"], 2) == 0.5


def test_intervals() -> None:
    assert (wilson(8, 10).low, wilson(8, 10).high) == (0.4902, 0.9433)  # textbook value
    assert (wilson(0, 10).low, wilson(10, 10).high, wilson(0, 0).n) == (0.0, 1.0, 0)
    figure = mean_of([0.0, 1.0] * 50)
    assert figure.value == 0.5
    assert 0.35 < figure.low < 0.45 < 0.55 < figure.high < 0.65
    assert figure == mean_of([0.0, 1.0] * 50)
    assert difference([1.0, 0.5], [0.5, 0.0]).value == 0.5
    assert percentile([1, 2, 3, 4], 50) == 2.5


def test_drift_is_measured_on_threads_of_two_or_more() -> None:
    state = SpaceState()
    state.trajectories = cast("Any", {"long": None, "short": None})
    snapshots = [SimpleNamespace(id=n) for n in "abc"]
    state.snapshots = cast("Any", {s.id: s for s in snapshots})
    state.members = cast(
        "Any", {"long": [SimpleNamespace(snapshot_id=n) for n in "abc"], "short": [SimpleNamespace(snapshot_id="a")]}
    )
    state.vectors["snapshot"] = {"a": np.array([1.0, 0.0]), "b": np.array([0.0, 1.0]), "c": np.array([0.6, 0.8])}
    drift = drift_of([state])
    assert (drift.trajectories, drift.longer, drift.mean_length) == (2, 1, 2.0)
    assert drift.head_tail == pytest.approx(0.6)
    assert drift.neighbours == pytest.approx(0.4)  # (0 + 0.8) / 2


# Baselines

TOWN = [
    NewMessage("Ada", "I moved to Lisbon in spring.", source_ref="D1:1"),
    NewMessage("Bo", "How lovely! Is it warm there?", source_ref="D1:2"),
    NewMessage("Ada", "Very. My cello teacher lives next door.", source_ref="D1:3", caption="a cello in a room"),
    NewMessage("Bo", "I only play chess, badly and too often, as everyone tells me.", source_ref="D1:4"),
]


def test_neighbours_lend_half_their_score() -> None:
    assert smooth(np.array([0.0, 1.0, 0.0, 0.0])).tolist() == [0.5, 1.0, 0.5, 0.0]


def test_flat_search_ranks_and_packs(embedder: WordLlamaEmbedder) -> None:
    flat = index_flat(TOWN, embedder)
    orders = flat.rank("Who plays chess?")
    assert set(orders) == set(baselines.METHODS)
    assert orders["bm25"][0] == orders["dense"][0] == orders["rrf"][0] == 3
    order = np.array([3, 0, 2, 1])  # 13, 7, 13 and 7 words
    assert flat.pack(order, 14) == {3}
    assert flat.pack(order, 20) == {3, 0}
    assert flat.pack(order, 12) == {0}  # what does not fit is passed over
    assert flat.rank("!?")["bm25"].tolist() == [0, 1, 2, 3]  # no word to look for


def test_a_missing_baseline_names_its_extra(monkeypatch: pytest.MonkeyPatch, embedder: WordLlamaEmbedder) -> None:
    monkeypatch.setitem(sys.modules, "bm25s", None)
    with pytest.raises(MissingExtra, match=r"trajwiki\[bench\]"):
        index_flat(TOWN, embedder)


# Loaders


def test_bfcl_is_a_memory_for_each_scenario(tmp_path: Path) -> None:
    conversations, questions = load_bfcl(write_bfcl(tmp_path))
    assert [(c.name, len(c.messages)) for c in conversations] == [("home", 3)]
    assert [m.session for m in conversations[0].messages] == ["pre_0", "pre_0", "pre_1"]
    assert (questions[0].conversation, questions[0].accepted) == ("home", ("Lisbon",))


def test_longmemeval_keeps_times_roles_and_evidence(tmp_path: Path) -> None:
    (item, absent) = load_longmemeval(write_longmemeval(tmp_path))
    first = item.conversation.messages[0]
    assert first.sent_at is not None
    assert first.sent_at.isoformat() == "2023-05-20T02:21:00+00:00"
    assert [m.role.value for m in item.conversation.messages] == ["user", "assistant", "user"]
    assert (item.sessions, item.turns) == (("s2",), ("s2:1",))
    assert (item.answerable, absent.answerable) == (True, False)


def test_locomo_questions_prefer_corrected_evidence(tmp_path: Path) -> None:
    path = tmp_path / "qa.jsonl"
    write_lines(
        path,
        question("q1", 4, evidence=["D1:1"], audit={"correct_evidence": ["D9:9", "D1:3"]}),
        question("q2", 4, evidence=["D1:1"], audit={"correct_evidence": ["D9:9"]}),
        question("q3", 5, answer=None),
    )
    known = {"D1:1", "D1:2", "D1:3"}
    assert [q.gold(known) for q in load_locomo_questions(path)] == [("D1:3",), ("D1:1",), ("D1:1",)]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("{", "line 2: not JSON"),
        ("[]", "line 2: expected a JSON object"),
        (json.dumps({"qid": "x", "category": 9}), "'category' must be one of 1 to 5"),
        (json.dumps({"qid": "x", "category": 4, "answer": None}), "'answer' is missing"),
        (json.dumps({"qid": "x", "category": 4, "answer": "a", "evidence": "D1:1"}), "'evidence' must be a list"),
        (json.dumps({"qid": "q1", "category": 4, "answer": "a", "evidence": []}), "'sample_id' must be a text"),
    ],
)
def test_a_broken_question_file_says_where_and_what(tmp_path: Path, line: str, expected: str) -> None:
    path = tmp_path / "qa.jsonl"
    path.write_text(json.dumps(question("q1", 4)) + "\n" + line + "\n", encoding="utf-8")
    with pytest.raises(UnreadableInput, match=r"qa\.jsonl") as caught:
        load_locomo_questions(path)
    assert expected in str(caught.value)


def test_missing_and_doubled_things_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UnreadableInput, match="cannot be read"):
        load_locomo_questions(tmp_path / "none.jsonl")
    with pytest.raises(UnreadableInput, match="conversations"):
        load_bfcl(tmp_path)
    write_lines(tmp_path / "qa.jsonl", question("q1", 4), question("q1", 4))
    with pytest.raises(UnreadableInput, match="there twice"):
        load_locomo_questions(tmp_path / "qa.jsonl")


# Where a wrong answer went wrong


def test_the_first_stage_that_lost_the_evidence_is_named() -> None:
    state = toy_state()
    assert stage_of(state, gold="m1", dropped=("r1",)) is Stage.BUDGET
    assert stage_of(state, gold="m0") is Stage.EXTRACTION  # no claim stands on it
    assert stage_of(state, gold="m1", chosen=["t1"]) is Stage.SELECTION
    assert stage_of(state, gold="m1", pages=["page-p1"]) is Stage.SELECTION
    assert stage_of(state, gold="m1", pages=["page-p2"]) is Stage.ROUTING
    # The snapshot alone is as near as what was chosen, its thread is not.
    assert stage_of(state, gold="m1", chosen=["t2"], pages=["page-p1"]) is Stage.MATCHING


def test_with_all_evidence_at_hand_the_answer_is_to_blame() -> None:
    state = toy_state()
    assert stage_of(state, gold="m1", taken=["m1"], said=None) is Stage.SYNTHESIS
    assert stage_of(state, gold="m1", taken=["m1"], said="a bicycle") is Stage.SYNTHESIS
    assert stage_of(state, gold="m1", taken=["m1"], said="Lisbon, Oslo, Rome and Paris") is Stage.OVERGENERATION
    assert stage_of(state, gold="m2", taken=["m2"], said=None) is Stage.EXTRACTION  # its claim leaves Lisbon out
    assert stage_of(state, gold="m1", category=Category.ADVERSARIAL, said="Lisbon") is Stage.OVERGENERATION
    assert stage_of(state, gold=None) is Stage.NO_EVIDENCE


def toy_state() -> SpaceState:
    """Three messages: m0 without a claim, m1 and m2 in thread t1 on page p1; thread t2 on page p2."""
    state = SpaceState()
    texts = {"m0": "Hello", "m1": "I moved to Lisbon", "m2": "Lisbon is warm"}
    state.messages = cast("Any", {m: SimpleNamespace(source_ref=f"r{m[1]}", content=t) for m, t in texts.items()})
    state.exchange_of = {m: f"e{m[1]}" for m in texts}
    state.snapshot_of = {"e0": "s0", "e1": "s1", "e2": "s2"}
    state.trajectory_of = {"s0": "t1", "s1": "t1", "s2": "t1", "s3": "t2"}
    state.members = cast("Any", {"t1": [None, None, None], "t2": [None]})
    state.claims_of = {"m1": ["c1"], "m2": ["c2"]}
    state.claims = cast(
        "Any", {"c1": SimpleNamespace(text="Ada moved to Lisbon."), "c2": SimpleNamespace(text="It is warm.")}
    )
    state.pages = cast("Any", {p: SimpleNamespace(id=p, slug=f"page-{p}") for p in ("p1", "p2")})
    state.links = {"p1": ["t1"], "p2": ["t2"]}
    state.vectors["snapshot"] = {"s1": np.array([1.0, 0.0])}
    state.vectors["trajectory"] = {"t1": np.array([0.6, 0.8]), "t2": np.array([0.8, 0.6])}
    return state


def stage_of(
    state: SpaceState,
    *,
    gold: str | None,
    taken: list[str] | None = None,
    chosen: list[str] | None = None,
    pages: list[str] | None = None,
    dropped: tuple[str, ...] = (),
    said: str | None = None,
    category: Category = Category.SINGLE_HOP,
) -> Stage:
    evidence = tuple(
        Evidence(f"r{m[1]}", m, "Ada", None, state.messages[m].content, "", None, None, (), False, 1.0)
        for m in taken or []
    )
    scored = lambda ids: tuple(Scored(i, i, 1.0) for i in ids or [])  # noqa: E731
    recall = Recall("q", "s", 9, 1, "", evidence, scored(pages), scored(chosen), dropped=dropped)
    answer = Answer("a", "q", said is not None, AnswerType.FACT, said or "", None, (), ())
    failure = Failure(category, "Lisbon", [gold] if gold else [], recall, answer, np.array([1.0, 0.0]))
    return localise(failure, state)


# Whole runs, on files written here


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A whole LoCoMo run on a conversation of 30 messages."""
    folder = tmp_path_factory.mktemp("locomo")
    data, qa = write_locomo(folder)
    run_locomo(data, qa, folder / "out", budgets=(60, 200))
    return folder


def test_a_run_leaves_a_report_and_a_line_for_every_question(finished: Path) -> None:
    report = json.loads((finished / "out" / "report.json").read_text(encoding="utf-8"))
    rows = [
        json.loads(line) for line in (finished / "out" / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    assert report["schema"] == "trajwiki.bench.locomo/1"
    assert report["conversations"][0]["sizes"]["messages"] == 30
    assert report["questions"] == {"all": 5, "1": 1, "2": 1, "4": 2, "5": 1}
    assert report["scored"] == 3  # one is adversarial, one names no message that is there
    assert [row["qid"] for row in rows] == ["q1", "q2", "q3", "q4", "q5"]
    methods = {c["method"] for c in report["coverage"]}
    assert methods == {"default", "paper", "wiki", "messages", *(f"flat:{m}" for m in baselines.METHODS)}
    assert sum(c["over_budget"] for c in report["coverage"]) == 0
    assert sum(report["failures"].values()) == sum(not row["right"] for row in rows)
    for row in rows:
        assert (row["stage"] is None) == row["right"]


def test_figures_of_a_run_follow_from_its_lines(finished: Path) -> None:
    report = json.loads((finished / "out" / "report.json").read_text(encoding="utf-8"))
    rows = [
        json.loads(line) for line in (finished / "out" / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    scored = [row for row in rows if row["coverage"]]
    for figures in report["coverage"]:
        values = [row["coverage"][figures["method"]][str(figures["budget"])] for row in scored]
        assert figures["by"]["all"]["value"] == pytest.approx(sum(values) / len(values), abs=1e-4)
    overall = next(a for a in report["answers"] if a["category"] == "all")
    f1 = [row["f1"] for row in rows if row["category"] != 5]
    assert overall["f1"]["value"] == pytest.approx(sum(f1) / len(f1), abs=1e-4)


def test_the_report_is_readable(finished: Path) -> None:
    text = (finished / "out" / "report.md").read_text(encoding="utf-8")
    for heading in ("What was built", "Evidence coverage", "What the wiki adds", "Answers", "went wrong", "Drift"):
        assert heading in text
    assert "flat:rrf4" in text


def test_a_run_agrees_with_the_independent_scorers(finished: Path, tmp_path: Path) -> None:
    if not TOOLS.is_dir():
        pytest.skip("the independent scorers (../shared/tools) are not here")
    data, qa = finished / "data.json", finished / "qa.jsonl"
    report = json.loads((finished / "out" / "report.json").read_text(encoding="utf-8"))
    told = {(c["method"], c["budget"]): c["by"]["all"]["value"] for c in report["coverage"]}

    command = [sys.executable, str(TOOLS / "flat_baseline.py"), "--data", str(data), "--qa", str(qa)]
    done = subprocess.run(
        [*command, "--budgets", "60,200", "--embed", "wordllama"], capture_output=True, text=True, check=True
    )
    for line in done.stdout.splitlines():
        row = json.loads(line)
        assert told[f"flat:{row['method']}", row["budget"]] == pytest.approx(row["coverage"]["all"], abs=1e-4)

    recalled = tmp_path / "recall.jsonl"
    with Memory.open(finished / "out" / "bench-memory.db", create=False) as memory:
        found = [(q, memory.space(q.conversation).recall(q.question, budget=60)) for q in load_locomo_questions(qa)]
        write_lines(recalled, *({"qid": q.qid, "budget": 60, "context": r.context} for q, r in found))
    command = [sys.executable, str(TOOLS / "score_recall.py"), "--data", str(data), "--qa", str(qa)]
    done = subprocess.run([*command, "--recall", str(recalled)], capture_output=True, text=True, check=False)
    assert told["default", 60] == pytest.approx(json.loads(done.stdout)["coverage"]["all"], abs=1e-4)


def test_a_run_can_be_repeated_into_the_same_folder(finished: Path) -> None:
    before = (finished / "out" / "questions.jsonl").read_text(encoding="utf-8")
    seen: list[tuple[str, int, int]] = []
    report = run_locomo(
        finished / "data.json",
        finished / "qa.jsonl",
        finished / "out",
        budgets=(60, 200),
        progress=lambda *step: seen.append(step),
    )
    assert report.conversations[0].sizes.messages == 30
    assert seen[-1] == ("ask", 5, 5)
    volatile = {"ask_ms", "answer_id"}

    def stable(text: str) -> list[dict[str, object]]:
        return [{k: v for k, v in json.loads(line).items() if k not in volatile} for line in text.splitlines()]

    assert stable(before) == stable((finished / "out" / "questions.jsonl").read_text(encoding="utf-8"))


def test_a_run_refuses_what_it_cannot_do(finished: Path, tmp_path: Path) -> None:
    data, qa = finished / "data.json", finished / "qa.jsonl"
    with pytest.raises(UsageError, match="unknown profile 'best'"):
        run_locomo(data, qa, tmp_path, profiles=cast("Any", ["best"]))
    with pytest.raises(UsageError, match="at least 1"):
        run_locomo(data, qa, tmp_path, budgets=[0])
    write_lines(tmp_path / "other.jsonl", question("q9", 4) | {"sample_id": "conv-9"})
    with pytest.raises(UnreadableInput, match="'conv-9'"):
        run_locomo(data, tmp_path / "other.jsonl", tmp_path)


def test_locomo_is_read_with_text_and_caption_only(finished: Path) -> None:
    (conversation,) = load_locomo(finished / "data.json")
    assert conversation.name == "conv-1"
    assert conversation.messages[0].source_ref == "D1:1"
    assert [m.caption for m in conversation.messages if m.caption] == ["a black cello"]


def test_bfcl_run(tmp_path: Path) -> None:
    report = run_bfcl(write_bfcl(tmp_path), tmp_path / "out")
    assert report.by["all"].in_context.value == 1.0
    assert "accepted string in 500 words" in (tmp_path / "out" / "report.md").read_text(encoding="utf-8")


def test_longmemeval_run(tmp_path: Path) -> None:
    report = run_longmemeval(write_longmemeval(tmp_path), tmp_path / "out")
    assert report.by["all"].sessions.value == 1.0
    assert (tmp_path / "out" / "questions.jsonl").read_text(encoding="utf-8").count("\n") == 2


def test_the_clock_leaves_no_trace() -> None:
    from trajwiki import construction, live

    before = (construction.extract_claims, live.LiveSpace.apply)
    with pytest.raises(ZeroDivisionError), standing_between(StageClock()):
        assert construction.extract_claims is not before[0]
        raise ZeroDivisionError
    assert (construction.extract_claims, live.LiveSpace.apply) == before


# Files


def write_lines(path: Path, *rows: dict[str, Any]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def question(qid: str, category: int, **more: Any) -> dict[str, Any]:
    row = {
        "qid": qid,
        "sample_id": "conv-1",
        "category": category,
        "question": "Where did Ada move?",
        "answer": "Lisbon",
        "evidence": ["D1:1"],
    }
    return row | more


def write_locomo(folder: Path) -> tuple[Path, Path]:
    """One conversation of three sessions of ten messages, and five questions."""
    talk = [
        [
            *("I moved to Lisbon last week.", "Wow, how is it?", "Warm. I found a flat by the river."),
            *("I got a dog called Rex.", "What breed is he?", "A beagle.", "I paint on Sundays now."),
            *("What do you paint?", "Boats, mostly.", "Send me one!"),
        ],
        [
            *("I bought a cello yesterday.", "You play?", "I am learning.", "Rex ate my shoes."),
            *("Oh no!", "All three pairs.", "Do you still paint?", "Every week."),
            *("I joined a choir too.", "Lovely."),
        ],
        [
            *("I work in a bakery now.", "Since when?", "Since June.", "I went hiking on Saturday."),
            *("Alone?", "With Rex.", "My sister visited me.", "Did she like it?"),
            *("She loved the sea.", "I must come too."),
        ],
    ]
    conversation: dict[str, Any] = {"speaker_a": "Ada", "speaker_b": "Bo"}
    for s, texts in enumerate(talk, start=1):
        conversation[f"session_{s}_date_time"] = f"1:56 pm on {7 * s} June, 2023"
        conversation[f"session_{s}"] = [
            {"speaker": ("Ada", "Bo")[n % 2], "dia_id": f"D{s}:{n + 1}", "text": text} for n, text in enumerate(texts)
        ]
    conversation["session_2"][0] |= {"blip_caption": "a black cello", "img_url": ["x"], "query": "cello"}
    data, qa = folder / "data.json", folder / "qa.jsonl"
    data.write_text(json.dumps([{"sample_id": "conv-1", "conversation": conversation, "qa": []}]), encoding="utf-8")
    write_lines(
        qa,
        question("q1", 4),
        question("q2", 2, question="When did Ada buy a cello?", answer="13 June 2023", evidence=["D2:1"]),
        question("q3", 1, question="What does Ada do?", answer="painting, choir", evidence=["D1:7", "D2:9"]),
        question("q4", 4, question="What is unknown?", evidence=["D8:8"]),
        question("q5", 5, question="When did Bo sell his boat?", answer=None, adversarial_answer="June"),
    )
    return data, qa


def write_bfcl(folder: Path) -> Path:
    (folder / "conversations").mkdir()
    turns = lambda *texts: [[{"role": "user", "content": t}] for t in texts]  # noqa: E731
    write_lines(
        folder / "conversations" / "memory_home.json",
        {"id": "pre_0", "scenario": "home", "question": turns("My name is Ada.", "I live in Lisbon.")},
        {"id": "pre_1", "scenario": "home", "question": turns("I have a cello.")},
    )
    write_lines(folder / "questions.jsonl", {"id": "q1", "scenario": "home", "question": turns("Where do I live?")})
    write_lines(folder / "answers.jsonl", {"id": "q1", "ground_truth": ["Lisbon"], "source": "I live in Lisbon."})
    return folder


def write_longmemeval(folder: Path) -> Path:
    item = {
        "question_id": "abc",
        "question_type": "single-session-user",
        "question": "What do I play?",
        "answer": "the cello",
        "haystack_session_ids": ["s1", "s2"],
        "haystack_dates": ["2023/05/20 (Sat) 02:21", "2023/05/21 (Sun) 09:27"],
        "haystack_sessions": [
            [{"role": "user", "content": "Hello there."}, {"role": "assistant", "content": "Hello!"}],
            [
                {"role": "user", "content": "I play the cello.", "has_answer": True},
                {"role": "assistant", "content": " "},
            ],
        ],
        "answer_session_ids": ["s2"],
    }
    path = folder / "long.json"
    absent = item | {"question_id": "def_abs", "question": "Which car do I drive?", "answer": "It was not said."}
    path.write_text(json.dumps([item, absent]), encoding="utf-8")
    return path
