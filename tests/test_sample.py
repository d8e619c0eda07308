"""The sample conversation is what its README says, and its questions can be answered from it."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from datetime import date, datetime, timedelta
from itertools import pairwise
from typing import Any, Final

import pytest

from tests.conftest import SAMPLE
from trajwiki import Memory, NewMessage
from trajwiki.readers import read_all

QUESTIONS: Final[list[dict[str, Any]]] = json.loads(SAMPLE.with_name("questions.json").read_text(encoding="utf-8"))
RECORDS: Final[list[dict[str, Any]]] = [json.loads(line) for line in SAMPLE.read_text(encoding="utf-8").splitlines()]
BY_REF: Final = {record["source_ref"]: record for record in RECORDS}
REQUIRED: Final = {"source_ref", "session", "speaker", "sent_at", "text"}
TYPES: Final = {"fact", "when", "list", "count", "changed-now", "changed-before", "unanswerable", "non-english"}

FUNCTION_WORDS: Final = {
    "Spanish": "que qué el los la mi un en por con es de te yo me lo no se ha sí tengo tiene",
    "French": "pour les deux vos le et avant vous des une",
    "German": "ich und ein zum ihr im nach bei mir nie kann",
}
SCRIPTS: Final = {"Chinese": re.compile(r"[\u4e00-\u9fff]{2,}"), "Arabic": re.compile(r"[\u0600-\u06ff]{3,}")}

# What the words of a `when` question mean, said on a given day.
Span = tuple[date, date]
MEANINGS: Final[dict[str, Callable[[date], Span]]] = {
    "yesterday": lambda said: (said - timedelta(1), said - timedelta(1)),
    "Last weekend": lambda said: (_monday(said) - timedelta(2), _monday(said) - timedelta(1)),
    "the Saturday before": lambda _: (date(2024, 9, 7), date(2024, 9, 7)),  # before the fair on 8 September
    "Friday the 17th": lambda said: (said.replace(day=17), said.replace(day=17)),
}


def test_every_record_has_the_documented_fields_and_no_other() -> None:
    for record in RECORDS:
        assert REQUIRED <= set(record) <= REQUIRED | {"caption"}, record
        assert all(isinstance(value, str) for value in record.values())
        assert record["text"].strip() or record["caption"].strip()
        assert datetime.fromisoformat(record["sent_at"]).utcoffset() is not None
    assert len(BY_REF) == len(RECORDS)


def test_the_reader_takes_all_of_it_as_it_stands() -> None:
    messages = [record.message for record in read_all(SAMPLE).records]
    assert [(m.source_ref, m.session, m.speaker, m.text, m.caption) for m in messages] == [
        (r["source_ref"], r["session"], r["speaker"], r["text"], r.get("caption")) for r in RECORDS
    ]
    assert [m.sent_at for m in messages] == [datetime.fromisoformat(r["sent_at"]) for r in RECORDS]


def test_it_is_as_large_and_as_long_as_promised() -> None:
    sessions = Counter(record["session"] for record in RECORDS)
    assert len(sessions) >= 14
    assert min(sessions.values()) >= 10
    assert 230 <= len(RECORDS) <= 280
    assert sum("caption" in record for record in RECORDS) >= 12
    days = [datetime.fromisoformat(record["sent_at"]).date() for record in RECORDS]
    assert timedelta(days=230) <= max(days) - min(days) <= timedelta(days=260)


def test_two_friends_and_a_third_who_joins_now_and_then() -> None:
    joined = {
        name: {record["session"] for record in RECORDS if record["speaker"] == name}
        for name in ("Ines", "Tom", "Lucia")
    }
    assert {record["speaker"] for record in RECORDS} == set(joined)
    assert joined["Ines"] == joined["Tom"]
    assert 3 <= len(joined["Lucia"]) < len(joined["Ines"]) / 2


def test_time_runs_forward_and_a_session_is_one_stretch() -> None:
    order = list(dict.fromkeys(record["session"] for record in RECORDS))
    assert order == sorted(order)
    for before, after in pairwise(RECORDS):
        assert datetime.fromisoformat(before["sent_at"]) < datetime.fromisoformat(after["sent_at"])
        number, place = map(int, after["source_ref"].removeprefix("S").split(":"))
        same = before["session"] == after["session"]
        assert place == (int(before["source_ref"].split(":")[1]) + 1 if same else 1)
        assert order[number - 1] == after["session"]


def test_someone_travels_to_another_zone_and_comes_back() -> None:
    offsets = [datetime.fromisoformat(r["sent_at"]).utcoffset() for r in RECORDS if r["speaker"] == "Tom"]
    taipei = timedelta(hours=8)
    assert taipei in offsets
    assert offsets[0] != taipei
    assert offsets[-1] != taipei


def test_five_languages_beside_english() -> None:
    found = {record["source_ref"]: languages for record in RECORDS if (languages := _languages(record["text"]))}
    assert len(found) >= 12
    assert {language for languages in found.values() for language in languages} == {*FUNCTION_WORDS, *SCRIPTS}


def test_a_spam_mail_that_talks_to_machines_is_quoted() -> None:
    assert any(re.search(r'"[^"]*ignore all previous instructions[^"]*"', record["text"]) for record in RECORDS)


def test_thirty_questions_six_of_them_for_the_demo() -> None:
    assert len({q["id"] for q in QUESTIONS}) == len(QUESTIONS) == 30
    assert {q["type"] for q in QUESTIONS} == TYPES
    demo = [q for q in QUESTIONS if q.get("demo")]
    assert [q["type"] for q in demo] == ["fact", "when", "list", "count", "changed-now", "unanswerable"]
    assert next(q for q in demo if q["type"] == "count")["excluded"]
    before = {q["id"] for q in QUESTIONS if q["type"] == "changed-before"}
    assert {q["before"] for q in QUESTIONS if "before" in q} <= before
    assert all("before" in q for q in demo if q["type"] == "changed-now")


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda q: q["id"])
def test_a_question_can_be_answered_from_its_gold_messages(question: dict[str, Any]) -> None:
    refs, kind = question["refs"], question["type"]
    assert len(set(refs)) == len(refs)
    assert set(refs) | set(question.get("excluded", ())) <= set(BY_REF)
    assert not set(refs) & set(question.get("excluded", ()))
    if kind == "unanswerable":
        assert refs == question["accepted"] == []
        return
    assert refs
    assert question["accepted"]
    if kind == "count":
        assert str(len(refs)) in question["accepted"]
        return
    if kind == "when":
        _check_when(question)
        return
    gold = " ".join(_content(BY_REF[ref]) for ref in refs)
    missing = [text for text in question["accepted"] if not _stands_in(text, gold)]
    assert missing == []
    # Each gold message is needed: it holds something that is asked for.
    for ref in refs:
        assert any(_stands_in(text, _content(BY_REF[ref])) for text in question["accepted"]), ref


def _check_when(question: dict[str, Any]) -> None:
    """The words stand in the message, and said on that day they mean the accepted date."""
    (ref,) = question["refs"]
    words = question["words"]
    assert words in BY_REF[ref]["text"]
    first, last = MEANINGS[words](datetime.fromisoformat(BY_REF[ref]["sent_at"]).date())
    assert question["accepted"][0] == (first.isoformat() if first == last else f"{first}/{last}")
    days = {f"{day.day} {day:%B %Y}" for day in (first, last)}
    assert days <= set(question["accepted"])


def _monday(day: date) -> date:
    return day - timedelta(days=day.weekday())


def _content(record: dict[str, Any]) -> str:
    return f"{record['speaker']}: {record['text']} {record.get('caption', '')}"


def _stands_in(text: str, content: str) -> bool:
    """Whether the words stand in the content, as whole words where the script has them."""
    return re.search(rf"(?<!\w){re.escape(text)}(?!\w)", content, re.IGNORECASE) is not None or (
        SCRIPTS["Chinese"].search(text) is not None and text in content
    )


def _languages(text: str) -> set[str]:
    words = set(re.findall(r"\w+", text.casefold()))
    by_words = {name for name, known in FUNCTION_WORDS.items() if len(words & set(known.split())) >= 3}
    return by_words | {name for name, script in SCRIPTS.items() if script.search(text)}


def test_the_engine_answers_the_questions_of_the_demo(memory: Memory, sample: list[NewMessage]) -> None:
    """Found without a model: fact, date, list, count with what was left out, now and before, and an abstention."""
    space = memory.space("sample")
    space.add(sample)
    space.flush()
    said = {
        q: space.ask(q)
        for q in (
            "What is Tom allergic to?",
            "When did Ines run the half marathon in Annecy?",
            "Which instruments does Tom play?",
            "How many half marathons did Ines run?",
            "Where does Ines live now?",
            "Where did Ines live before she moved to Hamburg?",
            "Where was the wedding of Tom's brother?",
        )
    }
    allergy, when, instruments, count, now, before, nowhere = said.values()
    assert allergy.text == "hazelnuts" and allergy.refs == ("S7:5",)
    assert when.text == "14 April 2024" and when.refs == ("S4:3",) and when.anchors
    assert all(item in instruments.text for item in ("accordion", "mandolin", "ukulele", "banjo"))
    assert "3" in count.text and len(count.counted) == 3 and any("Lübeck" in line for line in count.excluded)
    assert now.text == "Hamburg"
    assert "Lyon" in before.text and before.uncertainties
    assert not nowhere.answered and nowhere.abstain_reason and not nowhere.refs
