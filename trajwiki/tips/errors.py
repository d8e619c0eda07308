"""What says that an action failed: exceptions, exit codes, HTTP status, error fields, and plain words."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from trajwiki.domain.runs import Step, StepKind

HEAD: Final = 6_000  # characters at the start and at the end of a result that are looked at
SHORT: Final = 600  # a longer result is content: only its first line can say in plain words that the call failed
QUOTE: Final = 240  # characters of an error that are kept as its words

_TRACEBACK: Final = re.compile(r"\bTraceback \(most recent call last\)|Traceback:\s")
_EXCEPTION: Final = re.compile(
    r"^[ \t>]*((?:[A-Za-z_][\w.]{0,80}\.)?(?:[A-Z]\w{0,60}(?:Error|Exception|Warning)|Exception)): ", re.M
)
_EXIT: Final = re.compile(r"\bexit(?:ed)?[ _-]?(?:with[ ])?(?:code|status)?[ ]?[:= ][ ]?(-?[1-9]\d{0,2})\b", re.I)
_HTTP: Final = re.compile(r"\b(?:HTTP(?:/\d(?:\.\d)?)?|status(?:[ _]?code)?)(?: is)?[\s\"':=]{1,4}([45]\d\d)\b", re.I)
_OPENING: Final = re.compile(r"\s*[\[{(\"'*]{0,3}(?:\w+ )?(?:error|failed|failure|exception|fatal)\b", re.I)
_KINDS: Final[Mapping[str, str]] = {
    "permission": r"\b(?:permission|access) (?:was )?denied|\bunauthori[sz]ed\b|\bforbidden\b"
    r"|\bnot (?:allowed|permitted|authori[sz]ed)\b",
    "not-found": r"\b(?:not|n't|cannot be|could not be) found\b|\bno such\b|\bdoes(?: not|n't) exist\b|\bunknown \w+\b"
    r"|\bno \w{1,40} with\b",
    "limit": r"\b(?:rate|quota|usage) limit|\btoo many\b|\btimed? ?out\b|\bquota exceeded\b",
    "invalid": r"\binvalid\b|\bmalformed\b|\bnot (?:a )?valid\b|\bsyntax error\b|\bexpected \w+|\bis required\b"
    r"|\b(?:missing|required) (?:\w+ ){0,3}(?:argument|parameter|field|key)",
    "failure": r"\bfailed\b|\bunable to\b|\bcannot\b|\bcould not\b|\bnot available\b|\bnot enough\b|\binsufficient\b",
}
_WORDS: Final = tuple((kind, re.compile(words, re.I)) for kind, words in _KINDS.items())
_FIELDS: Final = ("error", "errors", "error_message", "exception", "stderr")


@dataclass(frozen=True, slots=True)
class ErrorSign:
    """That a step reports a failure.

    Attributes:
        kind: ``exception``, ``exit``, ``http``, ``field``, ``permission``, ``not-found``, ``limit``, ``invalid``,
            ``failure``, or ``marked`` where only the intake says so.
        words: The line that says it, at most 240 characters.
        confidence: In [0, 1].
    """

    kind: str
    words: str
    confidence: float


def find_error(step: Step) -> ErrorSign | None:
    """Give what in a result says that the action failed, or None. Only observations and errors can say it."""
    if step.kind is StepKind.ERROR:
        return error_in(step.text) or ErrorSign("marked", _line(step.text), 0.95)
    return error_in(step.text) if step.kind is StepKind.OBSERVATION else None


def error_in(text: str) -> ErrorSign | None:
    """Give what in a tool's reply says that the call failed, or None."""
    seen = text if len(text) <= 2 * HEAD else f"{text[:HEAD]}\n{text[-HEAD:]}"
    record = _record(text)
    if record is not None:
        return _field(record, text)
    if match := _EXIT.search(seen[:300]):
        return ErrorSign("exit", _exception_line(seen) or _line(seen[match.start() :]), 0.95)
    if _TRACEBACK.search(seen):
        return ErrorSign("exception", _exception_line(seen) or _line(seen), 0.95)
    if match := _HTTP.search(seen[:SHORT]):
        return ErrorSign("http", _line(seen[match.start() :]), 0.9)
    if (match := _EXCEPTION.search(seen[:SHORT])) and not match.group(1).endswith("Warning"):
        return ErrorSign("exception", _line(seen[match.start() :]), 0.9)
    return _plain(seen)


def _plain(text: str) -> ErrorSign | None:
    opening = bool(_OPENING.match(text))
    told = text if len(text) <= SHORT else text.lstrip().split("\n", 1)[0][:SHORT]
    if not opening and (len(text) > SHORT or told.lstrip().startswith(("{", "["))):
        return None
    for kind, pattern in _WORDS:
        if match := pattern.search(told):
            return ErrorSign(
                kind, _line(told[max(0, told.rfind("\n", 0, match.start()) + 1) :]), 0.9 if opening else 0.7
            )
    return ErrorSign("failure", _line(told), 0.9) if opening else None


def _record(text: str) -> dict[str, Any] | None:
    if not text.lstrip().startswith("{"):
        return None
    try:
        record = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None


def _field(record: Mapping[str, Any], text: str) -> ErrorSign | None:
    for name in _FIELDS:
        if (value := record.get(name)) not in (None, "", [], {}, False, 0):
            return ErrorSign("field", _line(value if isinstance(value, str) else json.dumps(value)), 0.95)
    status = record.get("status", record.get("status_code", record.get("code")))
    bad = status in ("error", "failed", "failure") or (
        isinstance(status, int) and not isinstance(status, bool) and 400 <= status < 600
    )
    if bad or record.get("success") is False or record.get("is_error") is True or record.get("ok") is False:
        said = record.get("message") or record.get("detail") or record.get("reason") or text
        return ErrorSign("field", _line(said if isinstance(said, str) else json.dumps(said)), 0.9)
    return None


def _exception_line(text: str) -> str:
    found = list(_EXCEPTION.finditer(text))
    return _line(text[found[-1].start() :]) if found else ""


def _line(text: str) -> str:
    """The first line; the second too where the first ends with a colon, or only opens a block."""
    lines = [line.strip() for line in text.strip()[: 4 * QUOTE].split("\n") if line.strip(" `\t")]
    line = " ".join(lines[:2]) if len(lines) > 1 and lines[0].endswith(":") else "".join(lines[:1])
    return line if len(line) <= QUOTE else f"{line[: QUOTE - 1]}…"
