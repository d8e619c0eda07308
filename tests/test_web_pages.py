"""The pages without a browser: links lead somewhere, nothing hostile acts, only genuine forms change things."""

from __future__ import annotations

import re
import time
from collections import deque
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from tests.web_room import HOSTILE, Seen, copy_of, hostile_memory
from trajwiki import Memory
from trajwiki.cli.web import sample_memory
from trajwiki.domain.claims import Quote
from trajwiki.evaluation.datasets import load_locomo
from trajwiki.models.wordllama import WordLlamaEmbedder
from trajwiki.server import ServerSettings, create_app
from trajwiki.store.keys import KeyStore, Scope
from trajwiki.web.links import Links, name_of, segment
from trajwiki.web.said import marked

HOME = "http://localhost:8377"


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
def http(memory: Memory) -> Iterator[TestClient]:
    with client(memory) as opened:
        yield opened


@pytest.fixture(scope="module")
def reader(
    template: Path, tmp_path_factory: pytest.TempPathFactory, embedder: WordLlamaEmbedder
) -> Iterator[TestClient]:
    """For tests that change nothing but kept answers."""
    with copy_of(template, tmp_path_factory.mktemp("reader"), embedder) as opened, client(opened) as http:
        yield http


def client(memory: Memory, *, keys: bool = False, base: str = HOME) -> TestClient:
    app = create_app(memory, settings=ServerSettings(rate=0, keys=keys))
    return TestClient(app, base_url=base, headers={"sec-fetch-site": "same-origin", "origin": base})


def csrf(html: str) -> str:
    found = re.search(r'name="csrf" value="([^"]+)"', html)
    assert found, "the page has no form"
    return found[1]


def walk(http: TestClient, start: str, *, most: int, per_kind: int = 4) -> dict[str, str]:
    """Follow links from a page, a few of each kind; gives the pages by address."""
    pages: dict[str, str] = {}
    kinds: dict[str, int] = {}
    queue = deque([start])
    seen = {start}
    while queue and len(pages) < most:
        at = queue.popleft()
        answer = http.get(at)
        assert answer.status_code == 200, (at, answer.status_code, answer.text[-400:])
        pages[at] = answer.text
        for link in Seen(answer.text).links:
            kind = re.sub(r"[^/]*_[a-z2-7]{16}|/\d+|(?<=wiki/)[^/?]+|=[^&]*", "*", link)
            if link not in seen and kinds.get(kind, 0) < per_kind:
                kinds[kind] = kinds.get(kind, 0) + 1
                seen.add(link)
                queue.append(link)
    return pages


def test_every_link_of_the_sample_leads_to_a_page(reader: TestClient) -> None:
    pages = walk(reader, "/s/sample/wiki", most=90)
    assert len(pages) > 60
    parts = {at.split("/")[3].partition("?")[0] for at in pages if at.count("/") > 2}
    assert parts >= {"wiki", "ask", "conversations", "trajectories", "graph", "runs", "tips", "history", "health",
                     "claims", "messages", "erase"}  # fmt: skip
    for at, html in pages.items():
        assert Seen(html).faults() == [], at
        assert "<h1" in html, at


def test_every_page_tells_the_browser_to_keep_to_itself(reader: TestClient) -> None:
    for at in ("/s/sample/wiki", "/s/sample/ask", "/s/sample/wiki/nowhere", "/s/nobody/wiki", "/s/sample/zzz"):
        headers = reader.get(at).headers
        policy = headers["content-security-policy"]
        assert "unsafe" not in policy and "frame-ancestors 'none'" in policy and "default-src 'none'" in policy, at
        assert headers["cache-control"] == "no-store"
        assert headers["x-content-type-options"] == "nosniff"


def test_hostile_words_stay_words(tmp_path: Path, embedder: WordLlamaEmbedder) -> None:
    with hostile_memory(tmp_path / "hostile.db", embedder) as memory, client(memory) as http:
        start = Links(memory.spaces()[0].name).to("wiki")
        pages = walk(http, start, most=110, per_kind=6)
        for at, html in pages.items():
            assert Seen(html).faults() == [], at
        for words in HOSTILE[:6]:
            found = http.get(Links(memory.spaces()[0].name).to("search", q=words))
            assert found.status_code == 200 and Seen(found.text).faults() == []
        assert any("&lt;script&gt;window.broken=1&lt;/script&gt;" in html for html in pages.values())


@pytest.mark.parametrize("name", ["a/b", "..", ".", "50%", "%2F", "a\\b", "ü ñ 名", "?q=1#x", "a+b&c", "%252e", "~2F"])
def test_any_name_of_a_space_has_an_address(memory: Memory, name: str) -> None:
    memory.create_space(name)
    with client(memory) as http:
        answer = http.get(Links(name).to("wiki"))
    assert answer.status_code == 200, answer.text[:300]
    assert segment(name) not in (".", "..")


def test_a_reference_leads_to_the_words_it_stands_on(http: TestClient, memory: Memory) -> None:
    state = memory.space("sample").state()
    claim_id, sources = next((c, s) for c, s in state.sources.items() if len(s[0].quote.text) > 20)
    html = http.get(Links("sample").message(sources[0].quote.message_id, claim_id)).text
    assert f"<mark>{_escaped(sources[0].quote.text)}</mark>" in html
    assert 'id="asked"' in html


def _escaped(text: str) -> str:
    from markupsafe import escape

    return str(escape(text))


def test_marks_overlap_without_losing_a_character() -> None:
    text = "I moved to Hamburg on Monday."
    quotes = [
        (Quote("m", "moved to Hamburg", 2), False),
        (Quote("m", "Hamburg on", 11), True),
        (Quote("m", "x", 3), True),
    ]
    pieces, fitted = marked(text, quotes)
    assert "".join(p.text for p in pieces) == text
    assert fitted == 2
    assert "".join(p.text for p in pieces if p.mark == "asked") == "Hamburg on"


def test_a_form_without_the_token_changes_nothing(http: TestClient, memory: Memory) -> None:
    claim = next(iter(memory.space("sample").state().claims))
    head = memory.space("sample").state().head
    page = http.get(f"/s/sample/claims/{claim}")
    token = csrf(page.text)
    body = {"act": "deprecate", "reason": "r"}
    attempts = [
        http.post(f"/s/sample/claims/{claim}", data=body),
        http.post(f"/s/sample/claims/{claim}", data={**body, "csrf": "x" * 48}),
        http.post(
            f"/s/sample/claims/{claim}", data={**body, "csrf": token}, headers={"origin": "https://evil.example"}
        ),
        http.post(f"/s/sample/claims/{claim}", data={**body, "csrf": token}, headers={"sec-fetch-site": "cross-site"}),
        http.post("/s/sample/erase", data={"q": "a", "expected": "1"}),
        http.post("/s/sample/history/2/revert"),
        http.post("/s/sample/tips/x", data={"verb": "withdraw"}),
        http.post("/s/sample/ask", data={"question": "Where does Ines live?"}),
    ]
    assert {a.status_code for a in attempts} == {403}
    assert memory.space("sample").state().head == head
    http.cookies.clear()
    assert http.post(f"/s/sample/claims/{claim}", data={**body, "csrf": token}).status_code == 403


def test_correcting_a_claim_keeps_the_old_one_as_history(http: TestClient, memory: Memory) -> None:
    space = memory.space("sample")
    state = space.state()
    claim = next(c for c in state.claims.values() if c.facet and c.facet.name == "lives_in" and state.is_current(c.id))
    token = csrf(http.get(f"/s/sample/claims/{claim.id}").text)
    told = {"act": "revise", "text": f"{claim.subject} lives in Oslo.", "reason": "she told me", "csrf": token}
    shown = http.post(f"/s/sample/claims/{claim.id}", data=told)
    assert shown.status_code == 200
    assert "lives in Oslo" in shown.text and "she told me" in shown.text and "Done." in shown.text
    assert space.state().status[claim.id].value == "deprecated"
    back = http.post(f"/s/sample/claims/{claim.id}", data={"act": "restore", "reason": "no", "csrf": token})
    assert back.status_code == 200
    assert space.state().is_current(claim.id)


def test_a_person_can_state_a_claim(http: TestClient, memory: Memory) -> None:
    token = csrf(http.get("/s/sample/wiki").text)
    told = {"text": "Ines is allergic to penicillin.", "reason": "she rang me", "csrf": token}
    shown = http.post("/s/sample/claims", data=told)
    assert shown.status_code == 200 and "allergic to penicillin" in shown.text and "she rang me" in shown.text
    assert any("penicillin" in c.text for c in memory.space("sample").state().claims.values())
    assert http.post("/s/sample/claims", data={**told, "text": " "}).status_code == 422


def test_erasing_shows_first_what_falls(http: TestClient, memory: Memory) -> None:
    ref = "S10:2"
    page = http.get("/s/sample/erase", params={"ref": ref})
    assert "Hamburg" in page.text and "Show exactly what would fall" in page.text
    token = csrf(page.text)
    preview = http.post("/s/sample/erase/preview", data={"ref": ref, "csrf": token})
    assert preview.status_code == 200 and "This would fall" in preview.text
    assert ref in memory.space("sample").state().message_by_ref
    stale = http.post("/s/sample/erase", data={"ref": ref, "csrf": token, "expected": "5"})
    assert stale.status_code == 422 and ref in memory.space("sample").state().message_by_ref
    done = http.post("/s/sample/erase", data={"ref": ref, "csrf": token, "expected": "1"})
    assert done.status_code == 200 and "1 message is gone" in done.text
    assert ref not in memory.space("sample").state().message_by_ref
    assert "moved from Lyon to Hamburg" not in http.get("/s/sample/wiki").text


def test_an_answer_shows_its_way_and_why_a_message_was_not_used(reader: TestClient) -> None:
    token = csrf(reader.get("/s/sample/ask").text)
    answer = reader.post("/s/sample/ask", data={"question": "Where does Ines live now?", "csrf": token})
    assert answer.status_code == 200
    assert "S10:2" in answer.text
    for part in ("The question", "followed", "chosen", "messages read", "used", "What it cost"):
        assert part in answer.text
    why = reader.get(answer.url.path, params={"why": "S1:7"})
    assert "S1:7 was read" in why.text and "no longer holds" in why.text
    assert "No message has this reference" in reader.get(answer.url.path, params={"why": "xyzzy"}).text


def test_the_wiki_can_be_read_as_it_was(http: TestClient, memory: Memory) -> None:
    space = memory.space("sample")
    first = http.get("/s/sample/wiki", params={"at": 2})
    assert "You are looking at the past" in first.text
    assert "at=2" in first.text, "links stay in the past"
    slug = next(p.slug for p in space.state(as_of=2).pages.values() if p.type.value != "index")
    assert http.get(Links("sample", 2).page(slug)).status_code == 200
    assert "Nothing has been said yet" in http.get("/s/sample/wiki", params={"at": 0}).text
    assert http.get("/s/sample/wiki", params={"at": 99_999}).status_code == 404
    assert "Set it right" not in http.get(Links("sample", 2).claim(next(iter(space.state(as_of=2).claims)))).text


def test_a_commit_can_be_taken_back(http: TestClient, memory: Memory) -> None:
    space = memory.space("sample")
    claim = next(c for c in space.state().claims if space.state().is_current(c))
    commit = space.deprecate_claim(claim, reason="test")
    page = http.get(f"/s/sample/history/{commit.n}")
    done = http.post(f"/s/sample/history/{commit.n}/revert", data={"csrf": csrf(page.text)})
    assert done.status_code == 200 and "taken back" in done.text
    assert space.state().is_current(claim)


def test_a_page_tells_how_it_changed(http: TestClient, memory: Memory) -> None:
    state = memory.space("sample").state()
    page = max(state.pages.values(), key=lambda p: (p.type.value == "entity", len(state.links.get(p.id, ()))))
    html = http.get(f"/s/sample/wiki/{page.slug}/history").text
    assert html.count('class="came"') >= len([b for b in state.bullets[page.id]]) // 2
    assert "The page as it was then" in html


def test_a_tip_is_approved_edited_and_withdrawn(http: TestClient, memory: Memory) -> None:
    space = memory.space("sample")
    tip = next(t for t, s in space.tips() if s.value == "proposed")
    token = csrf(http.get(f"/s/sample/tips/{tip.id}").text)
    approved = http.post(f"/s/sample/tips/{tip.id}", data={"verb": "approve", "reason": "tried it", "csrf": token})
    assert approved.status_code == 200 and "tried it" in approved.text
    words = {"verb": "edit", "content": tip.content + " Always.", "trigger": tip.trigger, "purpose": tip.purpose,
             "steps": "\n".join(tip.steps), "priority": "low", "reason": "clearer", "csrf": token}  # fmt: skip
    edited = http.post(f"/s/sample/tips/{tip.id}", data=words)
    assert edited.status_code == 200, edited.text[-500:]
    new = edited.url.path.rpartition("/")[2]
    assert new != tip.id and space.tip(new).priority.value == "low"
    gone = http.post(f"/s/sample/tips/{new}", data={"verb": "withdraw", "reason": "no", "csrf": token})
    assert gone.status_code == 200 and "withdrawn" in gone.text
    assert new not in {t.id for t in space.practice().book.deliverable()}
    assert http.post(f"/s/sample/tips/{new}", data={"verb": "explode", "csrf": token}).status_code == 422


def test_keys_decide_who_sees_and_who_changes(memory: Memory) -> None:
    memory.create_space("other")
    keys = KeyStore(memory.database)
    reader, _ = keys.create(["sample"], scope=Scope.READ, now=memory.clock(), label="r")
    with client(memory, keys=True, base="http://memory.example") as http:
        away = http.get("/s/sample/wiki", follow_redirects=False)
        assert away.status_code == 303 and away.headers["location"].startswith("/sign-in?after=")
        form = http.get("/sign-in", params={"after": "https://evil.example"})
        token = csrf(form.text)
        assert "evil.example" not in form.text
        assert http.post("/sign-in", data={"key": "tw_nonsense", "csrf": token}).status_code == 401
        assert http.post("/sign-in", data={"key": reader}).status_code == 403, "signing in takes the token too"
        signed = http.post("/sign-in", data={"key": reader, "csrf": token, "after": "/s/sample/wiki"})
        assert signed.status_code == 200 and signed.url.path == "/s/sample/wiki"
        kept = next(c for c in http.cookies.jar if c.name == "trajwiki_key")
        assert "HttpOnly" in str(kept._rest)
        assert http.get("/s/other/wiki").status_code == 404
        claim = next(iter(memory.space("sample").state().claims))
        shown = http.get(f"/s/sample/claims/{claim}")
        assert "can read only" in shown.text
        refused = http.post(
            f"/s/sample/claims/{claim}", data={"act": "deprecate", "csrf": csrf(http.get("/s/sample/ask").text)}
        )
        assert refused.status_code == 403
        assert http.get("/v1/spaces").status_code == 401, "the cookie is for pages alone"
        http.post("/sign-out", data={"csrf": csrf(http.get("/s/sample/ask").text)})
        assert http.get("/s/sample/wiki", follow_redirects=False).status_code == 303


def test_locomo_pages_begin_within_a_fifth_of_a_second(
    shared: Path, tmp_path: Path, embedder: WordLlamaEmbedder
) -> None:
    conversation = load_locomo(shared / "locomo" / "locomo-dev.json")[0]
    with Memory.open(tmp_path / "l.db", embedder=embedder) as memory:
        space = memory.space("locomo")
        space.add(conversation.messages)
        space.flush()
        answer = space.ask("What does Melanie do to relax?")
        with client(memory) as http:
            pages = walk(http, "/s/locomo/wiki", most=60, per_kind=3) | {f"/s/locomo/ask/{answer.id}": ""}
            slow = {}
            for at in (a for a in pages if "check=true" not in a):  # a check is asked for
                taken = min(_seconds(http, at) for _ in range(2))
                if taken > 0.2:
                    slow[at] = round(taken, 3)
    assert slow == {}


def _seconds(http: TestClient, at: str) -> float:
    start = time.perf_counter()
    assert http.get(at).status_code == 200
    return time.perf_counter() - start


@pytest.mark.parametrize(
    "rest",
    ["wiki?at=x", "wiki?at=-1", "graph?focus=page:no", "graph?focus=%00", "graph?size=0", "graph?show=evil",
     "graph?find=%ED%A0%80", "search?q=%00%F0%9F", "search?q=*%20NEAR(%20%22%27%60|", "messages/no", "claims/%2e%2e",
     "history/0", "history/999999999999", "history/diff?a=9&b=1", "history?before=0&to=99999", "runs/no", "tips/no",
     "tips?state=no", "erase?ref=no", "erase?q=%00", "conversations/session?source=x", "ask/no", "trajectories/no",
     "wiki/%00", "search?q=" + "x" * 600, "conversations/session?part=999999&session=2024-03-02"],
)  # fmt: skip
def test_odd_addresses_get_a_page_that_says_so(reader: TestClient, rest: str) -> None:
    answer = reader.get(f"/s/sample/{rest}")
    assert answer.status_code in (200, 404, 422), answer.text[:300]
    assert answer.headers["content-type"].startswith("text/html")
    assert "<h1" in answer.text and Seen(answer.text).faults() == []


@pytest.mark.parametrize(
    "question", ["", "   ", "?", "\x00", "\ud800", "x" * 3000, "'; DROP TABLE message; --", "名前は?"]
)
def test_odd_questions_get_a_page(reader: TestClient, question: str) -> None:
    token = csrf(reader.get("/s/sample/ask").text)
    body = {"question": question.encode("utf-8", "surrogatepass"), "csrf": token}
    answer = reader.post("/s/sample/ask", data=body)
    assert answer.status_code in (200, 422), answer.text[:300]
    assert "<h1" in answer.text


def test_names_in_addresses_are_read_back() -> None:
    from urllib.parse import unquote

    for name in ("a/b", "..", "50% off", "a\\b", "%2F", "plain", "名", "%25", "~2F", "~"):
        assert name_of(unquote(segment(name))) == name
