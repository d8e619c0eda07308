"""Killing a process at many points of what it writes, and looking whether memory survives: `make crash`.

A point is one event of one job: before or after a statement, at a commit, or inside a statement (SQLite's progress
handler); every fourth point is a moment instead, at which the process is killed from outside. After each the file is
checked as it was left, the job is run again, and what came out is compared with an undisturbed run: the same records
with the same ids, nothing lost, nothing doubled, no byte of erased text.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from importlib import resources
from pathlib import Path
from typing import Any, Final

import numpy as np
import sqlalchemy as sa

from trajwiki.doctor import examine_stored, plan_repairs, scrub_problems
from trajwiki.domain.history import CommitKind
from trajwiki.domain.messages import NewMessage
from trajwiki.domain.state import SpaceState
from trajwiki.engine import Memory
from trajwiki.erasure import Selection
from trajwiki.errors import TrajwikiError, UsageError
from trajwiki.models.embedding import Embedder, open_embedder
from trajwiki.readers import read_all
from trajwiki.settings import Settings
from trajwiki.store.database import Database

POINTS: Final = 500
SEED: Final = 11
MESSAGES: Final = 60  # of the sample
AT_A_TIME: Final = 12
STEP: Final = 400  # instructions of SQLite between two events inside a statement
FROM_OUTSIDE: Final = 4  # every so many points
SPACE, FIXED = "sample", "space_fixed"
ERASED: Final = "zebrawood"  # stands in one message, which the job erases
START: Final = datetime(2030, 1, 1, tzinfo=UTC)
KILLED: Final = 137


class Clock:
    """A clock that moves on by a second whenever it is read: times do not depend on how quick a run was."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        """Give the time."""
        self.now += timedelta(seconds=1)
        return self.now


class OtherEmbedder:
    """Another model, for changing to it: hashes of words, in eight dimensions."""

    name = "hashes"
    dimension = 8

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """Give unit vectors; see Embedder."""
        out = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for row, text in zip(out, texts, strict=True):
            for word in text.split():
                row[sum(word.encode()) % self.dimension] += 1.0
            row /= max(float(np.linalg.norm(row)), 1e-9)
        return out


Act = Callable[[Path], None]


@dataclass(frozen=True, slots=True)
class Job:
    """Something that is killed.

    Attributes:
        name: For the table.
        before: The file it begins with; None: there is none.
        act: Does it, or what is left of it.
        embedder: Of the vectors that are there when it is done.
    """

    name: str
    before: Path | None
    act: Act
    embedder: Embedder


@dataclass(frozen=True, slots=True)
class Ending:
    """What an undisturbed run of a job leads to.

    Attributes:
        essence: All that the space holds.
        events: How many there were.
        seconds: How long it took.
    """

    essence: dict[str, Any]
    events: int
    seconds: float


def jobs(folder: Path, words: Embedder, size: int) -> list[Job]:
    """Make the files that the jobs begin with, and give the jobs; `size` is the number of messages."""
    messages = _messages(size)
    Database(folder / "empty.db").close()
    with _opened(folder / "full.db", words) as memory:
        space = memory.create_space(SPACE, id=FIXED)
        space.add(messages)
        space.flush()
        claim = next(iter(space.state().claims))
        done = space.deprecate_claim(claim, reason="a mistake").n
        space.export(folder / "archive.zip")
    _join(folder / "full.db")

    def ingest(path: Path) -> None:
        with _opened(path, words) as memory:
            space = memory.create_space(SPACE, id=FIXED)
            for start in range(0, len(messages), AT_A_TIME):
                space.add(messages[start : start + AT_A_TIME])
            space.flush()

    def revert(path: Path) -> None:
        with _opened(path, words) as memory:
            space = memory.space(SPACE)
            if space.log(limit=1)[0].kind is not CommitKind.REVERT:
                space.revert(done)

    def erase(path: Path) -> None:
        with _opened(path, words) as memory:
            space = memory.space(SPACE)
            if space.log(limit=1)[0].kind is not CommitKind.ERASE:
                space.erase(Selection(matching=ERASED))
            if memory.store.pending_scrubs():
                memory.store.scrub()

    def bring_in(path: Path) -> None:
        with _opened(path, words) as memory:
            if memory.store.find(SPACE) is None:
                memory.import_space(folder / "archive.zip")

    def reembed(path: Path) -> None:
        with _opened(path, OtherEmbedder()) as memory:
            memory.space(SPACE).reembed()

    full, empty = folder / "full.db", folder / "empty.db"
    return [
        Job("ingest", empty, ingest, words),
        Job("first", None, ingest, words),
        Job("revert", full, revert, words),
        Job("erase", full, erase, words),
        Job("import", empty, bring_in, words),
        Job("reembed", full, reembed, OtherEmbedder()),
    ]


def run(
    points: int, *, size: int = MESSAGES, seed: int = SEED, say: Callable[[str], None] = lambda line: None
) -> list[str]:
    """Kill at that many points, spread over the jobs; gives what went wrong, nothing when memory survived all."""
    luck = random.Random(seed)
    words = open_embedder("wordllama")
    wrong: list[str] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        todo = jobs(folder, words, size)
        endings = {job.name: _undisturbed(job, folder) for job in todo}
        for job in todo:
            say(f"{job.name}: {endings[job.name].events} events, {endings[job.name].seconds:.2f} s undisturbed")
        hits: Counter[str] = Counter()
        for n in range(points):
            job = todo[n % len(todo)]
            path = folder / f"{n}.db"
            killed, where = _kill(job, path, endings[job.name], luck, outside=n // len(todo) % FROM_OUTSIDE == 0)
            hits[job.name] += killed
            wrong += [f"{job.name}, {where}: {what}" for what in _look(job, path, endings[job.name])]
            for file in folder.glob(f"{n}.db*"):
                file.unlink()
            if (n + 1) % 50 == 0:
                say(f"{n + 1} points, {hits.total()} killed before the end, {len(wrong)} wrong")
        say(", ".join(f"{job}: {count} killed" for job, count in hits.items()))
    return wrong


# Dying.


def _kill(job: Job, path: Path, ending: Ending, luck: random.Random, *, outside: bool) -> tuple[bool, str]:
    """Run a job in a process that does not live to its end; tells whether it died before, and where."""
    _begin(job, path)
    if outside:
        wait = luck.uniform(0.0, ending.seconds)
        child = _forked(lambda: job.act(path))
        time.sleep(wait)
        os.kill(child, signal.SIGKILL)
        where = f"after {wait:.4f} s"
    else:
        event = luck.randint(1, ending.events)
        child = _forked(lambda: _dying(job, path, event))
        where = f"at event {event}"
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    if code not in (0, -signal.SIGKILL, KILLED):
        raise RuntimeError(f"{job.name}, {where}: the process failed by itself with {code}")
    return code != 0, where


def _forked(act: Callable[[], object]) -> int:
    """Do something in a child process, which ends without cleaning up; gives its id."""
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        act()
        code = 0
    finally:
        os._exit(code)


def _dying(job: Job, path: Path, event: int) -> None:
    left = event

    def tick() -> None:
        nonlocal left
        left -= 1
        if left == 0:
            os._exit(KILLED)

    with _Events(tick):
        job.act(path)


class _Events:
    """Calls a function at every event of every database that is opened meanwhile."""

    def __init__(self, tick: Callable[[], None]) -> None:
        self._tick = tick

    def __enter__(self) -> None:
        for name in ("before_cursor_execute", "after_cursor_execute", "commit"):
            sa.event.listen(sa.Engine, name, self._on)
        sa.event.listen(sa.Engine, "connect", self._connected)

    def __exit__(self, *_: object) -> None:
        for name in ("before_cursor_execute", "after_cursor_execute", "commit"):
            sa.event.remove(sa.Engine, name, self._on)
        sa.event.remove(sa.Engine, "connect", self._connected)

    def _on(self, *_: object, **__: object) -> None:
        self._tick()

    def _connected(self, connection: Any, _: object) -> None:
        def inside() -> int:
            self._tick()
            return 0

        if isinstance(connection, sqlite3.Connection):
            connection.set_progress_handler(inside, STEP)


# Looking.


def _undisturbed(job: Job, folder: Path) -> Ending:
    path = folder / f"undisturbed-{job.name}.db"
    _begin(job, path)
    start = time.perf_counter()
    job.act(path)
    seconds = time.perf_counter() - start
    for file in folder.glob(path.name + "*"):
        file.unlink()
    _begin(job, path)
    events = 0

    def tick() -> None:
        nonlocal events
        events += 1

    with _Events(tick):
        job.act(path)
    return Ending(_essence(_state(path, job.embedder)), events, seconds)


def _look(job: Job, path: Path, ending: Ending) -> list[str]:
    """Check the file as it was left, run the job again, and compare; gives what is wrong."""
    wrong = [f"as left: {what}" for what in _unsound(path, job)[0]] if path.exists() else []
    try:
        job.act(path)
    except TrajwikiError as error:
        return [*wrong, f"run again: {type(error).__name__}: {error}"]
    found, state = _unsound(path, job, finished=True)
    wrong += [f"after running again: {what}" for what in found]
    essence = _essence(state)
    wrong += [
        f"{part} are not those of an undisturbed run" for part in essence if essence[part] != ending.essence[part]
    ]
    if job.name == "erase":
        there = [f.name for f in path.parent.glob(path.name + "*") if ERASED.encode() in f.read_bytes().lower()]
        wrong += [f"erased text is still in {name}" for name in there]
    return wrong


def _unsound(path: Path, job: Job, *, finished: bool = False) -> tuple[list[str], SpaceState]:
    """What the doctor finds, leaving out what a killed process may leave: closed exchanges that are not read yet."""
    try:
        memory = _opened(path, job.embedder)
    except TrajwikiError as error:
        return [f"it cannot be opened: {error}"], SpaceState()
    with memory:
        wrong, state = memory.integrity(), SpaceState()
        for info in memory.spaces():
            same = info.embedder == job.embedder.name
            found = examine_stored(memory.store, info, embedder=job.embedder if same and finished else None)
            wrong += [f"{p.code}: {p.message}" for p in found if finished or p.code != "doctor.unread"]
            if finished:
                state = memory.space(info.name).state()
                plan = plan_repairs(state, memory.store.stored_status(info.id))
                wrong += [f"there is something to repair: {r.what}" for r in plan]
        wrong += [p.message for p in scrub_problems(memory.store.pending_scrubs()) if finished]
    return wrong, state


def _essence(state: SpaceState) -> dict[str, Any]:
    """All that a space holds, in comparable form, without the times of corrections, which are made before a job."""
    return {
        "messages": list(state.messages.values()),
        "exchanges": list(state.exchanges.values()),
        "snapshots": list(state.snapshots.values()),
        "claims": list(state.claims.values()),
        "sources": state.sources,
        "statuses": state.status,
        "operations": state.ops if not any(op.cause.startswith("commit") for op in state.ops) else len(state.ops),
        "members": state.members,
        "versions": state.versions,
        "pages": sorted(state.pages.values(), key=lambda p: p.id),
        "links": {k: sorted(v) for k, v in state.links.items() if v},
        "bullets": {k: v for k, v in state.bullets.items() if v},
        "vectors": {kind: {k: v.tobytes() for k, v in vs.items()} for kind, vs in state.vectors.items()},
    }


def _state(path: Path, embedder: Embedder) -> SpaceState:
    with _opened(path, embedder) as memory:
        return memory.space(SPACE).state()


def _begin(job: Job, path: Path) -> None:
    if job.before is not None:
        shutil.copy(job.before, path)


def _opened(path: Path, embedder: Embedder) -> Memory:
    return Memory.open(path, settings=Settings(), embedder=embedder, clock=Clock())


def _join(path: Path) -> None:
    """Bring what is in the log of a database into its file, so that this can be copied alone."""
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()


def _messages(size: int) -> list[NewMessage]:
    with resources.as_file(resources.files("trajwiki.sample") / "conversation.jsonl") as path:
        told = [record.message for record in read_all(path).records[:size]]
    last = told[-1]
    desk = NewMessage(last.speaker, f"My neighbour sold me a {ERASED} desk.", last.sent_at, last.session, "desk")
    return [*told[: size // 2], desk, *told[size // 2 :]]


def main(arguments: Sequence[str] | None = None) -> int:
    """Kill, look, and say what came out; the exit code is 1 when anything was wrong."""
    parser = argparse.ArgumentParser(prog="crash", description=__doc__, allow_abbrev=False)
    parser.add_argument("--points", type=int, default=POINTS)
    parser.add_argument("--seed", type=int, default=SEED)
    options = parser.parse_args(arguments)
    if not hasattr(os, "fork"):
        raise UsageError("this needs a system that can fork")
    wrong = run(options.points, seed=options.seed, say=lambda line: print(line, flush=True))
    print("\n".join(wrong) if wrong else f"memory survived all {options.points} points")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
