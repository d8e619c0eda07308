"""The commands that tell a memory, ask it, and read it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from trajwiki.cli.root import (
    AsOf,
    BaseUrl,
    Budget,
    Db,
    HeardUntil,
    Json,
    MaxTokens,
    ModelName,
    ProfileName,
    SpaceName,
    ValidAt,
    app,
    spaces_app,
)


@app.command()
def ingest(
    files: Annotated[list[Path] | None, typer.Argument(help="Conversation files.")] = None,
    space: SpaceName = None,
    db: Db = None,
    format: Annotated[str, typer.Option("--format", "-f", help="A name from `trajwiki formats`, or auto.")] = "auto",
    tz: Annotated[str, typer.Option("--tz", help="Time zone of times that have none.")] = "UTC",
    encoding: Annotated[str | None, typer.Option("--encoding", help="Of texts neither in UTF-8 nor UTF-16.")] = None,
    date_order: Annotated[str | None, typer.Option("--date-order", help="WhatsApp: dmy, mdy or ymd.")] = None,
    branches: Annotated[str, typer.Option("--branches", help="ChatGPT: current or all.")] = "current",
    alias: Annotated[list[str] | None, typer.Option("--alias", help="OLD=NEW, a speaker; repeatable.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the first records; store nothing.")] = False,
    resume: Annotated[
        bool, typer.Option("--resume", help="Let the chat model read what it could not read before.")
    ] = False,
    model: ModelName = None,
    base_url: BaseUrl = None,
    max_tokens: MaxTokens = None,
    json: Json = False,
) -> None:
    """Read conversations into a memory."""
    if not files and not resume:
        raise typer.BadParameter("give files to read, or --resume")
    if files:
        from trajwiki.cli.ingest import ingest as command

        command(
            files,
            space=space,
            db=db,
            format=format,
            tz=tz,
            dry_run=dry_run,
            json=json,
            encoding=encoding,
            date_order=date_order,
            branches=branches,
            aliases=tuple(alias or ()),
            model=model,
            base_url=base_url,
            max_tokens=max_tokens,
        )
    if resume:
        from trajwiki.cli import model as models

        models.resume(space=space, db=db, model=model, base_url=base_url, max_tokens=max_tokens, json=json)


@app.command()
def recall(
    question: Annotated[str | None, typer.Argument(help="The question.")] = None,
    space: SpaceName = None,
    db: Db = None,
    budget: Budget = None,
    profile: ProfileName = None,
    as_of: AsOf = None,
    heard_until: HeardUntil = None,
    valid_at: ValidAt = None,
    batch: Annotated[
        Path | None, typer.Option("--batch", help='JSONL, a line each: {"qid", "question", "space"?}; - for stdin.')
    ] = None,
    model: ModelName = None,
    base_url: BaseUrl = None,
    max_tokens: MaxTokens = None,
    json: Json = False,
) -> None:
    """Give the evidence for a question, packed to a budget."""
    from trajwiki.cli import ask as commands

    times = (as_of, heard_until, valid_at)
    asked = {"model": model, "base_url": base_url, "max_tokens": max_tokens}
    if batch is not None:
        commands.recall_batch(
            batch, space=space, db=db, budget=budget, profile=profile, times=times, json=json, **asked
        )
    elif question is None:
        raise typer.BadParameter("give a question, or --batch FILE")
    else:
        commands.recall(
            question,
            space=space,
            db=db,
            budget=budget,
            profile=profile,
            times=times,
            json=json,
        )


@app.command()
def ask(
    question: Annotated[str, typer.Argument(help="The question.")],
    space: SpaceName = None,
    db: Db = None,
    budget: Budget = None,
    profile: ProfileName = None,
    as_of: AsOf = None,
    heard_until: HeardUntil = None,
    valid_at: ValidAt = None,
    model: ModelName = None,
    base_url: BaseUrl = None,
    max_tokens: MaxTokens = None,
    json: Json = False,
) -> None:
    """Answer a question from memory alone, with refs, or say why not (exit code 1)."""
    from trajwiki.cli import ask as commands

    times = (as_of, heard_until, valid_at)
    asked = {"model": model, "base_url": base_url, "max_tokens": max_tokens}
    commands.ask(question, space=space, db=db, budget=budget, profile=profile, times=times, json=json, **asked)


@app.command()
def cost(space: SpaceName = None, db: Db = None, json: Json = False) -> None:
    """Show what chat models were asked on behalf of a space: calls, tokens, fallbacks, repairs."""
    from trajwiki.cli import model

    model.cost(space=space, db=db, json=json)


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
    heard_until: HeardUntil = None,
    valid_at: ValidAt = None,
    json: Json = False,
) -> None:
    """Read a page of the wiki."""
    from trajwiki.cli import look

    look.wiki(slug, space=space, db=db, times=(as_of, heard_until, valid_at), json=json)


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


@spaces_app.command("set")
def spaces_set(
    name: Annotated[str, typer.Argument(help="mask, review, consolidate or withdraw; none: show all.")] = "",
    value: Annotated[str, typer.Argument(help="on or off.")] = "",
    space: SpaceName = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """Choose for one space: mask secrets in talk, review tips first, merge them at once, withdraw bad ones."""
    from trajwiki.cli import spaces

    spaces.choose(name, value, space=space, db=db, json=json)


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
