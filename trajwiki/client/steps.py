"""Calls as steps: what to send and how to read what comes back, without sending anything.

A call is a generator that yields requests and pauses, is sent the replies, and returns the result; one loop over
httpx's client and one over its async client carry out the same steps.
"""

from __future__ import annotations

import json
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeVar

from trajwiki.client.errors import error_of
from trajwiki.domain.problems import Problem

T = TypeVar("T")

TRIES: Final = 5
FIRST_PAUSE_S: Final = 0.2
MAX_PAUSE_S: Final = 30.0
PASSING: Final = (429, 502, 503, 504)  # statuses after which the same request may succeed


@dataclass(frozen=True, slots=True)
class Request:
    """One request.

    Attributes:
        method: Of HTTP.
        path: Below the server's address, encoded.
        query: Of the URL.
        body: As JSON, or bytes as they are.
        headers: More headers.
        again: It does no harm when it arrives twice.
        into: A file that takes the body of the reply.
    """

    method: str
    path: str
    query: Mapping[str, str | int] = field(default_factory=dict)
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    again: bool = True
    into: Path | None = None

    def content(self) -> tuple[bytes | None, dict[str, str]]:
        """Give the bytes to send, and headers."""
        if self.body is None:
            return None, dict(self.headers)
        if isinstance(self.body, bytes):
            return self.body, dict(self.headers)
        return json.dumps(self.body).encode(), {"Content-Type": "application/json", **self.headers}


@dataclass(frozen=True, slots=True)
class Pause:
    """Wait so many seconds."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back; `body` is None when it went into a file."""

    status: int
    headers: Mapping[str, str]
    body: Any


Steps = Generator[Request | Pause, Reply, T]


class At:
    """A space on a server, as calls see it.

    Attributes:
        name: Of the space.
        problems: Of the last call that wrote.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.problems: list[Problem] = []


def ask(request: Request) -> Steps[Reply]:
    """Send a request, again while the server is busy, and give the reply. Raises what its problem tells of."""
    for n in range(TRIES):
        reply = yield request
        if reply.status < 400:
            return reply
        if not (request.again and reply.status in PASSING and n < TRIES - 1):
            break
        yield Pause(pause_of(n, reply.headers.get("retry-after")))
    raise error_of(reply.status, reply.body if isinstance(reply.body, Mapping) else {})


def pause_of(n: int, said: str | None = None) -> float:
    """Give the seconds to wait after the nth try, n from 0."""
    wished = float(said) if said is not None and said.isdecimal() else 0.0
    return min(MAX_PAUSE_S, max(wished, FIRST_PAUSE_S * float(2**n)))
