"""The first page, the list of spaces, and signing in and out."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Query, Request, Response

from trajwiki.engine import Memory
from trajwiki.server.auth import COOKIE, allowed
from trajwiki.store.keys import Scope
from trajwiki.web.door import Asker, Genuine, token
from trajwiki.web.frame import PageRoute, go, page, set_cookie
from trajwiki.web.links import Links

router = APIRouter(route_class=PageRoute)


@router.get("/")
def home(request: Request, asker: Asker) -> Response:
    """Show the spaces that may be seen; with one alone, go there."""
    memory: Memory = request.app.state.web_memory
    seen = [s for s in memory.spaces() if allowed(asker, s.name, Scope.READ)]
    if len(seen) == 1:
        return go(Links(seen[0].name).to("wiki"))
    rows = [(s, Links(s.name)) for s in seen]
    return page(request, "home.html", spaces=rows, who=asker, token=token(request))


@router.get("/s/{space}")
def space_home(space: str, request: Request) -> Response:
    """Lead to the wiki of a space."""
    return go(request.url.path.rstrip("/") + "/wiki")


@router.get("/sign-in")
def sign_in_page(request: Request, after: Annotated[str, Query(max_length=2000)] = "/") -> Response:
    """Ask for a key."""
    return page(request, "sign_in.html", signing_in=True, after=_local(after), token=token(request), wrong=False)


@router.post("/sign-in", dependencies=[Genuine])
def sign_in(
    request: Request,
    key: Annotated[str, Form(max_length=400)] = "",
    after: Annotated[str, Form(max_length=2000)] = "/",
) -> Response:
    """Take a key and keep it in a cookie."""
    doors = getattr(request.app.state, "doors", None)
    if doors is None or not doors.settings.needs_keys:
        return go("/")
    address = request.client.host if request.client else "?"
    doors.buckets.take(address)
    if doors.of_secret(key.strip()) is None:
        return page(
            request,
            "sign_in.html",
            signing_in=True,
            status_code=401,
            after=_local(after),
            token=token(request),
            wrong=True,
        )
    answer = go(_local(after))
    set_cookie(request, answer, COOKIE, key.strip())
    return answer


@router.post("/sign-out", dependencies=[Genuine])
def sign_out(request: Request) -> Response:
    """Forget the key."""
    answer = go("/sign-in")
    answer.delete_cookie(COOKIE, path="/", httponly=True, samesite="lax")
    return answer


def _local(address: str) -> str:
    """Give the address if it is one of ours, else the first page."""
    ours = address.startswith("/") and not address.startswith(("//", "/\\")) and address.isprintable()
    return address if ours and "\\" not in address else "/"
