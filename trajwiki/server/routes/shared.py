"""What the routes share: documented statuses, reading one state, and answers that may be unchanged."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Annotated, Any, Final

from fastapi import Query, Request
from pydantic import AwareDatetime
from starlette.responses import Response

from trajwiki.domain.practice import Practice
from trajwiki.domain.state import SpaceState
from trajwiki.engine import Memory
from trajwiki.errors import UnknownSpace
from trajwiki.history import When
from trajwiki.server.http import Json, etag, matches
from trajwiki.server.models import MAX_COMMIT, ProblemOut
from trajwiki.server.problems import MEDIA_TYPE
from trajwiki.space import Space

Responses = dict[int | str, dict[str, Any]]

MEANING: Final = {
    400: "The request is not HTTP or JSON as it should be.",
    401: "A key is needed, or the one given does not hold.",
    403: "The key does not allow this.",
    404: "There is no such thing, or the key does not open the space.",
    409: "The idempotency key was used for another request.",
    413: "The request is too large.",
    422: "The request is not as documented, or asks for what cannot be.",
    429: "Too many requests; `Retry-After` says when to come back.",
    500: "A fault of the server.",
    503: "The surroundings failed: the database or a model; `Retry-After` says when to come back.",
}


def refusals(*statuses: int) -> Responses:
    """Document the problems that a route may answer with."""
    content = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/ProblemOut"}}}
    return {status: {"description": MEANING[status], "content": content} for status in statuses}


EVERY: Final = refusals(400, 401, 403, 413, 422, 429, 503)
IN_SPACE: Final[Responses] = {**EVERY, **refusals(404)}
UNCHANGED: Final[Responses] = {304: {"description": "Unchanged since the tag in `If-None-Match`."}}
READ: Final[Responses] = {**IN_SPACE, **UNCHANGED}
PROBLEM: Final = ProblemOut

AsOf = Annotated[
    Annotated[int, Query(ge=0, le=MAX_COMMIT)] | AwareDatetime | None,
    Query(description="A commit or a time: from what was believed then."),
]


def memory_of(request: Request) -> Memory:
    """Give the memory that the app serves."""
    found: Memory = request.app.state.memory
    return found


@contextmanager
def held(request: Request, space: Space, *, as_of: When | None = None) -> Iterator[tuple[SpaceState, str]]:
    """Give the state of a space, which does not move until the block ends, and the tag of what is read of it.

    Raises:
        UnknownSpace: It was deleted meanwhile.
    """
    memory = memory_of(request)
    info = memory.store.find(space.name)
    if info is None:
        raise UnknownSpace(f"there is no space named {space.name!r}")
    with memory.locked(info.id):
        now = space.state()
        yield (now if as_of is None else space.state(as_of=as_of)), etag(info.id, now.head)


def read(
    request: Request,
    space: Space,
    show: Callable[[SpaceState], Any],
    *,
    if_none_match: str | None,
    as_of: datetime | int | None = None,
) -> Response:
    """Answer with something that is read of the state of a space, or with 304."""
    with held(request, space, as_of=as_of) as (state, tag):
        return _unless(matches(tag, if_none_match), tag, lambda: show(state))


def read_practice(
    request: Request, space: Space, show: Callable[[Practice], Any], *, if_none_match: str | None
) -> Response:
    """Answer with something that is read of the runs and tips of a space, or with 304."""
    memory = memory_of(request)
    info = memory.store.find(space.name)
    if info is None:
        raise UnknownSpace(f"there is no space named {space.name!r}")
    with memory.locked(info.id):
        practice = space.practice()
        tag = etag(info.id, memory.store.head(info.id))
        return _unless(matches(tag, if_none_match), tag, lambda: show(practice))


def _unless(unchanged: bool, tag: str, show: Callable[[], Any]) -> Response:
    headers = {"ETag": tag, "Cache-Control": "private, no-cache", "Vary": "Authorization"}
    if unchanged:
        return Response(status_code=304, headers=headers)
    shown = show()
    if isinstance(shown, Response):
        shown.headers.update(headers)
        return shown
    return Json(shown, headers=headers)
