"""export, import, backup."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from trajwiki.archive.export import export_archive
from trajwiki.archive.load import import_archive as load_archive
from trajwiki.archive.load import read_manifest
from trajwiki.archive.prov import export_prov
from trajwiki.archive.vault import export_vault
from trajwiki.cli.output import note, print_json, say
from trajwiki.cli.session import require_space, settings
from trajwiki.errors import UsageError
from trajwiki.payloads import problem_payloads
from trajwiki.store.backup import backup as copy_database
from trajwiki.store.database import Database
from trajwiki.store.spaces import SpaceStore

FORMATS: Final = ("archive", "vault", "prov")


def export_space(
    path: Path, *, space: str | None, db: str | None, format: str, force: bool = False, json: bool
) -> None:
    """Write a space to an archive, a vault or PROV-JSON."""
    if format not in FORMATS:
        raise UsageError(f"--format is one of {', '.join(FORMATS)}, not {format!r}")
    if force and format != "vault":
        raise UsageError("--force is for vaults; an archive or a PROV file is never written over")
    with _database(db) as database:
        name = _space_of(database, space)
        if format == "archive":
            counts = export_archive(database, name, path).rows()
        elif format == "prov":
            counts = export_prov(database, name, path)
        else:
            written = export_vault(database, name, path, force=force)
            counts = {"written": written.written, "unchanged": written.unchanged, "removed": written.removed}
    if json:
        payload = {"space": name, "format": format, "path": str(path), "counts": counts}
        print_json({"schema": "trajwiki.export/1", **payload})
    else:
        say(f"{name} as {format}: {path}", "  " + _listed(counts))


def import_archive(path: Path, *, db: str | None, name: str | None, json: bool) -> None:
    """Store the space of an archive."""
    read_manifest(path)  # before a database is made for it
    with _database(db, create=True) as database:
        done = load_archive(database, path, name=name)
    if json:
        print_json(
            {
                "schema": "trajwiki.import/1",
                "space": done.space.name,
                "id": done.space.id,
                "commits": done.space.head,
                "counts": done.rows,
                "problems": problem_payloads(done.problems),
            }
        )
        return
    say(f"{done.space.name}: {done.space.head} commits, as they were", "  " + _listed(done.rows))
    for problem in done.problems:
        note(f"{problem.code}: {problem.message}")


def backup(path: Path, *, db: str | None, json: bool) -> None:
    """Copy the whole database while others write."""
    with _database(db) as database:
        size = copy_database(database, path)
    if json:
        print_json({"schema": "trajwiki.backup/1", "path": str(path), "bytes": size})
    else:
        say(f"{path}: {size:,} bytes, checked. To restore it, open it: --db {path}")


@contextlib.contextmanager
def _database(db: str | None, *, create: bool = False) -> Iterator[Database]:
    database = Database(settings(db=db).db, create=create)
    with contextlib.closing(database):
        yield database


def _space_of(database: Database, name: str | None) -> str:
    """Give the name of a space that is there. Raises UnknownSpace, with the names that are."""
    wanted = name or settings().space
    require_space(wanted, [info.name for info in SpaceStore(database).spaces()])
    return wanted


def _listed(counts: dict[str, int]) -> str:
    return ", ".join(f"{n} {name}" for name, n in sorted(counts.items())) or "nothing"
