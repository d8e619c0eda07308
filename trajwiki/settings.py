"""One settings object, built once and passed down."""

from __future__ import annotations

import os
import sys
import tomllib
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import Field, field_validator
from pydantic_settings import BaseSettings, NoDecode, PydanticBaseSettingsSource, SettingsConfigDict

from trajwiki.errors import UsageError

STAGES: Final = ("construction", "retrieval", "answer")
Profile = Literal["default", "paper", "wiki", "messages"]


class Settings(BaseSettings):
    """What can be chosen.

    Each also comes from the environment, as TRAJWIKI_ and its name in capitals, or from a TOML file: what is given in
    code or on the command line wins over the environment, and that over the file (see `settings_file`).

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
        live_spaces: Spaces that a process keeps in memory, at most.
        model: Name of a chat model; None: local mode.
        base_url: Of its OpenAI-compatible endpoint; None: OpenAI's own. Its key comes from OPENAI_API_KEY.
        model_stages: Which stages ask it: ``construction``, ``retrieval``, ``answer``, or ``all`` or ``none``.
        temperature: Of sampling.
        model_timeout: Seconds to wait for an answer.
        model_retries: Requests after the first that failed.
        model_concurrency: Requests in flight, at most.
        model_batch: Exchanges that share a request, at most.
        match_margin: A match score this far from `continue_threshold` is certain, and the model is not asked.
        max_tokens: Tokens that a command or process may spend; None: no limit.
    """

    model_config = SettingsConfigDict(env_prefix="TRAJWIKI_", extra="ignore", frozen=True, protected_namespaces=())

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
    live_spaces: int = Field(default=64, ge=1)
    model: str | None = None
    base_url: str | None = None
    model_stages: Annotated[tuple[str, ...], NoDecode] = STAGES
    temperature: float = Field(default=0.0, ge=0, le=2)
    model_timeout: float = Field(default=120.0, gt=0)
    model_retries: int = Field(default=4, ge=0, le=20)
    model_concurrency: int = Field(default=4, ge=1, le=64)
    model_batch: int = Field(default=6, ge=1, le=32)
    match_margin: float = Field(default=0.1, ge=0)
    max_tokens: int | None = Field(default=None, ge=1)

    @field_validator("model", "base_url", "embedder_url", mode="before")
    @classmethod
    def _none(cls, value: Any) -> Any:
        """An empty text, as an environment variable may hold, is none."""
        return None if isinstance(value, str) and not value.strip() else value

    @field_validator("model_stages", mode="before")
    @classmethod
    def _stages(cls, value: Any) -> tuple[str, ...]:
        named = [p.strip() for p in value.split(",")] if isinstance(value, str) else list(value)
        if named == ["all"]:
            return STAGES
        if named in ([], [""], ["none"]):
            return ()
        unknown = [n for n in named if n not in STAGES]
        if unknown:
            raise ValueError(f"stages are {', '.join(STAGES)}, or all, or none; not {unknown[0]!r}")
        return tuple(s for s in STAGES if s in named)

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Add the settings file, behind what is given and the environment."""
        return init_settings, env_settings, _File(settings_cls)


class _File(PydanticBaseSettingsSource):
    """The settings file as a source."""

    def get_field_value(self, field: Any, field_name: str) -> tuple[Any, str, bool]:
        """Nothing: the file is read as a whole."""
        return None, field_name, False

    def __call__(self) -> dict[str, Any]:
        """Give what the file says."""
        return read_settings(settings_file(), set(self.settings_cls.model_fields))


def settings_file() -> Path | None:
    """Give the settings file: TRAJWIKI_CONFIG, else ``trajwiki/settings.toml`` in the user's folder of settings.

    Raises:
        UsageError: TRAJWIKI_CONFIG names a file that is not there.
    """
    if named := os.environ.get("TRAJWIKI_CONFIG"):
        if not Path(named).is_file():
            raise UsageError(f"TRAJWIKI_CONFIG names {named}, which is no file")
        return Path(named)
    if sys.platform == "win32":
        base = Path(os.environ.get("APPDATA", Path.home() / "AppData" / "Roaming"))
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Application Support"
    else:
        base = Path(os.environ.get("XDG_CONFIG_HOME", Path.home() / ".config"))
    path = base / "trajwiki" / "settings.toml"
    return path if path.is_file() else None


def read_settings(path: Path | None, known: set[str]) -> dict[str, Any]:
    """Read a settings file.

    Raises:
        UsageError: It cannot be read, or names a setting that there is not.
    """
    if path is None:
        return {}
    try:
        read = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"cannot read the settings file {path}: {error}") from error
    for name in read:
        if "key" in name and name not in known:
            raise UsageError(f"{path}: keys do not belong into files; the key of an endpoint comes from OPENAI_API_KEY")
        if name not in known:
            raise UsageError(f"{path}: there is no setting {name!r} (docs/settings.md)")
    return read


def default_database() -> Path:
    """Give the place of the database when none is named: the user's data folder."""
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Application Support"
    else:
        base = Path(os.environ.get("XDG_DATA_HOME", Path.home() / ".local" / "share"))
    return base / "trajwiki" / "memory.db"
