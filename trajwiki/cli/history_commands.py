"""The commands that look back, take back, erase, check and carry away."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from trajwiki.cli.root import Db, Json, SpaceName, app


@app.command()
def claim(
    what: Annotated[str, typer.Argument(metavar="ID|add|revise|deprecate|restore", help="A claim, or what to do.")],
    rest: Annotated[
        list[str] | None, typer.Argument(metavar="[ID] [TEXT]", help="add TEXT; revise ID TEXT; others ID.")
    ] = None,
    reason: Annotated[str | None, typer.Option("--reason", help="Why; kept in the history.")] = None,
    subject: Annotated[str | None, typer.Option("--subject", help="add: whom or what it is about.")] = None,
    space: SpaceName = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """Show a claim with its sources and history, or correct the memory as a person."""
    from trajwiki.cli import amend, look

    if what in amend.VERBS:
        amend.claim(what, rest or [], reason=reason, subject=subject, space=space, db=db, json=json)
    elif rest:
        raise typer.BadParameter(f"{what!r} is not add, revise, deprecate or restore")
    else:
        look.claim(what, space=space, db=db, json=json)


@app.command()
def revert(
    commit: Annotated[int, typer.Argument(help="The commit to take back.")],
    with_dependents: Annotated[
        bool, typer.Option("--with-dependents", help="Also later changes of its claims.")
    ] = False,
    space: SpaceName = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """Take back what a commit did to claims, in a new commit."""
    from trajwiki.cli import amend

    amend.revert(commit, with_dependents=with_dependents, space=space, db=db, json=json)


@app.command()
def erase(
    message: Annotated[
        list[str] | None, typer.Option("--message", "-m", help="A source ref or id; repeatable.")
    ] = None,
    session: Annotated[str | None, typer.Option("--session", help="All messages of a session.")] = None,
    speaker: Annotated[str | None, typer.Option("--speaker", help="All messages of a speaker.")] = None,
    before: Annotated[str | None, typer.Option("--before", help="All messages sent before a time.")] = None,
    matching: Annotated[str | None, typer.Option("--matching", help="All messages that hold a text.")] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do it; without it, only say what would fall.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would fall (the default).")] = False,
    space: SpaceName = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """Erase messages with all that stood on them alone: from tables, freed pages and logs."""
    from trajwiki.cli import amend

    amend.erase(
        message or [],
        session=session,
        speaker=speaker,
        before=before,
        matching=matching,
        yes=yes and not dry_run,
        space=space,
        db=db,
        json=json,
    )


@app.command()
def retain(
    policy: Annotated[Path, typer.Argument(help="A policy file (docs/history.md).")],
    archive_to: Annotated[
        Path | None, typer.Option("--archive-to", help="Export the space here before a rule that archives erases.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do it; without it, only say what would fall.")] = False,
    space: SpaceName = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """Erase what a retention policy does not keep: by age, use, speaker, session or kind."""
    from trajwiki.cli import amend

    amend.retain(policy, archive_to=archive_to, yes=yes, space=space, db=db, json=json)


@app.command()
def blame(
    what: Annotated[str, typer.Argument(help="A claim, or a page.")],
    space: SpaceName = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """Say for each line of a page, or for a claim, which commit, messages and words it comes from."""
    from trajwiki.cli import look

    look.blame(what, space=space, db=db, json=json)


@app.command()
def log(
    space: SpaceName = None,
    db: Db = None,
    limit: Annotated[int, typer.Option("--limit", "-n", help="At most this many; 0: all.")] = 20,
    json: Json = False,
) -> None:
    """List the commits of a space, newest first."""
    from trajwiki.cli import look

    look.log(space=space, db=db, limit=limit, json=json)


@app.command()
def show(
    commit: Annotated[str, typer.Argument(help="A commit number.")],
    space: SpaceName = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """Show what one commit changed."""
    from trajwiki.cli import look

    look.show(commit, space=space, db=db, json=json)


@app.command()
def diff(
    range: Annotated[str, typer.Argument(metavar="A..B", help="Two commits, or two times.")],
    space: SpaceName = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """Show what changed between two commits: claims, trajectories, lines of pages."""
    from trajwiki.cli import look

    look.diff(range, space=space, db=db, json=json)


@app.command()
def export(
    path: Annotated[Path, typer.Argument(help="The file or, for a vault, the folder to write.")],
    space: SpaceName = None,
    db: Db = None,
    format: Annotated[
        str, typer.Option("--format", "-f", help="archive (lossless), vault (Markdown for Obsidian), prov (PROV-JSON).")
    ] = "archive",
    force: Annotated[
        bool, typer.Option("--force", help="vault: write into a folder that holds something else.")
    ] = False,
    json: Json = False,
) -> None:
    """Write a space to an archive, a Markdown vault or PROV-JSON."""
    from trajwiki.cli import archive

    archive.export_space(path, space=space, db=db, format=format, force=force, json=json)


@app.command("import")
def import_(
    path: Annotated[Path, typer.Argument(help="An archive, as `export` writes it.")],
    db: Db = None,
    name: Annotated[str | None, typer.Option("--name", help="For the space; none: the name it had.")] = None,
    json: Json = False,
) -> None:
    """Store the space of an archive, with its ids, times and history."""
    from trajwiki.cli import archive

    archive.import_archive(path, db=db, name=name, json=json)


@app.command()
def backup(
    path: Annotated[Path, typer.Argument(help="The file to write.")],
    db: Db = None,
    json: Json = False,
) -> None:
    """Copy the whole database while others write; to restore it is to open it."""
    from trajwiki.cli import archive

    archive.backup(path, db=db, json=json)


@app.command()
def reembed(space: SpaceName = None, db: Db = None, json: Json = False) -> None:
    """Make the vectors of a space anew with the embedder of the settings; goes on where it was interrupted."""
    from trajwiki.cli import amend

    amend.reembed(space=space, db=db, json=json)


@app.command()
def doctor(
    repair: Annotated[bool, typer.Option("--repair", help="Mend what can be mended without guessing.")] = False,
    space: SpaceName = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """Check a database: file, refs, quotes, folds, pages, vectors, tips, scrubs (exit code 1 on findings)."""
    from trajwiki.cli import doctor as commands

    commands.doctor(repair=repair, space=space, db=db, json=json)
