"""Page plan: which pages the wiki begins (paper, A.4 and C.2)."""

from __future__ import annotations

from typing import Literal

from trajwiki.domain.usage import Phase
from trajwiki.models.prompts.base import Prompt
from trajwiki.models.validation import ReplyModel


class Planned(ReplyModel):
    """The decision on one page."""

    page: str
    decision: Literal["keep", "drop"]


class PagePlan(ReplyModel):
    """Those on all in the data."""

    pages: list[Planned]


PROMPT = Prompt(
    name="page-plan",
    version=1,
    phase=Phase.CONSTRUCTION,
    instructions="""
    A wiki is about to get new pages. Each line of the data is one: its label, its kind, its title, and the titles
    of the threads it would gather. Say for each page whether it helps a reader to find something: "keep" when it
    gathers things that belong together and would be looked for under its title; "drop" when its title is an
    everyday word, says nothing, or the threads have only a word in common. What is dropped can still be reached
    from other pages.
    """,
    reply=PagePlan,
    max_tokens=500,
)
