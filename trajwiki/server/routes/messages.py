"""Messages, flush, and the operations that reading them may become."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from trajwiki.domain.state import SpaceState
from trajwiki.errors import UnknownItem
from trajwiki.server.auth import Makes, Reads, Rules, Writes
from trajwiki.server.http import PAGE, Cursor, IfNoneMatch, Json, Limit, Name, page_of
from trajwiki.server.models import MessageOut, MessagesIn, MessagesOut, OperationOut, OperationsOut
from trajwiki.server.operations import operation_payload
from trajwiki.server.routes.shared import IN_SPACE, READ, memory_of, read
from trajwiki.server.routes.writing import WRITE, IdempotencyKey, Prefer, write
from trajwiki.server.shown import message_payload

router = APIRouter(prefix="/v1/spaces/{space}", tags=["messages"])


@router.post("/messages", status_code=201, responses=WRITE, summary="Add messages")
def add(
    request: Request, space: Makes, body: MessagesIn, idempotency_key: IdempotencyKey = None, prefer: Prefer = None
) -> Response:
    """Remember messages, in order. All are checked first; those that are there already change nothing.

    They can be recalled as soon as this answers, also with 202 once the operation has begun to run.
    """
    slow = reads_with_model(request)
    total = len(body.messages)
    return write(request, space, "messages", body, key=idempotency_key, prefer=prefer, slow=slow, total=total)


@router.get("/messages", responses={**READ, 200: {"model": MessagesOut}}, summary="List the messages")
def messages(
    request: Request,
    space: Reads,
    session: str | None = None,
    limit: Limit = PAGE,
    cursor: Cursor = None,
    if_none_match: IfNoneMatch = None,
) -> Response:
    """List the messages in the order of arrival, of one session or of all."""

    def show(state: SpaceState) -> object:
        listed = [m for m in state.messages.values() if session in (None, m.session)]
        return page_of(listed, message_payload, lambda m: m.ordinal, of="messages", limit=limit, cursor=cursor)

    return read(request, space, show, if_none_match=if_none_match)


@router.get("/messages/{ref}", responses={**READ, 200: {"model": MessageOut}}, summary="A message")
def message(request: Request, space: Reads, ref: Name, if_none_match: IfNoneMatch = None) -> Response:
    """Give a message by its ref or id."""

    def show(state: SpaceState) -> object:
        found = state.messages.get(state.message_by_ref.get(ref, ref))
        if found is None:
            raise UnknownItem(f"there is no message {ref!r}")
        return message_payload(found)

    return read(request, space, show, if_none_match=if_none_match)


@router.post("/flush", status_code=201, responses=WRITE, summary="Close open exchanges")
def flush(request: Request, space: Writes, idempotency_key: IdempotencyKey = None, prefer: Prefer = None) -> Response:
    """Close the exchanges that are still open, and read them."""
    slow = reads_with_model(request)
    return write(request, space, "flush", None, key=idempotency_key, prefer=prefer, slow=slow)


@router.post("/reembed", status_code=202, responses=WRITE, summary="Make vectors anew")
def reembed(request: Request, space: Rules, idempotency_key: IdempotencyKey = None) -> Response:
    """Make the vectors of the space anew with the embedder that the server is set to."""
    return write(request, space, "reembed", None, key=idempotency_key, slow=True)


@router.get("/operations", responses={**IN_SPACE, 200: {"model": OperationsOut}}, summary="List the operations")
def operations(request: Request, space: Reads, limit: Limit = PAGE, cursor: Cursor = None) -> Response:
    """List the operations of a day, newest first."""
    listed = request.app.state.operations.store.all(_id(request, space.name))
    place = lambda o: [o.created.isoformat(), o.id]  # noqa: E731
    page = page_of(listed, operation_payload, place, of="operations", limit=limit, cursor=cursor, descending=True)
    return Json(page)


@router.get("/operations/{operation}", responses={**IN_SPACE, 200: {"model": OperationOut}}, summary="An operation")
def operation(request: Request, space: Reads, operation: Name) -> Response:
    """Say how far an operation is, and what it gave."""
    found = request.app.state.operations.store.find(_id(request, space.name), operation)
    if found is None:
        raise UnknownItem(f"there is no operation {operation!r}; one that ended is kept for a day")
    headers = {} if found.ended else {"Retry-After": "1"}
    return Json(operation_payload(found), headers=headers)


def reads_with_model(request: Request) -> bool:
    """Tell whether a chat model reads what is added, which takes longer than a request should."""
    settings = memory_of(request).settings
    return settings.model is not None and "construction" in settings.model_stages


def _id(request: Request, name: str) -> str:
    info = memory_of(request).store.find(name)
    return info.id if info is not None else ""
