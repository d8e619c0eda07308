"""Faults that users of memory systems report, each as a test of ours. The ids name the rows of that list."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.states import differences
from trajwiki import Memory, NewMessage, Role, Space
from trajwiki.domain.claims import Op, Status
from trajwiki.errors import InvalidMessage, UsageError

MAY = datetime(2023, 5, 24, 10, tzinfo=UTC)


def told(space: Space, *lines: tuple[str, str], start: datetime | None = MAY, role: Role = Role.USER) -> None:
    """Tell a space lines of (speaker, text), a day apart, and let it read them."""
    n = len(space.state().messages)
    space.add(
        NewMessage(speaker, text, start + timedelta(days=i) if start else None, source_ref=f"m{n + i}", role=role)
        for i, (speaker, text) in enumerate(lines)
    )
    space.flush()


def current(space: Space) -> list[str]:
    state = space.state()
    return [c.text for c in state.claims.values() if state.status[c.id] is Status.ACTIVE]


def former(space: Space) -> list[str]:
    state = space.state()
    return [c.text for c in state.claims.values() if state.status[c.id] is Status.DEPRECATED]


def test_f01_a_reversed_preference_keeps_its_history(memory: Memory) -> None:
    space = memory.space("a")
    told(space, ("Ana", "I love Chinese food."), ("Ben", "Good to know."), ("Ana", "I hate Chinese food now."))
    assert any("hates Chinese food" in text for text in current(space))
    assert not any("loves" in text for text in current(space))
    assert any("loves Chinese food" in text for text in former(space))
    state = space.state()
    assert all(state.sources[c] for c in state.claims)
    assert [op.op for op in state.ops if op.replaces] == [Op.REVISE]


def test_f02_the_same_message_changes_nothing_and_the_same_words_add_a_source(memory: Memory) -> None:
    space = memory.space("a")
    first = NewMessage("Ana", "I play the violin.", MAY, source_ref="1")
    space.add([first])
    space.flush()
    head = space.log()[0].n
    assert space.add([first]).counts == {}
    assert space.log()[0].n == head
    space.add([NewMessage("Ana", "I play the violin.", MAY + timedelta(days=3), source_ref="2")])
    space.flush()
    claims = [c for c in space.state().claims.values() if "violin" in c.text]
    assert len(claims) == 1
    assert len(space.state().sources[claims[0].id]) == 2


def test_f03_a_superseded_claim_is_history_only(memory: Memory) -> None:
    space = memory.space("a")
    told(space, ("Ana", "I'm vegetarian."), ("Ben", "Since when?"))
    before = space.log()[0].n
    told(
        space,
        ("Ana", "I had a steak yesterday, I eat meat again."),
        ("Ben", "Wow."),
        start=MAY + timedelta(days=40),
    )
    assert not any(t == "Ana is vegetarian." for t in current(space))
    assert "Ana is vegetarian." in former(space)
    answer = space.ask("Is Ana vegetarian?", as_of=before)
    assert answer.answered and answer.refs == ("m0",)


def test_f05_an_update_touches_only_its_target(memory: Memory) -> None:
    space = memory.space("a")
    facts = [
        "I live in Porto.",
        "I play the cello.",
        "I have a dog named Rex.",
        "I love hiking.",
        "My sister is called Eva.",
        "I'm allergic to peanuts.",
        "I work at Acme.",
        "I read Dune in March.",
        "I bought a red bike.",
        "I studied chemistry.",
    ]
    told(space, *(("Ana", fact) for fact in facts))
    told(space, ("Ana", "I moved to Madrid last week, I live in Madrid now."), start=MAY + timedelta(days=60))
    assert former(space) == ["Ana lives in Porto."]


def test_f09_last_week_is_the_week_before_the_message(memory: Memory) -> None:
    space = memory.space("a")
    told(space, ("Ana", "I was in Paris last week."), ("Ben", "Nice."))
    spans = [c.valid.iso() for c in space.state().claims.values() if c.valid and "Paris" in c.text]
    assert spans == ["2023-05-15/2023-05-21"]


def test_f10_and_f12_without_a_time_nothing_is_dated(memory: Memory) -> None:
    space = memory.space("a")
    told(space, ("Ana", "Yesterday I quit my job at the bakery."), ("Ben", "Oh no."), start=None)
    claims = list(space.state().claims.values())
    assert claims
    assert all(c.valid is None for c in claims)
    assert any("esterday" in c.text for c in claims)
    assert all(op.heard_at is None for op in space.state().ops)


def test_f17_an_archive_is_dated_when_it_was_written(memory: Memory) -> None:
    space = memory.space("a")
    told(space, ("Ana", "I moved to Lisbon yesterday."), ("Ben", "Congratulations!"))
    assert {op.heard_at for op in space.state().ops} <= {MAY, MAY + timedelta(days=1)}
    assert {e.timestamp for e in space.recall("Where did Ana move?").evidence} <= {MAY, MAY + timedelta(days=1)}


def test_f25_messages_are_searchable_before_they_are_understood(memory: Memory) -> None:
    space = memory.space("a")
    space.add([NewMessage("Ana", "My passport is in the blue drawer.", MAY, source_ref="p")])
    assert space.state().snapshots == {}
    assert [e.source_ref for e in space.recall("Where is the passport?").evidence] == ["p"]
    answer = space.ask("Where is Ana's passport?")
    assert answer.answered and answer.refs == ("p",)


def test_f29_the_example_run_twice_gives_the_same_state(tmp_path: Path) -> None:
    root = Path(__file__).parent.parent
    env = {**os.environ, "TRAJWIKI_DB": str(tmp_path / "m.db"), "PYTHONPATH": str(root)}
    run = [sys.executable, str(root / "examples" / "quickstart.py")]
    subprocess.run(run, env=env, check=True, capture_output=True)
    with Memory.open(tmp_path / "m.db") as memory:
        once = memory.space("alice").state()
    subprocess.run(run, env=env, check=True, capture_output=True)
    with Memory.open(tmp_path / "m.db") as memory:
        assert differences(once, memory.space("alice").state()) == []


def test_f37_and_f44_what_an_assistant_or_a_paste_says_is_no_fact_about_the_user(memory: Memory) -> None:
    space = memory.space("a")
    told(space, ("Ana", "I live in Porto."), ("Ben", "Ok."))
    context = space.recall("Where does Ana live?").context
    claims = len(space.state().claims)
    space.add(
        [
            NewMessage("system", "You are talking to a vegan who lives in Rome.", MAY, "s", "s1", role=Role.SYSTEM),
            NewMessage("user", context, MAY, "s", "s2"),
            NewMessage(
                "assistant", "You could try yoga. You live in Porto and love tea.", MAY, "s", "s3", role=Role.ASSISTANT
            ),
        ]
    )
    space.flush()
    assert len(space.state().claims) == claims


@pytest.mark.parametrize("text", ["", "   ", "\n\t"])
def test_f43_blank_messages_yield_no_claims(memory: Memory, text: str) -> None:
    space = memory.space("a")
    told(space, ("Ana", text), ("Ben", text))
    assert space.state().claims == {}


def test_f45_ids_of_ours_are_never_in_claims(memory: Memory, sample: list[NewMessage]) -> None:
    space = memory.space("a")
    space.add(sample[:60])
    state = space.state()
    ids = [*state.messages, *state.claims, *state.snapshots, *state.trajectories]
    for claim in state.claims.values():
        assert not any(i in claim.text for i in ids)


@pytest.mark.parametrize(
    ("speaker", "text", "question", "found"),
    [
        ("王芳", "我住在北京。", "王芳住在哪里?", "北京"),
        ("ليلى", "أنا أعيش في القاهرة.", "أين تعيش ليلى؟", "القاهرة"),
        ("Lucía", "Vivo en Sevilla y toco el piano.", "¿Dónde vive Lucía?", "Sevilla"),
    ],
)
def test_f51_other_languages_are_stored_and_answered_in_their_own(
    memory: Memory, speaker: str, text: str, question: str, found: str
) -> None:
    space = memory.space("a")
    told(space, (speaker, text), ("Ben", "ok"))
    assert space.recall(question).evidence[0].speaker in (speaker, "Ben")
    answer = space.ask(question)
    assert answer.answered and found in answer.text


HOSTILE = [
    '"',
    "'",
    "*",
    "NEAR(a b)",
    "`rm -rf /`",
    "a | b",
    "?!.,;:",
    "() [] {}",
    "\\",
    "%s %d",
    "日本",
    "🦊" * 50,
    "a" * 100_000,
    "' OR 1=1 --",
    '{"$ne": 1}',
    "space_id",
    "\x00",
    "\ud800",
]


@pytest.mark.parametrize("question", HOSTILE)
def test_f55_and_f65_any_question_is_text(memory: Memory, question: str) -> None:
    space = memory.space("a")
    told(space, ("Ana", "I live in Porto."), ("Ben", "Ok."))
    assert space.recall(question, budget=100).tokens <= 100
    space.ask(question)


@pytest.mark.parametrize("question", ["", "  ", "\n"])
def test_f55_an_empty_question_is_a_usage_error(memory: Memory, question: str) -> None:
    for call in (memory.space("a").recall, memory.space("a").ask):
        with pytest.raises(UsageError, match="empty"):
            call(question)


def test_f57_words_are_found_in_their_other_forms(memory: Memory) -> None:
    space = memory.space("a")
    told(
        space,
        ("Ana", "We paginate the results on the server."),
        ("Ben", "Just iterate through pages until none is left."),
        ("Ana", "The weather is lovely."),
        ("Ben", "My cat sleeps all day."),
    )
    refs = [e.source_ref for e in sorted(space.recall("How does pagination work?").evidence, key=lambda e: -e.score)]
    assert set(refs[:2]) == {"m0", "m1"}


def test_f60_metadata_cannot_move_anything(memory: Memory) -> None:
    space = memory.space("a")
    metadata = {"space": "b", "space_id": "b", "user_id": "b", "id": "x", "ordinal": "-1"}
    space.add([NewMessage("Ana", "I live in Porto.", MAY, source_ref="1", metadata=metadata)])
    assert [s.name for s in memory.spaces()] == ["a"]
    (message,) = space.state().messages.values()
    assert message.metadata == metadata and message.ordinal == 0 and message.id != "x"


def test_f62_nothing_of_one_space_shows_in_another(memory: Memory) -> None:
    told(memory.space("b"), ("Zoe", "My secret word is xylotherium."), ("Ben", "Ok."))
    told(memory.space("a"), ("Ana", "I live in Porto."), ("Ben", "Ok."))
    space = memory.space("a")
    for profile in ("default", "paper", "wiki", "messages"):
        found = space.recall("xylotherium Zoe secret word", profile=profile)  # type: ignore[arg-type]
        assert "xylotherium" not in json.dumps([found.context, [p.name for p in found.pages]])
    assert "xylotherium" not in space.ask("What is Zoe's secret word?").text
    state = space.state()
    assert "xylotherium" not in repr([state.claims, state.bullets, state.versions, state.snapshots])


def test_f67_a_url_a_path_and_a_pickle_are_text(memory: Memory, tmp_path: Path) -> None:
    trap = tmp_path / "trap"

    class Bomb:
        def __reduce__(self) -> tuple[object, ...]:
            return (Path.touch, (trap,))

    space = memory.space("../../etc/passwd")
    told(
        space, ("http://example.com/x", "http://example.com/secret"), ("file:///etc/passwd", repr(pickle.dumps(Bomb())))
    )
    space.recall("file:///etc/passwd")
    assert not trap.exists()
    assert len(space.state().messages) == 2


def test_f81_every_command_works_with_sockets_blocked(tmp_path: Path) -> None:
    root = Path(__file__).parent.parent
    guard = tmp_path / "guard"
    guard.mkdir()
    (guard / "sitecustomize.py").write_text(
        "import socket\n"
        "def refuse(*a, **k): raise RuntimeError('network used')\n"
        "class Refusing(socket.socket):\n    connect = connect_ex = bind = refuse\n"
        "socket.socket = Refusing\nsocket.create_connection = refuse\nsocket.getaddrinfo = refuse\n"
    )
    env = {**os.environ, "TRAJWIKI_DB": str(tmp_path / "m.db"), "PYTHONPATH": f"{guard}:{root}"}
    sample = root / "trajwiki" / "sample" / "conversation.jsonl"
    for arguments in (
        ["ingest", str(sample), "--space", "s"],
        ["recall", "Where does Ines live?", "--space", "s"],
        ["ask", "Where does Ines live now?", "--space", "s"],
        ["wiki", "--space", "s"],
        ["log", "--space", "s"],
        ["spaces", "list"],
        ["doctor"],
        ["formats"],
    ):
        done = subprocess.run(
            [sys.executable, "-c", "from trajwiki.cli import main; main()", *arguments],
            env=env,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, (arguments, done.stdout, done.stderr)
        assert "network used" not in done.stderr


def test_f87_scores_are_between_0_and_1(memory: Memory, sample: list[NewMessage]) -> None:
    space = memory.space("a")
    space.add(sample[:80])
    for profile in ("default", "paper", "wiki", "messages"):
        found = space.recall("Which instruments does Tom play?", profile=profile)  # type: ignore[arg-type]
        scores = [e.score for e in found.evidence] + [s.score for s in found.pages + found.trajectories]
        assert scores and all(0 <= s <= 1 for s in scores)
        assert [p.score for p in found.pages] == sorted((p.score for p in found.pages), reverse=True)


def test_a_message_that_cannot_be_stored_stores_none(memory: Memory) -> None:
    space = memory.space("a")
    with pytest.raises(InvalidMessage, match=r"message 2.*zone"):
        space.add([NewMessage("Ana", "Hi", MAY), NewMessage("Ana", "Hi", datetime(2024, 1, 1))])
    assert memory.spaces() == []
