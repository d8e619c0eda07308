"""Readers of runs: formats told by content, calls tied to results, errors, outcomes, labels kept out of the steps."""

# ruff: noqa: E501
from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import run_files as files
from tests.reader_files import FILES, put
from tests.run_files import RUN_FILES, one, read, shape
from trajwiki.domain.runs import NewRun, Outcome, OutcomeBy, Step, StepKind
from trajwiki.errors import UnreadableInput
from trajwiki.readers.runs import detect_runs, read_runs, run_format_named, run_formats, run_to_json
from trajwiki.readers.runs.errors import failed

# Telling formats apart


def test_every_run_format_is_here_and_documented() -> None:
    assert set(RUN_FILES) == {f.name for f in run_formats()}
    assert all(f.title and f.keeps and f.drops for f in run_formats())
    page = (Path(__file__).parent.parent / "docs" / "formats.md").read_text(encoding="utf-8")
    table = page.partition("# Runs of agents")[2].partition("##")[0]
    assert re.findall(r"^\| `([a-z-]+)` \|", table, re.MULTILINE) == [f.name for f in run_formats()]


@pytest.mark.parametrize("name", RUN_FILES)
def test_each_format_is_known_by_its_content(tmp_path: Path, name: str) -> None:
    path = put(tmp_path, RUN_FILES[name], "notes.bin")
    assert detect_runs(path).name == name
    assert read_runs(path, format=name).runs == read_runs(path).runs


@pytest.mark.parametrize("name", RUN_FILES)
def test_steps_are_numbered_and_point_into_the_raw_record(tmp_path: Path, name: str) -> None:
    for run in read(tmp_path, RUN_FILES[name]):
        assert [s.number for s in run.steps] == list(range(1, len(run.steps) + 1))
        assert run.task and run.raw and run.source_ref
        for step in run.steps:
            assert step.answers is None or run.steps[step.answers - 1].kind is StepKind.ACTION
            if name == "react":
                line = int(step.where.removeprefix("line "))
                assert step.text.split("\n")[0] in run.raw.split("\n")[line - 1]
            elif name != "trajwiki-run":
                _dereferenced(json.loads(run.raw), step.where)


def _dereferenced(value: Any, pointer: str) -> Any:
    for part in pointer.split("/")[1:]:
        value = value[int(part)] if isinstance(value, list) else value[part]
    return value


@pytest.mark.parametrize(
    "name", sorted(set(FILES) - {"openai", "claude-code", "langchain", "gemini-cli", "codex", "sharegpt"})
)
def test_conversations_that_are_no_runs_are_refused_with_the_candidates(tmp_path: Path, name: str) -> None:
    with pytest.raises(UnreadableInput, match=r"known|archive"):
        read(tmp_path, FILES[name])


def test_an_unknown_format_name_says_which_there_are() -> None:
    with pytest.raises(UnreadableInput, match="tau-bench"):
        run_format_named("tau")


# What each keeps


def test_calls_find_their_results_by_id_and_errors_are_told(tmp_path: Path) -> None:
    run = one(tmp_path, files.OPENAI)
    assert shape(run) == [
        ("prompt", "system"), ("prompt", "user"), ("thought", "assistant"), ("action", "find_trains"),
        ("action", "get_user"), ("error", "get_user"), ("observation", "find_trains"), ("final", "assistant"),
    ]  # fmt: skip
    assert [s.answers for s in run.steps] == [None] * 5 + [5, 4, None]
    assert run.steps[3].arguments == {"to": "Porto"}
    assert run.task == "A train to Porto, please."


def test_an_id_used_twice_ties_each_result_to_the_call_before_it(tmp_path: Path) -> None:
    run = one(tmp_path, files.TAU_BENCH)
    assert [(s.kind.value, s.answers) for s in run.steps if s.answers] == [("error", 3), ("observation", 5)]


def test_tau_bench_keeps_ground_truth_out_of_the_run(tmp_path: Path) -> None:
    run = one(tmp_path, files.TAU_BENCH)
    assert (run.task, run.task_ref, run.source_ref) == ("I want my money back.", "3", "3#1")
    assert (run.outcome, run.outcome_by) == (Outcome.SUCCESS, OutcomeBy.EVALUATION)
    assert "refund" in str(run.metadata["labels"])
    rest = replace(run, metadata={k: v for k, v in run.metadata.items() if k != "labels"}, raw="")
    assert "You are Bo" not in str(rest)
    assert shape(run)[-2:] == [("final", "assistant"), ("message", "user")]


def test_labels_of_a_mistake_do_not_change_the_steps(tmp_path: Path) -> None:
    run = one(tmp_path, files.WHO_AND_WHEN)
    assert (run.outcome, run.outcome_by) == (Outcome.FAILURE, OutcomeBy.EVALUATION)
    assert shape(run) == [
        ("prompt", "Manager"), ("thought", "Statistics_Expert"), ("action", "python"), ("error", "python"),
        ("final", "Checker"),
    ]  # fmt: skip
    assert [s.where for s in run.steps] == ["/history/0", "/history/1", "/history/1", "/history/2", "/history/3"]
    unlabelled = {k: v for k, v in files.WHO_AND_WHEN.items() if k in ("history", "question", "question_ID")}
    other = one(tmp_path, unlabelled, format="who-and-when")
    assert (other.steps, other.task, other.outcome) == (run.steps, run.task, Outcome.UNKNOWN)
    for word in ("56000", "wrong year"):
        assert word in str(run.metadata["labels"])
        assert word not in str((run.task, run.steps))


def test_thoughts_of_anthropic_are_kept_apart_and_is_error_counts(tmp_path: Path) -> None:
    run = one(tmp_path, files.ANTHROPIC)
    assert shape(run) == [
        ("prompt", "system"), ("prompt", "user"), ("thought", "assistant"), ("thought", "assistant"),
        ("action", "bash"), ("error", "bash"), ("final", "assistant"),
    ]  # fmt: skip
    assert run.steps[5].answers == 5
    assert run.steps[5].text == "bad"


def test_code_is_an_action_and_its_output_what_came_back(tmp_path: Path) -> None:
    run = one(tmp_path, files.APPWORLD)
    assert run.task == "Like all songs of my library."
    assert [k for k, _ in shape(run)] == ["prompt", "thought", "action", "error", "thought", "action", "observation"]
    assert run.steps[2].arguments == {"code": "print(apis.docs.show('music'))"}
    assert run.steps[3].answers == 3


def test_swe_agent_steps_are_thought_action_observation(tmp_path: Path) -> None:
    run = one(tmp_path, files.SWE_AGENT)
    assert [k for k, _ in shape(run)] == [
        "prompt", "prompt", "thought", "action", "observation", "thought", "action", "error", "action", "observation"
    ]  # fmt: skip
    assert (run.steps[3].tool, run.steps[3].arguments) == ("open", {"command": "open fields.py"})
    assert (run.outcome, run.outcome_note) == (Outcome.UNKNOWN, "exit_status submitted")
    failed_run = {**files.SWE_AGENT, "info": {"exit_status": "exit_cost"}}
    assert one(tmp_path, failed_run).outcome is Outcome.FAILURE


def test_a_trace_tells_each_message_once_in_the_order_of_time(tmp_path: Path) -> None:
    run = one(tmp_path, files.LANGFUSE)
    assert shape(run) == [("prompt", "user"), ("action", "weather"), ("error", "weather"), ("final", "scout")]
    assert run.steps[1].tokens == (7, 5)
    assert (run.steps[2].text, run.steps[2].answers) == ("HTTP 503", 2)
    assert run.steps[3].at == datetime(2025, 1, 1, 10, 0, 4, tzinfo=UTC)
    assert (run.task, run.agent) == ("What is the weather?", "scout")


def test_spans_of_both_conventions_become_runs(tmp_path: Path) -> None:
    run = one(tmp_path, files.OTEL)
    assert shape(run) == [
        ("prompt", "system"), ("prompt", "user"), ("action", "add"), ("observation", "add"), ("final", "adder"),
    ]  # fmt: skip
    assert (run.steps[2].arguments, run.steps[2].tokens) == ({"a": 2, "b": 2}, (9, 3))
    other = one(tmp_path, files.OPENINFERENCE)
    assert shape(other) == [("prompt", "user"), ("action", "search"), ("error", "search")]
    assert other.steps[2].text == "TimeoutError: too slow"
    assert other.steps[1].tokens == (4, 2)


def test_spans_as_an_sdk_prints_them_with_messages_in_events(tmp_path: Path) -> None:
    def event(name: str, **held: Any) -> dict[str, Any]:
        return {"name": f"gen_ai.{name}", "attributes": held}

    printed = {
        "name": "chat m", "context": {"trace_id": "0x1", "span_id": "0x2"}, "parent_id": None,
        "start_time": "2024-01-01T00:00:00.000000Z", "end_time": "2024-01-01T00:00:01.000000Z",
        "attributes": {"gen_ai.operation.name": "chat"},
        "events": [event("user.message", content="Hello?"),
                   event("choice", index=0, message=json.dumps({"role": "assistant", "content": "Hello."}))],
    }  # fmt: skip
    run = one(tmp_path, [printed])
    assert [(s.kind.value, s.text) for s in run.steps] == [("prompt", "Hello?"), ("final", "Hello.")]


def test_atif_keeps_reasoning_metrics_and_results(tmp_path: Path) -> None:
    run = one(tmp_path, files.ATIF)
    assert shape(run) == [
        ("prompt", "user"), ("thought", "porter"), ("thought", "porter"), ("action", "bash"), ("observation", "bash"),
        ("final", "porter"),
    ]  # fmt: skip
    assert run.steps[1].tokens == (11, 6)
    assert run.steps[0].at == datetime(2025, 3, 1, 8, tzinfo=UTC)


def test_sub_agents_are_runs_of_their_own(tmp_path: Path) -> None:
    inner = {"session_id": "s-78", "agent": {"name": "helper"}, "steps": files.ATIF["steps"]}
    outer, other = read(tmp_path, {**files.ATIF, "subagent_trajectories": [inner]}).runs
    assert (outer.parent_ref, other.parent_ref, other.agent) == (None, "s-77", "helper")
    aside = [{**m, "parent_tool_use_id": "t9"} for m in files.ANTHROPIC["messages"]]
    main, part = read(tmp_path, {"id": "m", "messages": [*files.ANTHROPIC["messages"], *aside]}).runs
    assert (main.source_ref, part.source_ref, part.parent_ref) == ("m", "m/t9", "m")


def test_react_text_is_cut_at_its_labels(tmp_path: Path) -> None:
    run = one(tmp_path, files.REACT)
    assert shape(run) == [
        ("prompt", "user"), ("thought", "assistant"), ("action", "search"), ("error", "search"), ("thought", "assistant"),
        ("action", "lookup"), ("observation", "lookup"), ("final", "assistant"),
    ]  # fmt: skip
    assert [s.answers for s in run.steps if s.answers] == [3, 6]
    assert run.steps[5].arguments == {"title": "the book"}
    assert [s.where for s in run.steps][:3] == ["line 1", "line 2", "line 3"]
    two = read(tmp_path, files.REACT + files.REACT.replace("Who", "Where"))
    assert [r.task for r in two] == ["Who wrote it?", "Where wrote it?"]


def test_runs_one_a_line_each_with_its_reward(tmp_path: Path) -> None:
    lines = "".join(
        json.dumps({"task_id": "t", "messages": files.OPENAI, "reward": r, "ground_truth": "IC 9"}) + "\n"
        for r in (1, 0, 0.5)
    )
    runs = read(tmp_path, lines).runs
    assert [r.outcome for r in runs] == [Outcome.SUCCESS, Outcome.FAILURE, Outcome.PARTIAL]
    assert {r.task_ref for r in runs} == {"t"}
    assert all(r.metadata["labels"] == {"ground_truth": "IC 9"} for r in runs)
    assert len({r.source_ref for r in runs}) == 3


# Errors in what came back


@pytest.mark.parametrize("text", [
    "Error: payment method not found", "Traceback (most recent call last):\n  x\nKeyError: 'a'", "exitcode: 1 (failed)",
    '{"error": "no such user"}', '{"success": false}', "HTTP/1.1 404 Not Found", '{"status_code": 503}',
    "Error executing tool read_file: Access denied", "bash: foo: command not found", "Permission denied",
    "Tool call failed: timeout", "ValueError: bad input", '{"isError": true, "content": "x"}', "Exit code: 2\nls: no",
    "Output:\n```\nExecution failed. Traceback:\nException: x\n```", "404 Client Error: Not Found for url",
])  # fmt: skip
def test_what_says_that_it_failed_is_an_error(text: str) -> None:
    assert failed(text)


@pytest.mark.parametrize("text", [
    "", "ok", '{"error": null, "rows": 3}', '{"errors": []}', "exitcode: 0 (execution succeeded)\nCode output: 3",
    "Found 2 files about error handling", '{"status": "ok", "code": 200}', "The failure rate is 3 %",
    '[{"name": "error_log", "size": 4}]', "HTTP/1.1 200 OK", "There were no errors.", '{"status_code": 200}',
    "def f():\n    raise ValueError", '{"amount": 404}', '{"code": 404}', "Flight 503 leaves at 9",
])  # fmt: skip
def test_what_only_speaks_of_errors_is_none(text: str) -> None:
    assert not failed(text)


def test_the_word_of_the_file_decides() -> None:
    assert failed("fine", flag=True)
    assert not failed("Error: x", flag=False)


# Faults


def test_a_malformed_step_is_told_with_its_place_or_refuses_the_file(tmp_path: Path) -> None:
    broken = [*files.OPENAI, 7, {"content": "no role"}, {"role": "user", "content": "Still there?"}]
    reading = read(tmp_path, broken)
    assert [p.where.rpartition(", ")[2] for p in reading.problems if p.code == "run.step-malformed"] == [
        "message 7",
        "message 8",
    ]
    assert reading.runs[0].steps[-1].text == "Still there?"
    with pytest.raises(UnreadableInput, match="message 7"):
        read(tmp_path, broken, strict=True)


def test_a_file_without_any_run_is_an_error_with_counts(tmp_path: Path) -> None:  # F80
    with pytest.raises(UnreadableInput, match=r"no run .* 1 records read, 0 runs .* run without steps"):
        read(tmp_path, [{"task_id": 1, "reward": 0, "traj": []}])
    with pytest.raises(UnreadableInput, match="the JSON ends in the middle"):
        read(tmp_path, RUN_FILES["tau-bench"][:-40])
    with pytest.raises(UnreadableInput, match="no known run format; it begins with a JSON object with the keys a"):
        read(tmp_path, {"a": 1})


def test_two_runs_of_one_ref_are_told_apart(tmp_path: Path) -> None:
    reading = read(tmp_path, [*files.TAU_BENCH, *files.TAU_BENCH])
    assert [r.source_ref for r in reading] == ["3#1", "3#1#2"]
    assert "run.duplicate-ref" in [p.code for p in reading.problems]


def test_secrets_are_masked_in_steps_arguments_task_and_raw(tmp_path: Path) -> None:
    key = "sk-abcDEF1234567890abcdefgh"
    talk = [
        {"role": "user", "content": f"Use {key} please."},
        {"role": "assistant", "tool_calls": [files.call("a", "login", {"user": "ana", "password": "tr0ub4dor&3"})]},
        {"role": "tool", "tool_call_id": "a", "content": json.dumps({"access_token": "abc123DEF456", "id": "W-7"})},
        {"role": "assistant", "content": "Logged in with tr0ub4dor&3 as ana, order W-7."},
    ]
    reading = read(tmp_path, talk)
    run = reading.runs[0]
    assert not [s for s in (key, "tr0ub4dor", "abc123DEF456") if s in str(run)]
    assert run.steps[1].arguments == {"user": "ana", "password": "[secret:password]"}
    assert run.steps[3].text == "Logged in with [secret:password] as ana, order W-7."
    assert reading.counts.masked > 0


def test_what_no_database_stores_is_replaced(tmp_path: Path) -> None:
    run = one(tmp_path, b'[{"role": "user", "content": "a\\u0000b \\ud83d"}, {"role": "assistant", "content": "ok"}]')
    assert run.steps[0].text == "a\ufffdb \ufffd"
    json.dumps(run_to_json(run), ensure_ascii=False).encode()


def test_nothing_in_a_run_file_is_executed_or_opened(tmp_path: Path) -> None:  # F67
    marker = tmp_path / "touched"
    import pickle

    class Bomb:
        def __reduce__(self) -> tuple[Any, ...]:
            return (marker.write_text, ("x",))

    with pytest.raises(UnreadableInput):
        read(tmp_path, pickle.dumps(Bomb()))
    with pytest.raises(UnreadableInput):
        read(tmp_path, "https://example.invalid/run.json")
    talk = [{"role": "user", "content": f"__import__('pathlib').Path({str(marker)!r}).touch()"},
            {"role": "assistant", "content": [{"type": "image_url", "image_url": {"url": "file:///etc/passwd"}}]}]  # fmt: skip
    assert "root:" not in str(read(tmp_path, talk).runs)
    trace = {**files.LANGFUSE["observations"][0], "input": f"{{'a': __import__('os').system('touch {marker}')}}"}
    read(tmp_path, {"trace": files.LANGFUSE["trace"], "observations": [trace]})
    assert not marker.exists()


# Round trip

_text = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)
_json = st.recursive(
    st.none() | st.booleans() | st.integers(-99, 99) | _text,
    lambda v: st.lists(v, max_size=2) | st.dictionaries(_text, v, max_size=2),
)


@st.composite
def _runs(draw: st.DrawFn) -> NewRun:
    steps: list[Step] = []
    for number in range(1, draw(st.integers(1, 4)) + 1):
        steps.append(Step(
            number=number, kind=draw(st.sampled_from(StepKind)), text="x" + draw(_text), agent=draw(_text).strip(),
            tool=draw(st.none() | _text.filter(bool)), arguments=draw(st.dictionaries(_text, _json, max_size=2)),
            answers=draw(st.none() | st.integers(1, number - 1)) if number > 1 else None,
            at=draw(st.none() | st.datetimes(datetime(1990, 1, 1), datetime(2090, 1, 1), timezones=st.just(UTC))),
            tokens=draw(st.none() | st.tuples(st.integers(0, 9), st.integers(0, 9))), where="/" + draw(_text),
        ))  # fmt: skip
    return NewRun(
        source_ref="r" + draw(_text), source="s" + draw(_text), task=draw(_text).strip(), steps=tuple(steps),
        app=draw(st.none() | _text.filter(bool)), agent=draw(st.none() | _text.filter(bool)),
        outcome=draw(st.sampled_from(Outcome)), outcome_by=draw(st.sampled_from(OutcomeBy)), outcome_note=draw(_text),
        task_ref=draw(st.none() | _text.filter(bool)), parent_ref=draw(st.none() | _text.filter(bool)),
        metadata=draw(st.dictionaries(_text, _json, max_size=2)), raw="raw" + draw(_text),
    )  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(_runs())
def test_what_we_write_is_read_back(tmp_path_factory: pytest.TempPathFactory, run: NewRun) -> None:
    (back,) = read_runs(put(tmp_path_factory.mktemp("own"), run_to_json(run))).runs
    assert back == run


# Real files, where they are


def test_every_run_of_the_evaluation_data_reads(shared: Path) -> None:
    names = {"appworld": "appworld", "swe_agent": "swe-agent", "tau_bench": "tau-bench", "who_and_when": "who-and-when"}
    for folder, format in names.items():
        found = [p for p in sorted((shared / "runs" / folder).rglob("*")) if p.suffix in (".json", ".traj")][:8]
        assert found
        for path in found:
            reading = read_runs(path)
            assert (reading.format, bool(reading.counts.steps)) == (format, True), path
            assert not [p for p in reading.problems if p.code == "run.step-malformed"], path
