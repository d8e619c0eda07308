"""Chat files into messages: one module a format, one list of them, and the functions that read any."""

from trajwiki.readers.base import (
    Confidence,
    Counts,
    Event,
    Head,
    Options,
    ReaderFormat,
    Reading,
    Record,
    Skipped,
)
from trajwiki.readers.formats import FORMATS
from trajwiki.readers.jsonl import write_jsonl
from trajwiki.readers.reading import check, detect, format_named, formats, read_all, stream

__all__ = [
    "FORMATS",
    "Confidence",
    "Counts",
    "Event",
    "Head",
    "Options",
    "ReaderFormat",
    "Reading",
    "Record",
    "Skipped",
    "check",
    "detect",
    "format_named",
    "formats",
    "read_all",
    "stream",
    "write_jsonl",
]
