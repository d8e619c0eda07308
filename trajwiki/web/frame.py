"""What every page has: the templates, the headers that browsers are told, and errors as pages."""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine
from importlib import resources
from typing import Any, Final
from urllib.parse import urlencode

from fastapi import HTTPException, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.responses import RedirectResponse

from trajwiki.errors import TrajwikiError
from trajwiki.server.problems import STATUS, Unauthorized
from trajwiki.web import words

THEME_COOKIE: Final = "trajwiki_theme"
FORM_COOKIE: Final = "trajwiki_form"
NONCE: Final = "trajwiki.nonce"  # in the scope of a request: a fresh word that the browser does not have yet
POLICY: Final = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
HEADERS: Final = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",  # the Origin of a form is "null" under no-referrer
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
    "Vary": "Cookie",
}
HTMX: Final = json.dumps(
    {"includeIndicatorStyles": False, "allowEval": False, "selfRequestsOnly": True, "allowScriptTags": False}
    | {"historyCacheSize": 0, "scrollIntoViewOnBoost": False}
)


def _environment() -> Environment:
    made = Environment(
        loader=PackageLoader("trajwiki.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= words.FILTERS
    made.globals |= {"htmx_config": HTMX, "assets": words.assets_version(_static())}
    return made


def _static() -> Any:
    return resources.files("trajwiki.web") / "static"


TEMPLATES: Final = _environment()


def page(request: Request, template: str, *, status_code: int = 200, **context: Any) -> Response:
    """Render a template as a page."""
    theme = request.cookies.get(THEME_COOKIE, "")
    base = {"request": request, "theme": theme if theme in ("light", "dark") else "", "keys": _asks_for_keys(request)}
    text = TEMPLATES.get_template(template).render({"visit": None, "section": "", "done": None, **base, **context})
    body = text.encode("utf-8", "replace")  # a lone surrogate is shown as a question mark
    answer = Response(body, status_code=status_code, media_type="text/html; charset=utf-8", headers=dict(HEADERS))
    if (nonce := request.scope.get(NONCE)) is not None:
        set_cookie(request, answer, FORM_COOKIE, nonce)
    return answer


def set_cookie(request: Request, response: Response, name: str, value: str) -> None:
    """Give the browser a cookie that scripts cannot read and that no other site's form sends along."""
    secure = request.url.scheme == "https"
    response.set_cookie(name, value, httponly=True, samesite="lax", secure=secure, path="/")


def go(address: str) -> Response:
    """Send the browser to a page after something was done."""
    return RedirectResponse(address, status_code=303, headers={"Cache-Control": "no-store"})


def _asks_for_keys(request: Request) -> bool:
    doors = getattr(request.app.state, "doors", None)
    return doors is not None and bool(doors.settings.needs_keys)


class PageRoute(APIRoute):
    """A route whose errors are pages, and which shows the sign-in page to those without a key."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Give the handler with the errors caught."""
        plain = super().get_route_handler()

        async def handler(request: Request) -> Response:
            try:
                return await plain(request)
            except Unauthorized:
                there = request.url.path + (f"?{request.url.query}" if request.url.query else "")
                after = {"after": there} if request.method == "GET" and there != "/" else {}
                return go("/sign-in" + ("?" + urlencode(after) if after else ""))
            except TrajwikiError as error:
                status = next((s for kind, s in STATUS if isinstance(error, kind)), 503)
                return problem(request, status, str(error))
            except HTTPException as error:
                return problem(request, error.status_code, str(error.detail))
            except RequestValidationError as error:
                first = error.errors()[0]
                where = ".".join(str(part)[:60] for part in first["loc"][1:])
                return problem(request, 422, f"{where}: {first['msg']}")

        return handler


def problem(request: Request, status: int, detail: str) -> Response:
    """Show what went wrong as a page."""
    return page(request, "problem.html", status_code=status, detail=detail, code=status)
