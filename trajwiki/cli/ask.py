"""recall, ask, explain."""

from __future__ import annotations

import json as jsonlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from trajwiki.cli.output import print_json, say
from trajwiki.cli.session import Times, moments, opened, space_of
from trajwiki.domain.answers import Answer
from trajwiki.errors import UsageError
from trajwiki.payloads import answer_payload, recall_payload


def recall(
    question: str,
    *,
    space: str | None,
    db: str | None,
    budget: int | None,
    profile: str | None,
    times: Times,
    json: bool,
    **asked: Any,
) -> None:
    """Print the evidence for one question; exit code 1 when there is none."""
    with opened(db, profile=profile, **asked) as memory:
        found = space_of(memory, space).recall(question, budget=budget, **moments(times))
    if json:
        print_json(recall_payload(found))
    else:
        say(found.context or "nothing recalled")
        say("", f"{found.tokens} of {found.budget} words, {len(found.evidence)} messages")
    if not found.evidence:
        raise typer.Exit(1)


def recall_batch(
    path: Path,
    *,
    space: str | None,
    db: str | None,
    budget: int | None,
    profile: str | None,
    times: Times,
    json: bool,
    **asked: Any,
) -> None:
    """Print one line of evidence for each line of questions, in order. All lines are checked first."""
    questions = list(_questions(path))
    with opened(db, profile=profile, **asked) as memory:
        spaces = {name: space_of(memory, name) for name in dict.fromkeys(q.get("space", space) for q in questions)}
        for q in questions:
            found = spaces[q.get("space", space)].recall(q["question"], budget=budget, **moments(times))
            if json:
                print_json(recall_payload(found, qid=q["qid"]), line=True)
            else:
                say(f"{q['qid']}: {', '.join(e.source_ref for e in found.evidence)}")


def _questions(path: Path) -> Iterator[dict[str, Any]]:
    try:
        text = sys.stdin.read() if str(path) == "-" else path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read {path}: {error}") from error
    for n, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        where = f"{path}, line {n}"
        try:
            record = jsonlib.loads(line)
        except (ValueError, RecursionError) as error:
            raise UsageError(f"{where}: not JSON ({error})") from error
        if not isinstance(record, dict) or not isinstance(record.get("question"), str):
            raise UsageError(f'{where}: expected {{"qid": …, "question": "…", "space"?: "…"}}')
        if not record["question"].strip():
            raise UsageError(f"{where}: the question is empty")
        if record.get("space") is not None and not isinstance(record["space"], str):
            raise UsageError(f"{where}: space must be a string")
        yield {"qid": record.get("qid"), "question": record["question"]} | (
            {"space": record["space"]} if record.get("space") else {}
        )


def ask(
    question: str,
    *,
    space: str | None,
    db: str | None,
    budget: int | None,
    profile: str | None,
    times: Times,
    json: bool,
    **asked: Any,
) -> None:
    """Print an answer; exit code 1 for an abstention."""
    with opened(db, profile=profile, **asked) as memory:
        answer = space_of(memory, space).ask(question, budget=budget, **moments(times))
    if json:
        print_json(answer_payload(answer))
    else:
        say(*answer_lines(answer))
    if not answer.answered:
        raise typer.Exit(1)


def answer_lines(answer: Answer) -> list[str]:
    """Lay out an answer for a person."""
    lines = [answer.text if answer.answered else f"No answer: {answer.abstain_reason}"]
    if answer.refs:
        lines.append("refs: " + ", ".join(answer.refs))
    lines += [f"  {ref}  “{quote}”" for ref, quote in answer.quotes]
    lines += [f"  counted: {line}" for line in answer.counted]
    lines += [f"  left out: {line}" for line in answer.excluded]
    lines += [f"  date: {line}" for line in answer.anchors]
    lines += [f"  note: {line}" for line in answer.uncertainties]
    return [*lines, f"({answer.id})"]


def explain(answer_id: str, *, space: str | None, db: str | None, json: bool) -> None:
    """Print a kept answer and the way that led to it."""
    with opened(db) as memory:
        body = space_of(memory, space).explain(answer_id)
    if json:
        print_json(body)
        return
    kept: Any = body
    say(f"Q: {kept['question']}", f"A: {kept['text']}" if kept["answered"] else f"no answer: {kept['abstain_reason']}")
    say(f"asked {kept['at']}, of the memory at commit {kept['head']}")
    for fact in kept["facts"]:
        say(f"  {fact['source_ref']}  “{fact['quote']}”", f"    {fact['text']} [{fact['status']}] {fact['claim_id']}")
    for title in ("counted", "excluded", "anchors", "uncertainties"):
        say(*(f"  {title}: {line}" for line in kept[title]))
    for key, value in kept["how"].items():
        say(f"  {key}: {value}")
    say("  pages: " + "; ".join(f"{p['slug']} {p['score']:.2f}" for p in kept["pages"]))
    say("  trajectories: " + "; ".join(f"{t['title']} ({t['id']}) {t['score']:.2f}" for t in kept["trajectories"]))
