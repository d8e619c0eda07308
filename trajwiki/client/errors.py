"""What a server can say beside the errors of the memory itself, and how its problems become errors again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from trajwiki import errors
from trajwiki.errors import EnvironmentFailure, TrajwikiError, UsageError

PREFIX: Final = "urn:trajwiki:problem:"


class AccessDenied(UsageError):
    """The server does not let the key do this, or asks for a key."""


class ServerUnavailable(EnvironmentFailure):
    """The server cannot be reached, has too much to do, or failed."""


def error_of(status: int, body: Mapping[str, Any]) -> TrajwikiError:
    """Give the error that a problem tells of."""
    detail = str(body.get("detail") or f"the server answered with status {status}")
    if status in (401, 403):
        return AccessDenied(detail)
    kind = getattr(errors, str(body.get("type", "")).removeprefix(PREFIX), None)
    if isinstance(kind, type) and issubclass(kind, TrajwikiError):
        made: TrajwikiError = kind(detail)
        return made
    return ServerUnavailable(detail) if status >= 500 or status == 429 else UsageError(detail)
