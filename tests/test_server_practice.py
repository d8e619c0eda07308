"""REST over procedural memory: runs in, tips decided about, guidelines out, and what came of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.test_server_keys import failed_run, key
from trajwiki import Memory
from trajwiki.readers.runs.own import run_to_json
from trajwiki.server import ServerSettings, create_app
from trajwiki.store.keys import Scope

SPACE = "/v1/spaces/desk"


@pytest.fixture
def http(memory: Memory) -> Iterator[TestClient]:
    app = create_app(memory, settings=ServerSettings(rate=0, web=False))
    with TestClient(app, base_url="http://localhost") as client:
        yield client


def body(ref: str, task: str = "Sell the kite of a customer.") -> dict[str, Any]:
    row = run_to_json(failed_run(ref, task))
    steps = [{name: value for name, value in step.items() if name != "number"} for step in row["steps"]]
    return {name: value for name, value in row.items() if name != "schema"} | {"steps": steps}


def test_a_run_becomes_tips_that_the_next_run_receives_and_whose_effect_is_noted(
    http: TestClient, memory: Memory
) -> None:
    added = http.post(f"{SPACE}/runs", json={"runs": [body("r1")]})
    assert added.status_code == 201, added.text
    assert added.json()["counts"]["runs"] == 1
    assert http.post(f"{SPACE}/runs", json={"runs": [body("r1")]}).status_code == 200
    (line,) = http.get(f"{SPACE}/runs").json()["items"]
    run = http.get(f"{SPACE}/runs/{line['id']}").json()
    assert run["analysis"]["attributions"] or run["analysis"]["findings"]
    assert http.get(f"{SPACE}/runs", params={"whole": True}).json()["items"][0]["steps"] == run["steps"]
    tips = http.get(f"{SPACE}/tips").json()["items"]
    assert [t["id"] for t in tips] == [t.id for t, _ in memory.space("desk").tips()]
    assert set(run["tips"]) <= {t["id"] for t in tips}
    given = http.post(f"{SPACE}/guidelines", json={"task": "Sell the boat of a customer.", "app": "shop"}).json()
    assert given["tip_ids"]
    assert given["block"]
    assert http.get(f"{SPACE}/deliveries/{given['id']}").json() == given
    second = {"runs": [body("r2", "Sell the boat of a customer.")], "delivery": given["id"]}
    assert http.post(f"{SPACE}/runs", json=second).status_code == 201
    told = {"delivery_id": given["id"], "outcome": "success", "followed": given["tip_ids"][:1]}
    sent = [http.post(f"{SPACE}/feedback", json=told, headers={"Idempotency-Key": "f"}) for _ in range(2)]
    assert [s.status_code for s in sent] == [201, 200]
    assert len(http.get(f"{SPACE}/feedback").json()["items"]) == 2  # the run's own, and the person's
    assert http.get(f"{SPACE}/tip-stats").json()["tips"]
    wrong = http.post(f"{SPACE}/feedback", json={"delivery_id": "delivery_x", "outcome": "success"})
    assert wrong.status_code == 404


def test_people_decide_about_tips(http: TestClient) -> None:
    http.post(f"{SPACE}/runs", json={"runs": [body("r1")]})
    tip = http.get(f"{SPACE}/tips").json()["items"][0]["id"]
    at, why = f"{SPACE}/tips/{tip}", {"reason": "looked at it"}
    for verb, state in (("approve", "approved"), ("withdraw", "withdrawn"), ("restore", "approved")):
        done = http.post(f"{at}/{verb}", json=why)
        assert done.status_code == 201, done.text
        assert http.get(at).json()["state"] in (state, "proposed")
    edited = http.post(f"{at}/edit", json={"reason": "shorter", "priority": "low"})
    assert edited.status_code == 201, edited.text
    assert http.get(at).json()["state"] != "approved"
    assert http.get(f"{at}/history").json()["ops"][0]["verb"] == "PROPOSE"
    assert http.post(f"{at}/explode", json=why).status_code == 422
    assert http.post(f"{SPACE}/tips/tip_x/approve", json=why).status_code == 404
    assert http.post(f"{SPACE}/tips/consolidate", json={}).json()["commit"] is None
    assert http.post(f"{SPACE}/tips/consolidate", json={"confirm": True}).status_code in (200, 201)
    assert http.patch(f"{SPACE}/choices", json={"review": True}).json()["review"] is True
    assert http.get(f"{SPACE}/choices").json()["review"] is True


def test_runs_are_erased_after_a_look(http: TestClient) -> None:
    http.post(f"{SPACE}/runs", json={"runs": [body("r1")]}, headers={"Idempotency-Key": "k"})
    dry = http.post(f"{SPACE}/runs/erase", json={"runs": ["r1"]}).json()
    assert not dry["done"]
    assert dry["falls"]
    assert http.post(f"{SPACE}/runs/erase", json={"runs": ["r1"], "confirm": True}).json()["done"]
    assert http.get(f"{SPACE}/runs").json()["items"] == []
    assert http.get(f"{SPACE}/tips").json()["items"] == []


def test_a_tip_is_shared_only_with_a_space_the_key_writes_to(memory: Memory) -> None:
    for name in ("desk", "team", "rival"):
        memory.create_space(name)
    memory.space("desk").add_run(failed_run("r1", "Sell the kite of a customer."))
    tip = memory.space("desk").tips()[0][0].id
    with TestClient(create_app(memory, settings=ServerSettings(rate=0, web=False, keys=True))) as http:
        head = key(memory, Scope.WRITE, "desk", "team")
        answers = {
            to: http.post(f"{SPACE}/tips/{tip}/share", json={"to": to, "reason": "useful"}, headers=head)
            for to in ("rival", "nobody", "team")
        }
    assert [a.status_code for a in answers.values()] == [404, 404, 201], [a.text for a in answers.values()]
    assert answers["rival"].json()["detail"].replace("rival", "nobody") == answers["nobody"].json()["detail"]
    assert memory.space("rival").tips() == []
    assert len(memory.space("team").tips()) == 1
