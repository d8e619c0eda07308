"""Readers: telling formats apart, errors that help, hostile files, and the formats of our own and of data sets."""

from __future__ import annotations

import io
import json
import pickle
import random
import re
import zipfile
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import reader_files as files
from tests.reader_files import FILES, put, read, said
from trajwiki import NewMessage
from trajwiki.domain.messages import Role
from trajwiki.errors import UnreadableInput, UsageError
from trajwiki.readers import (
    FORMATS,
    Confidence,
    Options,
    Record,
    check,
    detect,
    jsontext,
    read_all,
    reading,
    stream,
    write_jsonl,
)
from trajwiki.readers import files as opening

# Telling formats apart


def test_every_format_is_here_and_documented() -> None:
    assert set(FILES) == {f.name for f in FORMATS}
    assert all(f.keeps and f.drops and f.title for f in FORMATS)
    page = (Path(__file__).parent.parent / "docs" / "formats.md").read_text(encoding="utf-8")
    table = page.partition("## Our own format")[0]
    assert re.findall(r"^\| `([a-z-]+)` \|", table, re.MULTILINE) == [f.name for f in FORMATS]


def test_the_example_of_our_lines_in_the_docs_reads(tmp_path: Path) -> None:
    page = (Path(__file__).parent.parent / "docs" / "formats.md").read_text(encoding="utf-8")
    found = read(tmp_path, page.partition("```json\n")[2].partition("```")[0])
    assert (found.format, len(found)) == ("trajwiki", 3)


@pytest.mark.parametrize("name", FILES)
def test_each_format_is_known_by_its_content(tmp_path: Path, name: str) -> None:
    path = put(tmp_path, FILES[name], "notes.txt")
    assert detect(path).name == name
    assert read_all(path, format=name).records == read_all(path).records


@pytest.mark.parametrize("name", FILES)
def test_no_other_format_takes_it_for_its_own(tmp_path: Path, name: str) -> None:
    found = opening.source(put(tmp_path, FILES[name]))
    if name != "slack":
        sure = {f.name for f, confidence in reading._candidates(found) if confidence is Confidence.SURE}
        assert sure <= {name}


@pytest.mark.parametrize("name", FILES)
def test_the_parts_of_a_stream_are_what_is_counted(tmp_path: Path, name: str) -> None:
    path = put(tmp_path, FILES[name])
    whole = read_all(path)
    assert tuple(e for e in stream(path) if isinstance(e, Record)) == whole.records
    assert whole.counts.read == whole.counts.kept + sum(whole.counts.skipped.values())
    assert whole.counts.kept == len(whole)
    assert check(path) == replace(whole, records=())


@pytest.mark.parametrize("name", FILES)
def test_no_time_comes_from_the_clock_on_the_wall(tmp_path: Path, name: str) -> None:
    """F10, F17: what has no time has none, and the rest is dated as the file says."""
    for record in read(tmp_path, FILES[name]):
        moment = record.message.sent_at
        assert moment is None or (moment.tzinfo is not None and moment.isoformat()[:4] in _years(FILES[name]))


def _years(content: bytes) -> set[str]:
    shown = set(re.findall(r"20[12]\d", content.decode("latin-1"))) | {"2021", "2022"}
    numbers = re.findall(r"\b1[4-7]\d{8}", content.decode("latin-1"))
    return shown | {str(datetime.fromtimestamp(int(n), UTC).year) for n in numbers} | {"2016"}


def test_an_unknown_file_says_what_was_seen_and_what_is_known(tmp_path: Path) -> None:
    with pytest.raises(UnreadableInput, match=r"chat\.data: no known format; .*keys colour, weight.*locomo"):
        detect(put(tmp_path, [{"weight": 1, "colour": "red"}]))
    with pytest.raises(UnreadableInput, match="no known format; it begins with 'Dear diary"):
        detect(put(tmp_path, "Dear diary, today I ..."))


def test_an_ambiguous_file_names_the_candidates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sure = replace(FORMATS[0], name="rival", detect=lambda head: Confidence.SURE)
    monkeypatch.setattr(reading, "FORMATS", (*FORMATS, sure))
    with pytest.raises(UnreadableInput, match="may be openai or rival; name one with --format"):
        detect(put(tmp_path, files.OPENAI))


def test_a_format_of_no_name_lists_them(tmp_path: Path) -> None:
    with pytest.raises(UnreadableInput, match="no format 'icq'; there are auto, trajwiki, openai"):
        read_all(put(tmp_path, files.OPENAI), format="icq")


@pytest.mark.parametrize("text", ["host: localhost\nport: 5432\nuser: me\n", "TODO: buy milk\n", "12:30 lunch\n", "#"])
def test_notes_are_not_taken_for_a_transcript(tmp_path: Path, text: str) -> None:
    with pytest.raises(UnreadableInput, match="no known format"):
        detect(put(tmp_path, text))


# Our own lines


@st.composite
def messages(draw: st.DrawFn) -> NewMessage:
    text = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=40)
    text = text.filter(lambda t: bool(t.strip()))
    zone = st.integers(-14 * 60, 14 * 60).map(lambda m: timezone(timedelta(minutes=m)))
    return NewMessage(
        speaker=draw(text).strip(),
        text=draw(text),
        sent_at=draw(st.none() | st.datetimes(datetime(1900, 1, 2), datetime(2199, 12, 30), timezones=zone)),
        session=draw(text | st.just("")),
        source_ref=draw(st.none() | text),
        source=draw(text | st.just("")),
        caption=draw(st.none() | text.map(str.strip)),
        role=draw(st.sampled_from(Role)),
        metadata=draw(st.dictionaries(text, text, max_size=2)),
    )


@settings(max_examples=150, deadline=None)
@given(st.lists(messages(), min_size=1, max_size=5))
def test_our_lines_come_back_as_they_were_written(
    tmp_path_factory: pytest.TempPathFactory, given_: list[NewMessage]
) -> None:
    path = tmp_path_factory.mktemp("round") / "m.jsonl"
    with path.open("w", encoding="utf-8", newline="\n") as file:
        assert write_jsonl(given_, file) == len(given_)
    assert len(path.read_text(encoding="utf-8").splitlines()) <= path.read_bytes().count(b"\n") * 10
    assert [r.message for r in read_all(path, format="trajwiki")] == given_


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ({"speaker": "A", "text": "b", "timestamp": "2023"}, "line 2: unknown key 'timestamp'; is it 'sent_at'?"),
        ({"speaker": "A", "text": "b", "sesion": "1"}, "is it 'session'?"),
        ({"speaker": "A"}, "line 2: expected text in 'text', found no such key"),
        ({"text": "b"}, "expected text in 'speaker'"),
        ({"speaker": " ", "text": "b"}, "expected a name in 'speaker'"),
        ({"speaker": "A", "text": 5}, "expected text in 'text', found a number"),
        ({"speaker": "A", "text": "b", "sent_at": "yesterday"}, "expected a time such as .* found 'yesterday'"),
        ({"speaker": "A", "text": "b", "role": "boss"}, "expected one of user, assistant.*'boss'"),
        ({"speaker": "A", "text": "b", "metadata": {"n": 1}}, "expected text in metadata 'n', found a number"),
        (["A", "b"], "line 2: expected a JSON object: one message, found a list"),
    ],
)
def test_a_wrong_line_says_where_and_what_was_expected(tmp_path: Path, line: object, expected: str) -> None:
    with pytest.raises(UnreadableInput, match=expected):
        read(tmp_path, files.lines([files.OWN[0], line]))


def test_a_cut_line_says_where(tmp_path: Path) -> None:
    with pytest.raises(UnreadableInput, match=r"chat\.data: line 2, column 17: this is not JSON"):
        read(tmp_path, FILES["trajwiki"].splitlines(keepends=True)[0] + b'{"speaker": "Bo"')


def test_the_same_ref_again_is_an_edit_in_our_lines_and_a_mistake_elsewhere(tmp_path: Path) -> None:
    own = [{"speaker": "A", "text": text, "source_ref": "1"} for text in ("one", "two")]
    assert [r.message.source_ref for r in read(tmp_path, files.lines(own))] == ["1", "1"]
    turns = [{"speaker": "A", "text": text, "dia_id": "D1:1"} for text in ("one", "two", "one")]
    found = read(tmp_path, [{"sample_id": "c", "conversation": {"session_1": turns}}])
    assert [(r.message.source_ref, r.message.text) for r in found] == [("D1:1", "one"), ("D1:1#2", "two")]
    assert found.counts.skipped == {"duplicate": 1}
    assert [p.code for p in found.problems] == ["message.duplicate-ref"]


# LoCoMo and REALTALK


def test_locomo(tmp_path: Path) -> None:
    found = read(tmp_path, files.LOCOMO, options=Options(tz=ZoneInfo("Europe/Lisbon")))
    first, second, third = (r.message for r in found)
    assert (first.source, first.session, first.source_ref) == ("conv-1", "session_2", "D2:1")
    assert first.sent_at == datetime(2023, 6, 12, 9, 5, tzinfo=ZoneInfo("Europe/Lisbon"))
    assert (second.session, second.caption, second.text) == ("session_10", "a photo of a moon", "Late!")
    assert second.sent_at == datetime(2023, 7, 1, 0, 48, tzinfo=ZoneInfo("Europe/Lisbon"))
    assert (third.source, third.source_ref, third.sent_at) == ("conv-2", "D2:1", None)
    assert [r.conversation for r in found] == ["conv-1", "conv-1", "conv-2"]
    assert "session_10, turn 1" in found.records[1].where
    assert [p.code for p in found.problems] == ["time.assumed-zone"]
    assert "example.invalid" not in repr(found)


def test_realtalk_has_a_time_for_each_message(tmp_path: Path) -> None:
    times = [r.message.sent_at for r in read(tmp_path, files.REALTALK)]
    assert times == [datetime(2023, 12, 29, 20, 27, 17, tzinfo=UTC), datetime(2023, 12, 30, 8, 1, 2, tzinfo=UTC)]


@pytest.mark.parametrize(
    ("turn", "expected"),
    [
        ({"dia_id": "D1:1", "text": "hi"}, "session_1, turn 1: expected text in 'speaker'"),
        ({"speaker": "A", "dia_id": "D1:1"}, "expected text in 'text'"),
        ({"speaker": "A", "text": ["hi"]}, "expected text in 'text', found a list"),
        ("hi", "expected a turn with speaker, dia_id and text, found text"),
    ],
)
def test_a_broken_turn_says_which(tmp_path: Path, turn: object, expected: str) -> None:
    with pytest.raises(UnreadableInput, match=expected):
        read(tmp_path, [{"sample_id": "c", "conversation": {"session_1": [turn]}}])


@pytest.mark.parametrize(
    ("written", "day"),
    [
        ("1:56 pm on 8 May, 2023", datetime(2023, 5, 8, 13, 56)),
        ("12:00 am on 1 January, 2023", datetime(2023, 1, 1)),
        ("May 8, 2023 1:56 PM", datetime(2023, 5, 8, 13, 56)),
        ("2023/05/20 (Sat) 02:21", datetime(2023, 5, 20, 2, 21)),
        ("2023-05-20T02:21:07Z", datetime(2023, 5, 20, 2, 21, 7)),
        ("2023-05-20", datetime(2023, 5, 20)),
        ("20th of March 2023, 7:05 a.m.", datetime(2023, 3, 20, 7, 5)),
        (1684549267, datetime(2023, 5, 20, 2, 21, 7)),
        (1684549267000, datetime(2023, 5, 20, 2, 21, 7)),
        ("1684549267", datetime(2023, 5, 20, 2, 21, 7)),
    ],
)
def test_times_as_files_write_them(tmp_path: Path, written: object, day: datetime) -> None:
    message = {"role": "user", "content": "x", "timestamp": written}
    assert read(tmp_path, [message]).records[0].message.sent_at == day.replace(tzinfo=UTC)


@pytest.mark.parametrize("written", ["someday", "31 February 2023", 10**400, 1e300, "99:99 on 3 May 2023", -(10**17)])
def test_a_time_that_cannot_be_read_is_no_time_and_is_told(tmp_path: Path, written: object) -> None:
    found = read(tmp_path, [{"role": "user", "content": "yesterday I quit", "timestamp": written}])
    assert found.records[0].message.sent_at is None
    assert [p.code for p in found.problems] == ["time.unreadable"]


# Chat API messages


def test_openai(tmp_path: Path) -> None:
    found = read(tmp_path, files.OPENAI)
    assert said(found) == [("system", "Be kind."), ("Ana", "What is this?"), ("look", "a cat"), ("assistant", "A cat.")]
    assert [r.message.role for r in found] == [Role.SYSTEM, Role.USER, Role.TOOL, Role.ASSISTANT]
    assert found.records[1].message.metadata == {"attachments": "https://example.invalid/cat.png"}
    assert found.counts.skipped == {"tool call": 1}
    assert all(r.message.sent_at is None for r in found)


def test_openai_in_all_its_wrappings(tmp_path: Path) -> None:
    talk = [{"role": "user", "content": "I ski."}, {"role": "assistant", "content": "Nice."}]
    for content in (talk, {"messages": talk}, files.lines(talk), files.lines([{"messages": talk}]), [talk]):
        assert said(read(tmp_path, content)) == [("user", "I ski."), ("assistant", "Nice.")]
    two = read(tmp_path, files.lines([{"messages": talk}, {"messages": talk}]))
    assert [r.conversation for r in two] == ["chat", "chat", "chat-2", "chat-2"]


def test_results_of_tools_are_not_words_of_the_user(tmp_path: Path) -> None:
    talk = [
        {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "mail", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "I am rich."}]},
    ]
    found = read(tmp_path, talk)
    assert [(r.message.speaker, r.message.role, r.message.text) for r in found] == [("mail", Role.TOOL, "I am rich.")]


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ({"role": "user"}, "item 2: expected 'content' beside the role"),
        ({"role": "king", "content": "x"}, "expected a role such as user.*found 'king'"),
        ({"content": "x"}, "expected a role"),
        ({"role": "user", "content": 7}, "expected text, a list of parts or null in 'content', found a number"),
        (3, "item 2: expected a message with role and content, found a number"),
    ],
)
def test_a_broken_message_says_which(tmp_path: Path, message: object, expected: str) -> None:
    with pytest.raises(UnreadableInput, match=expected):
        read(tmp_path, [{"role": "user", "content": "fine"}, message])


# Data sets


def test_longmemeval(tmp_path: Path) -> None:
    found = read(tmp_path, files.LONGMEMEVAL)
    assert [(r.conversation, r.message.session, r.message.source_ref) for r in found] == [
        ("q1", "one", "one:1"),
        ("q1", "one", "one:2"),
        ("q1", "two", "two:1"),
    ]
    assert found.records[2].message.sent_at == datetime(2023, 5, 25, 20, 21, tzinfo=UTC)
    assert "Which?" not in repr(found.records)


def test_bfcl(tmp_path: Path) -> None:
    found = read(tmp_path, FILES["bfcl"])
    assert [(r.conversation, r.message.session, r.message.text) for r in found] == [
        ("x", "memory_prereq_0-x-0", "I am Kim."),
        ("x", "memory_prereq_0-x-0", "I ski."),
    ]


# Hostile files


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
@pytest.mark.parametrize("name", ["locomo", "whatsapp", "plain", "trajwiki"])
def test_byte_order_marks_and_utf_16(tmp_path: Path, encoding: str, name: str) -> None:
    text = FILES[name].decode()
    assert said(read(tmp_path, text.encode(encoding))) == said(read(tmp_path, FILES[name]))


def test_a_broken_encoding_names_the_byte(tmp_path: Path) -> None:
    with pytest.raises(UnreadableInput, match="byte 8 is not utf-8 text"):
        read(tmp_path, b"Ana: caf\xe9\nBo: hi\nAna: yes\n")
    far = b"Ana: x\nBo: y\n" * 200_000
    with pytest.raises(UnreadableInput, match=f"byte {len(far) + 5} is not utf-8 text"):
        read(tmp_path, far + b"Ana: \xff\n")
    assert (
        read(tmp_path, b"Ana: caf\xe9\nBo: hi\n", options=Options(encoding="latin-1")).records[0].message.text == "café"
    )
    with pytest.raises(UnreadableInput, match="'klingon' is not a text encoding"):
        read(tmp_path, b"Ana: x\nBo: y\n", options=Options(encoding="klingon"))


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", "the file is empty"),
        (b" \n ", "no known format"),
        (b"[]", "no known format"),
        (b'{"messages": []}', "no message to keep in this chat API messages file: 0 records read"),
        (pickle.dumps(["a"]), "a pickle, which is never loaded"),
        (b"SQLite format 3\0", "a SQLite database"),
        (b"\x1f\x8b\x08\x00", "gzip"),
        (json.dumps(files.LOCOMO)[:-30].encode(), r"line 1, column \d+ .*the file seems cut off"),
        (json.dumps(files.TELEGRAM)[:-30].encode(), "the file seems cut off"),
        (json.dumps(files.DISCORD, indent=1)[:400].encode(), r"line 26, column 29 .*the file seems cut off"),
        (b'[{"role": "user", "content": "x"} {"role": "user"}]', "expected ',', found '{'"),
        (b'[{"role": "user", "content": "x", }]', "line 1, column 35 .*this is not JSON"),
        (b'{"messages": [{"type": "message", "text": "x", "date": "2020-01-01"}]} x', "expected the end of the file"),
    ],
)
def test_broken_files_say_what_is_wrong(tmp_path: Path, content: bytes, expected: str) -> None:
    with pytest.raises(UnreadableInput, match=expected) as raised:
        read(tmp_path, content)
    assert "chat.data" in str(raised.value)


def test_an_import_that_keeps_nothing_is_an_error_with_counts(tmp_path: Path) -> None:
    """F80."""
    with pytest.raises(
        UnreadableInput, match=r"no message to keep.*2 records read, 0 messages kept; skipped: 1 att.*1 sys"
    ):
        read(tmp_path, {**files.TELEGRAM, "messages": [files.TELEGRAM["messages"][0], files.TELEGRAM["messages"][2]]})


@pytest.mark.parametrize("depth", [1_000, 100_000])
@pytest.mark.parametrize("name", ["openai", "telegram", "chatgpt", "trajwiki", "claude-code", "discord"])
def test_deep_nesting_is_an_error(tmp_path: Path, name: str, depth: int) -> None:
    deep = b"[" * depth + b"]" * depth
    for content in (b'[{"role": "user", "content": ' + deep + b"}]", deep, b'{"messages": ' + deep + b"}"):
        with pytest.raises(UnreadableInput):
            read(tmp_path, content, format=name)
        with pytest.raises(UnreadableInput):
            read(tmp_path, content)


def test_odd_numbers_and_half_characters(tmp_path: Path) -> None:
    content = b'[{"role": "user", "content": "a\\ud83d b\\u0000c", "timestamp": NaN, "n": Infinity}]'
    found = read(tmp_path, content)
    assert found.records[0].message.text == "a\ufffd bc"
    assert {p.code for p in found.problems} == {"text.nul-removed", "text.lone-surrogate"}
    with pytest.raises(UnreadableInput, match="cannot read the JSON"):
        read(tmp_path, b'[{"role": "user", "content": "x", "n": ' + b"9" * 10_000 + b"}]")


def test_what_cannot_be_stored_is_left_out_and_told(tmp_path: Path) -> None:
    long = {"role": "user", "content": "x" * (reading.MAX_TEXT + 1)}
    talk = [long, {"role": "user", "content": "kept", "name": "n" * 501}, {"role": "user", "content": "kept"}]
    found = read(tmp_path, talk)
    assert said(found) == [("user", "kept")]
    assert found.counts.skipped == {"not storable": 2}
    assert [p.code for p in found.problems] == ["message.not-storable"] * 2


def test_many_problems_of_a_kind_are_counted(tmp_path: Path) -> None:
    found = read(tmp_path, [{"role": "user", "content": "a\0"}] * 50)
    assert len(found.problems) == reading.MAX_PROBLEMS + 1
    assert found.problems[-1].message == "30 more of this kind"


def test_long_values_and_lines_have_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jsontext, "MAX_VALUE_CHARS", 3_000_000)
    monkeypatch.setattr(opening, "MAX_LINE_CHARS", 3_000_000)
    with pytest.raises(UnreadableInput, match="one value is longer than 3000000"):
        read(tmp_path, {"messages": [{"role": "user", "content": "x" * 9_000_000}]}, format="openai")
    with pytest.raises(UnreadableInput, match="line 1 is longer than 3000000"):
        read(tmp_path, b"Ana: " + b"x" * 9_000_000, format="plain")


def test_values_across_chunks_are_whole(tmp_path: Path) -> None:
    talk = [{"role": "user", "content": f"{n} " + "é" * 300_000} for n in range(12)]
    for content in (json.dumps(talk, ensure_ascii=False), json.dumps(talk)):
        assert [r.message.text for r in read(tmp_path, content)] == [t["content"] for t in talk]


def test_names_and_links_are_only_text(tmp_path: Path) -> None:
    """F67: nothing is opened or fetched (sockets are blocked in tests), whatever a file calls itself."""
    talk = [{"role": "user", "name": "../../etc/passwd", "content": "file:///etc/passwd https://example.invalid/x"}]
    assert said(read(tmp_path, talk)) == [("../../etc/passwd", "file:///etc/passwd https://example.invalid/x")]
    with pytest.raises(UnreadableInput, match="there is no such file"):
        read_all(Path("https://example.invalid/chat.json"))
    with pytest.raises(UnreadableInput, match="this is a folder"):
        read_all(tmp_path)


def test_options_that_do_not_exist_are_refused() -> None:
    with pytest.raises(UsageError, match="date_order is one of"):
        Options(date_order="dym")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="branches is current or all"):
        Options(branches="some")  # type: ignore[arg-type]


def test_aliases_rename_speakers(tmp_path: Path) -> None:
    found = read(tmp_path, FILES["plain"], options=Options(aliases={"Ana": "Ana Lima"}))
    assert {r.message.speaker for r in found} == {"Ana Lima", "Bo"}


# Archives


def test_a_zip_is_read_by_what_is_in_it(tmp_path: Path) -> None:
    path = put(
        tmp_path, files.zipped({"conversations.json": files.CHATGPT, "user.json": {"id": "x"}, "chat.html": "<p>"})
    )
    assert detect(path).name == "chatgpt"
    assert "conversations.json" in read_all(path).records[0].where
    path = put(tmp_path, files.zipped({"_chat.txt": files.WHATSAPP, "IMG.jpg": b"\xff\xd8"}), "Ana and Bo.zip")
    assert read_all(path).records[0].message.session == "Ana and Bo"
    mac = files.zipped(
        {"conversations.json": files.CLAUDE, "__MACOSX/._conversations.json": b"\0\xff", "n.txt": b"\xff"}
    )
    assert detect(put(tmp_path, mac)).name == "claude"
    with pytest.raises(UnreadableInput, match=r"n\.txt: byte 0 is not utf-8"):
        detect(put(tmp_path, files.zipped({"n.txt": b"\xff"})))
    with pytest.raises(UnreadableInput, match="several formats"):
        detect(put(tmp_path, files.zipped({"a.json": files.CHATGPT, "b.json": files.CLAUDE})))
    with pytest.raises(UnreadableInput, match=r"no conversation .*it holds a\.txt"):
        detect(put(tmp_path, files.zipped({"a.txt": "hello"})))


@pytest.mark.parametrize(
    "name", ["../x/users.json", "/etc/users.json", "a/../../users.json", "C:\\users.json", "..\\u.json"]
)
def test_names_that_lead_out_of_an_archive_are_refused(tmp_path: Path, name: str) -> None:
    before = sorted(tmp_path.rglob("*"))
    content = files.zipped({name: [], "general/2016-01-15.json": []})
    with pytest.raises(UnreadableInput, match="leads out of it"):
        read(tmp_path, content)
    assert sorted(tmp_path.rglob("*")) == [*before, tmp_path / "chat.data"]


def test_zip_bombs_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UnreadableInput, match="like a zip bomb"):
        read(tmp_path, files.zipped({"conversations.json": b" " * (opening.RATIO_FREE_BYTES * 2)}))
    monkeypatch.setattr(opening, "MAX_MEMBERS", 2)
    with pytest.raises(UnreadableInput, match="3 files in the archive"):
        read(tmp_path, files.zipped({"a.json": "", "b.json": "", "c.json": ""}))


def test_a_size_that_lies_does_not_unpack_more(tmp_path: Path) -> None:
    raw = bytearray(files.zipped({"conversations.json": json.dumps(files.CHATGPT)}))
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        size = archive.infolist()[0].file_size
    for at in (raw.find(size.to_bytes(4, "little")), raw.rfind(size.to_bytes(4, "little"))):
        raw[at : at + 4] = (100).to_bytes(4, "little")
    with pytest.raises(UnreadableInput):
        read(tmp_path, bytes(raw))


# Any bytes at all

_VALUE = re.compile(rb'"(?:[^"\\]|\\.)*+"|-?\d+(?:\.\d+)?|null|true|false')
_ODD = [b"null", b"[]", b"{}", b'""', b"1e999", b"-1", b"NaN", b"true", b"9" * 30, b'"\\ud800"', b'"\\u0000"', b'"x"',
        b"[[[]]]", b'{"a": 1}', b"[1]", b"[null]"]  # fmt: skip
_BYTES = [b"\0", b"\xff\xfe", b'"', b"{", b"[", b"\n", b":", b"\xed\xa0\x80", b"9" * 30, b"\\", b" - ", b"[2020-01-01"]


def _mutated(content: bytes, chance: random.Random) -> bytes:
    for _ in range(chance.choice([1, 1, 2, 5])):
        at = chance.randrange(len(content) + 1)
        end = at + chance.randrange(1, 60)
        values = list(_VALUE.finditer(content))
        match chance.randrange(7):
            case 0:
                content = content[:at] + bytes([chance.randrange(256)]) + content[at + 1 :]
            case 1:
                content = content[:at]
            case 2:
                content = content[:at] + content[end:]
            case 3:
                content = content[:at] + content[at:end] * 3 + content[end:]
            case 4:
                content = content[:at] + chance.choice(_BYTES) + content[at:]
            case _ if values:
                value = chance.choice(values)
                content = content[: value.start()] + chance.choice(_ODD) + content[value.end() :]
    return content


def test_every_mutated_file_reads_or_gives_a_typed_error(tmp_path: Path) -> None:
    chance = random.Random(7)
    seeds = [*FILES.values(), json.dumps(files.REALTALK).encode()]
    path, read_well = tmp_path / "mutant", 0
    for n in range(2_000):
        path.write_bytes(_mutated(seeds[n % len(seeds)], chance))
        name = "auto" if n % 4 else chance.choice(FORMATS).name
        try:
            found = read_all(path, format=name, options=Options(branches=chance.choice(["current", "all"])))
        except UnreadableInput as error:
            assert str(path) in str(error)
            continue
        read_well += 1
        for message in (r.message for r in found):
            stored = (message.speaker, message.text, message.session, message.source_ref or "", message.caption or "",
                      *message.metadata, *message.metadata.values())  # fmt: skip
            assert all(isinstance(s, str) and "\0" not in s and s.encode() is not None for s in stored)
            assert message.speaker and (message.text.strip() or message.caption)
            assert message.sent_at is None or message.sent_at.astimezone(UTC)
    assert read_well > 250
