"""Trajectory summary: a whole thread under four headings (paper, C.2)."""

from __future__ import annotations

from trajwiki.domain.usage import Phase
from trajwiki.models.prompts.base import Prompt
from trajwiki.models.validation import ReplyModel


class Line(ReplyModel):
    """A line with the claims it stands on."""

    text: str
    claims: list[str]


class Summary(ReplyModel):
    """The four parts."""

    title: str
    stable_facts: list[Line]
    items: list[Line]
    changes: list[Line]
    conflicts: list[Line]


PROMPT = Prompt(
    name="summary",
    version=1,
    phase=Phase.CONSTRUCTION,
    instructions="""
    The data hold the claims of one thread of a memory, each with label, day and status. Write what somebody must
    know to see whether the thread holds what they look for: "title": at most ten words; "stable_facts"; "items":
    lists and names; "changes": what became different, oldest first; "conflicts": what contradicts itself or is in
    doubt, without deciding it. Every line has its "text" in one sentence and in "claims" the labels of the claims
    it stands on. Old facts stay beside new ones. Names, titles, places, things, dates and numbers stay as they are
    in the claims; nothing is added and nothing is made more general. At most twelve lines; a part without anything
    is empty.
    """,
    reply=Summary,
    max_tokens=700,
)
