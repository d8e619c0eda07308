"""Where the nodes of a graph stand: hubs by attraction and repulsion, what hangs on them around them like seeds.

Deterministic: the same graph stands in the same places.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from trajwiki.web.network import Key, Network

GOLDEN: Final = math.pi * (3 - math.sqrt(5))
SEED_GAP: Final = 13.0  # between what hangs on one hub
HUB_PAD: Final = 26.0
LABEL_SECTOR: Final = 1.6  # radians above a hub that its label needs
GROUP_TIE: Final = 1.5  # between pages of one seed, in shared trajectories
ROUNDS: Final = 90
APART: Final = 40
WIDE: Final = np.array([1.5, 0.9])  # screens are wider than tall, and so are labels

Places = dict[Key, tuple[float, float]]
Floats = np.ndarray[Any, np.dtype[np.floating[Any]]]


def islands(graph: Network, keys: Sequence[Key]) -> Places:
    """Place pages as hubs, each with its trajectories around it, and names between what they tie."""
    shown = set(keys)
    hubs = [k for k in keys if k[0] == "page"]
    hung = _hung(graph, keys, set(hubs))
    loose = [k for k in keys if k not in hubs and k not in {s for group in hung.values() for s in group}]
    hubs += loose  # what hangs on nothing that is shown stands for itself
    if not hubs:
        return {}
    radii = np.array([SEED_GAP * math.sqrt(len(hung.get(h, ())) + 1) + HUB_PAD for h in hubs])
    points = _apart(_forces(_shared(graph, hubs), radii) * WIDE, radii)
    places: Places = {}
    for i, hub in enumerate(hubs):
        x, y = points[i]
        places[hub] = (float(x), float(y))
        for n, seed in enumerate(hung.get(hub, ()), start=1):
            r = SEED_GAP * math.sqrt(n) + HUB_PAD * 0.4
            turn = LABEL_SECTOR / 2 - math.pi / 2 + (n * GOLDEN) % (2 * math.pi) * (1 - LABEL_SECTOR / (2 * math.pi))
            places[seed] = (float(x) + r * math.cos(turn), float(y) + r * math.sin(turn))
    assert shown >= places.keys()
    return places


def around(graph: Network, keys: Sequence[Key]) -> Places:
    """Place a few nodes by their ties, the first in the middle."""
    at = {k: i for i, k in enumerate(keys)}
    weights = np.zeros((len(keys), len(keys)), dtype=np.float32)
    for k in keys:
        for other in graph.ties.get(k, ()):
            if other in at:
                weights[at[k], at[other]] = 1.0
    radii = np.array([40.0 if k[0] == "page" else 30.0 for k in keys])
    points = _apart(_forces(weights, radii) * WIDE, radii)
    points -= points[0]
    return {k: (float(x), float(y)) for k, (x, y) in zip(keys, points, strict=True)}


def _hung(graph: Network, keys: Sequence[Key], hubs: set[Key]) -> Mapping[Key, list[Key]]:
    """Give for each hub what hangs on it: a trajectory on its smallest page, a name where most of its ties are."""
    hung: dict[Key, list[Key]] = {}
    on: dict[Key, Key] = {}
    for k in sorted((k for k in keys if k[0] == "thread"), key=lambda k: (-graph.degree(k), k)):
        pages = [p for p in graph.ties.get(k, ()) if p in hubs]
        if pages:
            on[k] = min(pages, key=lambda p: (graph.degree(p), p))
            hung.setdefault(on[k], []).append(k)
    for k in (k for k in keys if k[0] == "name"):
        votes = [on[t] for t in graph.ties.get(k, ()) if t in on]
        if votes:
            hung.setdefault(max(sorted(set(votes)), key=votes.count), []).append(k)
    return hung


def _shared(graph: Network, hubs: Sequence[Key]) -> np.ndarray:
    """Give how strongly each two hubs are tied: by neighbours they share, and by their seed. Of shape (n, n)."""
    middle = {t: n for n, t in enumerate(dict.fromkeys(t for h in hubs for t in graph.ties.get(h, ())))}
    links = np.zeros((len(hubs), len(middle)), dtype=np.float32)
    for i, h in enumerate(hubs):
        for t in graph.ties.get(h, ()):
            links[i, middle[t]] = 1.0
    weights = np.minimum(links @ links.T, 4.0)
    groups = np.array([graph.nodes[h].group or str(i) for i, h in enumerate(hubs)])
    weights += GROUP_TIE * (groups[:, None] == groups[None, :])
    np.fill_diagonal(weights, 0.0)
    return np.asarray(weights)


def _forces(weights: Floats, radii: Floats) -> Floats:
    """Give places (n, 2) where what is tied stands near and everything else keeps its distance."""
    n = len(radii)
    turn = np.arange(n) * GOLDEN
    far = float(radii.mean()) * 1.6
    points = np.stack([np.cos(turn), np.sin(turn)], axis=1) * (far * np.sqrt(np.arange(n) + 0.5))[:, None]
    if n < 2:
        return np.asarray(points)
    heat = far * 2
    for _ in range(ROUNDS):
        gap = points[:, None, :] - points[None, :, :]
        distance = np.sqrt((gap**2).sum(axis=2)) + 1e-3
        push = far**2 / distance**2
        pull = weights * distance / far * 0.6
        move = (gap * ((push - pull) / distance)[:, :, None]).sum(axis=1) * far / 3 - points * 0.06
        length = np.sqrt((move**2).sum(axis=1, keepdims=True)) + 1e-9
        points = points + move / length * np.minimum(length, heat)
        heat *= 0.955
    return np.asarray(points)


def _apart(points: Floats, radii: Floats) -> Floats:
    """Push what overlaps apart."""
    need = (radii[:, None] + radii[None, :]) * 0.9
    for _ in range(APART):
        gap = points[:, None, :] - points[None, :, :]
        distance = np.sqrt((gap**2).sum(axis=2)) + 1e-6
        over = np.maximum(need - distance, 0.0)
        np.fill_diagonal(over, 0.0)
        if not over.any():
            break
        points = points + (gap / distance[:, :, None] * over[:, :, None]).sum(axis=1) * 0.25
    return np.asarray(points)
