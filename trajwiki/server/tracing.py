"""OpenTelemetry spans of requests and stages, for a process in which a tracer provider is set up."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from trajwiki.errors import MissingExtra

NANO = 1_000_000


class Tracing:
    """Makes spans, or nothing when it is off."""

    def __init__(self, *, on: bool) -> None:
        self._tracer: Any = None
        if on:
            try:
                from opentelemetry import trace
            except ImportError as error:
                raise MissingExtra("tracing needs opentelemetry: pip install 'trajwiki[otel]'") from error
            self._tracer = trace.get_tracer("trajwiki")

    @contextmanager
    def request(self, method: str, request_id: str) -> Iterator[Any]:
        """Make a span of a request; gives it, or None."""
        if self._tracer is None:
            yield None
            return
        with self._tracer.start_as_current_span(f"{method}", attributes={"trajwiki.request_id": request_id}) as span:
            yield span

    def stages(self, timings_ms: Mapping[str, float]) -> None:
        """Make spans of stages that have just run one after another."""
        if self._tracer is None:
            return
        end = time.time_ns()
        start = end - int(sum(timings_ms.values()) * NANO)
        for stage, milliseconds in timings_ms.items():
            span = self._tracer.start_span(f"stage {stage}", start_time=start)
            start += int(milliseconds * NANO)
            span.end(end_time=start)
