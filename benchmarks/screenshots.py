"""Pictures of every page on the sample data: light, dark, phone width. ``python -m benchmarks.screenshots DIR``."""

from __future__ import annotations

import argparse
import shutil
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import uvicorn
from playwright.sync_api import Browser, Page, sync_playwright

from trajwiki.cli.web import sample_memory
from trajwiki.domain.claims import Op
from trajwiki.engine import Memory
from trajwiki.server import ServerSettings, create_app

BROWSERS: Final = ("chromium", "chromium-browser", "google-chrome")
WIDE: Final = {"width": 1280, "height": 860}
PHONE: Final = {"width": 390, "height": 844}
LOOKS: Final = (("light", WIDE, "light"), ("dark", WIDE, "dark"), ("phone", PHONE, "light"))
README: Final = {"web-answer": "answer-plain", "web-conversation": "conversation"}  # picture to page
README_SIZE: Final = {"width": 1060, "height": 620}
TALLEST: Final = 2600  # pixels of a picture


@contextmanager
def served(memory: Memory, *, settings: ServerSettings | None = None) -> Iterator[str]:
    """Serve a memory on a free port of this machine; gives its address."""
    chosen = settings or ServerSettings(port=0, rate=0)
    config = uvicorn.Config(create_app(memory, settings=chosen), host="127.0.0.1", port=0, log_level="error")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.02)
        if not thread.is_alive():
            raise RuntimeError("the server did not start")
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(timeout=10)


def places(memory: Memory, name: str) -> dict[str, str]:
    """Give the address of one page of each kind, by name of the picture."""
    space = memory.space(name)
    state = space.state()
    changed = next((op for op in state.ops if op.op is Op.REVISE and op.replaces), None)
    busiest = max(
        state.pages.values(), key=lambda p: (p.type.value == "entity", len(state.links.get(p.id, ())), p.slug)
    )
    longest = max(state.trajectories, key=lambda t: len(state.members[t]))
    claim = changed.claim_id if changed else next(iter(state.claims))
    source = state.sources[claim][0].quote.message_id
    answer = space.ask(QUESTION).id
    root = f"/s/{name}"
    found = {
        "wiki": f"{root}/wiki",
        "page": f"{root}/wiki/{busiest.slug}",
        "page-history": f"{root}/wiki/{busiest.slug}/history",
        "search": f"{root}/search?q=Lyon",
        "claim": f"{root}/claims/{claim}",
        "trajectories": f"{root}/trajectories",
        "trajectory": f"{root}/trajectories/{longest}",
        "ask": f"{root}/ask",
        "answer": f"{root}/ask/{answer}?why=half+marathon",
        "answer-plain": f"{root}/ask/{answer}",
        "conversations": f"{root}/conversations",
        "conversation": f"{root}/messages/{source}?claim={claim}",
        "erase": f"{root}/erase?ref={state.messages[source].source_ref}",
        "graph": f"{root}/graph",
        "graph-around": f"{root}/graph?focus=page:{busiest.slug}",
        "runs": f"{root}/runs",
        "tips": f"{root}/tips",
        "history": f"{root}/history",
        "commit": f"{root}/history/{state.head}",
        "past": f"{root}/wiki?at={state.head // 2}",
        "health": f"{root}/health",
    }
    return found | _practice(space, root)


QUESTION: Final = "Where does Ines live now?"


def _practice(space: Any, root: str) -> dict[str, str]:
    runs, tips = space.runs(), [t.id for t, _ in space.tips()]
    failed = next((r for r in runs if r.outcome.value != "success"), runs[0] if runs else None)
    found = {"run": f"{root}/runs/{failed.id}"} if failed else {}
    return found | ({"tip": f"{root}/tips/{tips[-1]}"} if tips else {})


def picture(page: Page, address: str, file: Path) -> None:
    """Take one picture, at most so tall."""
    page.goto(address, wait_until="networkidle")
    height = min(TALLEST, int(page.evaluate("document.documentElement.scrollHeight")))
    width = int(page.evaluate("document.documentElement.clientWidth"))
    page.screenshot(path=file, clip={"x": 0, "y": 0, "width": width, "height": height}, full_page=True)


def all_looks(browser: Browser, root: str, wanted: dict[str, str], folder: Path) -> int:
    """Take every page in every look; gives the number of pictures."""
    for look, size, scheme in LOOKS:
        page = browser.new_page(viewport=size, color_scheme=scheme)  # type: ignore[arg-type]
        for name, address in wanted.items():
            picture(page, root + address, folder / f"{name}-{look}.png")
        page.close()
    return len(wanted) * len(LOOKS)


def small(browser: Browser, root: str, wanted: dict[str, str], folder: Path) -> int:
    """Take the pictures of the README; gives their number."""
    page = browser.new_page(viewport=README_SIZE, color_scheme="light")  # type: ignore[arg-type]
    for name, place in README.items():
        page.goto(root + wanted[place], wait_until="networkidle")
        page.evaluate("document.querySelector('#asked')?.scrollIntoView({block: 'center', behavior: 'instant'})")
        page.screenshot(path=folder / f"{name}.png")
    page.close()
    return len(README)


def main() -> None:
    """Take all pictures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--db", help="a memory that is there, in place of the sample")
    parser.add_argument("--space", default="sample")
    parser.add_argument("--readme", action="store_true", help="the two pictures of the README, small")
    parser.add_argument("--only", default="", help="names of pictures, with commas between")
    options = parser.parse_args()
    browser_path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser_path is None:
        parser.error("there is no browser; Debian: apt-get install chromium")
    options.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="trajwiki-") as scratch:
        memory = Memory.open(options.db) if options.db else sample_memory(Path(scratch) / "sample.db")
        with memory, served(memory) as root, sync_playwright() as play:
            browser = play.chromium.launch(executable_path=browser_path, args=["--no-sandbox"])
            wanted = {
                n: a
                for n, a in places(memory, options.space).items()
                if not options.only or n in options.only.split(",")
            }
            taken = (
                small(browser, root, wanted, options.folder)
                if options.readme
                else all_looks(browser, root, wanted, options.folder)
            )
            browser.close()
    print(f"{taken} pictures in {options.folder}")


if __name__ == "__main__":
    main()
