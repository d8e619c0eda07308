"""Operations over the end of a process: killed, told to stop, or cut off between effect and note."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
import sqlalchemy as sa

from trajwiki import Memory, NewMessage, Settings
from trajwiki.client import Memory as Client
from trajwiki.client import ServerUnavailable
from trajwiki.models.wordllama import WordLlamaEmbedder
from trajwiki.server.kinds import KINDS
from trajwiki.server.operations import Operations
from trajwiki.store import tables
from trajwiki.store.operations import Operation, OperationStore, Status

pytestmark = pytest.mark.network
LEASE_S = 1.0
AT = datetime(2024, 5, 1, 10, tzinfo=UTC)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def server(db: str, port: int) -> Iterator[subprocess.Popen[bytes]]:
    """Run `trajwiki serve` in a process of its own."""
    code = "import sys; from trajwiki.cli.serve import serve; serve(db=sys.argv[1], port=int(sys.argv[2]), web=False)"
    given = {"TRAJWIKI_SERVER_LEASE_SECONDS": str(LEASE_S), "TRAJWIKI_SERVER_RATE": "0"}
    command = [sys.executable, "-c", code, db, str(port)]
    process = subprocess.Popen(command, env={**os.environ, **given}, stderr=subprocess.DEVNULL)
    try:
        with Client.open(f"http://127.0.0.1:{port}", timeout=5) as client:
            for _ in range(100):
                try:
                    client.spaces()
                    break
                except ServerUnavailable:
                    assert process.poll() is None
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()


def put_off(port: int, messages: list[NewMessage]) -> str:
    """Ask for messages to be added when there is time; gives the path of the operation."""
    rows = [{**asdict(m), "sent_at": m.sent_at and m.sent_at.isoformat()} for m in messages]
    body, headers = {"messages": rows}, {"Prefer": "respond-async"}
    sent = httpx.post(f"http://127.0.0.1:{port}/v1/spaces/ada/messages", json=body, headers=headers)
    assert sent.status_code == 202, sent.text
    return str(sent.headers["location"])


def ended(db: str) -> list[Operation]:
    with Memory.open(db) as memory:
        store = OperationStore(memory.database)
        info = memory.store.find("ada")
        return store.all(info.id) if info else []


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_an_operation_goes_on_where_a_killed_or_stopped_server_left_it(
    tmp_path: Path, sample: list[NewMessage], embedder: WordLlamaEmbedder, how: signal.Signals
) -> None:
    db, port = str(tmp_path / "memory.db"), free_port()
    with server(db, port) as process:
        put_off(port, sample)
        threading.Event().wait(0.15)
        process.send_signal(how)
        code = process.wait(timeout=30)
    assert code == (0 if how is signal.SIGTERM else -signal.SIGKILL)
    (left,) = ended(db)
    assert not left.ended, "the test came too late: the operation had ended already"
    if how is signal.SIGTERM:  # the rest is as after a kill
        assert left.status is Status.WAITING
        return
    with server(db, port):
        for _ in range(200):
            (found,) = ended(db)
            if found.ended:
                break
            threading.Event().wait(0.1)
    assert found.status is Status.DONE
    with Memory.open(tmp_path / "undisturbed.db", settings=Settings(), embedder=embedder) as other:
        info = Memory.open(db).store.find("ada")
        assert info is not None
        other.create_space("ada", id=info.id)
        other.space("ada").add(sample)
        with Memory.open(db) as memory:
            mine, undisturbed = memory.space("ada").state(), other.space("ada").state()
            assert list(mine.messages) == list(undisturbed.messages)
            assert mine.status == undisturbed.status
            assert memory.space("ada").recall("dog").context == other.space("ada").recall("dog").context


def test_no_acknowledged_message_is_missing_after_kills(tmp_path: Path) -> None:
    db, port = str(tmp_path / "memory.db"), free_port()
    acknowledged: list[str] = []
    stop = threading.Event()

    def talk(who: str) -> None:
        with Client.open(f"http://127.0.0.1:{port}", timeout=5) as client:
            n = 0
            while not stop.is_set():
                ref = f"{who}:{n}"
                try:
                    client.space("ada").add([NewMessage(who, f"I saw bird number {n}.", AT, who, ref)])
                except ServerUnavailable:
                    continue
                acknowledged.append(ref)
                n += 1

    threads = [threading.Thread(target=talk, args=(who,)) for who in ("Ada", "Bo")]
    with server(db, port) as process:
        for t in threads:
            t.start()
        for _ in range(300):
            if len(acknowledged) > 7:
                break
            time.sleep(0.05)
        process.kill()
    with server(db, port):
        before = len(acknowledged)
        for _ in range(300):
            if len(acknowledged) > before + 3:
                break
            time.sleep(0.1)
        stop.set()
        for t in threads:
            t.join(timeout=30)
    assert len(acknowledged) > 10
    with Memory.open(db) as memory:
        there = [m.source_ref for m in memory.space("ada").state().messages.values()]
        assert set(acknowledged) <= set(there)
        assert len(there) == len(set(there))
        assert memory.space("ada").examine() == [] or all(
            p.code == "doctor.unread" for p in memory.space("ada").examine()
        )


# Between effect and note


def runner(memory: Memory) -> Operations:
    return Operations(memory, metrics=None, jobs=1, lease_s=LEASE_S)


def wait_for(memory: Memory, operation: Operation) -> Operation:
    operations = runner(memory)
    operations.start()
    try:
        for _ in range(100):
            found = operations.store.find(operation.space_id, operation.id)
            assert found is not None
            if found.ended:
                return found
            threading.Event().wait(0.05)
    finally:
        operations.stop()
    raise AssertionError("it never ended")


CUT_OFF: list[tuple[str, dict[str, Any]]] = [
    ("claim-add", {"text": "Ada lives in Lisbon.", "reason": "she said so", "subject": None}),
    ("claim-revise", {"of": "CLAIM", "text": "Ada loves coffee.", "reason": "she changed"}),
    ("claim-deprecate", {"of": "CLAIM", "reason": "a joke"}),
    ("revert", {"of": 3, "with_dependents": False}),
    ("messages", {"messages": [{"speaker": "Ada", "text": "I bought a canoe."}]}),
]


@pytest.mark.parametrize(("kind", "given"), CUT_OFF)
@pytest.mark.parametrize("effect", [True, False])
def test_a_crash_between_effect_and_note_leaves_one_effect(
    memory: Memory, kind: str, given: dict[str, Any], effect: bool
) -> None:
    space = memory.space("ada")
    space.add([NewMessage("Ada", "I love tea.", AT, "s", "1"), NewMessage("Bo", "Ok.", AT, "s", "2")])
    space.flush()
    given = {k: next(iter(space.state().claims)) if v == "CLAIM" else v for k, v in given.items()}
    info = memory.store.find("ada")
    assert info is not None
    store, begun = OperationStore(memory.database), memory.clock()
    operation, _ = store.begin(
        info.id, kind, actor="local", request=json.dumps(given), total=1, now=begun, holder="gone"
    )
    if effect:
        KINDS[kind].run(space, given, lambda done, total: None)
    before = space.log()[0].n
    silent = begun - timedelta(seconds=10)
    store.beat([(info.id, operation.id)], holder="gone", now=silent)
    done = wait_for(memory, operation)
    assert done.status is Status.DONE, done.error
    assert done.result is not None
    after = space.log()[0].n
    assert (after == before) == effect or (kind == "messages" and not effect)
    if effect:
        assert done.result["n"] == after


def test_an_operation_that_fails_says_why_and_keeps_nothing_of_what_was_asked(memory: Memory) -> None:
    memory.create_space("ada")
    operations = runner(memory)
    given = {"of": "claim_x", "text": "zanzibar", "reason": "because"}
    operation = operations.later(memory.space("ada"), "claim-revise", given, actor="local", key="k", total=1)
    failed = wait_for(memory, operation)
    assert failed.status is Status.FAILED
    assert failed.error == {"type": "UnknownItem", "detail": "there is no claim 'claim_x'"}
    with memory.database.reading() as c:
        assert "zanzibar" not in str(c.execute(sa.select(tables.operation)).all())


def test_what_ended_long_ago_is_forgotten(memory: Memory) -> None:
    memory.create_space("ada")
    operations = runner(memory)
    operation = operations.later(memory.space("ada"), "flush", {}, actor="local", key="k", total=1)
    wait_for(memory, operation)
    assert operations.store.expire(before=memory.clock() - timedelta(hours=1)) == 0
    assert operations.store.expire(before=memory.clock() + timedelta(hours=1)) == 1
    assert operations.store.find(operation.space_id, operation.id) is None
