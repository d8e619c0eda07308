"""Tips, what people decide about them, what is given to agents, and what came of it."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Literal

from fastapi import APIRouter, Path, Request, Response

from trajwiki.domain.practice import Practice
from trajwiki.domain.tips import Tip, TipState
from trajwiki.errors import UnknownItem, UnknownSpace
from trajwiki.payloads import Payload
from trajwiki.practice_payloads import delivery_payload, feedback_payload, op_payload, tip_payload
from trajwiki.server.auth import Asker, Reads, Writes, allowed
from trajwiki.server.http import PAGE, Cursor, IfNoneMatch, Json, Limit, Name, page_of
from trajwiki.server.kind import written
from trajwiki.server.models import ReasonIn
from trajwiki.server.practice_models import (
    ConsolidateIn,
    ConsolidationOut,
    DeliveriesOut,
    DeliveryOut,
    EditIn,
    FeedbackIn,
    FeedbackOut,
    FeedbacksOut,
    GuidelinesIn,
    MergeIn,
    ShareIn,
    TipHistoryOut,
    TipOut,
    TipsOut,
    TipStatsOut,
)
from trajwiki.server.routes.shared import IN_SPACE, READ, Responses, memory_of, read_practice
from trajwiki.server.routes.writing import WRITE, IdempotencyKey, write
from trajwiki.store.keys import Scope

router = APIRouter(prefix="/v1/spaces/{space}", tags=["tips"])
Verb = Annotated[Literal["approve", "reject", "withdraw", "restore", "split"], Path()]
FEEDBACK: Responses = {**WRITE, 200: {"model": FeedbackOut}, 201: {"model": FeedbackOut}}
CONSOLIDATE: Responses = {**WRITE, 200: {"model": ConsolidationOut}, 201: {"model": ConsolidationOut}}


@router.get("/tips", responses={**READ, 200: {"model": TipsOut}}, summary="List the tips")
def tips(
    request: Request,
    space: Reads,
    state: TipState | None = None,
    app: str | None = None,
    limit: Limit = PAGE,
    cursor: Cursor = None,
    if_none_match: IfNoneMatch = None,
) -> Response:
    """List the tips in order: all, or those of one state or application."""

    def show(practice: Practice) -> object:
        book = practice.book
        listed = [t for t in book.tips.values() if state in (None, book.state[t.id]) and app in (None, t.app)]
        return page_of(
            listed, lambda t: _shown(t, practice), lambda t: t.ordinal, of="tips", limit=limit, cursor=cursor
        )

    return read_practice(request, space, show, if_none_match=if_none_match)


@router.get("/tips/{tip}", responses={**READ, 200: {"model": TipOut}}, summary="A tip")
def tip(request: Request, space: Reads, tip: Name, if_none_match: IfNoneMatch = None) -> Response:
    """Give a tip with the steps of runs that it stands on."""

    def show(practice: Practice) -> object:
        if tip not in practice.book.tips:
            raise UnknownItem(f"there is no tip {tip!r}")
        return _shown(practice.book.tips[tip], practice, whole=True)

    return read_practice(request, space, show, if_none_match=if_none_match)


@router.get("/tips/{tip}/history", responses={**IN_SPACE, 200: {"model": TipHistoryOut}}, summary="Its history")
def history(space: Reads, tip: Name) -> Response:
    """Give what was done to a tip and to those it was made from, oldest first."""
    return Json({"schema": "trajwiki.tip-history/1", "ops": [op_payload(op) for op in space.tip_history(tip)]})


@router.get("/tip-stats", responses={**IN_SPACE, 200: {"model": TipStatsOut}}, summary="What came of tips")
def stats(space: Reads) -> Response:
    """Give the record of each tip that was delivered, against the base rate of such tasks."""
    return Json({"schema": "trajwiki.tip-stats/1", "tips": [asdict(r) for r in space.tip_stats().values()]})


@router.post("/tips/merge", status_code=201, responses=WRITE, summary="Make one of several")
def merge(request: Request, space: Writes, body: MergeIn, idempotency_key: IdempotencyKey = None) -> Response:
    """Make one tip of several, in the words of the first; their sources are united."""
    return write(request, space, "tips-merge", body, key=idempotency_key)


@router.post("/tips/consolidate", responses=CONSOLIDATE, summary="Make one what says the same")
def consolidate(
    request: Request, space: Writes, body: ConsolidateIn, idempotency_key: IdempotencyKey = None
) -> Response:
    """Merge tips that say the same; of those that contradict, the weaker gives way. Without `confirm`, only look."""
    if body.confirm:
        return write(request, space, "tips-consolidate", None, key=idempotency_key)
    _, change = space.consolidate_tips(dry_run=True)
    ops = [op_payload(op) for op in change.tip_ops]
    return Json({"schema": "trajwiki.consolidation/1", "commit": None, "ops": ops})


@router.post("/tips/{tip}/edit", status_code=201, responses=WRITE, summary="Edit it")
def edit(request: Request, space: Writes, tip: Name, body: EditIn, idempotency_key: IdempotencyKey = None) -> Response:
    """Put an edited tip in the place of one."""
    return write(request, space, "tip-edit", body, of=tip, key=idempotency_key)


@router.post("/tips/{tip}/share", status_code=201, responses=WRITE, summary="Share it with another space")
def share(request: Request, space: Writes, asker: Asker, tip: Name, body: ShareIn) -> Response:
    """Share a tip with another space that the key may write to, with the runs it stands on."""
    if not allowed(asker, body.to, Scope.WRITE) or memory_of(request).store.find(body.to) is None:
        raise UnknownSpace(f"there is no space named {body.to!r}, or the key does not write to it")
    return Json(written(space, space.share_tip(tip, body.to, reason=body.reason)), status_code=201)


@router.post("/tips/{tip}/{verb}", status_code=201, responses=WRITE, summary="Decide about it")
def decide(
    request: Request, space: Writes, tip: Name, verb: Verb, body: ReasonIn, idempotency_key: IdempotencyKey = None
) -> Response:
    """Approve, reject, withdraw, restore or split a tip, as a person."""
    return write(request, space, f"tip-{verb}", body, of=tip, key=idempotency_key)


@router.post("/guidelines", responses={**IN_SPACE, 200: {"model": DeliveryOut}}, summary="Tips for a task")
def guidelines(space: Reads, body: GuidelinesIn) -> Response:
    """Choose tips for a task and give the block for a prompt. The delivery is recorded."""
    return Json(delivery_payload(space.guidelines(**body.model_dump(exclude_none=True))))


@router.get("/deliveries", responses={**IN_SPACE, 200: {"model": DeliveriesOut}}, summary="List the deliveries")
def deliveries(space: Reads, limit: Limit = PAGE, cursor: Cursor = None) -> Response:
    """List what was delivered, oldest first."""
    listed = sorted(space.deliveries(), key=lambda d: (d.at.isoformat(), d.id))
    place = lambda d: [d.at.isoformat(), d.id]  # noqa: E731
    return Json(page_of(listed, delivery_payload, place, of="deliveries", limit=limit, cursor=cursor))


@router.get("/deliveries/{delivery}", responses={**IN_SPACE, 200: {"model": DeliveryOut}}, summary="A delivery")
def delivery(space: Reads, delivery: Name) -> Response:
    """Give what was delivered, with what was left out and why."""
    found = next((d for d in space.deliveries() if d.id == delivery), None)
    if found is None:
        raise UnknownItem(f"there is no delivery {delivery!r}")
    return Json(delivery_payload(found))


@router.post("/feedback", status_code=201, responses=FEEDBACK, summary="What came of a delivery")
def feedback(request: Request, space: Writes, body: FeedbackIn, idempotency_key: IdempotencyKey = None) -> Response:
    """Say how the run that received a delivery ended, and which tips it followed."""
    return write(request, space, "feedback", body, key=idempotency_key)


@router.get("/feedback", responses={**IN_SPACE, 200: {"model": FeedbacksOut}}, summary="List the feedback")
def all_feedback(space: Reads, limit: Limit = PAGE, cursor: Cursor = None) -> Response:
    """List the feedback, oldest first."""
    listed = list(enumerate(space.all_feedback()))
    page = page_of(listed, lambda f: feedback_payload(f[1]), lambda f: f[0], of="feedback", limit=limit, cursor=cursor)
    return Json(page)


def _shown(tip: Tip, practice: Practice, *, whole: bool = False) -> Payload:
    return {**tip_payload(tip, practice.book, practice.runs if whole else None), "ordinal": tip.ordinal}
