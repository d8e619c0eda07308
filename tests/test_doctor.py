"""What the doctor finds it says, and what it can mend without guessing it mends."""

from __future__ import annotations

from pathlib import Path

import pytest
import sqlalchemy as sa

from tests.states import differences
from trajwiki import Memory, NewMessage, Settings
from trajwiki.erasure import Selection
from trajwiki.models.wordllama import WordLlamaEmbedder
from trajwiki.store import database, tables


def test_statuses_and_vectors_that_were_changed_from_outside_are_mended(
    memory: Memory, sample: list[NewMessage]
) -> None:
    space = memory.space("s")
    space.add(sample[:40])
    space.flush()
    before = space.state()
    assert not space.examine()
    assert space.repair() == ([], [])
    message = next(iter(before.messages))
    with memory.database.writing() as c:
        c.execute(tables.claim_state.update().values(status="deprecated"))
        c.execute(tables.vector.update().where(tables.vector.c.item_id == message).values(data=bytes(1024)))
    memory.forget(memory.spaces()[0].id)
    assert {p.code for p in space.examine()} == {"doctor.broken", "doctor.vectors"}
    done, left = space.repair()
    assert len(done) == 2 and not left
    assert not space.examine()
    assert not differences(before, space.state())


def test_a_scrub_that_a_reader_blocked_is_told_and_finished(
    tmp_path: Path, embedder: WordLlamaEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "BUSY_TIMEOUT_S", 1.0)
    memory = Memory.open(tmp_path / "m.db", settings=Settings(), embedder=embedder)
    space = memory.space("s")
    space.add(
        [NewMessage("Ana", "The quagga is in the attic.", source_ref="m1"), NewMessage("Bo", "Oh.", source_ref="m2")]
    )
    space.flush()
    path = memory.database.path
    assert path is not None
    reader = sa.create_engine(f"sqlite:///{path}")
    with reader.connect() as held:
        held.exec_driver_sql("BEGIN")
        held.exec_driver_sql("SELECT count(*) FROM message").fetchall()
        assert not space.erase(Selection(refs=("m1",))).scrubbed
        assert any("scrub" in p.code for p in space.examine())
    reader.dispose()
    space.repair()
    assert not space.examine()
    assert not [p for p in path.parent.glob(path.name + "*") if b"quagga" in p.read_bytes()]
