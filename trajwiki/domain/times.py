"""The time a statement speaks of, which is not the time it was said."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from datetime import date, datetime


class Precision(enum.StrEnum):
    """How sharply a time span is known: the grain of the words it came from."""

    DAY = "day"
    WEEKEND = "weekend"
    WEEK = "week"
    MONTH = "month"
    SEASON = "season"
    YEAR = "year"
    DECADE = "decade"
    SPAN = "span"  # a stated range, or one open at an end: "since March", "until June"
    APPROXIMATE = "approximate"  # "a few weeks ago", "recently": a window, not a grain


@dataclass(frozen=True, slots=True, order=True)
class TimeSpan:
    """An interval of days, both ends included; None is an open end.

    Attributes:
        start: The first day, or None when it began at an unknown time.
        end: The last day, or None when it goes on.
        precision: The grain of the words.
    """

    start: date | None
    end: date | None
    precision: Precision

    def __post_init__(self) -> None:
        if self.start is None and self.end is None:
            raise ValueError("a time span needs at least one end")
        if self.start and self.end and self.start > self.end:
            raise ValueError(f"a time span ends before it starts: {self.start} > {self.end}")

    def contains(self, day: date) -> bool:
        """Tell whether the day lies in the span."""
        return (self.start is None or self.start <= day) and (self.end is None or day <= self.end)

    def iso(self) -> str:
        """Give the span in ISO 8601 words: ``2023-05-07``, ``2023-05-15/2023-05-21``, ``2023-03-01/..``."""
        if self.start == self.end:
            return str(self.start)
        return f"{self.start or '..'}/{self.end or '..'}"


def day_of(moment: datetime | None) -> date | None:
    """Give the day of a moment in the zone it came with, or None."""
    return moment.date() if moment is not None else None
