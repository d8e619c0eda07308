"""The application: settings in, a FastAPI app out."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

import anyio.to_thread
from fastapi import APIRouter, FastAPI

from trajwiki import __version__
from trajwiki.engine import Memory
from trajwiki.errors import MissingExtra
from trajwiki.server import problems
from trajwiki.server.auth import Doors
from trajwiki.server.metrics import Metrics
from trajwiki.server.middleware import Border
from trajwiki.server.operations import Operations
from trajwiki.server.routes import claims, custody, health, history, messages, questions, runs, spaces, tips, wiki
from trajwiki.server.settings import ServerSettings
from trajwiki.server.spec import describe
from trajwiki.server.tracing import Tracing

if TYPE_CHECKING:
    from trajwiki.server.queue import Queue

ROUTERS: Final[tuple[APIRouter, ...]] = (
    health.router,
    spaces.router,
    messages.router,
    questions.router,
    wiki.router,
    claims.router,
    history.router,
    runs.router,
    tips.router,
    custody.router,
)


def queue_of(memory: Memory) -> Queue:
    """Give the way into procrastinate's queue. Raises MissingExtra."""
    try:
        from trajwiki.server.queue import Queue
    except ImportError as error:
        raise MissingExtra("the queue needs the extra 'worker': pip install 'trajwiki[worker]'") from error
    return Queue(memory)


def create_app(memory: Memory, *, settings: ServerSettings | None = None) -> FastAPI:
    """Make the application that serves a memory.

    Args:
        memory: Open; it stays the caller's to close.
        settings: None: from the environment.
    """
    chosen = settings or ServerSettings()
    queue = queue_of(memory) if chosen.queue == "procrastinate" else None

    @asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        anyio.to_thread.current_default_thread_limiter().total_tokens = chosen.workers
        with contextlib.closing(queue) if queue is not None else contextlib.nullcontext():
            if queue is not None:
                queue.open()
            app.state.operations.start()
            yield
            await anyio.to_thread.run_sync(app.state.operations.stop)

    app = FastAPI(title="trajwiki", version=__version__, lifespan=life, docs_url=None, redoc_url=None)
    app.state.memory = memory
    app.state.settings = chosen
    app.state.doors = Doors(memory, chosen)
    app.state.metrics = Metrics()
    app.state.operations = Operations(
        memory,
        metrics=app.state.metrics,
        jobs=chosen.jobs,
        lease_s=chosen.lease_seconds,
        takes=chosen.queue == "inline",
        put=queue.put if queue is not None else None,
    )
    app.state.tracing = Tracing(on=chosen.tracing)
    for router in ROUTERS:
        app.include_router(router)
    problems.install(app)
    describe(app, keys=chosen.needs_keys)
    if chosen.web and find_spec("trajwiki.web") is not None:
        import_module("trajwiki.web").mount(app, memory, chosen)
    app.add_middleware(Border, settings=chosen, metrics=app.state.metrics, tracing=app.state.tracing)
    return app
