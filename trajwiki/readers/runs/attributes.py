"""Attributes of spans: OTLP values decoded, and the messages in GenAI's and OpenInference's conventions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from trajwiki.readers.base import Json
from trajwiki.readers.fields import some_list, some_text
from trajwiki.readers.runs.chat import decoded, messages_in

MAX_DEPTH: Final = 50
_ASKED: Final = ("ai.prompt.messages", "ai.prompt", "gcp.vertex.agent.llm_request", "gen_ai.prompt")
_ANSWERED: Final = ("ai.response.toolCalls", "gcp.vertex.agent.llm_response", "gen_ai.completion")


def otlp(value: Any, depth: int = 0) -> Any:
    """Give what an OTLP/JSON AnyValue holds."""
    if not isinstance(value, dict) or depth > MAX_DEPTH:
        return value
    for key in ("stringValue", "boolValue", "doubleValue", "bytesValue"):
        if key in value:
            return value[key]
    if "intValue" in value:
        number = value["intValue"]
        return int(number) if isinstance(number, str) and number.lstrip("-").isdigit() and len(number) < 20 else number
    if isinstance(value.get("arrayValue"), dict):
        return [otlp(v, depth + 1) for v in some_list(value["arrayValue"], "values")]
    if isinstance(value.get("kvlistValue"), dict):
        return pairs(value["kvlistValue"].get("values"), depth + 1)
    return value


def pairs(value: Any, depth: int = 0) -> Json:
    """Give a list of OTLP keys and values, or an object, as an object."""
    if isinstance(value, dict):
        return value
    rows = [v for v in value if isinstance(v, dict)] if isinstance(value, list) else []
    return {str(r.get("key")): otlp(r.get("value"), depth) for r in rows if "key" in r}


def nested(attributes: Mapping[str, Any], prefix: str) -> list[Json]:
    """Give flat attributes such as ``prefix.0.message.role`` as a list of objects, inner lists likewise."""
    rows: dict[int, dict[str, Any]] = {}
    start = prefix + "."
    for key, value in attributes.items():
        if not key.startswith(start):
            continue
        number, _, rest = key[len(start) :].partition(".")
        if number.isdigit() and len(number) < 6 and rest:
            rows.setdefault(int(number), {})[rest] = value
    if len(rows) > 1 and 0 not in rows:  # the end of a stream of pieces, its beginning lost
        return []
    return [rows[n] for n in sorted(rows)]


def openinference(attributes: Mapping[str, Any], side: str) -> list[Json]:
    """Give the messages in ``llm.input_messages`` or ``llm.output_messages``."""
    found: list[Json] = []
    for row in nested(attributes, f"llm.{side}_messages"):
        calls = [
            {
                "id": c.get("tool_call.id") or "",
                "name": c.get("tool_call.function.name"),
                "arguments": c.get("tool_call.function.arguments"),
            }
            for c in nested(row, "message.tool_calls")
        ]
        contents = [_content(c) for c in nested(row, "message.contents")]
        message: Json = {
            "role": row.get("message.role", "assistant"),
            "content": row.get("message.content") or contents,
        }
        if calls:
            message["tool_calls"] = calls
        if row.get("message.tool_call_id"):
            message["tool_call_id"] = row["message.tool_call_id"]
        if row.get("message.name"):
            message["name"] = row["message.name"]
        if row.get("message.function_call_name"):
            message["function_call"] = {
                "name": row["message.function_call_name"],
                "arguments": row.get("message.function_call_arguments_json"),
            }
        found.append(message)
    return found


def _content(row: Json) -> Json:
    type_ = str(row.get("message_content.type", "text"))
    if type_ == "tool_use":
        return {
            "type": type_,
            "id": row.get("tool_call.id"),
            "name": row.get("tool_call.function.name"),
            "input": row.get("tool_call.function.arguments"),
        }
    if type_ in ("text", "reasoning"):
        return {"type": type_, "text": str(row.get("message_content.text") or "")}
    return {"type": type_, "url": row.get("message_content.image.image.url")}


def traceloop(attributes: Mapping[str, Any], side: str) -> list[Json]:
    """Give the messages in ``gen_ai.prompt.0.role`` and its like."""
    found: list[Json] = []
    for row in nested(attributes, "gen_ai." + ("prompt" if side == "input" else "completion")):
        calls = [
            {"id": c.get("id") or "", "name": c.get("name"), "arguments": c.get("arguments")}
            for c in nested(row, "tool_calls")
        ]
        message: Json = {"role": row.get("role", "assistant"), "content": row.get("content") or ""}
        if calls:
            message["tool_calls"] = calls
        if row.get("tool_call_id"):
            message["tool_call_id"] = row["tool_call_id"]
        found.append(message)
    return found


def genai(attributes: Mapping[str, Any], side: str) -> list[Json]:
    """Give the messages in ``gen_ai.input.messages`` and its like, with the system's instructions before them."""
    found: list[Json] = []
    for key in (
        f"gen_ai.{side}.messages",
        f"gen_ai.{side}_messages",
        "pydantic_ai.all_messages",
        "all_messages_events",
    ):
        if attributes.get(key):
            if key.startswith(("pydantic", "all_")) and side == "output":
                continue
            found = messages_in(attributes[key], answer=side == "output")
            if found:
                break
    system = decoded(attributes.get("gen_ai.system_instructions"))
    if side == "input" and system and isinstance(system, str | list):
        found = [{"role": "system", "content": system}, *found]
    return found


def messages(attributes: Mapping[str, Any], side: str) -> list[Json]:
    """Give the messages that attributes hold on one side of a call, in whichever convention."""
    for convention in (genai, openinference, traceloop):
        if found := convention(attributes, side):
            return found
    general = (f"{side}.value", f"langfuse.observation.{side}", f"traceloop.entity.{side}", f"gen_ai.{side}")
    for key in (*general, *(_ASKED if side == "input" else _ANSWERED)):
        if attributes.get(key) and (found := messages_in(attributes[key], answer=side == "output")):
            return found
    text = attributes.get("ai.response.text")
    return [{"role": "assistant", "content": text}] if side == "output" and isinstance(text, str) and text else []


def event_message(name: str, held: Mapping[str, Any]) -> tuple[str, Json] | None:
    """Give the message of a GenAI event, and its side: input, or output for a choice."""
    if not name.startswith("gen_ai.") or not name.endswith((".message", ".choice")):
        return None
    role = {"gen_ai.choice": "assistant"}.get(name) or name.removeprefix("gen_ai.").removesuffix(".message")
    body = {k.removeprefix("gen_ai."): decoded(v) for k, v in held.items()}
    inner = body.get("message")
    if isinstance(inner, dict):
        body = {**body, **inner}
    elif isinstance(inner, str):
        body["content"] = inner
    message: Json = {"role": str(body.get("role") or role), "content": body.get("content") or ""}
    if not isinstance(message["content"], str | list | dict):
        message["content"] = str(message["content"])
    if isinstance(body.get("tool_calls"), list):
        message["tool_calls"] = body["tool_calls"]
    answered = some_text(body, "tool_call_id", "id") if role == "tool" else None
    if answered:
        message["tool_call_id"] = answered
    return ("output" if name == "gen_ai.choice" else "input"), message
