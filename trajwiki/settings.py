"""One settings object, built once and passed down."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Literal

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict

Profile = Literal["default", "paper", "wiki", "messages"]


class Settings(BaseSettings):
    """What can be chosen. Each also comes from the environment, as TRAJWIKI_ and its name in capitals.

    Attributes:
        db: Path or URL of the database.
        space: The space that commands use when none is named.
        embedder: ``wordllama`` or ``openai:MODEL``.
        embedder_url: Base URL of an embedding endpoint.
        profile: Retrieval settings: ``default``, ``paper``, or one lane alone: ``wiki``, ``messages``.
        budget: Words of context that a recall may hold.
        exchange_words: A turn is cut when it passes this many words.
        silence_hours: A pause this long inside a session ends an exchange.
        continue_threshold: Score from which a snapshot continues a trajectory.
        trajectory_length: Snapshots after which a trajectory closes (paper, 4.2).
    """

    model_config = SettingsConfigDict(env_prefix="TRAJWIKI_", extra="ignore", frozen=True)

    db: str = Field(default_factory=lambda: str(default_database()))
    space: str = "default"
    embedder: str = "wordllama"
    embedder_url: str | None = None
    profile: Profile = "default"
    budget: int = Field(default=2000, ge=1)
    exchange_words: int = Field(default=400, ge=1)
    silence_hours: float = Field(default=6.0, gt=0)
    continue_threshold: float = Field(default=0.45, ge=0, le=2)
    trajectory_length: int = Field(default=15, ge=1)


def default_database() -> Path:
    """Give the place of the database when none is named: the user's data folder."""
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Application Support"
    else:
        base = Path(os.environ.get("XDG_DATA_HOME", Path.home() / ".local" / "share"))
    return base / "trajwiki" / "memory.db"
