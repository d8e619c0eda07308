"""Loading the public data sets that the product is measured on.

Each loader takes paths and gives frozen values, or raises UnreadableInput with the file, the record and what was
expected of it. Nothing is downloaded.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from trajwiki.domain.messages import NewMessage, Role
from trajwiki.errors import UnreadableInput
from trajwiki.evaluation.metrics import Category
from trajwiki.readers import read_all

Json = dict[str, object]


@dataclass(frozen=True, slots=True)
class Conversation:
    """Messages of one conversation; it is measured in a space of its own.

    Attributes:
        name: As the data set names it ("conv-26"); the name of the space.
        messages: In order.
    """

    name: str
    messages: tuple[NewMessage, ...]


@dataclass(frozen=True, slots=True)
class LocomoQuestion:
    """One question of LoCoMo.

    Attributes:
        qid: Its id.
        conversation: Which conversation it is asked of.
        category: LoCoMo's kind.
        question: As asked.
        answer: The reference; empty for category 5, where an abstention is right.
        evidence: Source refs of the messages that hold the answer, as corrected by an audit where there was one.
        listed: Source refs as the data set first listed them.
    """

    qid: str
    conversation: str
    category: Category
    question: str
    answer: str
    evidence: tuple[str, ...]
    listed: tuple[str, ...]

    def gold(self, known: Container[str]) -> tuple[str, ...]:
        """Give the evidence that is there: the corrected refs, else the listed ones; empty when none resolves.

        A ref that the data set names twice is given twice, and so counts twice.
        """
        return tuple(r for r in self.evidence if r in known) or tuple(r for r in self.listed if r in known)


@dataclass(frozen=True, slots=True)
class StringQuestion:
    """A question with the strings that are accepted as its answer.

    Attributes:
        qid: Its id.
        conversation: Which conversation it is asked of.
        question: As asked.
        accepted: Any of these will do.
    """

    qid: str
    conversation: str
    question: str
    accepted: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LongQuestion:
    """One item of LongMemEval: a question with its own haystack of sessions.

    Attributes:
        qid: Its id.
        type: The data set's kind of question.
        question: As asked.
        answer: The reference.
        answerable: False when an abstention is right.
        conversation: The haystack, named by the qid.
        sessions: The sessions that hold the evidence.
        turns: Source refs of the messages marked as holding the answer; may be empty.
    """

    qid: str
    type: str
    question: str
    answer: str
    answerable: bool
    conversation: Conversation
    sessions: tuple[str, ...]
    turns: tuple[str, ...]


# LoCoMo


def load_locomo(path: Path) -> list[Conversation]:
    """Read the conversations of a LoCoMo file, in order, with the product's own reader."""
    grouped: dict[str, list[NewMessage]] = {}
    for record in read_all(path, format="locomo"):
        grouped.setdefault(record.conversation, []).append(record.message)
    if not grouped:
        raise UnreadableInput(f"{path}: no conversation in it; expected LoCoMo JSON")
    return [Conversation(name, tuple(messages)) for name, messages in grouped.items()]


def load_locomo_questions(path: Path) -> list[LocomoQuestion]:
    """Read LoCoMo questions: JSONL, a line each, with qid, sample_id, category, question, answer and evidence."""
    questions = [_locomo_question(row, where) for where, row in _jsonl(path)]
    _require_unique([q.qid for q in questions], path)
    return questions


def _locomo_question(row: Json, where: str) -> LocomoQuestion:
    number = row.get("category")
    if not isinstance(number, int) or number not in list(Category):
        raise UnreadableInput(f"{where}: 'category' must be one of 1 to 5, not {number!r}")
    category = Category(number)
    answer = row.get("answer")
    if answer is None and category is not Category.ADVERSARIAL:
        raise UnreadableInput(f"{where}: 'answer' is missing; only category 5 has none")
    if answer is not None and not isinstance(answer, str | int | float):
        raise UnreadableInput(f"{where}: 'answer' must be text, not {type(answer).__name__}")
    listed = _strings(row, "evidence", where)
    audit = row.get("audit")
    corrected = _strings(audit, "correct_evidence", where, optional=True) if isinstance(audit, dict) else ()
    return LocomoQuestion(
        qid=_text(row, "qid", where),
        conversation=_text(row, "sample_id", where),
        category=category,
        question=_text(row, "question", where),
        answer="" if category is Category.ADVERSARIAL else str(answer),
        evidence=corrected or listed,
        listed=listed,
    )


# BFCL memory


def load_bfcl(folder: Path) -> tuple[list[Conversation], list[StringQuestion]]:
    """Read the memory track of BFCL: questions.jsonl, answers.jsonl and a conversations folder.

    All conversations of a scenario are one memory, in file order; each is a session, its turns said by "User".
    The data has no times.
    """
    files = sorted((folder / "conversations").glob("*.json"))
    if not files:
        raise UnreadableInput(f"{folder}: no conversations/*.json in it; expected BFCL's memory track")
    grouped: dict[str, list[NewMessage]] = {}
    for file in files:
        for where, row in _jsonl(file):
            grouped.setdefault(_text(row, "scenario", where), []).extend(_bfcl_messages(row, where))
    answers = {
        _text(row, "id", where): _strings(row, "ground_truth", where) for where, row in _jsonl(folder / "answers.jsonl")
    }
    questions = []
    for where, row in _jsonl(folder / "questions.jsonl"):
        qid, scenario = _text(row, "id", where), _text(row, "scenario", where)
        if qid not in answers:
            raise UnreadableInput(f"{where}: question {qid!r} has no line in answers.jsonl")
        if scenario not in grouped:
            raise UnreadableInput(f"{where}: no conversation of scenario {scenario!r}")
        asked = " ".join(text for _, text in _turns(row, where))
        questions.append(StringQuestion(qid, scenario, asked, answers[qid]))
    _require_unique([q.qid for q in questions], folder / "questions.jsonl")
    return [Conversation(name, tuple(messages)) for name, messages in grouped.items()], questions


def _bfcl_messages(row: Json, where: str) -> list[NewMessage]:
    session = _text(row, "id", where)
    return [
        NewMessage(
            speaker=role.title(), text=text, session=session, source_ref=f"{session}:{n}", role=_role(role, where)
        )
        for n, (role, text) in enumerate(_turns(row, where), start=1)
        if text.strip()
    ]


def _turns(row: Json, where: str) -> Iterator[tuple[str, str]]:
    """Give role and content of every message in BFCL's list of turns, each a list of messages."""
    for turn in _list(row, "question", where):
        for message in turn if isinstance(turn, list) else [turn]:
            yield _role_and_content(message, where)


# LongMemEval


def load_longmemeval(path: Path) -> list[LongQuestion]:
    """Read a LongMemEval file: a JSON list of items with haystack_sessions. Empty turns are left out."""
    items = _json(path)
    if not isinstance(items, list) or not items:
        raise UnreadableInput(f"{path}: expected a JSON list of LongMemEval items")
    questions = [_long_question(item, f"{path}, item {n}") for n, item in enumerate(items, start=1)]
    _require_unique([q.qid for q in questions], path)
    return questions


def _long_question(item: object, where: str) -> LongQuestion:
    row = _object(item, where)
    qid = _text(row, "question_id", where)
    sessions = _list(row, "haystack_sessions", where)
    names = _strings(row, "haystack_session_ids", where)
    dates = _strings(row, "haystack_dates", where)
    if not len(sessions) == len(names) == len(dates):
        raise UnreadableInput(f"{where}: haystack_sessions, haystack_session_ids and haystack_dates differ in length")
    messages: list[NewMessage] = []
    turns: list[str] = []
    said: Counter[str] = Counter()
    for session, name, date in zip(sessions, names, dates, strict=True):
        place = f"{where}, session {name}"
        if not isinstance(session, list):
            raise UnreadableInput(f"{place}: expected a list of turns")
        sent_at = _long_date(date, place)
        for turn in session:
            role, text = _role_and_content(turn, place)
            said[name] += 1  # over the name, since a haystack may hold a session twice
            if not text.strip():
                continue
            ref = f"{name}:{said[name]}"
            messages.append(NewMessage(role.title(), text, sent_at, name, ref, role=_role(role, place)))
            if _object(turn, place).get("has_answer") is True:
                turns.append(ref)
    answer = row.get("answer")
    if not isinstance(answer, str | int | float):
        raise UnreadableInput(f"{where}: 'answer' must be text, not {type(answer).__name__}")
    return LongQuestion(
        qid=qid,
        type=_text(row, "question_type", where),
        question=_text(row, "question", where),
        answer=str(answer),
        answerable=not qid.endswith("_abs"),  # the data set's own mark
        conversation=Conversation(qid, tuple(messages)),
        sessions=_strings(row, "answer_session_ids", where),
        turns=tuple(turns),
    )


def _long_date(text: str, where: str) -> datetime:
    """Read ``2023/05/20 (Sat) 02:21``; the weekday is not needed. The data names no zone: UTC."""
    day, _, rest = text.partition(" ")
    try:
        return datetime.strptime(f"{day} {rest.rpartition(' ')[2]}", "%Y/%m/%d %H:%M").replace(tzinfo=UTC)
    except ValueError:
        raise UnreadableInput(f"{where}: cannot read the date {text!r}; expected 2023/05/20 (Sat) 02:21") from None


# Reading JSON without trusting it


def _json(path: Path) -> object:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UnreadableInput(f"{path}: cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise UnreadableInput(f"{path}: not JSON: {error}") from error


def _jsonl(path: Path) -> Iterator[tuple[str, Json]]:
    """Give the place and the object of each line; raises when the file holds none."""
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise UnreadableInput(f"{path}: cannot be read: {error}") from error
    some = False
    for n, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        some = True
        where = f"{path}, line {n}"
        try:
            row = json.loads(line)
        except ValueError as error:
            raise UnreadableInput(f"{where}: not JSON: {error}") from error
        yield where, _object(row, where)
    if not some:
        raise UnreadableInput(f"{path}: nothing in it; expected one JSON object a line")


def _object(value: object, where: str) -> Json:
    if not isinstance(value, dict):
        raise UnreadableInput(f"{where}: expected a JSON object, found {type(value).__name__}")
    return value


def _text(row: Json, key: str, where: str) -> str:
    value = row.get(key)
    if not isinstance(value, str) or not value.strip():
        raise UnreadableInput(f"{where}: {key!r} must be a text that is not empty")
    return value


def _list(row: Json, key: str, where: str) -> list[object]:
    value = row.get(key)
    if not isinstance(value, list):
        raise UnreadableInput(f"{where}: {key!r} must be a list")
    return value


def _strings(row: Json, key: str, where: str, *, optional: bool = False) -> tuple[str, ...]:
    if optional and row.get(key) is None:
        return ()
    values = _list(row, key, where)
    if not all(isinstance(v, str) for v in values):
        raise UnreadableInput(f"{where}: {key!r} must be a list of texts")
    return tuple(str(v) for v in values)


def _role_and_content(message: object, where: str) -> tuple[str, str]:
    row = _object(message, where)
    content = row.get("content")
    if not isinstance(content, str):
        raise UnreadableInput(f"{where}: 'content' must be text")
    return _text(row, "role", where), content


def _role(name: str, where: str) -> Role:
    try:
        return Role(name)
    except ValueError:
        raise UnreadableInput(f"{where}: unknown role {name!r}; expected one of {[r.value for r in Role]}") from None


def _require_unique(ids: Sequence[str], path: Path) -> None:
    seen: set[str] = set()
    for qid in ids:
        if qid in seen:
            raise UnreadableInput(f"{path}: the question id {qid!r} is there twice")
        seen.add(qid)
