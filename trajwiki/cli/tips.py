"""tips list, show, decide, consolidate, stats, export."""

from __future__ import annotations

import json as jsonlib
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from trajwiki.cli.look import one
from trajwiki.cli.output import print_json, say, table
from trajwiki.cli.runs import _short
from trajwiki.cli.session import opened, space_of
from trajwiki.domain.tips import Tip, TipState, Use
from trajwiki.errors import UsageError
from trajwiki.payloads import commit_payload
from trajwiki.practice_payloads import op_payload, tip_payload
from trajwiki.tips.feedback import Record


def list_tips(*, state: str | None, app: str | None, space: str | None, db: str | None, json: bool) -> None:
    """List the tips of a space."""
    if state is not None and state not in list(TipState):
        raise UsageError(f"--state is one of {', '.join(TipState)}, not {state!r}")
    with opened(db) as memory:
        here = space_of(memory, space)
        book = here.practice().book
    chosen = [t for t in book.tips.values() if state in (None, book.state[t.id].value) and app in (None, t.app)]
    if json:
        print_json({"schema": "trajwiki.tips/1", "tips": [tip_payload(t, book) for t in chosen]})
    else:
        say(*table((t.id, book.state[t.id].value, t.category.value, str(t.support), _short(t.content)) for t in chosen))


def show(id: str, *, space: str | None, db: str | None, json: bool) -> None:
    """Show a tip with the steps it stands on."""
    with opened(db) as memory:
        practice = space_of(memory, space).practice()
    tip = practice.book.tips[one(id, practice.book.tips, "tip")]
    if json:
        print_json(tip_payload(tip, practice.book, practice.runs))
        return
    say(*tip_lines(tip, practice.book.state[tip.id]))
    for source in tip.sources:
        run = practice.runs[source.run_id]
        say("", f"{run.id}, steps {source.first}-{source.last}, {source.outcome.value}: {_short(run.task)}")
        say(
            *(f"  {s.number:>4} {s.kind.value:<11} {_short(s.text)}" for s in run.steps[source.first - 1 : source.last])
        )


def history(id: str, *, space: str | None, db: str | None, json: bool) -> None:
    """Show what was done to a tip."""
    with opened(db) as memory:
        here = space_of(memory, space)
        ops = here.tip_history(one(id, here.practice().book.tips, "tip"))
    if json:
        print_json({"schema": "trajwiki.tip-history/1", "ops": [op_payload(op) for op in ops]})
    else:
        for op in ops:
            others = f" ({', '.join(op.others)})" if op.others else ""
            done = f"{op.verb.value:<9} {op.tip_id} {op.state.value}{others}"
            say(f"{op.at:%Y-%m-%d %H:%M:%SZ}  {done}  {op.actor}: {op.reason}")


def decide(verb: str, id: str, *, reason: str | None, space: str | None, db: str | None, json: bool) -> None:
    """Approve, reject, withdraw, restore or split a tip."""
    said = _reason(verb, reason)
    with opened(db) as memory:
        here = space_of(memory, space)
        tip_id = one(id, here.practice().book.tips, "tip")
        commit = getattr(here, f"{verb}_tip")(tip_id, reason=said)
    _say(commit, json=json)


def edit(
    id: str, *, changes: dict[str, Any], reason: str | None, space: str | None, db: str | None, json: bool
) -> None:
    """Put an edited tip in the place of one."""
    if not changes:
        raise UsageError("say what to change: --content, --purpose, --step, --trigger, --priority or --app")
    with opened(db) as memory:
        here = space_of(memory, space)
        tip_id = one(id, here.practice().book.tips, "tip")
        commit = here.edit_tip(tip_id, reason=_reason("edit", reason), **changes)
    _say(commit, json=json)


def merge(ids: Sequence[str], *, reason: str | None, space: str | None, db: str | None, json: bool) -> None:
    """Make one tip of several."""
    with opened(db) as memory:
        here = space_of(memory, space)
        known = here.practice().book.tips
        commit = here.merge_tips([one(i, known, "tip") for i in ids], reason=_reason("merge", reason))
    _say(commit, json=json)


def consolidate(*, dry_run: bool, space: str | None, db: str | None, json: bool) -> None:
    """Merge tips that say the same; of those that contradict, the weaker gives way."""
    with opened(db) as memory:
        here = space_of(memory, space)
        commit, change = here.consolidate_tips(dry_run=dry_run)
    if json:
        ops = [op_payload(op) for op in change.tip_ops]
        print_json({"schema": "trajwiki.consolidation/1", "commit": commit.n if commit else None, "ops": ops})
        return
    say(*(f"{op.verb.value:<9} {op.tip_id} -> {', '.join(op.others)}  {op.reason}" for op in change.tip_ops))
    say(f"commit {commit.n}" if commit else "nothing was changed")


def stats(*, space: str | None, db: str | None, json: bool) -> None:
    """Show what came of each tip."""
    with opened(db) as memory:
        records = space_of(memory, space).tip_stats()
    if json:
        print_json({"schema": "trajwiki.tip-stats/1", "tips": [asdict(r) for r in records.values()]})
    elif not records:
        say("no tip was delivered yet")
    else:
        say(*table((t, *_record_cells(r)) for t, r in records.items()))


def export(path: Path, *, space: str | None, db: str | None, json: bool) -> None:
    """Write the tips with their history, one JSON object a line."""
    with opened(db) as memory:
        book = space_of(memory, space).practice().book
    lines = [
        jsonlib.dumps(
            {**tip_payload(t, book), "history": [op_payload(op) for op in book.ops if op.tip_id == t.id]},
            ensure_ascii=False,
        )
        for t in book.tips.values()
    ]
    try:
        with path.open("x", encoding="utf-8") as file:
            file.writelines(line + "\n" for line in lines)
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}") from error
    if json:
        print_json({"schema": "trajwiki.tips-export/1", "path": str(path), "tips": len(lines)})
    else:
        say(f"{path}: {len(lines)} tips")


def tip_lines(tip: Tip, state: TipState) -> list[str]:
    """Lay out a tip for a person."""
    lines = [
        f"{tip.id}  {state.value}  {tip.category.value}, {tip.priority.value} priority, {tip.scope.value}",
        f"  {tip.content}",
        f"  why:  {tip.purpose}",
        f"  when: {tip.trigger}",
    ]
    lines += [f"  {n}. {step}" for n, step in enumerate(tip.steps, start=1)]
    lines += [f"  not:  {tip.negative_example}"] if tip.negative_example else []
    return [*lines, f"  app: {tip.app or 'any'}; task: {tip.task_category}; {tip.support} runs; by {tip.decided_by}"]


def share(id: str, *, to: str, reason: str | None, space: str | None, db: str | None, json: bool) -> None:
    """Share a tip with another space."""
    with opened(db) as memory:
        here = space_of(memory, space)
        tip_id = one(id, here.practice().book.tips, "tip")
        commit = here.share_tip(tip_id, to, reason=_reason("share", reason))
    _say(commit, json=json)


def _record_cells(record: Record) -> tuple[str, ...]:
    """Delivered, followed, successes with it and without it, and the flag."""
    followed = record.uses.get(Use.FOLLOWED, 0)
    shares = (f"{r.hits}/{r.n} ({r.low:.2f}-{r.high:.2f})" for r in (record.with_it, record.without))
    with_it, without = shares
    return (
        f"given {record.delivered}",
        f"followed {followed}",
        f"with it {with_it}",
        f"without {without}",
        record.flag or "-",
    )


def _reason(verb: str, reason: str | None) -> str:
    if not reason:
        raise UsageError(f"tips {verb} needs --reason")
    return reason


def _say(commit: Any, *, json: bool) -> None:
    if json:
        print_json(commit_payload(commit))
    else:
        say(f"commit {commit.n}: {commit.note}")
