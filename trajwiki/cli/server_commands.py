"""The commands that serve a memory to programs."""

from __future__ import annotations

from typing import Annotated

import typer

from trajwiki.cli.root import Db, SpaceName, app


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
