"""The LongMemEval run: whether the session with the answer is in the context, and the answer is right."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from trajwiki.engine import Memory
from trajwiki.evaluation.datasets import LongQuestion, load_longmemeval
from trajwiki.evaluation.markdown import count, share, table, with_interval
from trajwiki.evaluation.metrics import accepts, token_f1
from trajwiki.evaluation.output import Progress, fresh_database, silent, write_report
from trajwiki.evaluation.stats import Figure, mean_of, wilson
from trajwiki.models.embedding import Embedder
from trajwiki.settings import Settings

SCHEMA: Final = "trajwiki.bench.longmemeval/1"
BUDGET: Final = 2000
ALL: Final = "all"


@dataclass(frozen=True, slots=True)
class LongRow:
    """One line of questions.jsonl.

    Attributes:
        qid, type, question, gold_answer, answerable: Of the item.
        messages: In its haystack.
        ingest_seconds: Wall time of building its memory.
        sessions: Share of the evidence sessions with a message in the context.
        turns: Share of the turns marked as evidence that stand in the context; None where none is marked.
        answered, answer, abstain_reason, refs: Of the answer.
        f1: Token F1; for an item without an answer, 1 for an abstention.
        holds: The reference stands in the answer as whole words; for an item without an answer, an abstention.
    """

    qid: str
    type: str
    question: str
    gold_answer: str
    answerable: bool
    messages: int
    ingest_seconds: float
    sessions: float
    turns: float | None
    answered: bool
    answer: str
    abstain_reason: str | None
    refs: tuple[str, ...]
    f1: float
    holds: bool


@dataclass(frozen=True, slots=True)
class LongFigures:
    """Figures of one type of question, or of all.

    Attributes:
        sessions: Mean share of evidence sessions in the context.
        turns: Mean share of evidence turns in the context, where any are marked.
        f1: Mean F1.
        right: Share of answers that hold the reference (or rightly abstain).
        abstained: Share of abstentions.
    """

    sessions: Figure
    turns: Figure
    f1: Figure
    right: Figure
    abstained: Figure


@dataclass(frozen=True, slots=True)
class LongReport:
    """What a run found.

    Attributes:
        schema: Name and version of this shape.
        budget: Words of context.
        messages: Messages stored in all.
        messages_per_second: Embedding and writing included.
        by: ``all`` and the types of question to their figures.
    """

    schema: str
    budget: int
    messages: int
    messages_per_second: float
    by: dict[str, LongFigures]


def run_longmemeval(
    data: Path,
    out: Path,
    *,
    budget: int = BUDGET,
    limit: int | None = None,
    settings: Settings | None = None,
    embedder: Embedder | None = None,
    progress: Progress = silent,
) -> LongReport:
    """Measure the product on LongMemEval, a space an item; write the report to `out`.

    Args:
        data: A LongMemEval file (JSON list).
        out: A folder; made when it is not there.
        budget: Words of context.
        limit: Take at most that many items; None: all.
        settings: None: from the environment.
        embedder: None: the one that the settings name.
        progress: Called with what is being done, how much of it is done, and its size.

    Raises:
        UnreadableInput: The file is not what it was taken for.
    """
    items = load_longmemeval(data)[:limit]
    with Memory.open(fresh_database(out), settings=settings, embedder=embedder) as memory:
        rows = list(_measure(memory, items, budget, progress))
    groups = {ALL: rows} | {t: [r for r in rows if r.type == t] for t in sorted({r.type for r in rows})}
    seconds, messages = sum(r.ingest_seconds for r in rows), sum(r.messages for r in rows)
    report = LongReport(
        SCHEMA, budget, messages, round(messages / seconds, 1), {name: _figures(some) for name, some in groups.items()}
    )
    write_report(out, asdict(report), _render(report), (asdict(r) for r in rows))
    return report


def _measure(memory: Memory, items: Sequence[LongQuestion], budget: int, progress: Progress) -> Iterator[LongRow]:
    for done, item in enumerate(items, start=1):
        space = memory.space(item.conversation.name)
        start = time.perf_counter()
        space.add(item.conversation.messages)
        space.flush()
        seconds = time.perf_counter() - start
        found = space.recall(item.question, budget=budget, profile="default")
        answer = space.ask(item.question, budget=budget, profile="default")
        there, refs = {e.session for e in found.evidence}, {e.source_ref for e in found.evidence}
        yield LongRow(
            qid=item.qid,
            type=item.type,
            question=item.question,
            gold_answer=item.answer,
            answerable=item.answerable,
            messages=len(item.conversation.messages),
            ingest_seconds=round(seconds, 3),
            sessions=_share(item.sessions, there),
            turns=_share(item.turns, refs) if item.turns else None,
            answered=answer.answered,
            answer=answer.text,
            abstain_reason=answer.abstain_reason,
            refs=answer.refs,
            f1=_f1(item, answer.text if answer.answered else None),
            holds=_holds(item, answer.text if answer.answered else None),
        )
        progress("items", done, len(items))


def _share(wanted: Sequence[str], there: set[str]) -> float:
    return round(len(set(wanted) & there) / len(set(wanted)), 4) if wanted else 0.0


def _f1(item: LongQuestion, said: str | None) -> float:
    if not item.answerable:
        return float(said is None)
    return 0.0 if said is None else round(token_f1(said, item.answer), 4)


def _holds(item: LongQuestion, said: str | None) -> bool:
    if not item.answerable:
        return said is None
    return said is not None and accepts(said, [item.answer])


def _figures(rows: Sequence[LongRow]) -> LongFigures:
    return LongFigures(
        sessions=mean_of([r.sessions for r in rows]),
        turns=mean_of([r.turns for r in rows if r.turns is not None]),
        f1=mean_of([r.f1 for r in rows]),
        right=wilson(sum(r.holds for r in rows), len(rows)),
        abstained=wilson(sum(not r.answered for r in rows), len(rows)),
    )


def _render(report: LongReport) -> str:
    rows = [
        [
            name,
            str(f.f1.n),
            share(f.sessions.value),
            share(f.turns.value) if f.turns.n else "-",
            with_interval(f.f1),
            share(f.right.value),
            share(f.abstained.value),
        ]
        for name, f in report.by.items()
    ]
    head = ["type", "items", "evidence sessions", "evidence turns", "F1", "holds the reference", "abstained"]
    return "\n".join(
        [
            "# LongMemEval",
            "",
            f"A space an item, no chat model; {report.budget} words of context. {count(report.messages)} messages, "
            f"{report.messages_per_second:.0f} a second, embedding and writing included.",
            "",
            *table(head, rows),
        ]
    )
