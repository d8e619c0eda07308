"""Many writers and readers on one database, of each kind: nothing lost, nothing doubled, nothing half seen."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from trajwiki import Memory, NewMessage, Settings
from trajwiki.domain.state import SpaceState, fold_status
from trajwiki.errors import StoreUnavailable
from trajwiki.models.wordllama import WordLlamaEmbedder
from trajwiki.store import database

NOON = datetime(2024, 3, 2, 12, tzinfo=UTC)
PROCESSES, THREADS, ADDS = 4, 2, 3  # eight writers
READERS = 50


def _pair(writer: str, n: int) -> list[NewMessage]:
    """Two messages that are added by one call, so that nobody may ever see one of them alone."""
    at = NOON + timedelta(minutes=n)
    return [
        NewMessage(f"P{writer}", f"I bought kayak number {n}.", at, f"s{writer}", f"{writer}:{n}a"),
        NewMessage(f"Q{writer}", "I live in Porto.", at, f"s{writer}", f"{writer}:{n}b"),
    ]


def _in_threads(acts: list[Callable[[], object]]) -> list[BaseException]:
    """Run all at the same time; gives what they raised."""
    with ThreadPoolExecutor(len(acts)) as pool:
        done = [pool.submit(act) for act in acts]
    return [error for future in done if (error := future.exception()) is not None]


def _write(location: str, process: int) -> None:
    with Memory.open(location, settings=Settings()) as memory:

        def writer(name: str) -> None:
            for n in range(ADDS):
                memory.space("a").add(_pair(name, n))
            memory.space("a").add(_pair("same", 0))  # all of them add this one

        failed = _in_threads([lambda t=t: writer(f"{process}.{t}") for t in range(THREADS)])  # type: ignore[misc]
        if failed:
            raise failed[0]


def _whole(state: SpaceState) -> bool:
    """Tell whether a state is that of a commit: pairs are whole, and what is derived is of the messages there are."""
    refs = set(state.message_by_ref)
    return (
        all(ref[:-1] + {"a": "b", "b": "a"}[ref[-1]] in refs for ref in refs)
        and fold_status(state.ops) == state.status
        and all(i in state.messages for e in state.exchanges.values() for i in e.message_ids)
        and all(state.sources.get(c) and c in state.status for c in state.claims)
        and all(s.exchange_id in state.exchanges for s in state.snapshots.values())
    )


def test_eight_writers_and_fifty_readers(location: str, embedder: WordLlamaEmbedder) -> None:
    """F18, F19: all messages there once, in a total order; no reader sees half a commit, nobody sees a lock.

    The database is not there yet: it is made once, by whoever comes first.
    """
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=_write, args=(location, n)) for n in range(PROCESSES)]
    for process in writers:
        process.start()
    with Memory.open(location, settings=Settings(), embedder=embedder) as memory:
        heads: list[int] = []

        def read() -> None:
            """As a process of its own would: from the tables, without what this one has in memory."""
            seen = 0
            while any(w.is_alive() for w in writers):
                info = memory.store.find("a")
                if info is not None:
                    state = SpaceState()
                    change, head = memory.store.load(info.id)
                    state.apply(change)
                    assert _whole(state), head
                    assert head >= seen
                    seen = head
                    heads.append(head)
                time.sleep(0.4)

        failed = _in_threads([read] * READERS)
        for process in writers:
            process.join()
        assert failed == []
        assert [w.exitcode for w in writers] == [0] * PROCESSES
        assert len(set(heads)) > 3  # they did look while it grew
        space = memory.space("a")
        space.flush()
        state, log = space.state(), space.log()
        told = 2 * (PROCESSES * THREADS * ADDS + 1)
        assert sorted(m.ordinal for m in state.messages.values()) == list(range(told))
        assert [c.n for c in log] == list(range(log[0].n, 0, -1))
        assert sum(c.counts.get("messages", 0) for c in log) == told
        for p in range(PROCESSES):
            for t in range(THREADS):
                own = [m.source_ref for m in state.messages.values() if m.session == f"s{p}.{t}"]
                assert own == [f"{p}.{t}:{n}{x}" for n in range(ADDS) for x in "ab"]
        assert space.examine() == []


def test_many_threads_write_to_many_spaces(location: str, embedder: WordLlamaEmbedder) -> None:
    """More of them than connections: those that wait must not hold what the others need."""
    with Memory.open(location, settings=Settings(), embedder=embedder) as memory:
        names = [f"space-{n}" for n in range(30)]
        failed = _in_threads([lambda name=name: memory.space(name).add(_pair(name, 0)) for name in names])  # type: ignore[misc]
        assert failed == []
        assert [s.name for s in memory.spaces()] == sorted(names)
        assert all(len(memory.space(name).state().messages) == 2 for name in names)


def test_f23_what_was_added_is_there_for_everybody_at_once(location: str, embedder: WordLlamaEmbedder) -> None:
    """F23: readable by id when the call returns, by another connection too."""
    with (
        Memory.open(location, settings=Settings(), embedder=embedder) as one,
        Memory.open(location, settings=Settings(), embedder=embedder) as other,
    ):
        for n in range(5):
            commit = one.space("a").add(_pair("x", n))
            state = other.space("a").state()
            assert {f"x:{n}a", f"x:{n}b"} <= state.message_by_ref.keys()
            assert commit.n in {c.n for c in other.space("a").log()}
            assert one.space("a").recall("kayak").context == other.space("a").recall("kayak").context


def test_a_writer_that_waits_too_long_says_so(
    tmp_path: Path, embedder: WordLlamaEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "BUSY_TIMEOUT_S", 0.2)
    path = tmp_path / "memory.db"
    with (
        Memory.open(path, settings=Settings(), embedder=embedder) as one,
        Memory.open(path, settings=Settings(), embedder=embedder) as other,
    ):
        one.space("a").add(_pair("x", 0))
        with one.database.writing():
            for memory in (one, other):  # by a thread of this process, and as by another process
                errors = _in_threads([lambda m=memory: m.space("b").add(_pair("x", 1))])  # type: ignore[misc]
                assert [type(e) for e in errors] == [StoreUnavailable]
                assert "nothing" in str(errors[0])
            assert one.space("a").recall("kayak").evidence  # who reads does not wait
        assert other.space("b").add(_pair("x", 1)).counts
