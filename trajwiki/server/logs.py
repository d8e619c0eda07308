"""Logs as JSON lines: what was asked for and how it went, never what was said."""

from __future__ import annotations

import json
import logging
import sys
import traceback
from datetime import UTC, datetime
from typing import Final

LOGGER: Final = logging.getLogger("trajwiki.server")


class JsonLines(logging.Formatter):
    """One JSON object a line. Of an error only its kind and the places in the code: its words may quote a message."""

    def format(self, record: logging.LogRecord) -> str:
        """Give the line."""
        row: dict[str, object] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "event": record.getMessage(),
            **getattr(record, "fields", {}),
        }
        if record.exc_info and record.exc_info[1] is not None:
            error = record.exc_info[1]
            row["error"] = type(error).__qualname__
            row["places"] = [
                f"{f.filename}:{f.lineno} {f.name}" for f in traceback.extract_tb(error.__traceback__)[-8:]
            ]
        return json.dumps(row, ensure_ascii=True)


def set_up(level: str = "INFO") -> None:
    """Send the logs of the server, and of the HTTP library under it, to standard error as JSON lines."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    for name in (LOGGER.name, "uvicorn", "uvicorn.error"):
        logger = logging.getLogger(name)
        logger.handlers = [handler]
        logger.propagate = False
        logger.setLevel(level)
    logging.getLogger("uvicorn.access").disabled = True  # its lines hold paths, and so names


def log(event: str, *, level: int = logging.INFO, error: BaseException | None = None, **fields: object) -> None:
    """Log an event with fields."""
    given = {name: value for name, value in fields.items() if value is not None}
    LOGGER.log(level, event, extra={"fields": given}, exc_info=error)
