"""The LoCoMo run: ingest every conversation, ask every question, compare with flat search, say what went wrong."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Final, get_args

import numpy as np

from trajwiki.domain.answers import Answer
from trajwiki.domain.evidence import Recall
from trajwiki.domain.state import SpaceState
from trajwiki.engine import Memory
from trajwiki.errors import UnreadableInput, UsageError
from trajwiki.evaluation.baselines import FlatIndex, index_flat
from trajwiki.evaluation.clock import StageClock, TimedEmbedder, peak_memory_mb, standing_between
from trajwiki.evaluation.datasets import Conversation, LocomoQuestion, load_locomo, load_locomo_questions
from trajwiki.evaluation.failures import Failure, Stage, is_right, localise
from trajwiki.evaluation.figures import ConversationFigures, LocomoReport, QuestionFigures
from trajwiki.evaluation.metrics import Category, answer_f1, bleu1, context_coverage
from trajwiki.evaluation.output import Progress, fresh_database, silent, write_report
from trajwiki.evaluation.report import render_locomo
from trajwiki.evaluation.sizes import drift_of, sizes_of
from trajwiki.evaluation.slots import slot_f1
from trajwiki.evaluation.summary import Timing, summarise_run
from trajwiki.models.embedding import Embedder, open_embedder
from trajwiki.settings import Profile, Settings
from trajwiki.space import Space

PROFILES: Final[tuple[Profile, ...]] = get_args(Profile)
BUDGETS: Final = (500, 1000, 2000, 4000, 8000)
ANSWER_BUDGET: Final = 2000
ANSWER_PROFILE: Final[Profile] = "default"


@dataclass(slots=True)
class _Run:
    """What all questions of a run share."""

    memory: Memory
    profiles: tuple[Profile, ...]
    budgets: tuple[int, ...]
    timing: Timing = field(default_factory=Timing)


@dataclass(frozen=True, slots=True)
class _Asked:
    """One conversation with what its questions need."""

    space: Space
    state: SpaceState
    flat: FlatIndex
    position: dict[str, int]  # source ref -> place in the conversation
    conversation: Conversation


@dataclass(frozen=True, slots=True)
class _Gold:
    """The messages that hold the answer of one question, and whether coverage of them is scored."""

    refs: tuple[str, ...]
    ids: tuple[str, ...]
    scored: bool


@dataclass(frozen=True, slots=True)
class _Lookup:
    """What retrieval found for one question; see QuestionFigures."""

    coverage: dict[str, dict[int, float]]
    ranks: dict[str, tuple[int | None, ...]]
    candidates: dict[str, int]


def run_locomo(
    data: Path,
    qa: Path,
    out: Path,
    *,
    profiles: Sequence[Profile] = PROFILES,
    budgets: Sequence[int] = BUDGETS,
    limit: int | None = None,
    settings: Settings | None = None,
    embedder: Embedder | None = None,
    progress: Progress = silent,
) -> LocomoReport:
    """Measure the product on LoCoMo and write report.json, report.md and questions.jsonl to `out`.

    The database of the run, `bench-memory.db`, stays in `out`, so that an answer can be explained; one that an
    earlier run left there is replaced.

    Args:
        data: LoCoMo JSON.
        qa: Its questions, JSONL.
        out: A folder; made when it is not there.
        profiles: Retrieval settings to run.
        budgets: Words of context to run.
        limit: Only that many conversations, the first; None: all.
        settings: None: from the environment.
        embedder: None: the one that the settings name. The baselines use the same.
        progress: Called with what is being done, how much of it is done, and its size.

    Raises:
        UnreadableInput: A file is not what it was taken for, or a question names an unknown conversation.
        UsageError: A budget is below 1, a profile has no such name, or nothing was asked for.
        MissingExtra: The baselines' BM25 is not installed.
    """
    _require_choices(profiles, budgets, limit)
    conversations = load_locomo(data)
    questions = _questions_by_conversation(qa, conversations)
    skipped = _skipped(conversations[limit:] if limit else [], questions)
    conversations = conversations[:limit]
    chosen = settings or Settings()
    clock = StageClock()
    plain = embedder or open_embedder(chosen.embedder, base_url=chosen.embedder_url)
    peaks = _Peaks()
    peaks.note("start")
    with Memory.open(fresh_database(out), settings=chosen, embedder=TimedEmbedder(plain, clock)) as memory:
        run = _Run(memory, tuple(profiles), tuple(sorted({*budgets})))
        with standing_between(clock):
            built = [_ingest(memory, c, len(questions[c.name]), progress) for c in conversations]
        stage_seconds = clock.by_stage(sum(b.seconds for b in built))
        peaks.note("ingest")
        rows = list(_ask_all(run, conversations, questions, plain, progress))
        peaks.note("questions")
        states = [memory.space(c.name).state() for c in conversations]
        report = summarise_run(
            rows,
            embedder=plain.name,
            profiles=run.profiles,
            budgets=run.budgets,
            answer_budget=ANSWER_BUDGET,
            conversations=built,
            stage_seconds=stage_seconds,
            peak_mb=peaks.mb,
            universe={c.name: len(s.trajectories) for c, s in zip(conversations, states, strict=True)},
            drift=drift_of(states),
            timing=run.timing,
            skipped=skipped,
        )
    write_report(out, asdict(report), render_locomo(report), (asdict(row) for row in rows))
    return report


class _Peaks:
    """Peak memory of the process after each phase."""

    def __init__(self) -> None:
        self.mb: dict[str, float] = {}

    def note(self, phase: str) -> None:
        if (peak := peak_memory_mb()) is not None:
            self.mb[phase] = peak


def _require_choices(profiles: Sequence[str], budgets: Sequence[int], limit: int | None) -> None:
    if unknown := [p for p in profiles if p not in PROFILES]:
        raise UsageError(f"unknown profile {unknown[0]!r}; choose from {', '.join(PROFILES)}")
    if not profiles or not budgets:
        raise UsageError("a run needs at least one profile and one budget")
    if min(budgets) < 1 or (limit is not None and limit < 1):
        raise UsageError("budgets and the limit are at least 1")


def _questions_by_conversation(qa: Path, conversations: Sequence[Conversation]) -> dict[str, list[LocomoQuestion]]:
    grouped: dict[str, list[LocomoQuestion]] = {c.name: [] for c in conversations}
    for question in load_locomo_questions(qa):
        if question.conversation not in grouped:
            known = ", ".join(grouped)
            raise UnreadableInput(f"{qa}: {question.qid} asks of {question.conversation!r}; the data has {known}")
        grouped[question.conversation].append(question)
    return grouped


def _skipped(left_out: Sequence[Conversation], questions: dict[str, list[LocomoQuestion]]) -> list[str]:
    """Say what a limit left out, and what no question asks of."""
    silent_ones = [name for name, asked in questions.items() if not asked]
    said = [f"no question asks of {', '.join(silent_ones)}"] if silent_ones else []
    if left_out:
        said.append(
            f"{len(left_out)} conversations past the limit, {sum(len(questions[c.name]) for c in left_out)} questions"
        )
    return said


def _ingest(memory: Memory, conversation: Conversation, questions: int, progress: Progress) -> ConversationFigures:
    space = memory.space(conversation.name)
    start = time.perf_counter()
    space.add(conversation.messages, progress=lambda done, total: progress(f"ingest {conversation.name}", done, total))
    space.flush()
    seconds = time.perf_counter() - start
    return ConversationFigures(conversation.name, sizes_of(space.state()), round(seconds, 3), questions)


def _ask_all(
    run: _Run,
    conversations: Sequence[Conversation],
    questions: dict[str, list[LocomoQuestion]],
    embedder: Embedder,
    progress: Progress,
) -> Iterator[QuestionFigures]:
    total, done = sum(len(questions[c.name]) for c in conversations), 0
    for conversation in conversations:
        space = run.memory.space(conversation.name)
        position = {str(m.source_ref): n for n, m in enumerate(conversation.messages)}
        asked = _Asked(space, space.state(), index_flat(conversation.messages, embedder), position, conversation)
        space.recall("warm", budget=run.budgets[0], profile=run.profiles[0])
        for question in questions[conversation.name]:
            yield _ask(run, asked, question)
            done += 1
            progress("ask", done, total)


def _ask(run: _Run, asked: _Asked, question: LocomoQuestion) -> QuestionFigures:
    gold = question.gold(asked.position)
    ids = tuple(dict.fromkeys(asked.state.message_by_ref[r] for r in gold if r in asked.state.message_by_ref))
    lookup = _look(run, asked, question.question, _Gold(gold, ids, question.category is not Category.ADVERSARIAL))
    start = time.perf_counter()
    answer = asked.space.ask(question.question, budget=ANSWER_BUDGET, profile=ANSWER_PROFILE)
    took = 1000 * (time.perf_counter() - start)
    said = answer.text if answer.answered else None
    f1 = answer_f1(said, question.answer, question.category)
    right = is_right(answer, question.category, f1)
    compared = said is not None and question.category is not Category.ADVERSARIAL
    return QuestionFigures(
        qid=question.qid,
        space=question.conversation,
        category=int(question.category),
        question=question.question,
        gold_answer=question.answer,
        gold_refs=gold,
        coverage=lookup.coverage,
        gold_ranks=lookup.ranks,
        candidates=lookup.candidates,
        answered=answer.answered,
        answer=answer.text,
        abstain_reason=answer.abstain_reason,
        refs=answer.refs,
        answer_id=answer.id,
        f1=round(f1, 4),
        bleu1=round(bleu1(answer.text, question.answer), 4) if compared else 0.0,
        slot_f1=round(slot_f1(answer.text, question.answer, question=question.question), 4) if compared else 0.0,
        right=right,
        stage=None if right else _stage(run, asked, question, ids, answer),
        ask_ms=round(took, 2),
    )


def _look(run: _Run, asked: _Asked, question: str, gold: _Gold) -> _Lookup:
    """Recall with every profile and budget, and rank flatly; nothing where there is nothing to score."""
    lookup = _Lookup({}, {}, {})
    if not gold.refs or not gold.scored:
        return lookup
    texts = [asked.conversation.messages[asked.position[r]].text for r in gold.refs]
    for profile in run.profiles:
        found = _recalls(run, asked.space, question, profile)
        lookup.coverage[profile] = {b: round(context_coverage(r.context, texts, budget=b), 4) for b, r in found.items()}
        widest = found[run.budgets[-1]]
        lookup.ranks[profile] = _ranks(asked.state, gold.ids, [t.id for t in widest.trajectories])
        lookup.candidates[profile] = widest.candidates
    places = {asked.position[r] for r in gold.refs}
    for method, order in asked.flat.rank(question).items():
        shares = {b: len(places & asked.flat.pack(order, b)) / len(places) for b in run.budgets}
        lookup.coverage[f"flat:{method}"] = {b: round(s, 4) for b, s in shares.items()}
    return lookup


def _recalls(run: _Run, space: Space, question: str, profile: Profile) -> dict[int, Recall]:
    found: dict[int, Recall] = {}
    for budget in run.budgets:
        start = time.perf_counter()
        recall = space.recall(question, budget=budget, profile=profile)
        run.timing.note(profile, recall, budget=budget, milliseconds=1000 * (time.perf_counter() - start))
        found[budget] = recall
    return found


def _ranks(state: SpaceState, gold: Sequence[str], chosen: list[str]) -> tuple[int | None, ...]:
    """Give the place of each gold trajectory among the chosen, from 1; None where it was not chosen."""
    wanted = dict.fromkeys(t for m in gold if (t := state.trajectory_of_message(m)) is not None)
    return tuple(chosen.index(t) + 1 if t in chosen else None for t in wanted)


def _stage(run: _Run, asked: _Asked, question: LocomoQuestion, gold: tuple[str, ...], answer: Answer) -> Stage:
    recall = asked.space.recall(question.question, budget=ANSWER_BUDGET, profile=ANSWER_PROFILE)
    query: np.ndarray = run.memory.embedder.embed([question.question])[0]
    return localise(Failure(question.category, question.answer, gold, recall, answer, query), asked.state)
