"""Corrections, reverts, edits and erasure: undone, amended and removed exactly."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.states import differences
from trajwiki import Memory, NewMessage, Settings, Space
from trajwiki.domain.claims import Status
from trajwiki.domain.state import SpaceState
from trajwiki.erasure import Selection
from trajwiki.errors import UnknownItem, UsageError
from trajwiki.models.wordllama import WordLlamaEmbedder

MAY = datetime(2024, 5, 6, 10, tzinfo=UTC)

TALK = [
    ("Ana", "I live in Porto and I play the violin."),
    ("Ben", "Nice, I live in Braga."),
    ("Ana", "My neighbour Tomas sold me a zebrawood desk."),
    ("Ben", "I bought a kayak in April."),
    ("Ana", "I moved to Madrid last week, I live in Madrid now."),
    ("Ben", "Wow! I play the violin too."),
]


def tell(space: Space, lines: list[tuple[str, str]] = TALK, *, start: datetime = MAY) -> None:
    first = space.state().next_ordinal
    space.add(
        NewMessage(speaker, text, start + timedelta(days=first + i), "talk", f"m{first + i}")
        for i, (speaker, text) in enumerate(lines)
    )
    space.flush()


def claim(state: SpaceState, text: str) -> str:
    return next(c.id for c in state.claims.values() if c.text == text)


def status(space: Space, text: str) -> Status:
    state = space.state()
    return state.status[claim(state, text)]


@pytest.fixture
def space(memory: Memory) -> Space:
    space = memory.create_space("a", id="space_fixed")
    tell(space)
    return space


def test_a_persons_correction_outranks_what_is_read(space: Space) -> None:
    wrong = claim(space.state(), "Ana lives in Madrid now.")
    commit = space.revise_claim(wrong, "Ana lives in Toledo.", reason="she told me on the phone")
    assert (commit.kind, commit.actor) == ("correction", "local")
    assert status(space, "Ana lives in Madrid now.") is Status.DEPRECATED
    assert status(space, "Ana lives in Toledo.") is Status.ACTIVE
    space.add([NewMessage("Ana", "I live in Madrid.", MAY + timedelta(days=9), "talk", "late")])
    space.flush()
    assert status(space, "Ana lives in Madrid now.") is Status.DEPRECATED
    (op,) = [o for o in space.state().ops if o.decided_by == "person:local"]
    assert op.reason == "she told me on the phone"


def test_claims_can_be_added_deprecated_and_restored_by_a_person(space: Space) -> None:
    space.add_claim("Ana is left-handed.", reason="seen", subject="Ana")
    assert status(space, "Ana is left-handed.") is Status.ACTIVE
    claim_id = claim(space.state(), "Ana is left-handed.")
    space.deprecate_claim(claim_id, reason="a mistake")
    assert status(space, "Ana is left-handed.") is Status.DEPRECATED
    space.restore_claim(claim_id, reason="it was right")
    assert status(space, "Ana is left-handed.") is Status.ACTIVE
    assert space.examine() == []
    with pytest.raises(UnknownItem):
        space.deprecate_claim("claim_nothing", reason="x")
    with pytest.raises(UsageError):
        space.deprecate_claim(claim_id, reason=" ")


def test_a_revert_takes_back_and_its_revert_restores(space: Space) -> None:
    before = dict(space.state().status)
    wrong = claim(space.state(), "Ana lives in Madrid now.")
    commit = space.deprecate_claim(wrong, reason="no")
    after = dict(space.state().status)
    undo = space.revert(commit.n)
    assert space.state().status == before
    space.revert(undo.n)
    assert space.state().status == after
    assert space.examine() == []


def test_a_revert_is_refused_where_later_commits_stand_on_it(space: Space) -> None:
    wrong = claim(space.state(), "Ana lives in Madrid now.")
    first = space.deprecate_claim(wrong, reason="no")
    second = space.restore_claim(wrong, reason="yes")
    with pytest.raises(UsageError, match=str(second.n)):
        space.revert(first.n)
    space.revert(first.n, with_dependents=True)
    assert status(space, "Ana lives in Madrid now.") is Status.ACTIVE
    with pytest.raises(UsageError, match="did nothing to claims"):
        space.revert(1)
    with pytest.raises(UnknownItem):
        space.revert(99)


def test_an_edited_message_is_understood_again(space: Space) -> None:
    edited = NewMessage("Ana", "My neighbour Tomas gave me a walnut desk.", MAY + timedelta(days=2), "talk", "m2")
    assert space.add([edited]).counts["messages"] == 1
    state = space.state()
    assert state.messages[state.message_by_ref["m2"]].revision == 1
    current = [c.text for c in state.claims.values() if state.is_current(c.id)]
    former = [c.text for c in state.claims.values() if not state.is_current(c.id)]
    assert any("walnut" in t for t in current) and not any("zebrawood" in t for t in current)
    assert any("zebrawood" in t for t in former)
    assert space.examine() == []
    head = space.log()[0].n
    space.add([edited])
    assert space.log()[0].n == head


def test_looking_back_shows_what_was_believed(space: Space) -> None:
    then = space.log()[0].n
    space.deprecate_claim(claim(space.state(), "Ana lives in Madrid now."), reason="no")
    old, new = space.state(as_of=then), space.state()
    assert old.status[claim(old, "Ana lives in Madrid now.")] is Status.ACTIVE
    assert new.status[claim(new, "Ana lives in Madrid now.")] is Status.DEPRECATED
    found = space.diff(then, space.log()[0].n)
    assert [text for text, _ in found.deprecated] == ["Ana lives in Madrid now."]


def test_erasing_is_a_replay_with_the_hole(memory: Memory, space: Space) -> None:
    """F70, F71: what stood on it alone is gone, what has other sources stays, what it had replaced is back."""
    space.erase(Selection(refs=("m4",)))
    state = space.state()
    assert "m4" not in state.message_by_ref
    assert not any("Madrid" in c.text for c in state.claims.values())
    assert status(space, "Ana lives in Porto.") is Status.ACTIVE
    assert space.examine() == []
    again = memory.create_space("b", id="space_other")
    assert again.state().messages == {}


def test_a_dry_run_erases_nothing_and_says_the_same(space: Space) -> None:
    before = space.state()
    said = space.erase(Selection(matching="ZEBRAWOOD"), dry_run=True)
    assert said.messages == ("m2",) and any("zebrawood" in t for t in said.claims)
    assert differences(before, space.state()) == []
    done = space.erase(Selection(matching="ZEBRAWOOD"))
    assert (done.messages, done.claims, done.kept, done.changed) == (
        said.messages,
        said.claims,
        said.kept,
        said.changed,
    )
    assert done.at is not None and done.scrubbed


def test_f69_erased_text_is_in_no_byte_of_the_data_folder(tmp_path: Path, embedder: WordLlamaEmbedder) -> None:
    with Memory.open(tmp_path / "m.db", settings=Settings(), embedder=embedder) as memory:
        space = memory.space("a")
        tell(space)
        space.ask("Who sold Ana a zebrawood desk?")
        assert any(b"zebrawood" in f.read_bytes() for f in tmp_path.iterdir())
        receipt = space.erase(Selection(matching="zebrawood"))
        assert receipt.scrubbed
        for word in (b"zebrawood", b"Tomas"):
            assert not any(word in f.read_bytes() for f in tmp_path.iterdir() if f.is_file())
    for word in (b"zebrawood", b"Tomas"):
        assert not any(word in f.read_bytes() for f in tmp_path.iterdir() if f.is_file())


def test_corrections_survive_an_erasure(space: Space) -> None:
    space.add_claim("Ana is left-handed.", reason="seen", subject="Ana")
    wrong = claim(space.state(), "Ana lives in Madrid now.")
    space.revise_claim(wrong, "Ana lives in Toledo.", reason="phone")
    space.erase(Selection(refs=("m2",)))
    assert status(space, "Ana is left-handed.") is Status.ACTIVE
    assert status(space, "Ana lives in Toledo.") is Status.ACTIVE
    assert status(space, "Ana lives in Madrid now.") is Status.DEPRECATED
    assert space.examine() == []


def test_messages_can_be_added_after_an_erasure(space: Space) -> None:
    space.erase(Selection(refs=("m1", "m5")))
    tell(space, [("Ana", "I adopted a dog named Rex."), ("Ben", "Good.")], start=MAY + timedelta(days=30))
    ordinals = [m.ordinal for m in space.state().messages.values()]
    assert len(set(ordinals)) == len(ordinals)
    assert space.examine() == []


def test_a_selection_must_say_something(space: Space) -> None:
    with pytest.raises(UsageError, match="say which"):
        space.erase(Selection())
    with pytest.raises(UsageError, match="no message"):
        space.erase(Selection(refs=("nope",)))
