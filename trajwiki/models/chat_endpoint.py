"""Chat models at any OpenAI-compatible endpoint: bounded retries, Retry-After, errors without keys."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final
from urllib.parse import urlsplit, urlunsplit

from trajwiki.errors import EnvironmentFailure, MissingExtra
from trajwiki.models.chat import Completion, Mode, Request, Spent
from trajwiki.models.failures import EndpointRefused, EndpointUnavailable, ModelFailure, RequestRefused

FIRST_WAIT: Final = 0.5  # seconds; doubles with every retry
MAX_WAIT: Final = 60.0  # seconds that an endpoint may ask to wait
MAX_REPLY: Final = 400_000  # characters that are looked at
OPENAI: Final = "https://api.openai.com/v1"
_RETRIED: Final = frozenset({408, 409, 425, 429})
_REFUSES_ALL: Final = frozenset({401, 402, 403, 404, 405, 407})
_HIDDEN: Final = "[key]"


class EndpointChat:
    """A chat model behind an endpoint. Threads may share it.

    Args:
        model: As the endpoint names it.
        base_url: Of the endpoint; None: OpenAI's own.
        api_key: None: from OPENAI_API_KEY; servers without keys take any word.
        temperature: Of sampling; left out once the endpoint refuses it.
        timeout: Seconds without an answer.
        retries: After the first request.
        sleep: Waits so many seconds.

    Raises:
        MissingExtra: The client is not installed.
        EnvironmentFailure: OpenAI's own endpoint is meant and there is no key.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        temperature: float = 0.0,
        timeout: float = 120.0,
        retries: int = 4,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        try:
            import openai
        except ImportError as error:
            raise MissingExtra("chat models need an extra: pip install 'trajwiki[openai]'") from error
        self._openai = openai
        self._key = api_key or os.environ.get("OPENAI_API_KEY") or ""
        if not self._key and base_url is None:
            raise EnvironmentFailure(
                "a chat model at OpenAI needs OPENAI_API_KEY; for another endpoint give --base-url"
            )
        self._client = openai.OpenAI(
            base_url=base_url or OPENAI, api_key=self._key or "none", max_retries=0, timeout=timeout
        )
        self.name = model
        self.endpoint = shown(base_url or OPENAI)
        self.best_mode = Mode.JSON_SCHEMA
        self._temperature: float | None = temperature
        self._limit_name = "max_tokens"
        self._retries = retries
        self._sleep = sleep

    def complete(self, request: Request, spent: Spent) -> Completion:
        """Give a completion; see Chat."""
        begun = time.perf_counter()
        try:
            return self._retried(request, spent)
        finally:
            spent.seconds += time.perf_counter() - begun

    def _retried(self, request: Request, spent: Spent) -> Completion:
        retries = quirks = 0
        while True:
            spent.requests += 1
            try:
                return self._once(request, spent)
            except self._openai.APIStatusError as error:
                if quirks < 2 and self._yields(error):
                    quirks += 1
                    continue
                wait = self._wait_after(error, retries)
                reason = f"answered {error.status_code}{self._words_of(error)}"
                if wait is None:
                    raise self._status_failure(error.status_code, reason) from None
            except self._openai.APITimeoutError:
                wait, reason = self._backoff(retries), f"gave no answer within {self._client.timeout:g} s"
            except self._openai.APIConnectionError as error:
                cause = type(error.__cause__ or error).__name__
                wait, reason = self._backoff(retries), f"cannot be reached ({cause})"
            except (self._openai.OpenAIError, ValueError, TypeError, AttributeError) as error:
                wait, reason = self._backoff(retries), f"answered what is no chat completion ({type(error).__name__})"
            if wait is None or retries >= self._retries:
                times = f"{retries + 1} requests" if retries else "1 request"
                raise EndpointUnavailable(f"{self.name} at {self.endpoint} {reason}, after {times}") from None
            retries += 1
            self._sleep(wait)

    def _once(self, request: Request, spent: Spent) -> Completion:
        options: dict[str, Any] = {self._limit_name: request.max_tokens}
        if self._temperature is not None:
            options["temperature"] = self._temperature
        if request.mode is Mode.JSON_SCHEMA:
            shape = {"name": request.name, "strict": True, "schema": request.schema}
            options["response_format"] = {"type": "json_schema", "json_schema": shape}
        elif request.mode is Mode.JSON_OBJECT:
            options["response_format"] = {"type": "json_object"}
        reply = self._client.chat.completions.create(
            model=self.name,
            messages=[{"role": "system", "content": request.system}, {"role": "user", "content": request.user}],
            **options,
        )
        done = self._completion(reply, request)
        spent.tokens_in += done.tokens_in
        spent.tokens_out += done.tokens_out
        return done

    def _completion(self, reply: Any, request: Request) -> Completion:
        """Read a reply, which may be anything. Raises ValueError, TypeError or AttributeError when it is none."""
        choices = reply.choices
        if not isinstance(choices, list) or not choices:
            raise ValueError("no choices")
        message = choices[0].message
        text = message.content
        if text is None:
            text = ""
        if not isinstance(text, str):
            raise TypeError("content is no text")
        text = self._without_key(text[:MAX_REPLY])
        usage = getattr(reply, "usage", None)
        return Completion(
            text=text,
            tokens_in=_count(getattr(usage, "prompt_tokens", None), f"{request.system} {request.user}"),
            tokens_out=_count(getattr(usage, "completion_tokens", None), text),
            truncated=choices[0].finish_reason == "length",
        )

    # Refusals.

    def _yields(self, error: Any) -> bool:
        """Leave out an option that the endpoint says it does not know; tells whether there was one."""
        if error.status_code not in (400, 422):
            return False
        said = _said(error).lower()
        if "max_completion_tokens" in said and self._limit_name == "max_tokens":
            self._limit_name = "max_completion_tokens"
            return True
        if "temperature" in said and self._temperature is not None:
            self._temperature = None
            return True
        return False

    def _wait_after(self, error: Any, retries: int) -> float | None:
        """Give how long to wait before a retry; None: there is no use in one."""
        if error.status_code not in _RETRIED and error.status_code < 500:
            return None
        if error.status_code == 501:  # not implemented
            return None
        asked = _retry_after(error.response.headers)
        if asked is None:
            return self._backoff(retries)
        return asked if asked <= MAX_WAIT else None

    def _backoff(self, retries: int) -> float:
        return min(FIRST_WAIT * 2.0**retries, MAX_WAIT)

    def _status_failure(self, status: int, reason: str) -> ModelFailure:
        message = f"{self.name} at {self.endpoint} {reason}"
        if status in _REFUSES_ALL:
            return EndpointRefused(f"{message}; check model, base URL and key")
        if status in _RETRIED or (status >= 500 and status != 501):
            return EndpointUnavailable(f"{message}, and asks to wait longer than {MAX_WAIT:g} s")
        return RequestRefused(message)

    def _words_of(self, error: Any) -> str:
        said = " ".join(self._without_key(_said(error)).split())
        return f" ({said[:200]})" if said else ""

    def _without_key(self, text: str) -> str:
        return text.replace(self._key, _HIDDEN) if len(self._key) >= 4 else text


def shown(url: str) -> str:
    """Give a URL without user name, password, query and fragment."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    host = f"[{host}]" if ":" in host else host
    try:
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        port = ""
    return urlunsplit((parts.scheme, host + port, parts.path.rstrip("/"), "", ""))


def _said(error: Any) -> str:
    body = getattr(error, "body", None)
    if isinstance(body, dict):
        inner = body.get("error", body)
        message = inner.get("message") if isinstance(inner, dict) else inner
        return str(message or "")
    return str(body or "")


def _retry_after(headers: Any) -> float | None:
    """Give the seconds that an answer asks to wait, or None when it does not say."""
    if (milliseconds := _number(headers.get("retry-after-ms"))) is not None:
        return milliseconds / 1000
    said = headers.get("retry-after")
    if (seconds := _number(said)) is not None:
        return seconds
    try:
        return max(0.0, (parsedate_to_datetime(said) - datetime.now(UTC)).total_seconds()) if said else None
    except (ValueError, TypeError):
        return None


def _number(text: str | None) -> float | None:
    try:
        value = float(text) if text else math.nan
    except ValueError:
        return None
    return value if math.isfinite(value) and value >= 0 else None


def _count(said: Any, text: str) -> int:
    """Give the tokens of a text as the endpoint says, unless that cannot be; then its words."""
    words = len(text.split())
    return said if isinstance(said, int) and 0 < said <= 1_000 + 4 * len(text) else words
