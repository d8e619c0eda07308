"""Runs: the list, and one as its steps with the causes of how it ended drawn."""

from __future__ import annotations

import itertools
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from fastapi import APIRouter, Response

from trajwiki.domain.runs import Analysis, Attribution, Finding, Run, Step, Subtask
from trajwiki.errors import UnknownItem
from trajwiki.web.door import Reading
from trajwiki.web.frame import PageRoute, page
from trajwiki.web.links import name_of

router = APIRouter(prefix="/s/{space}/runs", route_class=PageRoute)

LISTED: Final = 300
STRIP: Final = 960  # width of the drawing
CELL: Final = 26.0  # of a step in it, at most
LONG: Final = 700  # characters of a step that are shown at once
ROLES: Final = {"root": "root cause", "proximate": "led there", "immediate": "made it happen", "shown": "showed here"}


@dataclass(frozen=True, slots=True)
class Cell:
    """A step in the drawing."""

    step: Step
    x: float
    width: float


@dataclass(frozen=True, slots=True)
class Arc:
    """A link of a chain in the drawing, as a path, with the chain it belongs to."""

    path: str
    kind: str


@dataclass(frozen=True, slots=True)
class Strip:
    """A run drawn as a row of steps, with arcs from cause to effect."""

    cells: tuple[Cell, ...]
    arcs: tuple[Arc, ...]
    width: float
    height: float
    base: float


@router.get("")
def runs(visit: Reading) -> Response:
    """List the runs, newest first."""
    practice = visit.space.practice()
    tips: dict[str, int] = {}
    for tip in practice.book.tips.values():
        for run_id in {s.run_id for s in tip.sources}:
            tips[run_id] = tips.get(run_id, 0) + (not tip.made_from)
    rows = list(reversed(practice.runs.values()))
    ended: dict[str, int] = {}
    for run in rows:
        ended[run.outcome.value] = ended.get(run.outcome.value, 0) + 1
    return page(
        visit.request,
        "runs.html",
        visit=visit,
        section="runs",
        runs=rows[:LISTED],
        total=len(rows),
        tips=tips,
        ended=ended,
    )


@router.get("/{run}")
def one(visit: Reading, run: str) -> Response:
    """Show a run."""
    practice = visit.space.practice()
    found = practice.runs.get(name_of(run))
    if found is None:
        raise UnknownItem(f"there is no run {name_of(run)!r}")
    given = {f.delivery_id for f in visit.space.all_feedback() if f.run_id == found.id}
    analysis = practice.analyses.get(found.id) or Analysis(found.id, {}, (), (), ())
    book = practice.book
    return page(
        visit.request,
        "run.html",
        visit=visit,
        section="runs",
        run=found,
        analysis=analysis,
        chains=[_chain(a) for a in analysis.attributions],
        strip=_strip(found, analysis.attributions),
        rows=_rows(found, analysis),
        tips=[(t, book.state[t.id].value) for t in practice.tips_of(found.id) if not t.made_from],
        received=[d for d in visit.space.deliveries() if d.id in given],
        long=LONG,
    )


def _chain(a: Attribution) -> dict[str, Any]:
    """Give a chain from the root to where it showed, each step once."""
    links: list[dict[str, Any]] = []
    for role, cause in (("root", a.root), ("proximate", a.proximate), ("immediate", a.immediate)):
        if links and links[-1]["step"] == cause.step:
            links[-1]["roles"].append(ROLES[role])
        else:
            links.append({"step": cause.step, "text": cause.text, "roles": [ROLES[role]]})
    if a.at_step != links[-1]["step"]:
        links.append({"step": a.at_step, "text": "", "roles": [ROLES["shown"]]})
    return {
        "event": a.event.value,
        "links": links,
        "others": a.contributing,
        "agent": a.agent,
        "confidence": a.confidence,
    }


def _strip(run: Run, attributions: Sequence[Attribution]) -> Strip:
    width = min(CELL, STRIP / max(len(run.steps), 1))
    base = 96.0
    cells = tuple(Cell(s, round((s.number - 1) * width, 2), round(max(width - 2, 1.0), 2)) for s in run.steps)
    arcs = []
    for a in attributions:
        steps = list(dict.fromkeys((a.root.step, a.proximate.step, a.immediate.step, a.at_step)))
        for start, end in itertools.pairwise(steps):
            x1, x2 = (round((n - 0.5) * width, 1) for n in (start, end))
            lift = min(86.0, 14 + abs(x2 - x1) * 0.35)
            arcs.append(
                Arc(f"M{x1} {base - 3} Q{(x1 + x2) / 2:.1f} {base - 3 - lift:.1f} {x2} {base - 3}", a.event.value)
            )
    return Strip(cells, tuple(arcs), round(max(width * len(run.steps), 200.0), 1), base + 26, base)


def _rows(run: Run, analysis: Analysis) -> list[dict[str, Any]]:
    """Give the steps, each with the phase that begins there, what was found in it, and its part in the chains."""
    begins: dict[int, Subtask] = {s.first: s for s in analysis.subtasks}
    found: dict[int, list[Finding]] = {}
    for f in analysis.findings:
        found.setdefault(f.steps[-1], []).append(f)
    parts: dict[int, list[tuple[str, str]]] = {}
    for a in analysis.attributions:
        for role, n in (("root", a.root.step), ("proximate", a.proximate.step), ("immediate", a.immediate.step)):
            parts.setdefault(n, []).append((a.event.value, ROLES[role]))
    thoughts: dict[int, list[str]] = {}
    for kind, steps in analysis.thoughts.items():
        for n in steps:
            thoughts.setdefault(n, []).append(kind.value)
    return [
        {
            "step": s,
            "begins": begins.get(s.number),
            "findings": found.get(s.number, []),
            "parts": list(dict.fromkeys(parts.get(s.number, []))),
            "thoughts": thoughts.get(s.number, []),
            "arguments": json.dumps(dict(s.arguments), ensure_ascii=False, indent=2) if s.arguments else "",
        }
        for s in run.steps
    ]
