"""ChatGPT's data export: conversations as trees of messages, of which one branch is the current one."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any, Final

from trajwiki.domain.messages import NewMessage, Role
from trajwiki.errors import UnreadableInput
from trajwiki.readers import clock, jsontext
from trajwiki.readers.assistants import content_of
from trajwiki.readers.base import Confidence, Event, Head, Json, Options, ReaderFormat, Record, Skipped
from trajwiki.readers.fields import (
    a_role,
    an_object,
    short,
    some_list,
    some_object,
    some_text,
    unreadable_time,
)
from trajwiki.readers.files import Source

_TEXTUAL: Final = ("text", "multimodal_text", "execution_output", "tether_quote", "tether_browsing_display", "code")
_REASONING: Final = ("thoughts", "reasoning_recap")
_CONTEXT: Final = ("user_editable_context", "model_editable_context")


def detect(head: Head) -> Confidence:
    """An object with a `mapping` of nodes."""
    mapping = head.first.get("mapping")
    nodes = list(mapping.values())[:3] if isinstance(mapping, dict) else []
    ours = nodes and all(isinstance(n, dict) and {"parent", "children", "message"} & set(n) for n in nodes)
    return Confidence.SURE if ours or (mapping == {} and "current_node" in head.first) else Confidence.NO


def read(source: Source, options: Options) -> Iterator[Event]:
    """Give the current branch of each conversation and, where asked for, the others as sessions of their own."""
    for number, (place, value) in enumerate(jsontext.values(source), start=1):
        row = an_object(value, place, "a conversation with a mapping")
        mapping = an_object(row.get("mapping"), place, "an object of nodes in 'mapping'")
        name = some_text(row, "id", "conversation_id") or f"{source.stem}-{number}"
        title = some_text(row, "title") or ""
        current = _path(mapping, _leaf(row, mapping, place), place)
        yield from _branch(mapping, current, name, name, title, place)
        taken = set(current)
        left = [key for key in mapping if key not in taken]
        if options.branches == "current":
            said = [k for k in left if isinstance(mapping[k], dict) and mapping[k].get("message")]
            yield from (Skipped("message of another branch", f"{place}, node {short(k)}") for k in said)
            continue
        for leaf in _leaves(mapping, left):
            branch = [key for key in _path(mapping, leaf, place) if key not in taken]
            taken.update(branch)
            yield from _branch(mapping, branch, name, f"{name}/{leaf}", title, place)


def _leaf(row: Json, mapping: Json, place: str) -> str | None:
    """Give the last node of the current branch: the one named, else the deepest of the last children."""
    named = row.get("current_node")
    if isinstance(named, str) and named in mapping:
        return named
    leaves = _leaves(mapping, list(mapping))
    if mapping and not leaves:
        raise UnreadableInput(f"{place}: expected a tree in 'mapping'; every node has children")
    return leaves[-1] if leaves else None


def _leaves(mapping: Json, keys: list[str]) -> list[str]:
    """Give those of the nodes that no node names as its parent."""
    parents = {node.get("parent") for node in mapping.values() if isinstance(node, dict) if _named(node.get("parent"))}
    return [key for key in keys if key not in parents]


def _named(value: Any) -> bool:
    return isinstance(value, str)


def _path(mapping: Json, leaf: str | None, place: str) -> list[str]:
    """Give the nodes from the root to the leaf."""
    path: list[str] = []
    seen: set[str] = set()
    node = leaf
    while node is not None and node in mapping:
        if node in seen:
            raise UnreadableInput(f"{place}, node {short(node)}: expected a tree in 'mapping'; found a ring")
        seen.add(node)
        path.append(node)
        parent = an_object(mapping[node], f"{place}, node {short(node)}", "a node").get("parent")
        node = parent if _named(parent) else None
    return path[::-1]


def _branch(mapping: Json, path: list[str], conversation: str, session: str, title: str, place: str) -> Iterator[Event]:
    for key in path:
        where = f"{place}, node {short(key)}"
        message = an_object(mapping[key], where, "a node").get("message")
        if message is None:
            continue  # the root, a placeholder
        yield from _message(an_object(message, where, "a message"), key, (conversation, session, title), where)


def _message(row: Json, key: str, names: tuple[str, str, str], where: str) -> Iterator[Event]:
    conversation, session, title = names
    author = an_object(row.get("author"), where, "an object in 'author'")
    role = a_role(author.get("role"), where)
    metadata = some_object(row, "metadata")
    content = row.get("content")
    if content is None:
        content = {}
    content = an_object(content, where, "an object in 'content'")
    reason = _left_out(row, metadata, content, role)
    if reason:
        yield Skipped(reason, where)
        return
    text, attachments = _text(content, where)
    attachments += [
        n for a in some_list(metadata, "attachments") if isinstance(a, dict) and (n := some_text(a, "name"))
    ]
    if not text.strip():
        yield Skipped("attachment without text" if attachments else "empty message", where)
        return
    moment, problem = _time(row, where)
    if problem:
        yield problem
    kept = {"title": title, "attachments": "\n".join(attachments)}
    yield Record(
        NewMessage(
            speaker=some_text(author, "name") or str(author["role"]).lower(),
            text=text,
            sent_at=moment,
            session=session,
            source_ref=some_text(row, "id") or key,
            source="chatgpt",
            role=role,
            metadata={k: v for k, v in kept.items() if v},
        ),
        conversation,
        where,
    )


def _left_out(row: Json, metadata: Json, content: Json, role: Role) -> str | None:
    """Say why a node is not part of what was said; None when it is."""
    type_ = content.get("content_type", "text")
    if metadata.get("is_visually_hidden_from_conversation") is True or metadata.get("is_user_system_message") is True:
        return "hidden message"
    if type_ in _CONTEXT:
        return "custom instructions"
    if type_ in _REASONING or row.get("channel") == "commentary":
        return "reasoning"
    if role is Role.ASSISTANT and row.get("recipient") not in (None, "all"):
        return "tool call"
    return None


def _text(content: Json, where: str) -> tuple[str, list[str]]:
    """Give the text of a content, and what is attached."""
    parts = content.get("parts")
    if parts is None:
        said = content.get("text", content.get("result"))
        return (said if isinstance(said, str) else ""), []
    if not isinstance(parts, list):
        return content_of(parts, where).text, []
    texts: list[str] = []
    attachments: list[str] = []
    for part in parts:
        if isinstance(part, str):
            texts.append(part)
        elif isinstance(part, dict):
            said = part.get("text")
            if isinstance(said, str):  # also the transcription of what was spoken
                texts.append(said)
            elif name := some_text(part, "asset_pointer", "name", "url", "content_type"):
                attachments.append(name)
    return "\n".join(t for t in texts if t), attachments


def _time(row: Json, where: str) -> tuple[datetime | None, Event | None]:
    value = row.get("create_time")
    moment = clock.parse(value) if value else None
    return moment, unreadable_time(value, where) if value and moment is None else None


FORMAT: Final = ReaderFormat(
    name="chatgpt",
    title="ChatGPT export",
    extensions=(".json", ".zip"),
    keeps="the current branch of every conversation: text of user, assistant, system and tool messages, spoken parts "
    "as transcribed, names of attachments, the title",
    drops="other branches (unless asked for), hidden messages, custom instructions, reasoning, tool calls, images",
    detect=detect,
    read=read,
)
