"""`trajwiki ingest`: options of readers, parts of a thousand, interruption, going on, and what it says of formats."""

# ruff: noqa: E501
from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.reader_files import CHATGPT, lines, put
from trajwiki import Memory, NewMessage
from trajwiki.cli import ingest as command
from trajwiki.errors import UnreadableInput, UsageError
from trajwiki.readers import Options, check, read_all
from trajwiki.readers.runs import run_formats
from trajwiki.space import Space


def run(db: Path, *paths: Path, **options: Any) -> None:
    """Ingest files into the space s of a database."""
    given: dict[str, Any] = {"space": "s", "db": str(db), "format": "auto", "tz": "UTC", "dry_run": False, "json": True}
    command.ingest(list(paths), **{**given, **options})


def ingested(capsys: pytest.CaptureFixture[str], db: Path, *paths: Path, **options: Any) -> dict[str, Any]:
    run(db, *paths, **options)
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def talk(number: int) -> bytes:
    """Short messages, a minute apart, none of which says anything to remember."""
    start = datetime(2023, 5, 8, tzinfo=UTC)
    return lines([
        {"speaker": "Ana", "text": f"ok {i}", "source_ref": str(i), "sent_at": (start + timedelta(minutes=i)).isoformat()}
        for i in range(number)
    ])  # fmt: skip


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten messages a part, so that a small file has several."""
    monkeypatch.setattr(command, "MESSAGES_A_COMMIT", 10)


def test_a_file_goes_in_part_by_part_and_a_second_time_adds_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], small_parts: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: list[int] = []
    add = Space.add

    def counted(self: Space, messages: Iterable[NewMessage], **options: Any) -> Any:
        given = list(messages)
        sizes.append(len(given))
        return add(self, given, **options)

    monkeypatch.setattr(Space, "add", counted)
    path = put(tmp_path, talk(25))
    first = ingested(capsys, tmp_path / "m.db", path)["files"][0]
    assert (first["read"], first["stored"], first["known"]) == (25, 25, 0)
    assert sizes == [10, 10, 5]
    again = ingested(capsys, tmp_path / "m.db", path)["files"][0]
    assert (again["stored"], again["known"]) == (0, 25)


def test_an_interrupted_ingest_goes_on_with_the_same_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], small_parts: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = put(tmp_path, talk(25))
    add = Space.add
    calls: list[int] = []

    def interrupted(self: Space, messages: Iterable[NewMessage], **options: Any) -> Any:
        calls.append(1)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return add(self, messages, **options)

    monkeypatch.setattr(Space, "add", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path / "m.db", path)
    assert "10 of 25 messages" in capsys.readouterr().err
    found = ingested(capsys, tmp_path / "m.db", path)
    assert (found["files"][0]["stored"], found["files"][0]["known"]) == (15, 10)
    whole = ingested(capsys, tmp_path / "other.db", path)
    assert found["holds"] == whole["holds"]


def test_a_broken_file_leaves_the_memory_as_it_was(tmp_path: Path) -> None:
    good, bad = put(tmp_path, talk(3), "good"), put(tmp_path, talk(3)[:-20], "bad")
    with pytest.raises(UnreadableInput, match="bad"):
        run(tmp_path / "m.db", good, bad)
    assert not (tmp_path / "m.db").exists()


def test_an_archive_of_2023_is_dated_2023(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:  # F17
    ingested(capsys, tmp_path / "m.db", put(tmp_path, talk(3)))
    with Memory.open(tmp_path / "m.db") as memory:
        messages = memory.space("s").state().messages
    found = list(messages.values()) if isinstance(messages, dict) else list(messages)
    assert [m.sent_at.year for m in found if m.sent_at] == [2023, 2023, 2023]


def test_names_branches_encodings_and_date_orders_can_be_given(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = put(tmp_path, lines([{"speaker": "Al", "text": "hi"}]))
    shown = ingested(capsys, tmp_path / "m.db", path, dry_run=True, aliases=("Al=Ana Lima",))["files"][0]["first"]
    assert shown[0]["speaker"] == "Ana Lima"
    latin = put(tmp_path, "Ana: é\nBo: ü\n".encode("latin-1"), "latin")
    with pytest.raises(UnreadableInput, match="encoding"):
        run(tmp_path / "m.db", latin, dry_run=True)
    shown = ingested(capsys, tmp_path / "m.db", latin, dry_run=True, encoding="latin-1")["files"][0]["first"]
    assert [m["text"] for m in shown] == ["é", "ü"]
    chat = put(tmp_path, "03/04/2023, 10:00 - Ana: hi\n03/04/2023, 10:01 - Bo: ho\n", "chat")
    for order, month in (("dmy", "-04-"), ("mdy", "-03-")):
        shown = ingested(capsys, tmp_path / "m.db", chat, dry_run=True, date_order=order)["files"][0]["first"]
        assert month in shown[0]["sent_at"]
    chats = put(tmp_path, json.dumps(CHATGPT), "chats")
    counts = [
        ingested(capsys, tmp_path / "m.db", chats, dry_run=True, branches=b)["files"][0]["read"]
        for b in ("current", "all")
    ]
    assert counts[0] < counts[1]


@pytest.mark.parametrize(("options", "message"), [
    ({"aliases": ("Al",)}, "OLD=NEW"), ({"date_order": "ydm"}, "dmy"), ({"branches": "some"}, "current or all"),
    ({"tz": "Mars/Base"}, "time zone"), ({"encoding": "klingon"}, "klingon"), ({"format": "whatsup"}, "there are auto"),
])  # fmt: skip
def test_options_that_cannot_be_meant_are_refused(tmp_path: Path, options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        run(tmp_path / "m.db", put(tmp_path, talk(1)), **options)


def test_formats_lists_conversations_and_runs(capsys: pytest.CaptureFixture[str]) -> None:
    command.formats(json=True)
    rows = json.loads(capsys.readouterr().out)["formats"]
    assert [r["name"] for r in rows if r["kind"] == "run"] == [f.name for f in run_formats()]
    assert all(r["keeps"] and r["drops"] for r in rows)


def test_secrets_in_conversations_are_masked_only_when_asked(tmp_path: Path) -> None:
    path = put(
        tmp_path, lines([{"speaker": "Ana", "text": "it is password=hunter22", "caption": "key AKIAIOSFODNN7EXAMPLE"}])
    )
    (plain,) = read_all(path)
    (masked,) = read_all(path, options=Options(mask=True))
    assert plain.message.text == "it is password=hunter22"
    assert (masked.message.text, masked.message.caption) == ("it is password=[secret:password]", "key [secret:aws-key]")


def test_a_large_file_is_read_in_bounded_memory(tmp_path: Path) -> None:
    import tracemalloc

    def peak(number: int) -> int:
        path = put(tmp_path, talk(number))
        tracemalloc.start()
        assert check(path).counts.kept == number
        size = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return size

    assert peak(8_000) < 3 * peak(2_000) + 2_000_000
