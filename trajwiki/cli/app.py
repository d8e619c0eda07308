"""The commands, one line each to where they are done; heavy imports wait until a command runs."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(
    name="trajwiki",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="Long-term memory for agents that can say where a memory came from, how it changed, and why it was used.",
)
spaces_app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="List, rename and delete spaces.")
bench_app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Measure on data sets.")
app.add_typer(spaces_app, name="spaces")
app.add_typer(bench_app, name="bench")

Db = Annotated[str | None, typer.Option("--db", help="Path or URL of the database (TRAJWIKI_DB).")]
SpaceName = Annotated[str | None, typer.Option("--space", "-s", help="Which memory (TRAJWIKI_SPACE, else 'default').")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON (docs/json.md).")]
Budget = Annotated[int | None, typer.Option("--budget", help="Words of context, at most.")]
AsOf = Annotated[str | None, typer.Option("--as-of", help="A commit number or a time: from what was believed then.")]
ProfileName = Annotated[
    str | None, typer.Option("--profile", help="Retrieval: default, paper, wiki (alone), messages (alone).")
]


@app.command()
def ingest(
    files: Annotated[list[Path], typer.Argument(help="Conversation files.")],
    space: SpaceName = None,
    db: Db = None,
    format: Annotated[str, typer.Option("--format", "-f", help="A name from `trajwiki formats`, or auto.")] = "auto",
    tz: Annotated[str, typer.Option("--tz", help="Time zone of times that have none.")] = "UTC",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the first records; store nothing.")] = False,
    json: Json = False,
) -> None:
    """Read conversations into a memory."""
    from trajwiki.cli.ingest import ingest as command

    command(files, space=space, db=db, format=format, tz=tz, dry_run=dry_run, json=json)


@app.command()
def recall(
    question: Annotated[str | None, typer.Argument(help="The question.")] = None,
    space: SpaceName = None,
    db: Db = None,
    budget: Budget = None,
    profile: ProfileName = None,
    as_of: AsOf = None,
    batch: Annotated[
        Path | None, typer.Option("--batch", help='JSONL, a line each: {"qid", "question", "space"?}; - for stdin.')
    ] = None,
    json: Json = False,
) -> None:
    """Give the evidence for a question, packed to a budget."""
    from trajwiki.cli import ask as commands

    if batch is not None:
        commands.recall_batch(batch, space=space, db=db, budget=budget, profile=profile, as_of=as_of, json=json)
    elif question is None:
        raise typer.BadParameter("give a question, or --batch FILE")
    else:
        commands.recall(question, space=space, db=db, budget=budget, profile=profile, as_of=as_of, json=json)


@app.command()
def ask(
    question: Annotated[str, typer.Argument(help="The question.")],
    space: SpaceName = None,
    db: Db = None,
    budget: Budget = None,
    profile: ProfileName = None,
    as_of: AsOf = None,
    json: Json = False,
) -> None:
    """Answer a question from memory alone, with refs, or say why not (exit code 1)."""
    from trajwiki.cli import ask as commands

    commands.ask(question, space=space, db=db, budget=budget, profile=profile, as_of=as_of, json=json)


@app.command()
def explain(
    answer_id: Annotated[str, typer.Argument(help="Id of an answer, as `ask` prints it.")],
    space: SpaceName = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """Show what an answer was made from, and the way that led there."""
    from trajwiki.cli import ask as commands

    commands.explain(answer_id, space=space, db=db, json=json)


@app.command()
def wiki(
    slug: Annotated[str | None, typer.Argument(help="A page; none: the index.")] = None,
    space: SpaceName = None,
    db: Db = None,
    as_of: AsOf = None,
    json: Json = False,
) -> None:
    """Read a page of the wiki."""
    from trajwiki.cli import look

    look.wiki(slug, space=space, db=db, as_of=as_of, json=json)


@app.command()
def trajectory(
    id: Annotated[str, typer.Argument(help="Id of a trajectory, or its beginning.")],
    space: SpaceName = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """Show a thread of evolving facts: snapshots, claims, and what changed what."""
    from trajwiki.cli import look

    look.trajectory(id, space=space, db=db, json=json)


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
def doctor(space: SpaceName = None, db: Db = None, json: Json = False) -> None:
    """Check a database: file, refs, quotes, folds, pages, vectors (exit code 1 on findings)."""
    from trajwiki.cli import doctor as commands

    commands.doctor(space=space, db=db, json=json)


@app.command()
def formats(json: Json = False) -> None:
    """List the conversation formats that can be read."""
    from trajwiki.cli.ingest import formats as command

    command(json=json)


@app.command()
def demo(
    db: Annotated[Path | None, typer.Option("--db", help="Keep the database here; none: a temporary one.")] = None,
) -> None:
    """Read the sample conversation and show what memory makes of it."""
    from trajwiki.cli.demo import demo as command

    command(db)


@spaces_app.command("list")
def spaces_list(db: Db = None, json: Json = False) -> None:
    """List the spaces."""
    from trajwiki.cli import spaces

    spaces.list_spaces(db=db, json=json)


@spaces_app.command("rename")
def spaces_rename(name: str, new: str, db: Db = None, json: Json = False) -> None:
    """Give a space another name."""
    from trajwiki.cli import spaces

    spaces.rename(name, new, db=db, json=json)


@spaces_app.command("delete")
def spaces_delete(
    name: str,
    db: Db = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    json: Json = False,
) -> None:
    """Delete a space with everything in it."""
    from trajwiki.cli import spaces

    spaces.delete(name, db=db, yes=yes, json=json)


Data = Annotated[Path, typer.Option("--data", help="The data set.")]
Out = Annotated[Path, typer.Option("--out", help="Folder for the report.")]


@bench_app.command("locomo")
def bench_locomo(
    data: Data,
    qa: Annotated[Path, typer.Option("--qa", help="The questions, as JSONL.")],
    out: Out,
    limit: Annotated[int | None, typer.Option("--limit", help="Only the first conversations.")] = None,
    json: Json = False,
) -> None:
    """Coverage, answers, sizes and times on LoCoMo, beside flat baselines in the same run."""
    from trajwiki.cli import bench

    bench.locomo(data, qa, out, limit=limit, json=json)


@bench_app.command("bfcl")
def bench_bfcl(data: Data, out: Out, json: Json = False) -> None:
    """Accepted answers in context and answered, on BFCL memory."""
    from trajwiki.cli import bench

    bench.bfcl(data, out, json=json)


@bench_app.command("longmemeval")
def bench_longmemeval(data: Data, out: Out, json: Json = False) -> None:
    """Evidence sessions in context, on LongMemEval."""
    from trajwiki.cli import bench

    bench.longmemeval(data, out, json=json)


def run() -> None:
    """Run the command of the process's arguments and exit: 0 done, 1 the answer is no, 2 wrong call, 3 surroundings."""
    from trajwiki.errors import TrajwikiError

    try:
        app()
    except TrajwikiError as error:
        if os.environ.get("TRAJWIKI_DEBUG") == "1":
            raise
        print(f"error: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        print("interrupted; what was committed is kept, run the same command to go on", file=sys.stderr)
        sys.exit(130)
