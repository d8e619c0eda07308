"""What a record says of how its run ended."""

from __future__ import annotations

import math
from typing import Any, Final

from trajwiki.domain.runs import Outcome, OutcomeBy
from trajwiki.readers.base import Json
from trajwiki.readers.fields import short

Ending = tuple[Outcome, OutcomeBy, str]
UNKNOWN: Final[Ending] = (Outcome.UNKNOWN, OutcomeBy.NOBODY, "")

_JUDGED: Final = ("reward", "score", "resolved", "success", "is_correct", "is_success", "task_completed", "passed",
                  "is_resolved", "task_success", "correct", "succeeded", "final_reward",
                  "completed_successfully")  # fmt: skip
_STATUS: Final = ("exit_status", "outcome", "final_status", "termination_reason", "stop_reason", "status", "result")
_WORDS: Final = {
    **dict.fromkeys(("success", "succeeded", "successful", "solved", "resolved", "passed", "pass", "correct"),
                    Outcome.SUCCESS),
    **dict.fromkeys(("failure", "failed", "fail", "error", "unresolved", "incorrect", "crashed", "errored"),
                    Outcome.FAILURE),
    **dict.fromkeys(("partial", "partially", "incomplete"), Outcome.PARTIAL),
}  # fmt: skip


def of_reward(value: Any, key: str = "reward") -> Ending:
    """Read a reward: 1 or true is success, 0 or less is failure, between is partial."""
    if isinstance(value, bool):
        return Outcome.SUCCESS if value else Outcome.FAILURE, OutcomeBy.EVALUATION, f"{key} {str(value).lower()}"
    if not isinstance(value, int | float) or not math.isfinite(value):
        return UNKNOWN
    outcome = Outcome.SUCCESS if value >= 1 else Outcome.FAILURE if value <= 0 else Outcome.PARTIAL
    return outcome, OutcomeBy.EVALUATION, f"{key} {value:g}"


def of_record(row: Json) -> Ending:
    """Read what a record says beside its steps: a judgement from outside before the status of the system."""
    for key in _JUDGED:
        if key in row and (ending := of_reward(row[key], key)) != UNKNOWN:
            return ending
    for key in _STATUS:
        value = row.get(key)
        if isinstance(value, str) and (outcome := _WORDS.get(value.strip().lower().split(" ")[0])):
            return outcome, OutcomeBy.ENVIRONMENT, f"{key} {short(value)}"
    return UNKNOWN
