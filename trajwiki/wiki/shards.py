"""Dividing trajectories into groups that fit on a page, by their vectors (paper, A.4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final

import numpy as np

MAX_ON_PAGE: Final = 6  # trajectories on a page that is not the index
LEAST_IN_PART: Final = 3  # so that parts of a full page are about the target of four
_EXACT: Final = 10  # up to this many, every division in two is tried
DECIMALS: Final = 4


def divide(trajectory_ids: Sequence[str], vectors: Mapping[str, np.ndarray]) -> list[list[str]]:
    """Give groups of at most six, each in the order given, the group of the first trajectory first.

    Args:
        trajectory_ids: Oldest first; ties are broken by this order.
        vectors: Unit float32 of shape (d,), by id.
    """
    if len(trajectory_ids) <= MAX_ON_PAGE:
        return [list(trajectory_ids)]
    matrix = np.stack([vectors[t] for t in trajectory_ids])
    side = _best_sides(matrix) if len(trajectory_ids) <= _EXACT else _two_poles(matrix)
    first = [t for t, there in zip(trajectory_ids, side, strict=True) if not there]
    second = [t for t, there in zip(trajectory_ids, side, strict=True) if there]
    return divide(first, vectors) + divide(second, vectors)


def _best_sides(matrix: np.ndarray) -> np.ndarray:
    """Try every division in two parts that are not too small, and give the one with the closest parts."""
    sides = _divisions(len(matrix))
    gram = matrix @ matrix.T
    there, here = sides, 1 - sides
    total = np.zeros(len(sides))
    for part in (here, there):
        total += np.einsum("si,ij,sj->s", part, gram, part) / part.sum(axis=1)  # squared length of the sum, by size
    best: np.ndarray = sides[int(np.argmax(np.round(total, DECIMALS)))].astype(bool)
    return best


@lru_cache(maxsize=_EXACT)
def _divisions(n: int) -> np.ndarray:
    """Give all divisions of n things in two, as rows of 0 and 1; the first thing is always on side 0."""
    rows = ((np.arange(2 ** (n - 1))[:, None] >> np.arange(n - 1)) & 1).astype(np.float32)
    rows = np.concatenate([np.zeros((len(rows), 1), np.float32), rows], axis=1)
    size = rows.sum(axis=1)
    balanced: np.ndarray = rows[(size >= LEAST_IN_PART) & (n - size >= LEAST_IN_PART)]
    return balanced


def _two_poles(matrix: np.ndarray) -> np.ndarray:
    """Take the two that are farthest apart, and give every other to the nearer, the parts kept within bounds."""
    cosines = np.round(matrix @ matrix.T, DECIMALS)
    a, b = np.unravel_index(int(np.argmin(cosines)), cosines.shape)
    lean = cosines[int(b)] - cosines[int(a)]
    order = np.argsort(-lean, kind="stable")
    size = int(np.clip((lean > 0).sum(), LEAST_IN_PART, len(matrix) - LEAST_IN_PART))
    side = np.zeros(len(matrix), dtype=bool)
    side[order[:size]] = True
    return side if not side[0] else ~side
