"""The whole spec under random requests, with and without keys: no fault, and no answer that is not documented."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any, Final

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.test_server_keys import failed_run
from trajwiki import Memory, NewMessage, Settings
from trajwiki.models.wordllama import WordLlamaEmbedder
from trajwiki.server import ServerSettings, create_app
from trajwiki.store.keys import KeyStore, Scope

EXAMPLES: Final = int(os.environ.get("TRAJWIKI_SPEC_EXAMPLES", "2"))  # a route; `make spec` tries many more
OPEN: Final = ("/v1/health", "/v1/ready")
AT: Final = datetime(2024, 5, 1, 10, tzinfo=UTC)
CHECKS: Final = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
SLOW: Final = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large]
thorough = settings(max_examples=EXAMPLES, deadline=None, derandomize=True, database=None, suppress_health_check=SLOW)


@schemathesis.serializer("application/zip")
def _as_bytes(context: Any, value: Any) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "replace")


class House:
    """A served memory with something in it, and real names to put into paths."""

    def __init__(self, memory: Memory, *, keys: bool) -> None:
        self.memory = memory
        self.app = create_app(
            memory, settings=ServerSettings(keys=keys, rate=0, max_body=200_000, web=False, hosts=("testserver",))
        )
        self.headers: dict[str, str] = {}
        self.fill()
        if keys:
            given = {"scope": Scope.ADMIN, "now": memory.clock(), "everywhere": True}
            secret, _ = KeyStore(memory.database).create([], **given)
            self.headers = {"Authorization": f"Bearer {secret}"}
        self.schema: Any = schemathesis.openapi.from_asgi("/openapi.json", self.app)

    def fill(self) -> None:
        space = self.memory.space("sample")
        said = ["I bought a kite in Oslo yesterday.", "How nice!", "My kite is red.", "Mine is blue."]
        space.add(NewMessage("AB"[n % 2], t, AT, session="s", source_ref=f"s:{n}") for n, t in enumerate(said))
        space.flush()
        space.add_run(failed_run("run-1", "Sell a kite."))

    def real(self) -> dict[str, Any]:
        """Give names of what is there, making it again when a request has deleted it."""
        if self.memory.store.find("sample") is None or not self.memory.space("sample").state().pages:
            self.fill()
        space = self.memory.space("sample")
        state = space.state()
        return {
            "space": "sample",
            "answer": space.ask("What is red?").id,
            "claim": next(iter(state.claims), "x"),
            "slug": next(iter(state.pages.values())).slug,
            "trajectory": next(iter(state.trajectories), "x"),
            "ref": next(iter(state.message_by_ref), "x"),
            "n": 1,
            "run": next(iter(r.id for r in space.runs()), "x"),
            "tip": next(iter(t.id for t, _ in space.tips()), "x"),
            "delivery": space.guidelines("Sell a kite.", app="shop").id,
        }


def _house(folder: Any, embedder: WordLlamaEmbedder, *, keys: bool) -> Iterator[House]:
    with Memory.open(folder / "memory.db", settings=Settings(), embedder=embedder) as memory:
        house = House(memory, keys=keys)
        yield house


@pytest.fixture(scope="module")
def free(tmp_path_factory: pytest.TempPathFactory, embedder: WordLlamaEmbedder) -> Iterator[House]:
    yield from _house(tmp_path_factory.mktemp("free"), embedder, keys=False)


@pytest.fixture(scope="module")
def locked(tmp_path_factory: pytest.TempPathFactory, embedder: WordLlamaEmbedder) -> Iterator[House]:
    yield from _house(tmp_path_factory.mktemp("locked"), embedder, keys=True)


def each_operation(house: House, run: Callable[[Any], None], profile: settings) -> int:
    """Run a property over made-up requests to every operation of the spec; gives their number."""
    found = list(house.schema.get_all_operations())
    for operation in found:
        profile(given(case=operation.ok().as_strategy())(run))()
    return len(found)


def checked(house: House) -> Callable[[Any], None]:
    def run(case: Any) -> None:
        """Send a request as it was made up, and once more with names of what is there."""
        for real in (False, True):
            if real:
                known = house.real()
                case.path_parameters = {k: known.get(k, v) for k, v in (case.path_parameters or {}).items()}
            response = case.call(headers=house.headers)
            case.validate_response(response, checks=CHECKS)

    return run


def test_without_keys(free: House) -> None:
    assert each_operation(free, checked(free), thorough) > 30


def test_with_a_key(locked: House) -> None:
    profile = settings(thorough, max_examples=max(1, EXAMPLES // 2))
    assert each_operation(locked, checked(locked), profile) > 30


def test_with_a_key_that_does_not_hold(locked: House) -> None:
    def run(case: Any) -> None:
        head = {"Authorization": "Bearer no"}
        case.headers = {k: v for k, v in (case.headers or {}).items() if k.lower() != "authorization"}
        response = case.call(headers=head)
        case.validate_response(response, checks=CHECKS)
        assert response.status_code in ((200, 400) if case.path in OPEN else (400, 401)), case.path

    each_operation(locked, run, settings(thorough, max_examples=1))
