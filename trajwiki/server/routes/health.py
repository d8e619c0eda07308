"""Health, readiness, and figures."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from trajwiki import __version__
from trajwiki.server.auth import Asker
from trajwiki.server.http import Json
from trajwiki.server.metrics import CONTENT_TYPE_LATEST
from trajwiki.server.models import HealthOut
from trajwiki.server.routes.shared import EVERY, memory_of, refusals

router = APIRouter(tags=["service"])


@router.get("/v1/health", responses={**refusals(400, 403, 413), 200: {"model": HealthOut}}, summary="Is it alive?")
async def health() -> Response:
    """Answer while the process lives; nothing is looked at."""
    return Json({"status": "ok", "version": __version__})


@router.get(
    "/v1/ready", responses={**refusals(400, 403, 413, 429, 503), 200: {"model": HealthOut}}, summary="Can it work?"
)
def ready(request: Request) -> Response:
    """Answer when the database can be read and the embedder is loaded."""
    memory = memory_of(request)
    memory.store.head("")
    return Json({"status": "ok", "version": __version__, "embedder": memory.embedder.name})


@router.get(
    "/metrics",
    responses={**EVERY, 200: {"content": {"text/plain": {"schema": {"type": "string"}}}}},
    response_class=Response,
    summary="Figures for Prometheus",
)
def metrics(request: Request, asker: Asker) -> Response:
    """Give figures of requests, stages, operations and the process; any key opens them."""
    return Response(request.app.state.metrics.text(), media_type=CONTENT_TYPE_LATEST)
