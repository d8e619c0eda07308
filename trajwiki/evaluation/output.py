"""Where a run leaves what it found, and how it tells that it is going on."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

from trajwiki.errors import UsageError

Progress = Callable[[str, int, int], None]
DATABASE: Final = "bench-memory.db"


def silent(stage: str, done: int, total: int) -> None:
    """Say nothing of the progress."""


def fresh_database(out: Path) -> Path:
    """Make the folder and give a path in it for the run's own database, without what an earlier run left.

    Raises:
        UsageError: The folder cannot be made.
    """
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"cannot make the folder {out}: {error.strerror}") from error
    for suffix in ("", "-wal", "-shm"):
        (out / f"{DATABASE}{suffix}").unlink(missing_ok=True)
    return out / DATABASE


def write_report(out: Path, report: object, text: str, questions: Iterable[object]) -> None:
    """Write report.json, report.md and questions.jsonl.

    Raises:
        UsageError: They cannot be written.
    """
    try:
        (out / "report.json").write_text(json.dumps(report, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        (out / "report.md").write_text(text, encoding="utf-8")
        with (out / "questions.jsonl").open("w", encoding="utf-8") as file:
            for row in questions:
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
    except OSError as error:
        raise UsageError(f"cannot write to {out}: {error.strerror}") from error
