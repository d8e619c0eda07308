"""States of the past for reading: folded from the store without indexes, and the newest few kept."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Any, Final

import sqlalchemy as sa

from trajwiki.domain.state import SpaceState
from trajwiki.domain.wiki import Bullet
from trajwiki.engine import Memory
from trajwiki.errors import UnknownItem
from trajwiki.store import tables
from trajwiki.store.rows import CODECS

KEPT: Final = 8


class Past:
    """A few states of the past, least recently used first."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, int, Any], SpaceState] = OrderedDict()
        self._lock = threading.Lock()

    def state(self, memory: Memory, space_id: str, n: int) -> SpaceState:
        """Give the state at a commit.

        Raises:
            UnknownItem: There is no such commit yet.
        """
        head = memory.store.head(space_id)
        if not 0 <= n <= head:
            raise UnknownItem(f"there is no commit {n}; the newest is {head}")
        # An erasure rewrites the past and makes a commit, so what was kept before a new head is not used again.
        key = (space_id, n, head)
        with self._lock:
            if (found := self._kept.get(key)) is not None:
                self._kept.move_to_end(key)
                return found
        change, _ = memory.store.load(space_id, upto=n)
        made = SpaceState()
        made.apply(change)
        made.head = n
        with self._lock:
            self._kept[key] = made
            for stale in [k for k in self._kept if k[0] == space_id and k[2] != head]:
                del self._kept[stale]
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        return made


def page_lines(memory: Memory, space_id: str, page_id: str) -> list[tuple[int, int | None, Bullet]]:
    """Give every line that a page ever had: (commit it came with, commit it went with, line), in order of coming."""
    codec = next(c for c in CODECS if c.field == "bullets")
    t = tables.page_bullet
    query = sa.select(t).where(t.c.space_id == space_id, t.c.page_id == page_id)
    with memory.database.reading() as c:
        rows = c.execute(query.order_by(t.c.since, t.c.section, t.c.ordinal))
        return [(r.since, r.until, codec.from_row(r)) for r in rows]
