"""ShareGPT: conversations of turns with `from` and `value`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from trajwiki.domain.messages import NewMessage, Role
from trajwiki.errors import UnreadableInput
from trajwiki.readers import jsontext
from trajwiki.readers.base import Confidence, Event, Head, Json, Options, ReaderFormat, Record, Skipped
from trajwiki.readers.fields import ROLES, a_list, a_text, an_object, short, some_text, timed
from trajwiki.readers.files import Source

_WRAPPERS: Final = ("conversations", "conversation", "items")
_OTHERS: Final = {"bing": Role.ASSISTANT, "gpt4": Role.ASSISTANT, "tool_response": Role.TOOL}
_CALLS: Final = ("function_call", "tool_call")


def detect(head: Head) -> Confidence:
    """Turns with from and value, in `conversations` or alone."""
    row = head.first
    talk = next((row[k] for k in _WRAPPERS if isinstance(row.get(k), list)), None)
    first = talk[0] if talk else row
    return Confidence.SURE if isinstance(first, dict) and {"from", "value"} <= set(first) else Confidence.NO


def read(source: Source, options: Options) -> Iterator[Event]:
    """Give the turns; each conversation is a session of its own."""
    for number, (place, value) in enumerate(jsontext.values(source), start=1):
        row = an_object(value, place, "an object with 'conversations'")
        if "from" in row:
            yield from _message(row, source.stem, place)
            continue
        talk = next((row[k] for k in _WRAPPERS if k in row), None)
        session = some_text(row, "id") or (source.stem if number == 1 else f"{source.stem}-{number}")
        if text := some_text(row, "system"):
            message = NewMessage("system", text, None, session, None, "sharegpt", role=Role.SYSTEM)
            yield Record(message, session, place)
        for count, turn in enumerate(a_list(talk, place, "a list in 'conversations'"), start=1):
            where = f"{place}, turn {count}"
            yield from _message(an_object(turn, where, "a turn with from and value"), session, where)


def _message(row: Json, session: str, where: str) -> Iterator[Event]:
    name = a_text(row, "from", where).lower()
    if name in _CALLS:
        yield Skipped("tool call", where)
        return
    sent_at, problems = timed(row, where)
    yield from problems
    role = _role(name, where)
    speaker = name if role in (Role.SYSTEM, Role.TOOL) else role.value
    message = NewMessage(speaker, a_text(row, "value", where), sent_at, session, None, "sharegpt", role=role)
    yield Record(message, session, where)


def _role(name: str, where: str) -> Role:
    found: Any = ROLES.get(name) or _OTHERS.get(name)
    if not isinstance(found, Role):
        raise UnreadableInput(f"{where}: expected human, gpt, system or tool in 'from', found {short(name)}")
    return found


FORMAT: Final = ReaderFormat(
    name="sharegpt",
    title="ShareGPT conversations",
    extensions=(".json", ".jsonl"),
    keeps="turns of person and model, system prompt and tool outputs as such",
    drops="tool calls",
    detect=detect,
    read=read,
)
