"""The list of formats, in the order they are shown."""

from __future__ import annotations

from typing import Final

from trajwiki.readers import (
    bfcl,
    chatgpt,
    claude,
    claude_code,
    codex,
    discord,
    gemini,
    instagram,
    jsonl,
    langchain,
    locomo,
    longmemeval,
    openai,
    plain,
    sharegpt,
    signal_text,
    slack,
    telegram,
    whatsapp,
)
from trajwiki.readers.base import ReaderFormat

FORMATS: Final[tuple[ReaderFormat, ...]] = (
    jsonl.FORMAT,
    openai.FORMAT,
    chatgpt.FORMAT,
    claude.FORMAT,
    claude_code.FORMAT,
    codex.FORMAT,
    gemini.FORMAT,
    langchain.FORMAT,
    sharegpt.FORMAT,
    whatsapp.FORMAT,
    telegram.FORMAT,
    signal_text.FORMAT,
    slack.FORMAT,
    discord.FORMAT,
    instagram.FORMAT,
    locomo.FORMAT,
    longmemeval.FORMAT,
    bfcl.FORMAT,
    plain.FORMAT,
)
