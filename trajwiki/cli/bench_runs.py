"""bench: figures on agent runs."""

from __future__ import annotations

import sys
from pathlib import Path

from trajwiki.cli.output import print_json, say


def attribution(data: Path, *, json: bool, out: Path | None) -> None:
    """Measure which agent and step the analysis puts failures down to; also write the report to `out` if given."""
    from trajwiki.evaluation.attribution import render, run_attribution
    from trajwiki.evaluation.output import write_report

    report = run_attribution(data, progress=_progress)
    text = render(report)
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
        write_report(out, report, text, ())
    if json:
        print_json(report)
    else:
        say(text)


def _progress(what: str, done: int, size: int) -> None:
    if sys.stderr.isatty() or done >= size:
        print(f"\r{what}: {done} of {size}", end="\n" if done >= size else "", file=sys.stderr, flush=True)
