"""What every request passes before a route: an id, the size limit, the host check, the log and the figures."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Sequence
from typing import Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from trajwiki.domain.ids import random_id
from trajwiki.errors import TrajwikiError
from trajwiki.server.http import keep_segments
from trajwiki.server.logs import log
from trajwiki.server.metrics import Metrics
from trajwiki.server.problems import Forbidden, TooMany, problem, problem_of
from trajwiki.server.settings import ServerSettings, is_loopback
from trajwiki.server.tracing import Tracing

_REQUEST_ID: Final = re.compile(r"[A-Za-z0-9._-]{1,64}")
UNKNOWN_ROUTE: Final = "(none)"
HARDENING: Final = {"X-Content-Type-Options": "nosniff", "Cache-Control": "no-store", "Referrer-Policy": "no-referrer"}


class TooLarge(HTTPException):
    """More bytes came than a request may send."""

    def __init__(self, most: int) -> None:
        super().__init__(413, f"a request may send at most {most} bytes; send less at a time")


class Border:
    """The outermost layer."""

    def __init__(self, app: ASGIApp, *, settings: ServerSettings, metrics: Metrics, tracing: Tracing) -> None:
        self._app = app
        self._settings = settings
        self._metrics = metrics
        self._tracing = tracing
        self._in_hand = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        given = headers.get("x-request-id", "")
        request_id = given if _REQUEST_ID.fullmatch(given) else random_id("req")
        scope["trajwiki.request_id"] = request_id
        keep_segments(scope)
        answer = _Answer(send, request_id)
        start = time.perf_counter()
        self._in_hand += 1
        self._metrics.in_hand.set(self._in_hand)
        try:
            with self._tracing.request(scope["method"], request_id) as span:
                await self._answer(scope, headers, receive, answer)
                if span is not None:
                    span.update_name(f"{scope['method']} {_route(scope)}")
                    span.set_attribute("http.response.status_code", answer.status)
        finally:
            self._in_hand -= 1
            self._metrics.in_hand.set(self._in_hand)
            self._note(scope, answer, request_id, time.perf_counter() - start)

    async def _answer(self, scope: Scope, headers: Headers, receive: Receive, answer: _Answer) -> None:
        request_id = answer.request_id
        try:
            self._check(headers, path=scope["path"])
            await self._app(scope, _limited(receive, self._settings.max_body), answer.send)
        except TooLarge as error:
            if answer.begun:
                raise
            await problem(413, error.detail, request_id=request_id)(scope, receive, answer.send)
        except TrajwikiError as error:
            if answer.begun:
                raise
            await problem_of(error, request_id)(scope, receive, answer.send)
        except Exception as error:
            log("fault", level=logging.ERROR, error=error, request_id=request_id, route=_route(scope))
            if answer.begun:
                raise
            detail = f"a fault of the server; its log says more under {request_id}"
            await problem(500, detail, request_id=request_id)(scope, receive, answer.send)

    def _check(self, headers: Headers, *, path: str) -> None:
        if self._in_hand > self._settings.max_waiting and not path.startswith("/v1/health"):
            raise TooMany("the server has too many requests in hand", retry_after=1.0)
        length = headers.get("content-length", "")
        if length.isdecimal() and int(length[:20]) > self._settings.max_body:
            raise TooLarge(self._settings.max_body)
        if not self._settings.needs_keys:
            check_origin(headers.get("host"), headers.get("origin"), also=self._settings.hosts)

    def _note(self, scope: Scope, answer: _Answer, request_id: str, seconds: float) -> None:
        route, method = _route(scope), scope["method"]
        known = method if route != UNKNOWN_ROUTE else "(any)"
        self._metrics.requests.labels(known, route, str(answer.status)).inc()
        self._metrics.seconds.labels(known, route).observe(seconds)
        log(
            "request",
            request_id=request_id,
            method=method[:20],
            route=route,
            status=answer.status,
            ms=round(1000 * seconds, 1),
            by=scope.get("trajwiki.asker"),
        )


class _Answer:
    """What goes out, with the headers that every answer has."""

    def __init__(self, send: Send, request_id: str) -> None:
        self._send = send
        self.request_id = request_id
        self.status = 500
        self.begun = False

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.begun = True
            self.status = message["status"]
            headers = MutableHeaders(scope=message)
            headers["X-Request-ID"] = self.request_id
            for name, value in HARDENING.items():
                headers.setdefault(name, value)
        await self._send(message)


def check_origin(host: str | None, origin: str | None, *, also: Sequence[str]) -> None:
    """Refuse what a web page could make a browser send to a server that asks for no keys.

    Args:
        host: The Host header: another name than this machine's own means that someone's name server points here.
        origin: The Origin header: a page of another site.
        also: Names under which the server is reached.

    Raises:
        Forbidden: It is not from here.
    """
    for given in (f"//{host or ''}", origin):
        if given is None:
            continue
        try:
            name = urlsplit(given).hostname or ""
        except ValueError:
            name = ""
        if not is_loopback(name) and name not in also:
            raise Forbidden("without keys this server answers only to this machine's own names; see `hosts`")


def _limited(receive: Receive, most: int) -> Receive:
    seen = 0

    async def limited() -> Message:
        nonlocal seen
        message = await receive()
        seen += len(message.get("body", b""))
        if seen > most:
            raise TooLarge(most)
        return message

    return limited


def _route(scope: Scope) -> str:
    """Give the route as it is written in the spec: the path itself holds names."""
    route = scope.get("route")
    return getattr(route, "path", UNKNOWN_ROUTE)
