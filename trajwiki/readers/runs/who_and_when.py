"""Failure logs of teams of agents, as Who&When has them: a history of named speakers, and labels of the mistake."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from trajwiki.domain.problems import Problem
from trajwiki.domain.runs import NewRun, Outcome, OutcomeBy, StepKind
from trajwiki.errors import UnreadableInput
from trajwiki.readers import jsontext
from trajwiki.readers.base import Confidence, Head, Json, Options
from trajwiki.readers.fields import a_list, a_text, an_object, some_text
from trajwiki.readers.files import Source
from trajwiki.readers.runs.base import MALFORMED, RunEvent, RunFormat, Skipped
from trajwiki.readers.runs.code import is_output
from trajwiki.readers.runs.outcomes import UNKNOWN, Ending
from trajwiki.readers.runs.steps import Steps, plain_json
from trajwiki.readers.runs.turns import add_code

_LABELS: Final = ("is_correct", "is_corrected", "ground_truth", "answer", "level", "mistake_agent", "mistake_step",
                  "mistake_reason", "mistake_type")  # fmt: skip
_ROUTE: Final = re.compile(r"(.{1,200}?)\s*\(\s*(->|thought|termination[^)]{0,40}|[^)]{1,60})\s*([^)]{0,200})\)\s*\Z")
_EXECUTOR: Final = re.compile(r"(?i)terminal|executor|interpreter|sandbox|environment|shell\b")
# A browsing agent tells what it did in one sentence, and then what the page shows.
_DID: Final = re.compile(
    r"(I (?:clicked|typed|scrolled|visited|opened|hovered|navigated|entered|selected|searched|pressed|went|refreshed|"
    r"waited|moved|read|summarized|answered|stopped|dragged|submitted)\b[^\n]{0,2000})\n\s*\n(?=\S)",
)


def detect(head: Head) -> Confidence:
    """An object with a history of roles and contents, beside a question or labels."""
    row = head.first
    history = row.get("history")
    if not isinstance(history, list) or "trajectory" in row:
        return Confidence.NO
    spoken = all(isinstance(h, dict) and "content" in h and ("role" in h or "name" in h) for h in history[:3])
    named = "question" in row or any(k.startswith("mistake_") for k in row)
    return Confidence.SURE if spoken and named else Confidence.NO


def read(source: Source, options: Options) -> Iterator[RunEvent]:
    """Give one run a record. Labels go to the metadata alone."""
    for place, value in jsontext.values(source):
        row = an_object(value, place, "a record with a history")
        history = a_list(row.get("history"), place, "a list of what was said in 'history'")
        steps = Steps()
        for i, item in enumerate(history):
            where = f"{place}, entry {i}"
            try:
                entry = an_object(item, where, "an entry with role and content")
                following = history[i + 1] if i + 1 < len(history) else None
                _entry(steps, entry, following, f"/history/{i}", where)
            except UnreadableInput as error:
                yield Problem(MALFORMED, str(error), where)
        if not len(steps):
            yield Skipped("run without steps", place)
            continue
        outcome, by, note = _ending(row)
        labels = {k: row[k] for k in _LABELS if k in row}
        ref = some_text(row, "question_ID", "question_id", "id")
        others = {k: v for k, v in row.items() if k not in (*_LABELS, "history", "question")}
        yield NewRun(
            source_ref=ref or source.stem,
            source="who-and-when",
            task=some_text(row, "question", "task") or steps.finish()[0].text,
            steps=steps.finish(),
            outcome=outcome,
            outcome_by=by,
            outcome_note=note,
            task_ref=ref,
            metadata={**others, "labels": labels},
            raw=plain_json(row),
        )


def _entry(steps: Steps, entry: Json, following: Any, pointer: str, where: str) -> None:
    text = a_text(entry, "content", where)
    agent, route, _ = _speaker(entry, where)
    at_start = not len(steps)
    if not text.strip():
        return
    if at_start or agent.lower() in ("human", "user"):
        kind = StepKind.PROMPT if at_start else StepKind.MESSAGE
        steps.add(kind, text, agent=agent, where=pointer)
    elif route == "thought":
        steps.add(StepKind.THOUGHT, text, agent=agent, where=pointer)
    elif _EXECUTOR.search(agent) and (is_output(text) or not route):
        number = steps.result(text, where=pointer)
        steps.name_agent(number, agent)
    elif did := _DID.match(text):
        name = did[1].split(" ", 2)[1]
        steps.call(name, {}, text=did[1], agent=agent, where=pointer)
        steps.result(text[did.end() :], tool=name, where=pointer)
    elif not (_is_run(following) and add_code(steps, text, agent=agent, where=pointer)):
        steps.add(StepKind.MESSAGE, text, agent=agent, where=pointer)


def _speaker(entry: Json, where: str) -> tuple[str, str, str]:
    """Give who spoke, and of a role such as ``Leader (-> Helper)`` how and to whom."""
    name = some_text(entry, "name") or some_text(entry, "role")
    if name is None:
        raise UnreadableInput(f"{where}: expected a role or a name in the entry")
    route = _ROUTE.match(name)
    return (route[1], route[2], route[3]) if route else (name, "", "")


def _is_run(following: Any) -> bool:
    """Whether the next entry is what an executor gave back."""
    if not isinstance(following, dict) or not isinstance(following.get("content"), str):
        return False
    named = str(following.get("name") or following.get("role") or "")
    return bool(_EXECUTOR.search(named)) and "->" not in named and is_output(following["content"])


def _ending(row: Json) -> Ending:
    if row.get("is_correct") is True:
        return Outcome.SUCCESS, OutcomeBy.EVALUATION, "is_correct true"
    if row.get("is_correct") is False:
        return Outcome.FAILURE, OutcomeBy.EVALUATION, "is_correct false"
    if row.get("is_corrected") is False or any(row.get(k) not in (None, "") for k in ("mistake_agent", "mistake_step")):
        return Outcome.FAILURE, OutcomeBy.EVALUATION, "a mistake is labelled"
    return UNKNOWN


FORMAT: Final = RunFormat(
    name="who-and-when",
    title="Who&When failure logs",
    extensions=(".json",),
    keeps="what each agent said, code and what its execution gave back, system prompts of the agents in metadata",
    drops="nothing; labels of the mistake and the right answer are kept apart in metadata, under labels",
    detect=detect,
    read=read,
)
