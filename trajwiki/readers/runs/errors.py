"""Telling whether what came back from a tool says that the call failed."""

from __future__ import annotations

import json
import re
from typing import Any, Final

MAX_JSON_CHARS: Final = 1_000_000  # a longer reply is judged by its text alone

_ERROR_KEYS: Final = ("error", "errors", "exception", "error_message", "errorMessage", "traceback", "fault")
_STATUS_KEYS: Final = ("status_code", "statusCode", "http_status", "status", "code", "response_code")
_EXIT_KEYS: Final = ("exit_code", "exitCode", "exitcode", "returncode", "return_code", "exit_status")
_BAD_STATUS: Final = ("error", "failed", "failure", "err", "exception", "timeout", "timed_out", "rejected")

_BEGINS: Final = re.compile(
    r"(?:output:|observation:|result:|stderr:|```\w*|\[|<|\"|'|\*|❌|⚠\ufe0f?|\s)*"
    r"(?:[a-z_.]{0,60}(?:error|exception)\]?\s*(?:\(|[:!>-])|errors?\b\s*(?:executing|calling|running|while|when|in|"
    r"occurred|invoking|during|code|parsing|from)\b|"
    r"an? (?:unexpected |internal )?(?:error|exception) (?:has )?occurred|"
    r"error\s*$|fatal:|failed\b|failure\b|traceback\b|execution failed|"
    r"(?:tool|command|function|request|call|script|code|execution) (?:call |execution )?(?:failed|timed out|errored)|"
    r"unable to (?:execute|run|complete|find|locate|parse|connect|access|open|read)\b|"
    r"(?:could|can) ?not (?:execute|run|find|locate|parse|connect|access|open|read|be found)\b|"
    r"(?:invalid|unknown|unrecognized|unsupported) (?:arguments?|parameters?|tool|function|command|input|request|"
    r"syntax|option|action)\b|permission denied|access denied|no such file|command not found|"
    r"unauthorized\b|forbidden\b|not found\b|bad request\b|internal server error|rate limit|too many requests|"
    r"[^\n]{0,60}\b(?:has|have) introduced [^\n]{0,30}error|tool .{1,80} not found)",
    re.IGNORECASE,
)
_EXIT: Final = re.compile(
    r"(?:exit\s?code|exit status|return code|returncode|exited with(?: code| status)?|exit_code)\s*[:=>]?\s*-?0*[1-9]",
    re.IGNORECASE,
)
_HTTP: Final = re.compile(
    r"(?:(?<![a-z])HTTP(?:/\d(?:\.\d)?)?|status(?:[ _]code)?(?: is)?|response code|code)\s*[:=]?\s*[45]\d\d(?!\d)"
    r"|(?<!\d)[45]\d\d (?:client|server) error",
    re.IGNORECASE,
)
_SHELL: Final = re.compile(
    r"(?:^|\n)(?:/?(?:usr/)?(?:bin/)?(?:ba|z|da)?sh|[a-z][\w.-]{0,30}): "
    r"[^\n]{0,200}(?:command not found|No such file or directory|Permission denied|not found|cannot [^\n]{0,40})"
    r"[^\n]{0,80}\s*\Z"
)
_RAISED: Final = re.compile(r"(?:[A-Za-z_][\w.]{0,80})?(?:Error|Exception|Exit|Interrupt|Warning|Failure)(?:: |\Z|:\Z)")
_TRACEBACK: Final = re.compile(r"(?:^|\n)\s*(?:Execution failed\. )?Traceback(?: \(most recent call last\))?:")
_LONG: Final = 4_000  # of the text, looked at on each side


def failed(value: Any, *, flag: bool | None = None) -> bool:
    """Tell whether a tool's reply says that the call failed.

    Args:
        value: The reply: a text, or a JSON value.
        flag: What the file itself says, where it says something (``is_error``); it decides.
    """
    if flag is not None:
        return flag
    if isinstance(value, str):
        stripped = value.strip()
        if stripped[:1] in ("{", "[") and len(stripped) <= MAX_JSON_CHARS:
            try:
                return _value_failed(json.loads(stripped))
            except (ValueError, RecursionError):
                pass
        return _text_failed(stripped)
    return _value_failed(value)


def _value_failed(value: Any) -> bool:
    if isinstance(value, str):
        return _text_failed(value.strip())
    if isinstance(value, list):  # a list of results failed when its only one did
        return len(value) == 1 and isinstance(value[0], dict) and _value_failed(value[0])
    if not isinstance(value, dict):
        return False
    if value.get("isError") is True or value.get("is_error") is True:
        return True
    if any(_filled(value.get(key)) for key in _ERROR_KEYS):
        return True
    if any(value.get(key) is False for key in ("success", "ok", "succeeded")):
        return True
    if any(_number(value.get(key)) not in (None, 0) for key in _EXIT_KEYS):
        return True
    for key in _STATUS_KEYS:
        status = value.get(key)
        number = _number(status)
        if number is not None and 400 <= number <= 599 and (key != "code" or "message" in value):
            return True
        if isinstance(status, str) and status.lower() in _BAD_STATUS:
            return True
    return False


def _filled(value: Any) -> bool:
    """Whether an error field holds an error, not the word that there is none."""
    if isinstance(value, str):
        return value.strip().lower() not in ("", "none", "null", "no", "false", "ok", "0", "no error")
    return bool(value)


def _number(value: Any) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 6:
        return int(value)
    return None


def _text_failed(text: str) -> bool:
    if not text:
        return False
    head, tail = text[:_LONG], text[-_LONG:]
    if _BEGINS.match(head[:300]):
        return True
    first = head[:200].partition("\n")[0]
    if _EXIT.search(first) or _HTTP.search(first[:120]):
        return True
    last = next((line for line in reversed(tail.rstrip("`\n \t").split("\n")) if line.strip()), "").strip()
    if _TRACEBACK.search(head) or _TRACEBACK.search(tail):
        if _RAISED.match(last[:200]) or _TRACEBACK.match(text) or _HTTP.search(tail):
            return True
    elif _RAISED.match(last[:200]) and len(text) < _LONG and not first.startswith(("#", "def ", "class ", "import ")):
        return True
    return bool(_EXIT.search(last[:200])) or bool(_SHELL.search(tail[-600:]))
