"""runs add, list, show; guidelines; feedback."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from trajwiki.cli.look import one
from trajwiki.cli.output import note, print_json, say, table
from trajwiki.cli.progress import progress_of
from trajwiki.cli.session import opened, space_of
from trajwiki.domain.runs import Analysis, Attribution, Step
from trajwiki.errors import UsageError
from trajwiki.payloads import problem_payloads
from trajwiki.practice_payloads import delivery_payload, feedback_payload, run_line, run_payload
from trajwiki.readers.base import Options
from trajwiki.readers.runs.reading import read_runs

BATCH = 20  # runs of one commit
SHOWN = 160  # characters of a step or task in a list
PROBLEMS_SHOWN = 10


def add(
    files: Sequence[Path],
    *,
    format: str,
    delivery: str | None,
    strict: bool,
    dry_run: bool,
    space: str | None,
    db: str | None,
    json: bool,
) -> None:
    """Read runs into a space. All files are read before anything is stored."""
    read = [read_runs(path, format=format, options=Options(), strict=strict) for path in files]
    runs = [run for reading in read for run in reading.runs]
    problems = [p for reading in read for p in reading.problems]
    if dry_run:
        if json:
            print_json({"schema": "trajwiki.runs-read/1", "runs": len(runs), "problems": problem_payloads(problems)})
        else:
            say(*(f"{r.source_ref}  {r.outcome.value}  {len(r.steps)} steps  {_short(r.task)}" for r in runs[:5]))
            say(f"{len(runs)} runs read; nothing was stored")
        return
    if delivery and len(runs) != 1:
        raise UsageError(f"--delivery goes with one run; {len(runs)} were read")
    with opened(db, create=True) as memory:
        target = memory.space(space or memory.settings.space)
        before = len(target.practice().runs)
        with progress_of("runs") as progress:
            for start in range(0, len(runs), BATCH):
                target.add_run(runs[start : start + BATCH], delivery=delivery)
                if progress:
                    progress(min(start + BATCH, len(runs)), len(runs))
        practice = target.practice()
    counts = {"read": len(runs), "stored": len(practice.runs) - before, "runs": len(practice.runs)}
    counts["tips"] = len(practice.book.tips)
    if json:
        print_json(
            {"schema": "trajwiki.runs-add/1", "space": target.name, **counts, "problems": problem_payloads(problems)}
        )
        return
    for problem in problems[:PROBLEMS_SHOWN]:
        note(f"{problem.code}: {problem.message} ({problem.where})")
    say(
        f"{target.name}: read {counts['read']} runs, stored {counts['stored']}; "
        f"holds {counts['runs']} runs, {counts['tips']} tips"
    )


def list_runs(*, space: str | None, db: str | None, json: bool) -> None:
    """List the runs of a space."""
    with opened(db) as memory:
        runs = space_of(memory, space).runs()
    if json:
        print_json({"schema": "trajwiki.runs/1", "runs": [run_line(r) for r in runs]})
    else:
        say(*table((r.id, r.outcome.value, f"{len(r.steps)} steps", r.app or "-", _short(r.task)) for r in runs))


def show(id: str, *, attribution: bool, raw: bool, space: str | None, db: str | None, json: bool) -> None:
    """Show a run: its steps, causes, subtasks and tips; or the record it was read from."""
    with opened(db) as memory:
        here = space_of(memory, space)
        practice = here.practice()
        run = practice.runs[one(id, practice.runs, "run")]
        if raw:
            say(here.run_raw(run.id))
            return
        analysis = practice.analyses[run.id]
        tips = [(t, practice.book.state[t.id]) for t in practice.tips_of(run.id)]
    if json:
        print_json(run_payload(run, analysis, [t.id for t, _ in tips]))
        return
    say(f"{run.id}  {run.source}  {run.source_ref}", f"task: {_short(run.task, 600)}")
    said = f" ({run.outcome_note})" if run.outcome_note else ""
    say(f"outcome: {run.outcome.value}, said by {run.outcome_by.value}{said}")
    if not attribution:
        say("", *(_step_line(s) for s in run.steps))
    say("", *_attribution_lines(analysis))
    if not attribution:
        say("", *(f"steps {s.first}-{s.last}: {s.description}" for s in analysis.subtasks))
        say(*(f"{t.id}  {state.value}  {t.category.value}: {t.content}" for t, state in tips))


def erase(ids: Sequence[str], *, yes: bool, space: str | None, db: str | None, json: bool) -> None:
    """Erase runs, or say what would fall."""
    with opened(db) as memory:
        found = space_of(memory, space).erase_run(ids, dry_run=not yes)
    if json:
        print_json({"schema": "trajwiki.run-erasure/1", "done": yes, **found})
        return
    say(f"{'erased' if yes else 'would erase'} {len(found['runs'])} runs")
    say(*(f"  falls: {t}" for t in found["falls"]), *(f"  stays with fewer runs: {t}" for t in found["stays"]))
    say(*(f"  new:   {t}" for t in found["new"]))
    if not yes:
        say("nothing was changed; say --yes to do it")


def guidelines(
    task: str,
    *,
    app: str | None,
    strategy: str,
    top_k: int | None,
    budget: int | None,
    core: int,
    space: str | None,
    db: str | None,
    json: bool,
) -> None:
    """Print the block for a prompt, and record the delivery."""
    given = {name: value for name, value in (("top_k", top_k), ("budget", budget)) if value is not None}
    with opened(db) as memory:
        found = space_of(memory, space).guidelines(task, app=app, strategy=strategy, core=core, **given)
    if json:
        print_json(delivery_payload(found))
    else:
        say(found.block or "no tip applies")
        note(f"delivery {found.id}: {len(found.tip_ids)} tips, {found.words} words, {len(found.left_out)} left out")


def feedback(
    delivery: str,
    *,
    outcome: str,
    followed: Sequence[str],
    ignored: Sequence[str],
    space: str | None,
    db: str | None,
    json: bool,
) -> None:
    """Say what came of a delivery."""
    with opened(db) as memory:
        found = space_of(memory, space).feedback(delivery, outcome=outcome, followed=followed, ignored=ignored)
    if json:
        print_json(feedback_payload(found))
    else:
        say(f"noted: {found.outcome.value}, " + ", ".join(f"{tip} {use.value}" for tip, use in found.uses))


def _attribution_lines(analysis: Analysis) -> list[str]:
    return [line for a in analysis.attributions for line in _causes(a)]


def _causes(a: Attribution) -> list[str]:
    lines = [f"{a.event.value} at step {a.at_step} (confidence {a.confidence:.2f}), {a.agent or 'agent unknown'}:"]
    for name, cause in (("immediate", a.immediate), ("proximate", a.proximate), ("root", a.root)):
        lines.append(f"  {name:<12} step {cause.step}: {cause.text}")
    return lines + [f"  contributing step {c.step}: {c.text}" for c in a.contributing]


def _step_line(step: Step) -> str:
    what = f"{step.tool}({step.arguments})" if step.tool and step.arguments else step.tool or ""
    return f"{step.number:>4} {step.kind.value:<11} {step.agent:<12} {_short(f'{what} {step.text}'.strip())}"


def _short(text: str, limit: int = SHOWN) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= limit else flat[: limit - 1] + "…"
