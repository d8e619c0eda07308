"""Shares with intervals, and whether one share is lower than another beyond chance."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

QUANTILE: Final = {0.8: 1.2815516, 0.9: 1.6448536, 0.95: 1.959964, 0.99: 2.5758293}
"""Two-sided confidence to the quantile of the normal distribution."""


@dataclass(frozen=True, slots=True)
class Rate:
    """A share with its Wilson interval.

    Attributes:
        hits: Of `n`.
        n: Number of observations; 0: nothing is known, and the interval is all of [0, 1].
        low: Lower end.
        high: Upper end.
    """

    hits: int
    n: int
    low: float
    high: float

    @property
    def value(self) -> float:
        """The share; 0.0 of nothing."""
        return round(self.hits / self.n, 4) if self.n else 0.0


def rate(hits: int, n: int, *, confidence: float = 0.95) -> Rate:
    """Give a share with its Wilson score interval at 0.8, 0.9, 0.95 or 0.99.

    Raises:
        ValueError: `hits` is not in 0..n, or there is no such confidence.
    """
    if not 0 <= hits <= n or confidence not in QUANTILE:
        raise ValueError(f"{hits} of {n} at {confidence} is not a share with an interval")
    if n == 0:
        return Rate(0, 0, 0.0, 1.0)
    z = QUANTILE[confidence]
    p, z2 = hits / n, z * z
    middle = (p + z2 / (2 * n)) / (1 + z2 / n)
    half = z * math.sqrt(p * (1 - p) / n + z2 / (4 * n * n)) / (1 + z2 / n)
    low = 0.0 if hits == 0 else middle - half
    high = 1.0 if hits == n else middle + half
    return Rate(hits, n, round(low, 4), round(high, 4))


def difference(a: Rate, b: Rate) -> tuple[float, float]:
    """Give the interval of a minus b (Newcombe's, from the two Wilson intervals); (-1, 1) where one is unknown."""
    if not a.n or not b.n:
        return -1.0, 1.0
    gap = a.hits / a.n - b.hits / b.n
    low = gap - math.hypot(a.hits / a.n - a.low, b.high - b.hits / b.n)
    high = gap + math.hypot(a.high - a.hits / a.n, b.hits / b.n - b.low)
    return round(max(low, -1.0), 4), round(min(high, 1.0), 4)
