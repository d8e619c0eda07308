"""Plots as geometry for SVG: lines and bars with their axes, made on the server; the template draws them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

WIDTH: Final = 720
HEIGHT: Final = 220
LEFT: Final = 44
RIGHT: Final = 16
TOP: Final = 14
BOTTOM: Final = 30
TICKS: Final = 6


@dataclass(frozen=True, slots=True)
class Curve:
    """A line of a plot: its name, a value for each place, and the name of its colour."""

    name: str
    values: Sequence[float]
    colour: str


@dataclass(frozen=True, slots=True)
class Drawn:
    """A curve in coordinates of the plot."""

    name: str
    colour: str
    path: str
    points: tuple[tuple[float, float, str], ...]
    last: float


@dataclass(frozen=True, slots=True)
class Chart:
    """A plot, ready to be drawn.

    Attributes:
        curves: The lines.
        x: (place, label) under the axis.
        y: (place, label) beside the axis.
        names: Of the places, for the table of values.
        raw: The curves as they were given.
    """

    curves: tuple[Drawn, ...]
    x: tuple[tuple[float, str], ...]
    y: tuple[tuple[float, str], ...]
    names: tuple[str, ...]
    raw: tuple[Curve, ...]
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    right: int = WIDTH - RIGHT
    bottom: int = HEIGHT - BOTTOM


def chart(curves: Sequence[Curve], names: Sequence[str], *, top: float | None = None) -> Chart:
    """Lay out lines over named places.

    Args:
        curves: Each with as many values as there are names.
        names: Of the places, in order.
        top: The greatest value of the axis; None: from the values.
    """
    values = [v for c in curves for v in c.values]
    low = min(0.0, *values) if values else 0.0
    step = _step((top if top is not None else max([1.0, *values])) - low)
    high = top if top is not None else step * math.ceil(max([1.0, *values]) / step)
    low = step * math.floor(low / step)

    def x(i: int) -> float:
        return round(LEFT + (WIDTH - LEFT - RIGHT) * (i / (len(names) - 1) if len(names) > 1 else 0.5), 1)

    def y(value: float) -> float:
        return round(HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * (value - low) / ((high - low) or 1), 1)

    drawn = []
    for c in curves:
        points = tuple((x(i), y(v), f"{names[i]}: {_label(v)}") for i, v in enumerate(c.values))
        path = " ".join(f"{'L' if i else 'M'}{px} {py}" for i, (px, py, _) in enumerate(points))
        drawn.append(
            Drawn(c.name, c.colour, path, points if len(points) <= 60 else (), c.values[-1] if c.values else 0.0)
        )
    every = max(1, math.ceil(len(names) / TICKS))
    ticks = round((high - low) / step)
    return Chart(
        tuple(drawn),
        tuple((x(i), names[i]) for i in range(0, len(names), every)),
        tuple((y(low + k * step), _label(low + k * step)) for k in range(ticks + 1)),
        tuple(names),
        tuple(curves),
    )


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar: label, value, share of the longest in [0, 100], words beside it."""

    label: str
    value: float
    share: float
    text: str


def bars(rows: Sequence[tuple[str, float]], *, unit: str = "") -> list[Bar]:
    """Lay out bars, in the order given."""
    most = max((v for _, v in rows), default=0.0) or 1.0
    return [Bar(label, v, round(100 * v / most, 1), f"{_label(v)}{unit}") for label, v in rows]


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a histogram: its part of the range, how many lie in it, and its height in [0, 100]."""

    label: str
    n: int
    height: float


def histogram(values: Sequence[float], *, parts: int = 10, low: float = 0.0, high: float = 1.0) -> list[Column]:
    """Lay out how many values lie in each part of a range; nothing, when there are none."""
    counts = [0] * parts
    for v in values:
        counts[min(parts - 1, max(0, int((v - low) / (high - low) * parts)))] += 1
    if not values:
        return []
    width, most = (high - low) / parts, max(counts)
    return [
        Column(f"{low + i * width:.1f} to {low + (i + 1) * width:.1f}", n, round(100 * n / most, 1))
        for i, n in enumerate(counts)
    ]


def _step(range_: float) -> float:
    """Give a round distance of ticks that makes about four of them."""
    rough = max(range_, 1e-9) / 4
    power = 10.0 ** math.floor(math.log10(rough))
    return float(next(power * m for m in (1, 2, 2.5, 5, 10) if power * m >= rough - 1e-12))


def _label(value: float) -> str:
    if value == int(value):
        return f"{int(value):,}"
    return f"{value:.2f}".rstrip("0").rstrip(".")
