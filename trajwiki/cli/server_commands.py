"""The commands that serve a memory to programs."""

from __future__ import annotations

from typing import Annotated

import typer

from trajwiki.cli.root import Db, Json, SpaceName, app, group

keys_app = group("keys", "Make, list and revoke keys of the server.")


@app.command()
def mcp(
    space: SpaceName = None,
    db: Db = None,
    http: Annotated[bool, typer.Option("--http", help="Streamable HTTP instead of standard input and output.")] = False,
    host: Annotated[str, typer.Option("--host", help="http: an address of the loopback.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", help="http: the port.")] = 8766,
) -> None:
    """Serve one space to agents over the Model Context Protocol."""
    from trajwiki.cli import mcp as commands

    commands.mcp(space=space, db=db, http=http, host=host, port=port)


@app.command()
def serve(
    db: Db = None,
    host: Annotated[str | None, typer.Option("--host", help="Address; another than the loopback needs keys.")] = None,
    port: Annotated[int | None, typer.Option("--port", help="Port (8377).")] = None,
    keys: Annotated[bool | None, typer.Option("--keys/--no-keys", help="Ask every request for a key.")] = None,
    web: Annotated[bool | None, typer.Option("--web/--no-web", help="Pages for people beside the API.")] = None,
    processes: Annotated[int | None, typer.Option("--processes", help="Processes that serve (1).")] = None,
    queue: Annotated[
        str | None, typer.Option("--queue", help="Who runs long work: inline, or procrastinate (PostgreSQL).")
    ] = None,
) -> None:
    """Serve the memory over HTTP: the API under /v1, and pages for people at /."""
    from trajwiki.cli import serve as commands

    commands.serve(db=db, host=host, port=port, keys=keys, web=web, processes=processes, queue=queue)


@app.command()
def worker(
    db: Db = None,
    jobs: Annotated[int, typer.Option("--jobs", help="Operations at the same time.")] = 1,
) -> None:
    """Carry out long work that a server on PostgreSQL left for workers."""
    from trajwiki.cli import serve as commands

    commands.worker(db=db, jobs=jobs)


@keys_app.command("create")
def keys_create(
    space: Annotated[list[str] | None, typer.Option("--space", "-s", help="For this space; repeatable.")] = None,
    all_spaces: Annotated[bool, typer.Option("--all-spaces", help="For all spaces, also those to come.")] = False,
    scope: Annotated[str, typer.Option("--scope", help="read, write or admin.")] = "read",
    expires: Annotated[str | None, typer.Option("--expires", help="A time, or days such as 30d.")] = None,
    label: Annotated[str, typer.Option("--label", help="A name for lists and the history.")] = "",
    db: Db = None,
    json: Json = False,
) -> None:
    """Make a key and print it, this once; only a hash of it is kept."""
    from trajwiki.cli import serve as commands

    commands.keys_create(
        space or [], all_spaces=all_spaces, scope=scope, expires=expires, label=label, db=db, json=json
    )


@keys_app.command("list")
def keys_list(db: Db = None, json: Json = False) -> None:
    """List the keys, with their last use."""
    from trajwiki.cli import serve as commands

    commands.keys_list(db=db, json=json)


@keys_app.command("revoke")
def keys_revoke(
    id: Annotated[str, typer.Argument(help="Id of the key, as `keys list` shows it.")],
    db: Db = None,
    json: Json = False,
) -> None:
    """Let a key open nothing any more, at once."""
    from trajwiki.cli import serve as commands

    commands.keys_revoke(id, db=db, json=json)
