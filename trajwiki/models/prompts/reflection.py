"""Retrieval reflection: what to look for when the first search found too little (paper, A.6)."""

from __future__ import annotations

from trajwiki.domain.usage import Phase
from trajwiki.models.prompts.base import Prompt
from trajwiki.models.validation import ReplyModel


class Reflection(ReplyModel):
    """What to look for."""

    target_entities: tuple[str, ...] = ()
    event_terms: tuple[str, ...] = ()
    temporal_terms: tuple[str, ...] = ()
    must_find_terms: tuple[str, ...] = ()
    candidate_slugs: tuple[str, ...] = ()
    raw_search_terms: list[str]


PROMPT = Prompt(
    name="reflection",
    version=1,
    phase=Phase.RETRIEVAL,
    instructions="""
    A search in a memory of conversations found too little for a question. The data hold the question, what was
    found, and the names of the pages there are. Say what to look for instead: "target_entities": whom or what it is
    about; "event_terms": words in which people would have told of it; "temporal_terms"; "must_find_terms": words
    without which it is no answer; "candidate_slugs": names of pages, from the data only; "raw_search_terms": up to
    six words as they may stand in the messages, everyday words and near synonyms among them. Any list may be empty.
    Do not answer the question.
    """,
    reply=Reflection,
    max_tokens=300,
)
