"""Means, shares, intervals and percentiles for the reports."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

Z95: Final = 1.959964  # two-sided 95 % quantile of the normal distribution
RESAMPLES: Final = 1000
SEED: Final = 20240229


@dataclass(frozen=True, slots=True)
class Figure:
    """A mean with its 95 % interval.

    Attributes:
        value: The mean; 0.0 where there was nothing to measure (`n` tells).
        low: Lower end of the interval.
        high: Upper end.
        n: Number of observations.
    """

    value: float
    low: float
    high: float
    n: int


def wilson(hits: int, n: int) -> Figure:
    """Give a share with its Wilson score interval, which holds for small n and shares near 0 or 1.

    Raises:
        ValueError: `hits` is not in 0..n.
    """
    if not 0 <= hits <= n:
        raise ValueError(f"{hits} of {n} is not a share")
    if n == 0:
        return Figure(0.0, 0.0, 0.0, 0)
    p, z2 = hits / n, Z95 * Z95
    middle = (p + z2 / (2 * n)) / (1 + z2 / n)
    half = Z95 * math.sqrt(p * (1 - p) / n + z2 / (4 * n * n)) / (1 + z2 / n)
    low = 0.0 if hits == 0 else middle - half
    high = 1.0 if hits == n else middle + half
    return Figure(_round(p), _round(low), _round(high), n)


def mean_of(values: Sequence[float]) -> Figure:
    """Give a mean with its percentile bootstrap interval (1,000 resamples, fixed seed)."""
    if not values:
        return Figure(0.0, 0.0, 0.0, 0)
    data = np.asarray(values, dtype=np.float64)
    rng = np.random.default_rng(SEED)
    means = data[rng.integers(0, len(data), (RESAMPLES, len(data)))].mean(axis=1)
    low, high = np.percentile(means, [2.5, 97.5])
    return Figure(_round(float(data.mean())), _round(float(low)), _round(float(high)), len(data))


def difference(left: Sequence[float], right: Sequence[float]) -> Figure:
    """Give the mean of paired differences, left minus right, with its bootstrap interval.

    Raises:
        ValueError: The two are not of one length.
    """
    return mean_of([a - b for a, b in zip(left, right, strict=True)])


def percentile(values: Sequence[float], q: float) -> float:
    """Give the q-th percentile (q in 0..100), or 0.0 of nothing."""
    return _round(float(np.percentile(np.asarray(values), q))) if values else 0.0


def _round(x: float) -> float:
    return round(x, 4)
