"""Printing: JSON for programs, plain readable text for people."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from typing import Any


def print_json(payload: Any, *, line: bool = False) -> None:
    """Print a payload as JSON: indented, or as one line."""
    text = json.dumps(payload, ensure_ascii=False, indent=None if line else 2)
    write(text + "\n")


def write(text: str) -> None:
    """Print text whatever the terminal can show: what it cannot becomes a backslash escape."""
    encoding = sys.stdout.encoding or "utf-8"
    sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding))


def say(*lines: str) -> None:
    """Print lines to a person. Control characters from data are shown, not obeyed."""
    for line in lines:
        write(printable(line) + "\n")


def printable(text: str) -> str:
    """Replace control characters, which could drive a terminal, by visible escapes."""
    return "".join(c if c in "\n\t" or c.isprintable() or c.isspace() else f"\\x{ord(c):02x}" for c in text)


def table(rows: Iterable[tuple[str, ...]]) -> list[str]:
    """Lay out rows of text in columns, two spaces apart."""
    cells = [tuple(printable(c) for c in row) for row in rows]
    widths = [max((len(row[i]) for row in cells), default=0) for i in range(max((len(r) for r in cells), default=0))]
    return ["  ".join(c.ljust(widths[i]) for i, c in enumerate(row)).rstrip() for row in cells]


def note(text: str) -> None:
    """Tell a person something beside the result, on standard error."""
    print(printable(text), file=sys.stderr)
