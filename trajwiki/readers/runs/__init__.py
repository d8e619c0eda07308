"""Files of agent runs into runs: one module a format, one list of them, and the functions that read any."""

from trajwiki.readers.runs.base import RunCounts, RunEvent, RunFormat, RunReading
from trajwiki.readers.runs.own import run_to_json
from trajwiki.readers.runs.reading import detect_runs, read_runs, run_format_named, run_formats, stream_runs
from trajwiki.readers.runs.to_chatml import to_chatml

__all__ = [
    "RunCounts",
    "RunEvent",
    "RunFormat",
    "RunReading",
    "detect_runs",
    "read_runs",
    "run_format_named",
    "run_formats",
    "run_to_json",
    "stream_runs",
    "to_chatml",
]
