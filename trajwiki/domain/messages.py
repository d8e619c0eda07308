"""Messages: the ground everything stands on."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

MAX_TEXT: Final = 1_000_000  # characters of one message
MAX_NAME: Final = 500  # characters of a speaker, session, source or source ref


class Role(enum.StrEnum):
    """Who speaks: decides what may be believed of what is said."""

    USER = "user"  # a person; what they say of themselves is evidence
    ASSISTANT = "assistant"  # a model; its suggestions are not facts about a person
    SYSTEM = "system"  # instructions; never evidence
    TOOL = "tool"  # output of a program; searchable, not a statement of a person
    CORRECTION = "correction"  # a person correcting the memory itself


@dataclass(frozen=True, slots=True)
class NewMessage:
    """A message on its way in: what a caller or a reader gives.

    Attributes:
        speaker: The name as it should be read in a claim ("Melanie").
        text: What was said, verbatim. May be empty only when there is a caption.
        sent_at: Aware time in the zone it came with, or None when it is not known.
        session: The conversation this belongs to, as the caller names it.
        source_ref: The caller's own name for the message ("D8:4"); unique in a space. None: derived.
        source: The namespace of session and source_ref, such as the format or channel they came from.
        caption: A description of an attached image.
        role: Who speaks.
        metadata: The caller's own notes; kept as given, never interpreted.
    """

    speaker: str
    text: str
    sent_at: datetime | None = None
    session: str = ""
    source_ref: str | None = None
    source: str = ""
    caption: str | None = None
    role: Role = Role.USER
    metadata: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Message:
    """A stored message. Never changes; an edit is a new revision with the same id.

    Attributes:
        id: Content id, from the key (source, session, source_ref).
        ordinal: Place in the order of arrival in its space, from 0.
        revision: 0 for what came first, then 1, 2 … for edits.
        (the others): As in NewMessage. `source_ref` is always there; `sent_at` keeps its zone.
    """

    id: str
    ordinal: int
    source_ref: str
    source: str
    session: str
    speaker: str
    role: Role
    text: str
    caption: str | None
    sent_at: datetime | None
    revision: int = 0
    metadata: Mapping[str, str] = field(default_factory=dict)

    @property
    def content(self) -> str:
        """The text and, marked as such, the caption of its image."""
        if not self.caption:
            return self.text
        return f"{self.text} [image: {self.caption}]" if self.text else f"[image: {self.caption}]"
