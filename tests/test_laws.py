"""Laws of the memory, on the sample conversation and, where it is there, on LoCoMo."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.states import differences
from trajwiki import Memory, NewMessage, Settings, Space
from trajwiki.domain.state import SpaceState, fold_status
from trajwiki.domain.wiki import PageType, Section
from trajwiki.models.wordllama import WordLlamaEmbedder

FIXED = "space_fixed"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory, embedder: WordLlamaEmbedder, sample: list[NewMessage]) -> Space:
    memory = Memory.open(tmp_path_factory.mktemp("law") / "m.db", settings=Settings(), embedder=embedder)
    space = memory.create_space("sample", id=FIXED)
    space.add(sample)
    space.flush()
    return space


@pytest.fixture(scope="module", params=["sample", "locomo"])
def state(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, embedder: WordLlamaEmbedder
) -> SpaceState:
    """A whole memory: of the sample, and of a LoCoMo conversation."""
    if request.param == "sample":
        built: Space = request.getfixturevalue("built")
        return built.state()
    from trajwiki.readers import read_all

    shared: Path = request.getfixturevalue("shared")
    reading = read_all(shared / "locomo" / "locomo-dev.json")
    first = reading.records[0].conversation
    memory = Memory.open(tmp_path_factory.mktemp("law") / "m.db", settings=Settings(), embedder=embedder)
    space = memory.space("locomo")
    space.add([r.message for r in reading.records if r.conversation == first])
    space.flush()
    return space.state()


def test_every_quote_stands_verbatim_in_its_message(state: SpaceState) -> None:
    assert state.claims
    for claim_id in state.claims:
        assert state.sources[claim_id]
        for source in state.sources[claim_id]:
            content = state.messages[source.quote.message_id].content
            assert content[source.quote.start :].startswith(source.quote.text)
            assert source.quote.text.strip()


def test_every_bullet_stands_on_claims_and_no_current_fact_is_deprecated(state: SpaceState) -> None:
    bullets = [b for page in state.pages for b in state.bullets.get(page, ())]
    assert bullets
    for bullet in bullets:
        if state.pages[bullet.page_id].type is PageType.INDEX:
            continue
        if bullet.section is Section.LINKED:
            assert bullet.trajectory_id in state.trajectories
        elif bullet.section is not Section.OVERVIEW:
            assert bullet.claim_ids, bullet
        assert all(state.sources[i] for i in bullet.claim_ids)
        if bullet.section is Section.KEY_FACTS:
            assert all(state.is_current(i) for i in bullet.claim_ids), bullet


def test_every_trajectory_is_reachable_and_pages_are_small(state: SpaceState) -> None:
    reachable: set[str] = set()
    for page in state.pages.values():
        if page.type is not PageType.INDEX:
            linked = state.links.get(page.id, [])
            assert 1 <= len(linked) <= 6, page
            reachable.update(linked)
    assert reachable == set(state.trajectories)
    assert sum(p.type is PageType.INDEX for p in state.pages.values()) == 1


def test_fold_of_operations_is_the_state(state: SpaceState) -> None:
    assert fold_status(state.ops) == state.status
    assert set(state.status) == set(state.claims)


def test_every_message_is_in_exactly_one_exchange(state: SpaceState) -> None:
    held = [i for e in state.exchanges.values() for i in e.message_ids]
    assert sorted(held) == sorted(state.messages)


def test_a_second_ingest_adds_nothing(built: Space, sample: list[NewMessage]) -> None:
    head = built.log()[0].n
    commit = built.add(sample)
    built.flush()
    assert commit.counts == {}
    assert built.log()[0].n == head


def test_reopening_gives_the_same_state(built: Space, tmp_path: Path, embedder: WordLlamaEmbedder) -> None:
    path = built._memory.database.path
    assert path is not None
    with Memory.open(path, settings=Settings(), embedder=embedder) as again:
        assert differences(built.state(), again.space("sample").state()) == []
        assert again.space("sample").examine() == []


@pytest.mark.parametrize("sizes", [[1], [2, 3, 1], [7], [40, 1, 90]])
def test_batch_equals_one_by_one(built: Space, sample: list[NewMessage], memory: Memory, sizes: Sequence[int]) -> None:
    space = memory.create_space("other", id=FIXED)
    start = turn = 0
    while start < len(sample):
        size = sizes[turn % len(sizes)]
        space.add(sample[start : start + size])
        start, turn = start + size, turn + 1
    space.flush()
    assert differences(built.state(), space.state()) == []


def test_an_interrupted_ingest_and_a_rerun_give_the_same_memory(
    built: Space, tmp_path: Path, embedder: WordLlamaEmbedder
) -> None:
    """kill -9 at 20 random points of real processes."""
    script = Path(__file__).parent / "ingest_sample.py"
    rng = random.Random(7)
    undisturbed = _timed(lambda: _run(script, tmp_path / "undisturbed.db").wait())
    kills = rounds = 0
    while kills < 20:
        rounds += 1
        assert rounds < 60, "the process is always done before it is killed"
        db = tmp_path / f"killed-{rounds}.db"
        process = _run(script, db)
        time.sleep(rng.uniform(0.25, 0.9) * undisturbed)
        if process.poll() is None:
            kills += 1
            os.kill(process.pid, signal.SIGKILL)
        process.wait()
        assert _run(script, db).wait() == 0
        with Memory.open(db, settings=Settings(), embedder=embedder) as memory:
            assert differences(built.state(), memory.space("sample").state()) == []
            assert memory.integrity() == []


def _run(script: Path, db: Path) -> subprocess.Popen[bytes]:
    env = {**os.environ, "PYTHONPATH": str(script.parent.parent)}
    return subprocess.Popen([sys.executable, str(script), str(db), FIXED], env=env)


def _timed(act: Callable[[], object]) -> float:
    start = time.monotonic()
    act()
    return time.monotonic() - start
