"""Figures for Prometheus: requests, stages, operations, and the process. No name of a space is a label."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.multiprocess import MultiProcessCollector

__all__ = ["CONTENT_TYPE_LATEST", "Metrics"]

SHARED: Final = "PROMETHEUS_MULTIPROC_DIR"  # names the folder in which several processes keep their figures
SECONDS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


class Metrics:
    """The figures of one app."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        names = ("method", "route", "status")
        self.requests = Counter("trajwiki_requests", "Requests that were answered.", names, registry=self.registry)
        self.seconds = Histogram(
            "trajwiki_request_seconds",
            "Time from the first byte in to the last byte out.",
            ("method", "route"),
            buckets=SECONDS,
            registry=self.registry,
        )
        self.in_hand = Gauge(
            "trajwiki_requests_in_hand",
            "Requests being answered.",
            multiprocess_mode="livesum",
            registry=self.registry,
        )
        self.stages = Histogram(
            "trajwiki_stage_seconds", "Time of a stage of recall.", ("stage",), buckets=SECONDS, registry=self.registry
        )
        self.messages = Counter("trajwiki_messages", "Messages stored.", registry=self.registry)
        self.operations = Counter(
            "trajwiki_operations", "Operations that ended.", ("kind", "status"), registry=self.registry
        )

    def recalled(self, timings_ms: Mapping[str, float]) -> None:
        """Take the timings of a recall."""
        for stage, milliseconds in timings_ms.items():
            self.stages.labels(stage).observe(milliseconds / 1000)

    def text(self) -> bytes:
        """Give all figures in Prometheus's format."""
        if SHARED not in os.environ:
            return generate_latest(self.registry)
        together = CollectorRegistry()  # of all processes, by way of files
        MultiProcessCollector(together)  # type: ignore[no-untyped-call]
        return generate_latest(together)
