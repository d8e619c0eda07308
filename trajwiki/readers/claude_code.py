"""Claude Code sessions: JSON lines of messages among much that is no conversation."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from trajwiki.domain.messages import NewMessage, Role
from trajwiki.domain.problems import Problem
from trajwiki.readers import jsontext
from trajwiki.readers.assistants import content_of, say
from trajwiki.readers.base import Confidence, Event, Head, Json, Options, ReaderFormat, Skipped
from trajwiki.readers.fields import a_role, an_object, some_text, timed
from trajwiki.readers.files import Source

_SPOKEN: Final = ("user", "assistant")
_OTHER: Final = ("summary", "system", "progress", "queue-operation", "file-history-snapshot")
# What the program puts into a person's mouth: commands, their output, reminders.
_INJECTED: Final = re.compile(
    r"\s*(?:<(?:command-(?:name|message|args)|local-command-\w+|bash-\w+|system-reminder|task-notification|"
    r"user-prompt-submit-hook|environment_context|ide_\w+)\b|\[Request interrupted|Caveat: The messages below)"
)


def detect(head: Head) -> Confidence:
    """Lines with a session id and a message of user or assistant."""
    for row in head.objects[:50]:
        if (
            row.get("type") in _SPOKEN
            and isinstance(row.get("message"), dict)
            and ("sessionId" in row or "uuid" in row)
        ):
            return Confidence.SURE
    marks = [row for row in head.objects[:5] if row.get("type") in _OTHER and {"sessionId", "leafUuid"} & set(row)]
    return Confidence.SURE if marks else Confidence.NO


def read(source: Source, options: Options) -> Iterator[Event]:
    """Give what was said in each session; what sub-agents were told and said is kept in a session of its own."""
    seen: set[tuple[str, str]] = set()
    tools: dict[str, str] = {}
    for where, value in jsontext.lines(source):
        row = an_object(value, where, "a JSON object")
        reason = _left_out(row)
        if reason:
            yield Skipped(reason, where)
            continue
        session = some_text(row, "sessionId", "session_id") or source.stem
        ref = some_text(row, "uuid")
        if ref is not None and (session, ref) in seen:
            yield Skipped("duplicate", where)
            yield Problem("message.duplicate-ref", f"{ref} was there before; the first stands", where)
            continue
        if ref is not None:
            seen.add((session, ref))
        yield from _message(row, session, ref, tools, where)


def _left_out(row: Json) -> str | None:
    if row.get("type") not in _SPOKEN:
        return "event"
    if row.get("isMeta") is True or row.get("isCompactSummary") is True or row.get("isApiErrorMessage") is True:
        return "note of the program"
    return None


def _message(row: Json, session: str, ref: str | None, tools: dict[str, str], where: str) -> Iterator[Event]:
    message = an_object(row.get("message"), where, "an object in 'message'")
    aside = row.get("isSidechain") is True
    role = a_role(message.get("role", row["type"]), where)
    if aside:
        session, role = f"{session}/sub-agent", Role.ASSISTANT  # nobody in there is a person
    raw, injected = _spoken(message.get("content"))
    content = content_of(raw, where)
    sent_at, problems = timed(row, where, "timestamp")
    yield from problems
    if injected and not content.text.strip() and not content.results:
        yield Skipped("note of the program", where)
        return
    said = NewMessage(
        speaker=role.value,
        text="",
        sent_at=sent_at,
        session=session,
        source_ref=ref,
        source="claude-code",
        role=role,
    )
    yield from say(content, said, tools, conversation=session.removesuffix("/sub-agent"), where=where)


def _spoken(content: Any) -> tuple[Any, bool]:
    """Leave out of a content what the program wrote into it; and whether there was any."""
    if isinstance(content, str):
        return (None, True) if _INJECTED.match(content) else (content, False)
    if isinstance(content, list):
        kept = [p for p in content if not (isinstance(p, dict) and _INJECTED.match(str(p.get("text", ""))))]
        return kept, len(kept) < len(content)
    return content, False


FORMAT: Final = ReaderFormat(
    name="claude-code",
    title="Claude Code session",
    extensions=(".jsonl",),
    keeps="what the person and the assistant said, results of tools as such; sub-agents in sessions of their own",
    drops="tool calls, reasoning, commands and notes of the program, summaries, copies of earlier lines",
    detect=detect,
    read=read,
)
