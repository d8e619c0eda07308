"""demo: the main job on the sample conversation, for a person to read. Every answer comes from the engine."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import resources
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.markdown import Markdown
from rich.panel import Panel
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from trajwiki.cli.output import printable
from trajwiki.domain.answers import Answer
from trajwiki.domain.claims import Op
from trajwiki.domain.state import SpaceState
from trajwiki.domain.wiki import Page, PageType, Section
from trajwiki.engine import Memory
from trajwiki.readers import read_all
from trajwiki.settings import Settings
from trajwiki.space import Space
from trajwiki.wiki.render import render_page
from trajwiki.wiki.titles import page_title

SPACE: Final = "sample"


def demo(db: Path | None) -> None:
    """Read the sample conversation into a memory and show it."""
    console = Console(highlight=False)
    with _database(db) as path, Memory.open(path, settings=Settings(db=str(path))) as memory:
        space = memory.space(SPACE)
        _ingest(space, console)
        state = space.state()
        _sizes(state, console)
        _page(state, console)
        _change(state, console)
        _answers(space, console)
        where = f"--db {path} --space {SPACE}" if db else "--space NAME, after `trajwiki ingest FILE --space NAME`"
        console.print(Rule(), f"Look further: trajwiki wiki | ask | trajectory | claim | explain, with {where}")


def _ingest(space: Space, console: Console) -> None:
    with resources.as_file(resources.files("trajwiki.sample") / "conversation.jsonl") as file:
        messages = [record.message for record in read_all(file).records]
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console) as bar:
        task = bar.add_task("Reading the sample conversation", total=len(messages))
        space.add(messages, progress=lambda done, total: bar.update(task, completed=done, total=total))
        space.flush()


def _sizes(state: SpaceState, console: Console) -> None:
    table = Table(title="What was built", title_justify="left", show_header=False, box=None)
    for name, n in (
        ("messages", len(state.messages)),
        ("snapshots", len(state.snapshots)),
        ("claims", len(state.claims)),
        ("trajectories", len(state.trajectories)),
        ("wiki pages", len(state.pages)),
    ):
        table.add_row(name, str(n))
    console.print(table)


def _page(state: SpaceState, console: Console) -> None:
    page = max(
        (p for p in state.pages.values() if p.type is PageType.ENTITY),
        key=lambda p: (_facts(state, p), p.slug),
        default=None,
    )
    if page is not None:
        console.print(Rule(f"A page of the wiki: {printable(page_title(state, page))}", align="left"))
        console.print(Markdown(printable(render_page(state, page))))


def _facts(state: SpaceState, page: Page) -> int:
    return sum(b.section in (Section.KEY_FACTS, Section.ITEMS) for b in state.bullets.get(page.id, ()))


def _change(state: SpaceState, console: Console) -> None:
    changes = [op for op in state.ops if op.op is Op.REVISE and op.replaces is not None]
    if not changes:
        return
    best = max(changes, key=lambda op: (state.claims[op.claim_id].facet is not None, -op.ordinal))
    source = state.sources[best.claim_id][0]
    trajectory = state.trajectory_of[source.snapshot_id]
    title = state.versions[trajectory][-1].title
    console.print(Rule(f"A fact that changed, in the thread “{printable(title)}”", align="left"))
    console.print(_told(state, best.replaces or "", "was believed"))
    console.print(_told(state, best.claim_id, "is believed"))
    console.print(Text(f"  {best.op.value}: {printable(best.reason)}", style="dim"))


def _told(state: SpaceState, claim_id: str, when: str) -> Text:
    text = Text(f"{when:>13}  ", style="bold")
    text.append(printable(state.claims[claim_id].text) + "\n", style="none")
    for source in state.sources[claim_id]:
        message = state.messages[source.quote.message_id]
        day = f"{message.sent_at:%d %b %Y}" if message.sent_at else "undated"
        quote = printable(source.quote.text)
        text.append(f"{'':>15}[{message.source_ref}] {message.speaker}, {day}: “{quote}”\n", style="dim")
    text.rstrip()
    return text


def _answers(space: Space, console: Console) -> None:
    console.print(Rule("Questions", align="left"))
    for question in _questions():
        console.print(_shown(space.ask(question), question))


def _shown(answer: Answer, question: str) -> Panel:
    body = Text(printable(answer.text if answer.answered else f"No answer. {answer.abstain_reason}"))
    body.stylize("bold" if answer.answered else "yellow")
    for ref, quote in answer.quotes:
        body.append(f"\n  [{ref}] “{printable(quote)}”", style="dim")
    for label, lines in (
        ("counted", answer.counted),
        ("left out", answer.excluded),
        ("date", answer.anchors),
        ("note", answer.uncertainties),
    ):
        for line in lines:
            body.append(f"\n  {label}: {printable(line)}", style="not bold")
    return Panel(body, title=printable(question), title_align="left")


def _questions() -> Iterator[str]:
    """The questions of the demo; one about how things are is followed by the one about how they were."""
    text = (resources.files("trajwiki.sample") / "questions.json").read_text(encoding="utf-8")
    entries = {entry["id"]: entry for entry in json.loads(text)}
    for entry in entries.values():
        if entry.get("demo"):
            yield entry["question"]
            if before := entry.get("before"):
                yield entries[before]["question"]


@contextmanager
def _database(db: Path | None) -> Iterator[Path]:
    if db is not None:
        yield db
        return
    with tempfile.TemporaryDirectory(prefix="trajwiki-demo-") as folder:
        yield Path(folder) / "demo.db"
