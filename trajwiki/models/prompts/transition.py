"""Claim transition: whether a statement takes the place of an earlier one (paper, A.3)."""

from __future__ import annotations

from typing import Literal

from trajwiki.domain.usage import Phase
from trajwiki.models.prompts.base import Prompt
from trajwiki.models.validation import ReplyModel


class Transition(ReplyModel):
    """The decision."""

    decision: Literal["REVISE", "ADD"]
    replaces: str | None = None
    reason: str = ""


PROMPT = Prompt(
    name="transition",
    version=1,
    phase=Phase.CONSTRUCTION,
    instructions="""
    The data hold a new statement and up to three earlier ones, C1 to C3, each with the day it was said. Decide
    whether the new one puts one of them out of date: REVISE when both cannot hold at the same time and the new one
    is what holds now, such as a changed home, job, plan, taste, number or date; ADD when they can stand beside each
    other, tell two events, or the new one only adds detail. "replaces" is the label of the statement that is out of
    date for REVISE and null for ADD; "reason" says why in at most twelve words.
    """,
    reply=Transition,
    max_tokens=120,
)
