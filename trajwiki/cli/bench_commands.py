"""The commands that measure."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from trajwiki.cli.root import Json, bench_app

Data = Annotated[Path, typer.Option("--data", help="The data set.")]
Out = Annotated[Path, typer.Option("--out", help="Folder for the report.")]


@bench_app.command("locomo")
def bench_locomo(
    data: Data,
    qa: Annotated[Path, typer.Option("--qa", help="The questions, as JSONL.")],
    out: Out,
    limit: Annotated[int | None, typer.Option("--limit", help="Only the first conversations.")] = None,
    json: Json = False,
) -> None:
    """Coverage, answers, sizes and times on LoCoMo, beside flat baselines in the same run."""
    from trajwiki.cli import bench

    bench.locomo(data, qa, out, limit=limit, json=json)


@bench_app.command("bfcl")
def bench_bfcl(data: Data, out: Out, json: Json = False) -> None:
    """Accepted answers in context and answered, on BFCL memory."""
    from trajwiki.cli import bench

    bench.bfcl(data, out, json=json)


@bench_app.command("attribution")
def bench_attribution(
    data: Data,
    out: Annotated[Path | None, typer.Option("--out", help="Folder for the report.")] = None,
    json: Json = False,
) -> None:
    """Agent and step at fault in failed runs, beside baselines in the same run."""
    from trajwiki.cli import bench_runs

    bench_runs.attribution(data, json=json, out=out)


@bench_app.command("tips")
def bench_tips(
    data: Annotated[Path, typer.Option("--data", help="A file of runs with several tries at each task.")],
    out: Annotated[Path | None, typer.Option("--out", help="Folder for the report.")] = None,
    json: Json = False,
) -> None:
    """How often guidelines name what separates a held-out failure from success, beside keyword retrieval."""
    from trajwiki.cli import bench_tips as commands

    commands.tips(data, json=json, out=out)


@bench_app.command("longmemeval")
def bench_longmemeval(data: Data, out: Out, json: Json = False) -> None:
    """Evidence sessions in context, on LongMemEval."""
    from trajwiki.cli import bench

    bench.longmemeval(data, out, json=json)
