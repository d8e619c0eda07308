"""bench: whether tips name what a held-out failure lacks."""

from __future__ import annotations

import sys
from pathlib import Path

from trajwiki.cli.output import print_json, say


def tips(data: Path, *, json: bool, out: Path | None) -> None:
    """Measure tips on recorded runs; also write the report, the questions and the sample of tips to `out` if given."""
    from trajwiki.evaluation.output import write_report
    from trajwiki.evaluation.tips import run_tips
    from trajwiki.tips.delivery import show

    report, text, lines, sample = run_tips(data, progress=_progress)
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
        write_report(out, report, text, lines)
        shown = "\n\n".join(f"{show(tip, n)}\n   Index: {tip.description}" for n, tip in enumerate(sample, start=1))
        (out / "sample.txt").write_text(shown + "\n", encoding="utf-8")
    if json:
        print_json(report)
    else:
        say(text)


def _progress(what: str, done: int, size: int) -> None:
    if sys.stderr.isatty() or done >= size:
        print(f"\r{what}: {done} of {size}", end="\n" if done >= size else "", file=sys.stderr, flush=True)
