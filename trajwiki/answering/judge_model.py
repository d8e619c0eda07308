"""Judging an answer against a gold answer with a model (paper, C.3), and the gate that a judge must pass first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from trajwiki.models.asking import Asker
from trajwiki.models.prompts.base import said
from trajwiki.models.prompts.judge import PROMPT, Judgement


@dataclass(frozen=True, slots=True)
class GateCase:
    """A case whose verdict is known.

    Attributes:
        question, gold, answer: As a judge sees them.
        accepted: Whether it must be judged CORRECT.
    """

    question: str
    gold: str
    answer: str
    accepted: bool


@dataclass(frozen=True, slots=True)
class Gate:
    """How a judge did: (right, of) for gold paraphrases, and for answers that are specific but wrong, or vague."""

    accepted: tuple[int, int]
    rejected: tuple[int, int]

    @property
    def passed(self) -> bool:
        """Whether it may judge: at least nine of ten of either sort."""
        return all(of and right >= 0.9 * of for right, of in (self.accepted, self.rejected))


GATE: tuple[GateCase, ...] = (
    GateCase("When did Ana move to Porto?", "3 June 2023", "She moved on June 3rd, 2023.", True),
    GateCase("How many dogs does Ben have?", "2", "Ben has two dogs.", True),
    GateCase("What instruments does Mia play?", "piano, violin", "Violin and piano", True),
    GateCase("Where does Omar work?", "at a bakery", "He works in a bakery.", True),
    GateCase("What did Ana bake?", "an apple pie", "An apple pie for her neighbours", True),
    GateCase("Is Ben vegetarian?", "No", "No, he eats meat.", True),
    GateCase("How long has Mia known Ana?", "four years", "For 4 years", True),
    GateCase("What is Omar allergic to?", "peanuts", "He has a peanut allergy.", True),
    GateCase("Which book did Ben read?", "Dune", "He read the novel Dune.", True),
    GateCase("When is Mia's exam?", "the week of 8 May 2023", "In the week of May 8, 2023", True),
    GateCase("When did Ana move to Porto?", "3 June 2023", "3 July 2023", False),
    GateCase("How many dogs does Ben have?", "2", "Ben has three dogs.", False),
    GateCase("What instruments does Mia play?", "piano, violin", "She plays the cello.", False),
    GateCase("Where does Omar work?", "at a bakery", "He works somewhere in the city.", False),
    GateCase("What did Ana bake?", "an apple pie", "Something sweet", False),
    GateCase("Is Ben vegetarian?", "No", "Yes, he is vegetarian.", False),
    GateCase("How long has Mia known Ana?", "four years", "For a while", False),
    GateCase("What is Omar allergic to?", "peanuts", "He is allergic to milk.", False),
    GateCase("Which book did Ben read?", "Dune", "A book that he liked", False),
    GateCase("When is Mia's exam?", "the week of 8 May 2023", "Soon", False),
)
"""Paraphrases of gold answers, answers that are specific but wrong, and vague ones."""


def judge(question: str, gold: str, answer: str, asker: Asker) -> Judgement | None:
    """Give the verdict of a model; None when it gave none.

    Args:
        question: As asked.
        gold: The gold answer.
        answer: What is judged.
        asker: Of the space; evaluation is among its phases.
    """
    lines = [f"question | {said(question)}", f"gold answer | {said(gold)}", f"answer | {said(answer)}"]
    return asker.ask(PROMPT, lines)


def gate(asker: Asker, cases: Sequence[GateCase] = GATE) -> Gate:
    """Let a judge judge cases whose verdicts are known."""
    right = {True: 0, False: 0}
    for case in cases:
        verdict = judge(case.question, case.gold, case.answer, asker)
        correct = verdict is not None and verdict.verdict == "CORRECT"
        right[case.accepted] += verdict is not None and correct is case.accepted
    accepted = sum(c.accepted for c in cases)
    return Gate((right[True], accepted), (right[False], len(cases) - accepted))
