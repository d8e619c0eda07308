"""Opening a database: engine, pragmas, migrations, and errors a person understands."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import sqlalchemy as sa

from trajwiki.errors import CorruptStore, SchemaMismatch, StoreUnavailable

SCHEMA_VERSION: Final = "0002"  # the newest migration; a test compares it with the migrations folder
MIGRATION_LOCK: Final = 0x7472616A  # any number that others are unlikely to use
BUSY_TIMEOUT_S: Final = 60.0
SERVER_WRITERS: Final = 8  # at a time in one process; each needs a second connection, to read with
SERVER_CONNECTIONS: Final = 24
SCRUB_WAIT: Final = "10s"  # for others to let go of a table on a server
SQLITE_MAGIC: Final = b"SQLite format 3\x00"
PRIMARY: Final = 0xFF  # of an extended error code of SQLite
LOCK_NOT_AVAILABLE: Final = "55P03"
DAMAGED: Final = ("malformed", "not a database", "corrupt", "Could not decode to UTF-8")
ADVICE: Final = {
    sqlite3.SQLITE_FULL: "free some space and run it again: nothing of this step was written",
    sqlite3.SQLITE_IOERR: "the disk failed or is full: nothing of this step was written",
    sqlite3.SQLITE_READONLY: "the file, its folder or its disk cannot be written; give another --db, or change that",
    sqlite3.SQLITE_CANTOPEN: "the file, or those that SQLite makes beside it, cannot be opened",
    sqlite3.SQLITE_BUSY: "others kept writing; run it again: nothing of this step was written",
}


class Database:
    """A database that holds spaces.

    Args:
        location: A path, or a SQLAlchemy URL such as ``postgresql://…``.
        create: Make it when it is not there.

    Raises:
        StoreUnavailable: It cannot be opened.
        CorruptStore: The file is damaged or is not a trajwiki database; it is left as it was.
        SchemaMismatch: It was made by a newer version.
    """

    def __init__(self, location: str | Path, *, create: bool = True) -> None:
        self.url = _url(location)
        self.path = Path(self.url.database) if self.is_sqlite and self.url.database else None
        if self.path is not None:
            _check_file(self.path, create=create)
        self.engine = self._make_engine()
        self._writers = threading.BoundedSemaphore(1 if self.is_sqlite else SERVER_WRITERS)
        with mapped_errors(self.name):
            self._migrate()

    @property
    def is_sqlite(self) -> bool:
        """Tell whether this is a SQLite file."""
        return self.url.get_backend_name() == "sqlite"

    @property
    def name(self) -> str:
        """Give the location without a password, for messages."""
        return self.url.render_as_string(hide_password=True)

    @contextlib.contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """Give a connection that sees one committed state."""
        with mapped_errors(self.name), self.engine.connect() as connection:
            if not self.is_sqlite:  # one snapshot for all statements, which a SQLite transaction is anyhow
                connection.execution_options(isolation_level="REPEATABLE READ")
            yield connection

    @contextlib.contextmanager
    def writing(self) -> Iterator[sa.Connection]:
        """Give a connection in a transaction that is the only writer and is committed as a whole.

        Writers of one process wait for each other here and not in the database, so that none of them holds a
        connection that another needs.
        """
        if not self._writers.acquire(timeout=BUSY_TIMEOUT_S):
            raise StoreUnavailable(f"{self.name}: others kept writing for {BUSY_TIMEOUT_S:.0f} s; nothing was written")
        try:
            with mapped_errors(self.name), self.engine.connect() as connection:
                connection.execution_options(trajwiki_write=True)  # in place; seen by _sqlite_begin
                with connection.begin():
                    yield connection
        finally:
            self._writers.release()

    def scrub(self) -> bool:
        """Leave no deleted text in freed pages or in the write-ahead log.

        Returns:
            False when a reader is in the way; it can be done again later. On a server the tables and indexes are
            written anew; its own write-ahead log and backups keep what they keep.
        """
        with mapped_errors(self.name), self.engine.connect() as connection:
            raw = connection.execution_options(isolation_level="AUTOCOMMIT")
            return _scrub_sqlite(raw) if self.is_sqlite else _scrub_server(raw)

    def integrity(self) -> list[str]:
        """Run the engine's own check of the file; gives what is wrong with it, nothing for a server."""
        if not self.is_sqlite:
            return []
        with self.reading() as connection:
            lines = [str(row[0]) for row in connection.exec_driver_sql("PRAGMA integrity_check(20)")]
        return [] if lines == ["ok"] else lines

    def close(self) -> None:
        """Let go of all connections."""
        self.engine.dispose()

    def _make_engine(self) -> sa.Engine:
        if not self.is_sqlite:
            return sa.create_engine(
                self.url,
                pool_size=SERVER_WRITERS,
                max_overflow=SERVER_CONNECTIONS - SERVER_WRITERS,
                hide_parameters=True,  # an error quotes no message
            )
        url = self.url if self.path is None or _writable(self.path) else _read_only(self.path)
        engine = sa.create_engine(
            url,
            connect_args={"timeout": BUSY_TIMEOUT_S, "check_same_thread": False},
            max_overflow=-1,  # a file has no limit to its readers
            hide_parameters=True,  # an error quotes no message
        )
        sa.event.listen(engine, "connect", _sqlite_pragmas if url is self.url else _sqlite_plain)
        sa.event.listen(engine, "begin", _sqlite_begin)
        return engine

    def _migrate(self) -> None:
        if self._version() == SCHEMA_VERSION:
            return
        with self.writing() as connection:
            if not self.is_sqlite:  # SQLite has one writer anyhow
                connection.execute(sa.select(sa.func.pg_advisory_xact_lock(MIGRATION_LOCK)))
            version = self._version(connection)  # another process may have been quicker
            if version == SCHEMA_VERSION:
                return
            if version is None and sa.inspect(connection).get_table_names():
                raise CorruptStore(f"{self.name} holds tables that are not trajwiki's; give another --db")
            if version is not None and version > SCHEMA_VERSION:
                raise SchemaMismatch(
                    f"{self.name} has schema {version}, this version of trajwiki knows up to {SCHEMA_VERSION}; "
                    "use the newer trajwiki that made it"
                )
            from trajwiki.store.migrations import upgrade  # alembic is slow to import and rarely needed

            upgrade(connection)

    def _version(self, connection: sa.Connection | None = None) -> str | None:
        if connection is None:
            with self.engine.connect() as fresh:
                return self._version(fresh)
        if not sa.inspect(connection).has_table("alembic_version"):
            return None
        version: str | None = connection.execute(sa.text("SELECT version_num FROM alembic_version")).scalar()
        return version


def _url(location: str | Path) -> sa.URL:
    text = str(location)
    if text == ":memory:":
        raise StoreUnavailable("a memory needs a file or a server: ':memory:' would be lost between connections")
    if text.startswith(("postgresql://", "postgres://")):
        return sa.make_url("postgresql+psycopg://" + text.split("://", 1)[1])
    if "://" in text:
        return sa.make_url(text)
    return sa.URL.create("sqlite", database=str(Path(text).expanduser()))


def _check_file(path: Path, *, create: bool) -> None:
    if path.is_dir():
        raise StoreUnavailable(f"{path} is a folder; give a file")
    if not path.exists():
        if not create:
            raise StoreUnavailable(f"there is no database at {path}; `trajwiki ingest` makes one")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreUnavailable(f"cannot make the folder of {path}: {error.strerror}") from error
        return
    try:
        with path.open("rb") as file:
            head = file.read(len(SQLITE_MAGIC))
    except OSError as error:
        raise StoreUnavailable(f"cannot read {path}: {error.strerror}") from error
    if head and head != SQLITE_MAGIC:
        raise CorruptStore(f"{path} is not a SQLite database, or its header is damaged; nothing was touched")


def _writable(path: Path) -> bool:
    """Tell whether a database can be written: SQLite makes files beside it, too."""
    return os.access(path.parent, os.W_OK) and (not path.exists() or os.access(path, os.W_OK))


def _read_only(path: Path) -> sa.URL:
    """Give the URL of a file that cannot be written, such as on a read-only disk; it can still be looked at."""
    query = {"mode": "ro", "uri": "true"}
    log = path.with_name(path.name + "-wal")
    if not log.exists() or not log.stat().st_size:
        query["immutable"] = "1"  # nobody can change it, and no lock files can be made
    return sa.URL.create("sqlite", database=path.absolute().as_uri().replace("file://", "file:"), query=query)


def _scrub_sqlite(connection: sa.Connection) -> bool:
    driver = connection.connection.dbapi_connection
    assert driver is not None
    try:
        driver.rollback()
        driver.execute("VACUUM")
        blocked, *_ = driver.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode & PRIMARY in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            return False
        raise sa.exc.OperationalError("VACUUM", None, error) from error
    return not blocked


def _scrub_server(connection: sa.Connection) -> bool:
    """Write every table of ours anew, with its indexes and statistics: a plain VACUUM leaves the bytes in its pages."""
    quoted = connection.dialect.identifier_preparer.quote
    connection.exec_driver_sql(f"SET lock_timeout = '{SCRUB_WAIT}'")
    try:
        for name in map(quoted, sorted(sa.inspect(connection).get_table_names())):
            if connection.execute(sa.text("SELECT pg_relation_size(CAST(:name AS regclass))"), {"name": name}).scalar():
                connection.exec_driver_sql(f"VACUUM (FULL, ANALYZE) {name}")
        connection.exec_driver_sql("VACUUM FULL pg_catalog.pg_statistic")  # samples of what stood in the columns
    except sa.exc.OperationalError as error:
        if getattr(error.orig, "sqlstate", None) == LOCK_NOT_AVAILABLE:
            return False
        raise
    finally:
        connection.exec_driver_sql("RESET lock_timeout")
    return True


def _sqlite_plain(connection: sqlite3.Connection, record: object) -> None:
    connection.isolation_level = None


def _sqlite_pragmas(connection: sqlite3.Connection, record: object) -> None:
    connection.isolation_level = None  # transactions are begun by _sqlite_begin, not by the driver
    cursor = connection.cursor()
    try:
        cursor.execute("PRAGMA journal_mode=WAL")
        cursor.execute("PRAGMA synchronous=FULL")  # an acknowledged message survives a power cut
        cursor.execute("PRAGMA secure_delete=ON")  # erased text is overwritten, not only unlinked
    finally:
        cursor.close()


def _sqlite_begin(connection: sa.Connection) -> None:
    write = connection.get_execution_options().get("trajwiki_write")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if write else "BEGIN")


@contextlib.contextmanager
def mapped_errors(name: str) -> Iterator[None]:
    """Turn driver errors into ours, at the one edge where they can arise."""
    try:
        yield
    except sa.exc.TimeoutError as error:  # of the pool
        raise StoreUnavailable(f"{name}: all connections are in use; try again, or with fewer at a time") from error
    except sa.exc.DBAPIError as error:
        reason = str(error.orig).splitlines()[0] if error.orig else "unknown driver error"
        if any(word in reason for word in DAMAGED):
            raise CorruptStore(
                f"{name} is damaged ({reason}); nothing was changed. Run `trajwiki doctor`, and restore a backup"
            ) from error
        if isinstance(error, sa.exc.OperationalError | sa.exc.InterfaceError | sa.exc.DatabaseError) and not isinstance(
            error, sa.exc.IntegrityError | sa.exc.ProgrammingError | sa.exc.DataError
        ):
            raise StoreUnavailable(f"{name}: {reason}{_advice(error.orig)}") from error
        raise


def _advice(error: BaseException | None) -> str:
    """Say what to do about an error of SQLite; nothing for others."""
    code = getattr(error, "sqlite_errorcode", 0) & PRIMARY
    return f"; {ADVICE[code]}" if code in ADVICE else ""
