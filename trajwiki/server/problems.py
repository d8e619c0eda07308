"""Errors as problem+json (RFC 9457): what went wrong, where, and what to do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any, Final

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from trajwiki.errors import (
    ConcurrentWrite,
    EnvironmentFailure,
    TrajwikiError,
    UnknownItem,
    UnknownSpace,
    UsageError,
)
from trajwiki.server.http import dumps

MEDIA_TYPE: Final = "application/problem+json"
PREFIX: Final = "urn:trajwiki:problem:"
RETRY_AFTER_S: Final = 2
MAX_SHOWN: Final = 20  # faults of one request that are listed


class Unauthorized(TrajwikiError):
    """The request has no key, or one that does not hold."""


class Forbidden(TrajwikiError):
    """The key does not allow this."""


class Conflict(UsageError):
    """The idempotency key was used for another request."""


class TooMany(TrajwikiError):
    """The caller, or all callers together, ask too much.

    Attributes:
        retry_after: Seconds after which it is worth another try.
    """

    def __init__(self, message: str, *, retry_after: float) -> None:
        super().__init__(message)
        self.retry_after = retry_after


STATUS: Final[tuple[tuple[type[TrajwikiError], int], ...]] = (  # the first that fits
    (Unauthorized, 401),
    (Forbidden, 403),
    (UnknownSpace, 404),
    (UnknownItem, 404),
    (Conflict, 409),
    (TooMany, 429),
    (UsageError, 422),
    (ConcurrentWrite, 503),
    (EnvironmentFailure, 503),
)


def problem(
    status: int,
    detail: str,
    *,
    kind: str | None = None,
    request_id: str | None = None,
    where: str | None = None,
    faults: Sequence[Mapping[str, Any]] = (),
    headers: Mapping[str, str] | None = None,
) -> Response:
    """Give a problem as a response.

    Args:
        status: HTTP status.
        detail: What went wrong and what to do.
        kind: Name of the error class; None: of the status.
        request_id: Of the request, to be found in the log.
        where: The place in the request.
        faults: Single faults with their places.
        headers: More headers.
    """
    title = HTTPStatus(status).phrase
    body: dict[str, Any] = {
        "type": PREFIX + (kind or title.replace(" ", "")),
        "title": title,
        "status": status,
        "detail": detail,
    }
    body |= {"where": where} if where else {}
    body |= {"request_id": request_id} if request_id else {}
    body |= {"faults": list(faults)} if faults else {}
    return Response(dumps(body), status_code=status, media_type=MEDIA_TYPE, headers=dict(headers or {}))


def problem_of(error: TrajwikiError, request_id: str | None) -> Response:
    """Give the problem that an error of ours is."""
    status = next((status for kind, status in STATUS if isinstance(error, kind)), 503)
    headers: dict[str, str] = {}
    if isinstance(error, Unauthorized):
        headers["WWW-Authenticate"] = 'Bearer realm="trajwiki"'
    elif isinstance(error, TooMany):
        headers["Retry-After"] = str(max(1, round(error.retry_after)))
    elif status == 503:
        headers["Retry-After"] = str(RETRY_AFTER_S)
    return problem(status, str(error), kind=type(error).__name__, request_id=request_id, headers=headers)


def install(app: FastAPI) -> None:
    """Make all errors of an app problems."""

    def ours(request: Request, error: Exception) -> Response:
        assert isinstance(error, TrajwikiError)
        return problem_of(error, id_of(request))

    def http(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        return problem(error.status_code, str(error.detail), request_id=id_of(request), headers=error.headers)

    def invalid(request: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)
        faults = [{"where": _place(e["loc"]), "message": e["msg"]} for e in error.errors()[:MAX_SHOWN]]
        first = faults[0] if faults else {"where": "body", "message": "not as documented"}
        detail = f"{first['where']}: {first['message']}"
        return problem(422, detail, request_id=id_of(request), where=first["where"], faults=faults)

    app.add_exception_handler(TrajwikiError, ours)
    app.add_exception_handler(HTTPException, http)
    app.add_exception_handler(RequestValidationError, invalid)


def id_of(request: Request) -> str | None:
    """Give the id of a request."""
    found = request.scope.get("trajwiki.request_id")
    return found if isinstance(found, str) else None


def _place(location: Sequence[Any]) -> str:
    return ".".join(str(part)[:100] for part in location)
