"""The store, on every database that is supported: one suite."""

from __future__ import annotations

import multiprocessing
import sqlite3
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from tests.states import differences
from trajwiki import Memory, NewMessage, Settings
from trajwiki.errors import CorruptStore, SchemaMismatch, StoreUnavailable, UnknownSpace, UsageError
from trajwiki.models.wordllama import WordLlamaEmbedder
from trajwiki.store import tables
from trajwiki.store.database import SCHEMA_VERSION, Database

NOON = datetime(2024, 3, 2, 12, tzinfo=UTC)


@pytest.fixture
def opened(location: str, embedder: WordLlamaEmbedder) -> Iterator[Memory]:
    with Memory.open(location, settings=Settings(), embedder=embedder) as memory:
        yield memory


def talk(n: int, *, topic: str = "Lisbon") -> list[NewMessage]:
    """Messages of two people who have met before."""
    return [
        NewMessage(
            ("Ana", "Ben")[i % 2],
            (f"I went to {topic} with my cousin Rita and saw {i} trams.", "That sounds lovely, I stayed home.")[i % 2],
            NOON + timedelta(minutes=i),
            session="one",
            source_ref=f"{topic}:{i}",
        )
        for i in range(n)
    ]


def test_the_migrations_make_the_tables_of_the_code(location: str) -> None:
    database = Database(location)
    with database.reading() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, tables.metadata) == []
        assert connection.execute(sa.text("SELECT version_num FROM alembic_version")).scalar() == SCHEMA_VERSION
    database.close()


def test_what_is_written_is_read_back_by_another_process(
    opened: Memory, location: str, embedder: WordLlamaEmbedder
) -> None:
    space = opened.space("a")
    space.add(talk(9))
    space.flush()
    with Memory.open(location, settings=Settings(), embedder=embedder) as other:
        assert differences(space.state(), other.space("a").state()) == []
        assert other.space("a").examine() == []


def test_both_databases_hold_the_same_memory(
    location: str, tmp_path: Path, embedder: WordLlamaEmbedder, sample: list[NewMessage]
) -> None:
    states = []
    for place in (location, tmp_path / "reference.db"):
        with Memory.open(place, settings=Settings(), embedder=embedder) as memory:
            space = memory.create_space("sample", id="space_same")
            space.add(sample[:80])
            space.flush()
            states.append(space.state())
    assert differences(*states) == []


def test_as_of_is_the_state_built_from_the_commits_up_to_there(opened: Memory) -> None:
    space = opened.create_space("a", id="space_x")
    for message in talk(8):
        space.add([message])
    for commit in space.log():
        replayed = opened.create_space(f"replay-{commit.n}", id=f"space_x{commit.n}")
        assert space.state(as_of=commit.n).head == commit.n
        assert len(replayed.state().messages) == 0
    half = space.state(as_of=space.log()[-4].n)
    assert 0 < len(half.messages) < 8
    assert differences(space.state(as_of=space.log()[0].n), space.state()) == []


def test_deleting_a_space_leaves_the_others_as_they_were(opened: Memory) -> None:
    for name in ("a", "b"):
        opened.space(name).add(talk(6, topic=name))
    before = opened.space("b").state()
    removed = opened.delete_space("a")
    assert removed["message"] == 6
    assert [s.name for s in opened.spaces()] == ["b"]
    opened.forget(opened.spaces()[0].id)
    assert differences(before, opened.space("b").state()) == []
    with pytest.raises(UnknownSpace):
        opened.delete_space("a")


def test_a_space_can_be_renamed_but_not_onto_another(opened: Memory) -> None:
    opened.space("a").add(talk(2))
    opened.space("b").add(talk(2))
    with pytest.raises(UsageError, match="already"):
        opened.rename_space("a", "b")
    opened.rename_space("a", "c")
    assert [s.name for s in opened.spaces()] == ["b", "c"]
    assert len(opened.space("c").state().messages) == 2


def test_threads_adding_the_same_messages_add_them_once(opened: Memory) -> None:
    """F18 of the field reports."""
    messages = talk(10)
    threads = [threading.Thread(target=lambda: opened.space("a").add(messages)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    state = opened.space("a").state()
    assert len(state.messages) == 10
    assert opened.space("a").examine() == []


def _append(location: str, worker: int) -> None:
    with Memory.open(location, settings=Settings()) as memory:
        for i in range(6):
            memory.space("a").add([NewMessage(f"P{worker}", f"Note {i} of {worker}", NOON, source_ref=f"{worker}:{i}")])


def test_processes_appending_to_one_session_lose_nothing(location: str) -> None:
    """F18 and F19 of the field reports: all there once, in a total order."""
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_append, args=(location, n)) for n in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [w.exitcode for w in workers] == [0] * 4
    with Memory.open(location, settings=Settings()) as memory:
        state = memory.space("a").state()
        assert sorted(m.ordinal for m in state.messages.values()) == list(range(24))
        commits = memory.space("a").log()
        assert [c.n for c in commits] == list(range(len(commits), 0, -1))
        memory.space("a").flush()
        assert memory.space("a").examine() == []


def test_a_damaged_file_is_refused_and_left_alone(tmp_path: Path) -> None:
    """F32 of the field reports."""
    path = tmp_path / "memory.db"
    with Memory.open(path, settings=Settings()) as memory:
        memory.space("a").add(talk(40))
    whole = path.read_bytes()
    garbage = tmp_path / "garbage.db"
    garbage.write_bytes(b"not a database at all" * 100)
    with pytest.raises(CorruptStore, match="not a SQLite database"):
        Database(garbage)
    assert garbage.read_bytes() == b"not a database at all" * 100
    torn = tmp_path / "torn.db"
    torn.write_bytes(whole[: len(whole) // 3])
    with pytest.raises(CorruptStore):
        Memory.open(torn, settings=Settings()).space("a").state()
    assert torn.read_bytes() == whole[: len(whole) // 3]


def test_a_foreign_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE notes (id INTEGER)")
    with pytest.raises(CorruptStore, match="not trajwiki's"):
        Database(path)


def test_a_newer_schema_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    Database(path).close()
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(SchemaMismatch, match="9999"):
        Database(path)


def test_a_folder_and_a_missing_file_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailable, match="folder"):
        Database(tmp_path)
    with pytest.raises(StoreUnavailable, match="no database"):
        Database(tmp_path / "nothing.db", create=False)
    assert not (tmp_path / "nothing.db").exists()
