"""SQLite and PostgreSQL hold the same memory: the same random histories carried out on both."""

from __future__ import annotations

import itertools
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa
from hypothesis import given

from tests.random_histories import FIXED, WHOLE, Clock, Step, Teller, differing, fewer, histories, kept
from trajwiki import Memory, Settings, space
from trajwiki.models.wordllama import WordLlamaEmbedder
from trajwiki.store import tables

QUESTIONS = ("Where does Ana live?", "Who plays the violin?", "kayak")


@pytest.fixture
def pair(postgres: str, tmp_path: Path, embedder: WordLlamaEmbedder) -> Iterator[tuple[Memory, Memory]]:
    """An empty memory on each engine."""
    url = sa.make_url(postgres.replace("postgresql://", "postgresql+psycopg://", 1))
    name = f"test_{uuid.uuid4().hex}"
    server = sa.create_engine(url, isolation_level="AUTOCOMMIT")
    with server.connect() as connection:
        connection.exec_driver_sql(f"CREATE DATABASE {name}")
    there = url.set(drivername="postgresql", database=name).render_as_string(hide_password=False)
    places = (tmp_path / "memory.db", there)
    a, b = (Memory.open(p, settings=Settings(), embedder=embedder) for p in places)
    yield a, b
    a.close()
    b.close()
    with server.connect() as connection:
        connection.exec_driver_sql(f"DROP DATABASE {name} WITH (FORCE)")
    server.dispose()


@fewer(6)
@given(histories(*WHOLE, max_size=6))
def test_both_engines_hold_the_same_memory(pair: tuple[Memory, Memory], steps: tuple[Step, ...]) -> None:
    """The same states now and at every commit, the same history, the same evidence, and rows of the same content."""
    seen = []
    for memory in pair:
        with pytest.MonkeyPatch.context() as patch:
            names = itertools.count()
            patch.setattr(space, "random_id", lambda kind: f"{kind}_{next(names)}")
            patch.setattr(memory, "clock", Clock())
            here = memory.create_space("any", id=FIXED)
            Teller(here).carry_out(steps)
        seen.append((here, here.log(), [here.recall(q) for q in QUESTIONS]))
    (a, log, found), (b, other_log, other_found) = seen
    assert log == other_log
    assert [f.context for f in found] == [f.context for f in other_found]
    for n in range(log[0].n + 1):
        assert differing(kept(a.state(as_of=n)), kept(b.state(as_of=n))) == [], f"as of {n}"
    assert _rows(pair[0]) == _rows(pair[1])
    for memory in pair:
        _drop(memory)


def _rows(memory: Memory) -> dict[str, list[str]]:
    with memory.database.reading() as c:
        return {
            name: sorted(repr(tuple(row)) for row in c.execute(sa.select(table)))
            for name, table in tables.metadata.tables.items()
            if table is not tables.space_setting  # what is to be scrubbed, under random names
        }


def _drop(memory: Memory) -> None:
    """Delete the space without the scrubbing, which is tested elsewhere and slow."""
    with memory.database.writing() as c:
        for table in tables.metadata.sorted_tables:
            c.execute(table.delete())
    memory.forget(FIXED)
