"""Rows of a space as they are stored: for archives, which keep what records leave out, and for repairs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np
import sqlalchemy as sa

from trajwiki.domain.history import Commit
from trajwiki.domain.practice import PracticeChange
from trajwiki.domain.state import Change
from trajwiki.errors import UnknownSpace
from trajwiki.store import tables
from trajwiki.store.rows import Row
from trajwiki.store.spaces import SpaceInfo, SpaceStore, Writing, space_info

PASSING: Final = {"api_key", "ledger", "model_reply", "operation", "request_key", "vector_next"}
"""What no archive keeps: work in progress, caches, costs, and who may come in."""
ROWS_AT_ONCE: Final = 200  # in memory, at most: a row may hold a message of a million characters
SPACE_TABLES: Final = tuple(
    table
    for name, table in sorted(tables.metadata.tables.items())
    if "space_id" in table.c and table is not tables.space and name not in PASSING
)


def columns(table: sa.Table) -> list[sa.Column[Any]]:
    """Give the columns of a table without `space_id`."""
    return [column for column in table.c if column.name != "space_id"]


def key_names(table: sa.Table) -> list[str]:
    """Give the names of the key columns without `space_id`."""
    return [column.name for column in table.primary_key if column.name != "space_id"]


def read_space(connection: sa.Connection, name: str) -> SpaceInfo | None:
    """Find a space by name."""
    t = tables.space
    row = connection.execute(sa.select(t).where(t.c.name == name)).one_or_none()
    return space_info(row) if row else None


def required_space(connection: sa.Connection, name: str) -> SpaceInfo:
    """Find a space by name. Raises UnknownSpace."""
    info = read_space(connection, name)
    if info is None:
        raise UnknownSpace(f"there is no space named {name!r}")
    return info


def read_change(connection: sa.Connection, info: SpaceInfo) -> Change:
    """Give the records of a space that stand at its head, as one change from nothing."""
    return Writing(connection, info.id, info.head).load(after=0)


def read_practice(connection: sa.Connection, info: SpaceInfo) -> PracticeChange:
    """Give the runs and tips of a space, as one change from nothing."""
    return Writing(connection, info.id, info.head).load_practice(after=0)


def read_commits(connection: sa.Connection, info: SpaceInfo) -> list[Commit]:
    """List the commits of a space, oldest first."""
    return Writing(connection, info.id, info.head).commits()


def read_rows(connection: sa.Connection, table: sa.Table, space_id: str) -> Iterator[Row]:
    """Give all rows of a space in a table, also of what has ended, without `space_id`.

    They come a few at a time, in the order of the key: texts by code point, on every engine.
    """
    order = [_by_code_point(connection, table.c[name]) for name in key_names(table)]
    query = sa.select(*columns(table)).where(table.c.space_id == space_id).order_by(*order)
    for row in connection.execute(query, execution_options={"yield_per": ROWS_AT_ONCE}):
        yield dict(row._mapping)


def insert_space(connection: sa.Connection, info: SpaceInfo) -> None:
    """Write the row of a space. Raises sqlalchemy's IntegrityError when its name or id is taken."""
    connection.execute(
        tables.space.insert().values(
            space_id=info.id,
            name=info.name,
            created=info.created,
            embedder=info.embedder,
            dimension=info.dimension,
            head=info.head,
        )
    )


def insert_rows(connection: sa.Connection, table: sa.Table, space_id: str, rows: Sequence[Row]) -> None:
    """Write rows of a space. All name the same columns."""
    if rows:
        connection.execute(table.insert(), [{"space_id": space_id, **row} for row in rows])


def replace_states(store: SpaceStore, space_id: str, head: int) -> None:
    """Store the statuses of claims as their operations give them. Raises ConcurrentWrite when the head has moved."""
    done = store.dated_ops(space_id)
    with store.exclusive(space_id) as writing:
        writing.expect(head)
        writing.rewrite_states(done)


def replace_vectors(store: SpaceStore, space_id: str, head: int, kind: str, vectors: Mapping[str, np.ndarray]) -> None:
    """Store other vectors in place of the newest of these items. Raises ConcurrentWrite when the head has moved."""
    with store.exclusive(space_id) as writing:
        writing.expect(head)
        for item_id, data in vectors.items():
            writing.rewrite_vector(kind, item_id, data)


def last_changes(connection: sa.Connection, space_id: str) -> dict[str, int]:
    """Give for each page the newest commit in which it, its links or its lines began or ended."""
    newest: dict[str, int] = {}
    for table, page_id in (
        (tables.page, tables.page.c.id),
        (tables.page_link, tables.page_link.c.page_id),
        (tables.page_bullet, tables.page_bullet.c.page_id),
    ):
        for moment in (table.c.since, table.c.until):
            query = sa.select(page_id, sa.func.max(moment)).where(table.c.space_id == space_id, moment.is_not(None))
            for found, n in connection.execute(query.group_by(page_id)):
                newest[found] = max(newest.get(found, 0), n)
    return newest


def _by_code_point(connection: sa.Connection, column: sa.Column[Any]) -> sa.ColumnElement[Any]:
    if connection.dialect.name == "postgresql" and isinstance(column.type, sa.Text):
        return sa.collate(column, "C")
    return column
