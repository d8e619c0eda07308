"""Carrying out steps over httpx, waiting or awaiting."""

from __future__ import annotations

import asyncio
import json
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, TypeVar

from trajwiki import __version__
from trajwiki.client.errors import ServerUnavailable
from trajwiki.client.steps import TRIES, Pause, Reply, Request, Steps, pause_of
from trajwiki.errors import MissingExtra, UsageError

try:
    import httpx
except ImportError as error:  # pragma: no cover
    raise MissingExtra("the client needs httpx: pip install 'trajwiki[client]'") from error

T = TypeVar("T")
TIMEOUT_S: Final = 60.0


def options(url: str, key: str | None, timeout: float) -> dict[str, Any]:
    """Give what an httpx client is made with. Raises UsageError when the address is none."""
    if not url.startswith(("http://", "https://")):
        raise UsageError(f"{url!r} is not the address of a server, such as http://127.0.0.1:8377")
    headers = {"User-Agent": f"trajwiki/{__version__}"}
    headers |= {"Authorization": f"Bearer {key}"} if key else {}
    return {"base_url": url.rstrip("/"), "headers": headers, "timeout": timeout, "follow_redirects": False}


def run(client: httpx.Client, steps: Steps[T]) -> T:
    """Carry out steps."""
    try:
        step = next(steps)
        while True:
            if isinstance(step, Pause):
                time.sleep(step.seconds)
                step = next(steps)
            else:
                step = steps.send(_send(client, step))
    except StopIteration as end:
        result: T = end.value
        return result


async def run_async(client: httpx.AsyncClient, steps: Steps[T]) -> T:
    """Carry out steps."""
    try:
        step = next(steps)
        while True:
            if isinstance(step, Pause):
                await asyncio.sleep(step.seconds)
                step = next(steps)
            else:
                step = steps.send(await _send_async(client, step))
    except StopIteration as end:
        result: T = end.value
        return result


def _send(client: httpx.Client, request: Request) -> Reply:
    for n in range(TRIES):
        try:
            with client.stream(**_as_httpx(client, request)) as response:
                if request.into is None or response.status_code >= 400:
                    return _reply(response, response.read())
                with _fresh(request.into) as file:
                    for part in response.iter_bytes():
                        file.write(part)
                return Reply(response.status_code, response.headers, None)
        except httpx.TransportError as error:
            if not _try_again(request, error, n):
                raise ServerUnavailable(_told(client.base_url, error)) from error
            time.sleep(pause_of(n))
    raise AssertionError  # the last try returns or raises


async def _send_async(client: httpx.AsyncClient, request: Request) -> Reply:
    for n in range(TRIES):
        try:
            async with client.stream(**_as_httpx(client, request)) as response:
                if request.into is None or response.status_code >= 400:
                    return _reply(response, await response.aread())
                with _fresh(request.into) as file:
                    async for part in response.aiter_bytes():
                        file.write(part)
                return Reply(response.status_code, response.headers, None)
        except httpx.TransportError as error:
            if not _try_again(request, error, n):
                raise ServerUnavailable(_told(client.base_url, error)) from error
            await asyncio.sleep(pause_of(n))
    raise AssertionError  # the last try returns or raises


def _as_httpx(client: httpx.Client | httpx.AsyncClient, request: Request) -> dict[str, Any]:
    content, headers = request.content()
    url = client.base_url.copy_with(raw_path=client.base_url.raw_path.rstrip(b"/") + request.path.encode())
    return {
        "method": request.method,
        "url": url,
        "params": dict(request.query) or None,
        "content": content,
        "headers": headers,
    }


def _fresh(path: Path) -> Any:
    try:
        return path.open("xb")
    except FileExistsError:
        if path.is_file():
            return path.open("wb")  # begun by a try that was cut off
        raise UsageError(f"there is something at {path}") from None
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}") from error


def _reply(response: httpx.Response, content: bytes) -> Reply:
    body: Any = None
    if "json" in response.headers.get("content-type", ""):
        with suppress(ValueError):
            body = json.loads(content)
    return Reply(response.status_code, response.headers, body)


def _try_again(request: Request, error: httpx.TransportError, n: int) -> bool:
    if n == TRIES - 1:
        return False
    return request.again or isinstance(error, httpx.ConnectError | httpx.ConnectTimeout)  # nothing was sent yet


def _told(url: httpx.URL, error: httpx.TransportError) -> str:
    return f"the server at {url.copy_with(userinfo=b'')} cannot be reached: {type(error).__name__}: {error}"
