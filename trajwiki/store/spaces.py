"""Reading and writing the records of spaces. There is no call without a space."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Any, Final

import sqlalchemy as sa

from trajwiki.domain.claims import ClaimOp, statuses_of
from trajwiki.domain.history import Commit, CommitKind
from trajwiki.domain.ids import random_id
from trajwiki.domain.practice import PracticeChange
from trajwiki.domain.state import Change
from trajwiki.errors import ConcurrentWrite, CorruptStore, UnknownSpace, UsageError
from trajwiki.store import tables
from trajwiki.store.practice_rows import PRACTICE_CODECS
from trajwiki.store.records import RecordStore
from trajwiki.store.rows import CODECS, Codec, Row

NO_SPACE: Final = ""  # the space id of settings of the whole database; no space has it
SCRUB: Final = "scrub"

# Of records with the same key in one commit, the last is what can be seen between commits.
LAST_STANDS: Final = {
    "vectors": ("kind", "item_id"),
    "tip_vectors": ("kind", "item_id"),
    "versions": ("trajectory_id", "ordinal"),
}


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
            _note_scrub(c)
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
            return _head(c, space_id)

    def load(self, space_id: str, *, after: int = 0, upto: int | None = None) -> tuple[Change, int]:
        """Read what changed in the commits (after, upto], as one change, and the commit it leads to."""
        with self._db.reading() as c:
            return _load(c, space_id, after, upto)

    def load_practice(self, space_id: str, *, after: int = 0, upto: int | None = None) -> tuple[PracticeChange, int]:
        """Read what changed in procedural memory in the commits (after, upto], and the commit it leads to."""
        with self._db.reading() as c:
            return _load_practice(c, space_id, after, upto)

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

    def commits(self, space_id: str, *, limit: int | None = None) -> list[Commit]:
        """List commits, newest first."""
        query = sa.select(tables.commit).where(tables.commit.c.space_id == space_id).order_by(tables.commit.c.n.desc())
        with self._db.reading() as c:
            return [_commit(r) for r in c.execute(query.limit(limit) if limit else query)]

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


class Writing:
    """One transaction on one space.

    Attributes:
        head: The newest commit, which stays the newest until this one is written.
    """

    def __init__(self, connection: sa.Connection, space_id: str, head: int) -> None:
        self._c = connection
        self._space_id = space_id
        self.head = head

    def load(self, *, after: int) -> Change:
        """Read what others committed after that commit."""
        return _load(self._c, self._space_id, after, self.head)[0]

    def write(self, change: Change, commit: Commit) -> None:
        """Write one commit of dialogue memory, the next after the head."""
        self._log(commit)
        _write(self._c, self._space_id, change, commit.n)

    def write_practice(self, change: PracticeChange, commit: Commit) -> None:
        """Write one commit of procedural memory, the next after the head."""
        self._log(commit)
        _write_practice(self._c, self._space_id, change, commit.n)

    def _log(self, commit: Commit) -> None:
        if commit.n != self.head + 1:
            raise ConcurrentWrite(f"commit {commit.n} cannot follow commit {self.head}")
        c, space_id = self._c, self._space_id
        c.execute(tables.commit.insert().values(space_id=space_id, **_commit_row(commit)))
        c.execute(tables.space.update().where(tables.space.c.space_id == space_id).values(head=commit.n))
        self.head = commit.n

    def load_practice(self, *, after: int) -> PracticeChange:
        """Read what others committed to procedural memory after that commit."""
        return _load_practice(self._c, self._space_id, after, self.head)[0]

    def commits(self) -> list[Commit]:
        """List the commits, oldest first."""
        t = tables.commit
        query = sa.select(t).where(t.c.space_id == self._space_id).order_by(t.c.n)
        return [_commit(r) for r in self._c.execute(query)]

    def told(self) -> list[tuple[int, Any]]:
        """Give what a replay starts from, each with its commit: messages, exchanges, ids of exchanges read."""
        out: list[tuple[int, Any]] = []
        for codec in CODECS:
            if codec.field in ("messages", "exchanges", "snapshots"):
                t = codec.table
                query = sa.select(t).where(t.c.space_id == self._space_id)
                for row in self._c.execute(query.order_by(*(t.c[name] for name in codec.order))):
                    record = codec.from_row(row)
                    out.append((row.since, record.exchange_id if codec.field == "snapshots" else record))
        return out

    def forget_use(self, refs: Sequence[str]) -> None:
        """Drop the notes that these messages were used."""
        t = tables.message_use
        for ref in refs:
            self._c.execute(t.delete().where(t.c.space_id == self._space_id, t.c.source_ref == ref))

    def rewrite(self, dated: Sequence[tuple[int, Change]]) -> None:
        """Put other records under the commits that are there; answers, which may quote any of them, go too."""
        _note_scrub(self._c)
        for table in [*(codec.table for codec in CODECS), tables.claim_state, tables.answer]:
            self._c.execute(table.delete().where(table.c.space_id == self._space_id))
        for n, change in dated:
            _write(self._c, self._space_id, change, n)

    def swap_vectors(self, model: str, dimension: int) -> int:
        """Put the vectors of a model that were kept aside in place of all that are there; gives their number.

        Raises:
            ConcurrentWrite: They are not all there: others committed meanwhile.
        """
        c, t, here = self._c, tables.vector_next, self._space_id
        total = 0
        for practice, table in ((False, tables.vector), (True, tables.tip_vector)):
            mine = (t.c.space_id == here, t.c.model == model, t.c.practice.is_(practice))
            there = c.execute(sa.select(sa.func.count()).select_from(table).where(table.c.space_id == here)).scalar()
            if c.execute(sa.select(sa.func.count()).select_from(t).where(*mine)).scalar() != there:
                raise ConcurrentWrite("others wrote meanwhile; nothing was changed. Run `trajwiki reembed` again")
            c.execute(table.delete().where(table.c.space_id == here))
            names = ("space_id", "kind", "item_id", "data", "since")
            c.execute(table.insert().from_select(list(names), sa.select(*(t.c[name] for name in names)).where(*mine)))
            total += there or 0
        c.execute(t.delete().where(t.c.space_id == here))
        c.execute(
            tables.space.update().where(tables.space.c.space_id == here).values(embedder=model, dimension=dimension)
        )
        return total

    def run_commits(self) -> dict[str, int]:
        """Give the commit that stored each run."""
        t = tables.run
        query = sa.select(t.c.id, t.c.since).where(t.c.space_id == self._space_id)
        return {r.id: r.since for r in self._c.execute(query)}

    def raws(self) -> list[tuple[str, str]]:
        """Give the raw records of all runs, by run id."""
        t = tables.run_raw
        query = sa.select(t.c.run_id, t.c.text).where(t.c.space_id == self._space_id).order_by(t.c.run_id)
        return [(r.run_id, r.text) for r in self._c.execute(query)]

    def rewrite_practice(self, dated: Sequence[tuple[int, PracticeChange]]) -> None:
        """Put other runs and tips under the commits that are there; deliveries, which quote tips, go too."""
        _note_scrub(self._c)
        kept = [*(codec.table for codec in PRACTICE_CODECS), tables.run_raw, tables.delivery, tables.feedback]
        for table in kept:
            self._c.execute(table.delete().where(table.c.space_id == self._space_id))
        for n, change in dated:
            _write_practice(self._c, self._space_id, change, n)


def _note_scrub(c: sa.Connection) -> None:
    """Note, in the transaction that erases, that freed pages and logs are to be overwritten after it."""
    c.execute(tables.space_setting.insert().values(space_id=NO_SPACE, name=random_id(SCRUB), value=True))


def _write(c: sa.Connection, space_id: str, change: Change, n: int) -> None:
    for codec in CODECS:
        if codec.ended and codec.end_key:
            _end(c, codec.table, space_id, [codec.end_key(item) for item in getattr(change, codec.ended)], n)
        rows = _rows(codec, getattr(change, codec.field))
        if rows:
            c.execute(codec.table.insert(), [{"space_id": space_id, "since": n, **row} for row in rows])
    _write_states(c, space_id, change, n)


def _write_practice(c: sa.Connection, space_id: str, change: PracticeChange, n: int) -> None:
    for codec in PRACTICE_CODECS:
        rows = _rows(codec, getattr(change, codec.field))
        if rows:
            c.execute(codec.table.insert(), [{"space_id": space_id, "since": n, **row} for row in rows])
    if change.raws:
        rows = [{"space_id": space_id, "run_id": run_id, "text": text} for run_id, text in change.raws]
        c.execute(tables.run_raw.insert(), rows)


def _load_practice(c: sa.Connection, space_id: str, after: int, upto: int | None) -> tuple[PracticeChange, int]:
    head = _head(c, space_id)
    upto = head if upto is None else min(upto, head)
    change = PracticeChange()
    if upto > after:
        for codec in PRACTICE_CODECS:
            getattr(change, codec.field).extend(_begun(c, codec, space_id, after, upto))
    return change, upto


def _load(c: sa.Connection, space_id: str, after: int, upto: int | None) -> tuple[Change, int]:
    head = _head(c, space_id)
    upto = head if upto is None else min(upto, head)
    change = Change()
    if upto > after:
        for codec in CODECS:
            getattr(change, codec.field).extend(_begun(c, codec, space_id, after, upto))
            if codec.ended:
                getattr(change, codec.ended).extend(_ended(c, codec, space_id, after, upto))
    return change, upto


def _head(c: sa.Connection, space_id: str) -> int:
    return c.execute(sa.select(tables.space.c.head).where(tables.space.c.space_id == space_id)).scalar() or 0


def _begun(c: sa.Connection, codec: Codec, space_id: str, after: int, upto: int) -> Iterator[Any]:
    t = codec.table
    query = sa.select(t).where(t.c.space_id == space_id, t.c.since > after, t.c.since <= upto)
    if codec.ended:
        query = query.where(sa.or_(t.c.until.is_(None), t.c.until > upto))
    return _records(codec, c.execute(query.order_by(*(t.c[name] for name in codec.order))))


def _ended(c: sa.Connection, codec: Codec, space_id: str, after: int, upto: int) -> Iterator[Any]:
    t = codec.table
    query = sa.select(t).where(t.c.space_id == space_id, t.c.since <= after, t.c.until > after, t.c.until <= upto)
    records = _records(codec, c.execute(query.order_by(*(t.c[name] for name in codec.order))))
    return (r.id for r in records) if codec.field == "pages" else records


def _records(codec: Codec, rows: Iterable[Any]) -> Iterator[Any]:
    """Give the records of rows. Raises CorruptStore for a row that is none, as in a damaged file."""
    try:
        for row in rows:
            yield codec.from_row(row)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise CorruptStore(
            f"the table {codec.table.name} holds a row that is no record ({error}); nothing was changed. "
            "Run `trajwiki doctor`, and restore a backup"
        ) from error


def _end(c: sa.Connection, table: sa.Table, space_id: str, keys: list[Row], n: int) -> None:
    """End the current rows with these keys. All keys name the same columns."""
    if keys:
        where = [table.c[name] == sa.bindparam(f"key_{name}") for name in keys[0]]
        update = table.update().where(table.c.space_id == space_id, table.c.until.is_(None), *where).values(until=n)
        c.execute(update, [{f"key_{name}": value for name, value in key.items()} for key in keys])


def _rows(codec: Codec, records: list[Any]) -> list[Row]:
    rows = [codec.to_row(r) for r in records]
    key = LAST_STANDS.get(codec.field)
    return list({tuple(row[name] for name in key): row for row in rows}.values()) if key else rows


def _write_states(c: sa.Connection, space_id: str, change: Change, n: int) -> None:
    """Keep the fold of operations as intervals; only the last of a commit is visible between commits."""
    last = {claim_id: (status, op) for op in change.ops for claim_id, status in statuses_of(op)}
    _end(c, tables.claim_state, space_id, [{"claim_id": claim_id} for claim_id in last], n)
    rows = [
        {
            "space_id": space_id,
            "claim_id": claim_id,
            "op_ordinal": op.ordinal,
            "status": status.value,
            "op_id": op.id,
            "since": n,
        }
        for claim_id, (status, op) in last.items()
    ]
    if rows:
        c.execute(tables.claim_state.insert(), rows)


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


def _commit(r: Any) -> Commit:
    return Commit(r.n, r.at, r.actor, CommitKind(r.kind), r.note, r.counts, r.arguments)


def _commit_row(commit: Commit) -> Row:
    return {
        "n": commit.n,
        "at": commit.at,
        "actor": commit.actor,
        "kind": commit.kind.value,
        "note": commit.note,
        "counts": commit.counts,
        "arguments": commit.arguments,
    }
