"""Repair of an answer in which a check found a fault, and arbitration between the two (paper, A.6)."""

from __future__ import annotations

from typing import Literal

from trajwiki.domain.usage import Phase
from trajwiki.models.prompts.base import Prompt
from trajwiki.models.prompts.synthesis import Synthesis
from trajwiki.models.validation import ReplyModel


class Verdict(ReplyModel):
    """Which of two answers is the better one."""

    better: Literal["A", "B", "neither"]
    reason: str = ""


REPAIR = Prompt(
    name="repair",
    version=1,
    phase=Phase.REPAIR,
    instructions="""
    An answer from a memory of conversations has faults. The data hold the question, the kind of answer, messages
    with labels, what they state, the answer, and its faults. Give the answer anew from the messages alone: keep
    what they state, take out what they do not, add what fits and is missing, put the special word in the place of a
    general one. If nothing is left, "can_answer" is false. Lists of labels hold labels of the data only, and no
    label stands in "final_answer".
    """,
    reply=Synthesis,
    max_tokens=900,
)
ARBITRATION = Prompt(
    name="arbitration",
    version=1,
    phase=Phase.REPAIR,
    instructions="""
    The data hold a question, messages with labels, and two answers, A and B. Say which one the messages bear out
    and which leaves out less of what they say: "A", "B", or "neither" when the messages bear out none of them.
    "reason": at most twelve words.
    """,
    reply=Verdict,
    max_tokens=100,
)
