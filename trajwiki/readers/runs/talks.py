"""Logs that are messages: a list, JSON lines, or wrapped in an object; told apart by who wrote them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from trajwiki.domain.runs import NewRun
from trajwiki.errors import UnreadableInput
from trajwiki.readers import jsontext
from trajwiki.readers.base import Head, Json
from trajwiki.readers.fields import some_list, some_object, some_text
from trajwiki.readers.files import Source
from trajwiki.readers.runs.base import RunEvent, Skipped
from trajwiki.readers.runs.code import is_output
from trajwiki.readers.runs.outcomes import UNKNOWN, of_record
from trajwiki.readers.runs.parts import text_of
from trajwiki.readers.runs.steps import plain_json
from trajwiki.readers.runs.turns import ITEMS, Turns, unwrapped

WRAPPERS: Final = ("messages", "conversation", "conversations", "trajectory", "traj", "history", "contents",
                   "chat_history", "message_history", "input", "turns", "log", "events")  # fmt: skip
LABELS: Final = ("ground_truth", "expected", "expected_output", "expected_actions", "answer_key", "labels", "gold",
                 "reference", "target")  # fmt: skip
_TYPES: Final = ("human", "ai", "tool", "system", "HumanMessage", "AIMessage", "ToolMessage", "SystemMessage")
_NOTES: Final = ("summary", "system", "progress", "queue-operation", "file-history-snapshot", "session_meta",
                 "event_msg", "turn_context")  # fmt: skip
_ANTHROPIC: Final = ("tool_use", "tool_result", "thinking", "redacted_thinking", "server_tool_use")
_APP_PARTS: Final = ("function_call", "function_response")


@dataclass(frozen=True, slots=True)
class Talk:
    """The messages of one run.

    Attributes:
        record: What the file holds: a list of messages, or the object around them.
        messages: The messages.
        pointer: Where they are in the record.
        where: The place in the file, for a person.
    """

    record: Any
    messages: list[Any]
    pointer: str
    where: str

    @property
    def around(self) -> Json:
        """What the record says beside its messages."""
        if not isinstance(self.record, dict):
            return {}
        key = self.pointer.strip("/").partition("/")[0]
        return {k: v for k, v in self.record.items() if k != key}


def talks(source: Source) -> Iterator[Talk]:
    """Give the lists of messages in a JSON file; messages that stand alone, or one a line, belong together."""
    loose: list[Any] = []
    for place, value in jsontext.values(source):
        found = talk_in(value)
        if found is not None:
            yield Talk(value, *found, place)
        elif not _is_note(value):
            loose.append(value)
    if loose:
        yield Talk(loose, loose, "", source.name)


def talk_in(value: Any) -> tuple[list[Any], str] | None:
    """Give the messages that a value wraps, and where in it."""
    if isinstance(value, list):
        return value, ""
    if not isinstance(value, dict) or isinstance(value.get("role"), str):
        return None
    for key in WRAPPERS:
        if isinstance(value.get(key), list):
            return value[key], f"/{key}"
    for outer in ("request", "body", "data", "result", "response"):
        inner = value.get(outer)
        if isinstance(inner, dict):
            for key in WRAPPERS:
                if isinstance(inner.get(key), list):
                    return inner[key], f"/{outer}/{key}"
    return None


def messages_of(head: Head) -> list[Json]:
    """Give the first messages of a file, as far as its head shows them."""
    if not head.items:
        return []
    found = talk_in(head.items[0])
    messages = found[0] if found is not None else list(head.items)
    return [unwrapped(m) for m in messages[:200] if isinstance(m, dict) and not _is_note(m)]


def _is_note(value: Any) -> bool:
    """Whether a line of a session's log is the program's own note, and nobody's message."""
    if not isinstance(value, dict) or "role" in value or "message" in value:
        return False
    return value.get("type") in _NOTES and bool(
        {"sessionId", "leafUuid", "uuid", "messageId", "timestamp"} & set(value)
    )


def author(messages: list[Json]) -> str | None:
    """Tell who writes such messages: anthropic, appworld or openai; None when they are no messages."""
    if not messages or not all(_is_message(m) for m in messages[:3]):
        return None
    types = {str(p.get("type")) for m in messages for p in some_list(m, "content") if isinstance(p, dict)}
    if types & set(_ANTHROPIC):
        return "anthropic"
    if types & set(_APP_PARTS):
        return "appworld"
    if any(m.get("tool_calls") or m.get("role") in ("tool", "function") for m in messages):
        return "openai"
    return "appworld" if any(_acts_by_code(m, after) for m, after in pairwise(messages)) else "openai"


def _acts_by_code(message: Json, after: Json) -> bool:
    said, back = message.get("content"), after.get("content")
    if not isinstance(said, str) or not isinstance(back, str) or message.get("role") != "assistant":
        return False
    return said.startswith("[Thinking]") or ("```" in said and after.get("role") == "user" and is_output(back))


def _is_message(row: Json) -> bool:
    if row.get("type") in ITEMS:
        return True
    if row.get("kind") in ("request", "response") and isinstance(row.get("parts"), list):
        return True
    holds = any(k in row for k in ("content", "tool_calls", "function_call", "parts", "value"))
    return holds and (isinstance(row.get("role"), str) or isinstance(row.get("from"), str) or row.get("type") in _TYPES)


def run_of(talk: Talk, source: str, stem: str, *, task: str | None = None) -> Iterator[RunEvent]:
    """Give the run that messages tell, with what stands around them: prompt, response, usage, outcome, labels."""
    around = talk.around
    turns = Turns()
    system = around.get("system") or around.get("system_prompt") or around.get("instructions")
    if isinstance(system, str | list) and system:
        turns.add({"role": "system", "content": system}, "/system", talk.where)
    turns.all(talk.messages, talk.pointer, talk.where)
    for row, pointer in _responses(around):
        turns.add(row, pointer, talk.where)
    yield from turns.problems
    if not len(turns.steps):
        yield Skipped("run without steps", talk.where)
        return
    ending = of_record(around)
    for key in ("info", "metadata", "result", "evaluation", "outcome"):
        if ending == UNKNOWN and isinstance(around.get(key), dict):
            ending = of_record(around[key])
    labels = {k: v for k, v in around.items() if k in LABELS}
    kept = {k: v for k, v in around.items() if k not in LABELS and not isinstance(v, list) and k not in _NOT_KEPT}
    yield NewRun(
        source_ref=some_text(around, "run_id", "trace_id", "id", "session_id", "conversation_id", "request_id") or "",
        source=source,
        task=task or some_text(around, "task", "instruction", "question", "goal") or turns.task,
        steps=turns.steps.finish(),
        app=some_text(around, "app", "domain", "app_name", "environment"),
        agent=some_text(around, "agent", "agent_name"),
        outcome=ending[0],
        outcome_by=ending[1],
        outcome_note=ending[2],
        task_ref=some_text(around, "task_id", "instance_id", "question_id"),
        metadata={**kept, "labels": labels} if labels else kept,
        raw=plain_json(talk.record),
    )


_NOT_KEPT: Final = ("system", "system_prompt", "instructions", "tools", "response", "request", "body", "data")


def _responses(around: Json) -> Iterator[tuple[Json, str]]:
    """Give what the model answered, where a log keeps it apart from the messages it was asked with."""
    for holder, pointer in ((around, ""), (some_object(around, "response"), "/response")):
        for i, choice in enumerate(some_list(holder, "choices")):
            if isinstance(choice, dict) and isinstance(choice.get("message"), dict):
                yield {"usage": holder.get("usage"), **choice["message"]}, f"{pointer}/choices/{i}/message"
        if pointer and holder.get("role") == "assistant":
            yield holder, pointer
        for i, item in enumerate(some_list(holder, "output")):
            if isinstance(item, dict) and (item.get("type") in ITEMS or "role" in item):
                yield item, f"{pointer}/output/{i}"


def check_talk(talk: Talk) -> None:
    """Require that there is a message in it.

    Raises:
        UnreadableInput: There is none; with what was seen.
    """
    if not any(isinstance(m, dict) and _is_message(unwrapped(m)) for m in talk.messages):
        seen = text_of(talk.messages[:1])[:80]
        raise UnreadableInput(f"{talk.where}: expected messages with role and content, found {seen}")
