"""Text in the manner of ReAct: lines that begin with Thought, Action, Action Input, Observation, Final Answer."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_LABEL: Final = re.compile(
    r"^[ \t>*#-]{0,6}(question|task|thoughts?|reasoning|plan|action input|action|act|tool input|tool|function name|"
    r"function input|function output|observation|tool output|obs|final answer|answer|finish|result)"
    r"(?: ?\d{1,4})?(?:\*\*)?[ \t]?[::](?:\*\*)?[ \t]*",
    re.IGNORECASE | re.MULTILINE,
)
_KINDS: Final = {
    **dict.fromkeys(("question", "task"), "task"),
    **dict.fromkeys(("thought", "thoughts", "reasoning", "plan"), "thought"),
    **dict.fromkeys(("action", "act", "tool", "function name"), "action"),
    **dict.fromkeys(("action input", "tool input", "function input"), "input"),
    **dict.fromkeys(("observation", "obs", "result", "function output", "tool output"), "observation"),
    **dict.fromkeys(("final answer", "answer", "finish"), "final"),
}
_FINAL: Final = re.compile(r"^[ \t>*#]{0,6}final answer(?:\*\*)?[ \t]?:", re.IGNORECASE | re.MULTILINE)
_CALL: Final = re.compile(r"\s*`?([\w.:/-]{1,100})`?\s*([\[(])(.*)[\])]`?\s*\Z", re.DOTALL)
_NAME: Final = re.compile(r"\s*[`\"']?([\w.:/ -]{1,100}?)[`\"']?\s*\Z")


@dataclass(frozen=True, slots=True)
class Piece:
    """A labelled piece of text.

    Attributes:
        kind: task, thought, action, input, observation, final, or empty for words without a label.
        text: Verbatim, without the label.
        line: Number of its first line, from 1.
    """

    kind: str
    text: str
    line: int


def pieces(text: str) -> list[Piece]:
    """Cut a text at its labels."""
    found: list[Piece] = []
    marks = list(_LABEL.finditer(text))
    start = text[: marks[0].start()] if marks else text
    if start.strip():
        found.append(Piece("", start.strip(), 1))
    line, counted = 1, 0
    for i, mark in enumerate(marks):
        end = marks[i + 1].start() if i + 1 < len(marks) else len(text)
        line, counted = line + text.count("\n", counted, mark.start()), mark.start()
        found.append(Piece(_KINDS[mark[1].lower()], text[mark.end() : end].strip(), line))
    return found


def is_react(text: str) -> bool:
    """Whether a text has a thought and an action or answer, or an action with its input."""
    if _FINAL.search(text[-50_000:]):
        return True
    kinds = {p.kind for p in pieces(text[:20_000])}
    return ("thought" in kinds and bool(kinds & {"action", "final"})) or {"action", "input"} <= kinds


def call_in(action: str, given: str | None) -> tuple[str, str]:
    """Give the tool and the arguments of an action: `name` with an input beside it, `name[x]`, or `name(x)`."""
    if given is not None:
        name = _NAME.match(action)
        return (name[1] if name else action.strip()), given.strip().strip("`").strip()
    called = _CALL.match(action)
    if called:
        return called[1], called[3].strip()
    first, _, rest = action.strip().partition(" ")
    return (first.strip("`\"'") or "action"), rest.strip()
