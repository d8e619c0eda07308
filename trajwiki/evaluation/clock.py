"""Time and memory of a run, by stage.

The stages do not time themselves. For a measurement a clock stands between `trajwiki.construction` and what it calls;
it is there only while a benchmark asks for it, and nothing else in the product knows of it.
"""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from trajwiki import construction, live
from trajwiki.models.embedding import Embedder
from trajwiki.store import spaces

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

# What a stage is made of: attributes of modules and classes that are timed together.
_STAGES: Final[dict[str, tuple[tuple[object, str], ...]]] = {
    "intake": ((construction, "identify"),),
    "extraction": ((construction, "extract_claims"),),
    "evolution": ((construction, "evolve"),),
    "snapshots": ((construction, "make_snapshot"), (construction, "embedded_text")),
    "matching": ((construction, "candidates"),),
    "summaries": ((construction, "summarise"), (construction, "retrieval_text")),
    "placement": ((construction, "place"),),
    "pages": ((construction, "touched_pages"), (construction, "compile_bullets"), (construction, "routing_text")),
    "indexing": ((live.LiveSpace, "apply"),),
    "storing": ((spaces.Writing, "write"),),
}


@dataclass(slots=True)
class StageClock:
    """Seconds by stage; `embedding` among them when the embedder is a TimedEmbedder."""

    seconds: dict[str, float] = field(default_factory=dict)

    def timed(self, stage: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """Give the function with its time added to the stage."""

        def wrapper(*args: Any, **kwargs: Any) -> Any:
            start = time.perf_counter()
            try:
                return function(*args, **kwargs)
            finally:
                self.seconds[stage] = self.seconds.get(stage, 0.0) + time.perf_counter() - start

        return wrapper

    def by_stage(self, total: float) -> dict[str, float]:
        """Give seconds by stage, longest first, and what is left of the total as `other`."""
        rows = sorted(self.seconds.items(), key=lambda item: -item[1])
        rows.append(("other", max(0.0, total - sum(self.seconds.values()))))
        return {stage: round(seconds, 3) for stage, seconds in rows}


class TimedEmbedder:
    """An embedder whose time is added to a clock."""

    def __init__(self, embedder: Embedder, clock: StageClock) -> None:
        self.name = embedder.name
        self.dimension = embedder.dimension
        self._embed = clock.timed("embedding", embedder.embed)

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """Give unit vectors; see Embedder."""
        rows: np.ndarray = self._embed(texts)
        return rows


@contextlib.contextmanager
def standing_between(clock: StageClock) -> Iterator[None]:
    """Time the stages of construction while the block runs. One at a time in a process."""
    kept: list[tuple[object, str, Any]] = []
    try:
        for stage, parts in _STAGES.items():
            for owner, name in parts:
                function = getattr(owner, name)
                kept.append((owner, name, function))
                setattr(owner, name, clock.timed(stage, function))
        yield
    finally:
        for owner, name, function in reversed(kept):
            setattr(owner, name, function)


def peak_memory_mb() -> float | None:
    """Give the most memory this process has held so far, in MiB; None where the system does not say."""
    if resource is None:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return round(peak / (1 << 20 if sys.platform == "darwin" else 1 << 10), 1)
