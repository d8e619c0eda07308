"""Whether guidelines name what separates a failed run from a right one, and whether tips hold anybody's data.

Every failed run is held out in turn. Guidelines for its task are made from the other tries at the task and all other
tasks, and, harder, from other tasks only. What separates it is computed: its changes and looks are compared with those
of a run that succeeded at the task, or with the expected actions that stand in the labels. Labels are read for scoring
only. Beside the guidelines stands keyword retrieval over the same raw runs, by steps and by whole runs, in
the same number of words.
"""

from __future__ import annotations

import json
import math
import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import numpy as np

from trajwiki.domain.ids import Ids
from trajwiki.domain.runs import Analysis, NewRun, Outcome, Run, Step, StepKind
from trajwiki.domain.tipbook import TipBook
from trajwiki.domain.tips import Tip
from trajwiki.errors import UsageError
from trajwiki.evaluation.markdown import share, table, with_interval
from trajwiki.evaluation.output import Progress, silent
from trajwiki.evaluation.stats import Figure, wilson
from trajwiki.language.tokens import count_words, keywords
from trajwiki.models.embedding import Embedder, open_embedder
from trajwiki.readers.runs.reading import read_runs
from trajwiki.tips.analysis import analyse
from trajwiki.tips.checks import shown_text
from trajwiki.tips.consolidation import consolidate
from trajwiki.tips.contrast import alike, contrast_tips
from trajwiki.tips.delivery import render_block, show
from trajwiki.tips.drafts import differences
from trajwiki.tips.extraction import extract_tips
from trajwiki.tips.facts import Facts, facts_of, is_act, leaves
from trajwiki.tips.findings import Call
from trajwiki.tips.policy import rules_for, rules_in
from trajwiki.tips.retrieval import TipIndex, choose

SCHEMA: Final = "trajwiki.bench.tips/1"
BUDGETS: Final = (300, 600)
FIRST: Final = 5  # features that a block names first
SEED: Final = 7
SAMPLE: Final = 60
K1: Final = 1.2
B: Final = 0.75
RULE_SHARE: Final = 0.6  # of a rule's words, in one piece, to count as naming it
NOW: Final = datetime(2026, 1, 1, tzinfo=UTC)

Feature = tuple[str, ...]  # ("tool", name), ("argument", tool, field), ("check", tool), ("rule", text)


@dataclass(frozen=True, slots=True)
class Held:
    """A failed run that is held out.

    Attributes:
        run: The run.
        by: ``success``: compared with runs that succeeded at the task; ``expected``: with the expected actions.
        features: What separates it.
    """

    run: Run
    by: str
    features: frozenset[Feature]


@dataclass(frozen=True, slots=True)
class Line:
    """One line of questions.jsonl: a held-out run under one source of tips, one way, one budget."""

    run: str
    by: str
    source: str
    way: str
    budget: int
    words: int
    features: list[list[str]]
    named: list[list[str]]
    named_first: list[list[str]]
    mentioned: int


def run_tips(
    data: Path,
    *,
    embedder: Embedder | None = None,
    progress: Progress = silent,
    budgets: Sequence[int] = BUDGETS,
    limit: int | None = None,
) -> tuple[dict[str, Any], str, list[dict[str, Any]], list[Tip]]:
    """Measure tips on recorded runs; give the report, its text, a line for each question, and the sample of tips.

    Raises:
        UnreadableInput: The file is not one of runs.
        UsageError: No task was tried with different outcomes, so there is nothing to compare.
    """
    embedder = embedder or open_embedder("wordllama")
    runs, labels = _stored(read_runs(data).runs)
    work = _Work(runs, embedder)
    held = [h for run in runs if run.outcome is Outcome.FAILURE for h in _held(run, runs, labels, work.facts)]
    held = held[:limit]
    if not held:
        raise UsageError(f"{data}: no failed run with a successful one, or expected actions, at the same task")
    lines: list[Line] = []
    for done, item in enumerate(held, start=1):
        for source in ("other trials", "other tasks"):
            keep = _kept(runs, item.run, same_task=source == "other trials")
            for budget in budgets:
                lines += [
                    _line(item, source, "guidelines", budget, work.guidelines(item.run, keep, budget), work),
                    _line(item, source, "keywords, raw steps", budget, work.keyword(item.run, keep, budget), work),
                    _line(item, source, "keywords, raw runs", budget, work.whole(item.run, keep, budget), work),
                ]
        progress("held out", done, len(held))
    tips = list(work.book(runs).deliverable())
    leaks = leaking(tips, runs)
    report = _report(runs, held, lines, tips, leaks)
    chosen = sample_of(tips)
    return report, _render(report), [asdict(x) for x in lines], chosen


def sample_of(tips: Sequence[Tip], size: int = SAMPLE, seed: int = SEED) -> list[Tip]:
    """Give tips drawn with a fixed seed, to be read by a person with the rubric of docs/tips.md."""
    ordered = sorted(tips, key=lambda t: t.id)
    return random.Random(seed).sample(ordered, min(size, len(ordered)))


def leaking(tips: Iterable[Tip], runs: Sequence[Run]) -> list[dict[str, str]]:
    """Give every value of a user or reservation record, or of arguments, that stands in a tip.

    Whatever a record holds counts, nested values too, except single characters, flags, and what the instructions say
    themselves in whole words; names of tools, arguments and fields are no values.
    """
    values: set[str] = set()
    told, names = "", set[str]()
    for run in runs:
        facts = facts_of(run)
        told = told or facts.instructions.casefold()
        names |= facts.names
        found = [x for shown in facts.results.values() for x in shown]
        found += [x for c in facts.calls for x in leaves(c.step.arguments)]
        values |= {str(x.value).strip() for x in found if not isinstance(x.value, bool)}
    pattern = re.compile(r"[\w@.$-]*\w")
    said = f" {' '.join(pattern.findall(told))} "
    wanted = {
        v for v in values - names if 1 < len(v) <= 80 and f" {' '.join(pattern.findall(v.casefold()))} " not in said
    }
    single = {v for v in wanted if pattern.fullmatch(v)}
    longer = sorted(wanted - single)
    out = []
    for tip in tips:
        text = shown_text(tip)
        spoken = re.sub(r"`([^`]+)`", lambda m: " " if m.group(1) in names else m.group(), text)
        hits = {t for m in pattern.finditer(spoken) for t in (m.group(), m.group().rstrip(".")) if t in single}
        hits |= {v for v in longer if v in spoken}
        out += [{"tip": tip.id, "value": v} for v in sorted(hits)]
    return out


class _Work:
    """What is computed once for all held-out runs."""

    def __init__(self, runs: Sequence[Run], embedder: Embedder) -> None:
        self.embedder = embedder
        self.ids = Ids("bench")
        self.facts = {run.id: facts_of(run) for run in runs}
        self.tools = sorted({c.tool for f in self.facts.values() for c in f.calls if c.step.tool})
        self.fields = sorted(
            {
                (c.tool, x.field)
                for f in self.facts.values()
                for c in f.calls
                for x in leaves(c.step.arguments)
                if x.field
            }
        )
        first = next(iter(self.facts.values()))
        self.rules = {r.text: frozenset(keywords(r.text)) for r in rules_in(first)}
        self._analyses: dict[str, Analysis] = {run.id: analyse(run) for run in runs}
        self._leaves = self._extract(runs)
        self._vectors: dict[str, dict[str, np.ndarray]] = {"description": {}, "advice": {}}
        self._books: dict[tuple[str, ...], TipBook] = {}
        self._chunks = {run.id: [c for s in run.steps if (c := _chunk(s))] for run in runs}

    def _extract(self, runs: Sequence[Run]) -> TipBook:
        book = TipBook()
        for run in runs:
            made = extract_tips(
                run, self._analyses[run.id], ids=self.ids, ordinal=len(book.tips), op_ordinal=len(book.ops), at=NOW
            )
            book.apply(made.tips, made.ops)
        made = contrast_tips(
            runs, self._analyses, ids=self.ids, ordinal=len(book.tips), op_ordinal=len(book.ops), at=NOW
        )
        book.apply(made.tips, made.ops)
        return book

    def book(self, runs: Sequence[Run]) -> TipBook:
        """Tips as if only these runs had been seen, consolidated."""
        key = tuple(r.id for r in runs)
        if key not in self._books:
            kept = set(key)
            book = TipBook()
            tips = [t for t in self._leaves.tips.values() if {s.run_id for s in t.sources} <= kept]
            wanted = {t.id for t in tips}
            book.apply(tips, [op for op in self._leaves.ops if op.tip_id in wanted])
            self._embed(tips)
            made = consolidate(book, self._vectors, ids=self.ids, ordinal=len(tips), op_ordinal=len(book.ops), at=NOW)
            book.apply(made.tips, made.ops)
            self._embed(made.tips)
            self._books = {key: book}  # the next question is mostly about the same runs
        return self._books[key]

    def _embed(self, tips: Iterable[Tip]) -> None:
        for kind, known in self._vectors.items():
            new = [t for t in tips if t.id not in known]
            if new:
                known.update(
                    zip([t.id for t in new], self.embedder.embed([t.text_for(kind) for t in new]), strict=True)
                )

    def guidelines(self, run: Run, keep: Sequence[Run], budget: int) -> list[str]:
        """Tips delivered for the task of a run, as they stand in the block."""
        book = self.book(keep)
        index = TipIndex(self.embedder)
        index.add(book.deliverable(), self._vectors)
        block = render_block(choose(index, run.task, app=run.app, top_k=None, threshold=0.0), budget=budget)
        return [show(r.tip) for r in block.given]

    def keyword(self, run: Run, keep: Sequence[Run], budget: int) -> list[str]:
        """Steps of raw runs by BM25 with the task, while they fit the budget."""
        chunks = [c for r in keep for c in self._chunks[r.id]]
        taken: list[str] = []
        used = 0
        for n in _bm25(keywords(run.task), [tuple(keywords(c)) for c in chunks]):
            size = count_words(chunks[n])
            if used + size <= budget and chunks[n] not in taken:
                taken.append(chunks[n])
                used += size
        return taken

    def whole(self, run: Run, keep: Sequence[Run], budget: int) -> list[str]:
        """The steps of the raw runs that fit the task best by BM25, from their first on, while they fit the budget."""
        texts = [tuple(keywords(" ".join(self._chunks[r.id]))) for r in keep]
        taken: list[str] = []
        used = 0
        for n in _bm25(keywords(run.task), texts):
            for chunk in self._chunks[keep[n].id]:
                size = count_words(chunk)
                if used + size > budget:
                    return taken
                taken.append(chunk)
                used += size
        return taken


def _chunk(step: Step) -> str:
    """A step of a raw run as text; instructions are left out, since the agent has them anyway."""
    if step.kind is StepKind.PROMPT and step.agent == "system":
        return ""
    if step.kind is StepKind.ACTION:
        return f"{step.tool} {json.dumps(dict(step.arguments), default=str)} {step.text}".strip()
    return f"{step.agent}: {step.text}"


def _bm25(query: Sequence[str], documents: Sequence[tuple[str, ...]]) -> list[int]:
    frequency = Counter(t for d in documents for t in set(d))
    mean = sum(map(len, documents)) / max(len(documents), 1)
    weight = {t: math.log1p((len(documents) - frequency[t] + 0.5) / (frequency[t] + 0.5)) for t in set(query)}

    def score(document: tuple[str, ...]) -> float:
        count = Counter(document)
        norm = K1 * (1 - B + B * len(document) / max(mean, 1e-9))
        return sum(w * count[t] * (K1 + 1) / (count[t] + norm) for t, w in weight.items() if count[t])

    return [n for _, n in sorted((-score(d), n) for n, d in enumerate(documents))]


def _stored(found: Iterable[NewRun]) -> tuple[list[Run], dict[str, Mapping[str, Any]]]:
    """Runs without their labels, and the labels by run id."""
    runs: list[Run] = []
    labels: dict[str, Mapping[str, Any]] = {}
    for n, new in enumerate(found):
        run_id = f"run_{n:04d}"
        runs.append(
            Run(
                id=run_id,
                ordinal=n,
                source_ref=new.source_ref,
                source=new.source,
                task=new.task,
                steps=new.steps,
                app=new.app,
                agent=new.agent,
                outcome=new.outcome,
                outcome_by=new.outcome_by,
                outcome_note=new.outcome_note,
                task_ref=new.task_ref,
            )
        )
        kept = new.metadata.get("labels")
        labels[run_id] = kept if isinstance(kept, dict) else {}
    return runs, labels


def _kept(runs: Sequence[Run], held: Run, *, same_task: bool) -> list[Run]:
    if same_task:
        return [r for r in runs if r.id != held.id]
    return [r for r in runs if r.task_ref != held.task_ref]


def _held(
    run: Run, runs: Sequence[Run], labels: Mapping[str, Mapping[str, Any]], facts: Mapping[str, Facts]
) -> Iterator[Held]:
    good = [r for r in runs if r.task_ref == run.task_ref and r.outcome is Outcome.SUCCESS and r.id != run.id]
    own = facts[run.id]
    if good:
        found: set[Feature] = set()
        for other in good:
            found |= separating(own, facts[other.id].calls, looks=True)
        if found:
            yield Held(run, "success", frozenset(found))
    expected = tuple(_expected(labels[run.id]))
    if expected and (found := separating(own, expected, looks=False)):
        yield Held(run, "expected", frozenset(found))


def _expected(labels: Mapping[str, Any]) -> Iterator[Call]:
    task = labels.get("task")
    actions = task.get("actions") if isinstance(task, dict) else None
    for n, action in enumerate(actions if isinstance(actions, list) else [], start=1):
        if isinstance(action, dict) and isinstance(action.get("name"), str):
            arguments = action.get("kwargs", action.get("arguments"))
            step = Step(
                n, StepKind.ACTION, "", tool=action["name"], arguments=arguments if isinstance(arguments, dict) else {}
            )
            yield Call(step, None, None)


def separating(bad: Facts, right: Sequence[Call], *, looks: bool) -> set[Feature]:
    """Give what separates a failed run from the right calls: tools, arguments, rules, and, with `looks`, checks."""
    rules = rules_in(bad)
    mine = [c for c in bad.calls if c.step.tool and c.error is None]
    done, due = [c for c in mine if is_act(c)], [c for c in right if c.step.tool and is_act(c) and c.error is None]
    found: set[Feature] = set()
    for tool in {c.tool for c in [*done, *due]}:
        a, b = [c for c in done if c.tool == tool], [c for c in due if c.tool == tool]
        left = [c for c in b if not any(_equal(c, x) for x in a)]
        more = [c for c in a if not any(_equal(c, x) for x in b)]
        for one in list(left):
            twin = next((x for x in more if alike(one, x) >= 0.5), None)
            if twin is not None:
                found |= {("argument", tool, f) for f, _, _ in differences(twin.step.arguments, one.step.arguments)}
                left.remove(one)
                more.remove(twin)
        if left or more:
            found.add(("tool", tool))
            found |= {("rule", r.text) for r in rules_for(tool, rules, limit=1)}
    if looks:
        had = {c.tool for c in mine}
        found |= {("check", c.tool) for c in right if c.step.tool and not is_act(c) and c.tool not in had}
    return found


def _equal(a: Call, b: Call) -> bool:
    """The same call; free text, which no two runs write alike, is not compared."""
    return _compared(a) == _compared(b)


def _compared(call: Call) -> str:
    shown = {k: v for k, v in call.step.arguments.items() if not (isinstance(v, str) and len(v.split()) > 3)}
    return json.dumps(shown, sort_keys=True, default=str)


def mentions(text: str, work: _Work) -> list[Feature]:
    """Give the features that a piece of text names, by one rule for tips and raw steps alike.

    A tool by its name; an argument by its tool and its own name in the same piece; a look by the name of the tool; a
    rule by three fifths of its words.
    """
    named: list[Feature] = []
    for tool in work.tools:
        if tool in text:
            named += [("tool", tool), ("check", tool)]
    for tool, name in work.fields:
        if tool in text and re.search(rf"\b{re.escape(name.rpartition('.')[2])}\b", text):
            named.append(("argument", tool, name))
    stems = set(keywords(text))
    named += [("rule", rule) for rule, own in work.rules.items() if len(own & stems) >= RULE_SHARE * len(own)]
    return named


def _line(held: Held, source: str, way: str, budget: int, pieces: Sequence[str], work: _Work) -> Line:
    order: dict[Feature, None] = {}
    for piece in pieces:
        order.update(dict.fromkeys(mentions(piece, work)))
    named = held.features & set(order)
    first = held.features & set(_first(pieces, work))
    return Line(
        run=held.run.source_ref,
        by=held.by,
        source=source,
        way=way,
        budget=budget,
        words=sum(map(count_words, pieces)),
        features=[list(f) for f in sorted(held.features)],
        named=[list(f) for f in sorted(named)],
        named_first=[list(f) for f in sorted(first)],
        mentioned=len(order),
    )


def _first(pieces: Sequence[str], work: _Work) -> list[Feature]:
    """The first features named, tools and looks by place of their name in the text, then what goes with them."""
    out: dict[Feature, None] = {}
    for piece in pieces:
        named = mentions(piece, work)
        for feature in sorted(named, key=lambda f: (piece.find(f[1]) if f[0] != "rule" else 0, f)):
            if len({_subject(f) for f in out}) >= FIRST and _subject(feature) not in {_subject(f) for f in out}:
                return list(out)
            out[feature] = None
    return list(out)


def _subject(feature: Feature) -> str:
    return feature[1]


def _report(
    runs: Sequence[Run],
    held: Sequence[Held],
    lines: Sequence[Line],
    tips: Sequence[Tip],
    leaks: Sequence[dict[str, str]],
) -> dict[str, Any]:
    figures: list[dict[str, Any]] = []
    for by, source, way, budget in dict.fromkeys((x.by, x.source, x.way, x.budget) for x in lines):
        own = [x for x in lines if (x.by, x.source, x.way, x.budget) == (by, source, way, budget)]
        figures.append({"compared_with": by, "tips_from": source, "way": way, "budget": budget, **_figures(own)})
    return {
        "schema": SCHEMA,
        "runs": len(runs),
        "failed": sum(r.outcome is Outcome.FAILURE for r in runs),
        "held_out": {by: sum(h.by == by for h in held) for by in dict.fromkeys(h.by for h in held)},
        "tips": len(tips),
        "leaks": list(leaks),
        "figures": figures,
    }


def _figures(own: Sequence[Line]) -> dict[str, Any]:
    out: dict[str, Any] = {
        "named": asdict(wilson(sum(bool(x.named) for x in own), len(own))),
        "named_first": asdict(wilson(sum(bool(x.named_first) for x in own), len(own))),
        "words": round(sum(x.words for x in own) / max(len(own), 1), 1),
        "precision": round(sum(len(x.named) for x in own) / max(sum(x.mentioned for x in own), 1), 4),
    }
    for kind in ("tool", "argument", "check", "rule"):
        wanted = [x for x in own if any(f[0] == kind for f in x.features)]
        hits = sum(any(f[0] == kind for f in x.named) for x in wanted)
        out[kind] = asdict(wilson(hits, len(wanted)))
    return out


def _render(report: dict[str, Any]) -> str:
    head = [
        "compared with",
        "tips from",
        "way",
        "words",
        "named",
        "among the first",
        "precision",
        "tool",
        "argument",
        "check",
        "rule",
    ]
    rows = [
        [
            f["compared_with"],
            f["tips_from"],
            f["way"],
            str(f["budget"]),
            with_interval(Figure(**f["named"])),
            with_interval(Figure(**f["named_first"])),
            share(f["precision"]),
            *(share(f[k]["value"]) for k in ("tool", "argument", "check", "rule")),
        ]
        for f in report["figures"]
    ]
    counts = ", ".join(f"{n} compared with {by}" for by, n in report["held_out"].items())
    return "\n".join(
        [
            "# Tips from recorded runs",
            "",
            f"{report['runs']} runs, {report['failed']} failed; held out: {counts}. {report['tips']} tips from all "
            f"runs; "
            f"{len(report['leaks'])} values of records stand in them.",
            "",
            "`named`: the words delivered for the task of a held-out failed run name at least one thing that separates "
            "it from the right way. `among the first`: the same, of what is named about the first "
            f"{FIRST} tools or rules. `precision`: share of all that is named. Then, by kind of difference, how "
            "often one "
            "was named. Intervals: 95 %, Wilson.",
            "",
            *table(head, rows),
        ]
    )
