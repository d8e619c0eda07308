"""Tables and numbers of the reports."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from trajwiki.evaluation.stats import Figure


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Give the lines of a Markdown table, padded to be read as text too; the first column is text, the rest numbers."""
    cells = [[cell.replace("|", "\\|") for cell in row] for row in (head, *rows)]
    widths = [max(4, *(len(row[n]) for row in cells)) for n in range(len(head))]
    rule = [":" + "-" * (widths[0] - 1), *("-" * (w - 1) + ":" for w in widths[1:])]
    lines = [_line(row, widths) for row in cells]
    return [lines[0], "| " + " | ".join(rule) + " |", *lines[1:], ""]


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = [cells[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(cells[1:], widths[1:], strict=True))]
    return "| " + " | ".join(padded) + " |"


def share(value: float) -> str:
    """Give a number in [0, 1] as ``.812``, and 1 as ``1.000``."""
    text = f"{value:.3f}"
    return text.removeprefix("0") if value < 1 else text


def signed(value: float) -> str:
    """Give a difference as ``+.012``, ``-.003`` or ``.000``."""
    text = f"{abs(value):.3f}".removeprefix("0")
    return text if text == ".000" else ("+" if value > 0 else "-") + text


def with_interval(figure: Figure) -> str:
    """Give a figure with its 95 % interval: ``.512 (.470 - .555)``."""
    return f"{share(figure.value)} ({share(figure.low)} - {share(figure.high)})"


def count(value: float) -> str:
    """Give a number with thousands marked: ``12,345``."""
    return f"{value:,.0f}"
