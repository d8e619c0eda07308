"""What a message of an agent's log holds: text, thoughts, calls and results, whichever API wrote it."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Any, Final

from trajwiki.errors import UnreadableInput
from trajwiki.readers.base import Json
from trajwiki.readers.fields import kind, short, some_object, some_text
from trajwiki.readers.runs.steps import loads, plain_json

_TEXT: Final = ("text", "input_text", "output_text", "refusal", "summary_text")
_THOUGHT: Final = ("thinking", "reasoning", "thought", "reasoning_text", "redacted_thinking", "analysis")
_CALL: Final = ("tool_use", "server_tool_use", "mcp_tool_use", "tool_call", "tool-call", "function_call",
                "functionCall", "custom_tool_call", "local_shell_call", "computer_call")  # fmt: skip
_RESULT: Final = ("tool_result", "tool-result", "tool_response", "tool_call_response", "function_call_output",
                  "function_response", "functionResponse", "web_search_tool_result", "mcp_tool_result",
                  "code_execution_tool_result", "custom_tool_call_output", "local_shell_call_output",
                  "computer_call_output", "tool_call_result", "tool-return")  # fmt: skip
_NAMES: Final = ("name", "tool_name", "toolName", "tool")
_CALL_IDS: Final = ("call_id", "tool_call_id", "toolCallId", "tool_use_id", "tool_id", "id")
_RESULT_IDS: Final = ("tool_use_id", "tool_call_id", "toolCallId", "call_id", "tool_id", "id")
_ARGUMENTS: Final = ("arguments", "input", "args", "parameters", "params", "kwargs", "tool_input", "function_args",
                     "action")  # fmt: skip
_RETURNED: Final = ("content", "output", "result", "response", "contents", "return", "text", "value")


class PartKind(enum.Enum):
    """What a part is."""

    TEXT = enum.auto()
    THOUGHT = enum.auto()
    CALL = enum.auto()
    RESULT = enum.auto()
    OTHER = enum.auto()  # an image, a file, something unknown


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a message.

    Attributes:
        kind: What it is.
        text: Of a text, thought, result, or what stands for an image or file.
        id: Of the call, for a call and for a result.
        name: Of the tool.
        arguments: Of a call, as the file gives them: an object, a text of JSON, or anything.
        flag: Of a result: whether the file says that it is an error.
        where: Pointer below the message.
    """

    kind: PartKind
    text: str = ""
    id: str | None = None
    name: str | None = None
    arguments: Any = None
    flag: bool | None = None
    where: str = ""


def parts_of(message: Json, where: str) -> list[Part]:
    """Give the parts of a message: thoughts first, then its content in order, then the calls beside it.

    Raises:
        UnreadableInput: Content or calls are not of any known shape.
    """
    found: list[Part] = []
    for key in ("reasoning_content", "reasoning", "thinking"):
        value = message.get(key)
        if isinstance(value, str) and value.strip():
            found.append(Part(PartKind.THOUGHT, value, where=f"/{key}"))
            break
    for key in ("content", "parts", "contents"):
        if message.get(key) is not None:
            found += content_parts(message[key], f"/{key}", where)
            break
    calls = message.get("tool_calls")
    if calls is not None and not isinstance(calls, list):
        raise UnreadableInput(f"{where}: expected a list of calls in 'tool_calls', found {kind(calls)}")
    for i, call in enumerate(calls or []):
        found.append(_call(_object(call, f"{where}, call {i + 1}"), f"/tool_calls/{i}"))
    if isinstance(message.get("function_call"), dict):
        found.append(_call(message["function_call"], "/function_call"))
    refusal = message.get("refusal")
    if isinstance(refusal, str) and refusal.strip() and not any(p.kind is PartKind.TEXT for p in found):
        found.append(Part(PartKind.TEXT, refusal, where="/refusal"))
    return _distinct(found)


def content_parts(value: Any, pointer: str, where: str) -> list[Part]:
    """Give the parts of a content: a text, an object, or a list of them."""
    if isinstance(value, str):
        return [Part(PartKind.TEXT, value, where=pointer)] if value.strip() else []
    if isinstance(value, list):
        found: list[Part] = []
        for i, item in enumerate(value):
            if isinstance(item, str):
                found += [Part(PartKind.TEXT, item, where=f"{pointer}/{i}")] if item.strip() else []
            else:
                found += part_of(_object(item, f"{where}, part {i + 1}"), f"{pointer}/{i}")
        return found
    if isinstance(value, dict):
        return part_of(value, pointer)
    raise UnreadableInput(f"{where}: expected text or a list of parts as content, found {kind(value)}")


def part_of(row: Json, pointer: str) -> list[Part]:
    """Give what one typed (or, as Gemini writes them, untyped) part holds."""
    both = isinstance(row.get("toolCallId"), str) and "state" in row
    if both and str(row.get("type")).startswith(("tool-", "dynamic-tool")):
        return _both(row, pointer)
    type_ = some_text(row, "type", "kind", "part_kind") or next((k for k in (*_CALL, *_RESULT) if k in row), "")
    inner = some_object(row, type_) if type_ not in ("text", "thinking") else {}
    if type_ in _CALL or (type_ == "function" and isinstance(row.get("function"), dict)):
        return [_call(row, pointer, inner if type_ in _CALL else None)]
    if type_ in _RESULT:
        return [_result({**row, **inner}, pointer)]
    said = next((row[k] for k in ("text", "content", "thinking", "reasoning", "refusal", "summary") if k in row), None)
    if type_ in _THOUGHT or row.get("thought") is True:
        text = said if isinstance(said, str) else _joined(said)
        return [Part(PartKind.THOUGHT, text, where=pointer)] if text.strip() else []
    if type_ in (*_TEXT, "") and isinstance(said, str):
        return [Part(PartKind.TEXT, said, where=pointer)] if said.strip() else []
    if not type_ and isinstance(row.get("parts"), list):
        return content_parts(row["parts"], f"{pointer}/parts", pointer)
    return [Part(PartKind.OTHER, _reference(row, type_), where=pointer)]


def _both(row: Json, pointer: str) -> list[Part]:
    """Give the call, and the result when it is there, of a part that holds both, as the AI SDK's interface keeps it."""
    id_ = some_text(row, "toolCallId")
    name = some_text(row, "toolName") or str(row["type"]).removeprefix("tool-")
    found = [Part(PartKind.CALL, id=id_, name=name, arguments=row.get("input", row.get("args")), where=pointer)]
    failed = row.get("state") == "output-error"
    if failed or "output" in row:
        text = text_of(row.get("errorText") if failed else row["output"])
        found.append(Part(PartKind.RESULT, text, id=id_, name=name, flag=True if failed else None, where=pointer))
    return found


def text_of(value: Any) -> str:
    """Give what a tool gave back as a text: verbatim when it is one, the text parts of a list, else JSON."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, list) and value and all(isinstance(v, str) or _plain_text(v) is not None for v in value):
        return "\n".join(v if isinstance(v, str) else _plain_text(v) or "" for v in value)
    if (text := _plain_text(value)) is not None:
        return text
    return plain_json(value, compact=True)


def _plain_text(value: Any) -> str | None:
    """Give the text of a text part, when it is nothing else."""
    if isinstance(value, dict) and value.get("type") in (*_TEXT, "error-text"):
        text = value.get("text", value.get("value"))
        return text if isinstance(text, str) else None
    return None


def _call(row: Json, pointer: str, inner: Json | None = None) -> Part:
    function = inner or some_object(row, "function")
    name = some_text(function, *_NAMES) or some_text(row, *_NAMES)
    id_ = some_text(row, *_CALL_IDS) or some_text(function, *_CALL_IDS)
    holder = function if any(k in function for k in _ARGUMENTS) else row
    arguments = next((holder[k] for k in _ARGUMENTS if holder.get(k) is not None), None)
    return Part(PartKind.CALL, id=id_, name=name or "tool", arguments=arguments, where=pointer)


def _result(row: Json, pointer: str) -> Part:
    value = next((row[k] for k in _RETURNED if row.get(k) is not None), None)
    flag = next((row[k] for k in ("is_error", "isError") if isinstance(row.get(k), bool)), None)
    if flag is None and isinstance(row.get("status"), str) and row["status"] in ("error", "failed", "incomplete"):
        flag = True
    text = text_of(value)
    if not text and (error := row.get("error")):
        text, flag = text_of(error), True
    return Part(
        PartKind.RESULT, text, id=some_text(row, *_RESULT_IDS), name=some_text(row, *_NAMES), flag=flag, where=pointer
    )


def _joined(value: Any) -> str:
    """Give the texts in a list of parts, such as the summary of a reasoning."""
    if not isinstance(value, list):
        return ""
    return "\n".join(
        v if isinstance(v, str) else some_text(v, "text") or "" for v in value if isinstance(v, str | dict)
    )


def _reference(row: Json, type_: str) -> str:
    """Name an image or a file by what the message calls it; inline data is not kept."""
    for holder in (row, *(v for v in row.values() if isinstance(v, dict))):
        name = some_text(holder, "file_name", "filename", "name", "file_id", "url", "uri", "path")
        if name and not name.startswith("data:"):
            return f"[{type_ or 'attachment'}: {name[:500]}]"
    return f"[{type_}]" if type_ else plain_json(row)


def _distinct(parts: list[Part]) -> list[Part]:
    """Leave out a call that is told twice, in the content and beside it."""
    seen: set[str] = set()
    kept: list[Part] = []
    for part in parts:
        if part.kind is PartKind.CALL and part.id:
            if part.id in seen:
                continue
            seen.add(part.id)
        kept.append(part)
    return kept


def _object(value: Any, where: str) -> Json:
    if isinstance(value, str) and value.lstrip()[:1] == "{":  # some exports keep JSON as text
        value = loads(value)
    if not isinstance(value, dict):
        raise UnreadableInput(f"{where}: expected an object, found {short(value)}")
    return value
