"""What the routes that write share: idempotency keys, and answers now or later."""

from __future__ import annotations

from typing import Annotated, Any, Final
from urllib.parse import quote

from fastapi import Header, Request
from starlette.responses import Response

from trajwiki.payloads import Payload
from trajwiki.server.auth import ASKER
from trajwiki.server.http import Json
from trajwiki.server.models import Given, OperationOut, WrittenOut
from trajwiki.server.operations import Operations, operation_payload
from trajwiki.server.routes.shared import IN_SPACE, Responses, refusals
from trajwiki.space import Space
from trajwiki.store.operations import Operation

IdempotencyKey = Annotated[
    str | None,
    Header(
        min_length=1,
        max_length=255,
        pattern=r"^[\x21-\x7e]+$",
        description="A name for this request: when it comes again, the first result is given and nothing is done.",
        examples=["7c9e6679-7425-40de-944b-e07fc1f90ae7"],
    ),
]
Prefer = Annotated[
    str | None, Header(max_length=200, description="`respond-async`: give an operation to look at instead of waiting.")
]
LOCATION: Final = {"Location": {"schema": {"type": "string"}, "description": "The operation."}}
WRITE: Final[Responses] = {
    **IN_SPACE,
    **refusals(409),
    200: {"model": WrittenOut, "description": "Nothing was new, or the request was carried out before."},
    201: {"model": WrittenOut, "description": "Written."},
    202: {"model": OperationOut, "description": "Being carried out; look at the operation.", "headers": LOCATION},
}


def write(
    request: Request,
    space: Space,
    kind: str,
    body: Given | None,
    *,
    key: str | None,
    prefer: str | None = None,
    of: str | int | None = None,
    slow: bool = False,
    total: int = 1,
) -> Response:
    """Carry out a request that writes, now or later.

    Args:
        request: The request.
        space: Where.
        kind: Of operation.
        body: What it needs.
        key: The caller's key.
        prefer: The Prefer header.
        of: What stood in the path.
        slow: It outlives a request.
        total: Units of work.
    """
    operations: Operations = request.app.state.operations
    actor = str(request.scope[ASKER])
    given: Payload = {} if body is None else body.model_dump(mode="json")
    given |= {"of": of} if of is not None else {}
    if slow or "respond-async" in (prefer or "").lower():
        operation = operations.later(space, kind, given, actor=actor, key=key, total=total)
        if not operation.ended:
            return accepted(space, operation)
        return Json(operation_payload(operation), status_code=202, headers=_location(space, operation))
    result, operation_now = operations.now(space, kind, given, actor=actor, key=key)
    if result is None:
        assert operation_now is not None
        return accepted(space, operation_now)
    return Json(result, status_code=201 if result.get("counts", True) and operation_now is None else 200)


def accepted(space: Space, operation: Operation) -> Response:
    """Answer with an operation that is to be looked at."""
    headers = {**_location(space, operation), "Retry-After": "1"}
    return Json(operation_payload(operation), status_code=202, headers=headers)


def _location(space: Space, operation: Operation) -> dict[str, Any]:
    return {"Location": f"/v1/spaces/{quote(space.name, safe='')}/operations/{operation.id}"}
