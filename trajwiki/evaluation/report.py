"""The LoCoMo report as a person reads it."""

from __future__ import annotations

from collections.abc import Iterator

from trajwiki.evaluation.failures import MEANING, Stage
from trajwiki.evaluation.figures import ALL, Gain, LocomoReport
from trajwiki.evaluation.markdown import count, share, signed, table, with_interval
from trajwiki.evaluation.stats import Figure

CATEGORY_NAMES = {
    ALL: "all",
    "1": "1 multi-hop",
    "2": "2 temporal",
    "3": "3 open-domain",
    "4": "4 single-hop",
    "5": "5 adversarial",
}
CATEGORIES = ("1", "2", "3", "4")


def render_locomo(report: LocomoReport) -> str:
    """Give the report in Markdown."""
    sections = (_head, _sizes, _ingest, _coverage, _adds, _routing, _answers, _failures, _drift)
    return "\n".join(line for section in sections for line in section(report)).rstrip() + "\n"


def _head(report: LocomoReport) -> Iterator[str]:
    yield "# LoCoMo"
    yield ""
    yield (
        f"{report.questions[ALL]} questions on {len(report.conversations)} conversations, a space each; no chat model. "
        f"Embedder: `{report.embedder}`, for the baselines too. Intervals are 95 %: bootstrap for means, Wilson for "
        "shares."
    )
    yield ""
    for line in report.skipped:
        yield f"Left out: {line}."
        yield ""


def _sizes(report: LocomoReport) -> Iterator[str]:
    yield "## What was built"
    yield ""
    names = ("messages", "exchanges", "snapshots", "claims", "trajectories", "pages")
    rows = [
        [c.space, *(count(getattr(c.sizes, n)) for n in names), f"{c.seconds:.1f}", str(c.questions)]
        for c in report.conversations
    ]
    total = [sum(getattr(c.sizes, n) for c in report.conversations) for n in names]
    asked = sum(c.questions for c in report.conversations)
    rows.append(["**all**", *(count(t) for t in total), f"{report.ingest.seconds:.1f}", count(asked)])
    yield from table(["space", *names, "seconds", "questions"], rows)


def _ingest(report: LocomoReport) -> Iterator[str]:
    ingest = report.ingest
    yield "## Time and memory of building"
    yield ""
    yield f"{ingest.messages_per_second:.0f} messages a second, embedding and writing included."
    yield ""
    rows = [
        [stage, f"{seconds:.2f}", f"{100 * seconds / ingest.seconds:.0f} %" if ingest.seconds else "-"]
        for stage, seconds in ingest.seconds_by_stage.items()
    ]
    yield from table(["stage", "seconds", "share"], rows)
    if ingest.peak_mb:
        said = ", ".join(f"{mb:,.0f} MiB after {phase}" for phase, mb in ingest.peak_mb.items())
        yield f"Peak memory of the process: {said}."
        yield ""


def _coverage(report: LocomoReport) -> Iterator[str]:
    yield "## Evidence coverage"
    yield ""
    yield (
        "Mean share of a question's gold messages that stand verbatim in the context, over the "
        f"{report.scored} questions of categories 1 to 4 that have any. `messages` is the message lane alone, `wiki` "
        "the wiki lane alone, `flat:` a ranking of raw messages."
    )
    yield ""
    budgets = [str(b) for b in report.budgets]
    methods = list(dict.fromkeys(c.method for c in report.coverage))
    cells = {(c.method, c.budget): c for c in report.coverage}
    for key in (ALL, *CATEGORIES):
        rows = []
        for method in methods:
            figures = [cells[method, b].by.get(key) for b in report.budgets]
            rows.append([f"`{method}`", *("-" if f is None else share(f.value) for f in figures)])
        first = next((c.by[key] for c in report.coverage if key in c.by), None)
        if first is None:
            continue
        yield f"### {CATEGORY_NAMES[key]} ({first.n} questions)"
        yield ""
        yield from table(["words", *budgets], rows)
    yield "### All the evidence of a question covered, and words used"
    yield ""
    rows = []
    for method in methods:
        whole = [share(cells[method, b].whole.value) for b in report.budgets]
        words = [count(cells[method, b].words) if cells[method, b].words else "-" for b in report.budgets]
        rows.append([f"`{method}`", *(f"{w} ({n})" for w, n in zip(whole, words, strict=True))])
    yield from table(["words", *budgets], rows)
    over = sum(c.over_budget for c in report.coverage)
    yield f"Contexts over their budget: {over}{' (a fault)' if over else ''}."
    yield ""


def _adds(report: LocomoReport) -> Iterator[str]:
    if not report.gains:
        return
    yield "## What the wiki adds, and where it costs"
    yield ""
    yield (
        "Coverage of `default` minus that of the other, question by question; `*` where the 95 % interval of the mean "
        "difference leaves out zero. `+n -m`: questions where it covers more, and less."
    )
    yield ""
    keys = (ALL, *CATEGORIES)
    rows = [
        [
            f"{g.budget}, `{g.right}`",
            *(_marked(g.by[k]) if k in g.by else "-" for k in keys),
            f"+{g.better} -{g.worse}",
        ]
        for g in report.gains
    ]
    yield from table(["words, against", *(CATEGORY_NAMES[k] for k in keys), "questions"], rows)
    for gain in report.gains:
        if gain.right == "messages" or gain.right.startswith("flat:"):
            yield f"- {_sentence(gain)}"
    yield ""


def _marked(figure: Figure) -> str:
    sure = figure.low > 0 or figure.high < 0
    return signed(figure.value) + ("*" if sure else "")


def _sentence(gain: Gain) -> str:
    costs = [CATEGORY_NAMES[k] for k in CATEGORIES if k in gain.by and gain.by[k].value < 0]
    overall = gain.by[ALL]
    verdict = "adds" if overall.low > 0 else "costs" if overall.high < 0 else "makes no sure difference to"
    text = f"At {gain.budget} words `{gain.left}` {verdict} coverage against `{gain.right}` ({signed(overall.value)})"
    return text + (f"; it costs in {', '.join(costs)}." if costs else "; it costs in no category.")


def _routing(report: LocomoReport) -> Iterator[str]:
    yield "## Candidates, gold trajectories and time"
    yield ""
    yield (
        "Candidates: trajectories within reach of the chosen pages, against all of the space. Gold at k: share of the "
        "trajectories of gold messages among the first k chosen. Times are of a warm recall, all budgets together."
    )
    yield ""
    ks = list(report.routing[0].gold_recall) if report.routing else []
    rows = [
        [
            f"`{r.profile}`",
            f"{r.candidates:.1f} of {r.universe:.1f}" if r.candidates else f"no routing ({r.universe:.1f})",
            f"{r.universe / r.candidates:.2f} x" if r.candidates else "-",
            *(share(r.gold_recall[k].value) for k in ks),
            f"{r.p50_ms:.1f}",
            f"{r.p95_ms:.1f}",
        ]
        for r in report.routing
    ]
    yield from table(["profile", "candidates", "fewer", *(f"gold at {k}" for k in ks), "p50 ms", "p95 ms"], rows)
    stages = list(dict.fromkeys(s for r in report.routing for s in r.stages_ms))
    if stages:
        yield "Mean milliseconds by stage:"
        yield ""
        timed = [[f"`{r.profile}`", *(f"{r.stages_ms.get(s, 0.0):.2f}" for s in stages)] for r in report.routing]
        yield from table(["profile", *stages], timed)


def _answers(report: LocomoReport) -> Iterator[str]:
    yield "## Answers"
    yield ""
    yield (
        f"Composed by rules from {report.answer_budget} words of evidence of the `default` profile. F1 by LoCoMo's "
        "rules; an abstention scores 0 in categories 1 to 4 and 1 in category 5, where it is the right answer."
    )
    yield ""
    rows = []
    for a in report.answers:
        scored = a.category != "5"
        rows.append(
            [
                "1 to 4" if a.category == ALL else CATEGORY_NAMES[a.category],
                str(a.f1.n),
                with_interval(a.f1),
                share(a.bleu1.value) if scored else "-",
                share(a.slot_f1.value) if scored else "-",
                with_interval(a.abstained),
                f"{share(a.f1_when_answered.value)} ({a.f1_when_answered.n})" if scored else "-",
            ]
        )
    yield from table(["category", "questions", "F1", "BLEU-1", "slot F1", "abstained", "F1 when answered"], rows)


def _failures(report: LocomoReport) -> Iterator[str]:
    total = sum(report.failures.values())
    yield "## Where wrong answers went wrong"
    yield ""
    yield f"{total} of {report.questions[ALL]} answers are wrong (F1 below one half, or an answer where there is none)."
    yield ""
    rows = [
        [f"{stage}: {MEANING[Stage(stage)]}", str(n), share(n / total) if total else "-"]
        for stage, n in report.failures.items()
    ]
    yield from table(["first stage at which the evidence was lost", "answers", "share"], rows)


def _drift(report: LocomoReport) -> Iterator[str]:
    drift = report.drift
    yield "## Drift"
    yield ""
    rows = [
        [
            count(drift.trajectories),
            f"{drift.mean_length:.2f}",
            count(drift.longer),
            share(drift.head_tail) if drift.head_tail >= 0 else signed(drift.head_tail),
            share(drift.neighbours) if drift.neighbours >= 0 else signed(drift.neighbours),
        ]
    ]
    yield from table(
        ["trajectories", "mean snapshots", "with two or more", "cosine first - latest", "cosine of neighbours"], rows
    )
