"""The tables, once, for every database.

Every primary key begins with `space_id`. Records that never change carry `since`, the commit that made them;
records that can stop being current carry `[since, until)` as well. Ids of parents are columns of the child, so
what an item stands on is always one look-up away (domain/derivation.py walks it).
"""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.types import TypeDecorator

metadata = sa.MetaData(
    naming_convention={"ix": "ix_%(table_name)s_%(column_0_N_name)s", "pk": "pk_%(table_name)s"},
)


class Json(TypeDecorator[Any]):
    """A list or object as compact JSON text: the same bytes on every engine."""

    impl = sa.Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: sa.Dialect) -> str:
        """Give the text to store."""
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))

    def process_result_value(self, value: str | None, dialect: sa.Dialect) -> Any:
        """Give the value behind stored text."""
        return None if value is None else json.loads(value)


class Moment(TypeDecorator[datetime]):
    """An aware time as ISO 8601 text with the offset it came with."""

    impl = sa.Text
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: sa.Dialect) -> str | None:
        """Give the text to store. Raises ValueError for a naive time, which no border may let in."""
        if value is not None and value.tzinfo is None:
            raise ValueError("a time without a zone reached the store")
        return None if value is None else value.isoformat()

    def process_result_value(self, value: str | None, dialect: sa.Dialect) -> datetime | None:
        """Give the time behind stored text."""
        return None if value is None else datetime.fromisoformat(value)


def _table(name: str, *columns: sa.Column[Any], ends: bool = False, again: bool = False) -> sa.Table:
    """Make a table of records of a space.

    Args:
        name: Of the table.
        columns: After `space_id`.
        ends: The record can stop being current: it gets `until`.
        again: The same key can begin anew in a later commit: `since` is part of the key.
    """
    life = [sa.Column("since", sa.Integer, nullable=False, primary_key=again, autoincrement=False)]
    if ends:
        life.append(sa.Column("until", sa.Integer))
    table = sa.Table(name, metadata, sa.Column("space_id", sa.Text, primary_key=True), *columns, *life)
    sa.Index(None, table.c.space_id, table.c.since)
    if ends:
        sa.Index(None, table.c.space_id, table.c.until)
    return table


def _key(name: str, kind: type[sa.types.TypeEngine[Any]] = sa.Text) -> sa.Column[Any]:
    return sa.Column(name, kind, primary_key=True)


def _col(name: str, kind: Any = sa.Text, *, optional: bool = False) -> sa.Column[Any]:
    return sa.Column(name, kind, nullable=optional)


space = sa.Table(
    "space",
    metadata,
    sa.Column("space_id", sa.Text, primary_key=True),
    sa.Column("name", sa.Text, nullable=False, unique=True),
    sa.Column("created", Moment, nullable=False),
    sa.Column("embedder", sa.Text, nullable=False),
    sa.Column("dimension", sa.Integer, nullable=False),
    sa.Column("head", sa.Integer, nullable=False),
)
space_setting = sa.Table(
    "space_setting",
    metadata,
    sa.Column("space_id", sa.Text, primary_key=True),
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("value", Json, nullable=False),
)
commit = sa.Table(
    "commit_log",  # `commit` is a reserved word
    metadata,
    sa.Column("space_id", sa.Text, primary_key=True),
    sa.Column("n", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("at", Moment, nullable=False),
    sa.Column("actor", sa.Text, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("note", sa.Text, nullable=False),
    sa.Column("counts", Json, nullable=False),
    sa.Column("arguments", Json, nullable=False),
)
message = _table(
    "message",
    _key("id"),
    _key("revision", sa.Integer),
    _col("ordinal", sa.Integer),
    _col("source_ref"),
    _col("source"),
    _col("session"),
    _col("speaker"),
    _col("role"),
    _col("text"),
    _col("caption", optional=True),
    _col("sent_at", Moment, optional=True),
    _col("metadata", Json),
)
exchange = _table(
    "exchange", _key("id"), _col("ordinal", sa.Integer), _col("session"), _col("message_ids", Json), _col("closed_by")
)
snapshot = _table(
    "snapshot",
    _key("id"),
    _col("ordinal", sa.Integer),
    _col("exchange_id"),
    _col("message_ids", Json),
    _col("summary"),
    _col("context"),
    _col("features", Json),
    _col("claim_ids", Json),
)
claim = _table(
    "claim",
    _key("id"),
    _col("ordinal", sa.Integer),
    _col("text"),
    _col("subject"),
    _col("kind"),
    _col("facet", optional=True),
    _col("value", optional=True),
    _col("valid_start", optional=True),
    _col("valid_end", optional=True),
    _col("precision", optional=True),
    _col("entities", Json),
    _col("terms", Json),
    _col("negated", sa.Boolean),
    _col("instruction_like", sa.Boolean),
)
claim_source = _table(
    "claim_source",
    _key("claim_id"),
    _key("snapshot_id"),
    _key("message_id"),
    _key("start", sa.Integer),
    _col("quote"),
    _col("ordinal", sa.Integer),
)
claim_op = _table(
    "claim_op",
    _key("id"),
    _col("ordinal", sa.Integer),
    _col("op"),
    _col("claim_id"),
    _col("status"),
    _col("replaces", optional=True),
    _col("cause"),
    _col("decided_by"),
    _col("reason"),
    _col("heard_at", Moment, optional=True),
)
claim_state = _table(
    "claim_state", _key("claim_id"), _key("op_ordinal", sa.Integer), _col("status"), _col("op_id"), ends=True
)
trajectory = _table("trajectory", _key("id"), _col("ordinal", sa.Integer), _col("continues", optional=True))
trajectory_member = _table(
    "trajectory_member",
    _key("trajectory_id"),
    _key("ordinal", sa.Integer),
    _col("snapshot_id"),
    _col("score", sa.Float),
    _col("decided_by"),
)
trajectory_version = _table(
    "trajectory_version", _key("trajectory_id"), _key("ordinal", sa.Integer), _col("title"), _col("summary"), again=True
)
page = _table("page", _key("id"), _col("slug"), _col("type"), _col("seed"), ends=True, again=True)
page_link = _table(
    "page_link",
    _key("page_id"),
    _key("trajectory_id"),
    ends=True,
    again=True,
)
page_bullet = _table(
    "page_bullet",
    _key("page_id"),
    _key("section"),
    _key("ordinal", sa.Integer),
    _col("text"),
    _col("claim_ids", Json),
    _col("trajectory_id", optional=True),
    ends=True,
    again=True,
)
vector = _table("vector", _key("kind"), _key("item_id"), _col("data", sa.LargeBinary), again=True)
answer = sa.Table(
    "answer",
    metadata,
    sa.Column("space_id", sa.Text, primary_key=True),
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("at", Moment, nullable=False),
    sa.Column("head", sa.Integer, nullable=False),
    sa.Column("body", Json, nullable=False),
)
message_use = sa.Table(  # outlives the answers, which an erasure drops
    "message_use",
    metadata,
    sa.Column("space_id", sa.Text, primary_key=True),
    sa.Column("source_ref", sa.Text, primary_key=True),
    sa.Column("at", Moment, nullable=False),
)
vector_next = sa.Table(  # vectors of another model, until all are there
    "vector_next",
    metadata,
    sa.Column("space_id", sa.Text, primary_key=True),
    sa.Column("model", sa.Text, primary_key=True),
    sa.Column("kind", sa.Text, primary_key=True),
    sa.Column("item_id", sa.Text, primary_key=True),
    sa.Column("since", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("practice", sa.Boolean, nullable=False),
    sa.Column("data", sa.LargeBinary, nullable=False),
)

# Procedural memory.

run = _table(
    "run",
    _key("id"),
    _col("ordinal", sa.Integer),
    _col("source_ref"),
    _col("source"),
    _col("task"),
    _col("steps", Json),
    _col("app", optional=True),
    _col("agent", optional=True),
    _col("outcome"),
    _col("outcome_by"),
    _col("outcome_note"),
    _col("task_ref", optional=True),
    _col("parent_ref", optional=True),
    _col("metadata", Json),
)
run_raw = sa.Table(  # large, and read only when someone asks for it
    "run_raw",
    metadata,
    sa.Column("space_id", sa.Text, primary_key=True),
    sa.Column("run_id", sa.Text, primary_key=True),
    sa.Column("text", sa.Text, nullable=False),
)
run_analysis = _table("run_analysis", _key("run_id"), _col("body", Json))
tip = _table(
    "tip",
    _key("id"),
    _col("ordinal", sa.Integer),
    _col("category"),
    _col("content"),
    _col("purpose"),
    _col("steps", Json),
    _col("trigger"),
    _col("negative_example", optional=True),
    _col("priority"),
    _col("app", optional=True),
    _col("task_category"),
    _col("granularity"),
    _col("scope"),
    _col("description"),
    _col("sources", Json),
    _col("made_from", Json),
    _col("decided_by"),
    _col("instruction_like", sa.Boolean),
)
tip_op = _table(
    "tip_op",
    _key("id"),
    _col("ordinal", sa.Integer),
    _col("verb"),
    _col("tip_id"),
    _col("state"),
    _col("others", Json),
    _col("actor"),
    _col("reason"),
    _col("at", Moment),
)
tip_vector = _table("tip_vector", _key("kind"), _key("item_id"), _col("data", sa.LargeBinary), again=True)


def _record(name: str, *columns: sa.Column[Any]) -> sa.Table:
    """Make a table of records that are no part of the history: what was asked and given."""
    table = sa.Table(
        name,
        metadata,
        sa.Column("space_id", sa.Text, primary_key=True),
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("at", Moment, nullable=False),
        *columns,
    )
    sa.Index(None, table.c.space_id, table.c.at)
    return table


delivery = _record("delivery", sa.Column("body", Json, nullable=False))
feedback = _record(
    "feedback", sa.Column("delivery_id", sa.Text, nullable=False), sa.Column("body", Json, nullable=False)
)

# The server: keys, operations that outlive their request, and keys of requests that may come twice.

api_key = sa.Table(
    "api_key",
    metadata,
    sa.Column("space_id", sa.Text, primary_key=True),  # or "*": all spaces
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("hash", sa.Text, nullable=False, index=True),
    sa.Column("label", sa.Text, nullable=False),
    sa.Column("scope", sa.Text, nullable=False),
    sa.Column("created", Moment, nullable=False),
    sa.Column("expires", Moment),
    sa.Column("revoked", Moment),
    sa.Column("last_used", Moment),
)
operation = sa.Table(
    "operation",
    metadata,
    sa.Column("space_id", sa.Text, primary_key=True),
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("actor", sa.Text, nullable=False),
    sa.Column("status", sa.Text, nullable=False, index=True),
    sa.Column("created", Moment, nullable=False),
    sa.Column("changed", Moment, nullable=False),
    sa.Column("holder", sa.Text),  # the process that runs it
    sa.Column("done", sa.Integer, nullable=False),
    sa.Column("total", sa.Integer, nullable=False),
    sa.Column("request", sa.Text),  # JSON; gone when it has ended
    sa.Column("result", Json),
    sa.Column("error", Json),
)
request_key = sa.Table(
    "request_key",
    metadata,
    sa.Column("space_id", sa.Text, primary_key=True),
    sa.Column("key", sa.Text, primary_key=True),
    sa.Column("operation_id", sa.Text, nullable=False),
    sa.Column("fingerprint", sa.Text, nullable=False),
    sa.Column("at", Moment, nullable=False, index=True),
)


# Model mode: kept replies, and the ledger of what was asked. Records of a space that are no part of its history.

model_reply = sa.Table(
    "model_reply",
    metadata,
    sa.Column("space_id", sa.Text, primary_key=True),
    sa.Column("key", sa.Text, primary_key=True),
    sa.Column("model", sa.Text, primary_key=True),
    sa.Column("n", sa.Integer, nullable=False),  # order of arrival in the space
    sa.Column("purpose", sa.Text, nullable=False),
    sa.Column("body", Json, nullable=False),
)
ledger = sa.Table(
    "ledger",
    metadata,
    sa.Column("space_id", sa.Text, primary_key=True),
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("n", sa.Integer, nullable=False),  # order of arrival in the space
    sa.Column("at", Moment, nullable=False),
    sa.Column("phase", sa.Text, nullable=False),
    sa.Column("purpose", sa.Text, nullable=False),
    sa.Column("model", sa.Text, nullable=False),
    sa.Column("endpoint", sa.Text, nullable=False),
    sa.Column("prompt", sa.Text, nullable=False),
    sa.Column("mode", sa.Text, nullable=False),
    sa.Column("outcome", sa.Text, nullable=False),
    sa.Column("code", sa.Text, nullable=False),
    sa.Column("times", sa.Integer, nullable=False),
    sa.Column("requests", sa.Integer, nullable=False),
    sa.Column("tokens_in", sa.Integer, nullable=False),
    sa.Column("tokens_out", sa.Integer, nullable=False),
    sa.Column("latency_ms", sa.Integer, nullable=False),
)
sa.Index(None, ledger.c.space_id, ledger.c.n)
