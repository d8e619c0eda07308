"""bench: runs of evaluation/, with progress on standard error."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path

from trajwiki.cli.output import print_json, say


def locomo(data: Path, qa: Path, out: Path, *, limit: int | None, json: bool) -> None:
    """Measure on LoCoMo."""
    from trajwiki.evaluation.locomo import run_locomo

    _finish(asdict(run_locomo(data, qa, out, limit=limit, progress=_progress)), out, json=json)


def bfcl(data: Path, out: Path, *, json: bool) -> None:
    """Measure on BFCL memory."""
    from trajwiki.evaluation.bfcl import run_bfcl

    _finish(asdict(run_bfcl(data, out, progress=_progress)), out, json=json)


def longmemeval(data: Path, out: Path, *, json: bool) -> None:
    """Measure on LongMemEval."""
    from trajwiki.evaluation.longmemeval import run_longmemeval

    _finish(asdict(run_longmemeval(data, out, progress=_progress)), out, json=json)


def _finish(report: dict[str, object], out: Path, *, json: bool) -> None:
    if json:
        print_json(report)
    else:
        say((out / "report.md").read_text(encoding="utf-8"))


def _progress(what: str, done: int, size: int) -> None:
    end = "\n" if done >= size else ""
    if sys.stderr.isatty() or end:
        print(f"\r{what}: {done} of {size}", end=end, file=sys.stderr, flush=True)
