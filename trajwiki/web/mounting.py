"""Putting the pages on an application."""

from __future__ import annotations

from importlib import resources
from typing import Final

from fastapi import APIRouter, FastAPI, Request, Response

from trajwiki.engine import Memory
from trajwiki.web.frame import TEMPLATES, PageRoute, problem
from trajwiki.web.past import Past
from trajwiki.web.routes import amend, ask, claims, graph, health, history, home, runs, talk, threads, tips, wiki

ROUTERS: Final[tuple[APIRouter, ...]] = (
    home.router,
    wiki.router,
    threads.router,
    claims.router,
    ask.router,
    talk.router,
    amend.router,
    graph.router,
    runs.router,
    tips.router,
    history.router,
    health.router,
)
TYPES: Final = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml", ".txt": "text/plain"}
KEEP: Final = "public, max-age=31536000, immutable"  # the address of an asset names its content


def mount(app: FastAPI, memory: Memory, settings: object = None) -> None:
    """Put the pages on an application, at ``/``, ``/s/…``, ``/assets/…`` and ``/sign-in``.

    Where ``app.state.doors`` is set, it decides who comes in; else everyone on this machine may do everything.

    Args:
        app: The application.
        memory: What the pages show.
        settings: Of the server; the pages have none of their own.
    """
    app.state.web_memory = memory
    app.state.web_past = Past()
    for name in TEMPLATES.list_templates():
        TEMPLATES.get_template(name)  # compiled now, not while the first reader waits
    app.include_router(_assets(), include_in_schema=False)
    for router in ROUTERS:
        app.include_router(router, include_in_schema=False)
    app.include_router(_nowhere(), include_in_schema=False)


def _assets() -> APIRouter:
    router = APIRouter(route_class=PageRoute)
    folder = resources.files("trajwiki.web") / "static"
    held = {f.name: f.read_bytes() for f in folder.iterdir() if f.is_file()}

    @router.get("/assets/{version}/{name}")
    def asset(version: str, name: str) -> Response:
        kind = TYPES.get("." + name.rpartition(".")[2])
        if name not in held or kind is None:
            return Response("there is no such file", status_code=404, media_type="text/plain")
        return Response(
            held[name], media_type=kind, headers={"Cache-Control": KEEP, "X-Content-Type-Options": "nosniff"}
        )

    @router.get("/favicon.ico")
    def favicon() -> Response:
        return Response(held["icon.svg"], media_type=TYPES[".svg"], headers={"Cache-Control": "public, max-age=86400"})

    return router


def _nowhere() -> APIRouter:
    router = APIRouter(route_class=PageRoute)

    @router.get("/s/{rest:path}")
    def nowhere(request: Request, rest: str) -> Response:
        return problem(request, 404, "there is no page at this address")

    return router
