"""The graph, to be explored: the whole as islands, or what is around one thing."""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal

from fastapi import APIRouter, Query, Response

from trajwiki.domain.state import SpaceState
from trajwiki.errors import UnknownItem
from trajwiki.web.door import Reading, Visit
from trajwiki.web.frame import PageRoute, page
from trajwiki.web.layout import Places, around, islands
from trajwiki.web.network import Key, Network, Node, network

router = APIRouter(prefix="/s/{space}/graph", route_class=PageRoute)

SIZES: Final = (100, 300, 1000)
NEAR: Final = 90  # nodes around one thing
MARGIN: Final = 90
LABEL: Final = 34  # characters of a label
LAND: Final = 3  # pages that make a group worth a name
LANDS: Final = 24
FEW: Final = 60  # nodes, of which every kind is named
SCREEN: Final = (1100, 640)  # pixels that the drawing is taken to have, for its labels
LISTED: Final = 300


@dataclass(frozen=True, slots=True)
class Dot:
    """A node, placed, with its label, which leaves out the name of the group that it stands in."""

    n: int
    node: Node
    x: float
    y: float
    r: float
    text: str
    label: bool
    ties: int


@dataclass(frozen=True, slots=True)
class Picture:
    """A graph, placed: its nodes, the lines between them, the names of groups, and the frame they fill."""

    lands: tuple[tuple[str, float, float], ...]
    dots: tuple[Dot, ...]
    lines: tuple[tuple[int, int, float, float, float, float], ...]
    frame: tuple[float, float, float, float]


_kept: dict[tuple[Any, ...], Picture] = {}
_lock = threading.Lock()
KEPT: Final = 16


@router.get("")
def graph(
    visit: Reading,
    focus: Annotated[str, Query(max_length=600)] = "",
    size: Annotated[int, Query(ge=1, le=2000)] = SIZES[0],
    steps: Annotated[int, Query(ge=1, le=3)] = 2,
    show: Annotated[list[Literal["page", "thread", "name"]] | None, Query()] = None,
    find: Annotated[str, Query(max_length=200)] = "",
) -> Response:
    """Show the graph."""
    kinds = tuple(dict.fromkeys(show or ["page", "thread"]))
    with visit.state() as state:
        whole = network(state)
        here = _focus(whole, focus) if focus else None
        hits = _hits(whole, find)
        if here is None and find.strip() and len(hits) == 1:
            here = (hits[0].kind, hits[0].id)
        keys = whole.around(here, steps=steps, most=NEAR) if here else whole.best(kinds, size)
        picture = _picture(visit, state, whole, keys, here, (size, steps, kinds))
        near = (
            [whole.nodes[k] for k in sorted(whole.ties.get(here, ()), key=lambda k: (k[0], -whole.degree(k), k))]
            if here
            else []
        )
        return page(
            visit.request,
            "graph.html",
            visit=visit,
            section="graph",
            picture=picture,
            here=whole.nodes[here] if here else None,
            near=near,
            size=size,
            sizes=[s for s in SIZES if s < len(whole.nodes)] + [s for s in SIZES if s >= len(whole.nodes)][:1],
            steps=steps,
            kinds=kinds,
            counts={kind: sum(k[0] == kind for k in whole.nodes) for kind in ("page", "thread", "name")},
            find=find,
            hits=hits,
            listed=[d for d in sorted(picture.dots, key=lambda d: (-d.ties, d.node.label))][:LISTED],
        )


def _focus(whole: Network, focus: str) -> Key:
    kind, _, name = focus.partition(":")
    if (kind, name) not in whole.nodes:
        raise UnknownItem(f"there is no {focus[:80]!r} in the graph")
    return kind, name


def _hits(whole: Network, find: str) -> list[Node]:
    wanted = find.strip().casefold()
    if not wanted:
        return []
    found = [n for n in whole.nodes.values() if wanted in n.label.casefold()]
    return sorted(found, key=lambda n: (-whole.degree((n.kind, n.id)), n.label))[:30]


def _picture(
    visit: Visit, state: SpaceState, whole: Network, keys: list[Key], here: Key | None, chosen: tuple[Any, ...]
) -> Picture:
    kept = (visit.space_id, state.head, visit.head, here, *chosen)
    with _lock:
        if (found := _kept.get(kept)) is not None:
            return found
    places = around(whole, keys) if here else islands(whole, keys)
    made = _drawn(whole, places, here)
    with _lock:
        _kept[kept] = made
        while len(_kept) > KEPT:
            del _kept[next(iter(_kept))]
    return made


def _drawn(whole: Network, places: Places, here: Key | None) -> Picture:
    order = sorted(places, key=lambda k: (k != here, -whole.degree(k), k))
    at = {k: i for i, k in enumerate(order)}
    xs, ys = [p[0] for p in places.values()] or [0.0], [p[1] for p in places.values()] or [0.0]
    frame = (min(xs) - MARGIN, min(ys) - MARGIN, max(xs) - min(xs) + 2 * MARGIN, max(ys) - min(ys) + 2 * MARGIN)
    unit = max(frame[2] / SCREEN[0], frame[3] / SCREEN[1])
    lands = () if here else _lands(whole, order, places)
    named = _named(whole, order, places, unit, lands)
    dots = tuple(
        Dot(
            at[k],
            whole.nodes[k],
            round(places[k][0], 1),
            round(places[k][1], 1),
            _radius(whole, k, here),
            _text(whole.nodes[k], lands),
            k in named,
            whole.degree(k),
        )
        for k in order
    )
    lines = tuple(
        (at[a], at[b], dots[at[a]].x, dots[at[a]].y, dots[at[b]].x, dots[at[b]].y)
        for a in order
        for b in whole.ties.get(a, ())
        if b in at and at[a] < at[b]
    )
    return Picture(lands, dots, lines, (round(frame[0], 1), round(frame[1], 1), round(frame[2], 1), round(frame[3], 1)))


def _radius(whole: Network, key: Key, here: Key | None) -> float:
    grown = min(6.0, math.sqrt(whole.degree(key)))
    return round((7 + 1.2 * grown if key[0] == "page" else 4.5 + 0.5 * grown) + 4 * (key == here), 1)


def _lands(whole: Network, order: list[Key], places: Places) -> tuple[tuple[str, float, float], ...]:
    """Give the name and middle of each group of pages, the largest first."""
    groups: dict[str, list[Key]] = {}
    for k in order:
        if k[0] == "page":
            groups.setdefault(whole.nodes[k].group, []).append(k)
    large = sorted((g for g in groups.items() if len(g[1]) >= LAND), key=lambda g: (-len(g[1]), g[0]))
    middle = [
        (name, [sum(places[k][axis] for k in keys) / len(keys) for axis in (0, 1)]) for name, keys in large[:LANDS]
    ]
    return tuple((name, round(x, 1), round(y, 1)) for name, (x, y) in middle)


def _text(node: Node, lands: Sequence[tuple[str, float, float]]) -> str:
    rest = node.label.removeprefix(f"{node.group}: ")
    return rest if node.group and any(node.group == name for name, _, _ in lands) else node.label


def _named(
    whole: Network, order: list[Key], places: Places, unit: float, lands: Sequence[tuple[str, float, float]]
) -> set[Key]:
    """Give the nodes whose labels fit without covering another label, the best tied first."""
    named: set[Key] = set()
    boxes: list[tuple[float, float, float, float]] = []
    for name, x, y in lands:
        wide = 6.2 * unit * len(name)
        boxes.append((x - wide, y - 18 * unit, x + wide, y + 8 * unit))
    for k in order:
        if k[0] == "thread" and order[0][0] == "page" and len(order) > FEW:
            continue  # its page is named
        x, y = places[k]
        wide, high = 6.6 * unit * min(len(_text(whole.nodes[k], lands)), LABEL) / 2, 14 * unit
        y -= _radius(whole, k, None) + 3 * unit
        box = (x - wide, y - high, x + wide, y + 3 * unit)
        if not any(box[0] < b[2] and b[0] < box[2] and box[1] < b[3] and b[1] < box[3] for b in boxes):
            boxes.append(box)
            named.add(k)
    return named
