"""A real server in a thread, for tests that talk to it over a socket."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn

from trajwiki import Memory
from trajwiki.server import ServerSettings, create_app


@contextmanager
def served(memory: Memory, **chosen: Any) -> Iterator[str]:
    """Serve a memory on a free port; gives the address."""
    app = create_app(memory, settings=ServerSettings(**{"rate": 0, "web": False, **chosen}))
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_config=None, access_log=False))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        for _ in range(500):
            if server.started:
                break
            threading.Event().wait(0.01)
        (socket,) = server.servers[0].sockets
        yield f"http://127.0.0.1:{socket.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(timeout=20)
