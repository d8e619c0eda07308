"""Runs of agents, and what is chosen for a space."""

from __future__ import annotations

from dataclasses import asdict

from fastapi import APIRouter, Request, Response

from trajwiki.domain.practice import Practice
from trajwiki.domain.runs import Run
from trajwiki.errors import UnknownItem
from trajwiki.payloads import Payload
from trajwiki.practice_payloads import run_line, run_payload
from trajwiki.server.auth import Makes, Reads, Rules
from trajwiki.server.http import PAGE, Cursor, IfNoneMatch, Json, Limit, Name, page_of
from trajwiki.server.models import ItemsOut
from trajwiki.server.practice_models import (
    ChoicesIn,
    ChoicesOut,
    RawOut,
    RunErasureOut,
    RunOut,
    RunsEraseIn,
    RunsIn,
)
from trajwiki.server.routes.messages import reads_with_model
from trajwiki.server.routes.shared import IN_SPACE, READ, memory_of, read_practice
from trajwiki.server.routes.writing import WRITE, IdempotencyKey, Prefer, write

router = APIRouter(prefix="/v1/spaces/{space}", tags=["runs"])


@router.post("/runs", status_code=201, responses=WRITE, summary="Add runs")
def add(
    request: Request, space: Makes, body: RunsIn, idempotency_key: IdempotencyKey = None, prefer: Prefer = None
) -> Response:
    """Remember runs: each is analysed and tips are drawn from it. Those that are there already change nothing."""
    kind = "runs" if body.delivery is None else "run-delivered"
    slow = reads_with_model(request)
    return write(request, space, kind, body, key=idempotency_key, prefer=prefer, slow=slow, total=len(body.runs))


@router.get("/runs", responses={**READ, 200: {"model": ItemsOut}}, summary="List the runs")
def runs(
    request: Request,
    space: Reads,
    whole: bool = False,
    limit: Limit = PAGE,
    cursor: Cursor = None,
    if_none_match: IfNoneMatch = None,
) -> Response:
    """List the runs in order: in short, or whole with steps, analysis and tips."""

    def show(practice: Practice) -> object:
        def one(run: Run) -> Payload:
            return _whole(practice, run) if whole else {**run_line(run), "ordinal": run.ordinal}

        return page_of(list(practice.runs.values()), one, lambda r: r.ordinal, of="runs", limit=limit, cursor=cursor)

    return read_practice(request, space, show, if_none_match=if_none_match)


@router.post("/runs/erase", responses={**IN_SPACE, 200: {"model": RunErasureOut}}, summary="Erase runs")
def erase(request: Request, space: Rules, body: RunsEraseIn) -> Response:
    """Erase runs with all that stood on them alone; without `confirm`, only say what would fall."""
    found = space.erase_run(body.runs, dry_run=not body.confirm)
    info = memory_of(request).store.find(space.name)
    if body.confirm and info is not None:
        request.app.state.operations.store.forget(info.id)
    return Json({"schema": "trajwiki.run-erasure/1", "done": body.confirm, **found})


@router.get("/runs/{run}", responses={**READ, 200: {"model": RunOut}}, summary="A run")
def run(request: Request, space: Reads, run: Name, if_none_match: IfNoneMatch = None) -> Response:
    """Give a run with its steps, causes, subtasks and tips."""

    def show(practice: Practice) -> object:
        if run not in practice.runs:
            raise UnknownItem(f"there is no run {run!r}")
        return _whole(practice, practice.runs[run])

    return read_practice(request, space, show, if_none_match=if_none_match)


@router.get("/runs/{run}/raw", responses={**IN_SPACE, 200: {"model": RawOut}}, summary="Its record")
def raw(space: Reads, run: Name) -> Response:
    """Give the record that a run was read from, secrets masked."""
    return Json({"schema": "trajwiki.run-raw/1", "id": run, "raw": space.run_raw(run)})


@router.get("/choices", responses={**IN_SPACE, 200: {"model": ChoicesOut}}, summary="What was chosen for the space")
def choices(space: Reads) -> Response:
    """Give what was chosen for the space."""
    return Json({"schema": "trajwiki.choices/1", **asdict(space.choices())})


@router.patch("/choices", responses={**IN_SPACE, 200: {"model": ChoicesOut}}, summary="Choose")
def choose(space: Rules, body: ChoicesIn) -> Response:
    """Choose something for the space."""
    for name, value in body.model_dump(exclude_none=True).items():
        space.choose(name, value)
    return Json({"schema": "trajwiki.choices/1", **asdict(space.choices())})


def _whole(practice: Practice, run: Run) -> Payload:
    shown = run_payload(run, practice.analyses[run.id], [t.id for t in practice.tips_of(run.id)])
    return {**shown, "ordinal": run.ordinal}
