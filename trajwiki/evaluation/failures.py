"""Where a wrong answer went wrong: the first stage at which its evidence was lost.

For an answer that is wrong (`is_right` says what right is) the gold messages are followed down the chain. If some of
them are not in the evidence, each is looked up in what the recall says of itself, and the earliest stage counts:

    extraction      no claim stands on the message, so nothing derived knows of it
    matching        its thread of several snapshots was passed over although the snapshot alone is nearer to the
                    question than the thread, and near enough to have been chosen
    routing         no chosen page links its trajectory
    selection       the trajectory was within reach or even chosen, the message was not taken
    budget          it ranked and did not fit

If all of them are in the evidence:

    extraction      the claims on the gold messages hold less than half of the answer's words that the messages hold
    overgeneration  the answer holds at least half of the gold's words, and too much beside them;
                    or it answers a question that has no answer
    synthesis       it abstained, or said something else

These are rules over records, not labels of a person (the paper says the same of its own, B.4).
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from trajwiki.domain.answers import Answer
from trajwiki.domain.evidence import Recall
from trajwiki.domain.state import SpaceState
from trajwiki.evaluation.metrics import Category, tokens_of

RIGHT_F1: Final = 0.5  # an answer that reaches half is taken as right, for this purpose alone
HALF: Final = 0.5


class Stage(enum.StrEnum):
    """Stages in the order of the chain."""

    EXTRACTION = "extraction"
    MATCHING = "matching"
    ROUTING = "routing"
    SELECTION = "selection"
    BUDGET = "budget"
    SYNTHESIS = "synthesis"
    OVERGENERATION = "overgeneration"
    NO_EVIDENCE = "no-evidence"  # the data set names no message that is there


MEANING: Final = {
    Stage.EXTRACTION: "extraction lost it",
    Stage.MATCHING: "matching buried it in a thread",
    Stage.ROUTING: "routing missed its page",
    Stage.SELECTION: "selection passed it over",
    Stage.BUDGET: "the budget cut it",
    Stage.SYNTHESIS: "synthesis ignored it",
    Stage.OVERGENERATION: "the answer overreached",
    Stage.NO_EVIDENCE: "the data names no evidence",
}


@dataclass(frozen=True, slots=True)
class Failure:
    """What is known of one answer that is wrong.

    Attributes:
        category: LoCoMo's kind of question.
        gold_answer: The reference.
        gold: Ids of the gold messages.
        recall: The evidence the answer was made from.
        answer: The answer.
        query: Vector of the question, unit length, shape (d,).
    """

    category: Category
    gold_answer: str
    gold: Sequence[str]
    recall: Recall
    answer: Answer
    query: np.ndarray


def is_right(answer: Answer, category: Category, f1: float) -> bool:
    """Tell whether an answer passes: an abstention for category 5, else an F1 of half or more."""
    if category is Category.ADVERSARIAL:
        return not answer.answered
    return answer.answered and f1 >= RIGHT_F1


def localise(failure: Failure, state: SpaceState) -> Stage:
    """Give the stage at which a wrong answer went wrong."""
    if failure.category is Category.ADVERSARIAL:
        return Stage.OVERGENERATION
    if not failure.gold:
        return Stage.NO_EVIDENCE
    taken = {e.message_id for e in failure.recall.evidence}
    lost = [_lost_at(message_id, failure, state) for message_id in failure.gold if message_id not in taken]
    if lost:
        return min(lost, key=list(Stage).index)
    return _after_retrieval(failure, state)


def _lost_at(message_id: str, failure: Failure, state: SpaceState) -> Stage:
    if state.messages[message_id].source_ref in failure.recall.dropped:
        return Stage.BUDGET
    trajectory_id = state.trajectory_of_message(message_id)
    if trajectory_id is None or not state.claims_of.get(message_id):
        return Stage.EXTRACTION
    chosen = [t.id for t in failure.recall.trajectories]
    if trajectory_id in chosen:
        return Stage.SELECTION
    if _buried(message_id, trajectory_id, chosen, failure.query, state):
        return Stage.MATCHING
    followed = {page.id for page in failure.recall.pages}  # a recall names pages by their slugs
    reachable = {t for page in state.pages.values() if page.slug in followed for t in state.links.get(page.id, ())}
    return Stage.SELECTION if trajectory_id in reachable else Stage.ROUTING


def _buried(message_id: str, trajectory_id: str, chosen: Sequence[str], query: np.ndarray, state: SpaceState) -> bool:
    if len(state.members[trajectory_id]) < 2 or not chosen:
        return False
    snapshot_id = state.snapshot_of_message(message_id)
    threads = state.vectors["trajectory"]
    alone = float(query @ state.vectors["snapshot"][str(snapshot_id)])
    bar = min(float(query @ threads[t]) for t in chosen)
    return alone >= bar and alone > float(query @ threads[trajectory_id])


def _after_retrieval(failure: Failure, state: SpaceState) -> Stage:
    wanted = set(tokens_of(failure.gold_answer))
    said = {t for m in failure.gold for t in tokens_of(state.messages[m].content)}
    claims = (state.claims[c] for m in failure.gold for c in state.claims_of.get(m, ()))
    kept = {t for claim in claims for t in tokens_of(claim.text)}
    stated = wanted & said
    if (stated and len(stated & kept) < HALF * len(stated)) or not kept:
        return Stage.EXTRACTION
    answered = set(tokens_of(failure.answer.text)) if failure.answer.answered else set()
    if wanted and len(wanted & answered) >= HALF * len(wanted):
        return Stage.OVERGENERATION
    return Stage.SYNTHESIS
