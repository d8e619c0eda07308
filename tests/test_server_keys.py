"""Keys: what each opens, and that none ever opens, changes or betrays another space."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from starlette.testclient import TestClient

from trajwiki import Memory, NewMessage
from trajwiki.cli import serve
from trajwiki.domain.runs import NewRun, Outcome, OutcomeBy, Step, StepKind
from trajwiki.errors import UnknownItem, UnknownSpace, UsageError
from trajwiki.server import ServerSettings, create_app
from trajwiki.store import tables
from trajwiki.store.keys import KeyStore, Scope

AT = datetime(2024, 5, 1, 10, tzinfo=UTC)
SECRET = "quetzalcoatlus"
READS = ("/recall", "/ask", "/guidelines")  # that are posted
RULES = {("post", "/erase"), ("delete", ""), ("patch", ""), ("post", "/reembed"), ("get", "/export")}
RULES |= {("post", "/runs/erase"), ("patch", "/choices")}
OPEN = ("/v1/health", "/v1/ready")


@pytest.fixture
def house(memory: Memory) -> Memory:
    """Two spaces: Alice's, and Bob's, which nobody else may see."""
    for name, word in (("alice", "a kite"), ("bob", f"a {SECRET}")):
        space = memory.space(name)
        said = [(name, f"I bought {word} yesterday."), ("Ann", "How nice."), (name, f"My {word.split()[1]} is red.")]
        space.add(
            NewMessage(speaker, text, AT, session="s", source_ref=f"{name}:{n}")
            for n, (speaker, text) in enumerate(said, start=1)
        )
        space.flush()
        space.add_run(failed_run(f"{name}-run", f"Sell {word} of {name}."))
    return memory


def failed_run(ref: str, task: str) -> NewRun:
    """A run that calls something, is told what was wrong, and gets it right."""
    steps = [
        Step(1, StepKind.PROMPT, task),
        Step(2, StepKind.ACTION, "", tool="sell", arguments={"id": "A1"}),
        Step(3, StepKind.ERROR, "Error: price is required", tool="sell", answers=2),
        Step(4, StepKind.ACTION, "", tool="sell", arguments={"id": "A1", "price": 3}),
        Step(5, StepKind.OBSERVATION, '{"status": "sold"}', tool="sell", answers=4),
        Step(6, StepKind.FINAL, "Sold."),
    ]
    outcome = {"outcome": Outcome.SUCCESS, "outcome_by": OutcomeBy.EVALUATION}
    return NewRun(ref, "test", task, tuple(steps), app="shop", **outcome)


@pytest.fixture
def http(house: Memory) -> Iterator[TestClient]:
    app = create_app(house, settings=ServerSettings(keys=True, rate=0, web=False))
    with TestClient(app, base_url="http://memory.example") as client:
        yield client


def key(memory: Memory, scope: Scope, *spaces: str, **given: Any) -> dict[str, str]:
    secret, _ = KeyStore(memory.database).create(list(spaces), scope=scope, now=memory.clock(), **given)
    return {"Authorization": f"Bearer {secret}"}


def routes(http: TestClient) -> list[tuple[str, str, dict[str, Any]]]:
    spec = http.get("/openapi.json").json()
    return [(m, p, {**r, "spec": spec}) for p, found in spec["paths"].items() for m, r in found.items()]


def made_of(schema: dict[str, Any], spec: dict[str, Any]) -> Any:
    """Give a value that a schema allows: examples where there are any, and all that is required."""
    if "$ref" in schema:
        return made_of(spec["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]], spec)
    if "examples" in schema:
        return schema["examples"][0]
    if "anyOf" in schema:
        return made_of(schema["anyOf"][0], spec)
    kind = schema.get("type")
    if kind == "object":
        required = schema.get("required", ())
        return {n: made_of(s, spec) for n, s in schema.get("properties", {}).items() if n in required}
    if kind == "array":
        return [made_of(schema["items"], spec)]
    plain = {"string": schema.get("enum", ["x"])[0], "integer": 1, "number": 1.0, "boolean": True}
    return plain.get(str(kind))


def send(http: TestClient, method: str, path: str, route: dict[str, Any], headers: dict[str, str]) -> Any:
    body = route.get("requestBody", {}).get("content", {})
    if "application/json" in body:
        content = json.dumps(made_of(body["application/json"]["schema"], route["spec"])).encode()
        headers = {**headers, "Content-Type": "application/json"}
    else:
        content = b"PK" if body else b""
        headers = {**headers, **({"Content-Type": next(iter(body))} if body else {})}
    needed = [p for p in route.get("parameters", ()) if p["in"] == "query" and p.get("required")]
    query = {p["name"]: made_of(p["schema"], route["spec"]) for p in needed}
    return http.request(method, path, content=content, headers=headers, params=query)


def rows_of(memory: Memory, name: str) -> list[Any]:
    """Give every row of a space in every table."""
    info = memory.store.find(name)
    assert info is not None
    with memory.database.reading() as c:
        return [
            [tuple(row) for row in c.execute(sa.select(t).where(t.c.space_id == info.id))]
            for t in tables.metadata.sorted_tables
        ]


def ids_of(memory: Memory, name: str) -> dict[str, str]:
    """Give real ids in a space by the name they have in a path."""
    space = memory.space(name)
    state = space.state()
    page = next(iter(state.pages.values()))
    found = {"answer": space.ask("What was bought?").id, "claim": next(iter(state.claims)), "slug": page.slug}
    found |= {"trajectory": next(iter(state.trajectories)), "ref": f"{name}:1", "n": "1", "verb": "approve"}
    found |= {"run": space.runs()[0].id, "tip": space.tips()[0][0].id}
    found |= {"delivery": space.guidelines("Sell something.", app="shop").id}
    return found


def filled_in(path: str, space: str, ids: dict[str, str]) -> str:
    for part, value in {"space": space, **ids}.items():
        path = path.replace("{" + part + "}", value)
    return path.replace("{", "").replace("}", "")  # of what there is none


def test_no_key_reads_or_changes_another_space_on_any_route(http: TestClient, house: Memory) -> None:
    alice = key(house, Scope.ADMIN, "alice")
    bobs, before = ids_of(house, "bob"), None
    before = rows_of(house, "bob")
    here = [r for r in routes(http) if "{space}" in r[1]]
    assert len(here) > 50
    for method, path, route in here:
        there = send(http, method, filled_in(path, "bob", bobs), route, alice)
        nowhere = send(http, method, filled_in(path, "nobody", bobs), route, alice)
        assert (there.status_code, nowhere.status_code) == (404, 404), (method, path, there.text)
        mine, theirs = ({**r.json(), "request_id": ""} for r in (there, nowhere))
        assert json.dumps(mine).replace("bob", "nobody") == json.dumps(theirs), path
        assert rows_of(house, "bob") == before, (method, path)
    assert house.store.find("nobody") is None
    for method, path, route in sorted(here, key=lambda r: r[0] == "delete"):  # Bob's ids in Alice's space; deletes last
        found = send(http, method, filled_in(path, "alice", bobs), route, alice)
        assert SECRET not in found.text, (method, path)
        assert "bob" not in found.text.replace("bob:1", ""), (method, path, found.text)
    assert rows_of(house, "bob") == before


def test_what_is_not_of_one_space_shows_none_but_ones_own(http: TestClient, house: Memory) -> None:
    alice = key(house, Scope.ADMIN, "alice")
    before = rows_of(house, "bob")
    for method, path, route in routes(http):
        if "{space}" not in path:
            got = send(http, method, path, route, alice)
            assert "bob" not in got.text, path
            assert SECRET not in got.text, path
    assert [s["name"] for s in http.get("/v1/spaces", headers=alice).json()["items"]] == ["alice"]
    made = [http.post("/v1/spaces", json={"name": n}, headers=alice) for n in ("bob", "new")]
    assert [m.status_code for m in made] == [403, 403]
    assert made[0].json()["detail"] == made[1].json()["detail"]
    renamed = [http.patch("/v1/spaces/alice", json={"name": n}, headers=alice) for n in ("bob", "new")]
    assert [m.status_code for m in renamed] == [403, 403]
    assert rows_of(house, "bob") == before


def test_each_scope_does_what_it_says_and_no_more(http: TestClient, house: Memory) -> None:
    reader, writer = key(house, Scope.READ, "alice"), key(house, Scope.WRITE, "alice")
    ids = ids_of(house, "alice")
    for method, path, route in routes(http):
        if "{space}" not in path:
            continue
        rest = path.removeprefix("/v1/spaces/{space}")
        at = filled_in(path, "alice", ids)
        rules = (method, rest) in RULES
        reads = (method == "get" or rest in READS) and not rules
        before = rows_of(house, "alice")
        by_reader = send(http, method, at, route, reader).status_code
        assert (by_reader == 403) != reads, (method, path, by_reader)
        if not reads:
            assert rows_of(house, "alice") == before, (method, path)
        by_writer = send(http, method, at, route, writer).status_code
        assert (by_writer == 403) == rules, (method, path, by_writer)


def test_every_route_asks_for_a_key(http: TestClient, house: Memory) -> None:
    ids = ids_of(house, "alice")
    bad = ["", "Bearer ", "Bearer tw_nonsense", "Basic YTpi", "Bearer " + "x" * 5000, "Bearer \x7f'; --"]
    for method, path, route in routes(http):
        for value in bad if path in ("/v1/spaces", "/metrics") else bad[:3]:
            got = send(http, method, filled_in(path, "alice", ids), route, {"Authorization": value} if value else {})
            assert got.status_code == (200 if path in OPEN else 401), (method, path)
            if path not in OPEN:
                assert got.headers["www-authenticate"].startswith("Bearer")
    cookie = {"Cookie": f"trajwiki_key={key(house, Scope.READ, 'alice')['Authorization'].split()[1]}"}
    assert http.get("/v1/spaces", headers=cookie).status_code == 401  # another site could make a browser send it


def test_a_key_is_shown_once_and_only_its_hash_is_kept(house: Memory) -> None:
    secret, made = KeyStore(house.database).create(["alice"], scope=Scope.READ, now=house.clock(), label="bot")
    assert len(secret) >= 43
    with house.database.reading() as c:
        rows = c.execute(sa.select(tables.api_key)).all()
    assert secret not in str(rows)
    assert secret[3:20] not in str(rows)
    assert made.spaces == ("alice",)


def test_a_key_ends_when_it_is_revoked_or_expires(house: Memory, http: TestClient) -> None:
    store, now = KeyStore(house.database), house.clock()
    secret, made = store.create(["alice"], scope=Scope.READ, now=now, expires=now + timedelta(days=1))
    head = {"Authorization": f"Bearer {secret}"}
    assert http.get("/v1/spaces", headers=head).status_code == 200
    (seen,) = store.all()
    assert seen.last_used is not None
    assert store.find(secret, now=now + timedelta(days=2)) is None
    store.revoke(made.id, now=now)
    assert http.get("/v1/spaces", headers=head).status_code == 401
    with pytest.raises(UnknownItem):
        store.revoke("key_x", now=now)
    with pytest.raises(UsageError, match="expired"):
        store.create(["alice"], scope=Scope.READ, now=now, expires=now)
    with pytest.raises(UnknownSpace):
        store.create(["nobody"], scope=Scope.READ, now=now)


def test_a_key_follows_its_space_not_the_name(http: TestClient, house: Memory) -> None:
    alice = key(house, Scope.ADMIN, "alice")
    house.rename_space("alice", "alicia")
    house.rename_space("bob", "alice")
    assert http.get("/v1/spaces/alice", headers=alice).status_code == 404
    assert http.get("/v1/spaces/alicia", headers=alice).status_code == 200
    assert http.delete("/v1/spaces/alicia", headers=alice).status_code == 200
    house.create_space("alicia")
    assert http.get("/v1/spaces/alicia", headers=alice).status_code == 401  # it opened nothing else


def test_a_key_for_all_spaces_may_make_new_ones_and_signs_what_it_does(http: TestClient, house: Memory) -> None:
    head = key(house, Scope.ADMIN, everywhere=True, label="ops")
    message = {"messages": [{"speaker": "Cy", "text": "Hello."}]}
    assert http.post("/v1/spaces/cy/messages", json=message, headers=head).json()["actor"] == "key:ops"
    assert len(http.get("/v1/spaces", headers=head).json()["items"]) == 3
    writer = key(house, Scope.WRITE, everywhere=True)
    assert http.post("/v1/spaces/dy/messages", json=message, headers=writer).status_code == 201
    assert http.delete("/v1/spaces/dy", headers=writer).status_code == 403


def test_guessing_keys_is_slow(house: Memory) -> None:
    with TestClient(create_app(house, settings=ServerSettings(keys=True, rate=1, burst=5, web=False))) as http:
        tried = [http.get("/v1/spaces", headers={"Authorization": f"Bearer {n}"}).status_code for n in range(8)]
        assert tried == [401] * 5 + [429] * 3
        good = key(house, Scope.READ, "alice")
        assert http.get("/v1/spaces", headers=good).status_code == 200  # others are not held up by it


def test_the_commands_make_list_and_revoke(
    house: Memory, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    db = str(house.database.path)
    given: dict[str, Any] = {"all_spaces": False, "scope": "write", "expires": "30d", "label": "bot", "db": db}
    serve.keys_create(["alice", "new"], **given, json=True)
    made = json.loads(capsys.readouterr().out)
    assert made["spaces"] == ["alice", "new"]
    assert KeyStore(house.database).find(made["key"], now=house.clock()) is not None
    serve.keys_list(db=db, json=False)
    listed = capsys.readouterr().out
    assert "bot" in listed
    assert made["key"] not in listed
    serve.keys_revoke(made["id"], db=db, json=False)
    assert KeyStore(house.database).find(made["key"], now=house.clock()) is None
    with pytest.raises(UsageError, match="--scope"):
        serve.keys_create(["alice"], **{**given, "scope": "root"}, json=False)
    with pytest.raises(UsageError, match="--all-spaces"):
        serve.keys_create([], **given, json=False)


def test_a_server_that_others_can_reach_without_keys_is_refused(house: Memory) -> None:
    db = str(house.database.path)
    with pytest.raises(UsageError, match="no keys") as refused:
        serve.serve(db=db, host="0.0.0.0", keys=False)
    assert refused.value.exit_code == 2
    with pytest.raises(UsageError, match="there are none"):
        serve.serve(db=db, host="0.0.0.0")
    with pytest.raises(UsageError, match="port"):
        serve.serve(db=db, port=99999)
