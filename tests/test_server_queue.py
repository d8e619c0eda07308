"""The queue on PostgreSQL: the server puts operations in, a worker carries them out."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from starlette.testclient import TestClient

from trajwiki import Memory, NewMessage, Settings
from trajwiki.errors import UsageError
from trajwiki.models.wordllama import WordLlamaEmbedder
from trajwiki.server import ServerSettings, create_app
from trajwiki.store.operations import OperationStore, Status

pytest.importorskip("procrastinate", reason="needs the extra 'worker'")
pytestmark = pytest.mark.network
LEASE_S = 0.2
AT = datetime(2024, 5, 1, 10, tzinfo=UTC)


@pytest.fixture
def memory(location: str, embedder: WordLlamaEmbedder) -> Iterator[Memory]:
    with Memory.open(location, settings=Settings(), embedder=embedder) as opened:
        yield opened


@pytest.mark.parametrize("location", ["postgres"], indirect=True)
def test_a_worker_carries_out_what_the_server_put_into_the_queue(memory: Memory) -> None:
    from trajwiki.server.queue import run_worker

    settings = ServerSettings(rate=0, web=False, queue="procrastinate", lease_seconds=LEASE_S)
    message = {"speaker": "Ada", "text": "I adopted a cat called Miso.", "source_ref": "1"}
    with TestClient(create_app(memory, settings=settings), base_url="http://localhost") as client:
        prefer = {"Prefer": "respond-async"}
        sent = client.post("/v1/spaces/ada/messages", json={"messages": [message]}, headers=prefer)
        assert sent.status_code == 202
        assert client.get(sent.headers["location"]).json()["status"] == "waiting"
        run_worker(memory, jobs=1, lease_s=LEASE_S, wait=False)
        done = client.get(sent.headers["location"]).json()
        assert done["status"] == "done", done
        assert client.get("/v1/spaces/ada/messages/1").status_code == 200


@pytest.mark.parametrize("location", ["postgres"], indirect=True)
def test_what_a_killed_worker_left_is_put_in_again_and_done_once(memory: Memory) -> None:
    from trajwiki.server.queue import Queue, run_worker

    space = memory.space("ada")
    space.add([NewMessage("Ada", "I love tea.", AT, "s", "1")])
    info = memory.store.find("ada")
    assert info is not None
    store = OperationStore(memory.database)
    long_ago = memory.clock() - timedelta(minutes=1)
    asked = '{"text": "Ada lives in Lisbon.", "reason": "she said so", "subject": null}'
    left, _ = store.begin(info.id, "claim-add", actor="local", request=asked, total=1, now=long_ago, holder="gone")
    space.add_claim("Ada lives in Lisbon.", reason="she said so")  # it was killed just after this
    settings = ServerSettings(rate=0, web=False, queue="procrastinate", lease_seconds=LEASE_S)
    with TestClient(create_app(memory, settings=settings), base_url="http://localhost"):
        threading.Event().wait(4 * LEASE_S)  # the server sees that nothing is heard of it
    with contextlib.closing(Queue(memory)) as queue:
        queue.open()
        queue.put(left)  # a second time does no harm
    run_worker(memory, jobs=2, lease_s=LEASE_S, wait=False)
    done = store.find(info.id, left.id)
    assert done is not None
    assert done.status is Status.DONE
    assert [c.kind.value for c in space.log()].count("correction") == 1


@pytest.mark.parametrize("location", ["sqlite"], indirect=True)
def test_on_sqlite_the_queue_is_refused_with_what_to_do(memory: Memory) -> None:
    with pytest.raises(UsageError, match="PostgreSQL"):
        create_app(memory, settings=ServerSettings(queue="procrastinate", web=False))
