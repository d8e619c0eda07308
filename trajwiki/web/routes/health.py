"""Health: how the memory grows and works, as plots, and what `doctor` finds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

import sqlalchemy as sa
from fastapi import APIRouter, Response

from trajwiki.domain.history import Commit
from trajwiki.domain.state import SpaceState
from trajwiki.domain.usage import Call
from trajwiki.engine import Memory
from trajwiki.store import tables
from trajwiki.store.ledger import costs
from trajwiki.web.charts import Chart, Column, Curve, bars, chart, histogram
from trajwiki.web.door import Reading
from trajwiki.web.drift import drift
from trajwiki.web.frame import PageRoute, page
from trajwiki.web.words import OPERATIONS, STATUS

router = APIRouter(prefix="/s/{space}/health", route_class=PageRoute)

PLACES: Final = 60  # of a plot over commits
ANSWERS: Final = 500  # newest kept answers that are counted
GROWING: Final = (("messages", "messages", "a"), ("claims", "claims", "b"), ("trajectories", "trajectories", "c"))


@router.get("")
def health(visit: Reading, check: bool = False) -> Response:
    """Show the plots, and on request what the checks find."""
    commits = list(reversed(visit.space.log()))
    answers = _answers(visit.memory, visit.space_id)
    calls = visit.memory.calls(visit.space_id)
    with visit.state() as state:
        drifts = [drift(state, t) for t in state.trajectories if len(state.members[t]) > 1]
        context: dict[str, Any] = {
            "growth": _growth(commits),
            "stages": bars(_stages(state)),
            "statuses": bars(
                [
                    (STATUS[s][0], float(n))
                    for s, n in Counter(state.status[c].value for c in state.claims).most_common()
                ]
            ),
            "operations": bars(
                [(OPERATIONS[o][0], float(n)) for o, n in Counter(op.op.value for op in state.ops).most_common()]
            ),
            "deciders": bars(
                [(_who(by), float(n)) for by, n in Counter(_who(op.decided_by) for op in state.ops).most_common(8)]
            ),
            "head_tail": histogram([d.head_tail for d in drifts]),
            "neighbour": histogram([d.neighbour for d in drifts]),
            "lengths": bars(
                [
                    (f"{k} exchanges" if k > 1 else "1 exchange", float(n))
                    for k, n in sorted(Counter(len(m) for m in state.members.values()).items())
                ][:15]
            ),
            "drifting": len(drifts),
            "unread": len(state.unread),
            "open": sum(len(t) for t in state.open_tails.values()),
        }
    return page(
        visit.request,
        "health.html",
        visit=visit,
        section="health",
        problems=visit.space.examine() if check else None,
        answered=bars(_outcomes(answers)),
        cut=_cut(answers),
        asked=len(answers),
        embedder=visit.memory.store.find(visit.name),
        costs=costs(calls),
        spent=bars(_spent(calls)),
        outcomes=bars(_outcomes_of(calls)),
        **context,
    )


@router.get("/doctor")
def doctor(visit: Reading) -> Response:
    """Check the space against itself, as a part of the page."""
    return page(visit.request, "parts/doctor.html", visit=visit, problems=visit.space.examine())


def _growth(commits: Sequence[Commit]) -> Chart | None:
    if len(commits) < 2:
        return None
    totals: Counter[str] = Counter()
    rows = []
    for c in commits:
        totals.update(c.counts)
        erased = c.arguments.get("erased") or {}
        totals.subtract({name: int(n) for name, n in erased.items()})
        rows.append((c.n, dict(totals)))
    every = max(1, len(rows) // PLACES)
    shown = rows[::every] if rows[::every][-1] == rows[-1] else [*rows[::every], rows[-1]]
    curves = [Curve(name, [float(row.get(key, 0)) for _, row in shown], colour) for key, name, colour in GROWING]
    return chart(curves, [f"commit {n}" for n, _ in shown])


def _stages(state: SpaceState) -> list[tuple[str, float]]:
    return [
        ("messages", float(len(state.messages))),
        ("exchanges closed", float(len(state.exchanges))),
        ("snapshots understood", float(len(state.snapshots))),
        ("claims read", float(len(state.claims))),
        ("claims that hold", float(sum(state.is_current(c) for c in state.claims))),
        ("trajectories", float(len(state.trajectories))),
        ("pages", float(len(state.pages))),
    ]


def _who(by: str) -> str:
    return "people" if by.startswith("person") else "a rule" if by == "rule" else by


def _answers(memory: Memory, space_id: str) -> list[dict[str, Any]]:
    t = tables.answer
    query = sa.select(t.c.body).where(t.c.space_id == space_id).order_by(t.c.at.desc(), t.c.id).limit(ANSWERS)
    with memory.database.reading() as c:
        return [dict(row.body) for row in c.execute(query)]


def _spent(calls: Sequence[Call]) -> list[tuple[str, float]]:
    """Give tokens by what they were spent for."""
    return [(f"{c.phase}: {c.purpose}", float(c.tokens_in + c.tokens_out)) for c in costs(calls)]


def _outcomes_of(calls: Sequence[Call]) -> list[tuple[str, float]]:
    """Give how often a model's reply could be used, and how often the rule decided after all."""
    counts: Counter[str] = Counter()
    for call in calls:
        counts[str(call.outcome)] += call.times
    return [(name, float(n)) for name, n in counts.most_common()]


def _outcomes(answers: Sequence[dict[str, Any]]) -> list[tuple[str, float]]:
    counts = Counter("answered" if a["answered"] else "not answered" for a in answers)
    return [(name, float(n)) for name, n in counts.most_common()]


def _cut(answers: Sequence[dict[str, Any]]) -> list[Column]:
    """Give how the fit of the last page that was followed is spread: low means that more than enough was read."""
    return histogram([float(a["pages"][-1]["score"]) for a in answers if a["pages"]])
