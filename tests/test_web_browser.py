"""The pages in a real browser: each page's main act, no console error, no foreign request, no accessibility fault."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.served import served
from tests.web_room import AXE, CHROMIUM, copy_of, hostile_memory, needs_browser
from trajwiki import Memory, Settings
from trajwiki.cli.web import sample_memory
from trajwiki.evaluation.datasets import load_locomo
from trajwiki.models.wordllama import WordLlamaEmbedder
from trajwiki.store.keys import KeyStore, Scope
from trajwiki.web.links import Links

pytestmark = pytest.mark.network

RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
PHONE = {"width": 390, "height": 844}
WIDE = {"width": 1280, "height": 860}


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    needs_browser()
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        opened = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("web") / "sample.db"
    sample_memory(path).close()
    return path


@pytest.fixture
def memory(template: Path, tmp_path: Path, embedder: WordLlamaEmbedder) -> Iterator[Memory]:
    with copy_of(template, tmp_path, embedder) as opened:
        yield opened


@pytest.fixture
def root(memory: Memory) -> Iterator[str]:
    with served(memory, web=True) as address:
        yield address


@contextmanager
def watched(browser: Any, root: str, **given: Any) -> Iterator[Any]:
    """Open a page; fails in the end on anything in the console, any foreign request, and any dialog."""
    context = browser.new_context(**{"viewport": WIDE, **given})
    page = context.new_page()
    faults: list[str] = []
    page.on("console", lambda m: faults.append(f"console: {m.text}") if m.type in ("error", "warning") else None)
    page.on("pageerror", lambda e: faults.append(f"error: {e}"))
    page.on("dialog", lambda d: (faults.append(f"dialog: {d.message}"), d.dismiss()))
    host = urlsplit(root).netloc
    page.on("request", lambda r: faults.append(f"foreign: {r.url}") if urlsplit(r.url).netloc != host else None)
    try:
        yield page
        assert faults == []
    finally:
        context.close()


def audit(page: Any) -> list[str]:
    """Give what axe finds at level A and AA, in light, and of contrast in dark."""
    if not page.evaluate("Boolean(window.axe)"):
        page.evaluate(AXE.read_text(encoding="utf-8"))
    run = "rules => axe.run(document, {runOnly: rules, resultTypes: ['violations']}).then(r => r.violations)"
    page.emulate_media(color_scheme="light")
    found = page.evaluate(run, {"type": "tag", "values": RULES})
    page.emulate_media(color_scheme="dark")
    found += page.evaluate(run, {"type": "rule", "values": ["color-contrast"]})
    return [f"{v['id']}: {v['nodes'][0]['html'][:160]} {v['nodes'][0]['failureSummary'][:200]}" for v in found]


def sample_places(memory: Memory) -> list[str]:
    """One address of each kind of page."""
    space, links = memory.space("sample"), Links("sample")
    state = space.state()
    pages = sorted(state.pages.values(), key=lambda p: -len(state.links.get(p.id, ())))
    changed = next(op for op in state.ops if op.op.value == "REVISE")
    longest = max(state.trajectories, key=lambda t: len(state.members[t]))
    source = state.sources[changed.claim_id][0].quote.message_id
    runs = sorted(space.runs(), key=lambda r: r.outcome.value)
    tips = [t for t, _ in space.tips()]
    answer = space.ask("Where does Ines live now?")
    return [
        "/", *(links.to(rest) for rest in ("wiki", "ask", "conversations", "trajectories", "graph", "runs", "tips",
        "history", "health", "erase", "search")), links.page(pages[0].slug), links.to(f"wiki/{pages[1].slug}/history"),
        links.claim(changed.claim_id), links.thread(longest), links.message(source, changed.claim_id),
        links.to("search", q="Lyon"), links.to(f"ask/{answer.id}", why="S1:7"), links.commit(state.head - 6),
        links.to("graph", focus=f"page:{pages[0].slug}"), links.to(f"runs/{runs[0].id}"),
        links.to(f"tips/{tips[-1].id}"), links.to("erase", ref="S1:1"), Links("sample", 6).to("wiki"),
        links.to("history/diff", a=2, b=4),
    ]  # fmt: skip


def test_no_page_of_the_sample_has_a_fault(browser: Any, root: str, memory: Memory) -> None:
    wrong = {}
    with watched(browser, root) as page:
        for at in sample_places(memory):
            assert page.goto(root + at).status == 200, at
            if found := audit(page):
                wrong[at] = found
    assert wrong == {}


def test_no_page_is_wider_than_a_phone(browser: Any, root: str, memory: Memory) -> None:
    wide = {}
    with watched(browser, root, viewport=PHONE) as page:
        for at in sample_places(memory):
            page.goto(root + at)
            over = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            if over > 0:
                wide[at] = over
    assert wide == {}


def test_from_a_belief_to_the_words_and_back(browser: Any, root: str) -> None:
    with watched(browser, root) as page:
        page.goto(root)
        page.get_by_role("link", name="Ines", exact=True).first.click()
        page.locator(".lines .ref").first.click()
        assert page.locator("#asked mark").count() >= 1
        assert page.locator("#asked").is_visible()
        page.get_by_role("link", name="Thread").first.click()
        assert "What happened, in order" in page.content()


def test_asking_shows_the_way_and_why_not(browser: Any, root: str) -> None:
    with watched(browser, root) as page:
        page.goto(root + "/s/sample/wiki")
        page.get_by_label("Ask the memory").fill("Where does Ines live now?")
        page.get_by_role("button", name="Ask", exact=True).click()
        assert "Hamburg" in page.locator(".answer h1").inner_text()
        assert page.locator(".path > li").count() == 6
        page.get_by_label("Reference or words").fill("S1:7")
        page.get_by_role("button", name="Explain").click()
        assert "no longer holds" in page.locator(".reason > p strong").inner_text()
        assert audit(page) == []


def test_correcting_beside_the_message(browser: Any, root: str, memory: Memory) -> None:
    state = memory.space("sample").state()
    claim = next(c for c in state.claims.values() if c.facet and state.is_current(c.id))
    source = state.sources[claim.id][0].quote.message_id
    with watched(browser, root) as page:
        page.goto(root + Links("sample").message(source, claim.id))
        one = page.locator(".understood .one.here")
        one.get_by_role("link", name="Correct").click()
        form = one.locator("form").first
        form.get_by_label("What is right instead").fill("Tom lives on a boat.")
        form.get_by_label("How do you know?").fill("he said so")
        assert audit(page) == []
        form.get_by_role("button").click()
        page.wait_for_url(re.compile("done=revise"))
        assert page.locator("h1").inner_text() == "Tom lives on a boat."
        assert "he said so" in page.content()
    assert not memory.space("sample").state().is_current(claim.id)


def test_erasing_a_message(browser: Any, root: str, memory: Memory) -> None:
    with watched(browser, root) as page:
        page.goto(root + "/s/sample/messages/S10:2")
        page.locator("#asked").get_by_role("link", name="Erase").click()
        page.get_by_role("button", name="Show exactly what would fall").click()
        assert "This would fall" in page.content()
        assert audit(page) == []
        page.get_by_role("button", name="Erase 1 message for good").click()
        page.wait_for_selector("h1:has-text('Erased')")
    assert "S10:2" not in memory.space("sample").state().message_by_ref


def test_withdrawing_a_tip(browser: Any, root: str, memory: Memory) -> None:
    with watched(browser, root) as page:
        page.goto(root + "/s/sample/tips")
        page.locator(".tiplist h2 a").first.click()
        page.get_by_label("Why? (kept with it)").fill("it is outdated")
        page.get_by_role("button", name="Withdraw").click()
        page.wait_for_url(re.compile("done=withdraw"))
        assert page.locator(".lead .chip").inner_text() == "withdrawn"
        assert "it is outdated" in page.content()
        page.get_by_role("button", name="Put back into use").click()
        page.wait_for_url(re.compile("done=restore"))


def test_the_slider_turns_the_wiki_back(browser: Any, root: str) -> None:
    with watched(browser, root) as page:
        page.goto(root + "/s/sample/history")
        page.locator("#to").focus()
        page.keyboard.press("Home")
        page.wait_for_selector("#moment:has-text('Before the first commit')")
        for _ in range(4):
            page.keyboard.press("ArrowRight")
        page.wait_for_selector("#moment:has-text('After commit 4')")
        page.get_by_role("link", name="Read the wiki as it was then").click()
        assert "You are looking at the past" in page.content()
        page.get_by_role("link", name="Back to now").click()
        assert "You are looking at the past" not in page.content()


def test_exploring_the_graph(browser: Any, root: str) -> None:
    with watched(browser, root) as page:
        page.goto(root + "/s/sample/graph")
        before = page.locator("#graph").get_attribute("viewBox")
        page.get_by_role("button", name="Nearer").click()
        assert page.locator("#graph").get_attribute("viewBox") != before
        page.get_by_role("button", name="Show all").click()
        page.locator(".node-entity circle").last.hover()
        assert page.locator("line.lit").count() >= 1
        page.get_by_label("Find in the graph").fill("Hamburg")
        page.get_by_role("button", name="Show", exact=True).click()
        page.locator("main .tag").first.click()
        assert page.locator("h1").inner_text().startswith("Around")
        page.get_by_role("link", name="Read it").click()
        assert "/wiki/" in page.url


def test_dark_and_light_are_kept(browser: Any, root: str) -> None:
    with watched(browser, root, color_scheme="light") as page:
        page.goto(root + "/s/sample/wiki")
        light = page.evaluate("getComputedStyle(document.body).backgroundColor")
        page.get_by_role("button", name="Switch between light and dark").click()
        dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert dark != light
        page.goto(root + "/s/sample/ask")
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == dark


def test_reading_and_deciding_work_without_scripts(browser: Any, root: str) -> None:
    with watched(browser, root, java_script_enabled=False) as page:
        page.goto(root + "/s/sample/wiki")
        page.get_by_label("Ask the memory").fill("What is Tom allergic to?")
        page.get_by_role("button", name="Ask", exact=True).click()
        assert "hazelnuts" in page.locator(".answer").inner_text()
        page.goto(root + "/s/sample/messages/S10:2")
        page.locator("#asked").get_by_role("link", name="Correct").first.click()
        page.get_by_label("Or is it simply not so?").fill("a joke")
        page.get_by_role("button", name="It does not hold").click()
        assert "Done." in page.content()
        page.goto(root + "/s/sample/history?to=3")
        assert "After commit 3" in page.content()
        page.goto(root + "/s/sample/health")
        page.get_by_role("link", name="Run the checks").click()
        assert "all is well" in page.content()


def test_the_keyboard_reaches_everything(browser: Any, root: str) -> None:
    with watched(browser, root) as page:
        page.goto(root + "/s/sample/wiki")
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
        page.keyboard.press("Enter")
        assert page.evaluate("document.activeElement.id") == "main"
        page.keyboard.press("Tab")
        outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert outline != "none", "focus is seen"


def test_signing_in_with_a_key(browser: Any, memory: Memory) -> None:
    secret, _ = KeyStore(memory.database).create(["sample"], scope=Scope.WRITE, now=memory.clock(), label="me")
    with served(memory, web=True, keys=True) as root, watched(browser, root) as page:
        page.goto(root + "/s/sample/tips")
        assert page.locator("h1").inner_text() == "Sign in"
        assert audit(page) == []
        page.get_by_label("Key").fill(secret)
        page.get_by_role("button", name="Sign in").click()
        assert page.url.endswith("/s/sample/tips")
        page.get_by_role("button", name="Sign out").click()
        assert page.locator("h1").inner_text() == "Sign in"


def test_hostile_words_do_nothing(browser: Any, tmp_path: Path, embedder: WordLlamaEmbedder) -> None:
    with hostile_memory(tmp_path / "hostile.db", embedder) as memory, served(memory, web=True) as root:
        links = Links(memory.spaces()[0].name)
        space = memory.space(links.space)
        state = space.state()
        page_ids = sorted(state.pages.values(), key=lambda p: -len(state.links.get(p.id, ())))[:3]
        places = [
            links.to(r) for r in ("wiki", "conversations", "trajectories", "graph", "runs", "tips", "history", "ask")
        ]
        places += [links.page(p.slug) for p in page_ids] + [links.claim(c) for c in list(state.claims)[:3]]
        places += [links.message(m) for m in list(state.messages)[:20:6]]
        places += [links.to(f"runs/{r.id}") for r in space.runs()[:2]]
        with watched(browser, root, viewport=PHONE) as page:
            for at in places:
                page.goto(root + at)
                assert page.evaluate("window.broken") is None, at
                over = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
                assert over <= 0, at
                assert page.locator("footer").is_visible(), at


def test_locomo_in_the_browser(browser: Any, shared: Path, tmp_path: Path, embedder: WordLlamaEmbedder) -> None:
    conversation = load_locomo(shared / "locomo" / "locomo-dev.json")[0]
    path = tmp_path / "l.db"
    with Memory.open(path, settings=Settings(db=str(path)), embedder=embedder) as memory:
        space = memory.space("locomo")
        space.add(conversation.messages)
        space.flush()
        state = space.state()
        links = Links("locomo")
        answer = space.ask("What does Melanie do to relax?")
        longest = max(state.trajectories, key=lambda t: len(state.members[t]))
        big = max(state.pages.values(), key=lambda p: len(state.links.get(p.id, ())))
        places = [links.to(r) for r in ("wiki", "graph", "health", "history", "trajectories")]
        places += [links.page(big.slug), links.thread(longest), links.to(f"ask/{answer.id}"),
                   links.message(next(iter(state.messages)))]  # fmt: skip
        wrong = {}
        with served(memory, web=True) as root, watched(browser, root) as page:
            for at in places:
                page.goto(root + at)
                if found := audit(page):
                    wrong[at] = found
        assert wrong == {}
