"""The logical phases of a run, described without the names, ids and amounts of its task."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from trajwiki.domain.runs import Outcome, Run, StepKind, Subtask
from trajwiki.language.sentences import split_sentences
from trajwiki.tips.findings import Call, is_change, tool_words
from trajwiki.tips.team import is_given, is_user

DESCRIPTION: Final = 160  # characters

_QUOTED: Final = re.compile(r"\"[^\"\n]{1,200}\"|“[^”\n]{1,200}”|`[^`\n]{1,200}`|(?<!\w)'[^'\n]{1,80}'(?!\w)")
_VALUE: Final = re.compile(
    r"https?://\S+|\S+@\S+|[$€£]\s?\d[\d.,]*|\b\w*\d[\w.,:/%#-]*|\b\w+_\w+\b|#\w+"
)  # addresses, money, anything with a digit, ids
_NAME: Final = re.compile(
    r"(?<=[\w,;:] )(?!(?:I|ID|IDs|API|URL|JSON|CSV|PDF|HTTP|SQL|OK)\b)[A-Z][\w.-]*(?: (?:of |the |de )?[A-Z][\w.-]*)*"
)
_STEP_WORDS: Final = re.compile(
    r"\W*(?:(?:first|next|now|then|great|okay|ok|sure|certainly)\b[,!.]? )*"
    r"(?:(?:let'?s|let me|(?:i|we)(?:'ll| will| need to| should)) )?(?:(?:start by|begin by|first|now|then) )*",
    re.I,
)
_BREAK: Final = re.compile(r"\W*(?:next|now|then|after that|finally|step \d|first|(?:new|updated) plan)\b", re.I)


def segment(run: Run, calls: Sequence[Call]) -> tuple[Subtask, ...]:
    """Cut a run into phases that together cover it from its first action to its end (report, 3.1.4).

    A phase is a stretch of calls about one object; a word of the user, and a change of application, begins a new one.
    A run without calls is cut where the speaker or the plan moves on.
    """
    starts = _starts_of_calls(run, calls) if calls else _starts_of_talk(run)
    if not starts:
        return ()
    ends = [start - 1 for start in starts[1:]] + [len(run.steps)]
    phases = [(a, b, [c for c in calls if a <= c.step.number <= b]) for a, b in zip(starts, ends, strict=True)]
    names = [_describe(run, a, b, inside) for a, b, inside in phases]
    return tuple(
        Subtask(a, b, names[i], run.app or _app(inside), _purpose(names, i), _succeeded(run, b, inside))
        for i, (a, b, inside) in enumerate(phases)
    )


def generalise(text: str) -> str:
    """Give a description without quotations, addresses, numbers, ids and names; at most 160 characters."""
    text = " ".join(text[:2_000].split())
    text = _QUOTED.sub("a value", text)
    text = _VALUE.sub("a value", text)
    text = _NAME.sub("a name", text)
    text = re.sub(r"\b(a (?:value|name))(?:(?:,| and| or|, and)? a (?:value|name))+", r"\1", text)
    text = re.sub(r"\b(?:the|an?) (a (?:value|name))\b", r"\1", text).strip(" .:;,-*#")
    if len(text) > DESCRIPTION:
        text = text[: DESCRIPTION - 1].rsplit(" ", 1)[0] + "…"
    return text[:1].lower() + text[1:]


def _starts_of_calls(run: Run, calls: Sequence[Call]) -> list[int]:
    starts = [calls[0].step.number]
    topic = _topic(calls[0])
    for before, call in pairwise(calls):
        between = run.steps[before.step.number : call.step.number - 1]
        asked = any(is_given(s) for s in between)
        moved = _topic(call) != topic and (is_change(call) or is_change(before) or _topic(call)[0] != topic[0])
        planned = any(s.kind in (StepKind.THOUGHT, StepKind.MESSAGE) and _BREAK.match(s.text) for s in between)
        if moved or (_topic(call) != topic and (asked or planned)):
            starts.append(next((s.number for s in between if s.kind is StepKind.THOUGHT), call.step.number))
        topic = _topic(call)
    return starts


def _starts_of_talk(run: Run) -> list[int]:
    """Where an agent speaks for the first time, or one says that something new begins."""
    starts: list[int] = []
    met: set[str] = set()
    for step in run.steps:
        if step.kind in (StepKind.PROMPT, StepKind.OBSERVATION, StepKind.ERROR) or is_user(step):
            continue
        if step.agent not in met or _BREAK.match(step.text):
            starts.append(step.number)
        met.add(step.agent)
    return starts or [s.number for s in run.steps if s.kind is not StepKind.PROMPT][:1]


def _topic(call: Call) -> tuple[str, str]:
    """Application and object of a call: ``spotify.get_playlist`` is about a playlist in spotify."""
    app, _, name = call.tool.replace("__", ".").rpartition(".")
    words = tool_words(name)
    return app, (words[-1].rstrip("s") if words else name)


def _describe(run: Run, first: int, last: int, calls: Sequence[Call]) -> str:
    tools = list(dict.fromkeys(" ".join(tool_words(c.tool)) for c in calls if c.step.tool))
    if tools:
        return ", then ".join(tools[:3])[:DESCRIPTION] + (" and more" if len(tools) > 3 else "")
    for step in run.steps[first - 1 : last]:
        if step.kind in (StepKind.THOUGHT, StepKind.MESSAGE, StepKind.ACTION, StepKind.FINAL):
            for sentence in split_sentences(step.text[:2_000])[:3]:
                told = generalise(_STEP_WORDS.sub("", sentence.text, count=1))
                if len(told) > 12:
                    return told
    return "answer" if run.steps[last - 1].kind in (StepKind.MESSAGE, StepKind.FINAL) else "act"


def _app(calls: Sequence[Call]) -> str | None:
    apps = {app for c in calls if (app := _topic(c)[0])}
    return apps.pop() if len(apps) == 1 else None


def _purpose(names: Sequence[str], i: int) -> str:
    return f"before: {names[i + 1]}" if i + 1 < len(names) else "to finish the task"


def _succeeded(run: Run, last: int, calls: Sequence[Call]) -> bool | None:
    if last == len(run.steps) and run.outcome in (Outcome.SUCCESS, Outcome.FAILURE):
        return run.outcome is Outcome.SUCCESS
    answered = [c for c in calls if c.result is not None]
    return answered[-1].error is None if answered else None
