"""Taking fields out of JSON records: typed, with an error that says which record and what was expected."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from trajwiki.domain.messages import Role
from trajwiki.domain.problems import Problem
from trajwiki.errors import UnreadableInput
from trajwiki.readers import clock
from trajwiki.readers.base import Event, Json

ROLES: Final[Mapping[str, Role]] = {
    **dict.fromkeys(("user", "human", "person"), Role.USER),
    **dict.fromkeys(("assistant", "ai", "model", "gpt", "bot", "chatgpt", "bard", "gemini", "claude"), Role.ASSISTANT),
    **dict.fromkeys(("system", "developer"), Role.SYSTEM),
    **dict.fromkeys(("tool", "function", "observation", "function_response"), Role.TOOL),
}
TIME_KEYS: Final = ("timestamp", "created_at", "create_time", "createdAt", "created", "date_time", "datetime", "date",
                    "time", "sent_at", "ts")  # fmt: skip


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
