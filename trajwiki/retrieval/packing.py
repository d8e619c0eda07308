"""The context: chosen messages, whole and verbatim, within a budget of words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from trajwiki.domain.ids import Ids
from trajwiki.domain.messages import Message
from trajwiki.language.tokens import count_words

FENCE_WORDS: Final = 2  # the opening and the closing line
UNDATED: Final = "undated"


@dataclass(frozen=True, slots=True)
class Line:
    """A message as it stands in a context.

    Attributes:
        message: The message.
        day: The heading it stands under: one word.
        words: Size of the line without the caption.
        caption_words: What the caption adds.
        with_caption: Show the caption of its image too.
        superseded: All that was understood from it is no longer current.
    """

    message: Message
    day: str
    words: int
    caption_words: int
    with_caption: bool = False
    superseded: bool = False

    @property
    def cost(self) -> int:
        """Its size in words."""
        return self.words + (self.caption_words if self.with_caption else 0)

    @property
    def text(self) -> str:
        """The line. The ref is one word, and the mark is part of it."""
        mark = ",superseded" if self.superseded else ""
        shown = self.message.content if self.with_caption else self.message.text
        return f"[{self.message.source_ref}{mark}] {self.message.speaker}: {shown}"


def line_of(message: Message) -> Line:
    """Give the line of a message, measured."""
    day = f"{message.sent_at:%Y-%m-%d}" if message.sent_at else UNDATED
    bare = Line(message, day, 0, 0)
    words = count_words(bare.text)
    caption = count_words(replace(bare, with_caption=True).text) - words if message.caption else 0
    return Line(message, day, words, caption)


def pack(ranked: Iterable[Line], *, budget: int) -> tuple[list[Line], list[Line]]:
    """Choose lines in rank order while they fit; one that does not fit is passed over, never cut.

    Captions that were not asked for are added while there is room left.

    Args:
        ranked: Best first.
        budget: Words of the whole context.

    Returns:
        What is in the context, and what was dropped, both best first.
    """
    left = budget - FENCE_WORDS
    days: set[str] = set()
    chosen: list[Line] = []
    dropped: list[Line] = []
    for line in ranked:
        cost = line.cost + (line.day not in days)
        if cost <= left:
            left -= cost
            days.add(line.day)
            chosen.append(line)
        else:
            dropped.append(line)
    for i, line in enumerate(chosen):
        if not line.with_caption and 0 < line.caption_words <= left:
            left -= line.caption_words
            chosen[i] = replace(line, with_caption=True)
    return chosen, dropped


def render(lines: Iterable[Line], *, key: str) -> str:
    """Give the context: fenced as data, in order of time, one line a message under the day it was said.

    The name of the fence depends on the content and on a key, so that no message can hold it already.

    Args:
        lines: What to show.
        key: Known to the space alone: its id.
    """
    ordered = sorted(lines, key=time_order)
    if not ordered:
        return ""
    fence = fence_name(ordered, key)
    out, day = [f"<{fence}>"], None
    for line in ordered:
        if line.day != day:
            day = line.day
            out.append(day)
        out.append(line.text)
    return "\n".join([*out, f"</{fence}>"])


def time_order(line: Line) -> tuple[str, int]:
    """Order lines by day, then by arrival; what has no time comes first."""
    return (line.day if line.day != UNDATED else "", line.message.ordinal)


def fence_name(lines: Sequence[Line], key: str) -> str:
    """Give the name of the fence around these lines, such as ``memory_4fqz2a1b``."""
    return Ids(key).of("memory", *(line.message.id for line in lines))[:15]
