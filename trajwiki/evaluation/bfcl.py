"""The BFCL memory run: whether 500 words of context hold an accepted answer, and the answer given is one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from trajwiki.engine import Memory
from trajwiki.evaluation.datasets import StringQuestion, load_bfcl
from trajwiki.evaluation.markdown import share, table, with_interval
from trajwiki.evaluation.metrics import accepts
from trajwiki.evaluation.output import Progress, fresh_database, silent, write_report
from trajwiki.evaluation.sizes import Sizes, sizes_of
from trajwiki.evaluation.stats import Figure, wilson
from trajwiki.models.embedding import Embedder
from trajwiki.settings import Settings

SCHEMA: Final = "trajwiki.bench.bfcl/1"
BUDGET: Final = 500
ANSWER_BUDGET: Final = 2000
ALL: Final = "all"


@dataclass(frozen=True, slots=True)
class BfclQuestion:
    """One line of questions.jsonl.

    Attributes:
        qid, space, question, accepted: Of the question.
        in_memory: An accepted string stands somewhere in the conversations of the space.
        in_context: One stands in the messages of the context of `budget` words; refs and dates do not count, since a
            number is easily found there.
        answered, answer, abstain_reason, refs, answer_id: Of the answer.
        right: It was answered, and an accepted string stands in the answer.
    """

    qid: str
    space: str
    question: str
    accepted: tuple[str, ...]
    in_memory: bool
    in_context: bool
    answered: bool
    answer: str
    abstain_reason: str | None
    refs: tuple[str, ...]
    answer_id: str
    right: bool


@dataclass(frozen=True, slots=True)
class BfclFigures:
    """Shares of one scenario, or of all.

    Attributes:
        in_memory: An accepted string stands in the conversations at all: no context can do better.
        in_context: One stands in the context.
        right: The question is answered with one.
        abstained: It is not answered.
    """

    in_memory: Figure
    in_context: Figure
    right: Figure
    abstained: Figure


@dataclass(frozen=True, slots=True)
class BfclReport:
    """What a run found.

    Attributes:
        schema: Name and version of this shape.
        budget: Words of context that are looked through.
        answer_budget: Words of evidence that answers are made from.
        sizes: What was built, by scenario.
        by: ``all`` and the scenarios to their figures.
    """

    schema: str
    budget: int
    answer_budget: int
    sizes: dict[str, Sizes]
    by: dict[str, BfclFigures]


def run_bfcl(
    data: Path,
    out: Path,
    *,
    budget: int = BUDGET,
    limit: int | None = None,
    settings: Settings | None = None,
    embedder: Embedder | None = None,
    progress: Progress = silent,
) -> BfclReport:
    """Measure the product on BFCL's memory track, a space a scenario; write the report to `out`.

    Args:
        data: Folder with questions.jsonl, answers.jsonl and conversations/.
        out: A folder; made when it is not there.
        budget: Words of context that an accepted string must stand in.
        limit: Ask at most that many questions; None: all.
        settings: None: from the environment.
        embedder: None: the one that the settings name.
        progress: Called with what is being done, how much of it is done, and its size.

    Raises:
        UnreadableInput: A file is not what it was taken for.
    """
    conversations, questions = load_bfcl(data)
    questions = questions[:limit]
    with Memory.open(fresh_database(out), settings=settings, embedder=embedder) as memory:
        sizes = {}
        for done, conversation in enumerate(conversations, start=1):
            space = memory.space(conversation.name)
            space.add(conversation.messages)
            space.flush()
            sizes[conversation.name] = sizes_of(space.state())
            progress("ingest", done, len(conversations))
        said = {c.name: "\n".join(m.text for m in c.messages) for c in conversations}
        rows = list(_ask(memory, questions, said, budget, progress))
    scenarios = {ALL: rows} | {name: some for name in sizes if (some := [r for r in rows if r.space == name])}
    report = BfclReport(
        SCHEMA, budget, ANSWER_BUDGET, sizes, {name: _figures(some) for name, some in scenarios.items()}
    )
    write_report(out, asdict(report), _render(report), (asdict(r) for r in rows))
    return report


def _ask(
    memory: Memory, questions: Sequence[StringQuestion], said: dict[str, str], budget: int, progress: Progress
) -> Iterator[BfclQuestion]:
    for done, question in enumerate(questions, start=1):
        space = memory.space(question.conversation)
        evidence = space.recall(question.question, budget=budget, profile="default").evidence
        answer = space.ask(question.question, budget=ANSWER_BUDGET, profile="default")
        yield BfclQuestion(
            qid=question.qid,
            space=question.conversation,
            question=question.question,
            accepted=question.accepted,
            in_memory=accepts(said[question.conversation], question.accepted),
            in_context=accepts("\n".join(e.text for e in evidence), question.accepted),
            answered=answer.answered,
            answer=answer.text,
            abstain_reason=answer.abstain_reason,
            refs=answer.refs,
            answer_id=answer.id,
            right=answer.answered and accepts(answer.text, question.accepted),
        )
        progress("ask", done, len(questions))


def _figures(rows: Sequence[BfclQuestion]) -> BfclFigures:
    return BfclFigures(
        in_memory=wilson(sum(r.in_memory for r in rows), len(rows)),
        in_context=wilson(sum(r.in_context for r in rows), len(rows)),
        right=wilson(sum(r.right for r in rows), len(rows)),
        abstained=wilson(sum(not r.answered for r in rows), len(rows)),
    )


def _render(report: BfclReport) -> str:
    rows = [
        [
            name,
            str(f.in_context.n),
            share(f.in_memory.value),
            with_interval(f.in_context),
            with_interval(f.right),
            share(f.abstained.value),
        ]
        for name, f in report.by.items()
    ]
    head = [
        "scenario",
        "questions",
        "in memory",
        f"accepted string in {report.budget} words",
        "answered with it",
        "abstained",
    ]
    built = [[name, *(str(n) for n in asdict(s).values())] for name, s in report.sizes.items()]
    names = list(asdict(next(iter(report.sizes.values()))))
    return "\n".join(
        [
            "# BFCL memory",
            "",
            "A space a scenario, no chat model. Accepted strings are looked for as whole words, whatever their case. "
            f"Answers are composed by rules from {report.answer_budget} words of evidence. Intervals: 95 %, Wilson.",
            "",
            *table(head, rows),
            "## What was built",
            "",
            *table(["scenario", *names], built),
        ]
    )
