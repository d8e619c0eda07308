"""Archives, vaults, PROV-JSON and backups: what leaves a database is whole, and what comes in is checked."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import random
import re
import shutil
import sqlite3
import struct
import threading
import zipfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.states import differences
from trajwiki import Memory, NewMessage, Settings, Space
from trajwiki.archive import load
from trajwiki.archive.export import export_archive
from trajwiki.archive.folder import MARKER
from trajwiki.archive.load import import_archive, read_manifest
from trajwiki.archive.manifest import Limits
from trajwiki.archive.names import MAX_BYTES, Names, safe_name
from trajwiki.archive.prov import export_prov
from trajwiki.archive.vault import export_vault
from trajwiki.cli import archive as commands
from trajwiki.domain.state import SpaceState
from trajwiki.erasure import Selection
from trajwiki.errors import CorruptStore, StoreUnavailable, TrajwikiError, UnknownSpace, UnreadableInput, UsageError
from trajwiki.models.wordllama import WordLlamaEmbedder
from trajwiki.store.backup import backup
from trajwiki.store.database import Database
from trajwiki.store.spaces import SpaceStore

MAY = datetime(2024, 5, 6, 10, tzinfo=UTC)
HOSTILE = "..\\../con|aux?\u202e [[ana]] #tag $x$ %%hidden%% <b>&amp;</b> `code` 火 👨‍👩‍👧"
TALK = [
    ("Ana", "I live in Porto and I play the violin."),
    ("Ben", "Nice, I live in Braga."),
    ("Ana", "My neighbour Tomas sold me a zebrawood desk."),
    ("Ben", "I bought a kayak in April."),
    ("Ana", "I moved to Madrid last week, I live in Madrid now."),
    ("Ben", "Wow! I play the violin too."),
    ("Ana", f"I work at Acme. {HOSTILE}"),
    ("Ben", "I have two cats. \r\n\u2028- not a list\n1. nor this\n\n# or a heading"),
]


def said(n: int, speaker: str, text: str, **given: Any) -> NewMessage:
    return NewMessage(speaker, text, MAY + timedelta(hours=5 * n), "talk", f"m{n}", **given)


def live_through(space: Space) -> None:
    """A history with everything in it: adds, an edit, corrections, a revert, an erasure, an answer."""
    space.add(said(n, speaker, text) for n, (speaker, text) in enumerate(TALK))
    space.add([NewMessage("Ana", "My sister is called Rita.", None, "CON", "../../etc/passwd", "whatsapp")])
    space.add([NewMessage("Ana", "I like tea.", MAY.astimezone(), "Con", "x", caption="a cup", metadata={"k": "ü\0"})])
    space.flush()
    home = next(c.id for c in space.state().claims.values() if "Porto" in c.text)
    space.revise_claim(home, "Ana lives in Rome.", reason="she said so")
    space.deprecate_claim(home, reason="old")
    space.add_claim("Ben likes tea.", reason="known", subject="Ben")
    space.revert(space.log()[0].n)
    space.add([said(1, "Ben", "Nice, I live in Faro.")])
    space.flush()
    space.erase(Selection(refs=("m2",)))
    space.ask("Where does Ana live?")


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory, embedder: WordLlamaEmbedder) -> tuple[Path, Path]:
    """A database with a space that has seen everything, and its archive."""
    folder = tmp_path_factory.mktemp("kept")
    with Memory.open(folder / "memory.db", settings=Settings(), embedder=embedder) as memory:
        live_through(memory.space("home"))
        assert memory.space("home").examine() == []
    database = Database(folder / "memory.db")
    export_archive(database, "home", folder / "home.zip")
    database.close()
    return folder / "memory.db", folder / "home.zip"


@pytest.fixture
def source(kept: tuple[Path, Path], tmp_path: Path) -> Iterator[Database]:
    """A copy of that database."""
    database = Database(shutil.copy(kept[0], tmp_path / "source.db"))
    yield database
    database.close()


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("fresh") / "empty.db"
    Database(path).close()
    return path


@pytest.fixture
def empty(fresh: Path, tmp_path: Path) -> Iterator[Database]:
    """A database without spaces."""
    database = Database(shutil.copy(fresh, tmp_path / "empty.db"))
    yield database
    database.close()


def rows_in(database: Database) -> int:
    with database.reading() as connection:
        names = [str(r[0]) for r in connection.exec_driver_sql("SELECT name FROM sqlite_master WHERE type='table'")]
        counts = [connection.exec_driver_sql(f"SELECT count(*) FROM {name}").scalar() for name in names]
    return sum(int(n or 0) for n in counts) - 1  # the row of the schema's version


# Archives: there and back.


def test_what_is_exported_comes_back_whole(location: str, tmp_path: Path, embedder: WordLlamaEmbedder) -> None:
    """On every engine: the same bytes again, the same states at every commit, and the history goes on."""
    first, second, third = (tmp_path / f"{n}.zip" for n in "123")
    with Memory.open(location, settings=Settings(), embedder=embedder) as memory:
        space = memory.space("home")
        live_through(space)
        memory.space("other").add([said(0, "Eve", "I live in Oslo.")])
        log, states = space.log(), {c.n: space.state(as_of=c.n) for c in space.log()}
    database, other = Database(location), Database(tmp_path / "other.db")
    export_archive(database, "home", first)
    import_archive(other, first)
    export_archive(other, "home", second)
    SpaceStore(database).delete("home")
    import_archive(database, second)
    export_archive(database, "home", third)
    database.close()
    other.close()
    assert first.read_bytes() == second.read_bytes() == third.read_bytes()
    for place in (location, tmp_path / "other.db"):
        with Memory.open(place, settings=Settings(), embedder=embedder) as memory:
            space = memory.space("home")
            assert space.log() == log
            assert space.examine() == []
            assert all(differences(space.state(as_of=n), state) == [] for n, state in states.items())
            space.erase(Selection(refs=("m0",)))
            space.add([said(20, "Ana", "I live in Lyon.")])
            space.flush()
            assert space.examine() == []


def test_an_archive_does_not_depend_on_the_engine(location: str, tmp_path: Path, embedder: WordLlamaEmbedder) -> None:
    out = []
    for n, place in enumerate((location, tmp_path / "reference.db")):
        with Memory.open(place, settings=Settings(), embedder=embedder, clock=lambda: MAY) as memory:
            space = memory.create_space("same", id="space_same")
            space.add(said(i, speaker, text) for i, (speaker, text) in enumerate(TALK))
            space.add([NewMessage("élan", "I like Ärger and zebras.", None, "É", r) for r in ("a", "B", "_", "ä", "Z")])
            space.flush()
        database = Database(place)
        export_archive(database, "same", tmp_path / f"{n}.zip")
        database.close()
        out.append((tmp_path / f"{n}.zip").read_bytes())
    assert out[0] == out[1]


@pytest.mark.parametrize("seed", range(3))
def test_any_history_survives(seed: int, tmp_path: Path, embedder: WordLlamaEmbedder) -> None:
    luck = random.Random(seed)
    with Memory.open(tmp_path / "a.db", settings=Settings(), embedder=embedder) as memory:
        space = memory.space("any")
        space.add([said(999, *TALK[0])])
        for step in range(12):
            claims, messages = list(space.state().claims), list(space.state().messages.values())
            match luck.choice(["add", "add", "edit", "claim", "deprecate", "revise", "erase", "flush"]):
                case "add":
                    space.add([said(10 * step + i, *luck.choice(TALK)) for i in range(luck.randrange(1, 4))])
                case "edit" if talk := [m.source_ref for m in messages if m.session == "talk"]:
                    said_now = f"I live in {luck.choice(['Rome', 'Oslo'])}."
                    space.add([NewMessage("Ana", said_now, MAY, "talk", luck.choice(talk))])
                case "claim":
                    space.add_claim(f"Ana owns {step} boats.", reason="so")
                case "deprecate" if claims:
                    space.deprecate_claim(luck.choice(claims), reason="no")
                case "revise" if claims:
                    space.revise_claim(luck.choice(claims), f"Ana has {step} cats.", reason="rather")
                case "erase" if messages:
                    space.erase(Selection(refs=(luck.choice(messages).id,)))
                case "flush":
                    space.flush()
    a, b = Database(tmp_path / "a.db"), Database(tmp_path / "b.db")
    export_archive(a, "any", tmp_path / "a.zip")
    import_archive(b, tmp_path / "a.zip")
    export_archive(b, "any", tmp_path / "b.zip")
    a.close()
    b.close()
    assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()


def test_an_empty_space_is_a_space(empty: Database, tmp_path: Path, embedder: WordLlamaEmbedder) -> None:
    with Memory.open(tmp_path / "a.db", settings=Settings(), embedder=embedder) as memory:
        memory.create_space("new")
    database = Database(tmp_path / "a.db")
    export_archive(database, "new", tmp_path / "new.zip")
    export_vault(database, "new", tmp_path / "vault")
    export_prov(database, "new", tmp_path / "new.json")
    database.close()
    assert import_archive(empty, tmp_path / "new.zip").space.head == 0
    assert (tmp_path / "vault" / "index.md").is_file()


def test_an_archive_is_one_state_while_others_write(
    location: str, empty: Database, tmp_path: Path, embedder: WordLlamaEmbedder
) -> None:
    done = threading.Event()

    def write() -> None:
        with Memory.open(location, settings=Settings(), embedder=embedder) as memory:
            for n in range(12):
                memory.space("home").add([said(n, *TALK[n % len(TALK)])])
        done.set()

    with Memory.open(location, settings=Settings(), embedder=embedder) as memory:
        memory.create_space("home")
    writer = threading.Thread(target=write)
    writer.start()
    database = Database(location)
    taken = 0
    while not done.is_set() and taken < 200:
        export_archive(database, "home", tmp_path / f"{taken}.zip")
        taken += 1
    writer.join()
    database.close()
    heads = []
    for n in sorted({0, taken // 2, taken - 1}):
        heads.append(import_archive(empty, tmp_path / f"{n}.zip").space.head)
        SpaceStore(empty).delete("home")
    assert heads == sorted(heads)


def test_a_space_comes_in_under_another_name_but_never_twice(empty: Database, kept: tuple[Path, Path]) -> None:
    with pytest.raises(UsageError, match="printable"):
        import_archive(empty, kept[1], name="a\nb")
    assert import_archive(empty, kept[1], name="mine").space.name == "mine"
    with pytest.raises(UsageError, match="holds this space already: 'mine'"):
        import_archive(empty, kept[1])
    assert [s.name for s in SpaceStore(empty).spaces()] == ["mine"]


def test_a_name_that_is_taken_is_refused(empty: Database, kept: tuple[Path, Path]) -> None:
    store = SpaceStore(empty)
    store.create(dataclasses.replace(import_archive(empty, kept[1], name="x").space, id="space_other", name="home"))
    store.delete("x")
    with pytest.raises(UsageError, match="--name"):
        import_archive(empty, kept[1])


def test_nothing_is_written_over(source: Database, tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    taken.write_text("mine")
    for write in (lambda: export_archive(source, "home", taken), lambda: export_prov(source, "home", taken)):
        with pytest.raises(UsageError, match="there already"):
            write()
    with pytest.raises(UsageError, match="there already"):
        backup(source, taken)
    assert taken.read_text() == "mine"
    with pytest.raises(UnknownSpace):
        export_archive(source, "nothing", tmp_path / "n.zip")
    assert {p.name for p in tmp_path.iterdir()} <= {"taken", "source.db", "source.db-wal", "source.db-shm"}


def test_a_full_disk_leaves_nothing_half_written(source: Database, tmp_path: Path) -> None:
    resource = pytest.importorskip("resource")
    out = tmp_path / "out"
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, limits[1]))  # a file cannot grow beyond: as on a full disk
    try:
        for write in (
            lambda: export_archive(source, "home", out / "a.zip"),
            lambda: export_prov(source, "home", out / "a.json"),
            lambda: backup(source, out / "a.db"),
        ):
            with pytest.raises(StoreUnavailable, match="cannot"):
                write()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert list(out.iterdir()) == []


# Archives: from anywhere.


def rewritten(archive: Path, out: Path, edit: Callable[[dict[str, Any]], None]) -> Path:
    """Make an archive with other content, and hashes that fit it: what a careful forger does.

    `edit` gets the rows of each table, by its name, and the manifest as ``manifest``.
    """
    with zipfile.ZipFile(archive) as old:
        content: dict[str, Any] = {
            name.removeprefix("data/").removesuffix(".jsonl"): [json.loads(x) for x in old.read(name).splitlines()]
            for name in old.namelist()
            if name != "manifest.json"
        }
        content["manifest"] = json.loads(old.read("manifest.json"))
    edit(content)
    manifest = content.pop("manifest")
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for table, rows in content.items():
            data = b"".join(
                row
                if isinstance(row, bytes)
                else json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
                for row in rows
            )
            manifest["members"][f"data/{table}.jsonl"] = {
                "rows": data.count(b"\n"),
                "bytes": len(data),
                "sha256": hashlib.sha256(data).hexdigest(),
            }
            new.writestr(f"data/{table}.jsonl", data)
        new.writestr("manifest.json", json.dumps(manifest))
    return out


def test_a_rewritten_archive_that_changes_nothing_comes_in(
    empty: Database, kept: tuple[Path, Path], tmp_path: Path
) -> None:
    """So the refusals below are of what they change."""
    import_archive(empty, rewritten(kept[1], tmp_path / "same.zip", lambda content: None))
    export_archive(empty, "home", tmp_path / "again.zip")
    assert (tmp_path / "again.zip").read_bytes() == kept[1].read_bytes()


def _set(table: str, row: int, **values: Any) -> Callable[[dict[str, Any]], None]:
    return lambda content: content[table][row].update(values)


def _without(table: str, row: int) -> Callable[[dict[str, Any]], None]:
    return lambda content: content[table].pop(row)


def _raw(table: str, line: bytes) -> Callable[[dict[str, Any]], None]:
    return lambda content: content[table].insert(0, line)


def _manifest(**values: Any) -> Callable[[dict[str, Any]], None]:
    return lambda content: content["manifest"].update(values)


def _space(**values: Any) -> Callable[[dict[str, Any]], None]:
    return lambda content: content["manifest"]["space"].update(values)


FORGERIES: dict[str, tuple[Callable[[dict[str, Any]], None], str]] = {
    "a message of another type": (_set("message", 0, text=7), r"message\.jsonl, line 1: text: expected text"),
    "NUL": (_set("message", 1, text="a\0b"), "line 2: text: .*NUL"),
    "a lone surrogate": (_raw("message", b'{"id":"\\ud800"}\n'), "line 1"),
    "not JSON": (_raw("claim", b"{\n"), r"claim\.jsonl, line 1"),
    "not an object": (_raw("claim", b"[1]\n"), "line 1: .*JSON object"),
    "nested without end": (_raw("claim", b"[" * 100_000 + b"\n"), "line 1: .*nested"),
    "a number without end": (_raw("claim", b"1" * 5000 + b"\n"), "line 1"),
    "not a number": (_set("trajectory_member", 0, score=float("nan")), "trajectory_member.jsonl, line 1"),
    "a key twice": (_raw("page", b'{"id":"a","id":"b"}\n'), "line 1: .*as trajwiki writes it"),
    "an unknown column": (_set("page", 0, admin=True), "its columns are"),
    "another space's column": (_set("page", 0, space_id="x"), "its columns are"),
    "a huge number": (_set("message", 0, ordinal=2**31), "line 1: ordinal"),
    "a truth for a number": (_set("message", 0, ordinal=True), "line 1: ordinal"),
    "a naive time": (_set("commit_log", 0, at="2024-05-06T10:00:00"), "line 1: at: a time without a zone"),
    "no time": (_set("commit_log", 0, at="soon"), "line 1: at"),
    "an unknown role": (_set("message", 0, role="admin"), "admin"),
    "an unknown operation": (_set("claim_op", 0, op="FORGET"), "FORGET"),
    "a revert of nothing": (_set("commit_log", 0, kind="revert"), "revert"),
    "a correction of nothing": (
        lambda c: [m["metadata"].clear() for m in c["message"]],
        r"message\.jsonl, line \d+: '' is not a valid Op",
    ),
    "a span that ends before it starts": (
        _set("claim", 0, valid_start="2024-02-02", valid_end="2024-01-01", precision="day"),
        "claim.jsonl, line 1",
    ),
    "an odd feature": (_set("snapshot", 0, features={"keywords": []}), "features"),
    "ids that are a word": (_set("exchange", 0, message_ids="abc"), "message_ids: expected a list"),
    "a revision from elsewhere": (
        lambda c: next(m for m in c["message"] if m["revision"]).update(session="elsewhere"),
        "a revision of a message keeps its source",
    ),
    "rows out of order": (lambda c: c["message"].reverse(), "rows are in order"),
    "a row twice": (lambda c: c["message"].insert(0, c["message"][0]), "rows are in order"),
    "a commit that is missing": (_without("commit_log", 2), "line 3: it is commit 4"),
    "a last commit that is missing": (_without("commit_log", -1), "manifest.json: the newest commit is"),
    "a row of no commit": (_set("message", 0, since=0), "since: there is no commit 0"),
    "a row of the future": (_set("message", 0, since=10_000), "there is no commit 10000"),
    "an end before the beginning": (_set("page_link", 0, until=1), "until"),
    "a message that is missing": (lambda c: c["message"].clear(), "there is no message.id"),
    "a claim that is missing": (_without("claim", 0), "there is no claim.id"),
    "a claim without an operation": (lambda c: c["claim_op"].clear(), "there is no claim_op"),
    "a snapshot in no trajectory": (_without("trajectory_member", 0), "there is no trajectory_member.snapshot_id"),
    "a trajectory without a summary": (lambda c: c["trajectory_version"].clear(), "trajectory_version"),
    "a line on nothing": (_set("page_bullet", 0, claim_ids=["claim_x"]), "there is no claim.id 'claim_x'"),
    "a quote that nobody said": (_set("claim_source", 0, quote="I owe Eve money"), "doctor.broken: .*quote"),
    "a status that nobody decided": (
        lambda c: [row.update(status="contradictory") for row in c["claim_state"]],
        "doctor.broken: .*its history says",
    ),
    "a vector of another length": (_set("vector", 0, data="AAAA"), "data"),
    "a vector that is not base64": (_set("vector", 0, data="!"), "data"),
    "a vector of nothing": (_set("vector", 0, kind="moon"), "kind"),
    "vectors that are missing": (lambda c: c["vector"].clear(), "there is no vector.message"),
    "a page of no kind": (_set("page", 0, seed="moon:x"), r"page\.jsonl, line 1: .*moon"),
    "a snapshot in two trajectories": (
        lambda c: c["trajectory_member"].append({**c["trajectory_member"][-1], "ordinal": 99}),
        "is in line .* already",
    ),
    "an id that no hash takes": (_space(id="x" * 65), "space.id"),
    "a name that drives a terminal": (_space(name="a\x1b[2J"), "space.name"),
    "a dimension without bounds": (_space(dimension=2**40), "space.dimension"),
    "another head": (_space(head=10_000), "the newest commit is 10000"),
    "a newer format": (_manifest(version=2), "newer"),
    "a newer schema": (_manifest(db_schema="9999"), "newer"),
    "another format": (_manifest(format="tar"), "manifest.json"),
    "an unknown key": (_manifest(extra=1), "extra"),
    "no space": (_manifest(space=None), "space"),
    "a table that nobody knows": (lambda c: c.update(users=[]), "not part of a trajwiki archive"),
    "a table that is missing": (lambda c: c.pop("claim_op"), "members are missing"),
}


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forged_archive_is_refused_with_the_place(
    name: str, empty: Database, kept: tuple[Path, Path], tmp_path: Path
) -> None:
    edit, message = FORGERIES[name]
    forged = rewritten(kept[1], tmp_path / "forged.zip", edit)
    with pytest.raises(UnreadableInput, match=message) as raised:
        import_archive(empty, forged)
    assert str(forged) in str(raised.value)
    assert rows_in(empty) == 0


def _zip(path: Path, members: dict[str, bytes], compression: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path


def test_what_is_no_archive_is_refused(empty: Database, kept: tuple[Path, Path], tmp_path: Path) -> None:
    whole = kept[1].read_bytes()
    with zipfile.ZipFile(kept[1]) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    other = tmp_path / "other.zip"
    for data in (b"", b"PK", b"hello" * 100, whole[: len(whole) // 2], whole + b"tail", whole[1000:]):
        other.write_bytes(data)
        with pytest.raises(UnreadableInput):
            import_archive(empty, other)
    for more in ("../evil", "/etc/passwd", "data/../../x", "data/claim.jsonl/", "C:\\x", "DATA/claim.jsonl"):
        with pytest.raises(UnreadableInput, match="not part of"):
            read_manifest(_zip(other, {**members, more: b""}))
    with pytest.raises(UnreadableInput, match="packed in a way"):
        read_manifest(_zip(other, members, zipfile.ZIP_BZIP2))
    with pytest.raises(UnreadableInput, match="no manifest"):
        read_manifest(_zip(other, {"data/claim.jsonl": b""}))
    with pytest.warns(UserWarning, match="Duplicate"), zipfile.ZipFile(other, "w") as twice:
        for name in ("manifest.json", "manifest.json"):
            twice.writestr(name, members["manifest.json"])
    with pytest.raises(UnreadableInput, match="two members"):
        read_manifest(other)
    with pytest.raises(UnreadableInput, match="hash"):
        import_archive(empty, _zip(other, {**members, "data/answer.jsonl": b""}))
    with pytest.raises(UnreadableInput, match=r"nothing\.zip"):
        import_archive(empty, tmp_path / "nothing.zip")
    with pytest.raises(UnreadableInput):
        import_archive(empty, tmp_path)
    assert rows_in(empty) == 0


def test_a_bomb_does_not_go_off(empty: Database, kept: tuple[Path, Path], tmp_path: Path) -> None:
    with zipfile.ZipFile(kept[1]) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    bomb = _zip(tmp_path / "bomb.zip", {**members, "data/answer.jsonl": b" " * 5_000_000})
    with pytest.raises(UnreadableInput, match="times its size"):
        read_manifest(bomb, limits=Limits(ratio_from=10**6))
    with pytest.raises(UnreadableInput, match="at most 1000 are allowed"):
        read_manifest(bomb, limits=Limits(member=1000))
    with pytest.raises(UnreadableInput, match="more than 1000 bytes"):
        read_manifest(bomb, limits=Limits(archive=1000))
    with pytest.raises(UnreadableInput, match=r"answer\.jsonl: a line is longer than 100000 bytes"):
        import_archive(empty, bomb, limits=Limits(line=100_000))
    many = _zip(tmp_path / "many.zip", {f"{n}": b"" for n in range(2000)})
    with pytest.raises(UnreadableInput, match="table of contents"):
        read_manifest(many)
    hidden = bytearray(many.read_bytes())  # the size of the table of contents stands in a zip64 record instead
    *_, size, offset, _comment = struct.unpack("<4s4H2LH", hidden[-22:])
    record = struct.pack("<4sQ2H2L4Q", b"PK\6\6", 44, 45, 45, 0, 0, 2000, 2000, size, offset)
    locator = struct.pack("<4sLQL", b"PK\6\7", 0, offset + size, 1)
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 0xFFFF, 0xFFFF, 20, 0xFFFFFFFF, 0)
    many.write_bytes(bytes(hidden[:-22]) + record + locator + end)
    with pytest.raises(UnreadableInput, match="table of contents"):
        read_manifest(many)
    assert rows_in(empty) == 0


def test_a_flipped_bit_is_found_or_does_not_matter(empty: Database, kept: tuple[Path, Path], tmp_path: Path) -> None:
    whole, luck = kept[1].read_bytes(), random.Random(7)
    *_, directory, _comment = struct.unpack("<4s4H2LH", whole[-22:])  # where the table of contents begins
    path = tmp_path / "flipped.zip"
    came_in = 0
    for n in range(40):
        data = bytearray(whole)
        place = luck.randrange(directory if n % 2 else 0, len(data))
        data[place] ^= 1 << luck.randrange(8)
        path.write_bytes(data)
        try:
            import_archive(empty, path)
        except TrajwikiError:
            assert rows_in(empty) == 0
            continue
        came_in += 1
        again = tmp_path / f"{n}.zip"
        export_archive(empty, "home", again)
        SpaceStore(empty).delete("home")
        assert again.read_bytes() == whole
    assert came_in < 20


def test_an_import_that_is_cut_short_leaves_nothing(
    empty: Database, kept: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    written = load.insert_rows
    calls = 0

    def cut(*given: Any) -> None:
        nonlocal calls
        calls += 1
        if calls == 9:
            raise KeyboardInterrupt
        written(*given)

    monkeypatch.setattr(load, "insert_rows", cut)
    with pytest.raises(KeyboardInterrupt):
        import_archive(empty, kept[1])
    assert rows_in(empty) == 0
    monkeypatch.undo()
    import_archive(empty, kept[1])


def test_an_archive_of_an_earlier_schema_comes_in(empty: Database, kept: tuple[Path, Path], tmp_path: Path) -> None:
    """A table or an optional column that was added since is empty in it."""

    def as_before(content: dict[str, Any]) -> None:
        content["manifest"]["db_schema"] = "0000"
        del content["answer"], content["manifest"]["members"]["data/answer.jsonl"]
        assert {row.pop("continues") for row in content["trajectory"]} == {None}

    import_archive(empty, rewritten(kept[1], tmp_path / "old.zip", as_before))
    assert [s.name for s in SpaceStore(empty).spaces()] == ["home"]


# Vaults.

LINK = re.compile(r"(?<!\\)\[\[([^\]|#]+)(?:#\^(\w+))?(?:\|[^\]]*)?\]\]")


def check_vault(folder: Path) -> dict[str, str]:
    """Every link leads to one file and, where it names one, to a block in it; every footnote is there."""
    files = {p.relative_to(folder).as_posix(): p.read_text(encoding="utf-8") for p in folder.rglob("*.md")}
    names = [Path(name).stem.casefold() for name in files]
    assert len(names) == len(set(names))
    by_name = {Path(name).stem: text for name, text in files.items()}
    for name, text in files.items():
        assert text.startswith("---\ntitle: "), name
        for target, block in LINK.findall(text):
            assert target in by_name, (name, target)
            assert not block or re.search(rf" \^{block}$", by_name[target], re.M), (name, target, block)
        body, _, _ = text.partition("\n[^1]:")
        assert set(re.findall(r"\[\^(\d+)\]", body)) == set(re.findall(r"^\[\^(\d+)\]:", text, re.M)), name
    return files


def test_a_vault_holds_the_pages_with_their_sources(source: Database, tmp_path: Path) -> None:
    yaml = pytest.importorskip("yaml")
    written = export_vault(source, "home", tmp_path / "vault")
    files = check_vault(tmp_path / "vault")
    assert written.written == len(files)
    ana = files["ana.md"]
    front = yaml.safe_load(ana.split("---\n")[1])
    assert front["title"] == "Ana" and front["type"] == "entity" and front["slug"] == "ana"
    assert front["trajectories"] and datetime.fromisoformat(front["updated"])
    note = re.search(r"^- Ana lives in Madrid now\.\[\^(\d+)\]$", ana, re.M)
    assert note
    assert f"[^{note[1]}]: [[talk#^m4|m4]] Ana, 2024-05-07: “I live in Madrid now”" in ana
    assert "- [[ana|Ana]]" in files["index.md"]
    assert all(yaml.safe_load(text.split("---\n")[1]) for text in files.values())


def test_nothing_that_was_said_acts_in_a_vault(source: Database, tmp_path: Path) -> None:
    export_vault(source, "home", tmp_path / "vault")
    talk = (tmp_path / "vault" / "messages" / "talk.md").read_text()
    line = next(x for x in talk.splitlines() if "Acme" in x)
    assert "[[" not in line and "<b>" not in line and "\u202e" not in line
    assert r"\#tag \$x\$ \%\%hidden\%\%" in line and "火 👨‍👩‍👧" in line
    assert "\n\\- not a list\n1\\. nor this\n\\# or a heading ^m7\n" in talk
    assert "zebrawood" not in "".join(p.read_text() for p in (tmp_path / "vault").rglob("*.md"))  # it was erased


def test_the_same_vault_again_touches_nothing_and_keeps_my_notes(source: Database, tmp_path: Path) -> None:
    folder = tmp_path / "vault"
    export_vault(source, "home", folder)
    (folder / "My own note.md").write_text("mine")
    (folder / ".obsidian").mkdir()
    (folder / "ben.md").unlink()
    before = (folder / "ana.md").stat().st_mtime_ns
    written = export_vault(source, "home", folder)
    assert (written.written, written.removed) == (1, 0)
    assert (folder / "ana.md").stat().st_mtime_ns == before
    assert (folder / "My own note.md").read_text() == "mine"


def test_what_is_erased_leaves_the_vault(source: Database, tmp_path: Path, embedder: WordLlamaEmbedder) -> None:
    folder = tmp_path / "vault"
    export_vault(source, "home", folder)
    with Memory.open(tmp_path / "source.db", settings=Settings(), embedder=embedder) as memory:
        memory.space("home").erase(Selection(session="CON"))
    assert (folder / "messages" / "_CON.md").is_file()
    assert export_vault(source, "home", folder).removed >= 1
    assert not any("Rita" in p.read_text() for p in folder.rglob("*.md"))
    check_vault(folder)


def test_a_folder_of_others_is_left_alone(source: Database, tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "ana.md").write_text("mine")
    with pytest.raises(UsageError, match="not empty"):
        export_vault(source, "home", folder)
    (folder / MARKER).write_text('{"format": "trajwiki.vault", "space": "space_of_another", "files": []}')
    with pytest.raises(UsageError, match="another space"):
        export_vault(source, "home", folder)
    with pytest.raises(UsageError, match="not a folder"):
        export_vault(source, "home", folder / "ana.md")
    assert (folder / "ana.md").read_text() == "mine"
    export_vault(source, "home", folder, force=True)
    assert "# Ana" in (folder / "ana.md").read_text()


def test_a_vault_writes_and_removes_nothing_outside_itself(source: Database, tmp_path: Path) -> None:
    """Neither through links in the folder, nor because a marker says so."""
    outside, folder = tmp_path / "outside", tmp_path / "vault"
    outside.mkdir()
    (outside / "keep.md").write_text("keep")
    export_vault(source, "home", folder)
    (folder / "ana.md").unlink()
    (folder / "ana.md").symlink_to(outside / "keep.md")
    marker = json.loads((folder / MARKER).read_text())
    marker["files"] += [
        "../outside/keep.md",
        "/etc/hosts",
        str(outside / "keep.md"),
        "messages/../../outside/keep.md",
        3,
    ]
    (folder / MARKER).write_text(json.dumps(marker))
    export_vault(source, "home", folder)
    assert (outside / "keep.md").read_text() == "keep"
    assert not (folder / "ana.md").is_symlink()
    shutil.rmtree(folder / "messages")
    (folder / "messages").symlink_to(outside)
    with pytest.raises(UsageError, match="nothing outside"):
        export_vault(source, "home", folder)
    assert [p.name for p in outside.iterdir()] == ["keep.md"]


@pytest.mark.parametrize(
    "text",
    [
        "../../etc/passwd",
        "..",
        ".",
        "",
        "CON",
        "con.txt",
        "Lpt1",
        "a/b\\c:d",
        "x" * 10_000,
        "火" * 500,
        "\0\n\t",
        "name. ",
        ".obsidian",
        "a#b^c|d[e]f",
        "e\u0301",
        "\ud800",
        "\u202egnp.exe",
        "~",
        HOSTILE,
    ],
)
def test_any_text_makes_a_safe_name(text: str, tmp_path: Path) -> None:
    name = safe_name(text)
    assert safe_name(name) == name
    assert len(name.encode()) <= MAX_BYTES + 1
    assert not set(name) & set('/\\:*?"<>|#^[]%\0\n') and not name.startswith(".") and not name.endswith((".", " "))
    assert name.casefold().split(".")[0] not in {"con", "aux", "lpt1"}
    given = Names().give(text, otherwise="page")
    (tmp_path / f"{given}.md").write_text("x")
    assert [p.name for p in tmp_path.iterdir()] == [f"{given}.md"]


def test_names_differ_whatever_the_case() -> None:
    names = Names()
    given = [names.give(t, otherwise="page") for t in ("Ana", "ana", "ANA", "é", "e\u0301", "", "??", "ana 2")]
    assert len({g.casefold() for g in given}) == len(given)
    assert given[0] == "Ana"


# PROV.


def test_provenance_is_whole_and_in_order(source: Database, tmp_path: Path) -> None:
    counts = export_prov(source, "home", tmp_path / "a.json")
    export_prov(source, "home", tmp_path / "b.json")
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()
    document = json.loads((tmp_path / "a.json").read_text())
    assert counts["wasDerivedFrom"] == len(document["wasDerivedFrom"])
    known = {kind: document[kind].keys() for kind in ("entity", "activity", "agent")}
    ends = {
        **dict.fromkeys(("prov:entity", "prov:generatedEntity", "prov:usedEntity", "prov:collection"), "entity"),
        **dict.fromkeys(("prov:influencer", "prov:influencee"), "entity"),
        "prov:activity": "activity",
        "prov:agent": "agent",
    }
    for kind in document.keys() - {"prefix", *known}:
        for relation in document[kind].values():
            assert all(v in known[ends[k]] for k, v in relation.items() if k in ends), relation
    made = {r["prov:entity"]: int(r["prov:activity"].split(".")[1]) for r in document["wasGeneratedBy"].values()}
    assert made.keys() == known["entity"]
    gone = [r["prov:entity"] for r in document["wasInvalidatedBy"].values()]
    assert len(gone) == len(set(gone))
    for relation in document["wasDerivedFrom"].values():
        assert made[relation["prov:usedEntity"]] <= made[relation["prov:generatedEntity"]]


def test_provenance_says_who_said_what_and_what_replaced_what(source: Database, tmp_path: Path) -> None:
    export_prov(source, "home", tmp_path / "a.json")
    document = json.loads((tmp_path / "a.json").read_text())
    by_text = {e["prov:value"]: n for n, e in document["entity"].items() if n.startswith(("s:claim", "s:message"))}
    rome, porto = by_text["Ana lives in Rome."], by_text["Ana lives in Porto."]
    revisions = [
        (r["prov:generatedEntity"], r["prov:usedEntity"])
        for r in document["wasDerivedFrom"].values()
        if r.get("prov:type", {}).get("$") == "prov:Revision"
    ]
    assert (rome, porto) in revisions
    assert (by_text["Nice, I live in Faro."], by_text["Nice, I live in Braga."]) in revisions
    assert porto in [r["prov:entity"] for r in document["wasInvalidatedBy"].values()]
    by_whom = {r["prov:entity"]: r["prov:agent"] for r in document["wasAttributedTo"].values()}
    assert by_whom[by_text["I bought a kayak in April."]] == "s:agent.person.Ben"
    assert by_whom[rome] == "s:agent.actor.local"


# Backups.


def test_a_backup_is_taken_while_others_write(tmp_path: Path, embedder: WordLlamaEmbedder) -> None:
    path, stop = tmp_path / "memory.db", threading.Event()
    with Memory.open(path, settings=Settings(), embedder=embedder) as memory:
        memory.space("a").add([said(0, *TALK[0])])

        def write() -> None:
            n = 1
            while not stop.is_set():
                memory.space("a").add([said(n, *TALK[n % len(TALK)])])
                n += 1

        writer = threading.Thread(target=write)
        writer.start()
        database = Database(path)
        sizes = [backup(database, tmp_path / f"{n}.db") for n in range(5)]
        stop.set()
        writer.join()
        database.close()
        log, state = memory.space("a").log(), memory.space("a").state()
        assert sizes == [(tmp_path / f"{n}.db").stat().st_size for n in range(5)]
        for n in range(5):
            assert not (tmp_path / f"{n}.db-wal").exists()
            with Memory.open(tmp_path / f"{n}.db", settings=Settings(), embedder=embedder) as restored:
                space = restored.space("a")
                assert restored.integrity() == []
                assert space.log() == log[-len(space.log()) :]
                assert differences(space.state(), memory.space("a").state(as_of=space.state().head)) == []
                space.add([said(900, "Ana", "I live in Lyon.")])
                space.flush()
                assert space.examine() == []
        assert isinstance(state, SpaceState)


def test_a_damaged_database_is_not_backed_up(source: Database, tmp_path: Path) -> None:
    source.close()
    path = tmp_path / "source.db"
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    data = bytearray(path.read_bytes())
    data[8192:40_000] = os.urandom(40_000 - 8192)
    path.write_bytes(data)
    with pytest.raises(CorruptStore, match="doctor"):
        backup(Database(path), tmp_path / "copy.db")
    assert not (tmp_path / "copy.db").exists()
    assert not list(tmp_path.glob(".trajwiki-*"))


@pytest.mark.parametrize("location", ["postgres"], indirect=True)
def test_a_server_says_how_to_back_it_up(location: str, tmp_path: Path) -> None:
    database = Database(location)
    with pytest.raises(UsageError, match=r"pg_dump --format=custom --file=.*postgresql://.*pg_restore") as raised:
        backup(database, tmp_path / "copy of it")
    assert f"'{tmp_path / 'copy of it'}'" in str(raised.value)
    password = database.url.password
    assert not password or f":{password}@" not in str(raised.value)
    database.close()


# Commands.


def test_the_commands_say_what_they_did(
    kept: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    db, new = str(shutil.copy(kept[0], tmp_path / "m.db")), str(tmp_path / "new.db")
    commands.export_space(tmp_path / "a.zip", space="home", db=db, format="archive", json=True)
    payload = json.loads(capsys.readouterr().out)
    assert payload["schema"] == "trajwiki.export/1" and payload["counts"]["message"] == 13
    commands.import_archive(tmp_path / "a.zip", db=new, name="mine", json=True)
    payload = json.loads(capsys.readouterr().out)
    assert payload["schema"] == "trajwiki.import/1" and payload["space"] == "mine" and payload["problems"] == []
    commands.export_space(tmp_path / "vault", space="mine", db=new, format="vault", json=False)
    commands.export_space(tmp_path / "a.json", space="mine", db=new, format="prov", json=False)
    commands.backup(tmp_path / "b.db", db=new, json=False)
    assert "--db" in capsys.readouterr().out
    with pytest.raises(UnknownSpace, match="mine"):
        commands.export_space(tmp_path / "c.zip", space="nobody", db=new, format="archive", json=False)
    with pytest.raises(UsageError, match="archive, vault, prov"):
        commands.export_space(tmp_path / "c.zip", space="mine", db=new, format="pdf", json=False)
    (tmp_path / "bad.zip").write_bytes(b"no")
    with pytest.raises(UnreadableInput):
        commands.import_archive(tmp_path / "bad.zip", db=str(tmp_path / "never.db"), name=None, json=False)
    assert not (tmp_path / "never.db").exists()
