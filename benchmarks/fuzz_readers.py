"""Mutated sample files against every reader: each input reads, or raises an error of ours.

    python -m benchmarks.fuzz_readers [N]         # 50,000 inputs when not told; --seed for others

Samples are those of the tests. Half of the mutations cut, flip and splice bytes, half change values inside the JSON.
Each input is read without naming a format and as the format it was made from, as a conversation or as runs.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from tests.reader_files import FILES
from tests.run_files import RUN_FILES
from trajwiki.errors import TrajwikiError
from trajwiki.readers import Options, read_all
from trajwiki.readers.runs import read_runs

INPUTS: Final = 50_000
SLOW_SECONDS: Final = 10.0  # one input; more is a fault too
ODD_VALUES: Final[tuple[Any, ...]] = (
    None, True, False, 0, -1, 1e308, 10**30, "", " ", "a\0b", "\ud800", "x" * 5000, [], {}, [[]], [{}], {"": ""},
    "null", "{", "[1", '"', "2024-13-45T99:99:99Z", "9" * 40, float("nan"), "user", "tool", {"role": 1}, [None],
    "\u202e🙂é",
    "Error: x", "Thought: x\nAction: y[z]", {"type": "tool_use"}, "```python\n",
    [{"type": "tool_result", "content": [[]]}],
)  # fmt: skip
ODD_BYTES: Final = (
    b"\0", b"\xff", b"\xef\xbb\xbf", b"\xff\xfe", b"\xed\xa0\x80", b"\\ud800", b"{", b"}", b"[", b"]", b'"', b"\\",
    b",", b"\n", b"\r\n", b"1e999", b"NaN", b"-", b"9" * 30, b"[" * 2000, b'{"a":' * 500, b"Observation:",
    b"password=hunter22", b"PK\x03\x04",
)  # fmt: skip


def mutated(sample: bytes, others: Sequence[bytes], chance: random.Random) -> bytes:
    """Give a sample with one to four changes."""
    if chance.random() < 0.5 and (changed := _in_json(sample, chance)) is not None:
        return changed
    for _ in range(chance.randint(1, 4)):
        sample = chance.choice(_BYTE_CHANGES)(sample, others, chance)
    return sample


def _in_json(sample: bytes, chance: random.Random) -> bytes | None:
    """Change values inside JSON or JSON lines."""
    try:
        text = sample.decode()
        values = [json.loads(text)]
        lines = False
    except ValueError:
        try:
            values = [json.loads(line) for line in sample.decode().splitlines()]
            lines = True
        except ValueError:
            return None
    for _ in range(chance.randint(1, 4)):
        number = chance.randrange(len(values)) if values else 0
        if values:
            values[number] = _changed(values[number], chance, chance.randint(0, 7))
    text = "\n".join(json.dumps(v) for v in values) if lines else json.dumps(values[0])
    return text.encode("utf-8", "surrogatepass")


def _changed(value: Any, chance: random.Random, depth: int) -> Any:
    """Go down into a value and change what is there."""
    if depth and isinstance(value, dict) and value:
        key = chance.choice(sorted(value))
        return {**value, key: _changed(value[key], chance, depth - 1)}
    if depth and isinstance(value, list) and value:
        at = chance.randrange(len(value))
        return [*value[:at], _changed(value[at], chance, depth - 1), *value[at + 1 :]]
    if depth and isinstance(value, str) and value[:1] in ("{", "["):
        try:
            return json.dumps(_changed(json.loads(value), chance, depth - 1))
        except ValueError:
            return value[: len(value) // 2]
    kind = chance.randrange(5)
    if kind == 0 and isinstance(value, dict) and value:
        gone = chance.choice(sorted(value))
        return {k: v for k, v in value.items() if k != gone}
    if kind == 1 and isinstance(value, list) and value:
        return value * 2
    if kind == 2:
        return [value]
    if kind == 3:
        return json.dumps(value)
    return chance.choice(ODD_VALUES)


def _flip(sample: bytes, others: Sequence[bytes], chance: random.Random) -> bytes:
    at = chance.randrange(len(sample) + 1)
    return sample[:at] + bytes([chance.randrange(256)]) + sample[at + 1 :]


def _cut(sample: bytes, others: Sequence[bytes], chance: random.Random) -> bytes:
    return sample[: chance.randrange(len(sample) + 1)]


def _drop(sample: bytes, others: Sequence[bytes], chance: random.Random) -> bytes:
    at = chance.randrange(len(sample) + 1)
    return sample[:at] + sample[at + chance.randrange(1, 60) :]


def _repeat(sample: bytes, others: Sequence[bytes], chance: random.Random) -> bytes:
    at = chance.randrange(len(sample) + 1)
    size = chance.randrange(1, 200)
    return sample[: at + size] + sample[at:]


def _insert(sample: bytes, others: Sequence[bytes], chance: random.Random) -> bytes:
    at = chance.randrange(len(sample) + 1)
    return sample[:at] + chance.choice(ODD_BYTES) + sample[at:]


def _splice(sample: bytes, others: Sequence[bytes], chance: random.Random) -> bytes:
    other = chance.choice(others)
    return sample[: chance.randrange(len(sample) + 1)] + other[chance.randrange(len(other) + 1) :]


_BYTE_CHANGES: Final[tuple[Callable[[bytes, Sequence[bytes], random.Random], bytes], ...]] = (
    _flip, _cut, _drop, _repeat, _insert, _splice,
)  # fmt: skip


def fuzz(inputs: int, seed: int, folder: Path) -> tuple[Counter[str], list[str]]:
    """Read mutated files.

    Args:
        inputs: How many.
        seed: Of the mutations; the same gives the same.
        folder: For the files.

    Returns:
        What came of the readings (``read``, or the error's name), and faults: other exceptions and slow inputs, with
        how to repeat each.
    """
    chance = random.Random(seed)
    samples = [(name, raw, False) for name, raw in FILES.items()] + [
        (name, raw, True) for name, raw in RUN_FILES.items()
    ]
    everything = [raw for _, raw, _ in samples]
    outcomes: Counter[str] = Counter()
    faults: list[str] = []
    path = folder / "input"
    for number in range(inputs):
        name, raw, runs = samples[number % len(samples)]
        data = mutated(raw, everything, chance)
        path.write_bytes(data)
        for format, as_runs in ((name, runs), ("auto", runs), ("auto", not runs)):
            start = time.perf_counter()
            try:
                _read(path, format, as_runs)
                outcomes["read"] += 1
            except TrajwikiError as error:
                outcomes[type(error).__name__] += 1
            except BaseException as error:
                if isinstance(error, KeyboardInterrupt):
                    raise
                faults.append(f"{type(error).__name__}: {error} ({format}, runs={as_runs}): {data[:2000]!r}")
            if (seconds := time.perf_counter() - start) > SLOW_SECONDS:
                faults.append(f"{seconds:.0f} s ({format}, runs={as_runs}): {data[:2000]!r}")
    return outcomes, faults


def _read(path: Path, format: str, runs: bool) -> None:
    if not runs:
        read_all(path, format=format, options=Options())
        return
    for run in read_runs(path, format=format):
        assert [s.number for s in run.steps] == list(range(1, len(run.steps) + 1))
        assert all(s.answers is None or s.answers < s.number for s in run.steps)
        json.dumps([run.task, run.raw, dict(run.metadata)], ensure_ascii=False, allow_nan=False).encode()


def main() -> int:
    """Run it from the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("inputs", nargs="?", type=int, default=INPUTS)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        outcomes, faults = fuzz(given.inputs, given.seed, Path(folder))
    seconds = time.perf_counter() - start
    print(f"{given.inputs} inputs, {outcomes.total()} readings in {seconds:.0f} s: {dict(outcomes)}")
    for fault in faults[:20]:
        print(fault, file=sys.stderr)
    print(f"{len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
