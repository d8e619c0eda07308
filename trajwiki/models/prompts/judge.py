"""Judge: whether an answer says what the gold answer says (paper, C.3)."""

from __future__ import annotations

from typing import Literal

from trajwiki.domain.usage import Phase
from trajwiki.models.prompts.base import Prompt
from trajwiki.models.validation import ReplyModel


class Judgement(ReplyModel):
    """The verdict."""

    verdict: Literal["CORRECT", "PARTIAL", "INCORRECT"]
    reason: str = ""


PROMPT = Prompt(
    name="judge",
    version=1,
    phase=Phase.EVALUATION,
    instructions="""
    Compare an answer with the gold answer to a question. The data hold all three. CORRECT: everything that the gold
    answer asks for is there, in whatever words, order or date format, and nothing in the answer goes against it;
    more detail of the same kind does no harm. PARTIAL: a part of it is there, a thing of a list is missing, a date
    is only told relative to an unknown day, or a count is only a lower bound. INCORRECT: another person, thing,
    number, time, place or the opposite; or so general that the gold answer cannot be seen in it; or no answer.
    Numbers are strict. If the gold answer says that it is not known, only an answer that says the same is CORRECT.
    "reason": at most twenty words.
    """,
    reply=Judgement,
    max_tokens=120,
)
