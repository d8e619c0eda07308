"""A copy of a whole database while others write to it. To restore it is to open it."""

from __future__ import annotations

import contextlib
import shlex
import sqlite3
from pathlib import Path

import sqlalchemy as sa

from trajwiki.errors import CorruptStore, StoreUnavailable, UsageError
from trajwiki.store.database import BUSY_TIMEOUT_S, Database
from trajwiki.store.files import appearing


def backup(database: Database, path: str | Path) -> int:
    """Copy a SQLite database to a new file: the state after one commit, with all commits before it.

    Writers are not held up, and what they commit meanwhile is not in the copy. The copy is checked before it gets its
    name.

    Args:
        database: Open.
        path: Of the copy; nothing may be there.

    Returns:
        The size of the copy in bytes.

    Raises:
        UsageError: There is something at `path`, or the database is a server: then it says what to run.
        CorruptStore: The database is damaged; there is no copy.
        StoreUnavailable: The database cannot be read, or the copy not be written.
    """
    if database.path is None:
        raise UsageError(server_advice(database, path))
    with appearing(Path(path).expanduser()) as temporary:
        try:
            _copy(database.path, temporary)
        except sqlite3.DatabaseError as error:
            if isinstance(error, sqlite3.OperationalError):
                raise StoreUnavailable(f"cannot back up {database.name}: {error}") from error
            raise CorruptStore(f"cannot back up {database.name}: {error}. Run `trajwiki doctor`") from error
        return temporary.stat().st_size


def server_advice(database: Database, path: str | Path) -> str:
    """Say how to back up a server: the exact command, without the password."""
    url = database.url
    query = {name: value for name, value in url.query.items() if name != "password"}
    bare = sa.URL.create("postgresql", url.username, None, url.host, url.port, url.database, query).render_as_string()
    file, place = shlex.quote(str(path)), shlex.quote(bare)
    return (
        f"{database.name} is on a server, which makes its own backups. Run: "
        f"pg_dump --format=custom --file={file} {place}; restore into an empty database with: "
        f"pg_restore --no-owner --dbname={place} {file}"
    )


def _copy(source: Path, target: Path) -> None:
    """Copy in one step: it reads one committed state, and in WAL mode no writer waits for a reader."""
    reading = sqlite3.connect(f"{source.absolute().as_uri()}?mode=ro", uri=True, timeout=BUSY_TIMEOUT_S)
    writing = sqlite3.connect(target, isolation_level=None)
    with contextlib.closing(reading), contextlib.closing(writing):
        reading.backup(writing, pages=-1)
        writing.execute("PRAGMA journal_mode=DELETE")  # one file; opening it turns WAL on again
        lines = [str(row[0]) for row in writing.execute("PRAGMA integrity_check(1)")]
    if lines != ["ok"]:
        raise CorruptStore(f"{source} is damaged ({lines[0]}); no copy was kept. Run `trajwiki doctor`")
