"""How a run ended, read from its environment's or its agent's last words where nobody else says it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from trajwiki.domain.runs import Outcome, OutcomeBy, Run, StepKind
from trajwiki.tips.errors import find_error

TAIL: Final = 2_000  # characters of the last words that are read

_GAVE_UP: Final = re.compile(
    r"\b(?:unable to|was not able to|fail(?:ed|ure)\b|gave? up|giving up|without success|timed out|terminating"
    r"|could(?: not|n[’']t) (?:complete|find|finish|determine|solve|retrieve|access|verify)"
    r"|cannot (?:complete|help|proceed|be completed|determine)|can[’']t (?:complete|help|proceed)"
    r"|did(?: not|n[’']t) (?:work|succeed)|max(?:imum)? (?:number of )?(?:rounds|steps|time|turns)"
    r"|(?:step|time|turn) limit|transfer(?:red|ring)? (?:you )?to a human)",
    re.I,
)
_PARTLY: Final = re.compile(
    r"\b(?:partial(?:ly)?|except (?:for|that)|remaining (?:steps|items) (?:could|were)|some of the)\b", re.I
)
_DONE: Final = re.compile(
    r"\b(?:success(?:fully|ful)?|completed?|is done|all done|done\b|all (?:\d+ )?tests? pass(?:ed)?"
    r"|has been (?:booked|cancel+ed|updated|created|sent|added|removed|changed|processed|submitted)"
    r"|task (?:is )?(?:complete|finished)|resolved|fixed)\b",
    re.I,
)
_PASSED: Final = re.compile(
    r"\b(?:all tests? pass(?:ed)?|\d+ passed(?!, \d+ failed)|exit ?code[: ]+0|tests? ok)\b|^OK$", re.I | re.M
)


@dataclass(frozen=True, slots=True)
class Ending:
    """How a run ended.

    Attributes:
        outcome: Success, failure, partial or unknown.
        by: Who said so.
        words: What says it.
        step: Number of the step that says it; the last one where the file says it.
        confidence: In [0, 1].
    """

    outcome: Outcome
    by: OutcomeBy
    words: str
    step: int
    confidence: float


def ending_of(run: Run) -> Ending:
    """Give how a run ended: as the run states it, else as its environment does, else by the agent's last words."""
    if run.outcome is not Outcome.UNKNOWN:
        return Ending(run.outcome, run.outcome_by, run.outcome_note, len(run.steps), 1.0)
    return inferred_outcome(run)


def inferred_outcome(run: Run) -> Ending:
    """Read the outcome from the steps alone.

    An error that nothing follows is a failure by the environment; else the agent's last words decide, and a
    success that stands in them is believed less than a failure.
    """
    last = next((s for s in reversed(run.steps) if s.kind is not StepKind.PROMPT and s.text.strip()), None)
    if last is None:
        return Ending(Outcome.UNKNOWN, OutcomeBy.NOBODY, "", len(run.steps), 0.0)
    if sign := find_error(last):
        return Ending(Outcome.FAILURE, OutcomeBy.ENVIRONMENT, sign.words, last.number, 0.8)
    if last.kind is StepKind.OBSERVATION and (match := _PASSED.search(last.text[-TAIL:])):
        return Ending(Outcome.SUCCESS, OutcomeBy.ENVIRONMENT, match.group(), last.number, 0.8)
    for step in reversed(run.steps):
        if step.kind not in (StepKind.MESSAGE, StepKind.FINAL, StepKind.THOUGHT) or len(step.text.split()) < 3:
            continue
        text = step.text[-TAIL:]
        for outcome, sign_of, confidence in (
            (Outcome.FAILURE, _GAVE_UP, 0.7),
            (Outcome.PARTIAL, _PARTLY, 0.4),
            (Outcome.SUCCESS, _DONE, 0.5),
        ):
            if match := sign_of.search(text):
                return Ending(outcome, OutcomeBy.AGENT, match.group(), step.number, confidence)
        break
    return Ending(Outcome.UNKNOWN, OutcomeBy.NOBODY, "", last.number, 0.0)
