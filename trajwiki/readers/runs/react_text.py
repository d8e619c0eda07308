"""ReAct transcripts as plain text: Thought, Action, Observation, one after the other."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from trajwiki.domain.runs import NewRun, StepKind
from trajwiki.errors import UnreadableInput
from trajwiki.readers.base import Confidence, Head, Options
from trajwiki.readers.files import Source
from trajwiki.readers.runs import react
from trajwiki.readers.runs.base import RunEvent, RunFormat
from trajwiki.readers.runs.steps import Steps
from trajwiki.readers.runs.turns import add_react

MAX_CHARS: Final = 64_000_000


def detect(head: Head) -> Confidence:
    """Text with lines that begin with Thought and Action."""
    if head.items or head.members or head.text.lstrip()[:1] in ("{", "["):
        return Confidence.NO
    found = [p.kind for p in react.pieces(head.text[:100_000])]
    acts = "thought" in found and ("action" in found or "final" in found)
    return Confidence.SURE if acts or {"action", "observation"} <= set(found) else Confidence.NO


def read(source: Source, options: Options) -> Iterator[RunEvent]:
    """Give one run for each question or task in the text; a text without one is one run."""
    text = ""
    for chunk in source.chunks():
        text += chunk
        if len(text) > MAX_CHARS:
            raise UnreadableInput(f"{source.name}: longer than {MAX_CHARS} characters; cut it at its tasks")
    found = react.pieces(text)
    if not any(p.kind in ("thought", "action") for p in found):
        raise UnreadableInput(f"{source.name}: expected lines that begin with Thought:, Action: or Observation:")
    starts = [p.line for p in found if p.kind == "task"]
    lines = text.split("\n")
    cuts = [1, *(starts[1:] if starts else []), len(lines) + 1]
    for number, (first, last) in enumerate(pairwise(cuts), start=1):
        part = "\n".join(lines[first - 1 : last - 1])
        steps = Steps()
        add_react(steps, part, lines=True, offset=first - 1)
        made = steps.finish()
        if made:
            task = next((s.text for s in made if s.kind is StepKind.PROMPT), made[0].text)
            ref = source.stem if len(cuts) == 2 else f"{source.stem}-{number}"
            yield NewRun(source_ref=ref, source="react", task=task, steps=made, raw=part)


FORMAT: Final = RunFormat(
    name="react",
    title="ReAct text",
    extensions=(".txt", ".log", ".md"),
    keeps="task, thoughts, actions with their input, observations, the final answer, with their lines",
    drops="nothing",
    detect=detect,
    read=read,
)
