"""Speed and memory, as figures against their targets: `make bench`.

Each part runs in a process of its own, so that peak memory is its own: the conversations of LoCoMo (or the sample), one
space of 20,000 messages, and the command line. Nothing is tuned to the machine; figures of a busy one are worse.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks.corpus import Corpus, large_space, load_corpus
from trajwiki.engine import Memory
from trajwiki.evaluation.clock import StageClock, TimedEmbedder, peak_memory_mb, standing_between
from trajwiki.evaluation.stats import percentile
from trajwiki.models.embedding import open_embedder
from trajwiki.settings import Settings
from trajwiki.space import Space

LARGE: Final = 20_000
TENTHS: Final = 10
RECALL_BUDGET: Final = 2000
RECALLS: Final = 400
RUNS: Final = 5
Found = dict[str, float]


@dataclass(frozen=True, slots=True)
class Target:
    """One line of the table.

    Attributes:
        key: Of the figure.
        label: For a reader.
        unit: Of the figure.
        required: What must hold; None where there is only an aim.
        aim: What is aimed at.
        more: True when higher is better.
    """

    key: str
    label: str
    unit: str
    required: float | None
    aim: float
    more: bool = False


TARGETS: Final = (
    Target("ingest", "ingest, embedding included", "messages/s", 100, 200, more=True),
    Target("recall_p50", "warm recall, median", "ms", 30, 20),
    Target("recall_p95", "warm recall, 95th percentile", "ms", None, 60),
    Target("peak", "peak memory", "MiB", 1024, 700),
    Target("help", "trajwiki --help", "s", 0.4, 0.4),
    Target("one_shot", "one-shot trajwiki recall", "s", 2.5, 2.5),
    Target("large_ratio", "last tenth against first tenth", "x", None, 0.7, more=True),
    Target("large_p50", "warm recall there, median", "ms", None, 100),
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the parts and print the table; gives the exit code."""
    parser = argparse.ArgumentParser(prog="bench_speed", description=__doc__, allow_abbrev=False)
    parser.add_argument("--data", type=Path, help="LoCoMo JSON; without it ../shared is looked at, then the sample")
    parser.add_argument("--qa", type=Path, help="its questions")
    parser.add_argument("--size", type=int, default=LARGE, help="messages of the large space; 0 leaves it out")
    parser.add_argument("--check", action="store_true", help="exit with 1 when a required target is missed")
    parser.add_argument("--part", choices=("conversations", "large"), help=argparse.SUPPRESS)
    parser.add_argument("--db", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    corpus = load_corpus(options.data, options.qa)
    if options.part:
        part = _conversations(corpus, options.db) if options.part == "conversations" else _large(corpus, options)
        json.dump(part, sys.stdout)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        found, stages = _measure_all(corpus, options, Path(folder))
    _print(corpus, options.size, found, stages)
    missed = [t for t in TARGETS if t.key in found and not _holds(t, found[t.key], t.required)]
    return 1 if options.check and missed else 0


def _measure_all(corpus: Corpus, options: argparse.Namespace, folder: Path) -> tuple[Found, dict[str, Found]]:
    given = [f"--{name}={value}" for name in ("data", "qa") if (value := getattr(options, name))]
    _say("conversations …")
    db = folder / "conversations.db"
    first = _part("conversations", [*given, f"--db={db}"])
    found, stages = first["found"], {"conversations": first["stages"]}
    if options.size:
        _say(f"one space of {options.size:,} messages …")
        large = _part("large", [*given, f"--db={folder / 'large.db'}", f"--size={options.size}"])
        found |= large["found"]
        stages |= {"first tenth of the large space": large["first"], "last tenth of it": large["last"]}
    _say("the command line …")
    name = corpus.conversations[0].name
    found["help"] = _command_seconds(["--help"])
    asked = corpus.questions[name][0]
    found["one_shot"] = _command_seconds(["recall", asked, "--space", name, "--db", str(db)])
    return found, stages


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _part(name: str, arguments: Sequence[str]) -> dict[str, Found]:
    command = [sys.executable, "-m", "benchmarks.bench_speed", "--part", name, *arguments]
    root = Path(__file__).resolve().parents[1]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, cwd=root)
    part: dict[str, Found] = json.loads(done.stdout)
    return part


def _command_seconds(arguments: Sequence[str]) -> float:
    """Give the median wall time of a command, or NaN when it fails."""
    script = Path(sys.executable).with_name("trajwiki")
    start = [str(script)] if script.exists() else [sys.executable, "-c", "from trajwiki.cli import main; main()"]
    took = []
    for _ in range(RUNS):
        begun = time.perf_counter()
        done = subprocess.run([*start, *arguments], capture_output=True, check=False)
        took.append(time.perf_counter() - begun)
        if done.returncode not in (0, 1):
            _say(f"trajwiki {arguments[0]} failed: {done.stderr.decode(errors='replace').strip()[-300:]}")
            return float("nan")
    return round(statistics.median(took), 3)


# The parts


def _conversations(corpus: Corpus, db: Path) -> dict[str, Found]:
    clock = StageClock()
    settings = Settings()
    embedder = open_embedder(settings.embedder, base_url=settings.embedder_url)
    with Memory.open(db, settings=settings, embedder=TimedEmbedder(embedder, clock)) as memory:
        with standing_between(clock):
            start = time.perf_counter()
            for conversation in corpus.conversations:
                space = memory.space(conversation.name)
                space.add(conversation.messages)
                space.flush()
            seconds = time.perf_counter() - start
        stages = clock.by_stage(seconds)
        took = [t for c in corpus.conversations for t in _recall_ms(memory.space(c.name), corpus.questions[c.name])]
    stored = sum(len(c.messages) for c in corpus.conversations)
    found = {
        "messages": float(stored),
        "ingest": round(stored / seconds, 1),
        "recall_p50": percentile(took, 50),
        "recall_p95": percentile(took, 95),
    }
    return {"found": found | _peak("peak"), "stages": stages}


def _large(corpus: Corpus, options: argparse.Namespace) -> dict[str, Found]:
    messages = large_space(corpus, options.size)
    settings = Settings()
    embedder = open_embedder(settings.embedder, base_url=settings.embedder_url)
    size = max(1, len(messages) // TENTHS)
    rates, stages = [], []
    clock = StageClock()
    with Memory.open(options.db, settings=settings, embedder=TimedEmbedder(embedder, clock)) as memory:
        space = memory.space("large")
        for tenth in range(TENTHS):
            part = messages[tenth * size : (tenth + 1) * size]
            clock.seconds.clear()
            with standing_between(clock):
                start = time.perf_counter()
                space.add(part)
                seconds = time.perf_counter() - start
            rates.append(len(part) / seconds)
            stages.append(clock.by_stage(seconds))
            _say(f"  {tenth + 1} of {TENTHS}: {rates[-1]:.0f} messages/s")
        questions = [q for c in corpus.conversations for q in corpus.questions[c.name]]
        took = _recall_ms(space, questions)
    found = {
        "large_first": round(rates[0], 1),
        "large_last": round(rates[-1], 1),
        "large_ratio": round(rates[-1] / rates[0], 3),
        "large_p50": percentile(took, 50),
        "large_p95": percentile(took, 95),
    }
    return {"found": found | _peak("large_peak"), "first": stages[0], "last": stages[-1]}


def _recall_ms(space: Space, questions: Sequence[str]) -> list[float]:
    """Time recalls after one that is not counted; at most RECALLS, evenly over the questions."""
    space.recall(questions[0], budget=RECALL_BUDGET)
    took = []
    for question in questions[:: max(1, len(questions) // RECALLS)]:
        start = time.perf_counter()
        space.recall(question, budget=RECALL_BUDGET)
        took.append(1000 * (time.perf_counter() - start))
    return took


def _peak(key: str) -> Found:
    peak = peak_memory_mb()
    return {} if peak is None else {key: peak}


# The table


def _holds(target: Target, figure: float, bound: float | None) -> bool:
    if bound is None:
        return True
    return figure >= bound if target.more else figure <= bound


def _print(corpus: Corpus, size: int, found: Found, stages: dict[str, Found]) -> None:
    print(f"{corpus.name}: {len(corpus.conversations)} spaces, {found['messages']:,.0f} messages; large: {size:,}")
    if hasattr(os, "getloadavg"):  # not on Windows
        print(
            f"{os.cpu_count()} cores, load {os.getloadavg()[1]:.1f} over the last five minutes, this benchmark included"
        )
    print()
    print(f"{'figure':34} {'measured':>16} {'required':>10} {'aim':>8}  result")
    for target in TARGETS:
        if target.key not in found:
            continue
        figure, sign = found[target.key], ">=" if target.more else "<="
        bound = "-" if target.required is None else f"{target.required:g}"
        result = "FAIL"
        if _holds(target, figure, target.required):
            result = "pass" if _holds(target, figure, target.aim) else "aim missed"
        measured = f"{figure:,.3g} {target.unit}" if figure < 100 else f"{figure:,.0f} {target.unit}"
        print(f"{target.label:34} {measured:>16} {sign} {bound:<7} {target.aim:>8g}  {result}")
    rest = [key for key in ("large_first", "large_last", "large_p95", "large_peak") if key in found]
    if rest:
        print("\n" + ", ".join(f"{key.replace('_', ' ')} {found[key]:,.0f}" for key in rest))
    for part, seconds in stages.items():
        total = sum(seconds.values()) or 1.0
        print(f"\ningest by stage, {part} ({total:.1f} s)")
        for stage, took in seconds.items():
            print(f"  {stage:12} {took:8.2f} s {100 * took / total:5.0f} %")


if __name__ == "__main__":
    sys.exit(main())
