"""Small run files, one a format, as the systems write them; `RUN_FILES` holds them by format name."""

# ruff: noqa: E501
from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from tests.reader_files import put
from trajwiki.domain.runs import NewRun
from trajwiki.readers import Options
from trajwiki.readers.runs import RunReading, read_runs


def call(id: str, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """A tool call as OpenAI writes it."""
    return {"id": id, "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}


OWN: Final = {
    "schema": "trajwiki.run/1",
    "source_ref": "r1",
    "source": "shop",
    "task": "Cancel the order",
    "outcome": "success",
    "outcome_by": "evaluation",
    "steps": [
        {"number": 1, "kind": "prompt", "agent": "user", "text": "Cancel the order"},
        {"number": 2, "kind": "action", "agent": "clerk", "text": "cancel", "tool": "cancel", "arguments": {"id": "W1"}},
        {"number": 3, "kind": "observation", "text": "done", "tool": "cancel", "answers": 2, "tokens": [3, 4],
         "at": "2024-05-08T13:56:00+01:00"},
    ],
}  # fmt: skip

OPENAI: Final = [
    {"role": "system", "content": "You book trains."},
    {"role": "user", "content": "A train to Porto, please."},
    {"role": "assistant", "content": "I look for trains first.", "tool_calls": [
        call("c1", "find_trains", {"to": "Porto"}), call("c2", "get_user", {"name": "Ana"})]},
    {"role": "tool", "tool_call_id": "c2", "content": "Error: no user of that name"},
    {"role": "tool", "tool_call_id": "c1", "content": "[{\"train\": \"IC 521\"}]"},
    {"role": "assistant", "content": "IC 521 leaves at nine."},
]  # fmt: skip

ANTHROPIC: Final = {
    "system": "You are a clerk.",
    "messages": [
        {"role": "user", "content": "How many files are there?"},
        {"role": "assistant", "content": [
            {"type": "thinking", "thinking": "I should list them.", "signature": "x"},
            {"type": "text", "text": "I will list them."},
            {"type": "tool_use", "id": "t1", "name": "bash", "input": {"command": "ls"}},
        ]},
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "t1", "is_error": True, "content": [{"type": "text", "text": "bad"}]}]},
        {"role": "assistant", "content": [{"type": "text", "text": "I cannot tell."}]},
    ],
}  # fmt: skip

APPWORLD: Final = [
    {"role": "user", "content": "Solve it by code.\n\nTask: Like all songs of my library."},
    {"role": "assistant", "content": "First the docs.\n\n```python\nprint(apis.docs.show('music'))\n```\n"},
    {"role": "user", "content": "Output:\n```\nExecution failed. Traceback:\n  File \"<x>\", line 1\nException: Response status "
     "code is 422:\n{\"message\":\"no such app\"}\n```"},
    {"role": "assistant", "content": "Another name.\n```python\nprint(apis.docs.show('songs'))\n```"},
    {"role": "user", "content": "Output:\n```\n{\"name\": \"songs\"}\n```"},
]  # fmt: skip

TAU_BENCH: Final = [
    {
        "task_id": 3,
        "trial": 1,
        "reward": 1.0,
        "info": {
            "task": {"instruction": "You are Bo and want a refund.", "actions": [{"name": "refund"}]},
            "source": "u",
        },
        "traj": [
            {"role": "system", "content": "Policy: be kind."},
            {"role": "user", "content": "I want my money back."},
            {"role": "assistant", "content": None, "tool_calls": [call("a", "refund", {"order": "#W9"})]},
            {"role": "tool", "tool_call_id": "a", "name": "refund", "content": "Error: order not found"},
            {"role": "assistant", "content": None, "tool_calls": [call("a", "refund", {"order": "#W8"})]},
            {"role": "tool", "tool_call_id": "a", "name": "refund", "content": '{"status": "ok"}'},
            {"role": "assistant", "content": "It is on its way."},
            {"role": "user", "content": "Thanks ###STOP###"},
        ],
    }
]

WHO_AND_WHEN: Final = {
    "is_correct": False,
    "question": "How many people live there?",
    "question_ID": "q-1",
    "ground_truth": "56000",
    "mistake_agent": "Statistics_Expert",
    "mistake_step": "1",
    "mistake_reason": "It took the wrong year.",
    "history": [
        {"role": "assistant", "name": "Manager", "content": "Find out how many people live there."},
        {"role": "user", "name": "Statistics_Expert", "content": "I scrape it.\n```python\nprint(count())\n```"},
        {
            "role": "user",
            "name": "Computer_terminal",
            "content": "exitcode: 1 (execution failed)\nCode output: NameError: x",
        },
        {"role": "user", "name": "Checker", "content": "Then it is 40."},
    ],
}

SWE_AGENT: Final = {
    "environment": "main",
    "history": [
        {"role": "system", "content": "You fix code.", "message_type": "system_prompt", "agent": "main"},
        {"role": "user", "content": "Fix the rounding.", "message_type": "observation", "agent": "main"},
    ],
    "trajectory": [
        {
            "thought": "Look at it.",
            "action": "open fields.py",
            "observation": "[File: fields.py]",
            "response": "…",
            "state": {},
        },
        {
            "thought": "Run it.",
            "action": "python t.py",
            "observation": "bash: python: command not found",
            "response": "…",
        },
        {"thought": "", "action": "submit", "observation": "diff", "response": "…"},
    ],
    "info": {"exit_status": "submitted", "submission": "diff"},
}


def twice(value: Any) -> str:
    """JSON in JSON."""
    return json.dumps(json.dumps(value))


LANGFUSE: Final = {
    "trace": {"id": "tr1", "projectId": "p", "name": "agent", "input": twice("What is the weather?"), "scores": []},
    "observations": [
        {"id": "o2", "traceId": "tr1", "type": "GENERATION", "name": "chat", "parentObservationId": "o1",
         "startTime": "2025-01-01T10:00:01Z", "endTime": "2025-01-01T10:00:02Z", "level": "DEFAULT",
         "usageDetails": {"input": 7, "output": 5},
         "input": twice([{"role": "user", "content": "What is the weather?"}]),
         "output": json.dumps({"role": "assistant", "content": None, "tool_calls": [call("k", "weather", {"at": "Faro"})]}),
         "metadata": "{}"},
        {"id": "o1", "traceId": "tr1", "type": "AGENT", "name": "invoke_agent scout", "parentObservationId": None,
         "startTime": "2025-01-01T10:00:00Z", "endTime": "2025-01-01T10:00:05Z", "input": None, "output": None},
        {"id": "o3", "traceId": "tr1", "type": "TOOL", "name": "weather", "parentObservationId": "o1",
         "startTime": "2025-01-01T10:00:02Z", "endTime": "2025-01-01T10:00:03Z", "level": "ERROR",
         "statusMessage": "HTTP 503", "input": json.dumps({"at": "Faro"}), "output": None,
         "metadata": twice({"attributes": {"gen_ai.tool.call.id": "k"}})},
        {"id": "o4", "traceId": "tr1", "type": "GENERATION", "name": "chat", "parentObservationId": "o1",
         "startTime": "2025-01-01T10:00:03Z", "endTime": "2025-01-01T10:00:04Z", "level": "DEFAULT",
         "input": json.dumps({"messages": [
             {"role": "user", "content": "What is the weather?"},
             {"role": "assistant", "content": None, "tool_calls": [call("k", "weather", {"at": "Faro"})]}]}),
         "output": twice({"role": "assistant", "content": "I could not find out."})},
    ],
}  # fmt: skip


def attribute(key: str, value: Any) -> dict[str, Any]:
    """An OTLP attribute."""
    kind = "intValue" if isinstance(value, int) else "stringValue"
    return {"key": key, "value": {kind: str(value) if isinstance(value, int) else value}}


def span(id: str, parent: str, name: str, start: int, attributes: dict[str, Any], **more: Any) -> dict[str, Any]:
    """An OTLP span of one second."""
    return {
        "traceId": "t" * 32, "spanId": id, "parentSpanId": parent, "name": name,
        "startTimeUnixNano": str((1_700_000_000 + start) * 10**9), "endTimeUnixNano": str((1_700_000_001 + start) * 10**9),
        "attributes": [attribute(k, v) for k, v in attributes.items()], **more,
    }  # fmt: skip


ASKED: Final = [{"role": "user", "parts": [{"type": "text", "content": "Add two and two."}]}]
CALLED: Final = [
    {"role": "assistant", "parts": [{"type": "tool_call", "id": "z", "name": "add", "arguments": {"a": 2, "b": 2}}]}
]
ADDED: Final = [{"role": "tool", "parts": [{"type": "tool_call_response", "id": "z", "response": "4"}]}]
SAID: Final = [{"role": "assistant", "parts": [{"type": "text", "content": "It is four."}], "finish_reason": "stop"}]
OTEL: Final = {
    "resourceSpans": [{
        "resource": {"attributes": [attribute("service.name", "sums")]},
        "scopeSpans": [{"scope": {"name": "x"}, "spans": [
            span("s1", "", "invoke_agent adder", 0, {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "adder"}),
            span("s2", "s1", "chat m", 1, {
                "gen_ai.operation.name": "chat", "gen_ai.system_instructions": json.dumps([{"type": "text", "content": "Add."}]),
                "gen_ai.input.messages": json.dumps(ASKED), "gen_ai.output.messages": json.dumps(CALLED),
                "gen_ai.usage.input_tokens": 9, "gen_ai.usage.output_tokens": 3}),
            span("s3", "s1", "execute_tool add", 2, {
                "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "add", "gen_ai.tool.call.id": "z",
                "gen_ai.tool.call.arguments": "{\"a\": 2, \"b\": 2}", "gen_ai.tool.call.result": "4"}),
            span("s4", "s1", "chat m", 3, {
                "gen_ai.operation.name": "chat", "gen_ai.input.messages": json.dumps([*ASKED, *CALLED, *ADDED]),
                "gen_ai.output.messages": json.dumps(SAID)}),
        ]}],
    }]
}  # fmt: skip

OPENINFERENCE: Final = {
    "resourceSpans": [{"scopeSpans": [{"spans": [
        span("s1", "", "ChatCompletion", 1, {
            "openinference.span.kind": "LLM", "llm.token_count.prompt": 4, "llm.token_count.completion": 2,
            "llm.input_messages.0.message.role": "user", "llm.input_messages.0.message.content": "Which books?",
            "llm.output_messages.0.message.role": "assistant",
            "llm.output_messages.0.message.tool_calls.0.tool_call.id": "b",
            "llm.output_messages.0.message.tool_calls.0.tool_call.function.name": "search",
            "llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments": "{\"q\": \"books\"}"}),
        span("s2", "", "search", 2, {
            "openinference.span.kind": "TOOL", "tool.name": "search", "input.value": "{\"q\": \"books\"}"},
            status={"code": 2}, events=[{"name": "exception", "attributes": [
                attribute("exception.type", "TimeoutError"), attribute("exception.message", "too slow")]}]),
    ]}]}]
}  # fmt: skip

ATIF: Final = {
    "schema_version": "ATIF-v1.4",
    "session_id": "s-77",
    "agent": {"name": "porter", "version": "1"},
    "steps": [
        {"step_id": 1, "source": "user", "message": "Sort the files.", "timestamp": "2025-03-01T08:00:00Z"},
        {"step_id": 2, "source": "agent", "message": "I list them.", "reasoning_content": "Begin with a look.",
         "tool_calls": [{"tool_call_id": "x1", "function_name": "bash", "arguments": {"command": "ls"}}],
         "observation": {"results": [{"source_call_id": "x1", "content": "a.txt"}]},
         "metrics": {"prompt_tokens": 11, "completion_tokens": 6}},
        {"step_id": 3, "source": "agent", "message": "Sorted."},
    ],
}  # fmt: skip

REACT: Final = """Question: Who wrote it?
Thought: I should look it up.
Action: search[the book]
Observation: Error: no index of that name
Thought: Another tool then.
Action: lookup
Action Input: {"title": "the book"}
Observation: Written by Ana.
Final Answer: Ana.
"""

RUN_FILES: Final[dict[str, bytes]] = {
    "trajwiki-run": json.dumps(OWN).encode(),
    "openai": json.dumps(OPENAI).encode(),
    "anthropic": json.dumps(ANTHROPIC).encode(),
    "appworld": json.dumps(APPWORLD).encode(),
    "tau-bench": json.dumps(TAU_BENCH).encode(),
    "who-and-when": json.dumps(WHO_AND_WHEN).encode(),
    "swe-agent": json.dumps(SWE_AGENT).encode(),
    "langfuse": json.dumps(LANGFUSE).encode(),
    "otel": json.dumps(OTEL).encode(),
    "atif": json.dumps(ATIF).encode(),
    "react": REACT.encode(),
}


def read(folder: Path, content: object, *, format: str = "auto", strict: bool = False) -> RunReading:
    """Write a file whose name tells nothing, and read it."""
    return read_runs(put(folder, content, "run.data"), format=format, options=Options(), strict=strict)


def one(folder: Path, content: object, *, format: str = "auto") -> NewRun:
    """Read a file that holds one run."""
    (run,) = read(folder, content, format=format).runs
    return run


def shape(run: NewRun) -> list[tuple[str, str]]:
    """The kinds of the steps, with tool or agent."""
    return [(s.kind.value, s.tool or s.agent) for s in run.steps]
