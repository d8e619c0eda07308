"""One transaction on one space: what is written in it, and how records are read and written at all."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, Final

import numpy as np
import sqlalchemy as sa

from trajwiki.domain.claims import ClaimOp, statuses_of
from trajwiki.domain.history import Commit, CommitKind
from trajwiki.domain.ids import random_id
from trajwiki.domain.practice import PracticeChange
from trajwiki.domain.state import Change
from trajwiki.errors import ConcurrentWrite, CorruptStore
from trajwiki.store import tables
from trajwiki.store.ledger import LedgerStore
from trajwiki.store.practice_rows import PRACTICE_CODECS
from trajwiki.store.rows import CODECS, Codec, Row

NO_SPACE: Final = ""  # the space id of settings of the whole database; no space has it
SCRUB: Final = "scrub"

# Of records with the same key in one commit, the last is what can be seen between commits.
LAST_STANDS: Final = {
    "vectors": ("kind", "item_id"),
    "tip_vectors": ("kind", "item_id"),
    "versions": ("trajectory_id", "ordinal"),
}


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
        return load_change(self._c, self._space_id, after, self.head)[0]

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
        return load_practice(self._c, self._space_id, after, self.head)[0]

    def commits(self) -> list[Commit]:
        """List the commits, oldest first."""
        t = tables.commit
        query = sa.select(t).where(t.c.space_id == self._space_id).order_by(t.c.n)
        return [commit_of(r) for r in self._c.execute(query)]

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

    def forget_requests(self) -> None:
        """Drop what the server keeps of requests that have ended: their results may quote what was erased."""
        for table, ended in ((tables.request_key, None), (tables.operation, tables.operation.c.request.is_(None))):
            here = [table.c.space_id == self._space_id, *([ended] if ended is not None else [])]
            self._c.execute(table.delete().where(*here))

    def forget_use(self, refs: Sequence[str]) -> None:
        """Drop the notes that these messages were used."""
        t = tables.message_use
        for ref in refs:
            self._c.execute(t.delete().where(t.c.space_id == self._space_id, t.c.source_ref == ref))

    def keep_replies(self, keys: Collection[str]) -> None:
        """Drop the kept replies of models that a replay did not use: any may repeat erased words."""
        LedgerStore.keep_only(self._c, self._space_id, keys)

    def rewrite(self, dated: Sequence[tuple[int, Change]]) -> None:
        """Put other records under the commits that are there; answers, which may quote any of them, go too."""
        note_scrub(self._c)
        self.forget_requests()
        for table in [*(codec.table for codec in CODECS), tables.claim_state, tables.answer]:
            self._c.execute(table.delete().where(table.c.space_id == self._space_id))
        for n, change in dated:
            _write(self._c, self._space_id, change, n)

    def expect(self, head: int) -> None:
        """Refuse to go on from another commit. Raises ConcurrentWrite."""
        if self.head != head:
            raise ConcurrentWrite(f"others wrote meanwhile: the newest commit is {self.head}, not {head}; run it again")

    def rewrite_states(self, dated: Sequence[tuple[int, Sequence[ClaimOp]]]) -> None:
        """Put the statuses that operations lead to in place of those that are stored; (commit, its operations)."""
        t = tables.claim_state
        self._c.execute(t.delete().where(t.c.space_id == self._space_id))
        for n, ops in dated:
            _write_states(self._c, self._space_id, Change(ops=list(ops)), n)

    def rewrite_vector(self, kind: str, item_id: str, data: np.ndarray) -> None:
        """Put another vector in place of the newest of an item; where there is none, from the commit of the item on."""
        t, here = tables.vector, self._space_id
        mine = (t.c.space_id == here, t.c.kind == kind, t.c.item_id == item_id)
        since = self._c.execute(sa.select(sa.func.max(t.c.since)).where(*mine)).scalar()
        if since is None:
            of = tables.metadata.tables[kind]
            query = sa.select(sa.func.min(of.c.since)).where(of.c.space_id == here, of.c.id == item_id)
            since = self._c.execute(query).scalar_one()
            row = {"space_id": here, "kind": kind, "item_id": item_id, "since": since, "data": vector_bytes(data)}
            self._c.execute(t.insert().values(row))
        else:
            self._c.execute(t.update().where(*mine, t.c.since == since).values(data=vector_bytes(data)))

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
        note_scrub(self._c)
        self.forget_requests()
        kept = [*(codec.table for codec in PRACTICE_CODECS), tables.run_raw, tables.delivery, tables.feedback]
        for table in kept:
            self._c.execute(table.delete().where(table.c.space_id == self._space_id))
        for n, change in dated:
            _write_practice(self._c, self._space_id, change, n)


def vector_bytes(data: np.ndarray) -> bytes:
    """Give a vector as it is stored: float32, little-endian."""
    return data.astype("<f4").tobytes()


def note_scrub(c: sa.Connection) -> None:
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


def load_practice(c: sa.Connection, space_id: str, after: int, upto: int | None) -> tuple[PracticeChange, int]:
    """Read what changed in procedural memory in the commits (after, upto], and the commit it leads to."""
    head = head_of(c, space_id)
    upto = head if upto is None else min(upto, head)
    change = PracticeChange()
    if upto > after:
        for codec in PRACTICE_CODECS:
            getattr(change, codec.field).extend(_begun(c, codec, space_id, after, upto))
    return change, upto


def load_change(c: sa.Connection, space_id: str, after: int, upto: int | None) -> tuple[Change, int]:
    """Read what changed in the commits (after, upto], as one change, and the commit it leads to."""
    head = head_of(c, space_id)
    upto = head if upto is None else min(upto, head)
    change = Change()
    if upto > after:
        for codec in CODECS:
            getattr(change, codec.field).extend(_begun(c, codec, space_id, after, upto))
            if codec.ended:
                getattr(change, codec.ended).extend(_ended(c, codec, space_id, after, upto))
    return change, upto


def head_of(c: sa.Connection, space_id: str) -> int:
    """Give the number of the newest commit; 0 for a space that is not there."""
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


def commit_of(r: Any) -> Commit:
    """Give the commit of a row."""
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
