"""Markdown as Obsidian reads it, in which text from outside is shown and never acts."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Final

# Markup of Markdown, and of Obsidian: links, tags, comments, formulas, highlights, block ids.
_MARKUP: Final = re.compile(r"([\\`*_\[\]<>|~#$%=^{}]|&(?=#?\w))")
_AT_START: Final = re.compile(r"^(?:([+:-])|(\d{1,9})([.)]))")


def shown(text: str) -> str:
    """Give a text as one line that shows it as it is."""
    line = " ".join(_visible(text).split())
    return _AT_START.sub(_escaped, _MARKUP.sub(r"\\\1", line))


def paragraph(text: str) -> str:
    """Give a text as one paragraph that shows it line by line."""
    return "\n".join(line for part in text.splitlines() if (line := shown(part)))


def link(target: str, text: str) -> str:
    """Give a link to a file of the vault. The target is a safe name, perhaps with the mark of a block."""
    label = " ".join("".join(" " if c in "[]|<>`" else c for c in _visible(text)).split())
    return f"[[{target}|{label or target}]]" if label != target else f"[[{target}]]"


def front_matter(values: Mapping[str, str | Sequence[str] | None]) -> list[str]:
    """Give values as YAML between rules; those that are None are left out."""
    lines = ["---"]
    for name, value in values.items():
        if isinstance(value, str):
            lines.append(f"{name}: {_quoted(value)}")
        elif value is not None:
            lines.append(f"{name}: [{', '.join(_quoted(item) for item in value)}]")
    return [*lines, "---"]


def _escaped(match: re.Match[str]) -> str:
    mark, number, stop = match.groups()
    return f"\\{mark}" if mark else f"{number}\\{stop}"


def _quoted(text: str) -> str:
    return json.dumps(_visible(text).replace("\u200c", " ").replace("\u200d", " "), ensure_ascii=False)


def _visible(text: str) -> str:
    """Replace what could move or hide other text; joiners stay, which emoji and some scripts need."""
    return "".join(c if c.isprintable() or c in "\u200c\u200d" else " " for c in text)
