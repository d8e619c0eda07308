"""Evidence synthesis: the answer, from retrieved evidence alone (paper, A.5 and C.3); and its second try, of a type."""

from __future__ import annotations

from typing import Literal

from trajwiki.domain.usage import Phase
from trajwiki.models.prompts.base import Prompt
from trajwiki.models.validation import ReplyModel


class Support(ReplyModel):
    """A fact with the messages it stands on."""

    fact: str
    refs: list[str]


class Synthesis(ReplyModel):
    """An answer or an abstention."""

    can_answer: bool
    answer_type: Literal["fact", "date", "duration", "count", "list", "yes-no"]
    final_answer: str = ""
    supporting_facts: tuple[Support, ...] = ()
    supporting_source_refs: tuple[str, ...] = ()
    counted_events: tuple[Support, ...] = ()
    excluded_events: tuple[str, ...] = ()
    uncertainties: tuple[str, ...] = ()
    abstain_reason: str | None = None


_RULES = """
    Answer a question from a memory of conversations. The data hold the question, the kind of answer it asks for,
    messages with label, day, speaker and words, what these state, and dates that were worked out from them. Use
    nothing else, and no knowledge of your own. If the messages do not say it, or say it of another person,
    "can_answer" is false, "final_answer" is empty, and "abstain_reason" says what is missing. Else "final_answer"
    is short and keeps the words of the messages for names, titles, places, things, numbers.
    "supporting_source_refs" are labels of the messages that state it; "supporting_facts" say what each states. A
    list names every thing that fits and nothing that does not. A count counts different things that happened, each
    in "counted_events" with its labels; plans, wishes, guesses and what is told twice stand in "excluded_events"
    with the reason. Where messages may be missing a count is "at least" so many. Dates come from the days and
    worked out dates in the data. What is marked as out of date only answers a question about the past. Doubts go to
    "uncertainties". A label never stands in "final_answer".
    """

PROMPT = Prompt(
    name="synthesis",
    version=1,
    phase=Phase.ANSWER,
    instructions=_RULES,
    reply=Synthesis,
    max_tokens=900,
)
TYPED_RETRY = Prompt(
    name="typed-retry",
    version=1,
    phase=Phase.ANSWER,
    instructions=_RULES
    + """
    An earlier try gave an answer of the wrong kind; it stands in the data as "rejected". This time "final_answer"
    must be of the kind the data name: a day or time for date, a length of time for duration, a number of things for
    count, the things themselves for list, yes or no for yes-no. If the messages give none, "can_answer" is false.
    """,
    reply=Synthesis,
    max_tokens=900,
)
