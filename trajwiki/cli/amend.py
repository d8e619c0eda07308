"""claim add, revise, deprecate, restore; revert; erase."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from trajwiki.cli.look import one
from trajwiki.cli.output import print_json, say
from trajwiki.cli.progress import progress_of
from trajwiki.cli.session import moment, opened, space_of
from trajwiki.domain.history import Commit
from trajwiki.erasure import Erasure, Selection
from trajwiki.errors import UsageError
from trajwiki.payloads import commit_payload, erasure_payload
from trajwiki.retention import read_policy
from trajwiki.space import Space

VERBS: Final = {"add": ("TEXT",), "revise": ("ID", "TEXT"), "deprecate": ("ID",), "restore": ("ID",)}


def claim(
    verb: str,
    given: list[str],
    *,
    reason: str | None,
    subject: str | None,
    space: str | None,
    db: str | None,
    json: bool,
) -> None:
    """Correct the memory as a person."""
    if len(given) != len(VERBS[verb]):
        raise UsageError(f"claim {verb} takes {' and '.join(VERBS[verb])}; put a text in quotes")
    if not reason:
        raise UsageError(f"claim {verb} needs --reason")
    with opened(db, create=verb == "add") as memory:
        here = memory.space(space or memory.settings.space) if verb == "add" else space_of(memory, space)
        commit = _correct(here, verb, given, reason, subject)
    _say_commit(commit, json=json)


def _correct(space: Space, verb: str, given: list[str], reason: str, subject: str | None) -> Commit:
    if verb == "add":
        return space.add_claim(given[0], reason=reason, subject=subject)
    claim_id = one(given[0], space.state().claims, "claim")
    if verb == "revise":
        return space.revise_claim(claim_id, given[1], reason=reason)
    return (space.deprecate_claim if verb == "deprecate" else space.restore_claim)(claim_id, reason=reason)


def revert(commit: int, *, with_dependents: bool, space: str | None, db: str | None, json: bool) -> None:
    """Take back a commit."""
    with opened(db) as memory:
        done = space_of(memory, space).revert(commit, with_dependents=with_dependents)
    _say_commit(done, json=json)


def erase(
    refs: list[str],
    *,
    session: str | None,
    speaker: str | None,
    before: str | None,
    matching: str | None,
    yes: bool,
    space: str | None,
    db: str | None,
    json: bool,
) -> None:
    """Erase messages, or say what would fall."""
    sent_before = moment(before, begins=True)
    named = bool(refs) or any(x is not None for x in (session, speaker, before, matching))
    everything = not named and space is not None  # said of a space that was named, never of the default one
    chosen = Selection(tuple(refs), session, speaker, sent_before, matching, everything=everything)
    with opened(db) as memory:
        found = space_of(memory, space).erase(chosen, dry_run=not yes)
    if json:
        print_json(erasure_payload(found))
    else:
        say(*_lines(found))


def retain(path: Path, *, archive_to: Path | None, yes: bool, space: str | None, db: str | None, json: bool) -> None:
    """Do what a retention policy says, or say what it would do."""
    policy = read_policy(path)
    with opened(db) as memory:
        meant, found = space_of(memory, space).retain(policy, dry_run=not yes, archive=archive_to)
    if json:
        rules = [{"rule": d.rule.name, "action": d.rule.action, "messages": list(d.refs)} for d in meant]
        erasure = erasure_payload(found) if found else None
        print_json({"schema": "trajwiki.retention/1", "rules": rules, "erasure": erasure})
        return
    say(*(f"{d.rule.name}: {len(d.refs)} messages to {d.rule.action}" for d in meant))
    say(*(_lines(found) if found else ["nothing is due"]))


def _lines(found: Erasure) -> list[str]:
    verb = "erased" if found.at else "would erase"
    lines = [f"{verb} {len(found.messages)} messages: {', '.join(found.messages[:20])}"]
    lines += [f"  falls:   {text}" for text in found.claims]
    lines += [f"  stays:   {text} (other messages say it too)" for text in found.kept]
    lines += [f"  changes: {text} (what had replaced or restored it falls)" for text in found.changed]
    if found.at is None:
        lines.append("nothing was changed; say --yes to do it")
    elif not found.scrubbed:
        lines.append("freed pages still hold it: a reader was in the way; run `trajwiki doctor --repair` later")
    return lines


def reembed(*, space: str | None, db: str | None, json: bool) -> None:
    """Make the vectors of a space anew."""
    with opened(db) as memory:
        here = space_of(memory, space)
        with progress_of("commits") as progress:
            done = here.reembed(progress=progress)
    _say_commit(done, json=json)


def _say_commit(commit: Commit, *, json: bool) -> None:
    if json:
        print_json(commit_payload(commit))
    else:
        say(f"commit {commit.n}: {commit.note}")
