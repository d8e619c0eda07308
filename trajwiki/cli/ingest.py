"""ingest, formats."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from trajwiki.cli.output import note, print_json, say, table
from trajwiki.cli.session import opened
from trajwiki.domain.messages import NewMessage
from trajwiki.domain.problems import Problem
from trajwiki.errors import UsageError
from trajwiki.payloads import problem_payloads
from trajwiki.readers import FORMATS, Options, read_all
from trajwiki.space import Space

PREVIEW: Final = 3  # records that --dry-run shows
PROBLEMS_SHOWN: Final = 10


@dataclass(frozen=True, slots=True)
class _Read:
    """A file, read and not stored yet."""

    path: Path
    format: str
    messages: list[NewMessage]
    problems: list[Problem]
    skipped: dict[str, int]


def ingest(
    files: list[Path], *, space: str | None, db: str | None, format: str, tz: str, dry_run: bool, json: bool
) -> None:
    """Read files into a space. All are read before anything is stored."""
    read = [_read(path, format, _zone(tz)) for path in files]
    if dry_run:
        _preview(read, json=json)
        return
    with opened(db, create=True) as memory:
        target = memory.space(space or memory.settings.space)
        reports = [_store(target, r) for r in read]
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
    """List the formats that can be read."""
    if json:
        rows = [{"name": f.name, "title": f.title, "keeps": f.keeps, "drops": f.drops} for f in FORMATS]
        print_json({"schema": "trajwiki.formats/1", "formats": rows})
    else:
        say(*table([("FORMAT", "WHAT", "KEEPS", "DROPS"), *((f.name, f.title, f.keeps, f.drops) for f in FORMATS)]))


def _read(path: Path, format: str, tz: ZoneInfo) -> _Read:
    reading = read_all(path, format=format, options=Options(tz=tz))
    return _Read(
        path=path,
        format=reading.format,
        messages=[r.message for r in reading.records],
        problems=list(reading.problems),
        skipped=dict(reading.counts.skipped),
    )


def _store(space: Space, read: _Read) -> dict[str, Any]:
    before = len(space.state().messages)
    with _progress(f"{read.path.name}", len(read.messages)) as progress:
        space.add(read.messages, progress=progress)
    stored = len(space.state().messages) - before
    problems = [*read.problems, *space.problems]
    return {
        "file": str(read.path),
        "format": read.format,
        "read": len(read.messages),
        "stored": stored,
        "known": len(read.messages) - stored,
        "skipped": read.skipped,
        "problems": problem_payloads(problems),
    }


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


def _preview(read: list[_Read], *, json: bool) -> None:
    if json:
        files = [
            {
                "file": str(r.path),
                "format": r.format,
                "read": len(r.messages),
                "first": [_shown(m) for m in r.messages[:PREVIEW]],
            }
            for r in read
        ]
        print_json({"schema": "trajwiki.ingest-preview/1", "files": files})
        return
    for r in read:
        say(f"{r.path} ({r.format}): {len(r.messages)} messages; nothing was stored")
        for m in r.messages[:PREVIEW]:
            place = f"[{m.source_ref or '-'}] {m.session or '-'} {m.sent_at or 'undated'}"
            say(f"  {place} {m.role.value} {m.speaker}: {m.text[:200]}")


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


def _progress(name: str, total: int) -> Any:
    """Give a progress bar on a terminal, and nothing elsewhere."""
    if not sys.stderr.isatty():
        return nullcontext(None)
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
    )
    return _Bar(bar, name, total)


class _Bar:
    """A rich progress bar as the callback that `Space.add` takes."""

    def __init__(self, bar: Any, name: str, total: int) -> None:
        self._bar, self._name, self._total = bar, name, total

    def __enter__(self) -> Callable[[int, int], None]:
        self._bar.__enter__()
        task = self._bar.add_task(self._name, total=self._total)
        return lambda done, total: self._bar.update(task, completed=done, total=total)

    def __exit__(self, *error: object) -> None:
        self._bar.__exit__(*error)
