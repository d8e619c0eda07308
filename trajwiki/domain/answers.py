"""Answers: text with refs, or an abstention with its reason."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field

from trajwiki.domain.evidence import Scored
from trajwiki.domain.problems import Problem


class AnswerType(enum.StrEnum):
    """What sort of answer the question asks for."""

    FACT = "fact"
    DATE = "date"
    DURATION = "duration"
    COUNT = "count"
    LIST = "list"
    YES_NO = "yes-no"


@dataclass(frozen=True, slots=True)
class SupportingFact:
    """One claim an answer rests on.

    Attributes:
        claim_id: The claim; empty when it was read from a message that is in no snapshot yet.
        text: Its text.
        source_ref: The message.
        quote: The words in the message, verbatim.
        status: Status of the claim when the answer was made.
    """

    claim_id: str
    text: str
    source_ref: str
    quote: str
    status: str


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer, or an abstention (paper, 3.3 and A.5).

    Attributes:
        id: Random; `explain` takes it.
        question: As asked.
        answered: False for an abstention.
        type: What sort of answer was asked for.
        text: The answer; for an abstention, a sentence that says so.
        abstain_reason: Why there is none, or None.
        refs: Source refs the answer stands on; never empty when answered.
        facts: The claims it rests on.
        counted: For a count, what was counted, one line an event.
        excluded: For a count or list, what was left out and why.
        anchors: Dates used, as "words -> ISO span (source ref)".
        uncertainties: What a reader should know before relying on it.
        how: The path: question shape, pages, trajectories, and the rule or model that composed it.
        pages: Pages chosen for it.
        trajectories: Trajectories chosen for it.
        problems: What went wrong on the way.
    """

    id: str
    question: str
    answered: bool
    type: AnswerType
    text: str
    abstain_reason: str | None
    refs: tuple[str, ...]
    facts: tuple[SupportingFact, ...]
    counted: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    anchors: tuple[str, ...] = ()
    uncertainties: tuple[str, ...] = ()
    how: dict[str, str] = field(default_factory=dict)
    pages: tuple[Scored, ...] = ()
    trajectories: tuple[Scored, ...] = ()
    problems: tuple[Problem, ...] = ()

    @property
    def quotes(self) -> tuple[tuple[str, str], ...]:
        """Source ref and words of each fact, once: facts of one sentence share them."""
        return tuple(dict.fromkeys((fact.source_ref, fact.quote) for fact in self.facts))
