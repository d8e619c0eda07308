"""ingest, formats."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Final, Literal, cast
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from trajwiki.cli.output import note, print_json, say, table
from trajwiki.cli.progress import Progress, progress_of
from trajwiki.cli.session import opened
from trajwiki.domain.messages import NewMessage
from trajwiki.domain.problems import Problem
from trajwiki.errors import UsageError
from trajwiki.payloads import problem_payloads
from trajwiki.readers import FORMATS, Options, Reading, Record, check, stream
from trajwiki.readers.runs import run_formats
from trajwiki.space import MESSAGES_A_COMMIT, Space

PREVIEW: Final = 3  # records that --dry-run shows
PROBLEMS_SHOWN: Final = 10
PROBLEMS_KEPT: Final = 1000  # of one file


def ingest(
    files: list[Path],
    *,
    space: str | None,
    db: str | None,
    format: str,
    tz: str,
    dry_run: bool,
    json: bool,
    encoding: str | None = None,
    date_order: str | None = None,
    branches: str = "current",
    aliases: Sequence[str] = (),
    **asked: Any,
) -> None:
    """Read files into a space, a thousand messages at a time, so that a file of any size fits in memory.

    All files are read through before anything is stored, so that a broken one leaves the memory as it was. After an
    interruption the same command goes on: what is there already is skipped.

    Args:
        files: Conversation files.
        space: Its name; None: the setting.
        db: The database; None: the setting.
        format: A name from `formats`, or auto.
        tz: Zone of times that name none.
        dry_run: Show the first records; store nothing.
        json: Print JSON.
        encoding: Of texts that are neither UTF-8 nor UTF-16.
        date_order: dmy, mdy or ymd, for WhatsApp.
        branches: current or all, for ChatGPT.
        aliases: ``OLD=NEW`` for speakers.
        **asked: Which chat model reads them, as settings.
    """
    options = _options(tz, encoding, date_order, branches, aliases)
    read = [(path, check(path, format=format, options=options)) for path in files]
    if dry_run:
        _preview(read, options, json=json)
        return
    with opened(db, create=True, **asked) as memory:
        target = memory.space(space or memory.settings.space)
        reports = []
        for path, reading in read:
            reports.append(_store(target, path, reading, options))
        target.flush()
        state = target.state()
    sizes = {
        "messages": len(state.messages),
        "snapshots": len(state.snapshots),
        "claims": len(state.claims),
        "trajectories": len(state.trajectories),
        "pages": len(state.pages),
    }
    if json:
        print_json({"schema": "trajwiki.ingest/1", "space": target.name, "files": reports, "holds": sizes})
        return
    for report in reports:
        say(_line(report))
        _say_problems(report["problems"])
    say(f"{target.name} now holds " + ", ".join(f"{n} {name}" for name, n in sizes.items()))


def formats(*, json: bool) -> None:
    """List the formats that can be read: conversations, then runs of agents."""
    found = [("conversation", f.name, f.title, f.keeps, f.drops) for f in FORMATS]
    found += [("run", f.name, f.title, f.keeps, f.drops) for f in run_formats()]
    if json:
        rows = [{"kind": k, "name": n, "title": t, "keeps": kept, "drops": left} for k, n, t, kept, left in found]
        print_json({"schema": "trajwiki.formats/1", "formats": rows})
        return
    say(*table([("OF", "FORMAT", "WHAT", "KEEPS", "DROPS"), *found]))


def _options(tz: str, encoding: str | None, date_order: str | None, branches: str, aliases: Sequence[str]) -> Options:
    names: dict[str, str] = {}
    for alias in aliases:
        old, equals, new = alias.partition("=")
        if not (equals and old.strip() and new.strip()):
            raise UsageError(f"an alias is OLD=NEW, such as 'Al=Ana Lima', not {alias!r}")
        names[old.strip()] = new.strip()
    return Options(
        tz=_zone(tz),
        encoding=encoding,
        date_order=cast('Literal["dmy", "mdy", "ymd"] | None', date_order),  # Options refuses others
        branches=cast('Literal["current", "all"]', branches),
        aliases=names,
    )


def _messages(path: Path, reading: Reading, options: Options) -> Iterator[NewMessage]:
    for event in stream(path, format=reading.format, options=options):
        if isinstance(event, Record):
            yield event.message


def _store(space: Space, path: Path, reading: Reading, options: Options) -> dict[str, Any]:
    before = len(space.state().messages)
    total, done = reading.counts.kept, 0
    problems: list[Problem] = list(reading.problems)
    messages = _messages(path, reading, options)
    try:
        with progress_of(path.name) as progress:
            while batch := list(islice(messages, MESSAGES_A_COMMIT)):
                space.add(batch, progress=_part(progress, done, total))
                problems += space.problems[: PROBLEMS_KEPT - len(problems)]
                done += len(batch)
    except KeyboardInterrupt:
        note(f"interrupted: {done} of {total} messages of {path} were dealt with; the same command goes on from there")
        raise
    stored = len(space.state().messages) - before
    return {
        "file": str(path),
        "format": reading.format,
        "read": total,
        "stored": stored,
        "known": total - stored,
        "skipped": dict(reading.counts.skipped),
        "problems": problem_payloads(problems),
    }


def _part(progress: Progress | None, done: int, total: int) -> Progress | None:
    """Give the progress of one batch as that of the whole file."""
    return None if progress is None else lambda part, _: progress(done + part, total)


def _line(report: dict[str, Any]) -> str:
    skipped = ", ".join(f"{n} {why}" for why, n in sorted(report["skipped"].items()))
    return (
        f"{report['file']} ({report['format']}): read {report['read']}, stored {report['stored']}, "
        f"known before {report['known']}" + (f", skipped {skipped}" if skipped else "")
    )


def _say_problems(problems: list[dict[str, str]]) -> None:
    kinds = Counter(p["code"] for p in problems)
    for problem in problems[:PROBLEMS_SHOWN]:
        note(f"  {problem['code']}: {problem['message']} ({problem['where']})")
    if len(problems) > PROBLEMS_SHOWN:
        note("  in all: " + ", ".join(f"{n} × {code}" for code, n in sorted(kinds.items())))


def _preview(read: Sequence[tuple[Path, Reading]], options: Options, *, json: bool) -> None:
    first = [list(islice(_messages(path, reading, options), PREVIEW)) for path, reading in read]
    if json:
        files = [
            {
                "file": str(path),
                "format": reading.format,
                "read": reading.counts.kept,
                "skipped": dict(reading.counts.skipped),
                "problems": problem_payloads(list(reading.problems)),
                "first": [_shown(m) for m in shown],
            }
            for (path, reading), shown in zip(read, first, strict=True)
        ]
        print_json({"schema": "trajwiki.ingest-preview/1", "files": files})
        return
    for (path, reading), shown in zip(read, first, strict=True):
        say(f"{path} ({reading.format}): {reading.counts.kept} messages; nothing was stored")
        for m in shown:
            place = f"[{m.source_ref or '-'}] {m.session or '-'} {m.sent_at or 'undated'}"
            say(f"  {place} {m.role.value} {m.speaker}: {m.text[:200]}")
        _say_problems(problem_payloads(list(reading.problems)))


def _shown(m: NewMessage) -> dict[str, Any]:
    return {
        "source": m.source,
        "session": m.session,
        "source_ref": m.source_ref,
        "speaker": m.speaker,
        "role": m.role.value,
        "sent_at": m.sent_at.isoformat() if m.sent_at else None,
        "text": m.text,
        "caption": m.caption,
    }


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise UsageError(f"there is no time zone {name!r}; give a name such as Europe/Lisbon") from error
