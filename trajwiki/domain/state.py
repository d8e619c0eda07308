"""The state of a space in memory: a fold of changes.

Whatever is written to the store is written as a `Change`, and whatever is read from it is read as one:
opening a space is applying the change from commit 0 to the head, refreshing it is applying what came since,
and looking back is applying what had been written until then. So there is one code path for now and for then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, fields
from typing import TypeVar

import numpy as np

from trajwiki.domain.claims import Claim, ClaimOp, ClaimSource, Status, statuses_of
from trajwiki.domain.messages import Message, Role
from trajwiki.domain.snapshots import Exchange, Features, Snapshot
from trajwiki.domain.trajectories import Member, Trajectory, TrajectoryVersion
from trajwiki.domain.wiki import Bullet, Page, PageLink, PageType, Section

B = TypeVar("B")
K = TypeVar("K")

SECTION_ORDER = {section: place for place, section in enumerate(Section)}


@dataclass(frozen=True, slots=True)
class Vector:
    """An embedding of something.

    Attributes:
        kind: ``message``, ``snapshot``, ``trajectory`` or ``page``.
        item_id: Its id.
        data: float32 array of shape (d,), of unit length.
    """

    kind: str
    item_id: str
    data: np.ndarray


@dataclass(slots=True)
class Change:
    """Records that begin or end with a commit. `ended_…` name records that stop being current."""

    messages: list[Message] = field(default_factory=list)
    exchanges: list[Exchange] = field(default_factory=list)
    snapshots: list[Snapshot] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)
    sources: list[ClaimSource] = field(default_factory=list)
    ops: list[ClaimOp] = field(default_factory=list)
    trajectories: list[Trajectory] = field(default_factory=list)
    members: list[Member] = field(default_factory=list)
    versions: list[TrajectoryVersion] = field(default_factory=list)
    pages: list[Page] = field(default_factory=list)
    ended_pages: list[str] = field(default_factory=list)
    links: list[PageLink] = field(default_factory=list)
    ended_links: list[PageLink] = field(default_factory=list)
    bullets: list[Bullet] = field(default_factory=list)
    ended_bullets: list[Bullet] = field(default_factory=list)
    vectors: list[Vector] = field(default_factory=list)

    def extend(self, other: Change) -> None:
        """Append the records of a later change to be written in the same commit.

        What begins and ends within one commit was never there.
        """
        for f in fields(self):
            if not f.name.startswith("ended_"):
                getattr(self, f.name).extend(getattr(other, f.name))
        self.ended_pages += _cancel(self.pages, other.ended_pages, lambda p: p.id)
        self.ended_links += _cancel(self.links, other.ended_links, lambda link: link)
        self.ended_bullets += _cancel(self.bullets, other.ended_bullets, lambda b: b)

    def counts(self) -> dict[str, int]:
        """Give the number of records by name, leaving out zeros."""
        return {f.name: n for f in fields(self) if (n := len(getattr(self, f.name)))}

    def __bool__(self) -> bool:
        return any(getattr(self, f.name) for f in fields(self))


def _cancel(begun: list[B], ended: list[K], key: Callable[[B], K]) -> list[K]:
    """Take out of `begun` what is in `ended`, and give what of `ended` was begun before."""
    if not ended:
        return []
    fresh = {key(item) for item in begun}
    gone = [k for k in ended if k in fresh]
    begun[:] = [item for item in begun if key(item) not in gone]
    return [k for k in ended if k not in fresh]


class SpaceState:
    """Everything a space holds at one commit, ready to be read.

    Attributes:
        head: The commit this is the state of; 0 for an empty space.
        messages: Current revision by id, in order of arrival.
        next_ordinal: Place of the next message to arrive.
        earlier: Superseded revisions by message id, oldest first.
        exchanges, snapshots, claims, trajectories, pages: By id, in order.
        speakers: Names to the number of their messages, in order of appearance.
        sessions: (source, session) to its message ids, in order of arrival.
        open_tails: (source, session) to the messages that are in no exchange yet.
        unread: Closed exchanges that are not understood yet, by id, oldest first.
        exchange_of: Message id to exchange id.
        snapshot_of: Exchange id to snapshot id.
        trajectory_of: Snapshot id to trajectory id.
        sources: Claim id to its sources, in order.
        claims_of: Message id to the claims that stand on it, in order.
        claims_about: Folded subject to claim ids, in order.
        source_count: Number of claim sources.
        status: Claim id to its status now.
        ops: All claim operations, in order.
        last_op: Claim id to the operation that gave it its status.
        revisions_of: Claim id to the claims that replaced it or that it replaced.
        members: Trajectory id to its members, in order.
        versions: Trajectory id to its versions, in order.
        features: Trajectory id to the union of its snapshots' features.
        links: Page id to linked trajectory ids, in order of linking.
        pages_of: Trajectory id to page ids.
        bullets: Page id to bullets in order of section and ordinal.
        vectors: Kind to item id to the newest vector.
    """

    def __init__(self) -> None:
        self.head = 0
        self.messages: dict[str, Message] = {}
        self.next_ordinal = 0
        self.earlier: dict[str, list[Message]] = {}
        self.message_by_ref: dict[str, str] = {}
        self.exchanges: dict[str, Exchange] = {}
        self.speakers: dict[str, int] = {}
        self.sessions: dict[tuple[str, str], list[str]] = {}
        self.open_tails: dict[tuple[str, str], list[str]] = {}
        self.unread: dict[str, Exchange] = {}
        self.exchange_of: dict[str, str] = {}
        self.snapshots: dict[str, Snapshot] = {}
        self.snapshot_of: dict[str, str] = {}
        self.claims: dict[str, Claim] = {}
        self.sources: dict[str, list[ClaimSource]] = {}
        self.claims_of: dict[str, list[str]] = {}
        self.claims_about: dict[str, list[str]] = {}
        self.source_count = 0
        self.status: dict[str, Status] = {}
        self.ops: list[ClaimOp] = []
        self.last_op: dict[str, ClaimOp] = {}
        self.revisions_of: dict[str, list[str]] = {}
        self.trajectories: dict[str, Trajectory] = {}
        self.members: dict[str, list[Member]] = {}
        self.trajectory_of: dict[str, str] = {}
        self.versions: dict[str, list[TrajectoryVersion]] = {}
        self.features: dict[str, Features] = {}
        self.pages: dict[str, Page] = {}
        self.links: dict[str, list[str]] = {}
        self.pages_of: dict[str, list[str]] = {}
        self.bullets: dict[str, list[Bullet]] = {}
        self.vectors: dict[str, dict[str, np.ndarray]] = {"message": {}, "snapshot": {}, "trajectory": {}, "page": {}}

    def apply(self, change: Change) -> None:
        """Move to the state after the change. Records are in the order in which they came about."""
        self._apply_messages(change)
        self._apply_claims(change)
        self._apply_trajectories(change)
        self._apply_pages(change)
        for vector in change.vectors:
            self.vectors[vector.kind][vector.item_id] = vector.data

    def _apply_messages(self, change: Change) -> None:
        for message in change.messages:
            if (old := self.messages.get(message.id)) is not None:
                self.earlier.setdefault(message.id, []).append(old)
            else:
                if message.role is not Role.CORRECTION:
                    self.speakers[message.speaker] = self.speakers.get(message.speaker, 0) + 1
                key = (message.source, message.session)
                self.sessions.setdefault(key, []).append(message.id)
                self.open_tails.setdefault(key, []).append(message.id)
            self.messages[message.id] = message
            self.next_ordinal = max(self.next_ordinal, message.ordinal + 1)
            self.message_by_ref[message.source_ref] = message.id
        for exchange in change.exchanges:
            self.exchanges[exchange.id] = exchange
            if exchange.message_ids:  # an erasure may have emptied it
                self.unread[exchange.id] = exchange
            for message_id in exchange.message_ids:
                self.exchange_of[message_id] = exchange.id
                self._close_tail(message_id)
        for snapshot in change.snapshots:
            self.snapshots[snapshot.id] = snapshot
            self.snapshot_of[snapshot.exchange_id] = snapshot.id
            self.unread.pop(snapshot.exchange_id, None)

    def _close_tail(self, message_id: str) -> None:
        message = self.messages[message_id]
        key = (message.source, message.session)
        tail = self.open_tails.get(key, [])
        if message_id in tail:
            tail.remove(message_id)
        if not tail:
            self.open_tails.pop(key, None)

    def _apply_claims(self, change: Change) -> None:
        for claim in change.claims:
            self.claims[claim.id] = claim
            self.claims_about.setdefault(claim.subject.casefold(), []).append(claim.id)
        self.source_count += len(change.sources)
        for source in change.sources:
            self.sources.setdefault(source.claim_id, []).append(source)
            on_message = self.claims_of.setdefault(source.quote.message_id, [])
            if source.claim_id not in on_message:
                on_message.append(source.claim_id)
        for op in change.ops:
            self.ops.append(op)
            if op.replaces is not None:
                self.revisions_of.setdefault(op.claim_id, []).append(op.replaces)
                self.revisions_of.setdefault(op.replaces, []).append(op.claim_id)
            for claim_id, status in statuses_of(op):
                self.status[claim_id] = status
                self.last_op[claim_id] = op

    def _apply_trajectories(self, change: Change) -> None:
        for trajectory in change.trajectories:
            self.trajectories[trajectory.id] = trajectory
        for member in change.members:
            self.members.setdefault(member.trajectory_id, []).append(member)
            self.trajectory_of[member.snapshot_id] = member.trajectory_id
            known = self.features.get(member.trajectory_id, Features())
            self.features[member.trajectory_id] = known | self.snapshots[member.snapshot_id].features
        for version in change.versions:
            known_versions = self.versions.setdefault(version.trajectory_id, [])
            if known_versions and known_versions[-1].ordinal == version.ordinal:
                known_versions.pop()  # the same snapshots, seen anew after a claim among them changed
            known_versions.append(version)

    def _apply_pages(self, change: Change) -> None:
        for page in change.pages:
            self.pages[page.id] = page
        for link in change.ended_links:
            self.links[link.page_id].remove(link.trajectory_id)
            self.pages_of[link.trajectory_id].remove(link.page_id)
        for link in change.links:
            self.links.setdefault(link.page_id, []).append(link.trajectory_id)
            self.pages_of.setdefault(link.trajectory_id, []).append(link.page_id)
        touched = set()
        for bullet in change.ended_bullets:
            self.bullets[bullet.page_id].remove(bullet)
        for bullet in change.bullets:
            self.bullets.setdefault(bullet.page_id, []).append(bullet)
            touched.add(bullet.page_id)
        for page_id in touched:
            self.bullets[page_id].sort(key=lambda b: (SECTION_ORDER[b.section], b.ordinal))
        for page_id in change.ended_pages:
            del self.pages[page_id]
            self.bullets.pop(page_id, None)
            self.links.pop(page_id, None)
            self.vectors["page"].pop(page_id, None)

    # What readers of the state ask most.

    def trajectory_of_message(self, message_id: str) -> str | None:
        """Give the trajectory a message was understood in, or None while its exchange is open."""
        snapshot_id = self.snapshot_of_message(message_id)
        return self.trajectory_of.get(snapshot_id) if snapshot_id else None

    def snapshot_of_message(self, message_id: str) -> str | None:
        """Give the snapshot a message was understood in, or None while its exchange is open."""
        exchange_id = self.exchange_of.get(message_id)
        return self.snapshot_of.get(exchange_id) if exchange_id else None

    def snapshots_in(self, trajectory_id: str) -> list[Snapshot]:
        """Give the snapshots of a trajectory, in order."""
        return [self.snapshots[m.snapshot_id] for m in self.members.get(trajectory_id, [])]

    def claims_in(self, trajectory_id: str) -> list[Claim]:
        """Give the distinct claims of a trajectory's snapshots, in order of first mention."""
        ids = dict.fromkeys(c for s in self.snapshots_in(trajectory_id) for c in s.claim_ids)
        return [self.claims[c] for c in ids]

    def is_current(self, claim_id: str) -> bool:
        """Tell whether a claim may be used for the present: anything but deprecated."""
        return self.status[claim_id] is not Status.DEPRECATED

    def index_page(self) -> Page | None:
        """Give the index page, or None in a space without trajectories."""
        return next((p for p in self.pages.values() if p.type is PageType.INDEX), None)


def fold_status(ops: Iterable[ClaimOp]) -> dict[str, Status]:
    """Give the status of every claim after these operations, in order (paper, 3.1, eq. 5)."""
    status: dict[str, Status] = {}
    for op in ops:
        status.update(statuses_of(op))
    return status
