"""Runs written step by step as JSON: ATIF, and objects with thought, action and observation in `steps`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from trajwiki.domain.problems import Problem
from trajwiki.domain.runs import NewRun, StepKind
from trajwiki.errors import UnreadableInput
from trajwiki.readers import jsontext
from trajwiki.readers.base import Confidence, Head, Json, Options
from trajwiki.readers.fields import a_list, an_object, some_list, some_object, some_text, timed
from trajwiki.readers.files import Source
from trajwiki.readers.runs.base import MALFORMED, RunEvent, RunFormat, Skipped
from trajwiki.readers.runs.outcomes import UNKNOWN, of_record
from trajwiki.readers.runs.parts import text_of
from trajwiki.readers.runs.react import call_in
from trajwiki.readers.runs.steps import Steps, plain_json
from trajwiki.readers.runs.turns import usage_of

_STEPS: Final = ("steps", "trajectory", "trace", "actions")
_THOUGHTS: Final = ("reasoning_content", "thought", "thoughts", "reasoning", "rationale", "plan")
_SAID: Final = ("message", "content", "text", "response", "final_answer", "answer")
_ACTIONS: Final = ("action", "tool_call", "call", "tool", "tool_name", "function_name", "command", "code")
_BACK: Final = ("observation", "result", "output", "tool_output", "tool_result", "observations")
_ARGUMENTS: Final = ("arguments", "action_input", "tool_input", "args", "parameters", "params", "input", "kwargs")
_LAST: Final = ("finish", "final_answer", "answer", "submit_answer", "done")  # actions that only say the answer
_LABELS: Final = ("ground_truth", "expected", "expected_output", "labels", "gold", "reference")


def detect(head: Head) -> Confidence:
    """An object with steps that have a source and message, or thoughts, actions and observations."""
    row = head.first
    if head.is_list and not _steps(row):
        row = {"steps": list(head.items)}
    if str(row.get("schema_version", "")).upper().startswith("ATIF"):
        return Confidence.SURE
    steps = _steps(row)
    first = next((s for s in steps[:3] if isinstance(s, dict)), None)
    if first is None or "kind" in first:
        return Confidence.NO
    if {"action", "observation"} <= set(first) and "response" in first:  # SWE-agent's
        return Confidence.NO
    if "step_id" in first and "source" in first:
        return Confidence.SURE
    rows = [s for s in steps[:20] if isinstance(s, dict)]
    acts = any(k in s for s in rows for k in (*_ACTIONS, "tool_calls")) and "role" not in first
    told = any(k in s for s in rows for k in (*_BACK, *_THOUGHTS))
    return Confidence.SURE if acts and told and "trajectory" not in row else Confidence.NO


def read(source: Source, options: Options) -> Iterator[RunEvent]:
    """Give one run a record; trajectories of sub-agents inside it become runs of their own."""
    loose: list[Any] = []
    for place, value in jsontext.values(source):
        if isinstance(value, dict) and not _steps(value) and ("action" in value or "observation" in value or loose):
            loose.append(value)  # steps without a run around them
            continue
        yield from _runs(an_object(value, place, "a run with steps"), place, source.stem, None)

    if loose:
        yield from _runs({"steps": loose}, source.name, source.stem, None)


def _steps(row: Json) -> list[Any]:
    return next((row[k] for k in _STEPS if isinstance(row.get(k), list)), [])


def _runs(row: Json, place: str, stem: str, parent: str | None) -> Iterator[RunEvent]:
    key = next((k for k in _STEPS if k in row), _STEPS[0])
    items = a_list(row.get(key), place, f"a list of steps in {key!r}")
    agent = some_text(some_object(row, "agent"), "name") or some_text(row, "agent", "agent_name")
    steps = Steps()
    for i, item in enumerate(items):
        where = f"{place}, step {i + 1}"
        try:
            _step(steps, an_object(item, where, "a step"), f"/{key}/{i}", agent or "agent", where)
        except UnreadableInput as error:
            yield Problem(MALFORMED, str(error), where)
    made = steps.finish()
    if not made:
        yield Skipped("run without steps", place)
        return
    ref = some_text(row, "trajectory_id", "session_id", "run_id", "id") or stem
    ending = of_record(row)
    for inner in ("result", "outcome", "evaluation", "final_metrics", "extra", "verifier_result", "info"):
        if ending == UNKNOWN:
            ending = of_record(some_object(row, inner))
    asked = next((s.text for s in made if s.agent == "user" or s.kind is StepKind.PROMPT), made[0].text)
    labels = {k: v for k, v in row.items() if k in _LABELS}
    kept = {k: v for k, v in row.items() if k not in (*_LABELS, key) and not isinstance(v, list)}
    yield NewRun(
        source_ref=ref,
        source="atif",
        task=some_text(row, "task", "instruction", "goal", "question") or asked,
        steps=made,
        app=some_text(row, "app", "domain"),
        agent=agent,
        outcome=ending[0],
        outcome_by=ending[1],
        outcome_note=ending[2],
        task_ref=some_text(row, "task_id", "task_name"),
        parent_ref=parent,
        metadata={**kept, "labels": labels} if labels else kept,
        raw=plain_json(row),
    )
    for i, inner in enumerate(some_list(row, "subagent_trajectories")):
        where = f"{place}, sub-agent {i + 1}"
        yield from _runs(an_object(inner, where, "a run"), where, f"{ref}/{i + 1}", ref)


def _step(steps: Steps, row: Json, pointer: str, agent: str, where: str) -> None:
    at, _ = timed(row, where)
    tokens = usage_of(row)
    who = some_text(row, "source", "role", "agent", "agent_name") or "agent"
    if isinstance(row.get("observation"), str) and "cause" in row:  # an event that answers another
        exit_code = some_object(row, "extras").get("exit_code")
        flag = True if row["observation"] == "error" or exit_code not in (None, 0) else None
        steps.result(text_of(row.get("content")), id=str(row["cause"]), flag=flag, at=at, where=f"{pointer}/content")
        return
    if who.lower() in ("user", "human", "system"):
        key = next((k for k in _SAID if row.get(k) is not None), "message")
        kind = StepKind.PROMPT if who.lower() == "system" or not steps.asked else StepKind.MESSAGE
        if text := text_of(row.get(key)):
            steps.add(kind, text, agent=who.lower(), at=at, where=f"{pointer}/{key}")
        _back(steps, row, pointer, at)
        return
    name = agent if who.lower() in ("agent", "assistant") else who
    calls = [] if row.get("action") == "message" else _calls(row, where)
    if calls and calls[0][0].lower() in _LAST and not some_list(row, "tool_calls"):
        given = calls[0][1]
        words = given if isinstance(given, str) else next((v for v in given.values() if isinstance(v, str)), "")
        if thought := text_of(next((row[k] for k in _THOUGHTS if row.get(k)), "")):
            steps.add(StepKind.THOUGHT, thought, agent=name, at=at, where=pointer)
        steps.add(StepKind.FINAL, words or calls[0][0], agent=name, at=at, tokens=tokens, where=pointer)
        return
    for key in _THOUGHTS:
        if text := text_of(row.get(key)):
            steps.add(StepKind.THOUGHT, text, agent=name, at=at, tokens=tokens, where=f"{pointer}/{key}")
            tokens = None
    for key in _SAID:
        if (text := text_of(row.get(key))).strip():
            kind = StepKind.THOUGHT if calls else StepKind.MESSAGE
            steps.add(kind, text, agent=name, at=at, tokens=tokens, where=f"{pointer}/{key}")
            tokens = None
            break
    for tool, arguments, id_, written, place in calls:
        steps.call(tool, arguments, id=id_, text=written, agent=name, at=at, tokens=tokens, where=pointer + place)
        tokens = None
    _back(steps, row, pointer, at)


Call = tuple[str, Any, str | None, str | None, str]


def _calls(row: Json, where: str) -> list[Call]:
    found: list[Call] = []
    for i, call in enumerate(some_list(row, "tool_calls")):
        held = an_object(call, where, "a call")
        function = some_object(held, "function") or held
        called = some_text(function, "function_name", "name", "tool_name", "tool") or "tool"
        passed: Any = next((function[k] for k in _ARGUMENTS if k in function), {})
        found.append((called, passed, some_text(held, "tool_call_id", "id", "call_id"), None, f"/tool_calls/{i}"))
    if found:
        return found
    key = next((k for k in _ACTIONS if row.get(k) not in (None, "", {}, [])), None)
    if key is None:
        return []
    value = row[key]
    given = next((row[k] for k in _ARGUMENTS if row.get(k) is not None), None)
    if isinstance(value, dict):
        name = some_text(value, "name", "tool", "tool_name", "function", "function_name", "action", "type") or "action"
        arguments = next((value[k] for k in _ARGUMENTS if k in value), given if given is not None else {})
        return [(name, arguments, some_text(value, "id", "call_id"), None, f"/{key}")]
    if not isinstance(value, str):
        raise UnreadableInput(f"{where}: expected text or an object in {key!r}")
    if key in ("command", "code"):
        return [("bash" if key == "command" else "python", {key: value}, None, value, f"/{key}")]
    if given is not None:
        return [(value, given, some_text(row, "tool_call_id", "call_id", "id"), None, f"/{key}")]
    tool, arguments = call_in(value, None)
    return [(tool, arguments, None, value, f"/{key}")]


def _back(steps: Steps, row: Json, pointer: str, at: Any) -> None:
    error = row.get("error")
    for key in _BACK:
        value = row.get(key)
        if value is None or (key in ("result", "output") and not steps.waits):
            continue
        results = value.get("results") if isinstance(value, dict) else None
        if isinstance(results, list):
            for i, result in enumerate(r for r in results if isinstance(r, dict)):
                steps.result(
                    text_of(result.get("content")), id=some_text(result, "source_call_id", "tool_call_id"),
                    flag=True if result.get("is_error") is True else None, at=at, where=f"{pointer}/{key}/results/{i}",
                )  # fmt: skip
        else:
            steps.result(text_of(value), flag=True if error else None, at=at, where=f"{pointer}/{key}")
        return
    if error:
        steps.result(text_of(error), flag=True, at=at, where=f"{pointer}/error")


FORMAT: Final = RunFormat(
    name="atif",
    title="step JSON (ATIF and its relatives)",
    extensions=(".json", ".jsonl"),
    keeps="messages, reasoning, calls with their results, metrics, times; sub-agents as runs of their own",
    drops="inline images, tool definitions",
    detect=detect,
    read=read,
)
