"""Taking fields out of JSON records: typed, with an error that says which record and what was expected."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from trajwiki.domain.messages import Role
from trajwiki.domain.problems import Problem
from trajwiki.errors import UnreadableInput
from trajwiki.readers import clock
from trajwiki.readers.base import Event, Json, Skipped

ROLES: Final[Mapping[str, Role]] = {
    **dict.fromkeys(("user", "human", "person"), Role.USER),
    **dict.fromkeys(("assistant", "ai", "model", "gpt", "bot", "chatgpt", "bard", "gemini", "claude"), Role.ASSISTANT),
    **dict.fromkeys(("system", "developer"), Role.SYSTEM),
    **dict.fromkeys(("tool", "function", "observation", "function_response"), Role.TOOL),
}
TIME_KEYS: Final = ("timestamp", "created_at", "create_time", "createdAt", "created", "date_time", "datetime", "date",
                    "time", "sent_at", "ts")  # fmt: skip

_TEXT_PARTS: Final = ("text", "input_text", "output_text", "refusal")
_THOUGHT_PARTS: Final = ("thinking", "redacted_thinking", "reasoning", "thought")
_CALL_PARTS: Final = ("tool_use", "server_tool_use", "tool_call", "function_call", "tool-call", "functionCall")
_RESULT_PARTS: Final = ("tool_result", "tool-result", "function_call_output", "web_search_tool_result")


def an_object(value: Any, where: str, expected: str = "a JSON object") -> Json:
    """Give the value when it is an object."""
    if not isinstance(value, dict):
        raise UnreadableInput(f"{where}: expected {expected}, found {kind(value)}")
    return value


def a_list(value: Any, where: str, expected: str = "a list") -> list[Any]:
    """Give the value when it is a list."""
    if not isinstance(value, list):
        raise UnreadableInput(f"{where}: expected {expected}, found {kind(value)}")
    return value


def a_text(row: Json, key: str, where: str) -> str:
    """Give the text of a key that must be there."""
    value = row.get(key)
    if not isinstance(value, str):
        found = kind(value) if key in row else f"no such key (keys: {', '.join(sorted(map(str, row))[:12])})"
        raise UnreadableInput(f"{where}: expected text in {key!r}, found {found}")
    return value


def some_text(row: Json, *keys: str) -> str | None:
    """Give the first of the keys that holds a text that is not blank, or a number."""
    for key in keys:
        value = row.get(key)
        if isinstance(value, str) and value.strip():
            return value
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
    return None


def some_object(row: Json, key: str) -> Json:
    """Give the object of a key, or an empty one."""
    value = row.get(key)
    return value if isinstance(value, dict) else {}


def some_list(row: Json, key: str) -> list[Any]:
    """Give the list of a key, or an empty one."""
    value = row.get(key)
    return value if isinstance(value, list) else []


def a_role(name: Any, where: str) -> Role:
    """Give the role of that name."""
    role = ROLES.get(name.lower()) if isinstance(name, str) else None
    if role is None:
        raise UnreadableInput(f"{where}: expected a role such as user, assistant, system or tool, found {short(name)}")
    return role


def timed(row: Json, where: str, *keys: str) -> tuple[datetime | None, list[Event]]:
    """Give the time in the first of the keys that has one, and a problem when it cannot be read."""
    for key in keys or TIME_KEYS:
        value = row.get(key)
        if value is None or value in ("", 0):
            continue
        moment = clock.parse(value)
        return moment, [] if moment else [unreadable_time(value, where)]
    return None, []


def unreadable_time(value: Any, where: str) -> Problem:
    """Say that a time cannot be read; the message then has none."""
    return Problem("time.unreadable", f"cannot read the time {short(value)}; the message has no time", where)


def kind(value: Any) -> str:
    """Name the JSON kind of a value, for a person."""
    names = {dict: "an object", list: "a list", str: "text", bool: "true or false", type(None): "nothing"}
    return names.get(type(value), "a number")


def short(value: Any) -> str:
    """Show a value in a few characters."""
    text = repr(value) if isinstance(value, str | int | float | bool | None) else kind(value)
    return text if len(text) <= 60 else text[:57] + "…"


@dataclass(frozen=True, slots=True)
class Content:
    """What a message of an assistant's API holds.

    Attributes:
        text: What is said in it.
        results: Outputs of tools: name or id of the call, and text.
        calls: Names of the tools called.
        attachments: References to files and images; never opened.
        thought: Whether it holds reasoning, which is left out.
    """

    text: str = ""
    results: tuple[tuple[str, str], ...] = ()
    calls: tuple[str, ...] = ()
    attachments: tuple[str, ...] = ()
    thought: bool = False

    def metadata(self) -> dict[str, str]:
        """Give what is kept beside the text."""
        kept = {"attachments": "\n".join(self.attachments), "tools_called": ", ".join(self.calls)}
        return {key: value for key, value in kept.items() if value}

    def silence(self, where: str) -> Iterator[Skipped]:
        """Say why there is no text to keep."""
        if self.calls:
            yield Skipped("tool call", where)
        elif self.attachments:
            yield Skipped("attachment without text", where)
        elif self.thought:
            yield Skipped("reasoning", where)
        elif not self.results:
            yield Skipped("empty message", where)


def content_of(value: Any, where: str) -> Content:
    """Read the content of a message: a text, nothing, or a list of typed parts."""
    if value is None:
        return Content()
    if isinstance(value, str):
        return Content(value)
    texts: list[str] = []
    results: list[tuple[str, str]] = []
    calls: list[str] = []
    attachments: list[str] = []
    thought = False
    for part in [value] if isinstance(value, dict) else a_list(value, where, "text or a list of parts as content"):
        if isinstance(part, str):
            texts.append(part)
            continue
        row = an_object(part, where, "text or an object as a part of the content")
        type_ = some_text(row, "type", "content_type") or next((k for k in _CALL_PARTS if k in row), "text")
        said = row.get("text", row.get("refusal"))
        if type_ in _RESULT_PARTS:
            results.append((some_text(row, "name", "tool_use_id", "call_id") or "tool", plain(row, where)))
        elif type_ in _CALL_PARTS:
            calls.append(some_text(row, "name") or some_text(some_object(row, type_), "name") or "tool")
        elif type_ in _THOUGHT_PARTS or row.get("thought") is True:
            thought = True
        elif type_ in _TEXT_PARTS and isinstance(said, str):
            texts.append(said)
        else:
            attachments.append(_reference(row, type_))
    return Content("\n".join(t for t in texts if t), tuple(results), tuple(calls), tuple(attachments), thought)


def plain(row: Json, where: str) -> str:
    """Give the text of a tool's result."""
    value = row.get("content", row.get("output", row.get("result")))
    return content_of(value, where).text if isinstance(value, str | list | dict) else ""


def _reference(row: Json, type_: str) -> str:
    """Name an attached file or image by what the file calls it; inline data is not kept."""
    inner = [v for v in row.values() if isinstance(v, dict)]
    for holder in (row, *inner):
        name = some_text(holder, "file_name", "filename", "name", "asset_pointer", "file_id", "url", "path")
        if name and not name.startswith("data:"):
            return name[:500]
    value = row.get(type_)
    return value[:500] if isinstance(value, str) and not value.startswith("data:") else type_
