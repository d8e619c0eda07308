"""What can be chosen about the server."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict

PORT: Final = 8377


class ServerSettings(BaseSettings):
    """What can be chosen. Each also comes from the environment, as TRAJWIKI_SERVER_ and its name in capitals.

    Attributes:
        host: Address to listen on.
        port: Port to listen on; 0: a free one.
        keys: Ask every request for a key. None: unless the address is the machine's own (loopback).
        hosts: Names, beside the machine's own, under which the server is reached when it asks for no keys.
        max_body: Bytes that a request may send.
        rate: Requests a second that one key, or one address without a key, may make over time; 0: any number.
        burst: Requests that it may make at once.
        processes: Processes that serve; about one a core. Each keeps the spaces that it is asked about in memory.
        workers: Calls into the memory that run at the same time in a process; more wait.
        max_waiting: Requests in hand at the same time; more are sent away with 503.
        jobs: Operations that outlive their request and run at the same time in this process.
        lease_seconds: A process that gives no sign of life for so long loses its operations to others.
        queue: Who runs operations: ``inline`` (this process) or ``procrastinate`` (`trajwiki worker`, on PostgreSQL).
        shutdown_seconds: How long requests and operations in hand may take to finish at the end.
        web: Serve pages for people beside the API.
        tracing: Make OpenTelemetry spans of requests and stages.
        scratch: Folder for exports on their way out; None: the system's.
    """

    model_config = SettingsConfigDict(env_prefix="TRAJWIKI_SERVER_", extra="ignore", frozen=True)

    host: str = "127.0.0.1"
    port: int = Field(default=PORT, ge=0, le=65535)
    keys: bool | None = None
    hosts: tuple[str, ...] = ()
    max_body: int = Field(default=16 * 2**20, ge=1)
    rate: float = Field(default=50.0, ge=0)
    burst: int = Field(default=200, ge=1)
    processes: int = Field(default=1, ge=1)
    workers: int = Field(default=4, ge=1)
    max_waiting: int = Field(default=200, ge=1)
    jobs: int = Field(default=1, ge=1)
    lease_seconds: float = Field(default=15.0, gt=0)
    queue: str = Field(default="inline", pattern="^(inline|procrastinate)$")
    shutdown_seconds: int = Field(default=30, ge=0)
    web: bool = True
    tracing: bool = False
    scratch: Path | None = None

    @property
    def needs_keys(self) -> bool:
        """Whether every request is asked for a key."""
        return not is_loopback(self.host) if self.keys is None else self.keys


def is_loopback(host: str) -> bool:
    """Tell whether an address is reached from this machine only."""
    import ipaddress

    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
