"""Trajectories: the list, and one as a time line with its drift."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from fastapi import APIRouter, Response

from trajwiki.domain.claims import ClaimOp, Op
from trajwiki.domain.snapshots import Snapshot
from trajwiki.domain.state import SpaceState
from trajwiki.domain.trajectories import Member
from trajwiki.errors import UnknownItem
from trajwiki.memory.digests import period, period_text
from trajwiki.web.charts import Chart, Curve, chart
from trajwiki.web.door import Reading
from trajwiki.web.drift import Drift, drift
from trajwiki.web.frame import PageRoute, page
from trajwiki.web.links import name_of
from trajwiki.web.said import Said, Step, said, step
from trajwiki.wiki.titles import page_title

router = APIRouter(prefix="/s/{space}", route_class=PageRoute)

MAX_LISTED: Final = 400


@dataclass(frozen=True, slots=True)
class Moment:
    """A snapshot on the time line of a trajectory."""

    snapshot: Snapshot
    member: Member
    messages: tuple[Said, ...]
    steps: tuple[Step, ...]
    said_again: tuple[str, ...]
    head: float
    previous: float


@router.get("/trajectories")
def all_of_them(visit: Reading) -> Response:
    """List the trajectories, the longest first."""
    with visit.state() as state:
        changed = _changed(state)
        rows = []
        for t in state.trajectories:
            days = period(state, [t])
            claims = state.claims_in(t)
            rows.append(
                {
                    "id": t,
                    "title": state.versions[t][-1].title,
                    "snapshots": len(state.members[t]),
                    "claims": len(claims),
                    "changed": sum(c.id in changed for c in claims),
                    "days": period_text(days) if days else "undated",
                }
            )
        rows.sort(key=lambda r: (-r["snapshots"], -r["claims"]))  # type: ignore[operator]
        return page(
            visit.request,
            "threads.html",
            visit=visit,
            section="threads",
            rows=rows[:MAX_LISTED],
            total=len(rows),
        )


@router.get("/trajectories/{trajectory}")
def one(visit: Reading, trajectory: str) -> Response:
    """Show a trajectory as a time line."""
    with visit.state() as state:
        trajectory_id = name_of(trajectory)
        if trajectory_id not in state.trajectories:
            raise UnknownItem(f"there is no trajectory {trajectory_id!r}")
        values = drift(state, trajectory_id)
        by_cause: dict[str, list[ClaimOp]] = {}
        for op in state.ops:
            by_cause.setdefault(op.cause, []).append(op)
        moments = [_moment(state, m, by_cause, values, n) for n, m in enumerate(state.members[trajectory_id])]
        here = {m.snapshot_id for m in state.members[trajectory_id]}
        held = {c.id for c in state.claims_in(trajectory_id)}
        elsewhere = [
            step(state, op)
            for op in state.ops
            if op.cause not in here and (op.claim_id in held or op.replaces in held) and op.op is not Op.ADD
        ]
        continues = state.trajectories[trajectory_id].continues
        days = period(state, [trajectory_id])
        return page(
            visit.request,
            "thread.html",
            visit=visit,
            section="threads",
            id=trajectory_id,
            title=state.versions[trajectory_id][-1].title,
            summary=summary_parts(state.versions[trajectory_id][-1].summary),
            moments=moments,
            elsewhere=elsewhere,
            continues=(continues, state.versions[continues][-1].title) if continues in state.versions else None,
            pages=[
                (state.pages[p].slug, page_title(state, state.pages[p])) for p in state.pages_of.get(trajectory_id, ())
            ],
            days=period_text(days) if days else "",
            drift=values,
            curve=_curve(values, moments) if len(moments) > 1 else None,
            claims=len(held),
            current=sum(state.is_current(c) for c in held),
        )


def _moment(state: SpaceState, member: Member, by_cause: dict[str, list[ClaimOp]], values: Drift, n: int) -> Moment:
    snapshot = state.snapshots[member.snapshot_id]
    ops = by_cause.get(snapshot.id, [])
    done = {op.claim_id for op in ops}
    return Moment(
        snapshot=snapshot,
        member=member,
        messages=tuple(said(state, state.messages[i]) for i in snapshot.message_ids if i in state.messages),
        steps=tuple(step(state, op) for op in ops),
        said_again=tuple(state.claims[i].text for i in snapshot.claim_ids if i not in done),
        head=values.head[n],
        previous=values.previous[n],
    )


def _curve(values: Drift, moments: list[Moment]) -> Chart:
    names = [
        m.messages[0].at.strftime("%-d %b %Y") if m.messages and m.messages[0].at else str(i + 1)
        for i, m in enumerate(moments)
    ]
    return chart(
        [Curve("like the first snapshot", values.head, "a"), Curve("like the one before", values.previous, "b")],
        names,
        top=1.0,
    )


def summary_parts(text: str) -> list[tuple[str, list[str]]]:
    """Give a summary, Markdown under headings, as (heading, lines) of plain text."""
    parts: list[tuple[str, list[str]]] = []
    for line in text.splitlines():
        bare = line.strip()
        if bare.startswith("#"):
            parts.append((bare.lstrip("# "), []))
        elif bare:
            if not parts:
                parts.append(("", []))
            parts[-1][1].append(bare[2:] if bare.startswith(("- ", "* ")) else bare)
    return parts


def _changed(state: SpaceState) -> set[str]:
    return {i for op in state.ops if op.op in (Op.REVISE, Op.DEPRECATE) for i in (op.claim_id, op.replaces) if i}
