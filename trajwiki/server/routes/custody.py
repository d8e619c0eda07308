"""Erase, export, import, doctor."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Literal

from fastapi import APIRouter, Body, Query, Request, Response
from starlette.background import BackgroundTask
from starlette.responses import FileResponse

from trajwiki.erasure import Selection
from trajwiki.payloads import erasure_payload, problem_payloads
from trajwiki.server.auth import Everywhere, Reads, Rules
from trajwiki.server.http import Json
from trajwiki.server.models import DoctorOut, EraseIn, ErasureOut, ImportedOut
from trajwiki.server.routes.shared import EVERY, IN_SPACE, memory_of

router = APIRouter(tags=["custody"])
ZIP = {"application/zip": {"schema": {"type": "string", "contentMediaType": "application/zip"}}}


@router.post("/v1/spaces/{space}/erase", responses={**IN_SPACE, 200: {"model": ErasureOut}}, summary="Erase messages")
def erase(request: Request, space: Rules, body: EraseIn) -> Response:
    """Erase messages with all that stood on them alone; without `confirm`, only say what would fall."""
    chosen = Selection(
        tuple(body.refs), body.session, body.speaker, body.before, body.matching, everything=body.everything
    )
    found = space.erase(chosen, dry_run=not body.confirm)
    info = memory_of(request).store.find(space.name)
    if found.at is not None and info is not None:
        request.app.state.operations.store.forget(info.id)
    return Json(erasure_payload(found))


@router.get(
    "/v1/spaces/{space}/export",
    responses={**IN_SPACE, 200: {"content": {**ZIP, "application/json": {"schema": {"type": "object"}}}}},
    response_class=Response,
    summary="Download a space",
)
def export(
    request: Request,
    space: Rules,
    form: Annotated[Literal["archive", "prov"], Query(description="A lossless archive, or W3C PROV-JSON.")] = "archive",
) -> Response:
    """Give the whole space as a file."""
    folder = Path(tempfile.mkdtemp(prefix="trajwiki-", dir=request.app.state.settings.scratch))
    name, kind = ("space.zip", "application/zip") if form == "archive" else ("space.json", "application/json")
    try:
        counts = space.export(folder / name, format=form)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    gone = BackgroundTask(shutil.rmtree, folder, ignore_errors=True)
    headers = {"Trajwiki-Counts": json.dumps(counts)}
    return FileResponse(folder / name, media_type=kind, filename=name, background=gone, headers=headers)


@router.post("/v1/import", status_code=201, responses={**EVERY, 201: {"model": ImportedOut}}, summary="Bring a space")
def bring(
    request: Request,
    memory: Everywhere,
    archive: Annotated[bytes, Body(media_type="application/zip")],
    name: Annotated[str | None, Query(min_length=1, max_length=500, description="None: the one it had.")] = None,
) -> Response:
    """Store the space of an archive, with its ids, times and history."""
    with _scratch(request) as folder:
        path = folder / "space.zip"
        path.write_bytes(archive)
        done = memory.import_space(path, name=name)
    payload = {"space": done.space.name, "id": done.space.id, "commits": done.space.head, "counts": done.rows}
    return Json(
        {"schema": "trajwiki.import/1", **payload, "problems": problem_payloads(done.problems)}, status_code=201
    )


@router.get("/v1/spaces/{space}/doctor", responses={**IN_SPACE, 200: {"model": DoctorOut}}, summary="Is it sound?")
def doctor(space: Reads) -> Response:
    """Check the space against itself, freshly read."""
    found = problem_payloads(space.examine())
    return Json({"schema": "trajwiki.doctor/1", "space": space.name, "problems": found})


@contextmanager
def _scratch(request: Request) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="trajwiki-", dir=request.app.state.settings.scratch) as folder:
        yield Path(folder)
