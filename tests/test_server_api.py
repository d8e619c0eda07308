"""REST: what every route gives, once over a real memory, and what it refuses."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from trajwiki import Memory, NewMessage, Settings
from trajwiki.models.wordllama import WordLlamaEmbedder
from trajwiki.server import ServerSettings, create_app

SPACE = "/v1/spaces/sample"
BASE = "http://localhost"


def client_of(memory: Memory, **chosen: Any) -> TestClient:
    chosen = {"rate": 0, "web": False, **chosen}
    return TestClient(create_app(memory, settings=ServerSettings(**chosen)), base_url=BASE)


@pytest.fixture(scope="module")
def filled(
    tmp_path_factory: pytest.TempPathFactory, embedder: WordLlamaEmbedder, sample: list[NewMessage]
) -> Iterator[Memory]:
    path = tmp_path_factory.mktemp("server") / "memory.db"
    with Memory.open(path, settings=Settings(), embedder=embedder) as memory:
        memory.space("sample").add(sample)
        yield memory


@pytest.fixture(scope="module")
def http(filled: Memory) -> Iterator[TestClient]:
    """A client that reads; tests that write have a memory of their own."""
    with client_of(filled) as client:
        yield client


@pytest.fixture
def own(memory: Memory) -> Iterator[TestClient]:
    with client_of(memory) as client:
        yield client


def say(text: str, ref: str, speaker: str = "Ana", session: str = "s") -> dict[str, Any]:
    return {
        "speaker": speaker,
        "text": text,
        "sent_at": "2024-05-01T10:00:00+02:00",
        "session": session,
        "source_ref": ref,
    }


def add(client: TestClient, *messages: dict[str, Any], space: str = "sample", **headers: str) -> Any:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return client.post(f"/v1/spaces/{space}/messages", json={"messages": list(messages)}, headers=named)


# Reading


def test_recall_and_ask_give_what_the_embedded_memory_gives(http: TestClient, filled: Memory) -> None:
    question = "What is the name of Tom's dog?"
    there = http.post(f"{SPACE}/recall", json={"question": question, "budget": 300}).json()
    here = filled.space("sample").recall(question, budget=300)
    assert there["context"] == here.context
    assert [e["source_ref"] for e in there["evidence"]] == [e.source_ref for e in here.evidence]
    assert here.evidence
    answer = http.post(f"{SPACE}/ask", json={"question": question}).json()
    assert answer["answered"]
    assert answer["refs"]
    kept = http.get(f"{SPACE}/answers/{answer['id']}").json()
    assert kept["text"] == answer["text"]
    packet = http.get(f"{SPACE}/answers/{answer['id']}/audit").json()
    assert {m["source_ref"] for m in packet["evidence"]} == set(answer["refs"])
    assert packet["commit"]["n"] == packet["head"]
    quotes = [s["quote"] for b in packet["blame"] for line in b["lines"] for s in line["sources"]]
    assert all(fact["quote"] in quotes for fact in answer["facts"] if fact["claim_id"])


def test_every_list_can_be_walked_without_loss_or_repetition(http: TestClient, filled: Memory) -> None:
    state = filled.space("sample").state()
    expected = {
        "messages": list(state.messages),
        "claims": list(state.claims),
        "trajectories": list(state.trajectories),
        "pages": sorted(p.slug for p in state.pages.values()),
    }
    keys = {"messages": "message_id", "pages": "slug"}
    for name, ids in expected.items():
        seen, cursor = [], None
        while True:
            given = {"limit": 17} | ({"cursor": cursor} if cursor else {})
            page = http.get(f"{SPACE}/{name}", params=given).json()
            seen += [item[keys.get(name, "id")] for item in page["items"]]
            cursor = page["next"]
            if cursor is None:
                break
        assert seen == ids, name
        for item in seen[:2]:
            single = {"pages": "wiki"}.get(name, name)
            assert http.get(f"{SPACE}/{single}/{item}").status_code == 200


def test_a_cursor_of_another_list_or_of_nobody_is_refused(http: TestClient) -> None:
    cursor = http.get(f"{SPACE}/claims", params={"limit": 1}).json()["next"]
    for wrong in (cursor, "x", "W10", "WyJwYWdlcyIsMV0", "\x00", "é"):
        assert http.get(f"{SPACE}/pages", params={"cursor": wrong}).status_code == 422, wrong


def test_a_page_is_sent_again_only_when_something_was_committed(own: TestClient) -> None:
    add(own, say("I love tea.", "1"), say("Nice.", "2", "Bo"), say("I moved to Oslo.", "3"))
    first = own.get(f"{SPACE}/wiki")
    again = own.get(f"{SPACE}/wiki", headers={"If-None-Match": first.headers["etag"]})
    assert (first.status_code, again.status_code, again.content) == (200, 304, b"")
    add(own, say("Great.", "4", "Bo"))
    later = own.get(f"{SPACE}/wiki", headers={"If-None-Match": first.headers["etag"]})
    assert later.status_code == 200
    assert later.headers["etag"] != first.headers["etag"]


def test_the_wiki_comes_as_markdown_and_from_the_past(http: TestClient) -> None:
    text = http.get(f"{SPACE}/wiki", params={"form": "markdown"})
    assert text.headers["content-type"].startswith("text/markdown")
    assert text.text.startswith("# ")
    assert http.get(f"{SPACE}/wiki", params={"as_of": 0}).status_code == 404
    assert http.get(f"{SPACE}/claims", params={"as_of": 0}).json()["items"] == []
    assert http.get(f"{SPACE}/wiki", params={"as_of": 99}).status_code == 404


def test_history_reads_like_the_command_line(http: TestClient, filled: Memory) -> None:
    log = http.get(f"{SPACE}/commits").json()["items"]
    assert [c["n"] for c in log] == [c.n for c in filled.space("sample").log()]
    shown = http.get(f"{SPACE}/commits/2").json()
    assert shown["commit"]["n"] == 2
    diff = http.get(f"{SPACE}/diff", params={"before": 0, "after": log[0]["n"]}).json()
    assert len(diff["messages"]) == len(filled.space("sample").state().messages)
    assert http.get(f"{SPACE}/diff", params={"before": 2, "after": 1}).status_code == 422
    assert http.get(f"{SPACE}/commits/99").status_code == 404
    claim = http.get(f"{SPACE}/claims", params={"limit": 1}).json()["items"][0]["id"]
    assert http.get(f"{SPACE}/blame", params={"of": claim}).json()["lines"][0]["sources"]
    assert http.get(f"{SPACE}/doctor").json()["problems"] == []


# Writing


def test_messages_are_there_when_the_answer_comes_and_adding_again_adds_nothing(own: TestClient) -> None:
    first = add(own, say("My sister Eva lives in Bergen.", "1"))
    assert (first.status_code, first.json()["counts"]["messages"]) == (201, 1)
    found = own.post(f"{SPACE}/recall", json={"question": "Where does Eva live?"}).json()
    assert [e["source_ref"] for e in found["evidence"]] == ["1"]
    again = add(own, say("My sister Eva lives in Bergen.", "1"))
    assert (again.status_code, again.json()["counts"]) == (200, {})
    assert own.get(f"{SPACE}/messages/1").json()["text"] == "My sister Eva lives in Bergen."


def test_the_same_key_gives_the_same_result_and_has_one_effect(own: TestClient) -> None:
    message = {"speaker": "Ana", "text": "I bought a canoe."}
    first = add(own, message, idempotency_key="k1")
    second = add(own, message, idempotency_key="k1")
    assert first.status_code == 201
    assert second.status_code == 200
    assert first.json() == second.json()
    assert own.get("/v1/spaces/sample").json()["commits"] == first.json()["n"]
    other = add(own, {"speaker": "Ana", "text": "I sold it."}, idempotency_key="k1")
    assert other.status_code == 409
    assert other.json()["type"].endswith(":Conflict")
    assert len(own.get(f"{SPACE}/messages").json()["items"]) == 1
    add(own, message, space="elsewhere", idempotency_key="k1")  # keys are of a space
    assert len(own.get("/v1/spaces/elsewhere/messages").json()["items"]) == 1


def test_a_correction_that_is_sent_twice_with_a_key_is_made_once(own: TestClient) -> None:
    body = {"text": "Ana lives in Lisbon.", "reason": "she said so"}
    for _ in range(3):
        done = own.post(f"{SPACE}/claims", json=body, headers={"Idempotency-Key": "c"})
        assert done.status_code in (200, 201), done.text
    assert len(own.get(f"{SPACE}/commits").json()["items"]) == 1


def test_a_refusal_is_remembered_under_its_key_too(own: TestClient) -> None:
    add(own, say("I love tea.", "1"))
    sent = [
        own.post(f"{SPACE}/claims/claim_x/revise", json={"text": "a", "reason": "b"}, headers={"Idempotency-Key": "r"})
        for _ in range(2)
    ]
    assert [r.status_code for r in sent] == [404, 404]
    assert sent[0].json()["detail"] == sent[1].json()["detail"]


def test_eight_requests_with_one_key_at_once_have_one_effect(own: TestClient) -> None:
    add(own, say("Hello.", "0"))
    answers: list[Any] = []

    def send() -> None:
        answers.append(add(own, {"speaker": "Bo", "text": "I adopted a cat called Miso."}, Idempotency_Key="same"))

    threads = [threading.Thread(target=send) for _ in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert {a.status_code for a in answers} <= {200, 201, 202}
    assert len([a for a in answers if a.status_code == 201]) == 1
    assert len(own.get(f"{SPACE}/messages").json()["items"]) == 2


def test_work_that_is_put_off_can_be_looked_at_and_comes_to_the_same(own: TestClient) -> None:
    put_off = add(own, say("I adopted a cat.", "1"), prefer="respond-async", idempotency_key="later")
    assert put_off.status_code == 202
    place = put_off.headers["location"]
    for _ in range(200):
        looked = own.get(place).json()
        if looked["status"] == "done":
            break
        threading.Event().wait(0.05)
    assert looked["status"] == "done", looked
    assert looked["result"]["counts"]["messages"] == 1
    again = add(own, say("I adopted a cat.", "1"), idempotency_key="later")
    assert (again.status_code, again.json()) == (200, looked["result"])
    assert own.get(f"{SPACE}/operations").json()["items"][0]["id"] == looked["id"]


def test_corrections_and_reverts(own: TestClient) -> None:
    made = own.post(f"{SPACE}/claims", json={"text": "Ana lives in Lisbon.", "reason": "she said so"})
    assert made.status_code == 201, made.text
    (claim,) = own.get(f"{SPACE}/claims").json()["items"]
    at = f"{SPACE}/claims/{claim['id']}"
    assert own.post(f"{at}/revise", json={"text": "Ana lives in Porto.", "reason": "moved"}).status_code == 201
    assert own.get(at).json()["status"] == "deprecated"
    assert own.post(f"{at}/restore", json={"reason": "moved back"}).status_code == 201
    assert own.get(at).json()["status"] == "active"
    assert own.post(f"{at}/deprecate", json={"reason": "wrong"}).status_code == 201
    assert own.get(f"{SPACE}/claims", params={"status": "deprecated"}).json()["items"]
    head = own.get("/v1/spaces/sample").json()["commits"]
    assert own.post(f"{SPACE}/commits/{head}/revert", json={}).status_code == 201
    assert own.get(at).json()["status"] == "active"
    assert own.get(f"{SPACE}/commits").json()["items"][0]["actor"] == "local"


def test_erasing_says_first_what_would_fall_and_then_leaves_nothing(own: TestClient, memory: Memory) -> None:
    secret = "the password is xyzzyplugh"
    add(own, say(f"Remember: {secret}.", "1"), idempotency_key="e1")
    add(own, say("Sure.", "2", "Bo"), say("I love tea.", "3"), idempotency_key="e2")
    dry = own.post(f"{SPACE}/erase", json={"refs": ["1"]}).json()
    assert (dry["done"], dry["messages"]) == (False, ["1"])
    assert own.get(f"{SPACE}/messages/1").status_code == 200
    done = own.post(f"{SPACE}/erase", json={"refs": ["1"], "confirm": True}).json()
    assert done["done"]
    assert own.get(f"{SPACE}/messages/1").status_code == 404
    assert own.post(f"{SPACE}/erase", json={"confirm": True}).status_code == 422
    path = memory.database.path
    assert path is not None
    for file in path.parent.glob("memory.db*"):
        assert b"xyzzyplugh" not in file.read_bytes(), file.name


def test_a_space_goes_out_as_an_archive_and_comes_back_as_it_was(own: TestClient) -> None:
    add(own, say("I love tea.", "1"), say("Me too.", "2", "Bo"))
    archive = own.get(f"{SPACE}/export")
    assert archive.content.startswith(b"PK")
    head = {"Content-Type": "application/zip"}
    taken = own.post("/v1/import", content=archive.content, headers=head)
    assert taken.status_code == 422
    removed = own.delete(SPACE).json()["removed"]
    assert removed["message"] == 2
    back = own.post("/v1/import", params={"name": "back"}, content=archive.content, headers=head)
    assert back.status_code == 201, back.text
    assert own.get("/v1/spaces/back/messages").json()["items"][1]["text"] == "Me too."
    assert own.post("/v1/import", content=b"PK\x03\x04 nonsense", headers=head).status_code == 422
    prov = own.get("/v1/spaces/back/export", params={"form": "prov"})
    assert json.loads(prov.content)


def test_spaces_are_made_renamed_and_deleted(own: TestClient) -> None:
    assert own.post("/v1/spaces", json={"name": "a"}).status_code == 201
    assert own.post("/v1/spaces", json={"name": "a"}).status_code == 200
    own.post("/v1/spaces", json={"name": "b"})
    assert [s["name"] for s in own.get("/v1/spaces").json()["items"]] == ["a", "b"]
    assert own.patch("/v1/spaces/a", json={"name": "b"}).status_code == 422
    assert own.patch("/v1/spaces/a", json={"name": "c"}).json()["name"] == "c"
    assert own.delete("/v1/spaces/c").status_code == 200
    assert own.get("/v1/spaces/c").status_code == 404


@pytest.mark.parametrize("name", ["a/b", "..", "%2F", "a%b", "日本", "é ü", "a?b#c", "100%", "//"])
def test_any_name_of_a_space_can_stand_in_a_path(own: TestClient, name: str) -> None:
    from trajwiki.client.calls import segment

    assert own.post("/v1/spaces", json={"name": name}).status_code == 201
    at = f"/v1/spaces/{segment(name)}"
    assert own.get(at).json()["name"] == name
    assert add(own, say("Hi.", "x/y"), space=segment(name)).status_code == 201
    assert own.get(f"{at}/messages/x%2Fy").json()["text"] == "Hi."


# Refusing


def test_what_is_wrong_is_said_with_its_place(own: TestClient) -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({"messages": [{"speaker": "Ana", "text": "x", "sent_at": "2024-05-01T10:00:00"}]}, "messages.0.sent_at"),
        ({"messages": [{"speaker": "", "text": "x"}]}, "messages.0.speaker"),
        ({"messages": [{"speaker": "Ana", "text": "x", "user_id": "eve"}]}, "messages.0.user_id"),
        ({"messages": [{"speaker": "Ana", "text": "x", "metadata": {"space": 1}}]}, "metadata.space"),
    ]
    for body, where in cases:
        refused = own.post(f"{SPACE}/messages", json=body)
        assert refused.status_code == 422
        assert where in refused.json()["where"], refused.text
        assert refused.headers["content-type"] == "application/problem+json"
        assert refused.json()["request_id"] == refused.headers["x-request-id"]
    blank = add(own, {"speaker": " ", "text": "x"})
    assert blank.status_code == 422
    assert "message 1" in blank.json()["detail"]
    assert own.get("/v1/spaces").json()["items"] == []  # nothing came into being


BODIES = [b"", b"{", b"[" * 100_000, b'{"question": ' + b"9" * 5000 + b"}", b'{"question": "\\ud800"}', b"\xff\xfe"]
BODIES += [b'{"question": NaN}', b'{"question": " "}', b'{"question": "\\u0000"}', b"null", b'"x"']


@pytest.mark.parametrize("body", BODIES)
def test_no_body_is_a_fault(http: TestClient, body: bytes) -> None:
    sent = http.post(f"{SPACE}/recall", content=body, headers={"Content-Type": "application/json"})
    assert sent.status_code in (200, 400, 422), sent.text


@pytest.mark.parametrize("question", ["'); DROP TABLE message; --", '"* NEAR( ` |', "🙃" * 50, "?!", "x" * 100_000])
def test_no_question_is_a_fault(http: TestClient, question: str) -> None:
    for verb in ("recall", "ask"):
        assert http.post(f"{SPACE}/{verb}", json={"question": question}).status_code == 200


def test_too_much_at_once_is_refused_before_it_is_read(memory: Memory) -> None:
    with client_of(memory, max_body=1000) as client:
        refused = add(client, say("x" * 2000, "1"))
        assert refused.status_code == 413

        def stream() -> Iterator[bytes]:  # without a length
            for _ in range(100):
                yield b"x" * 100

        head = {"Content-Type": "application/json"}
        assert client.post(f"{SPACE}/messages", content=stream(), headers=head).status_code == 413


def test_who_asks_too_often_is_told_when_to_come_back(memory: Memory) -> None:
    with client_of(memory, rate=1, burst=3) as client:
        statuses = [client.get("/v1/spaces").status_code for _ in range(5)]
        assert statuses == [200, 200, 200, 429, 429]
        assert int(client.get("/v1/spaces").headers["retry-after"]) >= 1
        assert client.get("/v1/health").status_code == 200


def test_without_keys_only_this_machine_is_answered(http: TestClient) -> None:
    for host in ("evil.example", "localhost.evil.example", "169.254.1.1", "[::ffff:9.9.9.9]", "["):
        assert http.get("/v1/spaces", headers={"Host": host}).status_code == 403, host
    for host in ("localhost:8377", "127.0.0.1", "[::1]:80"):
        assert http.get("/v1/spaces", headers={"Host": host}).status_code == 200, host
    for origin in ("https://evil.example", "null", "http://localhost.evil.example"):
        sent = http.post(f"{SPACE}/flush", headers={"Origin": origin})
        assert sent.status_code == 403, origin


def test_the_log_and_the_figures_never_hold_what_was_said(
    own: TestClient, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    from trajwiki.server.logs import LOGGER, JsonLines

    word = "zanzibarquokka"
    with caplog.at_level("INFO", logger=LOGGER.name):
        add(own, say(word, word), space=word)
        own.post(f"/v1/spaces/{word}/ask", json={"question": word})
        own.post(f"/v1/spaces/{word}/recall", content=word.encode())
        own.get(f"/v1/spaces/{word}/wiki/{word}")
        own.get(f"/{word}")
    lines = [JsonLines().format(record) for record in caplog.records if record.name == LOGGER.name]
    assert len(lines) >= 5
    assert all(json.loads(line)["request_id"] for line in lines)
    assert word not in "".join(lines)
    figures = own.get("/metrics").text
    assert word not in figures
    assert 'trajwiki_requests_total{method="POST",route="/v1/spaces/{space}/messages",status="201"} 1.0' in figures
    assert "trajwiki_stage_seconds" in figures


def test_a_fault_tells_nothing_of_the_inside(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    from trajwiki.space import Space

    def broken(self: Space, question: str, **_: object) -> None:
        raise RuntimeError("the words of a user")

    monkeypatch.setattr(Space, "recall", broken)
    with client_of(memory) as client:
        client.post("/v1/spaces", json={"name": "sample"})
        fault = client.post(f"{SPACE}/recall", json={"question": "x"})
    assert fault.status_code == 500
    assert "words of a user" not in fault.text
    assert fault.headers["content-type"] == "application/problem+json"


def test_health_needs_nothing_and_readiness_needs_the_database(own: TestClient, memory: Memory) -> None:
    assert own.get("/v1/health").json()["status"] == "ok"
    assert own.get("/v1/ready").json()["embedder"] == memory.embedder.name
    spec = own.get("/openapi.json").json()
    assert spec["openapi"].startswith("3.1")


def test_the_spec_documents_every_status_with_the_form_of_its_answer(own: TestClient) -> None:
    spec = own.get("/openapi.json").json()
    for path, methods in spec["paths"].items():
        for method, route in methods.items():
            assert route.get("summary"), path
            assert route.get("description"), path
            assert "422" in route["responses"] or path in ("/v1/health", "/v1/ready"), (path, method)
            for status, answer in route["responses"].items():
                assert answer.get("content") or status in ("304",), (path, method, status)


def test_exports_leave_nothing_behind(memory: Memory, tmp_path: Path) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    with client_of(memory, scratch=scratch) as client:
        add(client, say("I love tea.", "1"))
        assert client.get(f"{SPACE}/export").status_code == 200
        assert client.get(f"{SPACE}/export", params={"form": "prov"}).status_code == 200
    assert list(scratch.iterdir()) == []
