"""A database of every earlier schema opens under this one, with all that is in it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory

from tests.states import differences
from trajwiki import Memory, NewMessage, Settings, Space
from trajwiki.erasure import Selection
from trajwiki.errors import StoreUnavailable
from trajwiki.models.wordllama import WordLlamaEmbedder
from trajwiki.store import migrations, tables
from trajwiki.store.database import SCHEMA_VERSION, Database

MAY = datetime(2024, 5, 6, 10, tzinfo=UTC)
MIGRATIONS = Path(migrations.__file__).parent


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    return config


REVISIONS = [s.revision for s in ScriptDirectory.from_config(_config()).walk_revisions()][::-1]


def tell(space: Space, start: int = 0) -> None:
    lines = [("Ana", "I live in Porto."), ("Ben", "I bought a kayak."), ("Ana", "I moved to Oslo."), ("Ben", "Wow!")]
    at = MAY + timedelta(days=start)
    space.add(NewMessage(s, t, at + timedelta(hours=n), "talk", f"m{start + n}") for n, (s, t) in enumerate(lines))
    space.flush()


def live(space: Space) -> None:
    """A history with a correction, an edit and a revert, and an answer."""
    tell(space)
    claim = next(iter(space.state().claims))
    space.revise_claim(claim, "Ana lives in Rome.", reason="she said so")
    space.revert(space.log(limit=1)[0].n)
    space.add([NewMessage("Ben", "I bought a canoe.", MAY, "talk", "m1")])
    space.ask("Where does Ana live?")


def make(location: str, revision: str, rows: dict[str, list[dict[str, Any]]]) -> None:
    """Make a database as it was at a revision, with these rows as far as it had a place for them."""
    engine = (
        sa.create_engine(Database(location).url) if "://" in location else sa.create_engine(f"sqlite:///{location}")
    )
    with engine.begin() as connection:
        was = sa.MetaData()
        was.reflect(connection)
        was.drop_all(connection)
        config = _config()
        config.attributes["connection"] = connection
        command.upgrade(config, revision)
        was = sa.MetaData()
        was.reflect(connection)
        for name, content in rows.items():
            if name in was.tables and content:
                known = [{k: v for k, v in row.items() if k in was.tables[name].c} for row in content]
                connection.execute(was.tables[name].insert(), known)
    engine.dispose()


@pytest.fixture
def rows(tmp_path: Path, embedder: WordLlamaEmbedder) -> dict[str, list[dict[str, Any]]]:
    """The rows of a space, as they are stored."""
    path = tmp_path / "now.db"
    with Memory.open(path, settings=Settings(), embedder=embedder) as memory:
        live(memory.create_space("a", id="space_fixed"))
    engine = sa.create_engine(f"sqlite:///{path}")
    stored = sa.MetaData()
    with engine.connect() as connection:
        stored.reflect(connection)
        return {
            name: [dict(r._mapping) for r in connection.execute(sa.select(table))]
            for name, table in stored.tables.items()
            if name in tables.metadata.tables
        }


def test_the_newest_migration_is_the_schema_of_the_code() -> None:
    assert REVISIONS[-1] == SCHEMA_VERSION
    assert sorted(REVISIONS) == REVISIONS


@pytest.mark.parametrize("revision", REVISIONS)
def test_an_earlier_database_opens_and_goes_on(
    revision: str, location: str, tmp_path: Path, rows: dict[str, list[dict[str, Any]]], embedder: WordLlamaEmbedder
) -> None:
    make(location, revision, rows)
    with (
        Memory.open(tmp_path / "now.db", settings=Settings(), embedder=embedder) as reference,
        Memory.open(location, settings=Settings(), embedder=embedder) as memory,
    ):
        before, space = reference.space("a"), memory.space("a")
        assert differences(before.state(), space.state()) == []
        assert space.log() == before.log()
        for commit in space.log():
            assert differences(before.state(as_of=commit.n), space.state(as_of=commit.n)) == []
        assert memory.integrity() == [] and space.examine() == []
        for other in (before, space):
            tell(other, 4)
            other.erase(Selection(refs=("m0",)))
        assert differences(before.state(), space.state()) == []
        assert space.examine() == []
        answer = space.ask("Who has a canoe?")
        assert space.explain(answer.id)
    with Database(location).reading() as connection:
        assert connection.execute(sa.text("SELECT version_num FROM alembic_version")).scalar() == SCHEMA_VERSION


@pytest.mark.parametrize("revision", REVISIONS[:-1])
def test_an_upgrade_that_fails_leaves_the_database_as_it_was(
    revision: str,
    tmp_path: Path,
    rows: dict[str, list[dict[str, Any]]],
    embedder: WordLlamaEmbedder,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = tmp_path / "old.db"
    make(str(path), revision, rows)
    whole = migrations.upgrade

    def fails(connection: sa.Connection) -> None:
        whole(connection)
        raise sa.exc.OperationalError("the last statement", None, Exception("the disk is full"))

    monkeypatch.setattr(migrations, "upgrade", fails)
    with pytest.raises(StoreUnavailable, match="the disk is full"):
        Database(path)
    engine = sa.create_engine(f"sqlite:///{path}")
    with engine.connect() as connection:
        assert connection.execute(sa.text("SELECT version_num FROM alembic_version")).scalar() == revision
    engine.dispose()
    monkeypatch.undo()
    with Memory.open(path, settings=Settings(), embedder=embedder) as memory:
        assert memory.space("a").examine() == []
