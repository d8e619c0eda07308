"""Progress bars: on a terminal, and nothing elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

Progress = Callable[[int, int], None]


def progress_of(name: str) -> AbstractContextManager[Progress | None]:
    """Give a callback that takes what is done and how much there is, for the time of a block."""
    if not sys.stderr.isatty():
        return nullcontext(None)
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return _Bar(Progress(*columns, console=Console(stderr=True)), name)


class _Bar:
    """A rich progress bar as such a callback."""

    def __init__(self, bar: Any, name: str) -> None:
        self._bar, self._name = bar, name

    def __enter__(self) -> Progress:
        self._bar.__enter__()
        task = self._bar.add_task(self._name, total=None)
        return lambda done, total: self._bar.update(task, completed=done, total=total)

    def __exit__(self, *error: object) -> None:
        self._bar.__exit__(*error)
