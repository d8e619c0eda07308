"""The commands of procedural memory: runs, tips, guidelines and feedback."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from trajwiki.cli.root import Db, Json, SpaceName, app, group

runs_app = group("runs", "Remember and read finished runs of agents.")
tips_app = group("tips", "Read tips and decide about them.")

RunId = Annotated[str, typer.Argument(help="Id of a run, or its beginning.")]
TipId = Annotated[str, typer.Argument(help="Id of a tip, or its beginning.")]
Reason = Annotated[str | None, typer.Option("--reason", help="Why; kept in the history.")]
App = Annotated[str | None, typer.Option("--app", help="Application or domain.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only show; store nothing.")]


@runs_app.command("add")
def runs_add(
    files: Annotated[list[Path], typer.Argument(help="Files of runs.")],
    format: Annotated[str, typer.Option("--format", "-f", help="A name from `trajwiki formats`, or auto.")] = "auto",
    delivery: Annotated[str | None, typer.Option("--delivery", help="The delivery that the run received.")] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Refuse a file with a malformed step.")] = False,
    dry_run: DryRun = False,
    space: SpaceName = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """Read runs into a memory: each is analysed, and tips are drawn from it."""
    from trajwiki.cli import runs

    runs.add(files, format=format, delivery=delivery, strict=strict, dry_run=dry_run, space=space, db=db, json=json)


@runs_app.command("list")
def runs_list(space: SpaceName = None, db: Db = None, json: Json = False) -> None:
    """List the runs."""
    from trajwiki.cli import runs

    runs.list_runs(space=space, db=db, json=json)


@runs_app.command("show")
def runs_show(
    id: RunId,
    attribution: Annotated[bool, typer.Option("--attribution", help="Only the causes of its outcome.")] = False,
    raw: Annotated[bool, typer.Option("--raw", help="The record it was read from, secrets masked.")] = False,
    space: SpaceName = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """Show a run: steps, outcome and who said so, causes, subtasks, tips."""
    from trajwiki.cli import runs

    runs.show(id, attribution=attribution, raw=raw, space=space, db=db, json=json)


@runs_app.command("erase")
def runs_erase(
    ids: Annotated[list[str], typer.Argument(help="Ids or source refs of runs.")],
    yes: Annotated[bool, typer.Option("--yes", help="Do it; without it, only say what would fall.")] = False,
    space: SpaceName = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """Erase runs with all that stood on them alone."""
    from trajwiki.cli import runs

    runs.erase(ids, yes=yes, space=space, db=db, json=json)


@tips_app.command("list")
def tips_list(
    state: Annotated[str | None, typer.Option("--state", help="proposed, approved, merged, withdrawn, …")] = None,
    app: App = None,
    space: SpaceName = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """List the tips."""
    from trajwiki.cli import tips

    tips.list_tips(state=state, app=app, space=space, db=db, json=json)


@tips_app.command("show")
def tips_show(id: TipId, space: SpaceName = None, db: Db = None, json: Json = False) -> None:
    """Show a tip with the steps it stands on."""
    from trajwiki.cli import tips

    tips.show(id, space=space, db=db, json=json)


@tips_app.command("history")
def tips_history(id: TipId, space: SpaceName = None, db: Db = None, json: Json = False) -> None:
    """Show what was done to a tip."""
    from trajwiki.cli import tips

    tips.history(id, space=space, db=db, json=json)


def _decision(verb: str, help: str) -> None:
    @tips_app.command(verb, help=help)
    def decide(id: TipId, reason: Reason = None, space: SpaceName = None, db: Db = None, json: Json = False) -> None:
        from trajwiki.cli import tips

        tips.decide(verb, id, reason=reason, space=space, db=db, json=json)


for _verb, _help in (
    ("approve", "Approve a tip."),
    ("reject", "Reject a tip; it stays readable and is never delivered."),
    ("withdraw", "Take a tip out of use from the next delivery on."),
    ("restore", "Put a tip back into use."),
    ("split", "Undo a merge."),
):
    _decision(_verb, _help)


@tips_app.command("edit")
def tips_edit(
    id: TipId,
    content: Annotated[str | None, typer.Option("--content", help="The advice.")] = None,
    purpose: Annotated[str | None, typer.Option("--purpose", help="Why it helps.")] = None,
    step: Annotated[list[str] | None, typer.Option("--step", help="What to do; repeatable, replaces all.")] = None,
    trigger: Annotated[str | None, typer.Option("--trigger", help="When it applies.")] = None,
    priority: Annotated[str | None, typer.Option("--priority", help="high, medium, low.")] = None,
    reason: Reason = None,
    space: SpaceName = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """Put an edited tip in the place of one."""
    from trajwiki.cli import tips

    given = {"content": content, "purpose": purpose, "trigger": trigger, "priority": priority}
    changes: dict[str, object] = {name: value for name, value in given.items() if value is not None}
    if step:
        changes["steps"] = tuple(step)
    tips.edit(id, changes=changes, reason=reason, space=space, db=db, json=json)


@tips_app.command("merge")
def tips_merge(
    ids: Annotated[list[str], typer.Argument(help="Two or more tips that say the same.")],
    reason: Reason = None,
    space: SpaceName = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """Make one tip of several; their sources are united."""
    from trajwiki.cli import tips

    tips.merge(ids, reason=reason, space=space, db=db, json=json)


@tips_app.command("consolidate")
def tips_consolidate(dry_run: DryRun = False, space: SpaceName = None, db: Db = None, json: Json = False) -> None:
    """Merge tips that say the same; of those that contradict, the weaker gives way."""
    from trajwiki.cli import tips

    tips.consolidate(dry_run=dry_run, space=space, db=db, json=json)


@tips_app.command("stats")
def tips_stats(space: SpaceName = None, db: Db = None, json: Json = False) -> None:
    """Show what came of each tip, against the base rate of its kind of task."""
    from trajwiki.cli import tips

    tips.stats(space=space, db=db, json=json)


@tips_app.command("export")
def tips_export(
    path: Annotated[Path, typer.Argument(help="The file to write: one JSON object a line.")],
    space: SpaceName = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """Write the tips with their history."""
    from trajwiki.cli import tips

    tips.export(path, space=space, db=db, json=json)


@tips_app.command("share")
def tips_share(
    id: TipId,
    to: Annotated[str, typer.Option("--to", help="The space that gets it, with the runs it stands on.")],
    reason: Reason = None,
    space: SpaceName = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """Share a tip with another space; withdrawing it there takes it back."""
    from trajwiki.cli import tips

    tips.share(id, to=to, reason=reason, space=space, db=db, json=json)


@app.command()
def guidelines(
    task: Annotated[str, typer.Argument(help="What the agent is about to do.")],
    app: App = None,
    strategy: Annotated[str, typer.Option("--strategy", help="cosine, or model.")] = "cosine",
    top_k: Annotated[int | None, typer.Option("--top-k", help="Tips, at most.")] = None,
    budget: Annotated[int | None, typer.Option("--budget", help="Words of the block, at most.")] = None,
    core: Annotated[int, typer.Option("--core", help="Tips with most support that are always given.")] = 0,
    space: SpaceName = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """Give tips for a task as a block for a prompt; the delivery is recorded."""
    from trajwiki.cli import runs

    runs.guidelines(
        task, app=app, strategy=strategy, top_k=top_k, budget=budget, core=core, space=space, db=db, json=json
    )


@app.command("demo-tips")
def demo_tips(
    seeds: Annotated[int, typer.Option("--seeds", help="Repetitions.")] = 3,
    top_k: Annotated[int, typer.Option("--top-k", help="Tips of one delivery, at most.")] = 12,
    json: Json = False,
) -> None:
    """Let an agent work at a small desk without tips, with raw and with consolidated ones."""
    from trajwiki.cli import demo_tips as commands

    commands.demo_tips(seeds=seeds, top_k=top_k, json=json)


@app.command()
def feedback(
    delivery: Annotated[str, typer.Argument(help="Id of a delivery, as `guidelines` prints it.")],
    outcome: Annotated[str, typer.Option("--outcome", help="success, failure, partial, unknown.")],
    followed: Annotated[list[str] | None, typer.Option("--followed", help="A tip that was followed.")] = None,
    ignored: Annotated[list[str] | None, typer.Option("--ignored", help="A tip that was not.")] = None,
    space: SpaceName = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """Say what came of a delivery."""
    from trajwiki.cli import runs

    runs.feedback(
        delivery, outcome=outcome, followed=followed or [], ignored=ignored or [], space=space, db=db, json=json
    )
