"""Erasing messages: the history is replayed without them, so that what stood on them alone was never there.

The boundaries of exchanges and the places of messages stay as they were, with holes; so whatever does not stand on the
erased words keeps its ids, and corrections and reverts are carried out again where they did.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from trajwiki.construction import Builder
from trajwiki.domain.claims import ClaimOp, Status, statuses_of
from trajwiki.domain.history import Commit, CommitKind
from trajwiki.domain.messages import Message, NewMessage
from trajwiki.domain.snapshots import Exchange
from trajwiki.domain.state import Change, SpaceState
from trajwiki.errors import CorruptStore, UsageError

Dated = list[tuple[int, Change]]


@dataclass(frozen=True, slots=True)
class Selection:
    """Which messages: those that meet every condition that is given.

    Attributes:
        refs: Source refs or ids.
        session: Name of a session.
        speaker: Name of a speaker.
        before: Sent before this time; messages without a time are not.
        matching: Text that stands in it, whatever the case.
        everything: All messages of the space.
    """

    refs: tuple[str, ...] = ()
    session: str | None = None
    speaker: str | None = None
    before: datetime | None = None
    matching: str | None = None
    everything: bool = False

    def of(self, state: SpaceState) -> list[Message]:
        """Give the messages that are meant, in order. Raises UsageError when nothing was said, or a ref is unknown."""
        if self.everything:
            return list(state.messages.values())
        if not self.refs and all(x is None for x in (self.session, self.speaker, self.before, self.matching)):
            raise UsageError("say which messages: by ref, session, speaker, time or text")
        unknown = [r for r in self.refs if r not in state.message_by_ref and r not in state.messages]
        if unknown:
            raise UsageError(f"there is no message {unknown[0]!r}")
        return [m for m in state.messages.values() if self._means(m, state)]

    def _means(self, message: Message, state: SpaceState) -> bool:
        texts = [m.content.casefold() for m in (message, *state.earlier.get(message.id, ()))]
        return (
            (not self.refs or message.source_ref in self.refs or message.id in self.refs)
            and self.session in (None, message.session)
            and self.speaker in (None, message.speaker)
            and (self.before is None or (message.sent_at is not None and message.sent_at < self.before))
            and (self.matching is None or any(self.matching.casefold() in text for text in texts))
        )


@dataclass(frozen=True, slots=True)
class Erasure:
    """What falls, and what stays with less under it.

    Attributes:
        messages: Refs of the messages that fall.
        claims: Texts of the claims that fall.
        kept: Texts of claims that lose a source and stay.
        changed: Texts of claims whose status changes, because what had replaced them falls.
        counts: Number of messages, claims, snapshots, trajectories and pages that are gone.
        at: When; None for a dry run.
        by: Who; None for a dry run.
        scrubbed: Freed pages and logs hold none of it any more; False: `doctor --repair` finishes it.
    """

    messages: tuple[str, ...]
    claims: tuple[str, ...]
    kept: tuple[str, ...]
    changed: tuple[str, ...]
    counts: dict[str, int]
    at: datetime | None = None
    by: str | None = None
    scrubbed: bool = False


def compare(erased: Sequence[Message], before: SpaceState, after: SpaceState) -> Erasure:
    """Say what an erasure does."""
    lost = {c for m in erased for c in before.claims_of.get(m.id, ()) if c in after.claims}
    return Erasure(
        messages=tuple(m.source_ref for m in erased),
        claims=tuple(c.text for c in before.claims.values() if c.id not in after.claims),
        kept=tuple(before.claims[c].text for c in sorted(lost, key=lambda c: before.claims[c].ordinal)),
        changed=tuple(
            c.text
            for c in after.claims.values()
            if c.id in before.status and before.status[c.id] is not after.status[c.id]
        ),
        counts={
            name: len(getattr(before, name).keys() - getattr(after, name).keys())
            for name in ("messages", "claims", "snapshots", "trajectories", "pages")
        },
    )


def replay(
    commits: Sequence[Commit], records: Sequence[tuple[int, object]], holes: frozenset[str], builder: Builder
) -> Dated:
    """Carry out a history again without some messages.

    Args:
        commits: Oldest first.
        records: (commit, message or exchange or snapshot's exchange id), in order.
        holes: Ids of the messages to leave out.
        builder: On an empty space.

    Returns:
        What each commit changes now.
    """
    by_commit: dict[int, list[object]] = {}
    for n, record in records:
        by_commit.setdefault(n, []).append(record)
    dated: Dated = []
    done: list[tuple[int, list[ClaimOp]]] = []
    for commit in commits:
        here = by_commit.get(commit.n, [])
        change = _again(commit, here, holes, builder, done)
        builder.live.state.head = commit.n
        dated.append((commit.n, change))
        done.append((commit.n, list(change.ops)))
    return dated


def _again(
    commit: Commit,
    here: Sequence[object],
    holes: frozenset[str],
    builder: Builder,
    done: list[tuple[int, list[ClaimOp]]],
) -> Change:
    messages = [r for r in here if isinstance(r, Message) and r.id not in holes]
    exchanges = [_with_hole(r, holes) for r in here if isinstance(r, Exchange)]
    if commit.kind in (CommitKind.MESSAGES, CommitKind.FLUSH):
        return builder.restore(messages, exchanges)
    if commit.kind is CommitKind.UNDERSTAND:
        known = builder.live.state.exchanges
        unknown = next((r for r in here if isinstance(r, str) and r not in known), None)
        if unknown is not None:
            raise CorruptStore(
                f"commit {commit.n} reads exchange {unknown}, which no commit before it closed; nothing was erased. "
                "Run `trajwiki doctor`, and restore a backup"
            )
        read = [known[r] for r in here if isinstance(r, str)]
        return builder.understand([e for e in read if e.message_ids])
    if commit.kind is CommitKind.CORRECTION and messages:
        target = messages[0].metadata.get("target")
        if target and target not in builder.live.state.claims:
            return Change()  # what it corrected is gone, and so it is a correction of nothing
        return builder.correct(_as_new(messages[0]))
    if commit.kind is CommitKind.REVERT:
        n = int(commit.arguments["commit"])
        actor = f"person:{commit.actor}"
        return builder.take_back(n, statuses_before(n, done), decided_by=actor, at=commit.at)
    return Change()


def statuses_before(n: int, done: Sequence[tuple[int, Sequence[ClaimOp]]]) -> dict[str, Status | None]:
    """Give the claims that commit n touched, with the status each had before it; None: it was not there.

    Args:
        n: The commit.
        done: (commit, its operations) from the beginning, in order.
    """
    status: dict[str, Status] = {}
    for commit, ops in done:
        if commit == n:
            return {c: status.get(c) for op in ops for c, _ in statuses_of(op)}
        for op in ops:
            status.update(statuses_of(op))
    return {}


def _with_hole(exchange: Exchange, holes: frozenset[str]) -> Exchange:
    return replace(exchange, message_ids=tuple(i for i in exchange.message_ids if i not in holes))


def _as_new(message: Message) -> NewMessage:
    return NewMessage(
        speaker=message.speaker,
        text=message.text,
        sent_at=message.sent_at,
        session=message.session,
        source_ref=message.source_ref,
        source=message.source,
        caption=message.caption,
        role=message.role,
        metadata=message.metadata,
    )
