"""Taking a run in: whatever its source, it is checked, cleaned, numbered, named and rid of secrets."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from hashlib import blake2b
from typing import Any, Final

from trajwiki.domain.messages import MAX_NAME, MAX_TEXT
from trajwiki.domain.runs import NewRun, Step
from trajwiki.errors import InvalidRun
from trajwiki.language.masking import Masker

MAX_STEPS: Final = 50_000
MAX_RAW: Final = 50_000_000  # characters
REF_BYTES: Final = 10
_UNSTORABLE: Final = re.compile("[\x00\ud800-\udfff]")


def checked(run: NewRun) -> NewRun:
    """Give a run as it can be stored: masked, without characters no database takes, its steps numbered from 1.

    A run without a ref gets one from its content, so that the same run comes in once.

    Raises:
        InvalidRun: It has no task or steps, or something in it is too long or of the wrong type.
    """
    where = f"run {run.source_ref or run.task[:40]!r}"
    if not run.task.strip() or not run.steps:
        raise InvalidRun(f"{where}: a run has a task and at least one step")
    if len(run.steps) > MAX_STEPS or len(run.raw) > MAX_RAW:
        raise InvalidRun(f"{where}: a run has at most {MAX_STEPS} steps and {MAX_RAW} characters as read")
    for name in ("source_ref", "source", "app", "agent", "task_ref", "parent_ref"):
        if len(getattr(run, name) or "") > MAX_NAME:
            raise InvalidRun(f"{where}: its {name} is longer than {MAX_NAME} characters")
    masker = Masker()
    steps = tuple(_step(step, n, masker, where) for n, step in enumerate(run.steps, start=1))
    taken = replace(
        run,
        source_ref=_clean(run.source_ref),
        source=_clean(run.source) or "unknown",
        task=_text(run.task, masker, where),
        steps=steps,
        app=_clean(run.app) if run.app else None,
        agent=_clean(run.agent) if run.agent else None,
        outcome_note=_text(run.outcome_note, masker, where),
        task_ref=_clean(run.task_ref) if run.task_ref else None,
        parent_ref=_clean(run.parent_ref) if run.parent_ref else None,
        metadata=_json(run.metadata, masker, f"{where}, metadata"),
        raw=masker.text(_clean(run.raw)),
    )
    return taken if taken.source_ref else replace(taken, source_ref=_ref(taken))


def _step(step: Step, number: int, masker: Masker, where: str) -> Step:
    place = f"{where}, step {number}"
    if step.at is not None and (not isinstance(step.at, datetime) or step.at.tzinfo is None):
        raise InvalidRun(f"{place}: its time has no zone")
    if step.answers is not None and not 1 <= step.answers < number:
        raise InvalidRun(f"{place}: it answers step {step.answers}, which is not before it")
    return replace(
        step,
        number=number,
        text=_text(step.text, masker, place),
        agent=_clean(step.agent)[:MAX_NAME],
        tool=_clean(step.tool)[:MAX_NAME] if step.tool else None,
        arguments=_json(step.arguments, masker, f"{place}, arguments"),
        where=_clean(step.where)[:MAX_NAME],
    )


def _text(text: str, masker: Masker, where: str) -> str:
    if len(text) > MAX_TEXT:
        raise InvalidRun(f"{where}: a text has at most {MAX_TEXT} characters, not {len(text)}")
    return masker.text(_clean(text))


def _json(value: Mapping[str, Any], masker: Masker, where: str) -> dict[str, Any]:
    try:
        text = json.dumps(dict(value), ensure_ascii=False, allow_nan=False)
        plain = json.loads(_clean_json(text))
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidRun(f"{where}: it is not made of JSON values ({error})") from error
    if len(text) > MAX_TEXT:
        raise InvalidRun(f"{where}: it has at most {MAX_TEXT} characters, not {len(text)}")
    masked: dict[str, Any] = masker.json(plain)
    return masked


def _clean(text: str) -> str:
    return _UNSTORABLE.sub("\ufffd", text)


def _clean_json(text: str) -> str:
    return _clean(text.replace("\\u0000", "\ufffd"))


def _ref(run: NewRun) -> str:
    said = json.dumps([run.task, [[s.kind, s.tool, s.text, s.arguments] for s in run.steps]], sort_keys=True)
    return "run-" + blake2b(said.encode(), digest_size=REF_BYTES).hexdigest()
