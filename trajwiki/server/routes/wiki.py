"""The wiki and the trajectories under it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request, Response
from starlette.responses import PlainTextResponse

from trajwiki.domain.state import SpaceState
from trajwiki.domain.wiki import Page
from trajwiki.errors import UnknownItem
from trajwiki.payloads import trajectory_payload
from trajwiki.server.auth import Reads
from trajwiki.server.http import PAGE, Cursor, IfNoneMatch, Limit, Name, page_of
from trajwiki.server.models import ItemsOut, PageOut, TrajectoryOut
from trajwiki.server.routes.shared import READ, AsOf, read
from trajwiki.wiki.render import page_payload, render_page
from trajwiki.wiki.titles import page_title

router = APIRouter(prefix="/v1/spaces/{space}", tags=["wiki"])

Form = Annotated[Literal["json", "markdown"], Query(description="Values, or Markdown for a person.")]
MARKDOWN: dict[str, Any] = {"text/markdown": {"schema": {"type": "string"}}}
PAGE_OUT: dict[int | str, dict[str, Any]] = {**READ, 200: {"model": PageOut, "content": MARKDOWN}}


@router.get("/wiki", responses=PAGE_OUT, summary="The index page")
def index(
    request: Request, space: Reads, form: Form = "json", as_of: AsOf = None, if_none_match: IfNoneMatch = None
) -> Response:
    """Give the page that leads to all others."""

    def show(state: SpaceState) -> Any:
        page = state.index_page()
        if page is None:
            raise UnknownItem("there are no pages yet")
        return _shown(state, page, form)

    return read(request, space, show, if_none_match=if_none_match, as_of=as_of)


@router.get("/wiki/{slug}", responses=PAGE_OUT, summary="A page")
def page(
    request: Request,
    space: Reads,
    slug: Name,
    form: Form = "json",
    as_of: AsOf = None,
    if_none_match: IfNoneMatch = None,
) -> Response:
    """Give a page."""

    def show(state: SpaceState) -> Any:
        found = next((p for p in state.pages.values() if p.slug == slug), None)
        if found is None:
            raise UnknownItem(f"there is no page {slug!r}")
        return _shown(state, found, form)

    return read(request, space, show, if_none_match=if_none_match, as_of=as_of)


@router.get("/pages", responses={**READ, 200: {"model": ItemsOut}}, summary="List the pages")
def pages(
    request: Request, space: Reads, limit: Limit = PAGE, cursor: Cursor = None, if_none_match: IfNoneMatch = None
) -> Response:
    """List the pages by slug: `slug`, `title`, `type`, and the number of `trajectories`."""

    def show(state: SpaceState) -> Any:
        listed = sorted(state.pages.values(), key=lambda p: p.slug)

        def one(p: Page) -> dict[str, Any]:
            linked = len(state.links.get(p.id, ()))
            return {"slug": p.slug, "title": page_title(state, p), "type": p.type.value, "trajectories": linked}

        return page_of(listed, one, lambda p: p.slug, of="pages", limit=limit, cursor=cursor)

    return read(request, space, show, if_none_match=if_none_match)


@router.get("/trajectories", responses={**READ, 200: {"model": ItemsOut}}, summary="List the trajectories")
def trajectories(
    request: Request, space: Reads, limit: Limit = PAGE, cursor: Cursor = None, if_none_match: IfNoneMatch = None
) -> Response:
    """List the trajectories in the order they began: `id`, `title`, and the number of `snapshots`."""

    def show(state: SpaceState) -> Any:
        def one(t: Any) -> dict[str, Any]:
            return {"id": t.id, "title": state.versions[t.id][-1].title, "snapshots": len(state.members[t.id])}

        listed = list(state.trajectories.values())
        return page_of(listed, one, lambda t: t.ordinal, of="trajectories", limit=limit, cursor=cursor)

    return read(request, space, show, if_none_match=if_none_match)


@router.get("/trajectories/{trajectory}", responses={**READ, 200: {"model": TrajectoryOut}}, summary="A trajectory")
def trajectory(request: Request, space: Reads, trajectory: Name, if_none_match: IfNoneMatch = None) -> Response:
    """Give a trajectory: its snapshots in order, with messages, claims and what each changed."""

    def show(state: SpaceState) -> Any:
        if trajectory not in state.trajectories:
            raise UnknownItem(f"there is no trajectory {trajectory!r}")
        return trajectory_payload(state, trajectory)

    return read(request, space, show, if_none_match=if_none_match)


def _shown(state: SpaceState, page: Page, form: str) -> Any:
    if form == "markdown":
        return PlainTextResponse(render_page(state, page), media_type="text/markdown")
    return {"schema": "trajwiki.page/1", **page_payload(state, page)}
