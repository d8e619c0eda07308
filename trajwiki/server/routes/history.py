"""Commits: log, show, diff, revert."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request, Response
from pydantic import AwareDatetime

from trajwiki.payloads import commit_payload, diff_payload
from trajwiki.server.auth import Reads, Writes
from trajwiki.server.http import PAGE, Cursor, Json, Limit, page_of
from trajwiki.server.models import MAX_COMMIT, CommitsOut, DiffOut, RevertIn, ShownCommitOut
from trajwiki.server.routes.shared import IN_SPACE
from trajwiki.server.routes.writing import WRITE, IdempotencyKey, write

router = APIRouter(prefix="/v1/spaces/{space}", tags=["history"])

Number = Annotated[int, Path(ge=1, le=MAX_COMMIT)]
Moment = Annotated[int, Query(ge=0, le=MAX_COMMIT)] | AwareDatetime


@router.get("/commits", responses={**IN_SPACE, 200: {"model": CommitsOut}}, summary="The log")
def log(space: Reads, limit: Limit = PAGE, cursor: Cursor = None) -> Response:
    """List the commits, newest first."""
    page = page_of(
        space.log(), commit_payload, lambda c: c.n, of="commits", limit=limit, cursor=cursor, descending=True
    )
    return Json(page)


@router.get("/commits/{n}", responses={**IN_SPACE, 200: {"model": ShownCommitOut}}, summary="A commit")
def show(space: Reads, n: Number) -> Response:
    """Give a commit with what it changed."""
    commit, found = space.show(n)
    return Json({**diff_payload(found), "commit": commit_payload(commit)})


@router.post("/commits/{n}/revert", status_code=201, responses=WRITE, summary="Take it back")
def revert(
    request: Request, space: Writes, n: Number, body: RevertIn, idempotency_key: IdempotencyKey = None
) -> Response:
    """Take back what a commit did to claims, in a new commit."""
    return write(request, space, "revert", body, of=n, key=idempotency_key)


@router.get("/diff", responses={**IN_SPACE, 200: {"model": DiffOut}}, summary="What changed")
def diff(
    space: Reads,
    before: Annotated[Moment, Query(description="A commit or a time.")],
    after: Annotated[Moment, Query(description="A commit or a time.")],
) -> Response:
    """Give what changed between two commits or times."""
    return Json(diff_payload(space.diff(before, after)))
