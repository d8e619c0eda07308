"""Laws of the memory: on the sample conversation, on LoCoMo where it is there, and on random histories."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.random_histories import (
    CORRECTIONS,
    EDITS,
    FIXED,
    FLUSHES,
    PROFILE,
    REVERTS,
    TELLS,
    WHOLE,
    Flush,
    Ground,
    Step,
    Tell,
    Teller,
    differing,
    fewer,
    histories,
    kept,
)
from tests.states import differences
from trajwiki import Memory, NewMessage, Settings, Space
from trajwiki.doctor import strange_vectors
from trajwiki.domain.messages import Role
from trajwiki.domain.state import Change, SpaceState, fold_status
from trajwiki.domain.wiki import PageType, Section
from trajwiki.erasure import Selection, replay
from trajwiki.memory.amendment import is_persons
from trajwiki.models.wordllama import WordLlamaEmbedder


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


# On random histories.


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory, embedder: WordLlamaEmbedder) -> Ground:
    return Ground(tmp_path_factory.mktemp("ground"), embedder)


FLUSH = (Flush(),)
QUESTIONS = ("Where does Ana live now?", "kayak")


def memory_did(space: Space, n: int) -> bool:
    """Tell whether a commit did something to claims."""
    return bool(space._memory.store.load(FIXED, after=n - 1, upto=n)[0].ops)


def _space(memory: Memory) -> Space:
    return memory.create_space("any", id=FIXED)


def _sound(space: Space) -> None:
    assert [p for p in space.examine() if p.code != "doctor.unread"] == []


@PROFILE
@given(histories(*WHOLE))
def test_every_state_is_the_fold_of_what_was_done_until_then(ground: Ground, steps: tuple[Step, ...]) -> None:
    memory = ground.memory()
    space = _space(memory)
    teller = Teller(space)
    teller.carry_out(steps)
    now = space.state()
    assert fold_status(now.ops) == now.status
    _sound(space)
    for n, then in teller.heads.items():
        assert differing(kept(space.state(as_of=n)), then) == [], f"as of {n}"
    step_by_step = SpaceState()
    for commit in reversed(space.log()):
        change, _ = memory.store.load(FIXED, after=commit.n - 1, upto=commit.n)
        step_by_step.apply(change)
    assert differences(step_by_step, now) == []
    found = [space.recall(q) for q in QUESTIONS]
    memory.forget(FIXED)
    assert differences(space.state(), step_by_step) == []
    again = [space.recall(q) for q in QUESTIONS]  # an index that grew gives what one made anew gives
    assert [(r.context, r.evidence) for r in found] == [(r.context, r.evidence) for r in again]
    assert strange_vectors(step_by_step, ground.embedder) == {}
    ground.done(memory)


@fewer(2)
@given(histories(*WHOLE))
def test_a_replay_of_the_history_gives_the_state(ground: Ground, steps: tuple[Step, ...]) -> None:
    """What a person corrected is in it, since a correction is a message: the same operations with the same ids."""
    memory = ground.memory()
    space = _space(memory)
    Teller(space).carry_out(steps)
    with memory.store.exclusive(FIXED) as writing:
        builder = memory.builder(FIXED, memory.build(FIXED, Change(), 0))
        replay(writing.commits(), writing.told(), frozenset(), builder)
    assert differences(builder.live.state, space.state()) == []
    ground.done(memory)


@fewer(3)
@given(histories(*WHOLE))
def test_telling_again_what_was_told_changes_nothing(ground: Ground, steps: tuple[Step, ...]) -> None:
    memory = ground.memory()
    space = _space(memory)
    Teller(space).carry_out(steps)
    before, log = kept(space.state()), space.log()
    again = [
        NewMessage(m.speaker, m.text, m.sent_at, m.session, m.source_ref, m.source, m.caption, m.role, m.metadata)
        for m in space.state().messages.values()
        if m.role is not Role.CORRECTION
    ]
    for _ in range(2):
        space.add(again)
    assert (kept(space.state()), space.log()) == (before, log)
    ground.done(memory)


@fewer(3)
@given(histories(EDITS, FLUSHES, CORRECTIONS, REVERTS), st.integers(0, 30))
def test_the_revert_of_a_revert_restores(ground: Ground, steps: tuple[Step, ...], which: int) -> None:
    memory = ground.memory()
    space = _space(memory)
    Teller(space).carry_out((*steps, *FLUSH))
    before = dict(space.state().status)
    acting = [c.n for c in reversed(space.log()) if memory_did(space, c.n)]
    if acting:
        head = space.log(limit=1)[0].n
        undo = space.revert(acting[which % len(acting)], with_dependents=True)
        after = dict(space.state().status)
        if undo.n > head:  # else all was as before that commit already
            space.revert(undo.n)
            assert space.state().status == before
            space.revert(undo.n + 1)
            assert space.state().status == after
        _sound(space)
    ground.done(memory)


@fewer(3)
@given(histories(EDITS, FLUSHES, CORRECTIONS, REVERTS), st.lists(st.integers(0, 30), min_size=1, max_size=3))
def test_erasing_is_a_replay_with_the_hole(ground: Ground, steps: tuple[Step, ...], which: list[int]) -> None:
    """At once or one after the other; and a person's corrections of what is still there stay as they were."""
    memory, other = ground.memory(), ground.memory()
    spaces = _space(memory), _space(other)
    Teller(spaces[0]).carry_out(steps)
    memory.backup(archive := memory.database.path.with_suffix(".copy"))
    other.close()
    other = Memory.open(archive, settings=Settings(), embedder=ground.embedder)
    one, another = spaces[0], other.space("any")
    before = one.state()
    ids = list(before.messages)
    refs = list(dict.fromkeys(ids[n % len(ids)] for n in which))
    one.erase(Selection(refs=tuple(refs)))
    for ref in refs:
        another.erase(Selection(refs=(ref,)))
    assert differences(one.state(), another.state()) == []
    state = one.state()
    assert not set(refs) & (state.messages.keys() | state.exchange_of.keys() | state.claims_of.keys())
    persons = [op for op in before.ops if is_persons(op) and before.snapshots.get(op.cause)]
    for op in persons:
        said_in = before.snapshots[op.cause].message_ids[0]
        if said_in not in refs and before.messages[said_in].metadata.get("target", op.claim_id) in state.claims:
            assert op.id in {o.id for o in state.ops}
    _sound(one)
    ground.done(memory)
    ground.done(other)


@fewer(4)
@given(
    histories(EDITS, max_size=4),
    st.lists(TELLS, max_size=3),
    st.lists(st.integers(0, 30), min_size=1, max_size=2),
)
def test_it_does_not_matter_whether_one_erases_before_or_after_going_on(
    ground: Ground, steps: tuple[Step, ...], more: list[Tell], which: list[int]
) -> None:
    states = []
    for early in (True, False):
        memory = ground.memory()
        space = _space(memory)
        teller = Teller(space)
        teller.carry_out((*steps, *FLUSH))
        ids = list(space.state().messages)
        refs = tuple(dict.fromkeys(ids[n % len(ids)] for n in which))
        if early:
            space.erase(Selection(refs=refs))
        for step in more:
            teller.step(step)
        space.flush()
        if not early:
            space.erase(Selection(refs=refs))
        states.append(kept(space.state()))
        # The place of the last message is free again when that is erased; the order is the same.
        states[-1]["messages"] = [replace(m, ordinal=n) for n, m in enumerate(states[-1]["messages"])]
        ground.done(memory)
    assert differing(*states) == []


@fewer(6)
@given(st.lists(TELLS, min_size=1, max_size=4), st.lists(st.integers(1, 6), min_size=1, max_size=4))
def test_all_at_once_is_one_by_one(ground: Ground, tells: list[Tell], sizes: list[int]) -> None:
    """In whatever order they come, and however they are parted."""
    states = []
    for parts in ((1,), tuple(sizes), (1000,)):
        memory = ground.memory()
        space = _space(memory)
        teller = Teller(space)
        messages = [m for tell in tells for m in teller.messages(tell)]
        start = turn = 0
        while start < len(messages):
            size = parts[turn % len(parts)]
            space.add(messages[start : start + size])
            start, turn = start + size, turn + 1
        space.flush()
        states.append(kept(space.state()))
        ground.done(memory)
    assert differing(states[0], states[1]) == []
    assert differing(states[0], states[2]) == []
