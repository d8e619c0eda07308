"""Readers of what people write to each other: WhatsApp, Telegram, Signal, Slack, Discord, Instagram, plain text."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from tests import reader_files as files
from tests.reader_files import FILES, put, read, said
from trajwiki.domain.messages import Role
from trajwiki.errors import UnreadableInput
from trajwiki.readers import Options, read_all

# WhatsApp


def test_whatsapp(tmp_path: Path) -> None:
    found = read(tmp_path, files.WHATSAPP, options=Options(tz=ZoneInfo("America/New_York")))
    assert said(found) == [("Ana", "Happy new year\nto all: of you"), ("Bo", "You too")]
    zone = ZoneInfo("America/New_York")
    assert [r.message.sent_at for r in found] == [
        datetime(2021, 12, 31, 21, 11, tzinfo=zone),
        datetime(2022, 1, 1, 0, 6, tzinfo=zone),
    ]
    assert found.counts.skipped == {"attachment without text": 1, "system line": 1}
    assert [p.code for p in found.problems] == ["time.assumed-zone"]
    assert "America/New_York" in found.problems[0].message


@pytest.mark.parametrize(
    ("header", "moment"),
    [
        ("31/12/2021, 21:11 - ", (2021, 12, 31, 21, 11, 0)),
        ("31.12.21, 21:11 - ", (2021, 12, 31, 21, 11, 0)),
        ("[31.12.21, 21:11:09] ", (2021, 12, 31, 21, 11, 9)),
        ("\u200e[12/31/21, 9:11:09\u202fPM] ", (2021, 12, 31, 21, 11, 9)),
        ("[2021-12-31, 21:11:09] ", (2021, 12, 31, 21, 11, 9)),
        ("2021/12/31 21:11 - ", (2021, 12, 31, 21, 11, 0)),
        ("31-12-21 21.11 - ", (2021, 12, 31, 21, 11, 0)),
        ("31/12/21 9:11 p. m. - ", (2021, 12, 31, 21, 11, 0)),
        ("31/12/21, 12:11 am \u2013 ", (2021, 12, 31, 0, 11, 0)),
        ("2021/12/31 下午9:11 - ", (2021, 12, 31, 21, 11, 0)),
        ("31/12/2021 à 21:11 - ", (2021, 12, 31, 21, 11, 0)),
        ("٣١/١٢/٢٠٢١، 21:11 - ".replace("،", ","), (2021, 12, 31, 21, 11, 0)),
    ],
)
def test_whatsapp_headers_of_many_phones(tmp_path: Path, header: str, moment: tuple[int, ...]) -> None:
    found = read(tmp_path, f"{header}Zoë 🤓: one\ntwo\n{header}+351 912 345 678: three: four\r\n")
    assert found.format == "whatsapp"
    assert said(found) == [("Zoë 🤓", "one\ntwo"), ("+351 912 345 678", "three: four")]
    assert all(r.message.sent_at == datetime(*moment, tzinfo=UTC) for r in found)  # type: ignore[misc]


def _dated(*days: str) -> str:
    return "".join(f"{day}, 10:00 - Ana: hello\n" for day in days)


@pytest.mark.parametrize(
    ("days", "first", "doubt"),
    [
        (["01/02/20", "13/02/20"], (2020, 2, 1), False),  # a 13 tells the day
        (["01/02/20", "01/13/20"], (2020, 1, 2), False),
        (["01/02/20", "01/03/20", "02/01/20"], (2020, 1, 2), False),  # time runs forward
        (["01/02/20", "03/02/20", "01/03/20"], (2020, 2, 1), False),
        (["01.02.20", "02.02.20"], (2020, 2, 1), False),  # dots
        (["01/02/20", "01/02/20"], (2020, 2, 1), True),
    ],
)
def test_whatsapp_date_order_comes_from_the_whole_file(
    tmp_path: Path, days: list[str], first: tuple[int, ...], doubt: bool
) -> None:
    found = read(tmp_path, _dated(*days))
    assert found.records[0].message.sent_at == datetime(*first, 10, tzinfo=UTC)  # type: ignore[misc,arg-type]
    assert ("time.ambiguous-date-order" in [p.code for p in found.problems]) is doubt


def test_whatsapp_date_order_can_be_given_and_contradictions_are_errors(tmp_path: Path) -> None:
    found = read(tmp_path, _dated("01/02/20"), options=Options(date_order="mdy"))
    assert found.records[0].message.sent_at == datetime(2020, 1, 2, 10, tzinfo=UTC)
    with pytest.raises(UnreadableInput, match="line 2: the date 01/13/20 fits neither"):
        read(tmp_path, _dated("13/01/20", "01/13/20"))
    with pytest.raises(UnreadableInput, match="line 2: the date 01/13/20 does not exist in the order dmy"):
        read(tmp_path, _dated("01/01/20", "01/13/20"), options=Options(date_order="dmy"))


@pytest.mark.parametrize(
    ("body", "kept"),
    [
        ('Ana changed the subject from "A: B" to "C"', None),
        ("You were added", None),
        ("Ana: \u200eimage omitted", None),
        ("Ana: <Medien ausgeschlossen>", None),
        ("Ana: This message was deleted", None),
        ("Ana: IMG-1.jpg (file attached)", None),
        ("Ana: \u200e<attached: 01-PHOTO.jpg>", None),
        ("Ana: Missed voice call", None),
        ("Ana: IMG-1.jpg (file attached)\nOur boat", "Our boat"),
        ("Ana: I <3 you", "I <3 you"),
        ("Ana: fixed \u200e<This message was edited>", "fixed"),
        ("Ana:", None),
        ("~\u202fAna: hi", "hi"),
    ],
)
def test_whatsapp_lines_that_nobody_said(tmp_path: Path, body: str, kept: str | None) -> None:
    found = read(tmp_path, f"13/01/20, 10:00 - {body}\n13/01/20, 10:01 - Bo: end\n")
    assert said(found) == ([("Ana", kept)] if kept else []) + [("Bo", "end")]


def test_whatsapp_text_before_the_first_header_is_counted(tmp_path: Path) -> None:
    found = read(tmp_path, "Exported chat\n" + _dated("13/01/20", "14/01/20"))
    assert found.counts.skipped == {"line before the first message": 1}


# The others


def test_telegram(tmp_path: Path) -> None:
    found = read(tmp_path, FILES["telegram"])
    assert said(found) == [("Ana", "Use Postgres, see x.invalid"), ("user9", "Bye")]
    first, second = (r.message for r in found)
    assert (first.session, first.source_ref, first.metadata["chat"]) == ("77", "2", "Team")
    assert first.sent_at == datetime(2026, 1, 10, 9, 5, tzinfo=UTC)
    assert first.sent_at.utcoffset() == timedelta(hours=1)  # the clock that `date` shows
    assert second.metadata["edited"] == "2026-01-10T10:08:00"
    assert found.counts.skipped == {"attachment without text": 1, "system line": 1}
    assert found.problems == ()


def test_telegram_export_of_all_chats(tmp_path: Path) -> None:
    other = {"name": "Bo", "type": "personal_chat", "id": 8, "messages": files.TELEGRAM["messages"][1:2]}
    found = read(tmp_path, {"about": "x", "chats": {"about": "y", "list": [files.TELEGRAM, other]}})
    assert [(r.conversation, r.message.source_ref) for r in found] == [("77", "2"), ("77", "4"), ("8", "2")]


def test_signal(tmp_path: Path) -> None:
    found = read(tmp_path, files.SIGNAL)
    assert said(found) == [("Jane Doe", "Hello\nthere"), ("John", "Hi: you")]
    assert found.records[1].message.sent_at == datetime(2020, 1, 17, 21, 49, tzinfo=UTC)


def test_slack(tmp_path: Path) -> None:
    found = read(tmp_path, FILES["slack"])
    assert said(found) == [
        ("Ana Lima", "Hi @Bo Berg, see the page (https://x.invalid) & #general"),
        ("Ana Lima", "Lunch?"),
        ("Bo Berg", "Yes"),
        ("ci", "Build\nfailed"),
        ("Bo Berg", "late one"),
    ]
    sessions = [r.message.session for r in found]
    assert sessions == ["general", "general/1452837330.0", "general/1452837330.0", "general", "general"]
    assert found.records[0].message.metadata["edited"] == "1452837320.0"
    assert found.records[0].message.source_ref == "general:1452837318.000002"
    assert found.records[3].message.role is Role.TOOL
    assert found.counts.skipped == {"file that is no conversation": 1, "system line": 1}
    assert "general/2016-01-15.json: message 3" in found.records[0].where


def test_slack_people_of_one_name_stay_apart(tmp_path: Path) -> None:
    users = [{"id": f"U{n}", "name": f"kim{n}", "real_name": "Kim"} for n in (1, 2)]
    day = [{"type": "message", "user": f"U{n}", "text": "hi", "ts": f"145283730{n}.0"} for n in (1, 2, 3)]
    found = read(tmp_path, files.zipped({"users.json": users, "dms.json": [], "x/2016-01-15.json": day}))
    assert [r.message.speaker for r in found] == ["Kim (kim1)", "Kim (kim2)", "U3"]


def test_discord(tmp_path: Path) -> None:
    found = read(tmp_path, files.DISCORD)
    assert [(r.message.speaker, r.message.text, r.message.role) for r in found] == [
        ("Ana", "I moved.", Role.USER),
        ("robo", "beep", Role.TOOL),
    ]
    assert found.records[1].message.metadata["reply_to"] == "1"
    assert found.records[0].message.metadata["channel"] == "G / general"
    api = [{"id": "5", "channel_id": "9", "type": 0, "content": "hey", "timestamp": "2026-01-01T09:00:00+00:00",
            "author": {"username": "ana", "global_name": "Ana"}}]  # fmt: skip
    assert [(r.message.speaker, r.message.session) for r in read(tmp_path, api)] == [("Ana", "9")]


def test_instagram_runs_forward_and_its_letters_are_mended(tmp_path: Path) -> None:
    found = read(tmp_path, files.INSTAGRAM)
    assert said(found) == [("Ana", "First."), ("José", "café 😀")]
    assert found.counts.skipped == {"attachment without text": 1, "system line": 1}
    secret = {"participants": ["Ana"], "threadName": "Ana_1",
              "messages": [{"senderName": "Ana", "text": "hi", "timestamp": 1577186570000,
                            "isUnsent": False}]}  # fmt: skip
    assert said(read(tmp_path, secret)) == [("Ana", "hi")]


@pytest.mark.parametrize("line", ["[10:05] {}: hi", "10:05 AM {}: hi", "{} (10:05): hi", "**{}:** hi", "  {}: hi"])
def test_plain_with_a_clock_but_no_day_has_no_time(tmp_path: Path, line: str) -> None:
    found = read(tmp_path, "\n".join(line.format(name) for name in ("Ana", "Bo", "Ana")))
    assert [(r.message.speaker, r.message.text, r.message.sent_at) for r in found][:2] == [
        ("Ana", "hi", None),
        ("Bo", "hi", None),
    ]


def test_plain(tmp_path: Path) -> None:
    found = read(tmp_path, FILES["plain"])
    assert said(found) == [("Ana", "Hello, Bo."), ("Bo", "Hello: how are you?\nand the dog?"), ("Ana", "Fine.")]
    assert {r.message.sent_at for r in found} == {None}
    talk = "2023-05-08 13:56 User: I ski.\n[2023-05-08T13:57:00+02:00] Assistant: Nice.\n"
    found = read(tmp_path, talk)
    assert [r.message.role for r in found] == [Role.USER, Role.ASSISTANT]
    assert found.records[1].message.sent_at == datetime(2023, 5, 8, 13, 57, tzinfo=timezone(timedelta(hours=2)))
    found = read(tmp_path, "Ana [2023-05-08 13:56]: I ski.\nBo [2023-05-08 13:57]: Nice.\n")
    assert said(found) == [("Ana", "I ski."), ("Bo", "Nice.")]
    assert found.records[0].message.sent_at == datetime(2023, 5, 8, 13, 56, tzinfo=UTC)


@pytest.mark.parametrize(
    "text",
    ["Ana: " + "a:" * 200_000 + "\nBo: x\n", "A" * 400_000, ("1" * 300_000) + "/", "[" + " " * 300_000,
     "\u200e" * 300_000,
     "1/1/20, 10:00 - " + "x " * 200_000 + "\n" + "1/1/20, 10:00 - <" + "a " * 200_000, "a : " * 100_000,
     "12/12/12, 10:10 - Ana: " + "a.jpg (" * 50_000],
)  # fmt: skip
def test_no_line_takes_the_readers_long(tmp_path: Path, text: str) -> None:
    path = put(tmp_path, text)
    begun = time.perf_counter()
    for name in ("auto", "whatsapp", "signal", "plain"):
        try:
            read_all(path, format=name)
        except UnreadableInput:
            continue
    assert time.perf_counter() - begun < 5
