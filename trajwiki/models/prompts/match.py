"""Trajectory matching: whether an exchange goes on with a thread (paper, A.2 and C.1)."""

from __future__ import annotations

from typing import Literal

from trajwiki.domain.usage import Phase
from trajwiki.models.prompts.base import Prompt
from trajwiki.models.validation import ReplyModel


class Match(ReplyModel):
    """The decision."""

    decision: Literal["CONTINUE", "NEW"]
    selected_candidate: str | None = None
    rationale: str = ""


PROMPT = Prompt(
    name="match",
    version=1,
    phase=Phase.CONSTRUCTION,
    instructions="""
    A memory keeps threads: each follows one thing as it develops, such as an event, a project, an object, a place,
    a count or one fact about somebody. The data hold a new exchange and up to three threads, T1 to T3, each with
    what it holds as a whole and with its newest entry. Decide whether the exchange goes on with one of them.
    CONTINUE only when it is clearly about the same thing that develops; judge by the whole thread more than by its
    newest entry. The same person, a wide subject or everyday words in common do not make the same thing: then it is
    NEW. "selected_candidate" is the label of the thread for CONTINUE and null for NEW; "rationale" says why in at
    most twelve words.
    """,
    reply=Match,
    max_tokens=120,
)
