"""Readers on real exports, where the evaluation data is there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from trajwiki.errors import UnreadableInput
from trajwiki.readers import read_all

_SAMPLES = {
    "agents/claude-code_claude-normalization-main.jsonl": "claude-code",
    "agents/origin-capability_chatgpt-export.json": "chatgpt",
    "agents/origin-capability_claude-ai-export.json": "claude",
    "agents/origin-capability_claude-code-session.jsonl": "claude-code",
    "agents/origin-capability_codex-session.jsonl": "codex",
    "agents/origin-capability_gemini-cli-session.json": "gemini-cli",
    "chatgpt/example-conversation.json": "chatgpt",
    "chat_miner/instagram/test_export.json": "instagram",
    "chat_miner/signal/test_export.txt": "signal",
    "chat_miner/telegram/test_batch_export.json": "telegram",
    "chat_miner/telegram/test_single_export.json": "telegram",
    "chat_miner/whatsapp/test_ddmmyy_24hrs.txt": "whatsapp",
    "chat_miner/whatsapp/test_yyyymmdd_24hrs.txt": "whatsapp",
    "claude_ai_synthetic_sample.json": "claude",
    "discord_synthetic_sample.json": "discord",
    "openai_messages_synthetic_sample.jsonl": "openai",
    "slack/testarchive.zip": "slack",
    "telegram_synthetic_sample.json": "telegram",
}


@pytest.mark.parametrize("name", _SAMPLES)
def test_every_export_reads(shared: Path, name: str) -> None:
    found = read_all(shared / "exports" / name)
    assert found.format == _SAMPLES[name]
    assert len(found) > 0
    assert "message.not-storable" not in {p.code for p in found.problems}


@pytest.mark.parametrize("name", [n for n in _SAMPLES if n.startswith("chat_miner/")])
def test_exports_give_what_another_reader_gives(shared: Path, name: str) -> None:
    path = shared / "exports" / name
    wanted = json.loads((path.parent / "target.json").read_text(encoding="utf-8"))
    found = [
        (r.message.sent_at.replace(tzinfo=None).isoformat(), r.message.speaker, " ".join(r.message.text.split()))
        for r in read_all(path)
        if r.message.sent_at
    ]
    assert sorted(found) == sorted((w["timestamp"], w["author"], w["message"]) for w in wanted)


def test_locomo_is_read_whole(shared: Path) -> None:
    path = shared / "locomo" / "locomo-dev.json"
    found = read_all(path)
    turns = [
        (sample["sample_id"], turn["dia_id"], turn["text"], turn.get("blip_caption"))
        for sample in json.loads(path.read_text(encoding="utf-8"))
        for session in sample["conversation"].values()
        if isinstance(session, list)
        for turn in session
    ]
    assert [(r.conversation, r.message.source_ref, r.message.text, r.message.caption) for r in found] == turns
    assert all(r.message.sent_at for r in found)


def test_the_data_sets_read(shared: Path) -> None:
    for path in sorted((shared / "longmemeval").glob("*.json")):
        items = json.loads(path.read_text(encoding="utf-8"))
        turns = sum(len(s) for i in items for s in i["haystack_sessions"])
        found = read_all(path)
        assert found.counts.read == turns
        assert all(r.message.sent_at for r in found)
    for path in sorted((shared / "bfcl" / "conversations").glob("*.json")):
        assert read_all(path).format == "bfcl"


def test_what_is_no_conversation_is_refused(shared: Path) -> None:
    for name in ("locomo/LICENSE.txt", "locomo/locomo-dev-qa.jsonl", "exports/chatgpt/chatgpt-data-export-format.md"):
        with pytest.raises(UnreadableInput, match="no known format"):
            read_all(shared / name)
