"""Reading a file of runs: its format told by content, secrets masked, and what its reader gives made storable."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final

from trajwiki.domain.problems import Problem
from trajwiki.domain.runs import NewRun, Step, StepKind
from trajwiki.errors import UnreadableInput
from trajwiki.language.masking import Masker
from trajwiki.readers import clock
from trajwiki.readers.base import Confidence, Options, Skipped
from trajwiki.readers.files import Source, archive, kind_of, source
from trajwiki.readers.reading import HEAD_CHARS, head_of, seen_in
from trajwiki.readers.runs.base import MALFORMED, RunCounts, RunEvent, RunFormat, RunReading
from trajwiki.readers.runs.formats import RUN_FORMATS

MAX_PROBLEMS: Final = 20  # told of one kind; the rest is counted
MAX_DEPTH: Final = 100  # of arguments and metadata

_UNSTORABLE: Final = re.compile("[\ud800-\udfff\0]")
_MEMBERS: Final = (".json", ".jsonl", ".ndjson", ".txt", ".traj", ".log", ".md")
_DEFAULTS: Final = Options()


def run_formats() -> tuple[RunFormat, ...]:
    """Give the run formats that can be read, in the order they are tried."""
    return RUN_FORMATS


def run_format_named(name: str) -> RunFormat:
    """Give the run format of that name.

    Raises:
        UnreadableInput: There is none.
    """
    for found in RUN_FORMATS:
        if found.name == name:
            return found
    known = ", ".join(f.name for f in RUN_FORMATS)
    raise UnreadableInput(f"there is no run format {name!r}; there are auto, {known}")


def detect_runs(path: Path, *, encoding: str | None = None) -> RunFormat:
    """Tell the run format of a file by its content.

    Raises:
        UnreadableInput: No format, or more than one, is sure; with what was seen.
    """
    return _resolve(path, "auto", encoding)[0][0]


def stream_runs(
    path: Path, *, format: str = "auto", options: Options = _DEFAULTS, strict: bool = False
) -> Iterator[RunEvent]:
    """Give the runs, skips and problems of a file one by one; runs are masked and storable.

    Raises:
        UnreadableInput: As `read_runs`; runs before the fault have been given by then.
    """
    for found, text in _resolve(path, format, options.encoding):
        for event in found.read(text, options):
            if isinstance(event, Problem) and strict and event.code == MALFORMED:
                raise UnreadableInput(f"{event.message} (nothing was read, since the reading is strict)")
            if isinstance(event, NewRun):
                yield from _storable(event, text, options)
            else:
                yield event


def read_runs(path: Path, *, format: str = "auto", options: Options = _DEFAULTS, strict: bool = False) -> RunReading:
    """Read a whole file of runs. Secrets in steps, arguments, tasks, metadata and raw records are masked.

    Args:
        path: A file, or a zip archive of files of one or more run formats.
        format: Name of the format, or ``auto``.
        options: Encoding, and the zone of times that name none.
        strict: Refuse the file when a step is malformed; else the step is left out and told with its place.

    Raises:
        UnreadableInput: It is not of a known format (with candidates), is broken (with the place), or there is no run
            in it (with counts of what was seen).
    """
    names: dict[str, None] = {}
    runs: list[NewRun] = []
    problems: list[Problem] = []
    kinds: Counter[str] = Counter()
    skipped: Counter[str] = Counter()
    masked = 0
    resolved = _resolve(path, format, options.encoding)
    for found, _ in resolved:
        names[found.name] = None
    for event in stream_runs(path, format=format, options=options, strict=strict):
        if isinstance(event, NewRun):
            runs.append(event)
        elif isinstance(event, Skipped):
            skipped[event.reason] += 1
        else:
            kinds[event.code] += 1
            if kinds[event.code] <= MAX_PROBLEMS:
                problems.append(event)
            if event.code == "run.masked":
                masked += int(event.message.split(" ", 1)[0])
    for code, number in sorted(kinds.items()):
        if number > MAX_PROBLEMS:
            problems.append(Problem(code, f"{number - MAX_PROBLEMS} more of this kind", str(path)))
    steps = sum(len(r.steps) for r in runs)
    counts = RunCounts(len(runs) + skipped.total(), len(runs), steps, dict(sorted(skipped.items())), masked)
    if not runs:
        what = " or ".join(names)
        first = f"; first problem: {problems[0].message}" if problems else ""
        raise UnreadableInput(
            f"{path}: no run in this {what} file: {counts}; {kinds[MALFORMED]} steps malformed{first}"
        )
    return RunReading("+".join(names), tuple(_distinct(runs, problems, path)), tuple(problems), counts)


def _distinct(runs: list[NewRun], problems: list[Problem], path: Path) -> Iterator[NewRun]:
    """Give a run whose source ref another run of the file has a ref of its own; parent refs keep naming the first."""
    seen: dict[tuple[str, str], int] = {}
    for run in runs:
        ref = run.source_ref or made_ref(run)
        key = (run.source, ref)
        seen[key] = seen.get(key, 0) + 1
        if seen[key] > 1:
            own = f"{ref}#{seen[key]}"
            problems.append(Problem("run.duplicate-ref", f"{ref} names two runs; this one becomes {own}", str(path)))
            ref = own
        yield run if ref == run.source_ref else replace(run, source_ref=ref)


def made_ref(run: NewRun) -> str:
    """Make the ref of a run that names none, from its content."""
    told = "\0".join((run.source, run.task, *(f"{s.kind}\0{s.agent}\0{s.text}" for s in run.steps)))
    return "run-" + blake2b(told.encode("utf-8", "replace"), digest_size=8).hexdigest()


# Which format


def _resolve(path: Path, format: str, encoding: str | None) -> list[tuple[RunFormat, Source]]:
    named = None if format == "auto" else run_format_named(format)
    found = source(path, encoding)
    if not kind_of(found.start(64)):
        return [(named or _told(found), found)]
    members = [m for m in archive(path, encoding) if m.name.lower().endswith(_MEMBERS) and "__MACOSX/" not in m.name]
    resolved: list[tuple[RunFormat, Source]] = []
    for member in members:
        try:
            resolved.append((named or _told(member), member))
        except UnreadableInput:  # other files may lie beside the runs
            continue
    if not resolved:
        names = ", ".join(m.name.rpartition("!")[2] for m in members[:5]) or "nothing that is text"
        raise UnreadableInput(f"{path}: no run of a known format in the archive; it holds {names}")
    return resolved


def _told(found: Source) -> RunFormat:
    scored: list[tuple[RunFormat, Confidence]] = []
    for size in HEAD_CHARS:
        head, cut = head_of(found, size)
        scored = [(f, f.detect(head)) for f in RUN_FORMATS]
        if not cut or any(c is Confidence.SURE for _, c in scored):
            break
    for wanted in (Confidence.SURE, Confidence.MAYBE):
        names = [f for f, confidence in scored if confidence is wanted]
        if len(names) == 1:
            return names[0]
        if names:
            raise UnreadableInput(
                f"{found.name}: this may be {' or '.join(f.name for f in names)}; name one with --format"
            )
    raise UnreadableInput(
        f"{found.name}: no known run format; it begins with {seen_in(found)}. "
        f"Known are {', '.join(f.name for f in RUN_FORMATS)}; name one with --format to see what it misses"
    )


# What can be stored


def _storable(run: NewRun, text: Source, options: Options) -> Iterator[RunEvent]:
    """Mask a run and make it storable: numbered from 1, aware and sensible times, no NUL, no lone surrogates."""
    masker = Masker()
    masker.json([dict(s.arguments) for s in run.steps])  # what fields name as secret is then found in texts too
    before = masker.count
    assumed = False
    steps: list[Step] = []
    numbers: dict[int, int] = {}
    for step in run.steps:
        at = step.at
        if at is not None and at.tzinfo is None:
            at, assumed = at.replace(tzinfo=options.tz), True
        if not step.text.strip() and not step.arguments and step.kind is not StepKind.OBSERVATION:
            continue
        number = len(steps) + 1
        numbers[step.number] = number
        steps.append(
            replace(
                step,
                number=number,
                text=_clean(masker.text(step.text)),
                agent=_clean(step.agent).strip(),
                tool=_clean(step.tool) if step.tool is not None else None,
                arguments=_tidy(masker.json(dict(step.arguments))),
                answers=numbers.get(step.answers) if step.answers is not None else None,
                at=_sensible(at),
            )
        )
    if not steps:
        yield Skipped("run without steps", text.name)
        return
    cleaned = replace(
        run,
        source_ref=_clean(run.source_ref),
        task=_clean(masker.text(run.task)).strip(),
        steps=tuple(steps),
        agent=_clean(run.agent) if run.agent else None,
        outcome_note=_clean(masker.text(run.outcome_note)),
        metadata=_tidy(masker.json(dict(run.metadata))),
    )
    masked = masker.count - before
    cleaned = replace(cleaned, raw=_clean(masker.text(run.raw)))  # tells all of it again; not counted
    if assumed:
        yield Problem("time.assumed-zone", f"its times name no zone; read as {options.tz} (--tz sets it)", text.name)
    if masked:
        yield Problem("run.masked", f"{masked} secrets were masked", f"{text.name}: {run.source_ref}")
    yield cleaned


def _sensible(moment: datetime | None) -> datetime | None:
    return clock.sensible(moment) if moment is not None else None


def _clean(text: str) -> str:
    return _UNSTORABLE.sub("\ufffd", text) if _UNSTORABLE.search(text) else text


def _tidy(value: Any, depth: int = 0) -> Any:
    """Give a JSON value that any database stores: no NUL, no lone surrogates, no NaN, not endlessly deep."""
    if isinstance(value, str):
        return _clean(value)
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, Mapping):
        return {} if depth > MAX_DEPTH else {_clean(str(k)): _tidy(v, depth + 1) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [] if depth > MAX_DEPTH else [_tidy(v, depth + 1) for v in value]
    return value
