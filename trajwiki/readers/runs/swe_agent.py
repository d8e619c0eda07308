"""SWE-agent trajectories: thought, action and observation of each step, with the history they came from."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from trajwiki.domain.problems import Problem
from trajwiki.domain.runs import NewRun, Outcome, OutcomeBy, StepKind
from trajwiki.errors import UnreadableInput
from trajwiki.readers import jsontext
from trajwiki.readers.base import Confidence, Head, Json, Options
from trajwiki.readers.fields import an_object, kind, some_list, some_object, some_text
from trajwiki.readers.files import Source
from trajwiki.readers.runs.base import MALFORMED, RunEvent, RunFormat, Skipped
from trajwiki.readers.runs.outcomes import UNKNOWN, Ending, of_record
from trajwiki.readers.runs.steps import plain_json
from trajwiki.readers.runs.turns import Turns

_BEGINNING: Final = 200  # messages of the history looked at for prompts
_WORD: Final = re.compile(r"\s*(?:[A-Z_]+=\S{1,200}\s+)*([\w./-]{1,100})")


def detect(head: Head) -> Confidence:
    """An object with a trajectory of actions and observations, or a history whose messages have a type and an agent."""
    row = head.first
    steps = some_list(row, "trajectory")
    if steps and isinstance(steps[0], dict) and {"action", "observation"} <= set(steps[0]):
        return Confidence.SURE
    history = some_list(row, "history")
    typed = history and isinstance(history[0], dict) and "message_type" in history[0]
    return Confidence.SURE if typed else Confidence.NO


def read(source: Source, options: Options) -> Iterator[RunEvent]:
    """Give one run a file."""
    for place, value in jsontext.values(source):
        row = an_object(value, place, "a trajectory")
        if not isinstance(row.get("trajectory"), list) and not isinstance(row.get("history"), list):
            raise UnreadableInput(f"{place}: expected a list in 'trajectory' or 'history', found {sorted(row)[:8]}")
        turns = Turns()
        history = some_list(row, "history")
        if some_list(row, "trajectory"):
            for i, message in enumerate(history[:_BEGINNING]):
                if not isinstance(message, dict) or message.get("role") not in ("system", "user"):
                    break
                turns.add(message, f"/history/{i}", f"{place}, message {i + 1}")
            yield from _trajectory(turns, row["trajectory"], place)
        else:
            turns.all(history, "/history", place)
        yield from turns.problems
        if not len(turns.steps):
            yield Skipped("run without steps", place)
            continue
        info = some_object(row, "info")
        outcome, by, note = _ending(info)
        kept = {k: v for k, v in info.items() if k in ("exit_status", "model_stats", "swe_agent_version")}
        name = some_text(row, "instance_id") or some_text(some_object(row, "environment"), "instance_id")
        yield NewRun(
            source_ref=name or source.stem,
            source="swe-agent",
            task=turns.task,
            steps=turns.steps.finish(),
            outcome=outcome,
            outcome_by=by,
            outcome_note=note,
            task_ref=name or source.stem,
            metadata=kept,
            raw=plain_json(row),
        )


def _trajectory(turns: Turns, steps: list[Any], place: str) -> Iterator[Problem]:
    for i, item in enumerate(steps):
        where = f"{place}, step {i + 1}"
        try:
            _step(turns, an_object(item, where, "a step"), f"/trajectory/{i}", where)
        except UnreadableInput as error:
            yield Problem(MALFORMED, str(error), where)


def _step(turns: Turns, row: Json, pointer: str, where: str) -> None:
    for key in ("action", "observation", "thought"):
        if not isinstance(row.get(key), str | None):
            raise UnreadableInput(f"{where}: expected text in {key!r}, found {kind(row[key])}")
    thought = some_text(row, "thought")
    if thought:
        turns.steps.add(StepKind.THOUGHT, thought, agent="main", where=f"{pointer}/thought")
    action = some_text(row, "action")
    if action:
        word = _WORD.match(action)
        turns.steps.call(
            word[1] if word else "bash", {"command": action}, text=action, agent="main", where=f"{pointer}/action"
        )
    observation = row.get("observation")
    if isinstance(observation, str) and (action or observation.strip()):
        turns.steps.result(observation, where=f"{pointer}/observation")


def _ending(info: Json) -> Ending:
    ending = of_record({k: v for k, v in info.items() if k != "exit_status"})
    status = some_text(info, "exit_status")
    if ending != UNKNOWN or status is None:
        return ending
    if status.startswith("submitted"):  # a patch was handed in; whether it solves the issue is not told
        return Outcome.UNKNOWN, OutcomeBy.NOBODY, f"exit_status {status}"
    return Outcome.FAILURE, OutcomeBy.ENVIRONMENT, f"exit_status {status}"


FORMAT: Final = RunFormat(
    name="swe-agent",
    title="SWE-agent trajectories",
    extensions=(".traj", ".json"),
    keeps="system prompt and issue, thoughts, commands, observations, exit status; a history without steps is read too",
    drops="states of the shell, replay settings, the patch beside the observations",
    detect=detect,
    read=read,
)
