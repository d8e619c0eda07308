"""A bounded number of things kept in memory: what was used least recently is dropped first."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Kept(Generic[K, V]):
    """Things by key. Threads may share it; who holds a thing may go on using it after it was dropped.

    Args:
        size: How many are kept.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._things: dict[K, V] = {}
        self._lock = threading.Lock()

    def get(self, key: K) -> V | None:
        """Give a thing, and note that it was used."""
        with self._lock:
            found = self._things.pop(key, None)
            if found is not None:
                self._things[key] = found
            return found

    def put(self, key: K, thing: V) -> V:
        """Keep a thing, and give it."""
        with self._lock:
            self._things.pop(key, None)
            self._things[key] = thing
            while len(self._things) > self._size:
                del self._things[next(iter(self._things))]
            return thing

    def drop(self, which: Callable[[K], bool]) -> None:
        """Drop the things whose key is meant."""
        with self._lock:
            for key in [k for k in self._things if which(k)]:
                del self._things[key]
