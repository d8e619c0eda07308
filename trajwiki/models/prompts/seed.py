"""Episodic seed: what an exchange was about (paper, A.1)."""

from __future__ import annotations

from trajwiki.domain.usage import Phase
from trajwiki.models.prompts.base import Prompt
from trajwiki.models.validation import ReplyModel


class Seed(ReplyModel):
    """Of one exchange."""

    exchange: str
    summary_content: str
    context: str
    keywords: list[str]


class Seeds(ReplyModel):
    """Of several."""

    exchanges: list[Seed]


PROMPT = Prompt(
    name="seed",
    version=1,
    phase=Phase.CONSTRUCTION,
    instructions="""
    You keep notes on a conversation. The data hold one or more numbered exchanges; lines marked "before" only help
    to understand the exchange under them. For each exchange give its number as "exchange"; "summary_content": what
    was told, in one or two sentences in the third person, with the names, titles, places and numbers as they were
    said; "context": what the talk was about, in at most fifteen words; "keywords": up to eight words or short
    phrases that stand in the exchange. Say nothing that was not said.
    """,
    reply=Seeds,
    max_tokens=1200,
)
