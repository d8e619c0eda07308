"""Full disks, disks that cannot be written, and damaged files: a clear error, and nothing half written."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa

from tests.states import differences
from trajwiki import Memory, NewMessage, Settings, Space
from trajwiki.doctor import Mend, carry_out, examine_stored, plan_repairs, scrub_problems, strange_vectors
from trajwiki.domain.state import SpaceState
from trajwiki.erasure import Selection
from trajwiki.errors import CorruptStore, EnvironmentFailure, StoreUnavailable, TrajwikiError
from trajwiki.models.wordllama import WordLlamaEmbedder

MAY = datetime(2024, 5, 6, 10, tzinfo=UTC)
ROOT = Path(__file__).parent.parent
TALK = (
    ("Ana", "I live in Porto and I play the violin."),
    ("Ben", "Nice, I live in Braga."),
    ("Ana", "My neighbour Tomas sold me a zebrawood desk."),
    ("Ben", "I bought a kayak in April."),
)


def tell(space: Space, start: int = 0, count: int = len(TALK)) -> None:
    space.add(
        NewMessage(*TALK[n % len(TALK)], MAY + timedelta(hours=n), "talk", f"m{n}") for n in range(start, start + count)
    )
    space.flush()


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, embedder: WordLlamaEmbedder) -> Path:
    """A sound database, in one file."""
    path = tmp_path_factory.mktemp("whole") / "memory.db"
    with Memory.open(path, settings=Settings(), embedder=embedder) as memory:
        tell(memory.create_space("a", id="space_fixed"))
    return path


# Full.


def _small_disk(folder: Path, kilobytes: int) -> Iterator[Path]:
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", str(folder)], capture_output=True, check=False
    )
    if done.returncode:
        pytest.skip("a small disk cannot be mounted here (needs root)")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 3 MiB."""
    folder = tmp_path / "small"
    folder.mkdir()
    if os.name == "nt" or os.geteuid() != 0 or shutil.which("mount") is None:
        pytest.skip("a small disk cannot be mounted here (needs root)")
    yield from _small_disk(folder, 3 * 1024)


def _fill(memory: Memory) -> tuple[StoreUnavailable, int]:
    """Tell until there is no room; gives the error, and how many messages were acknowledged."""
    told = 0
    for start in range(0, 4000, 4):
        try:
            tell(memory.space("a"), start)
        except StoreUnavailable as error:
            return error, told
        told = start + 4
    raise AssertionError("it was never full")


def _goes_on(path: Path, embedder: WordLlamaEmbedder, told: int) -> None:
    """After room was made: what was acknowledged is there, and it goes on as if nothing had been."""
    with Memory.open(path, settings=Settings(), embedder=embedder) as memory:
        space = memory.space("a")
        assert memory.integrity() == []
        assert {f"m{n}" for n in range(told)} <= space.state().message_by_ref.keys()
        assert [p for p in space.examine() if p.code != "doctor.unread"] == []
        tell(space, 0, told + 4)
        assert space.examine() == []


def test_a_disk_that_is_full(small_disk: Path, tmp_path: Path, embedder: WordLlamaEmbedder) -> None:
    path = small_disk / "memory.db"
    with Memory.open(path, settings=Settings(), embedder=embedder) as memory:
        error, told = _fill(memory)
        assert error.exit_code == 3
        assert str(path) in str(error) and "nothing of this step was written" in str(error)
        before = memory.space("a").state()
        assert memory.space("a").recall("Who plays the violin?").evidence  # reading goes on
        with pytest.raises(EnvironmentFailure):
            memory.backup(small_disk / "copy.db")
        with pytest.raises(EnvironmentFailure):
            memory.space("a").export(small_disk / "a.zip")
        assert sorted(f.name for f in small_disk.iterdir() if not f.name.startswith("memory.db")) == []
        memory.forget(memory.spaces()[0].id)
        assert differences(before, memory.space("a").state()) == []
    copy = tmp_path / "roomy.db"
    for file in small_disk.glob("memory.db*"):
        shutil.copy(file, copy.with_name(file.name.replace("memory", "roomy")))
    _goes_on(copy, embedder, told)


def test_an_erasure_on_a_full_disk_erases_or_not(small_disk: Path, embedder: WordLlamaEmbedder) -> None:
    """It may fail, or it may be done and leave the scrubbing pending; in between there is nothing."""
    path = small_disk / "memory.db"
    with Memory.open(path, settings=Settings(), embedder=embedder) as memory:
        _fill(memory)
        space = memory.space("a")
        before = space.state()
        with contextlib.suppress(EnvironmentFailure):
            space.erase(Selection(refs=("m2",)))
        memory.forget(memory.spaces()[0].id)
        after = space.state()
        assert differences(before, after) == [] or "m2" not in after.message_by_ref
        assert memory.integrity() == []
        erased = "m2" not in after.message_by_ref
        assert bool(memory.store.pending_scrubs()) <= erased


def test_a_database_that_may_not_grow(whole: Path, tmp_path: Path, embedder: WordLlamaEmbedder) -> None:
    """SQLITE_FULL everywhere, also where no disk can be mounted."""
    path = Path(shutil.copy(whole, tmp_path / "memory.db"))
    with Memory.open(path, settings=Settings(), embedder=embedder) as memory:
        pages = os.path.getsize(path) // 4096 + 2

        def limit(connection: sqlite3.Connection, record: object) -> None:
            connection.execute(f"PRAGMA max_page_count = {pages}")

        sa.event.listen(memory.database.engine, "connect", limit)
        memory.database.engine.dispose()
        with pytest.raises(StoreUnavailable, match="full; free some space"):
            tell(memory.space("a"), 4, 400)
        sa.event.remove(memory.database.engine, "connect", limit)
    _goes_on(path, embedder, 4)


LIMITED = """
import resource, sys
from tests.test_disk import tell
from trajwiki import Memory
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), int(sys.argv[2])))
with Memory.open(sys.argv[1]) as memory:
    tell(memory.space("a"), 4, 400)
"""


@pytest.mark.skipif(os.name == "nt", reason="needs limits of a process")
def test_a_process_that_may_not_write_more(whole: Path, tmp_path: Path, embedder: WordLlamaEmbedder) -> None:
    path = Path(shutil.copy(whole, tmp_path / "memory.db"))
    done = _python(LIMITED, str(path), str(os.path.getsize(path) + 50_000))
    assert done.returncode == 1 and "StoreUnavailable" in done.stderr and "nothing of this step" in done.stderr
    _goes_on(path, embedder, 4)


# Read-only.

READ_ONLY = """
import sys
from trajwiki.cli import main
sys.argv = ["trajwiki", *sys.argv[1:]]
main()
"""


@pytest.fixture(params=["file", "folder"])
def read_only(request: pytest.FixtureRequest, whole: Path, tmp_path: Path) -> Iterator[Path]:
    """A database that cannot be written: by its permissions, or by its disk for root, whom no permission stops."""
    if os.name == "nt":
        pytest.skip("needs permissions of POSIX")
    folder = tmp_path / "there"
    folder.mkdir()
    if os.geteuid() == 0:
        if request.param == "folder":
            pytest.skip("the same as for the file")
        for _ in _small_disk(folder, 8 * 1024):
            path = Path(shutil.copy(whole, folder / "memory.db"))
            subprocess.run(["mount", "-o", "remount,ro", str(folder)], check=True)
            yield path
        return
    path = Path(shutil.copy(whole, folder / "memory.db"))
    path.chmod(0o444)
    folder.chmod(0o555 if request.param == "folder" else 0o755)
    yield path
    folder.chmod(0o755)


def test_what_cannot_be_written_can_be_looked_at(read_only: Path, tmp_path: Path) -> None:
    """Recall, log and doctor work; whoever writes is told why not, with exit code 3, and the file stays as it is."""
    before = read_only.read_bytes()
    told = tmp_path / "told.jsonl"
    told.write_text('{"speaker": "Ana", "text": "I moved to Oslo."}\n', encoding="utf-8")
    for arguments, code in (
        (["recall", "Who plays the violin?"], 0),
        (["doctor"], 0),
        (["ingest", str(told)], 3),
        (["erase", "--message", "m2", "--yes"], 3),
    ):
        done = _python(READ_ONLY, *arguments, "--space", "a", "--db", str(read_only))
        assert done.returncode == code, (arguments, done.stdout, done.stderr)
        if code:
            assert "cannot be written" in done.stderr and "Traceback" not in done.stderr, done.stderr
    assert read_only.read_bytes() == before


def _python(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", code, *arguments]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT, env=env)


# Damaged.


@pytest.mark.parametrize("part", [0.2, 0.5, 0.9])
def test_f32_a_truncated_file_is_refused_and_left_alone(
    part: float, whole: Path, tmp_path: Path, embedder: WordLlamaEmbedder
) -> None:
    data = whole.read_bytes()
    path = tmp_path / "torn.db"
    path.write_bytes(data[: int(len(data) * part)])
    torn = path.read_bytes()
    with (
        pytest.raises(CorruptStore, match="trajwiki doctor"),
        Memory.open(path, settings=Settings(), embedder=embedder) as memory,
    ):
        memory.space("a").state()
    with contextlib.suppress(CorruptStore), Memory.open(path, settings=Settings(), embedder=embedder) as memory:
        assert memory.integrity() != []
    assert path.read_bytes() == torn


def test_f32_a_flipped_bit_is_refused_or_found_by_the_doctor(
    whole: Path, tmp_path: Path, embedder: WordLlamaEmbedder
) -> None:
    """Whatever bit it is: never another error, never another memory that passes for sound; the file stays as it is."""
    luck = random.Random(5)
    data = whole.read_bytes()
    with Memory.open(shutil.copy(whole, tmp_path / "sound.db"), settings=Settings(), embedder=embedder) as memory:
        sound = memory.space("a").state()
    fates = {"refused": 0, "found": 0, "no matter": 0}
    unseen = []
    for n in range(60):
        at = luck.randrange(len(data))
        path = tmp_path / f"{n}.db"
        path.write_bytes(data[:at] + bytes([data[at] ^ 1 << luck.randrange(8)]) + data[at + 1 :])
        flipped = path.read_bytes()
        fate = _fate(path, sound, embedder)
        if fate == "unseen":
            unseen.append(at)
        else:
            fates[fate] += 1
        assert path.read_bytes() == flipped or fate == "no matter"
        path.unlink()
    assert min(fates.values()) > 0, fates
    assert len(unseen) <= 3, unseen  # a letter of a text on which nothing stands; its vector may not change by it


def _fate(path: Path, sound: SpaceState, embedder: WordLlamaEmbedder) -> str:
    try:
        with Memory.open(path, settings=Settings(), embedder=embedder) as memory:
            if memory.integrity():
                return "found"
            info = memory.store.find("a")
            if info is None or info.id != "space_fixed" or len(memory.spaces()) != 1:
                return "found"
            if examine_stored(memory.store, info, embedder=embedder):
                return "found"
            return "unseen" if differences(sound, memory.space("a").state()) else "no matter"
    except TrajwikiError as error:
        assert isinstance(error, EnvironmentFailure), error
        return "refused"


# Repairs.


def _damaged(whole: Path, path: Path, *statements: str) -> Path:
    shutil.copy(whole, path)
    with contextlib.closing(sqlite3.connect(path)) as connection:
        for statement in statements:
            assert connection.execute(statement).rowcount > 0, statement
        connection.commit()
    return path


DAMAGE = {
    "another status": ("UPDATE claim_state SET status = 'contradictory'", Mend.STATUS),
    "no statuses": ("DELETE FROM claim_state", Mend.STATUS),
    "no vectors of messages": ("DELETE FROM vector WHERE kind = 'message'", Mend.VECTORS),
    "no vectors of pages": ("DELETE FROM vector WHERE kind = 'page'", Mend.VECTORS),
    "vectors of something else": (
        "UPDATE vector SET data = (SELECT data FROM vector WHERE kind = 'snapshot' LIMIT 1) WHERE kind = 'message'",
        Mend.VECTORS,
    ),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_what_follows_from_the_rest_is_repaired(
    name: str, whole: Path, tmp_path: Path, embedder: WordLlamaEmbedder
) -> None:
    """Found by the doctor, planned, carried out, and then everything is as it was."""
    with Memory.open(shutil.copy(whole, tmp_path / "sound.db"), settings=Settings(), embedder=embedder) as memory:
        sound, stored = memory.space("a").state(), memory.store.stored_status("space_fixed")
    statement, mend = DAMAGE[name]
    path = _damaged(whole, tmp_path / "memory.db", statement)
    with Memory.open(path, settings=Settings(), embedder=embedder) as memory:
        store, info = memory.store, memory.spaces()[0]
        assert examine_stored(store, info, embedder=embedder)
        state = SpaceState()
        change, state.head = store.load(info.id)
        state.apply(change)
        plan = plan_repairs(state, store.stored_status(info.id), strange=strange_vectors(state, embedder))
        assert [r.mend for r in plan] == [mend]
        assert carry_out(plan, store, info, state, embedder) == []
        assert examine_stored(store, info, embedder=embedder) == []
        assert store.stored_status(info.id) == stored
        assert differences(memory.space("a").state(), sound) == []


def test_nothing_is_planned_for_what_is_sound(whole: Path, tmp_path: Path, embedder: WordLlamaEmbedder) -> None:
    with Memory.open(shutil.copy(whole, tmp_path / "m.db"), settings=Settings(), embedder=embedder) as memory:
        state = memory.space("a").state()
        assert (
            plan_repairs(state, memory.store.stored_status("space_fixed"), strange=strange_vectors(state, embedder))
            == ()
        )


def test_a_scrub_that_a_reader_blocked_is_finished_later(
    tmp_path: Path, embedder: WordLlamaEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trajwiki.store.database.BUSY_TIMEOUT_S", 0.2)
    path = tmp_path / "memory.db"
    with Memory.open(path, settings=Settings(), embedder=embedder) as memory:
        space = memory.space("a")
        tell(space)
        reader = sqlite3.connect(path)
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM message").fetchone()
        receipt = space.erase(Selection(matching="zebrawood"))
        assert not receipt.scrubbed
        assert len(memory.store.pending_scrubs()) == 1
        assert _holding(path, b"zebrawood")
        reader.close()
        plan = plan_repairs(
            space.state(),
            memory.store.stored_status(memory.spaces()[0].id),
            pending_scrubs=memory.store.pending_scrubs(),
        )
        assert [r.mend for r in plan] == [Mend.SCRUB] and scrub_problems(memory.store.pending_scrubs())
        assert carry_out(plan, memory.store, memory.spaces()[0], space.state(), embedder) == []
        assert memory.store.pending_scrubs() == []
        assert not _holding(path, b"zebrawood")


def _holding(path: Path, word: bytes) -> list[str]:
    return [f.name for f in path.parent.glob(path.name + "*") if word in f.read_bytes()]
