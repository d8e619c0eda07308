"""Cases that users of memory systems report, about what is kept: history, isolation, erasure, provenance, damage.

F18, F19 and F23 are in test_concurrency.py, F27 and F35 in test_crash.py, F32 in test_disk.py.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sqlalchemy as sa

from tests.states import differences
from tests.test_archive import rewritten
from trajwiki import Memory, NewMessage, Settings, Space
from trajwiki.archive.load import import_archive
from trajwiki.cli import ingest
from trajwiki.domain.claims import Status
from trajwiki.domain.state import SpaceState
from trajwiki.erasure import Selection
from trajwiki.errors import EmbedderMismatch, UnreadableInput, UsageError
from trajwiki.models.wordllama import WordLlamaEmbedder
from trajwiki.store import tables
from trajwiki.store.database import Database

MAY = datetime(2024, 5, 6, 10, tzinfo=UTC)
TALK = (
    ("Ana", "I live in Porto and I play the violin.", "one"),
    ("Ben", "Nice, I live in Braga.", "one"),
    ("Ana", "My neighbour Tomas sold me a zebrawood desk.", "one"),
    ("Ben", "I bought a kayak in April.", "one"),
    ("Ana", "I play the violin.", "two"),
    ("Ben", "I work at Acme.", "two"),
)


def tell(space: Space, lines: tuple[tuple[str, str, str], ...] = TALK) -> None:
    first = space.state().next_ordinal
    space.add(
        NewMessage(speaker, text, MAY + timedelta(days=first + n), session, f"m{first + n}")
        for n, (speaker, text, session) in enumerate(lines)
    )
    space.flush()


@pytest.fixture
def opened(location: str, embedder: WordLlamaEmbedder) -> Iterator[Memory]:
    with Memory.open(location, settings=Settings(), embedder=embedder) as memory:
        yield memory


@pytest.fixture
def space(memory: Memory) -> Space:
    space = memory.create_space("a", id="space_fixed")
    tell(space)
    return space


def claim_of(state: SpaceState, text: str) -> str:
    return next(c.id for c in state.claims.values() if c.text == text)


def test_f08_a_claim_that_was_said_twice_keeps_its_first_and_its_last_date(space: Space) -> None:
    state = space.state()
    violin = claim_of(state, "Ana plays the violin.")
    (line,) = space.blame(violin)
    assert [s.sent_at for s in line.sources] == [MAY, MAY + timedelta(days=4)]
    space.erase(Selection(refs=("m1",)))  # what is rebuilt keeps them
    (line,) = space.blame(violin)
    assert [s.sent_at for s in line.sources] == [MAY, MAY + timedelta(days=4)]


def test_f16_every_row_of_the_history_has_a_utc_time(space: Space, memory: Memory) -> None:
    space.deprecate_claim(next(iter(space.state().claims)), reason="a mistake")
    space.revert(space.log(limit=1)[0].n)
    space.erase(Selection(refs=("m2",)))
    log = space.log()
    assert {"erase", "revert", "correction"} <= {c.kind for c in log}
    assert all(c.at.utcoffset() == timedelta(0) for c in log)
    commits = {c.n for c in log}
    for table in tables.metadata.sorted_tables:
        for name in {"since", "until"} & set(table.c.keys()):
            with memory.database.reading() as connection:
                dated = set(connection.execute(sa.select(table.c[name])).scalars()) - {None}
            assert dated <= commits, table.name


def test_f58_deleting_a_space_leaves_every_byte_of_the_others(opened: Memory, tmp_path: Path) -> None:
    for name in ("a", "b"):
        tell(opened.space(name))
        opened.space(name).ask("Where does Ana live?")
    kept = next(s.id for s in opened.spaces() if s.name == "b")
    before = _rows(opened, kept)
    opened.space("b").export(tmp_path / "before.zip")
    opened.delete_space("a")
    assert _rows(opened, kept) == before
    opened.space("b").export(tmp_path / "after.zip")
    assert (tmp_path / "before.zip").read_bytes() == (tmp_path / "after.zip").read_bytes()


def _rows(memory: Memory, space_id: str) -> dict[str, list[tuple[Any, ...]]]:
    with memory.database.reading() as connection:
        return {
            table.name: sorted(
                (tuple(r) for r in connection.execute(sa.select(table).where(table.c.space_id == space_id))), key=repr
            )
            for table in tables.metadata.sorted_tables
        }


def test_f69_erased_text_is_in_no_file_of_a_server(location: str, embedder: WordLlamaEmbedder) -> None:
    """Tables, indexes and statistics; the server's own write-ahead log and backups keep what they keep."""
    with Memory.open(location, settings=Settings(), embedder=embedder) as memory:
        if memory.database.is_sqlite:
            pytest.skip("test_history.py has the file; this is about a server")
        space = memory.space("a")
        tell(space)
        space.ask("Who sold Ana a zebrawood desk?")
        with memory.database.engine.connect() as connection:
            raw = connection.execution_options(isolation_level="AUTOCOMMIT")
            folder = Path(str(raw.exec_driver_sql("SHOW data_directory").scalar()))
            if not folder.is_dir():
                pytest.skip("the files of the server are not here")

            def holding(word: bytes) -> list[str]:
                raw.exec_driver_sql("CHECKPOINT")
                files = (f for f in folder.rglob("*") if f.is_file() and "pg_wal" not in f.parts)
                return [str(f.relative_to(folder)) for f in files if word in f.read_bytes()]

            raw.exec_driver_sql("ANALYZE")
            assert holding(b"zebrawood") and holding(b"Tomas")
            assert space.erase(Selection(matching="zebrawood")).scrubbed
            assert holding(b"zebrawood") == holding(b"Tomas") == []
            assert holding(b"kayak")
        assert memory.store.pending_scrubs() == []


def test_f70_what_has_another_source_stays_and_all_else_follows(opened: Memory) -> None:
    space = opened.space("a")
    tell(space)
    answer = space.ask("Who plays the violin?")
    space.erase(Selection(refs=("m0",)))
    state = space.state()
    violin = claim_of(state, "Ana plays the violin.")
    assert state.status[violin] is Status.ACTIVE
    assert [state.messages[s.quote.message_id].source_ref for s in state.sources[violin]] == ["m4"]
    assert not _mentions(opened, "Porto")
    with pytest.raises(UsageError):
        space.explain(answer.id)
    assert space.examine() == []


def test_f71_with_its_last_source_a_claim_is_gone_from_everywhere(opened: Memory) -> None:
    space = opened.space("a")
    tell(space)
    space.ask("Who plays the violin?")
    violin = claim_of(space.state(), "Ana plays the violin.")
    space.erase(Selection(refs=("m0", "m4")))
    assert violin not in space.state().claims
    assert not _mentions(opened, "violin")
    assert not _mentions(opened, violin)
    assert space.recall("violin").context.lower().count("violin") == 0


def _mentions(memory: Memory, word: str) -> list[str]:
    with memory.database.reading() as connection:
        return [
            table.name
            for table in tables.metadata.sorted_tables
            if any(word.lower() in repr(tuple(row)).lower() for row in connection.execute(sa.select(table)))
        ]


def test_f73_forgetting_says_exactly_what_was_removed(space: Space) -> None:
    before = space.state()
    receipt = space.erase(Selection(matching="zebrawood"))
    after = space.state()
    gone = {m.source_ref for m in before.messages.values()} - {m.source_ref for m in after.messages.values()}
    assert set(receipt.messages) == gone == {"m2"}
    assert sorted(receipt.claims) == sorted(c.text for c in before.claims.values() if c.id not in after.claims)
    assert receipt.claims and receipt.by == "local" and receipt.at is not None
    assert receipt.counts["messages"] == 1 and receipt.counts["claims"] == len(receipt.claims)
    commit = space.log(limit=1)[0]
    assert commit.kind == "erase" and "zebrawood" not in json.dumps([commit.note, commit.arguments])
    with pytest.raises(UsageError):
        space.erase(Selection(refs=("m2",)))


def test_f75_everything_says_which_words_it_stands_on_and_a_session_can_be_erased(space: Space) -> None:
    state = space.state()
    pages = [p.slug for p in state.pages.values() if p.type != "index"]
    lines = [line for what in (*state.claims, *pages) for line in space.blame(what)]
    assert lines
    for line in lines:
        for source in line.sources:
            message = state.messages[state.message_by_ref[source.source_ref]]
            assert source.quote and source.quote in message.content
    assert all(line.sources for claim in state.claims for line in space.blame(claim))
    answer = space.ask("Where does Ben work?")
    assert space.explain(answer.id)["refs"]
    listed = space.erase(Selection(session="two"), dry_run=True)
    assert listed.messages == ("m4", "m5")
    assert space.erase(Selection(session="two")).messages == listed.messages
    assert {m.session for m in space.state().messages.values()} == {"one"}
    assert space.examine() == []


class Letters:
    """Another embedding model: counts of letters."""

    name = "letters"
    dimension = 26

    def embed(self, texts: Any) -> np.ndarray:
        rows = np.array([[t.lower().count(chr(97 + i)) for i in range(26)] for t in texts], dtype=np.float32)
        return rows.reshape(-1, 26) / np.maximum(np.linalg.norm(rows.reshape(-1, 26), axis=1, keepdims=True), 1e-9)


def test_f77_another_embedding_model_is_refused_until_all_vectors_are_its_own(
    tmp_path: Path, embedder: WordLlamaEmbedder
) -> None:
    path = tmp_path / "memory.db"
    with Memory.open(path, settings=Settings(), embedder=embedder) as memory:
        tell(memory.space("a"))
        before = memory.space("a").state()
    with Memory.open(path, settings=Settings(), embedder=Letters()) as memory:
        space = memory.space("a")
        calls: list[Callable[[], object]] = [
            lambda: space.recall("violin"),
            lambda: space.ask("violin?"),
            lambda: space.recall("violin", as_of=2),
            lambda: tell(space),
            lambda: space.erase(Selection(refs=("m0",))),
        ]
        for call in calls:
            with pytest.raises(EmbedderMismatch, match="trajwiki reembed"):
                call()
        space.reembed()
        after = space.state()
        assert all(v.shape == (26,) for of_kind in after.vectors.values() for v in of_kind.values())
        assert all(v.shape == (26,) for of_kind in space.state(as_of=2).vectors.values() for v in of_kind.values())
        assert [d for d in differences(before, after) if not d.startswith("vectors")] == []
        assert space.recall("violin").evidence
        assert space.examine() == []
    with (
        Memory.open(path, settings=Settings(), embedder=embedder) as memory,
        pytest.raises(EmbedderMismatch, match="trajwiki reembed"),
    ):
        memory.space("a").recall("violin")


@pytest.mark.parametrize("content", ['{"rows": [1, 2, 3]}\n', "[]", '{"a": 1}\n{"b": 2}\n', ""])
def test_f80_an_import_that_understands_nothing_is_an_error(content: str, tmp_path: Path) -> None:
    path = tmp_path / "odd.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(UsageError) as raised:
        ingest.ingest(
            [path], space="a", db=str(tmp_path / "memory.db"), format="auto", tz="UTC", dry_run=False, json=False
        )
    assert str(path) in str(raised.value)
    with Memory.open(tmp_path / "memory.db", settings=Settings()) as memory:
        assert all(s.head == 0 for s in memory.spaces())


# What an erasure goes through again must be in order, wherever it comes from.


def _moved(table: str, commit: Callable[[dict[str, Any]], int]) -> Callable[[dict[str, Any]], None]:
    def edit(content: dict[str, Any]) -> None:
        n = commit(content)
        for row in content[table]:
            row["since"] = n

    return edit


def _of_kind(kind: str) -> Callable[[dict[str, Any]], int]:
    return lambda content: next(c["n"] for c in content["commit_log"] if c["kind"] == kind)


@pytest.mark.parametrize(
    ("table", "kind"),
    [("exchange", "understand"), ("snapshot", "messages"), ("snapshot", "flush"), ("claim_op", "messages")],
)
def test_an_archive_whose_records_were_moved_to_other_commits_is_refused(
    table: str, kind: str, space: Space, tmp_path: Path
) -> None:
    space.export(tmp_path / "a.zip")
    forged = rewritten(tmp_path / "a.zip", tmp_path / "forged.zip", _moved(table, _of_kind(kind)))
    database = Database(tmp_path / "other.db")
    with pytest.raises(UnreadableInput, match=r"from a later commit|of kind"):
        import_archive(database, forged)
    database.close()
    assert zipfile.is_zipfile(forged)
