"""What the tests of the pages share: a memory with the sample data, hostile names and words, and a browser."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest

from trajwiki import Memory, NewMessage, Settings
from trajwiki.domain.runs import NewRun, Outcome, OutcomeBy, Step, StepKind
from trajwiki.models.wordllama import WordLlamaEmbedder

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
AXE = Path(__file__).parent / "assets" / "axe.min.js"
START = datetime(2024, 5, 1, 10, tzinfo=UTC)

HOSTILE = (
    "<script>window.broken=1</script>",
    '"><img src=x onerror=window.broken=1>',
    "'-window.broken=1-'",
    "<svg/onload=window.broken=1>",
    "</title></textarea></style></script><script>window.broken=1</script>",
    "javascript:window.broken=1",
    "[click](javascript:window.broken=1) ![x](https://evil.example/x.png)",
    "{{ 7*7 }}{% raw %}${7*7}#{7*7}",
    "<a href='https://evil.example'>free</a><base href='https://evil.example/'>",
    "<form action=https://evil.example><input name=csrf>",
    "<div hx-get='https://evil.example' hx-trigger='load'>x</div>",
    "&lt;script&gt;window.broken=1&lt;/script&gt; &#x3C;b&#x3E;",
    "\u202egnp.exe\u202c \u2066x\u2069 \x07 \x1b[31m \ufeff",
    "M" * 400,
    "👩‍👩‍👧‍👦🏳️‍🌈 你好世界 مرحبا بالعالم Z̷̢͝a̶l̵g̸o̴",
    "--><!--<style>*{display:none}</style>",
)


@contextmanager
def copy_of(template: Path, folder: Path, embedder: WordLlamaEmbedder) -> Iterator[Memory]:
    """Open a copy of a database, to be changed at will."""
    path = folder / "copy.db"
    shutil.copyfile(template, path)
    with Memory.open(path, settings=Settings(db=str(path)), embedder=embedder) as memory:
        yield memory


def hostile_memory(path: Path, embedder: WordLlamaEmbedder) -> Memory:
    """A memory in which every name, text, session, ref, tip and run is an attack."""
    memory = Memory.open(path, settings=Settings(db=str(path)), embedder=embedder)
    space = memory.space("<b>x</b>/\"'&%2e?#")
    messages = []
    for n, words in enumerate(HOSTILE):
        name = "".join(c for c in words if c.isprintable())[:480] or "?"
        at = START + timedelta(days=n)
        messages += [
            NewMessage(name, f"I live in {words}. I love {words}", at, session=name, source_ref=f"{n} {name}"[:480]),
            NewMessage("Ann", f"You live in {words}? My dog is called {words}.", at, session=name, source_ref=f"{n}b"),
            NewMessage(name, f"I moved to Porto. {words}", at, session=name, source_ref=f"{n}c", caption=words),
        ]
    space.add(messages)
    space.flush()
    claims = list(space.state().claims)
    for words in HOSTILE[:3]:
        space.revise_claim(claims[len(words) % len(claims)], f"It is {words}", reason=words)
    space.add_run(NewRun(f"{n}", words[:50], words, _steps(words), app=words[:40], agent=words[:40],
                         outcome=Outcome.FAILURE, outcome_by=OutcomeBy.EVALUATION, outcome_note=words)
                  for n, words in enumerate(HOSTILE[:6]))  # fmt: skip
    space.ask(f"Where does {HOSTILE[0]} live?")
    return memory


def _steps(words: str) -> tuple[Step, ...]:
    return (
        Step(1, StepKind.PROMPT, words),
        Step(2, StepKind.ACTION, "", agent=words[:30], tool=words[:30], arguments={words: words}),
        Step(3, StepKind.ERROR, f"Error: {words}", tool=words[:30], answers=2),
        Step(4, StepKind.ACTION, "", agent=words[:30], tool=words[:30], arguments={words: "b"}),
        Step(5, StepKind.FINAL, words),
    )


class Seen(HTMLParser):
    """Tags, attributes and links of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {k: v or "" for k, v in attrs}))

    @property
    def links(self) -> list[str]:
        """Places on this server that the page leads to, in order, each once."""
        found = [a["href"].partition("#")[0] for t, a in self.tags if t == "a" and "href" in a]
        return [h for h in dict.fromkeys(found) if h.startswith("/")]

    def faults(self) -> list[str]:
        """What should not be on any page: foreign places, scripts and handlers in the page itself, styles."""
        wrong = []
        for tag, attrs in self.tags:
            if tag in ("style", "base", "iframe", "object", "embed", "video", "audio", "template", "b", "div hx-get"):
                wrong.append(tag)
            if tag == "script" and not attrs.get("src", "").startswith("/assets/"):
                wrong.append("inline script")
            for name, value in attrs.items():
                if name.startswith("on") or name == "style":
                    wrong.append(f"{tag} {name}")
                if name in ("href", "src", "action", "hx-get", "formaction") and not value.startswith(("/", "#")):
                    wrong.append(f"{tag} {name}={unquote(value)[:60]}")
                if value.startswith("//"):
                    wrong.append(f"{tag} {name}={value[:60]}")
        return wrong


def needs_browser() -> None:
    """Skip where there is no Chromium."""
    if CHROMIUM is None:
        pytest.skip("needs a browser: chromium (Debian: apt-get install chromium)")
    pytest.importorskip("playwright", reason="needs playwright (extra 'dev')")
