"""Agents that act by writing code into their messages: the code kept apart from the words, its output recognised."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

MAX_FENCES: Final = 400  # in one message

_FENCE: Final = re.compile(r"^[ \t]*(```|~~~)[ \t]*([\w+.#-]{0,30})[^\n`]{0,200}$", re.MULTILINE)
_OUTPUT: Final = re.compile(
    r"\s*(?:(?:code |execution |command |tool |terminal |function |program )?"
    r"(?:output|observation|result|stdout|returned)s?\s*(?:\(.{0,40}\))?:|exit ?code\b|exit status\b|"
    r"execution (?:failed|succeeded|successful|output|result)|"
    r"<(?:returncode|output|observation|result|execution_result|tool_response|function_results?)>|"
    r"\[output\]|\(no output\)|observation\b|your command ran|evaluation of the code|last output)",
    re.IGNORECASE,
)
_SHELLS: Final = ("sh", "bash", "shell", "zsh", "console", "terminal", "powershell", "cmd")
_LANGUAGES: Final = (*_SHELLS, "python", "py", "python3", "ipython", "javascript", "js", "typescript", "ts", "sql", "r",
                     "tool_code", "code", "julia", "ruby", "perl", "php", "go", "rust", "java", "c", "cpp",
                     "mswea_bash_command")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Code:
    """A message with code in it.

    Attributes:
        before: Words before the first block.
        fenced: The blocks with their fences, and what stands between them, verbatim.
        code: The code alone.
        tool: What runs it: ``python``, ``bash`` …
        after: Words after the last block.
    """

    before: str
    fenced: str
    code: str
    tool: str
    after: str


def code_in(text: str) -> Code | None:
    """Find the fenced code of a message; None when there is none."""
    fences = []
    for fence in _FENCE.finditer(text):
        fences.append(fence)
        if len(fences) >= MAX_FENCES:
            break
    blocks: list[tuple[int, int, str, str]] = []
    i = 0
    while i < len(fences):
        start = fences[i]
        close = next((f for f in fences[i + 1 :] if f[1] == start[1] and not f[2]), None)
        end = close.start() if close else len(text)
        language = start[2].lower()
        if language in _LANGUAGES or not language:
            blocks.append(
                (start.start(), close.end() if close else len(text), language, text[start.end() : end].strip("\n"))
            )
        i = fences.index(close) + 1 if close else len(fences)
    if not blocks:
        return None
    language = next((b[2] for b in blocks if b[2]), "")
    tool = "bash" if language in _SHELLS or "bash" in language else language
    tool = "python" if tool in ("py", "python3", "ipython", "tool_code", "code", "") else tool
    first, last = blocks[0][0], blocks[-1][1]
    code = "\n".join(b[3] for b in blocks)
    return Code(text[:first].strip(), text[first:last], code, tool, text[last:].strip()) if code.strip() else None


def is_output(text: str) -> bool:
    """Whether a message reads like what a program gave back."""
    return bool(_OUTPUT.match(text[:200]))
