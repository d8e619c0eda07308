"""How often one caller may ask: a token bucket each."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Final

from trajwiki.server.problems import TooMany

KEPT: Final = 10_000  # callers remembered; one that is forgotten begins with a full bucket


class Buckets:
    """A bucket of tokens for each caller: a request takes one, and they come back with time.

    Args:
        rate: Tokens a second; 0: nobody is held back.
        burst: Tokens of a full bucket.
        clock: Seconds, from anywhere.
    """

    def __init__(self, rate: float, burst: int, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate = rate
        self._burst = float(burst)
        self._clock = clock
        self._held: OrderedDict[str, tuple[float, float]] = OrderedDict()  # tokens, when; least recently used first
        self._lock = threading.Lock()

    def take(self, caller: str) -> None:
        """Take a token of a caller. Raises TooMany when there is none."""
        if not self._rate:
            return
        now = self._clock()
        with self._lock:
            tokens, then = self._held.pop(caller, (self._burst, now))
            tokens = min(self._burst, tokens + (now - then) * self._rate)
            self._held[caller] = (tokens - 1 if tokens >= 1 else tokens, now)
            if len(self._held) > KEPT:
                self._held.popitem(last=False)
        if tokens < 1:
            wait = (1 - tokens) / self._rate
            raise TooMany(f"too many requests: at most {self._rate:g} a second", retry_after=wait)
