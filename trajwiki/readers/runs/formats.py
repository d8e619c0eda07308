"""The list of run formats, in the order they are shown."""

from __future__ import annotations

from typing import Final

from trajwiki.readers.runs import (
    langfuse,
    messages,
    otel,
    own,
    react_text,
    step_json,
    swe_agent,
    tau_bench,
    who_and_when,
)
from trajwiki.readers.runs.base import RunFormat

RUN_FORMATS: Final[tuple[RunFormat, ...]] = (
    own.FORMAT,
    messages.OPENAI,
    messages.ANTHROPIC,
    messages.APPWORLD,
    tau_bench.FORMAT,
    who_and_when.FORMAT,
    swe_agent.FORMAT,
    langfuse.FORMAT,
    otel.FORMAT,
    step_json.FORMAT,
    react_text.FORMAT,
)
