"""The typed client: what it gives is what the embedded memory gives, over a real socket."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

import trajwiki
from tests.served import served
from tests.test_server_keys import failed_run
from trajwiki import Memory, NewMessage, Settings
from trajwiki import client as remote
from trajwiki.client.handles import AsyncSpace, Space
from trajwiki.erasure import Selection
from trajwiki.errors import InvalidMessage, UnknownItem, UnknownSpace, UsageError
from trajwiki.models.wordllama import WordLlamaEmbedder
from trajwiki.store.keys import KeyStore, Scope

pytestmark = pytest.mark.network
AT = datetime(2024, 5, 1, 10, tzinfo=UTC)


@pytest.fixture
def there(memory: Memory) -> Iterator[remote.Memory]:
    with served(memory) as url, remote.Memory.open(url) as opened:
        yield opened


@pytest.fixture
def here(tmp_path: Path, embedder: WordLlamaEmbedder) -> Iterator[Memory]:
    """An embedded memory to compare with."""
    with Memory.open(tmp_path / "here.db", settings=Settings(), embedder=embedder) as opened:
        yield opened


def use(memory: Any, sample: list[NewMessage]) -> dict[str, Any]:
    """A program that uses a memory, whichever it is; gives what it saw."""
    seen: dict[str, Any] = {}
    steps: list[tuple[int, int]] = []
    memory.create_space("ada", id="space_same")
    space = memory.space("ada")
    seen["added"] = space.add(sample, progress=lambda done, total: steps.append((done, total)))
    seen["progress"] = steps[-1]
    seen["again"] = space.add(sample[:3]).counts
    seen["flush"] = space.flush()
    seen["recall"] = space.recall("What is the name of Tom's dog?", budget=300)
    seen["as_of"] = space.recall("What is the name of Tom's dog?", budget=300, as_of=1)
    answer = space.ask("What is the name of Tom's dog?")
    seen["answer"] = replace(answer, id="")
    seen["explained"] = space.explain(answer.id)["text"]
    seen["claim"] = space.add_claim("Ada lives in Lisbon.", reason="she said so")
    claim_id = space.diff(seen["claim"].n - 1, seen["claim"].n).added[0][0]
    seen["revised"] = space.revise_claim(claim_id, "Ada lives in Porto.", reason="she moved")
    seen["restored"] = space.restore_claim(claim_id, reason="she moved back")
    seen["deprecated"] = space.deprecate_claim(claim_id, reason="wrong")
    seen["reverted"] = space.revert(seen["deprecated"].n)
    seen["shown"] = space.show(2)
    seen["diff"] = space.diff(0, 3)
    seen["blame"] = space.blame(seen["answer"].facts[0].claim_id)
    seen["dry"] = space.erase(Selection(refs=(sample[0].source_ref or "",)), dry_run=True)
    seen["erased"] = space.erase(Selection(refs=(sample[0].source_ref or "",)))
    seen["log"] = space.log()
    seen["short log"] = space.log(limit=2)
    seen["sound"] = space.examine()
    seen["spaces"] = [(s.name, s.id, s.head) for s in memory.spaces()]
    return seen


def plain(value: Any) -> Any:
    """Without the times of commits and the durations, which are the machine's."""
    if hasattr(value, "timings_ms"):
        return replace(value, timings_ms={})
    if hasattr(value, "arguments"):
        return replace(value, at=AT)
    if hasattr(value, "scrubbed"):
        return replace(value, at=None)
    if isinstance(value, list | tuple):
        return type(value)(plain(v) for v in value)
    return value


def test_one_changed_line_moves_a_program_to_a_server(
    there: remote.Memory, here: Memory, sample: list[NewMessage]
) -> None:
    some = sample[:205]  # more than a request is kept open for
    remotely, locally = use(there, some), use(here, some)
    for name, value in locally.items():
        got, wanted = plain(remotely[name]), plain(value)
        assert got == wanted, name


def arguments(method: Any) -> list[tuple[Any, ...]]:
    found = inspect.signature(method).parameters.values()
    return [(p.name, p.kind, p.default) for p in found if p.name not in ("self", "at")]


def test_the_client_has_the_names_and_arguments_of_the_embedded_memory() -> None:
    ours = {"state", "task"}  # what cannot be sent
    for local, distant in ((trajwiki.Space, Space), (trajwiki.Memory, remote.Memory)):
        for name, method in inspect.getmembers(local, inspect.isfunction):
            if name.startswith("_") or name in ours or not hasattr(distant, name):
                continue
            assert arguments(method) == arguments(getattr(distant, name)), name
    told = {n for n, _ in inspect.getmembers(trajwiki.Space, inspect.isfunction) if not n.startswith("_")} - ours
    dialogue = {"add", "flush", "add_claim", "revise_claim", "deprecate_claim", "restore_claim", "recall", "ask"}
    dialogue |= {"explain", "revert", "erase", "show", "diff", "blame", "log", "examine", "export", "reembed"}
    dialogue |= {"add_run", "runs", "run", "tips", "guidelines", "feedback", "approve_tip", "edit_tip", "merge_tips"}
    assert dialogue <= told
    assert all(hasattr(Space, name) and hasattr(AsyncSpace, name) for name in dialogue)


def test_the_same_can_be_awaited(memory: Memory, sample: list[NewMessage], tmp_path: Path) -> None:
    async def program(url: str) -> tuple[Any, ...]:
        async with await remote.AsyncMemory.open(url) as there:
            space = await there.create_space("ada")
            commit = await space.add(sample[:40])
            found, answer = await asyncio.gather(space.recall("dog?"), space.ask("Who has a dog?"))
            await space.export(tmp_path / "a.zip")
            return commit, found, await space.explain(answer.id), await there.spaces()

    with served(memory) as url:
        commit, found, kept, spaces = asyncio.run(program(url))
    assert commit.counts["messages"] == 40
    assert replace(found, timings_ms={}) == replace(memory.space("ada").recall("dog?"), timings_ms={})
    assert kept["question"] == "Who has a dog?"
    assert [s.name for s in spaces] == ["ada"]
    assert (tmp_path / "a.zip").read_bytes().startswith(b"PK")


def test_errors_are_the_errors_of_the_embedded_memory(there: remote.Memory) -> None:
    space = there.space("ada")
    with pytest.raises(UnknownSpace, match="ada"):
        space.log()
    with pytest.raises(InvalidMessage, match="message 2"):
        space.add([NewMessage("Ada", "Hi."), NewMessage("", "Hi.")])
    space.add([NewMessage("Ada", "Hi.", AT)])
    with pytest.raises(UnknownItem, match="claim_x"):
        space.revise_claim("claim_x", "a", reason="b")
    with pytest.raises(UsageError, match="question"):
        space.recall("")
    with pytest.raises(UsageError, match="no zone"):
        space.recall("x", as_of=datetime(2024, 1, 1))
    with pytest.raises(UsageError, match="address"):
        remote.Memory.open("memory.db")


def test_odd_text_and_names_come_through(there: remote.Memory) -> None:
    name = "a/b %2F ..é🙂"
    space = there.space(name)
    space.add([NewMessage("Ünal", "\ud800 \0 日本 " + "🙂" * 100, AT, source_ref="x/ y?", metadata={"k": "\u2028"})])
    (kept,) = space.messages()
    assert (kept.speaker, kept.source_ref, kept.metadata) == ("Ünal", "x/ y?", {"k": "\u2028"})
    assert kept.text.startswith("� � 日本")
    there.rename_space(name, "..")
    assert there.space("..").log()
    assert there.delete_space("..")["message"] == 1


def test_an_archive_travels_from_server_to_server(there: remote.Memory, here: Memory, tmp_path: Path) -> None:
    space = there.space("ada")
    space.add([NewMessage("Ada", "I love tea.", AT), NewMessage("Bo", "Me too.", AT)])
    counts = space.export(tmp_path / "ada.zip")
    assert counts["message"] == 2
    with pytest.raises(UsageError, match="something"):
        space.export(tmp_path / "ada.zip")
    assert here.import_space(tmp_path / "ada.zip").space.head == space.log()[0].n
    there.delete_space("ada")
    back = there.import_space(tmp_path / "ada.zip", name="eda")
    assert (back.space.name, back.rows["message"]) == ("eda", 2)


def test_a_server_that_is_away_or_says_no_is_told_apart(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trajwiki.client.sending.pause_of", lambda n: 0.0)
    with remote.Memory.open("http://127.0.0.1:9", timeout=1) as nobody, pytest.raises(remote.ServerUnavailable):
        nobody.spaces()
    memory.create_space("ada")
    secret, _ = KeyStore(memory.database).create(["ada"], scope=Scope.READ, now=memory.clock())
    with served(memory, keys=True) as url:
        with remote.Memory.open(url) as without, pytest.raises(remote.AccessDenied, match="key"):
            without.spaces()
        with remote.Memory.open(url, key=secret) as reader:
            assert [s.name for s in reader.spaces()] == ["ada"]
            assert reader.space("ada").recall("x").evidence == ()
            with pytest.raises(remote.AccessDenied, match="scope"):
                reader.space("ada").add([NewMessage("Ada", "Hi.", AT)])


def test_a_reply_that_is_lost_does_not_double_what_was_sent(memory: Memory) -> None:
    """The first reply to every write is dropped on its way; the client sends again under the same key."""
    lost: set[str] = set()

    class Lossy(httpx.HTTPTransport):
        def handle_request(self, request: httpx.Request) -> httpx.Response:
            response = super().handle_request(request)
            key = request.headers.get("idempotency-key")
            if key and key not in lost:
                lost.add(key)
                response.close()
                raise httpx.ReadError("the connection broke")
            return response

    with served(memory) as url, httpx.Client(base_url=url, transport=Lossy()) as http:
        space = remote.Memory(http).space("ada")
        space.add([NewMessage("Ada", "I bought a canoe."), NewMessage("Ada", "I bought a canoe.")])
        space.add_claim("Ada lives in Lisbon.", reason="she said so")
        assert len(space.messages()) == 3  # two, and the correction
        assert [c.kind.value for c in space.log()].count("correction") == 1
    assert len(lost) == 2


def learn(memory: Any) -> dict[str, Any]:
    """A program of an agent that learns, whichever memory it has; gives what it saw."""
    memory.create_space("desk", id="space_desk")
    space = memory.space("desk")
    seen: dict[str, Any] = {"added": space.add_run([failed_run("r1", "Sell the kite of a customer.")])}
    seen["runs"] = space.runs()
    seen["run"] = space.run(seen["runs"][0].id)
    seen["analysis"] = space.analysis(seen["run"].id)
    seen["raw"] = space.run_raw(seen["run"].id)
    seen["tips"] = space.tips()
    tip = seen["tips"][0][0]
    seen["tip"] = space.tip(tip.id)
    seen["approved"] = space.approve_tip(tip.id, reason="good")
    seen["edited"] = space.edit_tip(tip.id, reason="shorter", steps=("Look first.",), priority="low").counts
    delivery = space.guidelines("Sell the boat of a customer.", app="shop")
    seen["guidelines"] = (delivery.tip_ids, delivery.words)
    second = failed_run("r2", "Sell the boat of a customer.")
    seen["second"] = space.add_run(second, delivery=delivery.id)
    told = space.feedback(delivery.id, outcome="success", followed=delivery.tip_ids[:1])
    seen["told"] = (told.outcome, told.uses, told.said_by)
    seen["deliveries"] = [d.tip_ids for d in space.deliveries()]
    seen["feedback"] = [f.uses for f in space.all_feedback()]
    seen["choices"] = space.choose("review", True), space.choices()
    seen["history"] = [(op.verb, op.reason, op.actor) for op in space.tip_history(tip.id)]
    seen["dry"] = space.erase_run(["r1"], dry_run=True)
    seen["erased"] = space.erase_run(["r1"])["runs"]
    return seen


def test_an_agent_learns_the_same_through_a_server(there: remote.Memory, here: Memory) -> None:
    remotely, locally = learn(there), learn(here)
    for name, value in locally.items():
        assert plain(remotely[name]) == plain(value), name
    assert locally["guidelines"][0]
