"""Messages found in what a trace keeps of a call: JSON, JSON in text once or twice, and each framework's wrapping."""

from __future__ import annotations

import ast
import re
from typing import Any, Final

from trajwiki.errors import UnreadableInput
from trajwiki.readers.base import Json
from trajwiki.readers.fields import some_list, some_object, some_text
from trajwiki.readers.runs.parts import PartKind, parts_of
from trajwiki.readers.runs.steps import loads, plain_json
from trajwiki.readers.runs.turns import ITEMS, unwrapped

MAX_LAYERS: Final = 4  # of JSON in text
_LISTS: Final = ("messages", "input_messages", "output_messages", "contents", "chat_history", "input", "output",
                 "prompt", "prompts", "history", "new_messages", "all_messages")  # fmt: skip
_ROLES: Final = {"human": "user", "ai": "assistant", "humanmessage": "user", "aimessage": "assistant",
                 "aimessagechunk": "assistant", "systemmessage": "system", "toolmessage": "tool",
                 "chatmessage": "assistant", "functionmessage": "tool"}  # fmt: skip
_INNER: Final = ("new_message", "message", "prompt", "response", "request", "result", "update")
_ASKED: Final = ("prompt", "question", "query", "user_prompt")
_HOLDERS: Final = ("content", "parts", "tool_calls", "function_call", "text", "contents", "toolCalls")
_REPR: Final = re.compile(r"role='(\w{1,30})' content=('(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|None)", re.DOTALL)


def decoded(value: Any) -> Any:
    """Give the JSON value that is in a text, perhaps as a text in a text; other values and texts as they are."""
    for _ in range(MAX_LAYERS):
        if not isinstance(value, str) or value.strip()[:1] not in ("{", "[", '"'):
            return value
        inner = loads(value)
        if inner is None:
            return _literal(value)
        value = inner
    return value


def _literal(text: str) -> Any:
    """Read what Python writes for an object of texts, which some traces keep in place of JSON."""
    if len(text) > 200_000 or text.strip()[:1] not in ("{", "["):
        return text
    try:
        value = ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return text
    return value if isinstance(value, dict | list) else text


def messages_in(value: Any, *, answer: bool = False) -> list[Json]:
    """Give the messages in what a call was given or gave back; none when there is nothing like a message.

    Args:
        value: As the trace keeps it.
        answer: It is what the call gave back: calls of tools without a role are then the assistant's.
    """
    value = decoded(value)
    if isinstance(value, list):
        return _in_list(value, answer)
    return _in_object(value, answer) if isinstance(value, dict) else []


def _in_list(value: list[Any], answer: bool) -> list[Json]:
    items = [decoded(v) for v in value]
    if len(items) == 1 and isinstance(items[0], list):
        return _in_list(items[0], answer)
    if items and all(isinstance(v, str) for v in items):
        return [m for v in items for m in _from_repr(v)]
    rows = [v for v in items if isinstance(v, dict)]
    if answer and rows and all("toolName" in r or "tool_name" in r or r.get("type") == "tool_use" for r in rows):
        return [{"role": "assistant", "content": [{"type": "tool_call", **r} for r in rows]}]
    found: list[Json] = []
    for row in rows:
        found += _one(row) or (_in_object(row, answer) if len(rows) == 1 else [])
    return found


def _one(row: Json) -> list[Json]:
    """Give the message that an object is, when it is one."""
    row = unwrapped(row)
    if row.get("type") in ITEMS:
        return [row]
    role = row.get("role")
    if not isinstance(role, str):
        type_ = str(row.get("type", "")).lower()
        role = _ROLES.get(type_) or (type_ if type_ in ("tool", "system") else None)
        if role is None or "content" not in row:
            return []
    if not any(k in row for k in _HOLDERS) or _is_definition(row):
        return []
    message = {**row, "role": _ROLES.get(role.lower(), role), "content": _content(row)}
    if message["content"] is None:
        del message["content"]
    calls = row.get("tool_calls") or row.get("toolCalls") or some_object(row, "additional_kwargs").get("tool_calls")
    message.pop("tool_calls", None)
    if isinstance(calls, list) and calls:
        message["tool_calls"] = calls
    if isinstance(row.get("usage_metadata"), dict):
        message["usage"] = row["usage_metadata"]
    return [message]


def _content(row: Json) -> Any:
    content = row.get("content")
    if "content" not in row and isinstance(row.get("text"), str | list):
        return row["text"]
    if isinstance(content, dict) and isinstance(content.get("parts"), list):
        return content["parts"]
    if isinstance(content, str) and content.lstrip()[:2] == "[{" and '"type"' in content[:200]:
        inner = loads(content)  # typed parts, kept as text
        if isinstance(inner, list) and all(isinstance(p, dict) and isinstance(p.get("type"), str) for p in inner):
            return inner
    return content


def _is_definition(row: Json) -> bool:
    """Whether a message of the role tool only describes a tool, as LangChain's callback writes it."""
    content = row.get("content")
    return row.get("role") == "tool" and isinstance(content, dict) and content.get("type") == "function"


def _in_object(row: Json, answer: bool) -> list[Json]:
    """Give the messages in an object that is more than one message: what an API was asked or answered."""
    if found := _of_api(row, answer) or _one(row):
        return found
    prompts = _system(row)
    for key in _LISTS:
        if isinstance(row.get(key), list | str) and (found := messages_in(row[key], answer=answer)):
            return prompts + found
    for key in _INNER:
        inner = decoded(row.get(key))
        if isinstance(inner, dict) and (found := _one(inner) or _in_object(inner, answer)):
            return prompts + found
    if answer:
        return _answer(row)
    asked = next((row[k] for k in _ASKED if isinstance(row.get(k), str)), None)
    return [*prompts, {"role": "user", "content": asked}] if asked else []


def _of_api(row: Json, answer: bool) -> list[Json]:
    for choice in some_list(row, "choices")[:1]:
        if isinstance(choice, dict) and isinstance(choice.get("message"), dict):
            return [m | {"usage": row.get("usage")} for m in _one({"role": "assistant", **choice["message"]})]
    for candidate in (*some_list(row, "candidates")[:1], row):
        content = candidate.get("content") if isinstance(candidate, dict) else None
        if isinstance(content, dict) and isinstance(content.get("parts"), list):
            return _one({"role": "model" if answer else "user", **content})
    for generations in some_list(row, "generations")[:1]:
        inner = generations[0] if isinstance(generations, list) and generations else generations
        if isinstance(inner, dict) and isinstance(inner.get("message"), dict):
            return _one(inner["message"])
    return []


def _answer(row: Json) -> list[Json]:
    """Read an answer without a role: a text beside calls, as the AI SDK writes it, or calls alone."""
    calls = row.get("toolCalls") or row.get("tool_calls")
    if isinstance(calls, str):
        calls = loads(calls)
    text = row.get("text") if isinstance(row.get("text"), str) else None
    if isinstance(calls, list) and calls and all(isinstance(c, dict) for c in calls):
        return [{"role": "assistant", "content": text, "tool_calls": calls}]
    return [{"role": "assistant", "content": text}] if text else []


def _system(row: Json) -> list[Json]:
    config = some_object(row, "config")
    for holder in (row, config):
        for key in ("system", "system_instruction", "systemInstruction", "system_prompt", "instructions"):
            value = holder.get(key)
            if isinstance(value, dict) and isinstance(value.get("parts"), list):
                value = value["parts"]
            if value and isinstance(value, str | list):
                return [{"role": "system", "content": value}]
    return []


def _from_repr(text: str) -> list[Json]:
    """Read what Python's models print of a message: ``role='user' content='…'``."""
    found = _REPR.match(text)
    if found is None or found[2] == "None":
        return []
    try:
        return [{"role": found[1], "content": ast.literal_eval(found[2])}]
    except (ValueError, SyntaxError):
        return []


def chatml(message: Json) -> list[Json]:
    """Give a message in one form: role, content, name, tool_calls (id, name, arguments as text), tool_call_id.

    Results of tools that a message of another role holds become messages of the role tool, one each; not Gemini's.
    """
    try:
        parts = parts_of(message, "message")
    except UnreadableInput:
        parts = []
    role = str(message.get("role", "assistant"))
    results = [p for p in parts if p.kind is PartKind.RESULT]
    rows: list[Json] = []
    if results and (role in ("tool", "function") or any(_is_tool_result(p) for p in _typed(message))):
        for result in results:
            answer: Json = {"role": "tool", "content": result.text}
            rows.append(answer | ({"tool_call_id": result.id} if result.id else {}))
        if len(results) == 1 and not results[0].id and (answered := some_text(message, "tool_call_id")):
            rows[0]["tool_call_id"] = answered
        parts = [p for p in parts if p.kind is not PartKind.RESULT]
        if not parts:
            return rows
    row: Json = {"role": role}
    if name := some_text(message, "name"):
        row["name"] = name
    calls = [p for p in parts if p.kind is PartKind.CALL]
    if calls and any(p.get("type") == "function" for p in _typed(message)):
        row["content"] = plain_json(message["content"], compact=True)
        return [*rows, row]
    row["content"] = "\n".join(p.text for p in parts if p.kind not in (PartKind.CALL, PartKind.THOUGHT))
    if calls:
        row["tool_calls"] = [
            {"id": c.id or "", "name": c.name, "arguments": _as_text(c.arguments), "type": "function"} for c in calls
        ]
    if answered := some_text(message, "tool_call_id", "toolCallId"):
        row["tool_call_id"] = answered
    return [*rows, row]


def _typed(message: Json) -> list[Json]:
    return [p for key in ("content", "parts") for p in some_list(message, key) if isinstance(p, dict)]


def _is_tool_result(part: Json) -> bool:
    return part.get("type") in ("tool_call_response", "tool_result", "tool-result")


def _as_text(arguments: Any) -> str:
    return arguments if isinstance(arguments, str) else plain_json(arguments or {}, compact=True)
