"""demo-tips: an agent at an order desk learns from its runs, for a person to read. Nothing in it is told in advance."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any, Final

import typer

from trajwiki.cli.output import print_json, say, table
from trajwiki.desk.demo import play
from trajwiki.desk.trial import TOP_K
from trajwiki.engine import Memory
from trajwiki.settings import Settings

SEEDS: Final = 3


def demo_tips(*, seeds: int = SEEDS, top_k: int = TOP_K, json: bool = False) -> None:
    """Play the demo in a temporary database and print what came of it.

    Args:
        seeds: Repetitions, each with shops, runs and unseen tasks of its own.
        top_k: Tips in a block, at most.
        json: Print JSON.
    """
    if seeds < 1 or top_k < 1:
        raise typer.BadParameter("there is at least one seed, and one tip in a block")
    with tempfile.TemporaryDirectory(prefix="trajwiki-demo-") as folder:
        path = Path(folder) / "demo.db"
        with Memory.open(path, settings=Settings(db=str(path))) as memory:
            found = play(memory, seeds=seeds, top_k=top_k, progress=_progress)
    if json:
        print_json(found)
    else:
        say(*lines(found))


def lines(found: dict[str, Any]) -> list[str]:
    """Give the demo as lines of text."""
    training = found["training"]
    return [
        f"An agent worked at an order desk without guidelines: {training['runs']} runs, {training['successes']} "
        "of which succeeded. Whether a run succeeded is read from the state of the shop, not from what the agent says.",
        *_attribution(found["attribution"]),
        *_tips(found["tips"]),
        *_conflict(found["conflict"]),
        *_head("A guidelines block"),
        f"For “{found['guidelines']['task']}”",
        "",
        *found["guidelines"]["block"].splitlines(),
        *_head("Success at tasks that it has not seen"),
        *_table(found),
    ]


def _head(title: str) -> list[str]:
    return ["", title, "-" * len(title)]


def _attribution(found: dict[str, Any] | None) -> list[str]:
    if found is None:
        return []
    causes = [(f"{c['which']} cause", f"step {c['step']}", c["text"]) for c in found["causes"]]
    task = f"Task: {found['task']}"
    return [*_head("A run that failed"), task, *found["steps"], f"Evaluator: {found['evaluator']}", "", *table(causes)]


def _tips(found: dict[str, Any]) -> list[str]:
    states = ", ".join(f"{n} {state}" for state, n in found["states"].items())
    shown = [f"- [{t['category']}, {t['support']} runs] {t['content']}" for t in found["shown"]]
    return [*_head("Tips that were drawn in the first repetition"), f"{states}. Some of those that stand:", *shown]


def _conflict(found: dict[str, Any] | None) -> list[str]:
    head = _head("A contradiction")
    if found is None:
        return [*head, "None of the repetitions brought tips that contradict each other."]
    out = [*head, f"gave way ({found['gave_way']['support']} runs): {found['gave_way']['content']}"]
    if found["stands"]:
        out.append(f"stands ({found['stands']['support']} runs): {found['stands']['content']}")
    return [*out, f"because {found['reason']}"]


def _table(found: dict[str, Any]) -> list[str]:
    arms = found["arms"]
    families = list(arms["none"]["families"])
    rows: list[tuple[str, ...]] = [("tasks", "tries", *(f"guidelines: {name}" for name in arms))]
    for family in families:
        cells = [arm["families"][family] for arm in arms.values()]
        rows.append((family, str(cells[0]["tries"]), *map(_share, cells)))
    rows.append(("all", str(arms["none"]["tries"]), *map(_share, arms.values())))
    gains = [
        f"{name} against none: {arm['gain'][0]:+.0%} to {arm['gain'][1]:+.0%}"
        for name, arm in arms.items()
        if name != "none"
    ]
    low, high = found["consolidated_over_raw"]
    worse = [
        f"{name}: {family}"
        for name, arm in arms.items()
        for family, cell in arm["families"].items()
        if name != "none" and cell["gain"][1] < 0
    ]
    return [
        *table(rows),
        "",
        "In brackets and below: 95 % intervals (Wilson; Newcombe for differences).",
        *gains,
        f"consolidated against raw: {low:+.0%} to {high:+.0%}",
        f"worse than without, beyond chance: {'; '.join(worse) or 'nowhere'}",
    ]


def _share(cell: dict[str, Any]) -> str:
    low, high = cell["interval"]
    return f"{cell['rate']:.0%} ({low:.0%}-{high:.0%})"


def _progress(what: str, done: int, size: int) -> None:
    if sys.stderr.isatty():
        print(f"\r{what}: {done} of {size}", end="\n" if done >= size else "", file=sys.stderr, flush=True)
