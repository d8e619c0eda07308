"""Looking at a space from another time: three questions that are easily mistaken for each other.

What did the memory believe then (`as_of`, a commit); what would it believe had it heard only what was said until then
(`heard_until`, the time of messages); and what was true then by all that it knows (`valid_at`, the time that claims
speak of).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import date, datetime

from trajwiki.construction import Builder
from trajwiki.domain.claims import ClaimOp, Op
from trajwiki.domain.state import Change
from trajwiki.domain.trajectories import Member
from trajwiki.domain.wiki import PageType
from trajwiki.live import LiveSpace
from trajwiki.memory.validity import as_valid_on


@dataclass(frozen=True, slots=True)
class View:
    """From when a space is looked at.

    Attributes:
        n: The commit up to which it is read.
        heard_until: Only messages sent up to this time; those without a time are left out.
        valid_at: What was true on this day.
    """

    n: int
    heard_until: datetime | None = None
    valid_at: date | None = None


def look(
    view: View, change: Change, build: Callable[[Change], LiveSpace], builder: Callable[[LiveSpace], Builder]
) -> LiveSpace:
    """Give the space as seen from a view.

    Args:
        view: From when.
        change: All of the space up to the commit of the view.
        build: Makes a live space.
        builder: Makes the stages on one.
    """
    live = build(heard(change, view.heard_until) if view.heard_until else change)
    if view.valid_at is not None:
        live.apply(Change(ops=list(as_valid_on(live.state, view.valid_at))))
    if view.heard_until is not None or view.valid_at is not None:
        builder(live).refresh()
    return live


def heard(change: Change, until: datetime) -> Change:
    """Leave out of a space what was said after a time, with all that stands on it.

    An exchange that goes on after the time has not been understood yet then; its earlier messages are there. Summaries
    and lines of pages are left out, since they are to be made anew.
    """
    messages = [m for m in change.messages if m.sent_at is not None and m.sent_at <= until]
    there = {m.id for m in messages}
    snapshots = [s for s in change.snapshots if there.issuperset(s.message_ids)]
    read = {s.id for s in snapshots}
    sources = [s for s in change.sources if s.snapshot_id in read]
    claimed = {s.claim_id for s in sources}
    members = [m for m in change.members if m.snapshot_id in read]
    threads = {m.trajectory_id for m in members}
    links = [link for link in change.links if link.trajectory_id in threads]
    linked = {link.page_id for link in links}
    pages = [p for p in change.pages if p.id in linked or (p.type is PageType.INDEX and threads)]
    # Those of trajectories and pages only hold the place of the ones that are made anew.
    vectors = {"message": there, "snapshot": read, "trajectory": threads, "page": {p.id for p in pages}}
    exchanges = (replace(e, message_ids=tuple(i for i in e.message_ids if i in there)) for e in change.exchanges)
    return Change(
        messages=messages,
        exchanges=[e for e in exchanges if e.message_ids],
        snapshots=snapshots,
        claims=[c for c in change.claims if c.id in claimed],
        sources=sources,
        ops=_ops(change.ops, claimed, read, until),
        trajectories=[
            replace(t, continues=t.continues if t.continues in threads else None)
            for t in change.trajectories
            if t.id in threads
        ],
        members=_numbered(members),
        pages=pages,
        links=links,
        vectors=[v for v in change.vectors if v.item_id in vectors.get(v.kind, ())],
    )


def _ops(ops: Iterable[ClaimOp], claims: set[str], read: set[str], until: datetime) -> list[ClaimOp]:
    """Keep what was done to the claims until then; one that came in later than another source of it is added first."""
    kept: list[ClaimOp] = []
    begun: set[str] = set()
    later: dict[str, ClaimOp] = {}
    for done in ops:
        if done.claim_id not in claims:
            continue
        alone = done.replaces is not None and done.replaces not in claims
        op = replace(done, op=Op.ADD, replaces=None) if alone else done
        if op.cause in read or (op.heard_at is not None and op.heard_at <= until):
            kept.append(op)
            begun.add(op.claim_id)
        else:
            later.setdefault(op.claim_id, op)
    unsaid = [replace(op, op=Op.ADD, replaces=None) for claim_id, op in later.items() if claim_id not in begun]
    return unsaid + kept


def _numbered(members: Iterable[Member]) -> list[Member]:
    """Close the gaps in the places of snapshots in their trajectories."""
    length: dict[str, int] = {}
    numbered = []
    for member in members:
        place = length.get(member.trajectory_id, 0)
        length[member.trajectory_id] = place + 1
        numbered.append(replace(member, ordinal=place))
    return numbered
