"""Page compilation: the text of one page of the wiki (paper, A.4 and C.2)."""

from __future__ import annotations

from trajwiki.domain.usage import Phase
from trajwiki.models.prompts.base import Prompt
from trajwiki.models.prompts.summary import Line
from trajwiki.models.validation import ReplyModel


class PageText(ReplyModel):
    """The sections. The list of linked trajectories is made by rule."""

    overview: list[Line]
    key_facts: list[Line]
    items_counts: list[Line]
    conflicts_uncertainty: list[Line]


PROMPT = Prompt(
    name="page",
    version=1,
    phase=Phase.CONSTRUCTION,
    instructions="""
    Write one page of a wiki about what was said in conversations. The data hold its kind and title, the titles of
    the threads on it, and the claims, each with label, day and status. Sections: "overview": one or two lines on
    what the page holds; "key_facts": the facts most worth knowing, from every thread, oldest first; "items_counts":
    lists and numbers, each thing named; "conflicts_uncertainty": what is out of date, contradicts itself or is in
    doubt. Every line has its "text" in one sentence and in "claims" the labels of the claims it stands on. Names,
    titles, places, things, dates and numbers stay as they are in the claims. Add nothing, guess nothing, make
    nothing more general. A section without anything is empty; never write that there is nothing. At most twenty
    lines in all.
    """,
    reply=PageText,
    max_tokens=1200,
)
