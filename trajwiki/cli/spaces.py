"""spaces list, rename, delete."""

from __future__ import annotations

import sys
from dataclasses import asdict

import typer

from trajwiki.cli.output import print_json, say, table
from trajwiki.cli.session import opened, space_of
from trajwiki.errors import UsageError


def list_spaces(*, db: str | None, json: bool) -> None:
    """Print the spaces."""
    with opened(db) as memory:
        infos = memory.spaces()
    if json:
        print_json(
            {
                "schema": "trajwiki.spaces/1",
                "spaces": [
                    {
                        "name": i.name,
                        "id": i.id,
                        "created": i.created.isoformat(),
                        "commits": i.head,
                        "embedder": i.embedder,
                    }
                    for i in infos
                ],
            }
        )
    else:
        say(*table([("SPACE", "COMMITS", "CREATED")] + [(i.name, str(i.head), f"{i.created:%Y-%m-%d}") for i in infos]))


def choose(name: str, value: str, *, space: str | None, db: str | None, json: bool) -> None:
    """Choose something for a space, or show what was chosen."""
    with opened(db, create=bool(name)) as memory:
        here = memory.space(space or memory.settings.space) if name else space_of(memory, space)
        chosen = here.choose(name, value) if name else here.choices()
    if json:
        print_json({"schema": "trajwiki.choices/1", "space": here.name, **asdict(chosen)})
    else:
        say(*table((name, "on" if on else "off") for name, on in asdict(chosen).items()))


def rename(name: str, new: str, *, db: str | None, json: bool) -> None:
    """Rename a space."""
    with opened(db) as memory:
        memory.rename_space(name, new)
    if json:
        print_json({"schema": "trajwiki.space-renamed/1", "from": name, "to": new})
    else:
        say(f"{name} is now {new}")


def delete(name: str, *, db: str | None, yes: bool, json: bool) -> None:
    """Delete a space, after asking."""
    with opened(db) as memory:
        space_of(memory, name)
        if not yes:
            if not sys.stdin.isatty():
                raise UsageError(f"this deletes everything in {name!r}; say --yes")
            typer.confirm(f"Delete everything in {name!r}?", abort=True)
        removed = memory.delete_space(name)
    if json:
        print_json({"schema": "trajwiki.space-deleted/1", "space": name, "removed": removed})
    else:
        say(f"deleted {name}: " + ", ".join(f"{n} {table}" for table, n in sorted(removed.items())))
