"""What a LoCoMo run found, as frozen values; `report.json` is these, field by field."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from trajwiki.evaluation.sizes import Drift, Sizes
from trajwiki.evaluation.stats import Figure

LOCOMO_SCHEMA: Final = "trajwiki.bench.locomo/1"
ALL: Final = "all"  # key beside the categories "1" … "5"


@dataclass(frozen=True, slots=True)
class ConversationFigures:
    """One conversation, in a space of its own.

    Attributes:
        space: Name of the space.
        sizes: What was built.
        seconds: Wall time of its ingest, embedding and writing included.
        questions: How many were asked of it.
    """

    space: str
    sizes: Sizes
    seconds: float
    questions: int


@dataclass(frozen=True, slots=True)
class IngestFigures:
    """Building the memory of all conversations.

    Attributes:
        seconds: Wall time.
        messages_per_second: Embedding and writing included.
        seconds_by_stage: Longest first; `other` is the rest.
        peak_mb: Peak memory of the process after each phase ("start", "ingest", "questions"), in MiB; empty where
            the system does not say.
    """

    seconds: float
    messages_per_second: float
    seconds_by_stage: dict[str, float]
    peak_mb: dict[str, float]


@dataclass(frozen=True, slots=True)
class CoverageFigures:
    """Evidence coverage of one method at one budget.

    Attributes:
        method: A profile, or ``flat:`` and the name of a baseline.
        budget: Words.
        by: ``all`` and the categories 1 to 4 to the mean share of gold messages in the context.
        whole: Share of questions with all their evidence in the context.
        words: Mean number of words used; 0 for baselines, which are not rendered.
        over_budget: Contexts with more words than the budget; must be 0.
    """

    method: str
    budget: int
    by: dict[str, Figure]
    whole: Figure
    words: float
    over_budget: int


@dataclass(frozen=True, slots=True)
class Gain:
    """One method against another at one budget, question by question.

    Attributes:
        left: The method.
        right: What it is compared with.
        budget: Words.
        by: ``all`` and the categories to the mean paired difference of coverage, left minus right.
        better: Questions where left covers more.
        worse: Questions where it covers less.
    """

    left: str
    right: str
    budget: int
    by: dict[str, Figure]
    better: int
    worse: int


@dataclass(frozen=True, slots=True)
class RoutingFigures:
    """What the wiki does to the candidates of one profile.

    Attributes:
        profile: Retrieval settings.
        universe: Mean number of trajectories in the space of a question: without the wiki, all are candidates.
        candidates: Mean number of trajectories within reach of the chosen pages; 0 for a profile without routing.
        gold_recall: k to the mean share of gold trajectories among the first k chosen.
        p50_ms: Median time of a warm recall, all budgets together.
        p95_ms: 95th percentile of the same.
        stages_ms: Mean milliseconds by stage, as the recall tells.
    """

    profile: str
    universe: float
    candidates: float
    gold_recall: dict[int, Figure]
    p50_ms: float
    p95_ms: float
    stages_ms: dict[str, float]


@dataclass(frozen=True, slots=True)
class AnswerFigures:
    """Answers of one category, or of categories 1 to 4 together.

    Attributes:
        category: ``all`` (1 to 4), or 1 to 5.
        f1: LoCoMo's token F1; an abstention scores 0, in category 5 it scores 1.
        bleu1: Clipped unigram precision (paper, B.1); an abstention scores 0.
        slot_f1: Slot F1 (slots.py); an abstention scores 0.
        abstained: Share of abstentions.
        f1_when_answered: F1 over what was answered.
    """

    category: str
    f1: Figure
    bleu1: Figure
    slot_f1: Figure
    abstained: Figure
    f1_when_answered: Figure


@dataclass(frozen=True, slots=True)
class QuestionFigures:
    """One line of questions.jsonl.

    Attributes:
        qid, space, category, question: Of the question.
        gold_answer: The reference; empty for category 5.
        gold_refs: Messages that hold it; empty when the data names none that is there.
        coverage: Method to budget to coverage; empty where nothing is scored.
        gold_ranks: Profile to the places (from 1) of the gold trajectories among the chosen; None: not chosen.
        candidates: Profile to trajectories within reach of the chosen pages.
        answered, answer, abstain_reason, refs: Of the answer.
        answer_id: For `trajwiki explain`, on the database that the run leaves.
        f1, bleu1, slot_f1: Scores of the answer.
        right: Whether it passes (failures.is_right).
        stage: Where a wrong answer went wrong; None for a right one.
        ask_ms: Wall time of the answer.
    """

    qid: str
    space: str
    category: int
    question: str
    gold_answer: str
    gold_refs: tuple[str, ...]
    coverage: dict[str, dict[int, float]]
    gold_ranks: dict[str, tuple[int | None, ...]]
    candidates: dict[str, int]
    answered: bool
    answer: str
    abstain_reason: str | None
    refs: tuple[str, ...]
    answer_id: str
    f1: float
    bleu1: float
    slot_f1: float
    right: bool
    stage: str | None
    ask_ms: float


@dataclass(frozen=True, slots=True)
class LocomoReport:
    """Everything a LoCoMo run found.

    Attributes:
        schema: Name and version of this shape.
        embedder: Name of the embedding model; the baselines use the same.
        profiles: Retrieval settings that were run.
        budgets: Words.
        answer_budget: Words of evidence that answers were made from.
        questions: Number of questions asked, by category.
        scored: Questions with evidence that is there, categories 1 to 4: what coverage is a mean over.
        conversations: One a space.
        ingest: Speed and memory.
        coverage: By method and budget.
        gains: The default profile against the message lane and against the best baseline.
        routing: By profile.
        answers: By category.
        failures: Stage to number of wrong answers, in the order of the chain.
        drift: Of all trajectories.
        skipped: Why something was left out, one line each.
    """

    schema: str
    embedder: str
    profiles: tuple[str, ...]
    budgets: tuple[int, ...]
    answer_budget: int
    questions: dict[str, int]
    scored: int
    conversations: tuple[ConversationFigures, ...]
    ingest: IngestFigures
    coverage: tuple[CoverageFigures, ...]
    gains: tuple[Gain, ...]
    routing: tuple[RoutingFigures, ...]
    answers: tuple[AnswerFigures, ...]
    failures: dict[str, int]
    drift: Drift
    skipped: tuple[str, ...]
