"""Claim extraction: what the messages of an exchange state (paper, A.1 and C.1)."""

from __future__ import annotations

from typing import Literal

from trajwiki.domain.usage import Phase
from trajwiki.models.prompts.base import Prompt
from trajwiki.models.validation import ReplyModel


class ClaimItem(ReplyModel):
    """One statement."""

    source: str
    quote: str
    text: str
    kind: Literal["fact", "event", "plan", "preference", "count", "correction"]
    status: Literal["active", "needs-confirmation", "contradictory", "deprecated"] = "active"


class Claims(ReplyModel):
    """Those of all exchanges in the data."""

    claims: list[ClaimItem]


PROMPT = Prompt(
    name="claims",
    version=1,
    phase=Phase.CONSTRUCTION,
    instructions="""
    You turn messages of a conversation into single statements that can be checked. Each line of the data is a
    message: its label, the speaker, the day, the words. Lines marked "before" only help to understand; never draw a
    statement from them, nor from questions, greetings, thanks, praise, or advice given to somebody else. For each
    statement give "source": the label of the message; "quote": the words of that message that state it, copied
    letter by letter; "text": one full sentence in the third person that can be read alone. In "text" the speaker
    stands by name in the place of I, me, my, we, our (if Ana writes "my son", it is "Ana's son"), and you, your is
    whom she speaks to. One statement for each item of a list. Names, titles, places, numbers, things and activities
    keep the speaker's own words; a general word never stands for a special one. Words such as "yesterday" or "next
    week" stay as they are. "kind": fact for how things are, event for what happened, plan for what is intended,
    preference for likes and dislikes, count for a stated number, correction where something said before is put
    right. "status" is active, or needs-confirmation where it is doubted, heard from others or asked. Messages that
    state nothing get no statement.
    """,
    reply=Claims,
    max_tokens=2400,
)
