"""Reading an archive as what it is: a file from anywhere. All of it is checked, and all of it is stored, or nothing."""

from __future__ import annotations

import contextlib
import hashlib
import io
import struct
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import IO, Any, Final

import sqlalchemy as sa
from pydantic import ValidationError

from trajwiki.archive.fitting import Fitting
from trajwiki.archive.manifest import (
    FORMAT,
    MANIFEST,
    MAX_DIRECTORY,
    MAX_MANIFEST,
    MEMBERS,
    VERSION,
    Limits,
    Maker,
    Manifest,
    MemberEntry,
    first_error,
    named,
)
from trajwiki.archive.rows import decode
from trajwiki.doctor import examine
from trajwiki.domain.practice import Practice
from trajwiki.domain.problems import Problem
from trajwiki.domain.state import SpaceState
from trajwiki.errors import UnreadableInput, UsageError
from trajwiki.practice_doctor import examine_practice
from trajwiki.store import tables
from trajwiki.store.database import SCHEMA_VERSION, Database
from trajwiki.store.raw import ROWS_AT_ONCE, insert_rows, insert_space, read_change, read_practice, read_space
from trajwiki.store.rows import Row
from trajwiki.store.spaces import SpaceInfo

UNFINISHED: Final = {"doctor.unread", "wiki.index", "wiki.unreachable", "wiki.page-size"}  # not broken: may come in
ENCRYPTED: Final = 0x1
DAMAGE: Final = (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, ValueError, struct.error)
_END: Final = struct.Struct("<4s4H2LH")
_END64: Final = struct.Struct("<4sQ2H2L4Q")
_LOCATOR64: Final = struct.Struct("<4sLQL")


@dataclass(frozen=True, slots=True)
class Imported:
    """What came in.

    Attributes:
        space: As it is now.
        rows: Number of rows by table.
        problems: What is unfinished in it.
    """

    space: SpaceInfo
    rows: dict[str, int]
    problems: tuple[Problem, ...]


def read_manifest(path: str | Path, *, limits: Limits | None = None) -> Manifest:
    """Give what an archive says of itself, after checking its outside.

    Raises:
        UnreadableInput: It cannot be read, is no archive of ours, or is larger than the limits allow.
    """
    with _Archive(Path(path).expanduser(), limits or Limits()) as archive:
        return archive.manifest


def import_archive(
    database: Database, path: str | Path, *, name: str | None = None, limits: Limits | None = None
) -> Imported:
    """Store the space of an archive, with its ids, times and history, in one transaction.

    Args:
        database: Open.
        path: Of the archive.
        name: For the space; None: the one it had.
        limits: How large it may be; None: the defaults.

    Raises:
        UnreadableInput: It cannot be read, or what it holds is damaged or does not fit together.
        UsageError: There is a space of that name or id already.
    """
    with _Archive(Path(path).expanduser(), limits or Limits()) as archive:
        info = _space(archive.manifest, name)
        try:
            with database.writing() as connection:
                _refuse_taken(connection, info, database.name)
                insert_space(connection, info)
                fitting = _store(connection, archive, info)
                problems = _examined(connection, archive, info, fitting)
        except sa.exc.IntegrityError:  # another writer was quicker; keys were checked
            raise UsageError(f"{database.name} has a space named {info.name!r} or with its id by now") from None
    return Imported(info, archive.manifest.rows(), problems)


def _space(manifest: Manifest, name: str | None) -> SpaceInfo:
    space = manifest.space
    try:
        chosen = space.name if name is None else named(name)
    except ValueError as error:
        raise UsageError(str(error)) from None
    created = datetime.fromisoformat(space.created)
    return SpaceInfo(space.id, chosen, created, space.embedder, space.dimension, space.head)


def _refuse_taken(connection: sa.Connection, info: SpaceInfo, where: str) -> None:
    t = tables.space
    same = connection.execute(sa.select(t.c.name, t.c.head).where(t.c.space_id == info.id)).one_or_none()
    if same is not None:
        raise UsageError(
            f"{where} holds this space already: {same.name!r}, at commit {same.head} (the archive: {info.head}); "
            "delete that first, or import into another database"
        )
    if read_space(connection, info.name) is not None:
        raise UsageError(f"{where} has a space named {info.name!r} already; give another name with --name")


def _store(connection: sa.Connection, archive: _Archive, info: SpaceInfo) -> Fitting:
    fitting = Fitting(info.head, info.dimension)
    for member in sorted(archive.manifest.members):
        table = MEMBERS[member]
        batch: list[Row] = []
        for row in archive.rows(member, fitting):
            batch.append(row)
            if len(batch) == ROWS_AT_ONCE:
                insert_rows(connection, table, info.id, batch)
                batch = []
        insert_rows(connection, table, info.id, batch)
    commits = archive.manifest.rows().get(tables.commit.name, 0)
    if commits != info.head:
        raise archive.refused(MANIFEST, f"the newest commit is {info.head}, but there are {commits} commits")
    if (wrong := fitting.check()) is not None:
        table_name, line, what = wrong
        raise archive.refused(f"data/{table_name}.jsonl", what, line)
    return fitting


def _examined(connection: sa.Connection, archive: _Archive, info: SpaceInfo, fitting: Fitting) -> tuple[Problem, ...]:
    """Read the space back, as opening it will, and let the doctor look at it."""
    state = SpaceState()
    state.apply(read_change(connection, info))
    state.head = info.head
    practice = Practice()
    practice.apply(read_practice(connection, info))
    problems = examine(state, fitting.status, dimension=info.dimension)
    problems += examine_practice(practice, dimension=info.dimension)
    for problem in problems:
        if problem.code not in UNFINISHED:
            raise archive.refused("", f"{problem.code}: {problem.message} {problem.where}".rstrip())
    return tuple(problems)


class _Archive:
    """An open archive whose outside has been checked: only known members, within the limits, with a manifest."""

    def __init__(self, path: Path, limits: Limits) -> None:
        self.path = path
        self.limits = limits
        self._stack = contextlib.ExitStack()

    def __enter__(self) -> _Archive:
        with contextlib.ExitStack() as stack:
            try:
                file = stack.enter_context(self.path.open("rb"))
            except OSError as error:
                raise self.refused("", error.strerror or str(error)) from error
            with self._damage(""):
                self._check_directory(file)
                self._zip = stack.enter_context(zipfile.ZipFile(file))
            self._check_members()
            self.manifest = self._read_manifest()
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def refused(self, member: str, what: str, line: int | None = None) -> UnreadableInput:
        """Give the error that names the place."""
        place = f"{self.path}" + (f", {member}" if member else "") + (f", line {line}" if line else "")
        return UnreadableInput(f"{place}: {what[:500]}; nothing was imported")

    def rows(self, member: str, fitting: Fitting) -> Iterator[Row]:
        """Give the rows of a member, each checked; at the end its counts and hash are checked too."""
        entry, table = self.manifest.members[member], MEMBERS[member]
        older = self.manifest.db_schema < SCHEMA_VERSION
        digest, size, n = hashlib.sha256(), 0, 0
        for n, line in enumerate(self._lines(member), start=1):
            digest.update(line)
            size += len(line)
            try:
                row = decode(table, line, older=older)
                fitting.take(table, row, n)
            except ValueError as error:
                raise self.refused(member, str(error), n) from None
            yield row
        if MemberEntry(rows=n, bytes=size, sha256=digest.hexdigest()) != entry:
            raise self.refused(member, "its size, number of lines or hash is not what the manifest says")

    def _lines(self, member: str) -> Iterator[bytes]:
        with self._damage(member):
            packed: Any = self._zip.open(member)
            with io.BufferedReader(packed) as file:
                while line := file.readline(self.limits.line + 1):
                    if len(line) > self.limits.line:
                        raise self.refused(member, f"a line is longer than {self.limits.line} bytes")
                    yield line

    def _check_directory(self, file: IO[bytes]) -> None:
        """Look at the end of the file before the table of contents, which may be huge, is read."""
        size = file.seek(0, io.SEEK_END)
        if size < _END.size:
            raise self.refused("", "this is no trajwiki archive")
        file.seek(size - _END.size)
        mark, *_, directory, _offset, comment = _END.unpack(file.read(_END.size))
        if mark != b"PK\5\6" or comment:
            raise self.refused("", "this is no trajwiki archive")
        sizes = [directory]
        before = size - _END.size - _LOCATOR64.size - _END64.size
        if before >= 0:
            file.seek(before)
            record = _END64.unpack(file.read(_END64.size))
            if file.read(4) == b"PK\6\7":
                sizes.append(record[8])
        if max(sizes) > MAX_DIRECTORY:
            raise self.refused("", "its table of contents is too large for a trajwiki archive")

    def _check_members(self) -> None:
        entries = self._zip.infolist()
        names = [entry.filename for entry in entries]
        unknown = [name for name in names if name not in MEMBERS and name != MANIFEST]
        if unknown:
            raise self.refused("", f"it has a member that is not part of a trajwiki archive: {unknown[0][:100]!r}")
        if len(set(names)) < len(names) or MANIFEST not in names:
            raise self.refused("", f"it has no {MANIFEST}, or two members of one name")
        for entry in entries:
            self._check_entry(entry)
        if sum(entry.file_size for entry in entries) > self.limits.archive:
            raise self.refused("", f"unpacked it has more than {self.limits.archive} bytes")

    def _check_entry(self, entry: zipfile.ZipInfo) -> None:
        """Check what the table of contents says of a member; reading stops at that size whatever follows."""
        if entry.flag_bits & ENCRYPTED or entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise self.refused(entry.filename, "it is encrypted, or packed in a way that archives never are")
        limit = MAX_MANIFEST if entry.filename == MANIFEST else self.limits.member
        if entry.file_size > limit:
            raise self.refused(entry.filename, f"unpacked it has {entry.file_size} bytes, at most {limit} are allowed")
        unpacked_by_packed = entry.file_size / max(entry.compress_size, 1)
        if entry.file_size > self.limits.ratio_from and unpacked_by_packed > self.limits.ratio:
            raise self.refused(entry.filename, f"it unpacks to {unpacked_by_packed:.0f} times its size")

    def _read_manifest(self) -> Manifest:
        with self._damage(MANIFEST):
            text = self._zip.read(MANIFEST)
        try:
            known = Maker.model_validate_json(text)
            if known.version > VERSION or known.db_schema > SCHEMA_VERSION:
                raise self.refused(
                    MANIFEST, f"it was made by trajwiki {known.trajwiki}, which is newer; use that or a newer one"
                )
            manifest = Manifest.model_validate_json(text)
        except ValidationError as error:
            raise self.refused(MANIFEST, f"this is no manifest of a {FORMAT}: {first_error(error)}") from None
        older = manifest.db_schema < SCHEMA_VERSION
        there = set(self._zip.namelist()) - {MANIFEST}
        if there != manifest.members.keys() or (not older and there != MEMBERS.keys()):
            raise self.refused(MANIFEST, "members are missing")
        return manifest

    @contextlib.contextmanager
    def _damage(self, member: str) -> Iterator[None]:
        """Turn what reading a damaged zip raises into our error."""
        try:
            yield
        except DAMAGE as error:
            raise self.refused(member, f"it is damaged: {error}") from error
