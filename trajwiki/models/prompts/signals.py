"""Claim signals: the words by which claims are found and shown (paper, A.1 and C.1)."""

from __future__ import annotations

from typing import Literal

from trajwiki.domain.usage import Phase
from trajwiki.models.prompts.base import Prompt
from trajwiki.models.validation import ReplyModel


class Signal(ReplyModel):
    """A surface of one claim."""

    claim: str
    surface: str
    kind: Literal["name", "item", "count", "title", "place", "activity"]


class Signals(ReplyModel):
    """Those of all claims in the data."""

    signals: list[Signal]


PROMPT = Prompt(
    name="signals",
    version=1,
    phase=Phase.CONSTRUCTION,
    instructions="""
    Each line of the data is a statement: its label, its sentence, and the words it was taken from. Give the few
    words of each by which somebody would look for it: "claim": its label; "surface": a name, thing, title, place,
    number with its noun, or activity, copied letter by letter from the line; "kind": which of these it is. No whole
    clauses, no greetings, no single verbs or adjectives, nothing that does not stand there; at most four for a
    statement.
    """,
    reply=Signals,
    max_tokens=1200,
)
