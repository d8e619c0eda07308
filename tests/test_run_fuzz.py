"""A small slice of benchmarks/fuzz_readers.py: every mutated input reads or raises an error of ours."""

from __future__ import annotations

from pathlib import Path

from benchmarks.fuzz_readers import fuzz


def test_mutated_files_read_or_raise_our_errors(tmp_path: Path) -> None:
    outcomes, faults = fuzz(400, 7, tmp_path)
    assert faults == []
    assert outcomes["read"] > 100
    assert outcomes["UnreadableInput"] > 100
