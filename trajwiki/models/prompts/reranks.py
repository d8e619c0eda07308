"""Reranking of pages and of trajectories (paper, A.5)."""

from __future__ import annotations

from trajwiki.domain.usage import Phase
from trajwiki.models.prompts.base import Prompt
from trajwiki.models.validation import ReplyModel


class Ranking(ReplyModel):
    """Labels, the most useful first."""

    ranking: list[str]


_TASK = """
    The data hold a question and labelled {what}. Order the labels by how likely it is that the answer, or a part of
    it, is found there: the best first, in "ranking". Whom the question is about and what kind of thing it asks for
    count more than words in common. Use only labels of the data, each once; those of no use may be left out.
    """

PAGES = Prompt(
    name="page-rerank",
    version=1,
    phase=Phase.RETRIEVAL,
    instructions=_TASK.format(what="pages of a wiki"),
    reply=Ranking,
    max_tokens=150,
)
TRAJECTORIES = Prompt(
    name="trajectory-rerank",
    version=1,
    phase=Phase.RETRIEVAL,
    instructions=_TASK.format(what="threads of a memory"),
    reply=Ranking,
    max_tokens=150,
)
