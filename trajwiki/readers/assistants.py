"""What messages of assistants hold besides text: tool calls and their results, thoughts, attachments."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

from trajwiki.domain.messages import NewMessage, Role
from trajwiki.readers.base import Json, Record, Skipped
from trajwiki.readers.fields import a_list, an_object, some_object, some_text

_TEXT_PARTS: Final = ("text", "input_text", "output_text", "refusal")
_THOUGHT_PARTS: Final = ("thinking", "redacted_thinking", "reasoning", "thought")
_CALL_PARTS: Final = ("tool_use", "server_tool_use", "tool_call", "function_call", "tool-call", "functionCall")
_RESULT_PARTS: Final = ("tool_result", "tool-result", "function_call_output", "web_search_tool_result")


@dataclass(frozen=True, slots=True)
class Content:
    """What a message of an assistant's API holds.

    Attributes:
        text: What is said in it.
        results: Outputs of tools: the id of the call, and text.
        calls: Tools called: the id of the call, and the name.
        attachments: References to files and images; never opened.
        thought: Whether it holds reasoning, which is left out.
    """

    text: str = ""
    results: tuple[tuple[str, str], ...] = ()
    calls: tuple[tuple[str, str], ...] = ()
    attachments: tuple[str, ...] = ()
    thought: bool = False

    def metadata(self) -> dict[str, str]:
        """Give what is kept beside the text."""
        called = ", ".join(name for _, name in self.calls)
        kept = {"attachments": "\n".join(self.attachments), "tools_called": called}
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
    calls: list[tuple[str, str]] = []
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
            results.append((some_text(row, "tool_use_id", "call_id", "toolCallId") or "", plain(row, where)))
        elif type_ in _CALL_PARTS:
            calls.append(call_of(row, type_))
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


def call_of(row: Json, type_: str = "function") -> tuple[str, str]:
    """Give the id and the name of a tool call."""
    name = some_text(row, "name", "toolName") or some_text(some_object(row, type_), "name")
    return some_text(row, "id", "call_id", "toolCallId") or "", name or "tool"


def say(
    content: Content, said: NewMessage, tools: dict[str, str], *, conversation: str, where: str
) -> Iterator[Record | Skipped]:
    """Give what a content holds: outputs of tools as messages of the tools, then its text, or why there is none.

    Args:
        content: What the message holds.
        said: The message without text; its metadata is added to.
        tools: Names of the tools by id of the call, so far in this file; the calls of this content are added.
        conversation: The conversation of the records.
        where: Their place.
    """
    tools.update(call for call in content.calls if call[0])
    for call, output in content.results:
        metadata = {"tool_call_id": call} if call else {}
        result = NewMessage(
            tools.get(call) or "tool", output, said.sent_at, said.session, None, said.source, None, Role.TOOL, metadata
        )
        yield Record(result, conversation, where)
    if content.text.strip():
        metadata = {k: v for k, v in {**said.metadata, **content.metadata()}.items() if v}
        yield Record(replace(said, text=content.text, metadata=metadata), conversation, where)
    else:
        yield from content.silence(where)


def _reference(row: Json, type_: str) -> str:
    """Name an attached file or image by what the file calls it; inline data is not kept."""
    inner = [v for v in row.values() if isinstance(v, dict)]
    for holder in (row, *inner):
        name = some_text(holder, "file_name", "filename", "name", "asset_pointer", "file_id", "url", "path")
        if name and not name.startswith("data:"):
            return name[:500]
    value = row.get(type_)
    return value[:500] if isinstance(value, str) and not value.startswith("data:") else type_
