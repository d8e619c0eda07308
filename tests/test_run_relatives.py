"""Near relatives of the run formats, and Langfuse traces against their messages in one form."""

# ruff: noqa: E501
from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests import run_files as files
from tests.run_files import one, read, shape
from trajwiki.domain.runs import NewRun, Outcome, StepKind
from trajwiki.readers.runs import read_runs, to_chatml
from trajwiki.readers.runs.langfuse import chatml_of
from trajwiki.readers.runs.react import is_react

CALLED = [("prompt", "user"), ("action", "f"), ("observation", "f"), ("final", "assistant")]
RELATIVES: dict[str, Any] = {
    "responses": [
        {"role": "user", "content": "hi"},
        {"type": "function_call", "call_id": "c", "name": "f", "arguments": '{"a": 1}'},
        {"type": "function_call_output", "call_id": "c", "output": "5"},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "done"}]},
    ],
    "gemini": {"contents": [
        {"role": "user", "parts": [{"text": "hi"}]},
        {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {"a": 1}}}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {"result": 5}}}]},
        {"role": "model", "parts": [{"text": "done"}]},
    ]},
    "langchain": {"messages": [
        {"type": "human", "content": "hi"},
        {"type": "ai", "content": "", "tool_calls": [{"name": "f", "args": {"a": 1}, "id": "c"}]},
        {"type": "tool", "content": "5", "tool_call_id": "c"},
        {"type": "ai", "content": "done"},
    ]},
    "pydantic-ai": [
        {"kind": "request", "parts": [{"part_kind": "user-prompt", "content": "hi"}]},
        {"kind": "response", "parts": [{"part_kind": "tool-call", "tool_name": "f", "args": {"a": 1}, "tool_call_id": "c"}]},
        {"kind": "request", "parts": [{"part_kind": "tool-return", "tool_name": "f", "content": "5", "tool_call_id": "c"}]},
        {"kind": "response", "parts": [{"part_kind": "text", "content": "done"}]},
    ],
    "ai-sdk": [
        {"role": "user", "parts": [{"type": "text", "text": "hi"}]},
        {"role": "assistant", "parts": [
            {"type": "tool-f", "toolCallId": "c", "state": "output-available", "input": {"a": 1}, "output": 5},
            {"type": "text", "text": "done"}]},
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", RELATIVES)
def test_each_way_to_write_a_call_gives_the_same_steps(tmp_path: Path, name: str) -> None:
    run = one(tmp_path, RELATIVES[name])
    assert shape(run) == CALLED
    assert (run.steps[1].arguments, run.steps[2].answers, run.task) == ({"a": 1}, 2, "hi")


def test_a_session_log_keeps_sub_agents_apart_and_drops_notes(tmp_path: Path) -> None:
    lines = [
        {"type": "summary", "summary": "x", "leafUuid": "u"},
        {"type": "user", "sessionId": "s", "uuid": "1", "message": {"role": "user", "content": "fix it"}},
        {"type": "assistant", "sessionId": "s", "uuid": "2", "message": {"role": "assistant", "content": [
            {"type": "tool_use", "id": "t", "name": "Task", "input": {"prompt": "look"}}]}},
        {"type": "user", "isSidechain": True, "sessionId": "s", "uuid": "3", "message": {"role": "user", "content": "look"}},
        {"type": "assistant", "isSidechain": True, "sessionId": "s", "uuid": "4",
         "message": {"role": "assistant", "content": [{"type": "text", "text": "seen"}]}},
        {"type": "user", "sessionId": "s", "uuid": "5", "message": {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "t", "content": "seen"}]}},
    ]  # fmt: skip
    reading = read(tmp_path, "".join(json.dumps(line) + "\n" for line in lines))
    main, aside = reading.runs
    assert shape(main) == [("prompt", "user"), ("action", "Task"), ("observation", "Task")]
    assert (aside.parent_ref, [s.text for s in aside.steps]) == (main.source_ref, ["look", "seen"])
    assert not reading.problems


def test_simulations_of_tau2_keep_their_tasks_as_labels(tmp_path: Path) -> None:
    record = {"tasks": [{"id": "1", "purpose": "wants a refund"}], "simulations": [{
        "task_id": "1", "trial": 0, "reward_info": {"reward": 0.0}, "messages": [
            {"role": "assistant", "content": "How can I help?"}, {"role": "user", "content": "My money."},
            {"role": "assistant", "tool_calls": [{"id": "c", "name": "f", "arguments": {"a": 1}}]},
            {"role": "tool", "id": "c", "content": "nope", "error": True}]}]}  # fmt: skip
    run = one(tmp_path, record)
    assert shape(run)[-2:] == [("action", "f"), ("error", "f")]
    assert (run.outcome, run.task, run.task_ref) == (Outcome.FAILURE, "My money.", "1")
    assert run.metadata["labels"]["task"]["purpose"] == "wants a refund"


def test_steps_without_a_run_around_them_are_one_run(tmp_path: Path) -> None:
    steps = [
        {"thought": "look", "action": "search", "action_input": {"q": "x"}, "observation": "Error: none"},
        {"thought": "enough", "action": "finish", "action_input": {"answer": "nothing"}},
    ]
    run = one(tmp_path, steps)
    assert shape(run) == [
        ("thought", "agent"),
        ("action", "search"),
        ("error", "search"),
        ("thought", "agent"),
        ("final", "agent"),
    ]
    assert run.steps[-1].text == "nothing"
    events = [
        {"id": 0, "source": "user", "action": "message", "args": {"content": "fix"}, "message": "fix"},
        {"id": 1, "source": "agent", "action": "run", "args": {"command": "ls"}},
        {"id": 2, "source": "agent", "cause": 1, "observation": "run", "content": "no", "extras": {"exit_code": 2}},
    ]
    assert shape(one(tmp_path, events)) == [("prompt", "user"), ("action", "run"), ("error", "run")]


def test_a_run_is_written_as_messages(tmp_path: Path) -> None:
    rows = to_chatml(one(tmp_path, files.OPENAI))
    assert [r["role"] for r in rows] == ["system", "user", "assistant", "tool", "tool", "assistant"]
    assert [c["name"] for c in rows[2]["tool_calls"]] == ["find_trains", "get_user"]
    assert [r["tool_call_id"] for r in rows[3:5]] == [rows[2]["tool_calls"][1]["id"], rows[2]["tool_calls"][0]["id"]]
    again = one(tmp_path, [{**r, "tool_calls": [files.call(c["id"], c["name"], json.loads(c["arguments"])) for c in r["tool_calls"]]}
                           if "tool_calls" in r else r for r in rows])  # fmt: skip
    assert shape(again) == shape(one(tmp_path, files.OPENAI))


# Langfuse traces, where they are


def _json(value: Any) -> Any:
    try:
        return json.loads(value) if isinstance(value, str) else value
    except ValueError:
        return value


def _content(row: dict[str, Any]) -> Any:
    content = row.get("content")
    if content is None and isinstance(row.get("json"), dict):
        content = row["json"].get("text")
    if isinstance(content, list) and all(isinstance(p, dict) and "text" in p for p in content):
        content = "\n".join(p["text"] for p in content)
    return _json("" if content is None else content)


def _form(row: dict[str, Any]) -> tuple[Any, ...]:
    calls = [(c["id"], c["name"], _json(c["arguments"])) for c in row.get("tool_calls", [])]
    return row["role"], _content(row), calls, row.get("tool_call_id")


def test_traces_give_the_roles_order_contents_and_calls_of_their_messages(shared: Path) -> None:
    compared = 0
    for path in sorted((shared / "runs" / "langfuse").glob("*.trace.json")):
        target = json.loads(path.with_name(path.name.replace(".trace.", ".chatml.")).read_text(encoding="utf-8"))
        ours = chatml_of(json.loads(path.read_text(encoding="utf-8")))
        for id_, sides in target.items():
            for side, found in sides.items():
                wanted = [_form(m) for m in found["data"] if "role" in m] if found["success"] else []
                if wanted:
                    compared += 1
                    assert [_form(m) for m in ours[id_][side]] == wanted, (path.name, id_, side)
    assert compared > 40


def test_what_models_were_told_and_said_is_in_the_run(shared: Path) -> None:
    for path in sorted((shared / "runs" / "langfuse").glob("*.trace.json")):
        trace = json.loads(path.read_text(encoding="utf-8"))
        (run,) = read_runs(path).runs
        models = {o["id"] for o in trace["observations"] if o["type"] == "GENERATION"}
        for id_, sides in chatml_of(trace).items():
            if id_ in models:
                for row in (*sides["input"], *sides["output"]):
                    _told(run, row, path.name)


def _told(run: NewRun, row: dict[str, Any], name: str) -> None:
    for call in row.get("tool_calls", ()):
        made = [dict(s.arguments) for s in run.steps if s.kind is StepKind.ACTION and s.tool == call["name"]]
        assert (_json(call["arguments"]) or {}) in made, (name, call)
    if (
        isinstance(row["content"], str)
        and not is_react(row["content"])
        and not row["content"].startswith('[{"function"')
    ):
        said = "\n".join(s.text for s in run.steps)
        assert row["content"].strip() in said, (name, row["content"][:100])
