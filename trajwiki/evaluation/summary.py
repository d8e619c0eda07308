"""From one line a question to the figures of a LoCoMo run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from trajwiki.domain.evidence import Recall
from trajwiki.evaluation.baselines import METHODS
from trajwiki.evaluation.failures import Stage
from trajwiki.evaluation.figures import (
    ALL,
    LOCOMO_SCHEMA,
    AnswerFigures,
    ConversationFigures,
    CoverageFigures,
    Gain,
    IngestFigures,
    LocomoReport,
    QuestionFigures,
    RoutingFigures,
)
from trajwiki.evaluation.metrics import Category
from trajwiki.evaluation.sizes import Drift
from trajwiki.evaluation.stats import Figure, difference, mean_of, percentile, wilson

GOLD_AT: Final = (5, 10, 15)
ADVERSARIAL: Final = int(Category.ADVERSARIAL)


@dataclass(slots=True)
class Timing:
    """Milliseconds and words of recalls, noted while they are made."""

    milliseconds: dict[str, list[float]] = field(default_factory=dict)
    stages: dict[str, dict[str, list[float]]] = field(default_factory=dict)
    words: dict[tuple[str, int], list[int]] = field(default_factory=dict)

    def note(self, profile: str, recall: Recall, *, budget: int, milliseconds: float) -> None:
        """Note one recall."""
        self.milliseconds.setdefault(profile, []).append(milliseconds)
        self.words.setdefault((profile, budget), []).append(len(recall.context.split()))
        for stage, took in recall.timings_ms.items():
            self.stages.setdefault(profile, {}).setdefault(stage, []).append(took)


def summarise_run(
    rows: Sequence[QuestionFigures],
    *,
    embedder: str,
    profiles: Sequence[str],
    budgets: Sequence[int],
    answer_budget: int,
    conversations: Sequence[ConversationFigures],
    stage_seconds: dict[str, float],
    peak_mb: dict[str, float],
    universe: dict[str, int],
    drift: Drift,
    timing: Timing,
    skipped: Sequence[str],
) -> LocomoReport:
    """Give the report of a run from its questions and what was noted on the way."""
    scored = [row for row in rows if row.coverage]
    methods = [*profiles, *(f"flat:{m}" for m in METHODS)]
    seconds = sum(c.seconds for c in conversations)
    stored = sum(c.sizes.messages for c in conversations)
    asked = Counter(str(row.category) for row in rows)
    return LocomoReport(
        schema=LOCOMO_SCHEMA,
        embedder=embedder,
        profiles=tuple(profiles),
        budgets=tuple(budgets),
        answer_budget=answer_budget,
        questions={ALL: len(rows), **dict(sorted(asked.items()))},
        scored=len(scored),
        conversations=tuple(conversations),
        ingest=IngestFigures(
            round(seconds, 2), round(stored / seconds, 1) if seconds else 0.0, stage_seconds, dict(peak_mb)
        ),
        coverage=tuple(_coverage(scored, m, b, timing) for m in methods for b in budgets),
        gains=tuple(_gains(scored, profiles, budgets)),
        routing=tuple(_routing(scored, p, universe, timing) for p in profiles),
        answers=tuple(_answers(rows)),
        failures=_failures(rows),
        drift=drift,
        skipped=tuple(skipped),
    )


def _by_category(
    rows: Sequence[QuestionFigures], figure: Callable[[Sequence[QuestionFigures]], Figure]
) -> dict[str, Figure]:
    categories = sorted({row.category for row in rows})
    return {ALL: figure(rows)} | {str(c): figure([r for r in rows if r.category == c]) for c in categories}


def _coverage(rows: Sequence[QuestionFigures], method: str, budget: int, timing: Timing) -> CoverageFigures:
    words = timing.words.get((method, budget), [])
    return CoverageFigures(
        method=method,
        budget=budget,
        by=_by_category(rows, lambda some: mean_of([r.coverage[method][budget] for r in some])),
        whole=wilson(sum(r.coverage[method][budget] == 1.0 for r in rows), len(rows)),
        words=round(sum(words) / len(words), 1) if words else 0.0,
        over_budget=sum(w > budget for w in words),
    )


def _gains(rows: Sequence[QuestionFigures], profiles: Sequence[str], budgets: Sequence[int]) -> list[Gain]:
    """Compare the default with each lane alone, with the paper, and with the best baseline of that budget."""
    if "default" not in profiles or not rows:
        return []
    gains = []
    for budget in budgets:
        flat = max((f"flat:{m}" for m in METHODS), key=lambda m: sum(r.coverage[m][budget] for r in rows))
        gains += [_gain(rows, "default", other, budget) for other in (*profiles, flat) if other != "default"]
    return gains


def _gain(rows: Sequence[QuestionFigures], left: str, right: str, budget: int) -> Gain:
    def apart(some: Sequence[QuestionFigures]) -> Figure:
        return difference([r.coverage[left][budget] for r in some], [r.coverage[right][budget] for r in some])

    return Gain(
        left=left,
        right=right,
        budget=budget,
        by=_by_category(rows, apart),
        better=sum(r.coverage[left][budget] > r.coverage[right][budget] for r in rows),
        worse=sum(r.coverage[left][budget] < r.coverage[right][budget] for r in rows),
    )


def _routing(rows: Sequence[QuestionFigures], profile: str, universe: dict[str, int], timing: Timing) -> RoutingFigures:
    threaded = [r for r in rows if r.gold_ranks[profile]]
    took = timing.milliseconds.get(profile, [])
    return RoutingFigures(
        profile=profile,
        universe=_mean([universe[r.space] for r in rows]),
        candidates=_mean([r.candidates[profile] for r in rows]),
        gold_recall={k: mean_of([_within(r.gold_ranks[profile], k) for r in threaded]) for k in GOLD_AT},
        p50_ms=round(percentile(took, 50), 2),
        p95_ms=round(percentile(took, 95), 2),
        stages_ms={stage: _mean(values) for stage, values in timing.stages.get(profile, {}).items()},
    )


def _within(ranks: Sequence[int | None], k: int) -> float:
    return sum(rank is not None and rank <= k for rank in ranks) / len(ranks)


def _mean(values: Sequence[float]) -> float:
    return round(sum(values) / len(values), 2) if values else 0.0


def _answers(rows: Sequence[QuestionFigures]) -> list[AnswerFigures]:
    answerable = [r for r in rows if r.category != ADVERSARIAL]
    groups = {ALL: answerable} | {
        str(c): [r for r in rows if r.category == c] for c in sorted({r.category for r in rows})
    }
    return [
        AnswerFigures(
            category=name,
            f1=mean_of([r.f1 for r in some]),
            bleu1=mean_of([r.bleu1 for r in some]),
            slot_f1=mean_of([r.slot_f1 for r in some]),
            abstained=wilson(sum(not r.answered for r in some), len(some)),
            f1_when_answered=mean_of([r.f1 for r in some if r.answered]),
        )
        for name, some in groups.items()
        if some
    ]


def _failures(rows: Sequence[QuestionFigures]) -> dict[str, int]:
    stages = Counter(r.stage for r in rows if r.stage is not None)
    return {stage.value: stages[stage.value] for stage in Stage}
