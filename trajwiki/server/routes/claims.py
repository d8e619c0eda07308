"""Claims: look, state, correct, restore; and blame."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from trajwiki.domain.claims import Claim, Status
from trajwiki.domain.state import SpaceState
from trajwiki.errors import UnknownItem
from trajwiki.payloads import blame_payload, claim_payload
from trajwiki.server.auth import Makes, Reads, Writes
from trajwiki.server.http import PAGE, Cursor, IfNoneMatch, Json, Limit, Name, page_of
from trajwiki.server.models import BlameOut, ClaimIn, ClaimOut, ItemsOut, ReasonIn, RevisionIn
from trajwiki.server.routes.shared import IN_SPACE, READ, AsOf, read
from trajwiki.server.routes.writing import WRITE, IdempotencyKey, write

router = APIRouter(prefix="/v1/spaces/{space}", tags=["claims"])


@router.get("/claims", responses={**READ, 200: {"model": ItemsOut}}, summary="List the claims")
def claims(
    request: Request,
    space: Reads,
    status: Status | None = None,
    subject: str | None = None,
    as_of: AsOf = None,
    limit: Limit = PAGE,
    cursor: Cursor = None,
    if_none_match: IfNoneMatch = None,
) -> Response:
    """List the claims in the order they came: `id`, `text`, `status`, `subject`, `kind`."""

    def show(state: SpaceState) -> object:
        def one(claim: Claim) -> dict[str, object]:
            held = state.status[claim.id].value
            return {"id": claim.id, "text": claim.text, "status": held, "subject": claim.subject, "kind": claim.kind}

        wanted = None if subject is None else subject.casefold()
        listed = [
            c
            for c in state.claims.values()
            if status in (None, state.status[c.id]) and wanted in (None, c.subject.casefold())
        ]
        return page_of(listed, one, lambda c: c.ordinal, of="claims", limit=limit, cursor=cursor)

    return read(request, space, show, if_none_match=if_none_match, as_of=as_of)


@router.post("/claims", status_code=201, responses=WRITE, summary="State a claim")
def add_claim(request: Request, space: Makes, body: ClaimIn, idempotency_key: IdempotencyKey = None) -> Response:
    """State a claim as a person; it outranks what is read from messages."""
    return write(request, space, "claim-add", body, key=idempotency_key)


@router.get("/claims/{claim}", responses={**READ, 200: {"model": ClaimOut}}, summary="A claim")
def claim(request: Request, space: Reads, claim: Name, if_none_match: IfNoneMatch = None) -> Response:
    """Give a claim with its status, sources and whole history."""

    def show(state: SpaceState) -> object:
        if claim not in state.claims:
            raise UnknownItem(f"there is no claim {claim!r}")
        return claim_payload(state, state.claims[claim])

    return read(request, space, show, if_none_match=if_none_match)


@router.post("/claims/{claim}/revise", status_code=201, responses=WRITE, summary="Put another claim in its place")
def revise(
    request: Request, space: Writes, claim: Name, body: RevisionIn, idempotency_key: IdempotencyKey = None
) -> Response:
    """Put another claim in the place of one."""
    return write(request, space, "claim-revise", body, of=claim, key=idempotency_key)


@router.post("/claims/{claim}/deprecate", status_code=201, responses=WRITE, summary="It does not hold")
def deprecate(
    request: Request, space: Writes, claim: Name, body: ReasonIn, idempotency_key: IdempotencyKey = None
) -> Response:
    """Say that a claim does not hold; saying the same words again will not bring it back."""
    return write(request, space, "claim-deprecate", body, of=claim, key=idempotency_key)


@router.post("/claims/{claim}/restore", status_code=201, responses=WRITE, summary="It holds after all")
def restore(
    request: Request, space: Writes, claim: Name, body: ReasonIn, idempotency_key: IdempotencyKey = None
) -> Response:
    """Say that a claim holds after all."""
    return write(request, space, "claim-restore", body, of=claim, key=idempotency_key)


@router.get("/blame", responses={**IN_SPACE, 200: {"model": BlameOut}}, summary="Where it comes from")
def blame(
    space: Reads, of: Annotated[str, Query(min_length=1, max_length=1500, description="A claim id or page slug.")]
) -> Response:
    """Say which commit, messages and words a claim, or each line of a page, comes from."""
    return Json(blame_payload(of, space.blame(of)))
