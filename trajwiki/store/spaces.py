"""Reading and writing the records of spaces. There is no call without a space."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Any

import sqlalchemy as sa

from trajwiki.domain.claims import ClaimOp
from trajwiki.domain.history import Commit
from trajwiki.domain.practice import PracticeChange
from trajwiki.domain.state import Change
from trajwiki.errors import UnknownSpace, UsageError
from trajwiki.store import tables
from trajwiki.store.records import RecordStore
from trajwiki.store.rows import CODECS, Row
from trajwiki.store.writing import (
    NO_SPACE,
    SCRUB,
    Writing,
    commit_of,
    head_of,
    load_change,
    load_practice,
    note_scrub,
)

__all__ = ["SpaceInfo", "SpaceStore", "Writing", "space_info"]


@dataclass(frozen=True, slots=True)
class SpaceInfo:
    """The row of a space.

    Attributes:
        id: Random; the key of all its ids.
        name: A label that can be changed.
        created: UTC.
        embedder: Name of the model its vectors come from.
        dimension: Of the vectors.
        head: Number of the newest commit.
    """

    id: str
    name: str
    created: datetime
    embedder: str
    dimension: int
    head: int


class SpaceStore(RecordStore):
    """The records of all spaces in one database."""

    # Spaces.

    def spaces(self) -> list[SpaceInfo]:
        """List the spaces, by name."""
        with self._db.reading() as c:
            return [space_info(r) for r in c.execute(sa.select(tables.space).order_by(tables.space.c.name))]

    def find(self, name: str) -> SpaceInfo | None:
        """Find a space by name."""
        with self._db.reading() as c:
            row = c.execute(sa.select(tables.space).where(tables.space.c.name == name)).one_or_none()
        return space_info(row) if row else None

    def create(self, info: SpaceInfo) -> SpaceInfo:
        """Store a space, or give the one that already has the name. Raises UsageError when its id is taken."""
        if (known := self.find(info.name)) is not None:
            return known
        try:
            with self._db.writing() as c:
                c.execute(tables.space.insert().values(_info_row(info)))
        except sa.exc.IntegrityError:  # another writer was quicker
            if (known := self.find(info.name)) is None:
                raise UsageError(f"the id {info.id!r} belongs to another space") from None
            return known
        return info

    def rename(self, name: str, new: str) -> None:
        """Change the name of a space. Raises UnknownSpace, or UsageError when the new name is taken."""
        with self._db.writing() as c:
            if c.execute(sa.select(tables.space.c.name).where(tables.space.c.name == new)).one_or_none():
                raise UsageError(f"there is already a space named {new!r}")
            done = c.execute(tables.space.update().where(tables.space.c.name == name).values(name=new))
            if done.rowcount == 0:
                raise UnknownSpace(f"there is no space named {name!r}")

    def delete(self, name: str) -> dict[str, int]:
        """Delete a space with everything in it, and give the number of rows by table. Raises UnknownSpace."""
        removed: dict[str, int] = {}
        with self._db.writing() as c:
            space_id = c.execute(sa.select(tables.space.c.space_id).where(tables.space.c.name == name)).scalar()
            if space_id is None:
                raise UnknownSpace(f"there is no space named {name!r}")
            for table in tables.metadata.sorted_tables:
                n = c.execute(table.delete().where(table.c.space_id == space_id)).rowcount
                if n:
                    removed[table.name] = n
            note_scrub(c)
        self.scrub()
        return removed

    def scrub(self) -> bool:
        """Overwrite what freed pages and logs still hold; False when a reader is in the way: it stays pending."""
        pending = self.pending_scrubs()
        if not self._db.scrub():
            return False
        if pending:
            t = tables.space_setting
            with self._db.writing() as c:
                c.execute(t.delete().where(t.c.space_id == NO_SPACE, t.c.name.in_(pending)))
        return True

    def pending_scrubs(self) -> list[str]:
        """Name the erasures after which freed pages and logs may still hold what was erased."""
        t = tables.space_setting
        with self._db.reading() as c:
            query = sa.select(t.c.name).where(t.c.space_id == NO_SPACE, t.c.name.startswith(SCRUB, autoescape=True))
            return list(c.execute(query.order_by(t.c.name)).scalars())

    # Records.

    def head(self, space_id: str) -> int:
        """Give the number of the newest commit; 0 for a space that is not there."""
        with self._db.reading() as c:
            return head_of(c, space_id)

    def load(self, space_id: str, *, after: int = 0, upto: int | None = None) -> tuple[Change, int]:
        """Read what changed in the commits (after, upto], as one change, and the commit it leads to."""
        with self._db.reading() as c:
            return load_change(c, space_id, after, upto)

    def load_practice(self, space_id: str, *, after: int = 0, upto: int | None = None) -> tuple[PracticeChange, int]:
        """Read what changed in procedural memory in the commits (after, upto], and the commit it leads to."""
        with self._db.reading() as c:
            return load_practice(c, space_id, after, upto)

    def run_raw(self, space_id: str, run_id: str) -> str | None:
        """Give the raw record of a run."""
        t = tables.run_raw
        with self._db.reading() as c:
            query = sa.select(t.c.text).where(t.c.space_id == space_id, t.c.run_id == run_id)
            return c.execute(query).scalar()

    @contextlib.contextmanager
    def exclusive(self, space_id: str) -> Iterator[Writing]:
        """Be the only writer of a space until the block ends; what was written becomes visible then, as a whole."""
        with self._db.writing() as c:
            t = tables.space
            head = c.execute(sa.select(t.c.head).where(t.c.space_id == space_id).with_for_update()).scalar()
            if head is None:
                raise UnknownSpace("the space was deleted meanwhile")
            yield Writing(c, space_id, head)

    def newest_at(self, space_id: str, moment: datetime) -> int:
        """Give the newest commit that was written up to a moment; 0: none was."""
        t = tables.commit
        query = sa.select(t.c.n, t.c.at).where(t.c.space_id == space_id).order_by(t.c.n.desc())
        with self._db.reading() as c:
            return next((r.n for r in c.execute(query, execution_options={"yield_per": 1000}) if r.at <= moment), 0)

    def commits(self, space_id: str, *, limit: int | None = None) -> list[Commit]:
        """List commits, newest first."""
        query = sa.select(tables.commit).where(tables.commit.c.space_id == space_id).order_by(tables.commit.c.n.desc())
        with self._db.reading() as c:
            return [commit_of(r) for r in c.execute(query.limit(limit) if limit else query)]

    def snapshot_commits(self, space_id: str) -> dict[str, int]:
        """Give the commit that made each snapshot."""
        t = tables.snapshot
        with self._db.reading() as c:
            return {r.id: r.since for r in c.execute(sa.select(t.c.id, t.c.since).where(t.c.space_id == space_id))}

    def dated_ops(self, space_id: str) -> list[tuple[int, list[ClaimOp]]]:
        """Give the operations on claims by commit, oldest first; commits without any are left out."""
        codec = next(c for c in CODECS if c.field == "ops")
        t = codec.table
        with self._db.reading() as c:
            rows = c.execute(sa.select(t).where(t.c.space_id == space_id).order_by(t.c.ordinal))
            return [(n, [codec.from_row(r) for r in group]) for n, group in groupby(rows, key=lambda r: r.since)]

    def stored_status(self, space_id: str) -> dict[str, str]:
        """Give the stored status of every claim now; `doctor` compares it with the fold of operations."""
        t = tables.claim_state
        with self._db.reading() as c:
            rows = c.execute(sa.select(t.c.claim_id, t.c.status).where(t.c.space_id == space_id, t.c.until.is_(None)))
            return {r.claim_id: r.status for r in rows}


def space_info(r: Any) -> SpaceInfo:
    """Give what a row of the table of spaces says."""
    return SpaceInfo(r.space_id, r.name, r.created, r.embedder, r.dimension, r.head)


def _info_row(info: SpaceInfo) -> Row:
    return {
        "space_id": info.id,
        "name": info.name,
        "created": info.created,
        "embedder": info.embedder,
        "dimension": info.dimension,
        "head": info.head,
    }
