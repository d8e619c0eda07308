"""mcp."""

from __future__ import annotations

from trajwiki.cli.session import settings
from trajwiki.engine import Memory
from trajwiki.errors import MissingExtra, UsageError

LOOPBACK = ("127.0.0.1", "localhost", "::1")


def mcp(*, space: str | None, db: str | None, http: bool, host: str, port: int) -> None:
    """Serve one space to agents, over standard input and output or over HTTP on the loopback."""
    try:
        from trajwiki.mcp.server import create_server
    except ImportError as error:
        raise MissingExtra("the MCP server needs an extra: pip install 'trajwiki[mcp]'") from error
    if http and host not in LOOPBACK:
        raise UsageError(
            f"--host {host}: without keys it is served on the loopback only; put a proxy that asks in front"
        )
    chosen = settings(db=db)
    with Memory.open(settings=chosen, actor="mcp") as memory:
        server = create_server(memory, space or chosen.space)
        if http:
            server.run("streamable-http", host=host, port=port)
        else:
            server.run("stdio")
