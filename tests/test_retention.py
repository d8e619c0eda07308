"""A retention policy: what it means, what it takes, and what it refuses."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from trajwiki import Memory, NewMessage, Settings
from trajwiki.errors import UnreadableInput, UsageError
from trajwiki.models.wordllama import WordLlamaEmbedder
from trajwiki.retention import read_policy

NOW = datetime(2025, 1, 1, tzinfo=UTC)
SAID = [
    NewMessage("Ana", "I live in Lisbon.", datetime(2022, 5, 1, tzinfo=UTC), source_ref="old"),
    NewMessage("Bo", "I have a cat called Miso.", datetime(2022, 5, 1, 0, 1, tzinfo=UTC), source_ref="used"),
    NewMessage("Ana", "I play the oboe.", datetime(2024, 12, 30, tzinfo=UTC), source_ref="new"),
    NewMessage("Bo", "I sold my car.", None, source_ref="undated"),
]


@pytest.fixture
def memory(tmp_path: Path, embedder: WordLlamaEmbedder) -> Memory:
    memory = Memory.open(tmp_path / "m.db", settings=Settings(), embedder=embedder, clock=lambda: NOW)
    memory.space("s").add(SAID)
    memory.space("s").flush()
    return memory


def _policy(folder: Path, text: str) -> Path:
    path = folder / "policy.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_old_and_unused_goes_and_what_an_answer_stood_on_stays(memory: Memory, tmp_path: Path) -> None:
    space = memory.space("s")
    assert space.ask("What is Bo's cat called?").refs == ("used",)
    rule = '[[rules]]\nname = "old"\nolder_than_days = 365\nunused_for_days = 30\naction = "archive"\n'
    policy = read_policy(_policy(tmp_path, rule))
    (due,), found = space.retain(policy)
    assert due.refs == ("old",)
    assert found is not None and found.at is None
    assert len(space.state().messages) == len(SAID)  # a dry run
    with pytest.raises(UsageError, match="archive-to"):
        space.retain(policy, dry_run=False)
    space.retain(policy, dry_run=False, archive=tmp_path / "before.zip")
    assert [m.source_ref for m in space.state().messages.values()] == ["used", "new", "undated"]
    with Memory.open(tmp_path / "other.db", settings=Settings(), embedder=memory.embedder) as other:
        restored = other.import_space(tmp_path / "before.zip")
        assert "old" in other.space(restored.space.name).state().message_by_ref
    assert space.retain(policy)[1] is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("rules = []", "rules"),
        ('[[rules]]\nname = "all"\n', "every message"),
        ('[[rules]]\nname = "x"\nolder_than_days = -1\n', "older_than_days"),
        ('[[rules]]\nname = "x"\nspeaker = "Ana"\ndelete = true\n', "delete"),
        ("[[rules", "TOML"),
    ],
)
def test_a_policy_that_says_too_little_or_too_much_is_refused(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(UnreadableInput, match=said):
        read_policy(_policy(tmp_path, text))
