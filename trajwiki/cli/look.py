"""wiki, trajectory, claim, log."""

from __future__ import annotations

from collections.abc import Iterable

from trajwiki.cli.output import print_json, say, table
from trajwiki.cli.session import Times, moments, opened, space_of, when
from trajwiki.errors import UnknownItem, UsageError
from trajwiki.history import Diff
from trajwiki.payloads import Payload, blame_payload, claim_payload, commit_payload, diff_payload, trajectory_payload
from trajwiki.wiki.render import page_payload, render_page


def wiki(slug: str | None, *, space: str | None, db: str | None, times: Times, json: bool) -> None:
    """Print a page, or the index."""
    with opened(db) as memory:
        state = space_of(memory, space).state(**moments(times))
    page = state.index_page() if slug is None else next((p for p in state.pages.values() if p.slug == slug), None)
    if page is None:
        near = ", ".join(sorted(p.slug for p in state.pages.values())[:20])
        raise UnknownItem(f"there is no page {slug!r}; pages: {near}" if near else "there are no pages yet")
    if json:
        print_json(page_payload(state, page))
    else:
        say(render_page(state, page))


def trajectory(id: str, *, space: str | None, db: str | None, json: bool) -> None:
    """Print a trajectory."""
    with opened(db) as memory:
        state = space_of(memory, space).state()
    payload = trajectory_payload(state, one(id, state.trajectories, "trajectory"))
    if json:
        print_json(payload)
    else:
        say(*trajectory_lines(payload))


def trajectory_lines(payload: Payload) -> list[str]:
    """Lay out a trajectory for a person: what was said, and what it changed."""
    lines = [f"{payload['title']}  ({payload['id']})"]
    if payload["continues"]:
        lines.append(f"goes on from {payload['continues']}")
    for snapshot in payload["snapshots"]:
        lines += ["", f"— {snapshot['context']}"]
        lines += [f"   [{m['source_ref']}] {m['speaker']}: {m['text']}" for m in snapshot["messages"]]
        for op in snapshot["ops"]:
            lines.append(f"   {op['op']:<9} {op['claim']}" + ("" if op["status"] == "active" else f" [{op['status']}]"))
            if op["replaced"]:
                lines.append(f"             in place of: {op['replaced']} ({op['reason']})")
    return lines


def claim(id: str, *, space: str | None, db: str | None, json: bool) -> None:
    """Print a claim with sources and history."""
    with opened(db) as memory:
        state = space_of(memory, space).state()
    payload = claim_payload(state, state.claims[one(id, state.claims, "claim")])
    if json:
        print_json(payload)
        return
    say(f"{payload['text']}", f"{payload['status']}, {payload['kind']}, {payload['id']}")
    if payload["valid"]:
        say(f"speaks of {payload['valid']['span']} ({payload['valid']['precision']})")
    if payload["facet"]:
        say(f"{payload['facet']['name']} = {payload['facet']['value']}")
    say("stands on:")
    say(
        *(
            f"  [{s['source_ref']}] {s['speaker']}, {s['timestamp'] or 'undated'}: “{s['quote']}”"
            for s in payload["sources"]
        )
    )
    say("history:")
    for op in payload["history"]:
        replaced = f", in place of “{op['replaced']}”" if op["replaced"] else ""
        say(
            f"  {op['op']} → {op['status']}: “{op['claim']}”{replaced} ({op['reason']}; {op['decided_by']}, "
            f"heard {op['heard_at'] or 'undated'})"
        )


def log(*, space: str | None, db: str | None, limit: int, json: bool) -> None:
    """Print commits, newest first."""
    if limit < 0:
        raise UsageError("--limit must be 0 or more")
    with opened(db) as memory:
        commits = space_of(memory, space).log(limit=limit or None)
    if json:
        print_json({"schema": "trajwiki.log/1", "commits": [commit_payload(c) for c in commits]})
    else:
        say(*table((str(c.n), f"{c.at:%Y-%m-%d %H:%M:%S}Z", c.actor, c.note) for c in commits))


def show(commit: str, *, space: str | None, db: str | None, json: bool) -> None:
    """Print what one commit changed."""
    n = when(commit)
    if not isinstance(n, int) or n < 1:
        raise UsageError(f"{commit!r} is not a commit number")
    with opened(db) as memory:
        here = space_of(memory, space)
        found = here.diff(n - 1, n)
        record = next(c for c in here.log() if c.n == n)
    if json:
        print_json({**diff_payload(found), "commit": commit_payload(record)})
    else:
        say(f"commit {record.n}, {record.at:%Y-%m-%d %H:%M:%S}Z, {record.actor}: {record.note}", *diff_lines(found))


def diff(range: str, *, space: str | None, db: str | None, json: bool) -> None:
    """Print what changed between two commits."""
    before, dots, after = range.partition("..")
    a, b = when(before or None), when(after or None)
    if not dots or a is None or b is None:
        raise UsageError(f"give two commits or times as A..B, not {range!r}")
    with opened(db) as memory:
        found = space_of(memory, space).diff(a, b)
    if json:
        print_json(diff_payload(found))
    else:
        say(*diff_lines(found))


def blame(what: str, *, space: str | None, db: str | None, json: bool) -> None:
    """Print where a claim or each line of a page comes from."""
    with opened(db) as memory:
        lines = space_of(memory, space).blame(what)
    if json:
        print_json(blame_payload(what, lines))
        return
    for line in lines:
        say(line.text)
        for source in line.sources:
            said = f"{source.speaker}, {source.sent_at or 'undated'}"
            say(f"    commit {source.commit}  [{source.source_ref}] {said}: “{source.quote}”")


def diff_lines(found: Diff) -> list[str]:
    """Lay out a diff for a person."""
    lines = [f"from commit {found.before} to {found.after}"]
    if found.messages:
        lines.append(f"messages: {len(found.messages)} ({found.messages[0]} … {found.messages[-1]})")
    lines += [f"+ {text}  ({claim_id})" for claim_id, text in found.added]
    for old, new, reason in found.revised:
        lines += [f"- {old}", f"+ {new}  ({reason})"]
    lines += [f"- {text}  ({reason})" for text, reason in found.deprecated]
    lines += [f"= {text} is now {status}  ({reason})" for text, status, reason in found.other]
    lines += [f"thread “{title}” grew by {n}" for title, n in found.grown]
    lines += [f"page {slug}: - {text}" for slug, text in found.bullets_gone]
    lines += [f"page {slug}: + {text}" for slug, text in found.bullets_new]
    return lines


def one(prefix: str, ids: Iterable[str], kind: str) -> str:
    """Find the id that is, or begins with, what was given."""
    found = [i for i in ids if i == prefix] or [i for i in ids if i.startswith(prefix)]
    if not found:
        raise UnknownItem(f"there is no {kind} {prefix!r}")
    if len(found) > 1:
        raise UnknownItem(f"{len(found)} of them begin with {prefix!r}; give more of the id")
    return found[0]
