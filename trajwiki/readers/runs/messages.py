"""Runs as messages of chat APIs: OpenAI and its relatives, Anthropic, and logs whose agent acts by code."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, Final

from trajwiki.domain.runs import NewRun
from trajwiki.readers.base import Confidence, Head, Options
from trajwiki.readers.fields import some_text
from trajwiki.readers.files import Source
from trajwiki.readers.runs.base import RunEvent, RunFormat
from trajwiki.readers.runs.talks import Talk, author, check_talk, messages_of, run_of, talks

_TASK: Final = re.compile(r"^(?:real |actual |current )?task\s*:\s*", re.IGNORECASE | re.MULTILINE)
_TAKEN: Final = ("question", "mistake_step", "resourceSpans", "trace", "replay_config")  # keys of other formats


def _detector(name: str) -> Callable[[Head], Confidence]:
    def detect(head: Head) -> Confidence:
        row = head.first
        if "traj" in row or "resourceSpans" in row or "replay_config" in row or isinstance(row.get("trace"), dict):
            return Confidence.NO
        if isinstance(row.get("history"), list) and any(
            k in row or (row["history"] and isinstance(row["history"][0], dict) and "message_type" in row["history"][0])
            for k in _TAKEN
        ):
            return Confidence.NO
        return Confidence.SURE if author(messages_of(head)) == name else Confidence.NO

    return detect


def read_openai(source: Source, options: Options) -> Iterator[RunEvent]:
    """Give the run of each list of messages."""
    yield from _read(source, "openai")


def read_anthropic(source: Source, options: Options) -> Iterator[RunEvent]:
    """Give the run of each list of messages; what sub-agents did becomes runs of their own."""
    yield from _read(source, "anthropic")


def read_appworld(source: Source, options: Options) -> Iterator[RunEvent]:
    """Give the run of each log; the task is what follows the word in the first message, where it is there."""
    yield from _read(source, "appworld")


def _read(source: Source, name: str) -> Iterator[RunEvent]:
    for talk in talks(source):
        check_talk(talk)
        for part, ref, parent in _apart(talk):
            for event in run_of(part, name, source.stem):
                if isinstance(event, NewRun):
                    yield _named(event, name, ref, parent)
                else:
                    yield event


def _named(run: NewRun, name: str, ref: str | None, parent: str | None) -> NewRun:
    task = run.task
    if name == "appworld" and (found := list(_TASK.finditer(task))):
        task = task[found[-1].end() :].strip() or task
    return replace(run, task=task, source_ref=ref or run.source_ref, parent_ref=parent)


def _apart(talk: Talk) -> Iterator[tuple[Talk, str | None, str | None]]:
    """Give the messages of the agent, then those of each sub-agent, with their refs and that of the parent."""
    aside: dict[str, list[Any]] = {}
    main: list[Any] = []
    for message in talk.messages:
        row = message if isinstance(message, dict) else {}
        call = some_text(row, "parent_tool_use_id", "subagent_id", "agentId")
        if call is None and row.get("isSidechain") is True:
            call = "sub-agent"
        (main if call is None else aside.setdefault(call, [])).append(message)
    if not aside or not main:
        yield talk, None, None
        return
    first = next((m for m in main if isinstance(m, dict)), {})
    ref = (
        some_text(talk.around, "run_id", "id", "session_id")
        or some_text(first, "sessionId", "session_id")
        or talk.where
    )
    yield Talk(main, main, "", talk.where), ref, None
    for call, messages in aside.items():
        yield Talk(messages, messages, "", f"{talk.where}, sub-agent {call}"), f"{ref}/{call}", ref


OPENAI: Final = RunFormat(
    name="openai",
    title="chat API messages with tool calls",
    extensions=(".json", ".jsonl"),
    keeps="messages of every role, tool calls with their results, reasoning as thoughts, usage, times; items of the "
    "Responses API, Gemini contents and LangChain messages; reward or status beside them",
    drops="inline images and audio, tool definitions",
    detect=_detector("openai"),
    read=read_openai,
)
ANTHROPIC: Final = RunFormat(
    name="anthropic",
    title="Anthropic messages with tool_use and tool_result",
    extensions=(".json", ".jsonl"),
    keeps="text, thinking as thoughts, tool_use with its tool_result, is_error, usage; sub-agents as runs of their own",
    drops="inline images, signatures, tool definitions",
    detect=_detector("anthropic"),
    read=read_anthropic,
)
APPWORLD: Final = RunFormat(
    name="appworld",
    title="message logs of agents that act by code",
    extensions=(".json", ".jsonl"),
    keeps="words as thoughts, fenced code as actions, outputs as what came back; [Thinking] notes; function calls in "
    "the content",
    drops="nothing",
    detect=_detector("appworld"),
    read=read_appworld,
)
