"""Looking back: which commit a moment means, what changed between two commits, and where a claim or page comes from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from trajwiki.domain.claims import ClaimOp, Op
from trajwiki.domain.history import Commit
from trajwiki.domain.state import Change, SpaceState
from trajwiki.domain.wiki import Bullet
from trajwiki.errors import UnknownItem, UsageError

When = int | datetime


def commit_at(commits: Sequence[Commit], when: When) -> int:
    """Give the number of the commit that was the newest at a moment.

    Args:
        commits: Of the space, newest first.
        when: A commit number, or an aware time.

    Returns:
        The number; 0 before the first commit.

    Raises:
        UnknownItem: There is no commit of that number.
        UsageError: The time has no zone.
    """
    head = commits[0].n if commits else 0
    return commit_of(when, head, lambda moment: next((c.n for c in commits if c.at <= moment), 0))


def commit_of(when: When, head: int, newest: Callable[[datetime], int]) -> int:
    """Give the number of the commit that was the newest at a moment, without reading all commits.

    Args:
        when: A commit number, or an aware time.
        head: The newest commit.
        newest: Gives the newest commit that was written up to a time, 0 when there is none.

    Raises:
        UnknownItem: There is no commit of that number.
        UsageError: The time has no zone.
    """
    if isinstance(when, datetime):
        if when.tzinfo is None:
            raise UsageError(f"the time {when.isoformat()} has no zone")
        return newest(when)
    if not 0 <= when <= head:
        raise UnknownItem(f"there is no commit {when}; the newest is {head}")
    return when


@dataclass(frozen=True, slots=True)
class Diff:
    """What changed between two commits.

    Attributes:
        before: The earlier commit.
        after: The later one.
        messages: Refs of messages that were added or edited.
        added: Texts of claims that came, with their ids.
        revised: (old text, new text, reason).
        deprecated: (text, reason).
        other: (text, status, reason) of doubts cleared and claims restored.
        grown: (title of the trajectory, snapshots gained).
        bullets_gone: (page slug, text).
        bullets_new: (page slug, text).
    """

    before: int
    after: int
    messages: tuple[str, ...]
    added: tuple[tuple[str, str], ...]
    revised: tuple[tuple[str, str, str], ...]
    deprecated: tuple[tuple[str, str], ...]
    other: tuple[tuple[str, str, str], ...]
    grown: tuple[tuple[str, int], ...]
    bullets_gone: tuple[tuple[str, str], ...]
    bullets_new: tuple[tuple[str, str], ...]


def diff(change: Change, before: SpaceState, after: SpaceState) -> Diff:
    """Read a change for a person.

    Args:
        change: The commits between the two states, as one change.
        before: The state at the earlier commit.
        after: The state at the later one.
    """
    text = {i: c.text for i, c in after.claims.items()}
    ops: dict[Op, list[ClaimOp]] = {}
    for op in change.ops:
        ops.setdefault(op.op, []).append(op)
    gained: dict[str, int] = {}
    for member in change.members:
        gained[member.trajectory_id] = gained.get(member.trajectory_id, 0) + 1
    slugs = {p.id: p.slug for state in (before, after) for p in state.pages.values()}
    return Diff(
        before=before.head,
        after=after.head,
        messages=tuple(m.source_ref for m in change.messages),
        added=tuple((op.claim_id, text[op.claim_id]) for op in ops.get(Op.ADD, ())),
        revised=tuple(
            (text[op.replaces], text[op.claim_id], op.reason) for op in ops.get(Op.REVISE, ()) if op.replaces
        ),
        deprecated=tuple((text[op.claim_id], op.reason) for op in ops.get(Op.DEPRECATE, ())),
        other=tuple(
            (text[op.claim_id], op.status.value, op.reason)
            for kind in (Op.STATUS, Op.RESTORE)
            for op in ops.get(kind, ())
        ),
        grown=tuple((after.versions[t][-1].title, n) for t, n in gained.items()),
        bullets_gone=_lines(change.ended_bullets, slugs),
        bullets_new=_lines(change.bullets, slugs),
    )


@dataclass(frozen=True, slots=True)
class BlameSource:
    """Words that a line stands on, and the commit in which they were understood."""

    claim_id: str
    commit: int
    snapshot_id: str
    source_ref: str
    speaker: str
    sent_at: datetime | None
    quote: str


@dataclass(frozen=True, slots=True)
class BlameLine:
    """A line of a page, or a claim, and what it stands on."""

    text: str
    sources: tuple[BlameSource, ...]


def blame(what: str, state: SpaceState, commits: Mapping[str, int]) -> list[BlameLine]:
    """Say where a claim, or each line of a page, comes from.

    Args:
        what: A claim id, or the slug of a page.
        state: The space.
        commits: Snapshot id to the commit that made it.

    Raises:
        UnknownItem: There is neither.
    """
    if what in state.claims:
        return [BlameLine(state.claims[what].text, _stands_on([what], state, commits))]
    page = next((p for p in state.pages.values() if p.slug == what), None)
    if page is None:
        raise UnknownItem(f"there is no claim and no page {what!r}")
    return [BlameLine(b.text, _stands_on(b.claim_ids, state, commits)) for b in state.bullets.get(page.id, ())]


def _stands_on(claim_ids: Sequence[str], state: SpaceState, commits: Mapping[str, int]) -> tuple[BlameSource, ...]:
    out = []
    for claim_id in claim_ids:
        for s in state.sources[claim_id]:
            m = state.messages[s.quote.message_id]
            commit = commits[s.snapshot_id]
            out.append(BlameSource(claim_id, commit, s.snapshot_id, m.source_ref, m.speaker, m.sent_at, s.quote.text))
    return tuple(out)


def _lines(bullets: Sequence[Bullet], slugs: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple((slugs.get(b.page_id, b.page_id), b.text) for b in bullets)
