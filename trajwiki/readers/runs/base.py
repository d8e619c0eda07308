"""What run readers give and take: the shape of a run format, and what came of reading a file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from trajwiki.domain.problems import Problem
from trajwiki.domain.runs import NewRun
from trajwiki.readers.base import Confidence, Head, Json, Options, Skipped
from trajwiki.readers.files import Source

RunEvent = NewRun | Skipped | Problem
MALFORMED: Final = "run.step-malformed"  # code of the problem that a strict reading does not let pass

__all__ = [
    "MALFORMED",
    "Confidence",
    "Head",
    "Json",
    "Options",
    "RunCounts",
    "RunEvent",
    "RunFormat",
    "RunReading",
    "Skipped",
]


@dataclass(frozen=True, slots=True)
class RunFormat:
    """One kind of file that holds runs.

    Attributes:
        name: For ``--format``.
        title: For a person.
        extensions: Usual file name endings; never used to tell the format.
        keeps: What is read.
        drops: What is left out.
        detect: Tells from the head whether a file is of this format.
        read: Gives the runs of a file, unmasked; may raise UnreadableInput. A step that cannot be read is a problem
            with the code `MALFORMED`. `reading.read_runs` masks, cleans and checks.
    """

    name: str
    title: str
    extensions: tuple[str, ...]
    keeps: str
    drops: str
    detect: Callable[[Head], Confidence]
    read: Callable[[Source, Options], Iterator[RunEvent]]


@dataclass(frozen=True, slots=True)
class RunCounts:
    """What became of the records of a file.

    Attributes:
        read: Records seen: runs, and what was skipped.
        runs: Runs given.
        steps: Steps in them.
        skipped: How many records were left out, by reason, sorted.
        masked: Secrets masked.
    """

    read: int
    runs: int
    steps: int
    skipped: Mapping[str, int]
    masked: int = 0

    def __str__(self) -> str:
        reasons = ", ".join(f"{n} {reason}" for reason, n in self.skipped.items())
        kept = f"{self.read} records read, {self.runs} runs with {self.steps} steps kept"
        return kept + (f"; skipped: {reasons}" if reasons else "")


@dataclass(frozen=True, slots=True)
class RunReading:
    """A file of runs, read.

    Attributes:
        format: Name of the format.
        runs: In order; secrets masked.
        problems: What was doubted, left out or worked around.
        counts: What was read, kept and skipped.
    """

    format: str
    runs: tuple[NewRun, ...]
    problems: tuple[Problem, ...]
    counts: RunCounts

    def __iter__(self) -> Iterator[NewRun]:
        return iter(self.runs)

    def __len__(self) -> int:
        return len(self.runs)
