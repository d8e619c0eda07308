"""The interfaces of other frameworks behave as theirs do, on a real memory."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from trajwiki import Memory, NewMessage, Settings
from trajwiki.errors import UnknownItem, UsageError
from trajwiki.integrations.mem0 import Memory as Mem0


@pytest.fixture
def mem0(tmp_path: Path) -> Any:
    made = Mem0(tmp_path / "mem0.db", settings=Settings())
    yield made
    made.close()


def test_a_program_for_mem0_runs(mem0: Mem0) -> None:
    said = mem0.add(
        [
            {"role": "user", "content": "I live in Lisbon."},
            {"role": "assistant", "content": "You could try yoga."},
        ],
        user_id="ana",
        metadata={"source": "chat", "user_id": "bo"},  # F60: metadata move nothing
    )
    assert [r["event"] for r in said["results"]] == ["ADD"]
    memory_id = said["results"][0]["id"]
    mem0.add("I play the oboe.", user_id="bo")
    (hit, *_) = mem0.search("Where does ana live?", user_id="ana")["results"]
    assert hit["id"] == memory_id
    assert 0 < hit["score"] <= 1
    assert "oboe" not in str(mem0.search("oboe", user_id="ana"))
    assert not mem0.get_all(user_id="carl")["results"]
    mem0.update(memory_id, "ana lives in Porto.", user_id="ana")
    assert [r["memory"] for r in mem0.get_all(user_id="ana")["results"]] == ["ana lives in Porto."]
    assert [h["event"] for h in mem0.history(memory_id, user_id="ana")] == ["ADD", "UPDATE"]
    new = mem0.get_all(user_id="ana")["results"][0]["id"]
    mem0.delete(new, user_id="ana")
    assert not mem0.get_all(user_id="ana")["results"]
    mem0.delete_all(user_id="ana")
    assert mem0.get(memory_id, user_id="ana") is None
    assert len(mem0.get_all(user_id="bo")["results"]) == 1


def test_whose_memory_is_always_asked_and_never_confused(mem0: Mem0) -> None:
    with pytest.raises(UsageError, match="user_id"):
        mem0.search("anything")
    mem0.add("I live in Lisbon.", user_id="a,agent=1:b")
    assert not mem0.get_all(user_id="a", agent_id="b")["results"]
    with pytest.raises(UnknownItem):
        mem0.delete("claim_none", user_id="a,agent=1:b")


@pytest.mark.network  # asyncio opens a pair of sockets
def test_the_langgraph_store_behaves_as_the_one_in_memory(memory: Memory) -> None:
    pytest.importorskip("langgraph")
    from langgraph.store.memory import InMemoryStore

    from trajwiki.integrations.langgraph import TrajwikiStore

    def run(store: Any) -> list[Any]:
        seen: list[Any] = []
        store.put(("users", "ana/1"), "home", {"text": "lives in Lisbon", "rank": 2})
        store.put(("users", "ana/1"), "cat", {"text": "has a cat", "rank": 5, "tags": ["pet"]})
        store.put(("users", "bo"), "home", {"text": "lives in Rome", "rank": 1})
        store.put(("docs",), "empty", {"n": 1})
        first = store.get(("users", "ana/1"), "home")
        seen.append((first.value, first.key, first.namespace))
        store.put(("users", "ana/1"), "home", {"text": "lives in Porto", "rank": 3})
        again = store.get(("users", "ana/1"), "home")
        assert first.updated_at <= again.updated_at
        seen.append(again.value)
        seen.append(store.get(("users", "ana/1"), "none"))
        seen.append(sorted((i.namespace, i.key) for i in store.search(("users",))))
        seen.append(sorted(i.key for i in store.search(("users",), filter={"rank": {"$gte": 3}})))
        seen.append([i.key for i in store.search(("users",), filter={"text": "has a cat"})])
        seen.append(len(store.search((), limit=2)))
        seen.append(store.list_namespaces(prefix=("users",)))
        seen.append(store.list_namespaces(max_depth=1))
        seen.append(store.list_namespaces(suffix=("bo",)))
        store.delete(("users", "ana/1"), "cat")
        store.delete(("users", "ana/1"), "never")
        seen.append([i.key for i in store.search(("users", "ana/1"))])
        return seen

    ours = TrajwikiStore(memory)
    assert run(ours) == run(InMemoryStore())
    (best, *_) = ours.search(("users",), query="Who lives in Rome?")
    assert best.namespace == ("users", "bo")
    assert asyncio.run(ours.aget(("users", "bo"), "home")).value["rank"] == 1


def test_the_langchain_retriever_gives_documents(memory: Memory) -> None:
    pytest.importorskip("langchain_core")
    from trajwiki.integrations.langchain import TrajwikiRetriever

    space = memory.space("s")
    space.add(
        [NewMessage("Ana", "I live in Lisbon.", source_ref="m1"), NewMessage("Bo", "I like cheese.", source_ref="m2")]
    )
    (document, *_) = TrajwikiRetriever(space=space, k=1).invoke("Where does Ana live?")
    assert document.page_content == "I live in Lisbon."
    assert document.metadata["source_ref"] == "m1"


@pytest.mark.network  # asyncio opens a pair of sockets
def test_a_session_of_the_openai_agents_sdk_gives_back_what_it_was_given(memory: Memory) -> None:
    pytest.importorskip("agents")
    from agents.memory import Session

    from trajwiki.integrations.openai_agents import TrajwikiSession

    space = memory.space("s")
    session = TrajwikiSession("one", space, user="Ana")
    other = TrajwikiSession("two", space)
    assert isinstance(session, Session)
    items: list[Any] = [
        {"role": "user", "content": "I live in Lisbon."},
        {"role": "assistant", "content": [{"type": "output_text", "text": "Noted."}]},
        {"type": "function_call", "call_id": "1", "name": "look", "arguments": "{}"},
    ]

    async def run() -> None:
        assert await session.get_items() == []
        await session.add_items(items)
        await other.add_items([{"role": "user", "content": "Hello"}])
        assert await session.get_items() == items
        assert await session.get_items(limit=2) == items[1:]
        assert await session.pop_item() == items[2]
        await session.add_items(items[:1])  # the same words again are another item
        assert await session.get_items() == [*items[:2], items[0]]
        await session.clear_session()
        assert await session.get_items() == [] and await session.pop_item() is None
        assert len(await other.get_items()) == 1

    asyncio.run(run())
    assert "Lisbon" not in space.recall("Where does Ana live?").context
