"""What readers give and take: records, skips, counts, options, and the shape of a format."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, tzinfo
from typing import Any, Literal

from trajwiki.domain.messages import NewMessage
from trajwiki.domain.problems import Problem
from trajwiki.errors import UsageError
from trajwiki.readers.files import Source

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Record:
    """A message and its place in the file.

    Attributes:
        message: As it can be stored.
        conversation: Which conversation of the file it belongs to; one space each where they are measured.
        where: File and record, for a person.
    """

    message: NewMessage
    conversation: str
    where: str


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something that was read and is not a message to keep.

    Attributes:
        reason: A short name of the kind ("system line"); what is counted.
        where: File and record.
    """

    reason: str
    where: str


Event = Record | Skipped | Problem


@dataclass(frozen=True, slots=True)
class Counts:
    """What became of the records of a file.

    Attributes:
        read: Records seen.
        kept: Messages given.
        skipped: How many were left out, by reason, sorted.
    """

    read: int
    kept: int
    skipped: Mapping[str, int]

    def __str__(self) -> str:
        reasons = ", ".join(f"{n} {reason}" for reason, n in self.skipped.items())
        return f"{self.read} records read, {self.kept} messages kept" + (f"; skipped: {reasons}" if reasons else "")


@dataclass(frozen=True, slots=True)
class Reading:
    """A file, read.

    Attributes:
        format: Name of the format.
        records: In order; empty when only a check was asked for.
        problems: What was doubted or worked around.
        counts: What was read, kept and skipped.
    """

    format: str
    records: tuple[Record, ...]
    problems: tuple[Problem, ...]
    counts: Counts

    def __iter__(self) -> Iterator[Record]:
        return iter(self.records)

    def __len__(self) -> int:
        return len(self.records)


@dataclass(frozen=True, slots=True)
class Options:
    """What a caller may say about a file.

    Attributes:
        tz: The zone of times that name none.
        encoding: Of a text that is neither UTF-8 nor UTF-16 with a byte-order mark; None: those.
        date_order: Order of day, month and year in WhatsApp dates; None: found from the whole file.
        branches: ChatGPT: the current branch of a conversation, or all, each other one as a session of its own.
        aliases: Speaker names to be read as other names.
        mask: Mask secrets in the texts of conversations too; those of runs always are.
    """

    tz: tzinfo = UTC
    encoding: str | None = None
    date_order: Literal["dmy", "mdy", "ymd"] | None = None
    branches: Literal["current", "all"] = "current"
    aliases: Mapping[str, str] = field(default_factory=dict)
    mask: bool = False

    def __post_init__(self) -> None:
        if self.date_order not in (None, "dmy", "mdy", "ymd"):
            raise UsageError(f"date_order is one of dmy, mdy and ymd, not {self.date_order!r}")
        if self.branches not in ("current", "all"):
            raise UsageError(f"branches is current or all, not {self.branches!r}")


class Confidence(enum.IntEnum):
    """How sure a format is that a file is its own."""

    NO = 0
    MAYBE = 1  # nothing speaks against it; taken when no other format is sure
    SURE = 2


@dataclass(frozen=True, slots=True)
class Head:
    """The beginning of a file, as far as it helps to tell its format.

    Attributes:
        text: The first characters.
        items: JSON values at its beginning: the items of a list, or the values one after the other; the last may be
            cut. Empty when it is not JSON.
        is_list: Whether the JSON is one list.
        members: Names in a zip archive; empty for other files.
    """

    text: str
    items: tuple[Any, ...] = ()
    is_list: bool = False
    members: tuple[str, ...] = ()

    @property
    def objects(self) -> list[Json]:
        """The items that are JSON objects."""
        return [i for i in self.items if isinstance(i, dict)]

    @property
    def first(self) -> Json:
        """The first item when it is an object, else an empty one."""
        return self.items[0] if self.items and isinstance(self.items[0], dict) else {}


@dataclass(frozen=True, slots=True)
class ReaderFormat:
    """One kind of file that can be read.

    Attributes:
        name: For ``--format``.
        title: For a person.
        extensions: Usual file name endings; never used to tell the format.
        keeps: What is read.
        drops: What is left out.
        detect: Tells from the head whether a file is of this format.
        read: Gives the records of a file; may raise UnreadableInput. Its messages may still hold naive times and text
            that cannot be stored; `reading.stream` sees to that.
        tells_edits: Whether a source ref that comes again with other content means an edit; else it is a mistake.
    """

    name: str
    title: str
    extensions: tuple[str, ...]
    keeps: str
    drops: str
    detect: Callable[[Head], Confidence]
    read: Callable[[Source, Options], Iterator[Event]]
    tells_edits: bool = False
