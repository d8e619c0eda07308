"""Results of tau-bench and its relatives: tries at tasks, each with its messages, reward and expected actions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from trajwiki.domain.runs import NewRun
from trajwiki.readers import jsontext
from trajwiki.readers.base import Confidence, Head, Json, Options
from trajwiki.readers.fields import a_list, an_object, some_list, some_object, some_text
from trajwiki.readers.files import Source
from trajwiki.readers.runs.base import RunEvent, RunFormat, Skipped
from trajwiki.readers.runs.outcomes import of_record, of_reward
from trajwiki.readers.runs.steps import plain_json
from trajwiki.readers.runs.turns import Turns

_MESSAGES: Final = ("traj", "messages", "trajectory")
_TRUTH: Final = ("task", "reward_info", "evaluation_criteria")  # ground truth: never part of the run


def detect(head: Head) -> Confidence:
    """Objects with a task id, a reward and the messages in `traj`."""
    row = head.first
    if isinstance(row.get("simulations"), list):
        row = next((s for s in row["simulations"] if isinstance(s, dict)), {})
    if "task_id" in row and isinstance(row.get("messages"), list) and "reward_info" in row:
        return Confidence.SURE
    if "task_id" in row and isinstance(row.get("traj"), list) and ("reward" in row or "info" in row):
        return Confidence.SURE
    return Confidence.NO


def read(source: Source, options: Options) -> Iterator[RunEvent]:
    """Give one run a try."""
    for place, row in _tries(source):
        key = next((k for k in _MESSAGES if k in row), _MESSAGES[0])
        messages = a_list(row.get(key), place, f"the messages in {key!r}")
        turns = Turns()
        turns.all(messages, f"/{key}", place)
        yield from turns.problems
        if not len(turns.steps):
            yield Skipped("run without steps", place)
            continue
        task_ref, trial = some_text(row, "task_id"), some_text(row, "trial")
        reward = row.get("reward", some_object(row, "reward_info").get("reward"))
        outcome, by, note = of_reward(reward)
        if not note:
            outcome, by, note = of_record(row)
        info = some_object(row, "info")
        labels = {k: v for k, v in {**info, **row}.items() if k in _TRUTH}
        metadata = {k: v for k, v in info.items() if k not in _TRUTH}
        metadata |= {"trial": row["trial"]} if "trial" in row else {}
        yield NewRun(
            source_ref=f"{task_ref}#{trial}" if trial is not None else task_ref or "",
            source="tau-bench",
            task=turns.task,
            steps=turns.steps.finish(),
            outcome=outcome,
            outcome_by=by,
            outcome_note=note,
            task_ref=task_ref,
            metadata={**metadata, "labels": labels} if labels else metadata,
            raw=plain_json(row),
        )


def _tries(source: Source) -> Iterator[tuple[str, Json]]:
    """Give the tries: the items of the list, or the simulations in an object, each with its task."""
    for place, value in jsontext.values(source):
        row = an_object(value, place, "a result with task_id, reward and traj")
        if not isinstance(row.get("simulations"), list):
            yield place, row
            continue
        tasks = {some_text(t, "id"): t for t in some_list(row, "tasks") if isinstance(t, dict)}
        for number, item in enumerate(row["simulations"], start=1):
            where = f"{place}, simulation {number}"
            tried = an_object(item, where, "a simulation")
            task = tasks.get(some_text(tried, "task_id"))
            yield where, {**tried, "task": task} if task else tried


FORMAT: Final = RunFormat(
    name="tau-bench",
    title="tau-bench results",
    extensions=(".json",),
    keeps="every message, tool calls with their results, the reward; tries at one task share its task_ref",
    drops="nothing; the expected actions and the user's instruction are kept apart in metadata, under labels",
    detect=detect,
    read=read,
)
