"""One of several processes that serve the same memory; all that it needs to know is in its environment."""

from __future__ import annotations

import json

from fastapi import FastAPI

from trajwiki.engine import Memory
from trajwiki.server.app import create_app
from trajwiki.server.logs import set_up
from trajwiki.server.settings import ServerSettings
from trajwiki.settings import Settings


def make_app() -> FastAPI:
    """Open the memory and make the app. The process ends with the server, and so lets go of the memory."""
    set_up()
    return create_app(Memory.open(settings=Settings()), settings=ServerSettings())


def environment(db: str, chosen: ServerSettings) -> dict[str, str]:
    """Give the variables that a process needs beside those it inherits.

    Args:
        db: Path or URL of the database.
        chosen: Settings of the server.
    """
    given = {name: value for name, value in chosen.model_dump(mode="json").items() if value is not None}
    texts = {name: value if isinstance(value, str) else json.dumps(value) for name, value in given.items()}
    return {"TRAJWIKI_DB": db, **{f"TRAJWIKI_SERVER_{name.upper()}": text for name, text in texts.items()}}
