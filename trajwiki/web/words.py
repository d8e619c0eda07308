"""How values are put into words on pages: times, numbers, states and operations."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Callable
from datetime import datetime
from typing import Any, Final

from markupsafe import Markup, escape

from trajwiki.language.times import span_words
from trajwiki.wiki.titles import clean_text, slug_of

STATUS: Final = {
    "active": ("holds", "ok", "It is believed now."),
    "deprecated": (
        "no longer holds",
        "old",
        "Something that came later replaced it or took it back. It stays as history.",
    ),
    "contradictory": ("contradicted", "warn", "Two sides were said, and time does not tell which one holds."),
    "needs-confirmation": ("unconfirmed", "doubt", "It was said with doubt, by hearsay, or as an open question."),
}
OPERATIONS: Final = {
    "ADD": ("added", "ok"),
    "REVISE": ("revised", "warn"),
    "DEPRECATE": ("deprecated", "old"),
    "STATUS": ("reconsidered", "doubt"),
    "RESTORE": ("restored", "ok"),
}
COMMITS: Final = {
    "messages": "messages stored",
    "understand": "messages understood",
    "flush": "open exchanges closed",
    "correction": "a person's correction",
    "revert": "a commit taken back",
    "erase": "messages erased",
    "runs": "runs added",
    "consolidate": "tips merged",
    "tips": "tips decided on",
    "reembed": "vectors made anew",
}
TIP_STATES: Final = {
    "proposed": ("proposed", "doubt"),
    "approved": ("approved", "ok"),
    "rejected": ("rejected", "old"),
    "merged": ("merged", "old"),
    "superseded": ("superseded", "old"),
    "withdrawn": ("withdrawn", "old"),
    "expired": ("expired", "old"),
}
OUTCOMES: Final = {"success": "ok", "failure": "bad", "partial": "warn", "unknown": "old"}
MACHINE: Final = "trajwiki"  # source of messages of our own, such as corrections


def day(moment: datetime | None) -> str:
    """Give the day of a time, in words."""
    return f"{moment.day} {moment:%B %Y}" if moment else "undated"


def clock(moment: datetime | None) -> str:
    """Give day and time, in words, in the zone it came with."""
    return f"{moment.day} {moment:%b %Y, %H:%M}" if moment else "undated"


def number(value: float) -> str:
    """Give a number with thousands set off."""
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.2f}"


def count(n: int, noun: str, plural: str | None = None) -> str:
    """Give a number with its noun."""
    return f"{n:,} {noun if n == 1 else plural or noun + 's'}"


def noun(name: str, n: int) -> str:
    """Give the name of many things, such as ``pages``, as it stands behind a number."""
    return name if n != 1 else {"trajectories": "trajectory"}.get(name, name.removesuffix("s"))


def score(value: float) -> str:
    """Give a score in [0, 1] with two decimals."""
    return f"{value:.2f}"


def chip(status: str) -> Markup:
    """Give a status as a label that says what it means."""
    label, kind, meaning = STATUS[status]
    return Markup('<span class="chip chip-{}" title="{}">{}</span>').format(kind, meaning, label)


def operation(op: str) -> Markup:
    """Give the label of an operation."""
    label, kind = OPERATIONS[op]
    return Markup('<span class="chip chip-{}">{}</span>').format(kind, label)


def tip_state(state: str) -> Markup:
    """Give the label of a tip's state."""
    label, kind = TIP_STATES[state]
    return Markup('<span class="chip chip-{}">{}</span>').format(kind, label)


def outcome(value: str) -> Markup:
    """Give the label of how a run ended."""
    return Markup('<span class="chip chip-{}">{}</span>').format(OUTCOMES[value], value)


def decided(by: str) -> str:
    """Say who decided."""
    kind, _, name = by.partition(":")
    if kind == "person":
        return f"a person ({name})" if name else "a person"
    return "a rule" if by == "rule" else f"{by}"


def short(text: str, limit: int = 160) -> str:
    """Give the beginning of a text, on one line."""
    return clean_text(text, limit)


def clip(text: str, limit: int) -> str:
    """Give the beginning of a text, with its line breaks."""
    return text if len(text) <= limit else text[:limit].rstrip() + " …"


def coded(text: str) -> Markup:
    """Give a text with what stands between backticks as code, and nothing else of it acting as markup."""
    parts = text.split("`")
    if len(parts) % 2 == 0:
        return escape(text)
    return Markup("").join(Markup("<code>{}</code>").format(p) if i % 2 else escape(p) for i, p in enumerate(parts))


def facet(name: str) -> str:
    """Give the name of a relation, in words."""
    return name.replace("_", " ")


def session_name(source: str, session: str) -> str:
    """Give the name of a session for a heading."""
    if source == MACHINE and session == "corrections":
        return "Corrections by people"
    return clean_text(session, 80) or "Messages without a session"


def initial(name: str) -> str:
    """Give the first letter of a name."""
    return clean_text(name, 4)[:1].upper() or "?"


def tone(name: str) -> int:
    """Give one of six colours to a name, always the same."""
    return zlib.crc32(name.encode("utf-8", "surrogatepass")) % 6


def assets_version(folder: Any) -> str:
    """Give a short name of what the assets hold now, so that browsers may keep them."""
    digest = hashlib.blake2b(digest_size=6)
    for file in sorted(folder.iterdir(), key=lambda f: f.name):
        if file.is_file():
            digest.update(file.read_bytes())
    return digest.hexdigest()


FILTERS: Final[dict[str, Callable[..., Any]]] = {
    "day": day,
    "clock": clock,
    "number": number,
    "count": count,
    "score": score,
    "noun": noun,
    "chip": chip,
    "operation": operation,
    "tip_state": tip_state,
    "outcome": outcome,
    "decided": decided,
    "short": short,
    "clip": clip,
    "coded": coded,
    "facet": facet,
    "span": span_words,
    "initial": initial,
    "tone": tone,
    "slug": slug_of,
    "commit_kind": lambda kind: COMMITS.get(kind, kind),
}
