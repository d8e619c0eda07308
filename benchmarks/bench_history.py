"""What history costs: a space told one message at a time, looked at from the past, traced, and compared with a copy.

The space is built once at `--db` (the slow part) and kept there; figures are medians on it.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from benchmarks.corpus import Corpus, large_space, load_corpus
from trajwiki.domain.messages import NewMessage
from trajwiki.engine import Memory
from trajwiki.settings import Settings
from trajwiki.space import Space

SIZE: Final = 20_000
BUDGET: Final = 2000
RECALLS: Final = 40
TRACES: Final = 25
SPACE: Final = "large"
MILLISECONDS: Final = 1000.0


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure against its target.

    Attributes:
        label: For a reader.
        measured: The figure.
        unit: Of the figure.
        at_most: The target; None: it is only told.
    """

    label: str
    measured: float
    unit: str
    at_most: float | None = None

    @property
    def result(self) -> str:
        """Say whether the target is met."""
        if self.at_most is None:
            return "-"
        return "pass" if self.measured <= self.at_most else "FAIL"


def main(arguments: Sequence[str] | None = None) -> int:
    """Build what is missing, measure, print; gives the exit code."""
    parser = argparse.ArgumentParser(prog="bench_history", description=__doc__, allow_abbrev=False)
    parser.add_argument("--size", type=int, default=SIZE, help="messages")
    parser.add_argument("--db", type=Path, help="where the space is, or is built; by default in a temporary folder")
    parser.add_argument("--data", type=Path, help="LoCoMo JSON; without it ../shared is looked at, then the sample")
    parser.add_argument("--qa", type=Path, help="its questions")
    parser.add_argument("--check", action="store_true", help="exit with 1 when a target is missed")
    options = parser.parse_args(arguments)
    corpus = load_corpus(options.data, options.qa)
    with tempfile.TemporaryDirectory() as folder:
        db = options.db or Path(folder) / "history.db"
        figures = measure(corpus, options.size, db, Path(folder))
    print(f"\n{options.size:,} messages of {corpus.name}, told one by one\n")
    print(f"{'figure':52} {'measured':>16} {'at most':>8}  result")
    for figure in figures:
        bound = "-" if figure.at_most is None else f"{figure.at_most:g}"
        print(f"{figure.label:52} {figure.measured:>10,.2f} {figure.unit:5} {bound:>8}  {figure.result}")
    if hasattr(os, "getloadavg"):  # not on Windows
        print(f"\n{os.cpu_count()} cores, load {os.getloadavg()[1]:.1f} over the last five minutes")
    return 1 if options.check and any(f.result == "FAIL" for f in figures) else 0


def measure(corpus: Corpus, size: int, db: Path, folder: Path) -> list[Figure]:
    """Give all figures of a space of that size."""
    with Memory.open(db, settings=Settings()) as memory:
        space = memory.space(SPACE)
        seconds = build(space, large_space(corpus, size))
        figures = [Figure("building it, one message at a time", seconds, "s")] if seconds else []
        figures += _looking(space, [q for c in corpus.conversations for q in corpus.questions[c.name]][:RECALLS])
        figures += _tracing(space)
        space.export(folder / "head.zip")
        blob = folder / "head.zip"
        figures.append(Figure("archive with all history", blob.stat().st_size / 2**20, "MiB"))
    figures += _sizes(db, blob, folder)
    return figures


def build(space: Space, messages: Sequence[NewMessage]) -> float:
    """Tell the messages that are missing one at a time, in order; gives the seconds it took, 0 when all were there."""
    known = len(space.state().messages)
    if known >= len(messages):
        return 0.0
    start = time.perf_counter()
    for n, message in enumerate(messages[known:], start=known + 1):
        space.add([message])
        if n % 500 == 0:
            print(f"  {n:,} messages, {time.perf_counter() - start:,.0f} s", file=sys.stderr, flush=True)
    space.flush()
    return time.perf_counter() - start


def _looking(space: Space, questions: Sequence[str]) -> list[Figure]:
    """As-of recall against the current one, at a commit in the middle: the first look, and those that follow."""
    middle = space.log(limit=1)[0].n // 2
    cold_now = _ms(lambda: space.recall(questions[0], budget=BUDGET))
    cold_then = _ms(lambda: space.recall(questions[0], budget=BUDGET, as_of=middle))
    now = statistics.median(_ms(lambda q=q: space.recall(q, budget=BUDGET)) for q in questions)  # type: ignore[misc]
    then = statistics.median(
        _ms(lambda q=q: space.recall(q, budget=BUDGET, as_of=middle))  # type: ignore[misc]
        for q in questions
    )
    at_head = statistics.median(
        _ms(lambda q=q, n=2 * middle: space.recall(q, budget=BUDGET, as_of=n))  # type: ignore[misc]
        for q in questions[:TRACES]
    )
    return [
        Figure("recall now, warm", now, "ms"),
        Figure("recall as of the middle, warm", then, "ms"),
        Figure("recall as of the newest commit, warm", at_head, "ms"),
        Figure("as of the middle against now", then / now, "x", 2.0),
        Figure("as of the newest commit against now", at_head / now, "x", 2.0),
        Figure("first recall now, space already read", cold_now, "ms"),
        Figure("first recall as of the middle", cold_then, "ms"),
    ]


def _tracing(space: Space) -> list[Figure]:
    state = space.state()
    claims = list(state.claims)
    pages = [p.slug for p in state.pages.values()]
    some_claims, some_pages = claims[:: max(1, len(claims) // TRACES)], pages[:: max(1, len(pages) // TRACES)]
    head = space.log(limit=1)[0].n
    return [
        Figure("log, newest 50", _median(lambda: space.log(limit=50)), "ms", 100),
        Figure("log, all", _median(lambda: space.log()), "ms", 100),
        Figure("blame of a claim", _median_of(space.blame, some_claims), "ms", 100),
        Figure("blame of a page", _median_of(space.blame, some_pages), "ms", 100),
        Figure("show of the newest commit, first time", _ms(lambda: space.show(head)), "ms"),
        Figure("show of the newest commit, again", _ms(lambda: space.show(head)), "ms"),
    ]


def _sizes(db: Path, archive: Path, folder: Path) -> list[Figure]:
    """The file as it grew, one into which the history was imported, and one that was told everything at once."""
    with Memory.open(folder / "imported.db", settings=Settings()) as copy:
        copy.import_space(archive)
    grown, imported = _file_size(db), _file_size(folder / "imported.db")
    with Memory.open(db, settings=Settings()) as memory:
        state = memory.space(SPACE).state()
        told = [
            replace(
                NewMessage(m.speaker, m.text, m.sent_at, m.session, m.source_ref, m.source, m.caption, m.role),
                metadata=m.metadata,
            )
            for m in state.messages.values()
        ]
    with Memory.open(folder / "at-once.db", settings=Settings()) as memory:
        memory.space(SPACE).add(told)
        memory.space(SPACE).flush()
    at_once = _file_size(folder / "at-once.db")
    return [
        Figure("file after single adds", grown / 2**20, "MiB"),
        Figure("file after export and import of it", imported / 2**20, "MiB"),
        Figure("file after telling all at once", at_once / 2**20, "MiB"),
        Figure("grown against imported", grown / imported, "x", 1.3),
        Figure("grown against told at once", grown / at_once, "x"),
    ]


def _file_size(path: Path) -> int:
    return sum(p.stat().st_size for p in path.parent.glob(path.name + "*") if not p.name.endswith("-shm"))


def _ms(act: Callable[[], object]) -> float:
    start = time.perf_counter()
    act()
    return MILLISECONDS * (time.perf_counter() - start)


def _median(act: Callable[[], object]) -> float:
    return statistics.median(_ms(act) for _ in range(TRACES))


def _median_of(act: Callable[[str], object], of: Sequence[str]) -> float:
    return statistics.median(_ms(lambda what=what: act(what)) for what in of)  # type: ignore[misc]


if __name__ == "__main__":
    sys.exit(main())
