"""Rows as lines of JSON, and lines as rows that have been checked: types, shapes, and what the records require."""

from __future__ import annotations

import base64
import enum
import json
import math
from collections.abc import Callable, Mapping
from datetime import datetime
from types import SimpleNamespace
from typing import Any, Final

import numpy as np
import sqlalchemy as sa

from trajwiki.archive.manifest import aware
from trajwiki.domain.claims import Status
from trajwiki.domain.history import CommitKind
from trajwiki.store import tables
from trajwiki.store.practice_rows import PRACTICE_CODECS
from trajwiki.store.raw import SPACE_TABLES, columns
from trajwiki.store.rows import CODECS, Row
from trajwiki.wiki.seeds import parse_seed

INTEGER_END: Final = 2**31  # what the smallest integer column of any engine holds
VECTOR_KINDS: Final = ("message", "snapshot", "trajectory", "page")

Check = Callable[[Any], Any]  # gives the value to store; raises ValueError


def encode(row: Mapping[str, Any]) -> bytes:
    """Give a row as a line: compact JSON, times as ISO 8601, bytes as base64. The same row gives the same line."""
    plain = {name: _plain(value) for name, value in row.items()}
    return json.dumps(plain, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode() + b"\n"


def decode(table: sa.Table, line: bytes, *, older: bool = False) -> Row:
    """Give the row of a line, checked.

    Args:
        table: Where it belongs.
        line: One line, with its end.
        older: It comes from an earlier schema, which may have lacked columns that can be empty.

    Raises:
        ValueError: It is not a row of this table, or is written in another way than `encode` writes it.
    """
    try:
        values = json.loads(line)
        canonical = isinstance(values, dict) and encode(values) == line
    except RecursionError:
        raise ValueError("it is nested too deep") from None
    if not canonical:
        raise ValueError("it is not a JSON object as trajwiki writes it")
    checks = _CHECKS[table.name]
    expected = [name for name in checks if name in values or not (older and table.c[name].nullable)]
    if list(values) != expected:
        raise ValueError(f"its columns are {', '.join(values)[:200]}; expected {', '.join(checks)}")
    row = {name: _checked(name, check, values.get(name)) for name, check in checks.items()}
    if (fits := _FITS.get(table.name)) is not None:
        fits(row)
    _is_a_record(table, row)
    return row


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    return value.isoformat() if isinstance(value, datetime) else value


def _checked(name: str, check: Check, value: Any) -> Any:
    try:
        return check(value)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None


# What a column may hold.


def _text(value: Any) -> str:
    if not isinstance(value, str) or "\0" in value:
        raise ValueError("expected text without NUL characters")
    return value


def _integer(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < INTEGER_END:
        raise ValueError(f"expected a whole number from 0 to {INTEGER_END - 1}")
    return value


def _real(value: Any) -> float:
    if not isinstance(value, float) or not math.isfinite(value):
        raise ValueError("expected a number with a decimal point")
    return value


def _truth(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError("expected true or false")
    return value


def _moment(value: Any) -> datetime:
    return datetime.fromisoformat(aware(_text(value)))


def _blob(value: Any) -> bytes:
    data = base64.b64decode(_text(value), validate=True)
    if base64.b64encode(data).decode() != value:
        raise ValueError("expected canonical base64")
    return data


def _anything(value: Any) -> Any:
    return value


def _object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError("expected an object")
    return value


def _list_of(check: Check) -> Check:
    def checked(value: Any) -> list[Any]:
        if not isinstance(value, list):
            raise ValueError("expected a list")
        return [check(item) for item in value]

    return checked


def _map_of(check: Check) -> Check:
    return lambda value: {_text(name): check(item) for name, item in _object(value).items()}


def _one_of(words: type[enum.StrEnum]) -> Check:
    return lambda value: words(_text(value)).value


def _features(value: Any) -> dict[str, Any]:
    pairs = _list_of(_list_of(_text))
    shape = {"keywords": _list_of(_text), "entities": _list_of(_text), "terms": _list_of(_text), "facets": pairs}
    if list(_object(value)) != list(shape):
        raise ValueError(f"expected {', '.join(shape)}")
    if any(len(pair) != 2 for pair in pairs(value["facets"])):
        raise ValueError("expected facets of a name and a value")
    return {name: check(value[name]) for name, check in shape.items()}


_KINDS: Final[tuple[tuple[type[Any], Check], ...]] = (
    (tables.Moment, _moment),
    (tables.Json, _anything),
    (sa.Text, _text),
    (sa.Integer, _integer),
    (sa.Float, _real),
    (sa.Boolean, _truth),
    (sa.LargeBinary, _blob),
)
_SHAPES: Final[dict[tuple[str, str], Check]] = {
    ("answer", "body"): _object,
    ("claim", "entities"): _list_of(_text),
    ("claim", "terms"): _list_of(_text),
    ("claim_state", "status"): _one_of(Status),
    ("commit_log", "arguments"): _object,
    ("commit_log", "counts"): _map_of(_integer),
    ("commit_log", "kind"): _one_of(CommitKind),
    ("delivery", "body"): _object,
    ("exchange", "message_ids"): _list_of(_text),
    ("feedback", "body"): _object,
    ("message", "metadata"): _map_of(_text),
    ("page_bullet", "claim_ids"): _list_of(_text),
    ("run", "metadata"): _object,
    ("run_analysis", "body"): _object,
    ("tip", "made_from"): _list_of(_text),
    ("tip", "steps"): _list_of(_text),
    ("tip_op", "others"): _list_of(_text),
    ("snapshot", "claim_ids"): _list_of(_text),
    ("snapshot", "features"): _features,
    ("snapshot", "message_ids"): _list_of(_text),
}


def _check_of(table: sa.Table, column: sa.Column[Any]) -> Check:
    by_type = next(check for kind, check in _KINDS if isinstance(column.type, kind))
    check = _SHAPES.get((table.name, column.name), by_type)
    return (lambda value: None if value is None else check(value)) if column.nullable else check


_CHECKS: Final = {table.name: {c.name: _check_of(table, c) for c in columns(table)} for table in SPACE_TABLES}


# What a row must be beyond its columns.


def _is_a_record(table: sa.Table, row: Row) -> None:
    """Refuse a row that is no record, or another than the one it is read as."""
    codec = _CODEC_OF.get(table.name)
    if codec is None:
        return
    try:
        written = codec.to_row(codec.from_row(SimpleNamespace(**row, _mapping=row)))
    except (KeyError, TypeError, AttributeError, IndexError) as error:  # JSON of another shape
        raise ValueError(f"it does not have the shape of a {table.name}: {error}") from None
    wrong = [name for name, value in written.items() if value != row[name]]
    if wrong:
        raise ValueError(f"{wrong[0]}: it would be written as {str(written[wrong[0]])[:100]!r}")


def _commit_fits(row: Row) -> None:
    target = row["arguments"].get("commit")
    if row["kind"] == CommitKind.REVERT and not (isinstance(target, int) and 0 < target < row["n"]):
        raise ValueError("arguments: a revert names the earlier commit that it takes back")


def _claim_fits(row: Row) -> None:
    if (row["facet"] is None) != (row["value"] is None):
        raise ValueError("facet: a relation has a value")


def _page_fits(row: Row) -> None:
    if parse_seed(row["seed"]).type != row["type"]:
        raise ValueError("seed: it is of another type of page")


def _vector_fits(row: Row) -> None:
    if row["kind"] not in VECTOR_KINDS:
        raise ValueError(f"kind: expected one of {', '.join(VECTOR_KINDS)}")
    _numbers_fit(row)


def _numbers_fit(row: Row) -> None:
    if len(row["data"]) % 4 or not np.isfinite(np.frombuffer(row["data"], dtype="<f4")).all():
        raise ValueError("data: expected finite numbers of 4 bytes")


_CODEC_OF: Final = {codec.table.name: codec for codec in (*CODECS, *PRACTICE_CODECS)}
_FITS: Final[dict[str, Callable[[Row], None]]] = {
    "claim": _claim_fits,
    "commit_log": _commit_fits,
    "page": _page_fits,
    "tip_vector": _numbers_fit,
    "vector": _vector_fits,
}
