"""Recall, ask, and the answers that were kept."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request, Response

from trajwiki.payloads import answer_payload, recall_payload
from trajwiki.server.audit import audit_packet
from trajwiki.server.auth import Reads
from trajwiki.server.http import Json, Name
from trajwiki.server.models import AnswerOut, AuditOut, QuestionIn, RecallOut
from trajwiki.server.routes.shared import IN_SPACE

router = APIRouter(prefix="/v1/spaces/{space}", tags=["questions"])


@router.post("/recall", responses={**IN_SPACE, 200: {"model": RecallOut}}, summary="Evidence for a question")
def recall(request: Request, space: Reads, body: QuestionIn) -> Response:
    """Give the messages that a question can be answered from, packed to a budget of words. No model is called."""
    found = space.recall(**_asked(body))
    request.app.state.metrics.recalled(found.timings_ms)
    request.app.state.tracing.stages(found.timings_ms)
    return Json(recall_payload(found))


@router.post("/ask", responses={**IN_SPACE, 200: {"model": AnswerOut}}, summary="An answer with its refs")
def ask(space: Reads, body: QuestionIn) -> Response:
    """Answer from the memory alone, or abstain and say why. The answer is kept."""
    return Json(answer_payload(space.ask(**_asked(body))))


@router.get("/answers/{answer}", responses={**IN_SPACE, 200: {"model": AnswerOut}}, summary="A kept answer")
def explain(space: Reads, answer: Name) -> Response:
    """Give a kept answer with the way that led to it."""
    return Json(space.explain(answer))


@router.get("/answers/{answer}/audit", responses={**IN_SPACE, 200: {"model": AuditOut}}, summary="Its audit packet")
def audit(space: Reads, answer: Name) -> Response:
    """Give an answer with all it stands on: messages, the commits that understood them, and the newest one then."""
    return Json(audit_packet(space, answer))


def _asked(body: QuestionIn) -> dict[str, Any]:
    return {name: getattr(body, name) for name in QuestionIn.model_fields}
