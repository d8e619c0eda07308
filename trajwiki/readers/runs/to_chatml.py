"""A run written as the messages of a chat API."""

from __future__ import annotations

from typing import Any

from trajwiki.domain.runs import NewRun, Run, Step, StepKind
from trajwiki.readers.runs.steps import USERS, plain_json

_BACK = (StepKind.OBSERVATION, StepKind.ERROR)


def to_chatml(run: NewRun | Run) -> list[dict[str, Any]]:
    """Give a run as messages: role, content, name, tool_calls (id, name, arguments as text), tool_call_id.

    What an agent thinks, says and does without an answer in between is one message. Ids of calls are made from the
    numbers of their steps.
    """
    rows: list[dict[str, Any]] = []
    speaker: str | None = None  # of the message that is being written, when it is an agent's
    for step in run.steps:
        if step.kind in _BACK:
            answer: dict[str, Any] = {"role": "tool", "content": step.text}
            answer |= {"name": step.tool} if step.tool else {}
            rows.append(answer | ({"tool_call_id": f"call_{step.answers}"} if step.answers else {}))
            speaker = None
        elif step.kind is StepKind.PROMPT or step.agent.lower() in USERS:
            rows.append({"role": "system" if step.agent == "system" else "user", "content": step.text})
            speaker = None
        else:
            if speaker != step.agent or rows[-1].get("done"):
                rows.append({"role": "assistant", "content": ""} | ({"name": step.agent} if step.agent else {}))
                speaker = step.agent
            _into(rows[-1], step)
    for row in rows:
        row.pop("done", None)
    return rows


def _into(row: dict[str, Any], step: Step) -> None:
    if step.kind is StepKind.ACTION:
        arguments = plain_json(dict(step.arguments), compact=True)
        call = {"id": f"call_{step.number}", "name": step.tool or "tool", "arguments": arguments, "type": "function"}
        row.setdefault("tool_calls", []).append(call)
        return
    row["content"] = f"{row['content']}\n{step.text}".lstrip("\n")
    if step.kind in (StepKind.MESSAGE, StepKind.FINAL):
        row["done"] = True
