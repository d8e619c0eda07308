"""Checking procedural memory against itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from trajwiki.domain.practice import Practice
from trajwiki.domain.problems import Problem
from trajwiki.domain.tipbook import unconserved

RESTORE: Final = "restore a backup"
REEMBED: Final = "run `trajwiki reembed`"


def examine_practice(practice: Practice, *, dimension: int) -> list[Problem]:
    """Give what is wrong with the runs and tips of a space, each with what to do.

    Args:
        practice: Freshly read.
        dimension: Of the vectors of the space.
    """
    return [*_runs(practice), *_tips(practice), *_vectors(practice, dimension)]


def _runs(practice: Practice) -> Iterator[Problem]:
    for run in practice.runs.values():
        if run.id not in practice.analyses:
            yield Problem("doctor.run-unread", "a run has no analysis; erase it and add it again", run.id)
        wrong = [s.number for n, s in enumerate(run.steps, start=1) if s.number != n]
        if wrong:
            yield Problem("doctor.steps", f"steps are not numbered from 1: {wrong[0]}; restore a backup", run.id)


def _tips(practice: Practice) -> Iterator[Problem]:
    book = practice.book
    for tip in book.tips.values():
        if tip.id not in book.state:
            yield Problem("doctor.tip-state", "a tip has no operation that made it; restore a backup", tip.id)
        for source in tip.sources:
            run = practice.runs.get(source.run_id)
            if run is None or not 1 <= source.first <= source.last <= len(run.steps):
                where = f"steps {source.first} to {source.last} of {source.run_id}"
                yield Problem(
                    "doctor.tip-source", f"it stands on {where}, which are not there; restore a backup", tip.id
                )
    for tip_id in unconserved(book):
        yield Problem(
            "doctor.tip-support", "its sources are not those of the tip it lives on in; restore a backup", tip_id
        )


def _vectors(practice: Practice, dimension: int) -> Iterator[Problem]:
    for kind, vectors in practice.vectors.items():
        for tip_id, vector in vectors.items():
            if tip_id not in practice.book.tips:
                yield Problem("doctor.vector-orphan", f"a {kind} vector is of no tip; {REEMBED}", tip_id)
            elif vector.shape != (dimension,):
                yield Problem(
                    "doctor.vector-shape", f"its {kind} vector has another size; run `trajwiki reembed`", tip_id
                )
    for tip_id in practice.book.tips:
        if any(tip_id not in practice.vectors.get(kind, {}) for kind in ("description", "advice")):
            yield Problem("doctor.vector-missing", f"a tip has no vector; {REEMBED}", tip_id)
