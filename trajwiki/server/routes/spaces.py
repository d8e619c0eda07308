"""Spaces: list, make, rename, delete."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from trajwiki.errors import UnknownSpace
from trajwiki.server.auth import Asker, Everywhere, Reads, Rules, allowed, everywhere
from trajwiki.server.http import PAGE, Cursor, Json, Limit, page_of
from trajwiki.server.models import RemovedOut, RenameIn, SpaceIn, SpaceOut, SpacesOut
from trajwiki.server.routes.shared import EVERY, IN_SPACE, memory_of
from trajwiki.store.keys import Scope
from trajwiki.store.spaces import SpaceInfo

router = APIRouter(prefix="/v1/spaces", tags=["spaces"])


def space_payload(info: SpaceInfo) -> dict[str, object]:
    """Show a space."""
    return {
        "name": info.name,
        "id": info.id,
        "created": info.created.isoformat(),
        "commits": info.head,
        "embedder": info.embedder,
        "dimension": info.dimension,
    }


@router.get("", responses={**EVERY, 200: {"model": SpacesOut}}, summary="List the spaces")
def list_spaces(request: Request, asker: Asker, limit: Limit = PAGE, cursor: Cursor = None) -> Response:
    """List the spaces that the key opens, by name."""
    seen = [i for i in memory_of(request).spaces() if asker.spaces is None or i.name in asker.spaces]
    seen.sort(key=lambda info: info.name)
    return Json(page_of(seen, space_payload, lambda info: info.name, of="spaces", limit=limit, cursor=cursor))


@router.post(
    "",
    status_code=201,
    responses={**EVERY, 201: {"model": SpaceOut}, 200: {"model": SpaceOut, "description": "It was there already."}},
    summary="Make a space",
)
def make_space(request: Request, asker: Asker, body: SpaceIn) -> Response:
    """Make a space; it also comes into being with its first message. One that is there already is given as it is."""
    memory = memory_of(request)
    if allowed(asker, body.name, Scope.READ) and (known := memory.store.find(body.name)) is not None:
        return Json(space_payload(known), status_code=200)
    everywhere(request, asker).create_space(body.name, id=body.id)
    return Json(space_payload(_info(request, body.name)), status_code=201)


@router.get("/{space}", responses={**IN_SPACE, 200: {"model": SpaceOut}}, summary="Show a space")
def show_space(request: Request, space: Reads) -> Response:
    """Show a space."""
    return Json(space_payload(_info(request, space.name)))


@router.patch("/{space}", responses={**IN_SPACE, 200: {"model": SpaceOut}}, summary="Rename a space")
def rename_space(request: Request, space: Rules, memory: Everywhere, body: RenameIn) -> Response:
    """Give a space another name. Names belong to all, so it needs an admin key for all spaces."""
    memory.rename_space(space.name, body.name)
    return Json(space_payload(_info(request, body.name)))


@router.delete("/{space}", responses={**IN_SPACE, 200: {"model": RemovedOut}}, summary="Delete a space")
def delete_space(request: Request, space: Rules) -> Response:
    """Delete a space with everything in it."""
    info = _info(request, space.name)
    removed = memory_of(request).delete_space(space.name)
    request.app.state.doors.keys.forget(info.id)
    return Json({"schema": "trajwiki.space-deleted/1", "space": space.name, "removed": removed})


def _info(request: Request, name: str) -> SpaceInfo:
    info = memory_of(request).store.find(name)
    if info is None:
        raise UnknownSpace(f"there is no space named {name!r}")
    return info
