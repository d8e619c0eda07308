"""Whether the rows of an archive fit together: order of keys, lifetimes, commits without gaps, references."""

from __future__ import annotations

from typing import Any, Final

import sqlalchemy as sa

from trajwiki.domain.claims import Op
from trajwiki.domain.history import CommitKind
from trajwiki.store.raw import key_names
from trajwiki.store.rows import Row

# What is named on the left is there on the right, and not later.
REFERENCES: Final = (
    ("exchange.message_ids", "message.id"),
    ("snapshot.exchange_id", "exchange.id"),
    ("snapshot.message_ids", "message.id"),
    ("snapshot.claim_ids", "claim.id"),
    ("snapshot.id", "trajectory_member.snapshot_id"),
    ("claim.id", "claim_source.claim_id"),
    ("claim.id", "claim_op.claim_id"),
    ("message.id", "vector.message"),
    ("snapshot.id", "vector.snapshot"),
    ("trajectory.id", "vector.trajectory"),
    ("page.id", "vector.page"),
    ("claim_source.claim_id", "claim.id"),
    ("claim_source.snapshot_id", "snapshot.id"),
    ("claim_source.message_id", "message.id"),
    ("claim_op.claim_id", "claim.id"),
    ("claim_op.replaces", "claim.id"),
    ("claim_state.claim_id", "claim.id"),
    ("claim_state.op_id", "claim_op.id"),
    ("trajectory.id", "trajectory_member.trajectory_id"),
    ("trajectory.id", "trajectory_version.trajectory_id"),
    ("trajectory.continues", "trajectory.id"),
    ("trajectory_member.trajectory_id", "trajectory.id"),
    ("trajectory_member.snapshot_id", "snapshot.id"),
    ("trajectory_version.trajectory_id", "trajectory.id"),
    ("page_link.page_id", "page.id"),
    ("page_link.trajectory_id", "trajectory.id"),
    ("page_bullet.page_id", "page.id"),
    ("page_bullet.claim_ids", "claim.id"),
    ("page_bullet.trajectory_id", "trajectory.id"),
    ("vector.message", "message.id"),
    ("vector.snapshot", "snapshot.id"),
    ("vector.trajectory", "trajectory.id"),
    ("vector.page", "page.id"),
    ("run.id", "run_analysis.run_id"),
    ("run_analysis.run_id", "run.id"),
    ("tip.id", "tip_op.tip_id"),
    ("tip_op.tip_id", "tip.id"),
    ("tip_op.others", "tip.id"),
    ("tip.made_from", "tip.id"),
)
ONCE: Final = {"snapshot.exchange_id", "trajectory_member.snapshot_id"}  # an exchange is understood once
# In commits of which kind records come about: an erasure carries the history out again commit by commit.
_READ: Final = frozenset({CommitKind.UNDERSTAND, CommitKind.CORRECTION})
HOMES: Final = {
    "message": frozenset({CommitKind.MESSAGES, CommitKind.CORRECTION}),
    "exchange": frozenset({CommitKind.MESSAGES, CommitKind.FLUSH, CommitKind.CORRECTION}),
    "snapshot": _READ,
    "claim": _READ,
    "claim_source": _READ,
    "claim_op": _READ | {CommitKind.REVERT},
    "trajectory": _READ,
    "trajectory_member": _READ,
}
MESSAGE_KEY: Final = ("source", "session", "source_ref")
_ALIKE: Final = {"claim_state": ["claim_id"]}  # of which one is there at a time; else the key without `since`
_TRACKED: Final = {name for pair in REFERENCES for name in pair}


class Fitting:
    """Takes the rows of all tables, in the order of their keys, and then says whether they fit together.

    Attributes:
        status: Claim id to its stored status now.
    """

    def __init__(self, head: int, dimension: int) -> None:
        self.status: dict[str, str] = {}
        self._head = head
        self._dimension = dimension
        self._first: dict[str, dict[str, tuple[int, int]]] = {name: {} for name in _TRACKED}  # to (commit, line)
        self._kinds: dict[int, str] = {}  # of commits, whose table comes before those of what they hold
        self._began: dict[tuple[str, int], int] = {}  # (table, commit) to line
        self._last_key: tuple[Any, ...] | None = None
        self._last: Row = {}
        self._table: sa.Table | None = None

    def take(self, table: sa.Table, row: Row, line: int) -> None:
        """Look at the next row. Raises ValueError when it cannot follow the one before."""
        if table is not self._table:
            self._table, self._last_key, self._last = table, None, {}
        names = key_names(table)
        key = tuple(row[name] for name in names)
        if self._last_key is not None and key <= self._last_key:
            raise ValueError(f"its key {key} comes after {self._last_key}; rows are in order, each once")
        if table.name == "commit_log":
            if row["n"] != line:
                raise ValueError(f"it is commit {row['n']}; commits are numbered from 1 without gaps")
            self._kinds[line] = row["kind"]
        if "since" in row:
            self._lives(row, _ALIKE.get(table.name) or [name for name in names if name != "since"])
            self._began.setdefault((table.name, row["since"]), line)
        if table.name == "message":
            if self._last and self._last["id"] == row["id"] and any(self._last[n] != row[n] for n in MESSAGE_KEY):
                raise ValueError(f"a revision of a message keeps its {', '.join(MESSAGE_KEY)}")
            if self._kinds.get(row["since"]) == CommitKind.CORRECTION:
                _corrects(row)
        if table.name == "vector" and len(row["data"]) != 4 * self._dimension:
            raise ValueError(f"data: {len(row['data'])} bytes are not {self._dimension} numbers of 4 bytes")
        if table.name == "claim_state" and row["until"] is None:
            self.status[row["claim_id"]] = row["status"]
        self._note(table, row, line)
        self._last_key, self._last = key, row

    def check(self) -> tuple[str, int, str] | None:
        """Give the first row whose reference leads nowhere, or that came about in a commit of the wrong kind.

        Returns:
            (table, line, what is wrong), or None.
        """
        for source, target in REFERENCES:
            there = self._first[target]
            for value, (since, line) in self._first[source].items():
                found = there.get(value)
                if found is None:
                    return source.split(".")[0], line, f"{source}: there is no {target} {value!r}"
                if found[0] > since:
                    return source.split(".")[0], line, f"{source}: {target} {value!r} is from a later commit"
        for (table, n), line in self._began.items():
            kind = self._kinds.get(n)
            if kind is not None and table in HOMES and kind not in HOMES[table]:
                return table, line, f"since: commit {n} is of kind {kind}, in which no {table} comes about"
        return None

    def _lives(self, row: Row, identity: list[str]) -> None:
        """Check the lifetime of a row: it lies in the history, and does not overlap that of its like before it."""
        since, until = row["since"], row.get("until")
        if not 1 <= since <= self._head:
            raise ValueError(f"since: there is no commit {since}; the newest is {self._head}")
        if until is not None and not since < until <= self._head:
            raise ValueError(f"until: it began in commit {since} and cannot end in {until}")
        if "until" in row and self._last and all(row[name] == self._last[name] for name in identity):
            ended = self._last["until"]
            if ended is None or ended > since:
                raise ValueError("since: the same was still there")

    def _note(self, table: sa.Table, row: Row, line: int) -> None:
        for name, value in row.items():
            named = f"vector.{row['kind']}" if (table.name, name) == ("vector", "item_id") else f"{table.name}.{name}"
            if named not in _TRACKED or value is None:
                continue
            first = self._first[named]
            if named in ONCE and value in first:
                raise ValueError(f"{name}: {value!r} is in line {first[value][1]} already")
            for item in value if isinstance(value, list) else (value,):
                if item not in first or row["since"] < first[item][0]:
                    first[item] = (row["since"], line)


def _corrects(row: Row) -> None:
    """Check a message that a correction stands on: an erasure carries it out again."""
    said = row["metadata"]
    op = Op(said.get("op", ""))
    if not {"reason", "actor"} <= said.keys() or (op is not Op.ADD and "target" not in said):
        raise ValueError("metadata: a correction says op, target, reason and actor")
