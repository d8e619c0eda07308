"""Readers of conversations with assistants: ChatGPT, Claude, Claude Code, Codex, Gemini CLI, LangChain, ShareGPT."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests import reader_files as files
from tests.reader_files import FILES, read, said
from trajwiki.domain.messages import Role
from trajwiki.errors import UnreadableInput
from trajwiki.readers import Options

# ChatGPT


def test_chatgpt_gives_the_current_branch(tmp_path: Path) -> None:
    found = read(tmp_path, files.CHATGPT)
    assert said(found) == [("user", "I moved to Porto."), ("web", "sunny"), ("assistant", "Nice weather there.")]
    assert [r.message.role for r in found] == [Role.USER, Role.TOOL, Role.ASSISTANT]
    assert {r.message.session for r in found} == {"talk-1"}
    assert found.records[0].message.sent_at == datetime(2024, 1, 1, 0, 0, 0, 500000, tzinfo=UTC)
    assert found.records[0].message.source_ref == "m-b"
    assert found.counts.skipped == {"hidden message": 1, "message of another branch": 2, "tool call": 1}


def test_chatgpt_gives_other_branches_as_sessions_on_request(tmp_path: Path) -> None:
    found = read(tmp_path, files.CHATGPT, options=Options(branches="all"))
    other = [(r.message.text, r.message.session) for r in found if r.message.session != "talk-1"]
    assert other == [("I moved to Faro.", "talk-1/d2"), ("The south!", "talk-1/d2")]
    assert {r.conversation for r in found} == {"talk-1"}


def _tree(**nodes: Any) -> list[dict[str, Any]]:
    return [{"id": "t", "mapping": nodes}]


def test_chatgpt_without_a_current_node_takes_the_last_leaf(tmp_path: Path) -> None:
    mapping = files.CHATGPT[0]["mapping"]
    found = read(tmp_path, [{"id": "t", "current_node": "gone", "mapping": {k: mapping[k] for k in ("b", "b2", "d2")}}])
    assert said(found) == [("user", "I moved to Faro."), ("assistant", "The south!")]


def test_chatgpt_rings_and_broken_nodes_are_errors(tmp_path: Path) -> None:
    node = files._node("a", "b", "user", "x")
    ring = {"a": node, "b": {**node, "id": "b", "parent": "a"}}
    with pytest.raises(UnreadableInput, match=r"item 1.*expected a tree in 'mapping'"):
        read(tmp_path, [{"id": "t", "current_node": "a", "mapping": ring}])
    with pytest.raises(UnreadableInput, match="expected a tree"):
        read(tmp_path, _tree(**ring))
    with pytest.raises(UnreadableInput, match="node 'a': expected a role"):
        read(tmp_path, _tree(a={**node, "parent": None, "message": {**node["message"], "author": {"role": "x"}}}))


def test_chatgpt_speech_images_and_instructions(tmp_path: Path) -> None:
    def node(key: str, parent: str | None, content: dict[str, Any]) -> dict[str, Any]:
        return files._node(key, parent, "user", "", content=content)

    parts = [{"content_type": "image_asset_pointer", "asset_pointer": "file-service://f1"}, "Is this a fig?",
             {"content_type": "audio_transcription", "text": "I ate it."}]  # fmt: skip
    found = read(tmp_path, _tree(
        a=node("a", None, {"content_type": "user_editable_context", "user_profile": "I am Ana."}),
        b=node("b", "a", {"content_type": "multimodal_text", "parts": parts}),
        c=node("c", "b", {"content_type": "multimodal_text", "parts": parts[:1]}),
    ))  # fmt: skip
    assert said(found) == [("user", "Is this a fig?\nI ate it.")]
    assert found.records[0].message.metadata["attachments"] == "file-service://f1"
    assert found.counts.skipped == {"attachment without text": 1, "custom instructions": 1}


def test_chatgpt_long_conversations_do_not_recurse(tmp_path: Path) -> None:
    chain = {str(n): files._node(str(n), str(n - 1) if n else None, "user", f"line {n}") for n in range(5_000)}
    assert len(read(tmp_path, [{"id": "t", "current_node": "4999", "mapping": chain}])) == 5_000


# The others


def test_claude(tmp_path: Path) -> None:
    found = read(tmp_path, files.CLAUDE)
    assert said(found) == [("user", "I like figs."), ("web", "figs"), ("assistant", "Noted.")]
    first, tool, last = (r.message for r in found)
    assert first.metadata == {"title": "Dinner", "attachments": "list.txt"}
    assert (tool.role, last.role) == (Role.TOOL, Role.ASSISTANT)
    assert (last.session, last.source_ref) == ("c1", "m2")
    assert first.sent_at == datetime(2026, 1, 15, 10, 30, tzinfo=UTC)
    assert "not said" not in repr(found)


def test_claude_code(tmp_path: Path) -> None:
    found = read(tmp_path, FILES["claude-code"])
    assert [(r.message.speaker, r.message.text, r.message.session) for r in found] == [
        ("user", "Fix the tests.", "s"),
        ("Bash", "1 failed", "s"),
        ("assistant", "You are a helper. Search.", "s/sub-agent"),  # told by the assistant, not by a person
    ]
    assert found.counts.skipped == {"duplicate": 1, "event": 1, "note of the program": 1, "tool call": 1}


def test_codex(tmp_path: Path) -> None:
    found = read(tmp_path, FILES["codex"])
    assert said(found) == [("user", "Sort the list."), ("shell", "done"), ("assistant", "Sorted.")]
    assert {r.message.session for r in found} == {"run-1"}
    assert found.records[0].message.sent_at == datetime(2026, 8, 1, 10, 0, 1, tzinfo=UTC)
    assert found.counts.skipped == {"event": 2, "note of the program": 1, "tool call": 1}


def test_gemini(tmp_path: Path) -> None:
    found = read(tmp_path, files.GEMINI)
    assert said(found) == [("user", "List files."), ("assistant", "Here."), ("ls", "a.txt")]
    assert found.counts.skipped == {"note of the program": 1}
    log = [{"sessionId": "g", "messageId": 0, "type": "user", "message": "Hi.", "timestamp": "2026-08-01T10:00:00Z"}]
    assert said(read(tmp_path, log)) == [("user", "Hi.")]


def test_langchain_in_all_its_spellings(tmp_path: Path) -> None:
    found = read(tmp_path, files.LANGCHAIN)
    assert said(found) == [("user", "Hi, I am Ana."), ("assistant", "Hello Ana."), ("user", "I have a dog.")]
    assert said(read(tmp_path, {"messages": files.LANGCHAIN})) == said(found)
    with pytest.raises(UnreadableInput, match=r"item 2: expected a message of type human, ai.*found 'robot'"):
        read(tmp_path, [files.LANGCHAIN[0], {"type": "robot", "content": "x"}])


def test_sharegpt(tmp_path: Path) -> None:
    found = read(tmp_path, files.SHAREGPT)
    assert said(found) == [("user", "Hello."), ("assistant", "Hi."), ("observation", "7")]
    assert found.records[2].message.role is Role.TOOL
    with pytest.raises(UnreadableInput, match="turn 1: expected human, gpt, system or tool in 'from', found 'cat'"):
        read(tmp_path, [{"conversations": [{"from": "cat", "value": "x"}]}])


def test_the_responses_api(tmp_path: Path) -> None:
    items = [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Weather?"}]},
        {"type": "reasoning", "summary": []},
        {"type": "function_call", "call_id": "c", "name": "weather", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c", "output": "18C"},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "18C."}]},
    ]
    found = read(tmp_path, items)
    assert said(found) == [("user", "Weather?"), ("weather", "18C"), ("assistant", "18C.")]
