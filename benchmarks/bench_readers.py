"""Messages (or steps of runs) a second for each format, and the memory that reading a large file takes.

python -m benchmarks.bench_readers               # every format, on the tests' small files, each opened anew
python -m benchmarks.bench_readers --large 200   # and one file of 200 MB, read in a process of its own
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from tests.reader_files import FILES
from tests.run_files import RUN_FILES
from trajwiki.evaluation.clock import peak_memory_mb
from trajwiki.readers import check
from trajwiki.readers.runs import read_runs

SECONDS: Final = 0.5  # at least, a format
LINE_CHARS: Final = 400  # of a message in the large file


def conversation_rates(folder: Path) -> Iterator[tuple[str, float]]:
    """Give the messages a second of each conversation format."""
    for name, raw in FILES.items():
        path = folder / "file"
        path.write_bytes(raw)
        done, start = 0, time.perf_counter()
        while (passed := time.perf_counter() - start) < SECONDS:
            done += check(path, format=name).counts.kept
        yield name, done / passed


def run_rates(folder: Path) -> Iterator[tuple[str, float]]:
    """Give the steps a second of each run format, masking included."""
    for name, raw in RUN_FILES.items():
        path = folder / "file"
        path.write_bytes(raw)
        done, start = 0, time.perf_counter()
        while (passed := time.perf_counter() - start) < SECONDS:
            done += read_runs(path, format=name).counts.steps
        yield name, done / passed


def large_file(path: Path, megabytes: int) -> None:
    """Write messages, one a line, to the size that is asked for."""
    words = "the river was high and we walked along it for an hour before the rain came back "
    text = (words * (LINE_CHARS // len(words) + 1))[:LINE_CHARS]
    with path.open("w", encoding="utf-8") as file:
        size, number = 0, 0
        while size < megabytes * 1_000_000:
            number += 1
            clock = f"{number // 3600 % 24:02}:{number // 60 % 60:02}:{number % 60:02}"
            row = {
                "speaker": f"P{number % 7}",
                "text": f"{number} {text}",
                "source_ref": str(number),
                "session": "s",
                "sent_at": f"2024-01-01T{clock}+00:00",
            }
            size += file.write(json.dumps(row) + "\n")


def read_large(path: Path) -> dict[str, Any]:
    """Read a file and forget it: messages, seconds, and the most memory this process has held."""
    start = time.perf_counter()
    counts = check(path).counts
    return {"messages": counts.kept, "seconds": time.perf_counter() - start, "peak_mb": peak_memory_mb()}


def main() -> None:
    """Run it from the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--large", type=int, default=0, help="megabytes of one more file")
    parser.add_argument("--read", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.read:
        print(json.dumps(read_large(given.read)))
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for format, rate in conversation_rates(folder):
            print(f"{format:<14} {rate:>10,.0f} messages/s")
        for format, rate in run_rates(folder):
            print(f"{format:<14} {rate:>10,.0f} steps/s (runs)")
        if given.large:
            path = folder / "large.jsonl"
            large_file(path, given.large)
            command = [sys.executable, "-m", "benchmarks.bench_readers", "--read", str(path)]
            found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
            speed = found["messages"] / found["seconds"]
            told = f"{found['messages']} messages, {speed:,.0f} messages/s, peak {found['peak_mb']:.0f} MB"
            print(f"{given.large} MB: {told}")


if __name__ == "__main__":
    main()
