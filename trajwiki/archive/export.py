"""A space as an archive: all that is stored of it, in a file that does not depend on when or where it is made."""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Final

import sqlalchemy as sa

from trajwiki import __version__
from trajwiki.archive.manifest import (
    FORMAT,
    MANIFEST,
    MEMBERS,
    VERSION,
    Manifest,
    MemberEntry,
    SpaceEntry,
)
from trajwiki.archive.rows import encode
from trajwiki.store.database import SCHEMA_VERSION, Database
from trajwiki.store.files import appearing
from trajwiki.store.raw import read_rows, required_space
from trajwiki.store.spaces import SpaceInfo

EPOCH: Final = (1980, 1, 1, 0, 0, 0)  # the first moment that a zip can name
MODE: Final = 0o644 << 16
UNIX: Final = 3


def export_archive(database: Database, name: str, path: str | Path) -> Manifest:
    """Write all rows of a space to a zip: one JSONL member a table, and a manifest with counts and hashes.

    One committed state is written, whatever others write meanwhile; rows are streamed. Importing it into an empty
    database and exporting that gives the same bytes.

    Args:
        database: Open.
        name: Of the space.
        path: Of the archive; nothing may be there.

    Returns:
        The manifest.

    Raises:
        UnknownSpace: There is no space of that name.
        UsageError: There is something at `path`.
        StoreUnavailable: The archive cannot be written.
    """
    with database.reading() as connection:
        info = required_space(connection, name)
        with appearing(Path(path).expanduser()) as temporary, zipfile.ZipFile(temporary, "w") as archive:
            members = {member: _write(archive, member, _lines(connection, info, member)) for member in sorted(MEMBERS)}
            manifest = _manifest(info, members)
            _write(archive, MANIFEST, [manifest.model_dump_json(indent=2).encode() + b"\n"])
    return manifest


def _lines(connection: sa.Connection, info: SpaceInfo, member: str) -> Iterator[bytes]:
    return (encode(row) for row in read_rows(connection, MEMBERS[member], info.id))


def _manifest(info: SpaceInfo, members: dict[str, MemberEntry]) -> Manifest:
    space = SpaceEntry(
        id=info.id,
        name=info.name,
        created=info.created.isoformat(),
        embedder=info.embedder,
        dimension=info.dimension,
        head=info.head,
    )
    return Manifest(
        format=FORMAT, version=VERSION, trajwiki=__version__, db_schema=SCHEMA_VERSION, space=space, members=members
    )


def _write(archive: zipfile.ZipFile, member: str, lines: Iterable[bytes]) -> MemberEntry:
    rows, size, digest = 0, 0, hashlib.sha256()
    file: IO[bytes]
    with archive.open(_entry(member), "w", force_zip64=True) as file:  # its size is not known before
        for line in lines:
            file.write(line)
            digest.update(line)
            rows += 1
            size += len(line)
    return MemberEntry(rows=rows, bytes=size, sha256=digest.hexdigest())


def _entry(member: str) -> zipfile.ZipInfo:
    """Name a member, with nothing of the machine or the moment in it."""
    entry = zipfile.ZipInfo(member, EPOCH)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.create_system = UNIX
    entry.external_attr = MODE
    return entry
