"""Messages as pages show them: the words with the quotes that claims stand on marked, and what was understood."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

from trajwiki.domain.claims import Claim, ClaimOp, Quote
from trajwiki.domain.messages import Message
from trajwiki.domain.state import SpaceState


@dataclass(frozen=True, slots=True)
class Piece:
    """Part of a text: plain, quoted by a claim, or by the claim that is asked for."""

    text: str
    mark: str  # "", "quoted" or "asked"


@dataclass(frozen=True, slots=True)
class Understood:
    """A claim beside a message.

    Attributes:
        claim: The claim.
        status: Now.
        quote: Its words here.
        asked: It is the one that the reader came for.
        instead: Claims that replaced it.
        before: Claims that it replaced.
    """

    claim: Claim
    status: str
    quote: str
    asked: bool
    instead: tuple[Claim, ...]
    before: tuple[Claim, ...]


@dataclass(frozen=True, slots=True)
class Said:
    """A message as it is shown.

    Attributes:
        id, ref, speaker, at, session, source, role: Of the message.
        pieces: Its content, in order.
        claims: What was understood from it.
        edited: Its earlier texts, oldest first.
        thread: Id and title of its trajectory, or None.
        asked: The reader came for it.
        loose: A quote stands in an earlier text only.
        open: Its exchange is not closed yet, and so it is not understood yet.
    """

    id: str
    ref: str
    speaker: str
    at: datetime | None
    session: str
    source: str
    role: str
    pieces: tuple[Piece, ...]
    claims: tuple[Understood, ...]
    edited: tuple[str, ...]
    thread: tuple[str, str] | None
    asked: bool
    loose: bool
    open: bool


def said(state: SpaceState, message: Message, *, claim_id: str | None = None, asked: bool = False) -> Said:
    """Give a message as it is shown.

    Args:
        state: The space.
        message: The message.
        claim_id: The claim whose words are to stand out.
        asked: The reader came for this message.
    """
    quotes: list[tuple[Quote, bool]] = []
    claims = []
    for one in state.claims_of.get(message.id, ()):
        for source in state.sources[one]:
            if source.quote.message_id == message.id:
                quotes.append((source.quote, one == claim_id))
        claims.append(_understood(state, one, message.id, asked=one == claim_id))
    thread = state.trajectory_of_message(message.id)
    pieces, fitted = marked(message.content, quotes)
    return Said(
        id=message.id,
        ref=message.source_ref,
        speaker=message.speaker,
        at=message.sent_at,
        session=message.session,
        source=message.source,
        role=message.role.value,
        pieces=pieces,
        claims=tuple(claims),
        edited=tuple(m.content for m in state.earlier.get(message.id, ())),
        thread=(thread, state.versions[thread][-1].title) if thread else None,
        asked=asked,
        loose=fitted < len(quotes),
        open=message.id not in state.exchange_of,
    )


def _understood(state: SpaceState, claim_id: str, message_id: str, *, asked: bool) -> Understood:
    quote = next(s.quote.text for s in state.sources[claim_id] if s.quote.message_id == message_id)
    before, instead = replaced(state, claim_id)
    return Understood(state.claims[claim_id], state.status[claim_id].value, quote, asked, instead, before)


def replaced(state: SpaceState, claim_id: str) -> tuple[tuple[Claim, ...], tuple[Claim, ...]]:
    """Give the claims that a claim replaced, and those that replaced it."""
    before, instead = [], []
    for other in dict.fromkeys(state.revisions_of.get(claim_id, ())):
        if state.claims[other].ordinal < state.claims[claim_id].ordinal:
            before.append(state.claims[other])
        else:
            instead.append(state.claims[other])
    return tuple(before), tuple(instead)


def marked(text: str, quotes: Iterable[tuple[Quote, bool]]) -> tuple[tuple[Piece, ...], int]:
    """Give a text in pieces, with the words of quotes marked, and how many of the quotes stand in it.

    Args:
        text: The text.
        quotes: (quote, whether it is the one that the reader came for).
    """
    found = [
        (quote.start, quote.start + len(quote.text), asked)
        for quote, asked in quotes
        if quote.text and text[quote.start : quote.start + len(quote.text)] == quote.text
    ]
    edges = sorted({0, len(text), *(e for start, end, _ in found for e in (start, end))})
    pieces = [Piece(text[a:b], _kind(found, a, b)) for a, b in pairwise(edges)]
    return tuple(pieces), len(found)


def _kind(spans: Iterable[tuple[int, int, bool]], a: int, b: int) -> str:
    over = [asked for start, end, asked in spans if start < b and a < end]
    return "asked" if any(over) else "quoted" if over else ""


@dataclass(frozen=True, slots=True)
class Step:
    """An operation on claims as it is shown.

    Attributes:
        op: ADD, REVISE, DEPRECATE, STATUS or RESTORE.
        claim: What it was done to.
        old: For REVISE, what it replaced.
        status: What the claim is from here on.
        by: Who decided.
        reason: A sentence.
        heard: When it was said.
        causes: Messages behind it: (message id, ref, speaker).
    """

    op: str
    claim: Claim
    old: Claim | None
    status: str
    by: str
    reason: str
    heard: datetime | None
    causes: tuple[tuple[str, str, str], ...]


def step(state: SpaceState, op: ClaimOp) -> Step:
    """Give an operation as it is shown."""
    return Step(
        op=op.op.value,
        claim=state.claims[op.claim_id],
        old=state.claims.get(op.replaces) if op.replaces else None,
        status=op.status.value,
        by=op.decided_by,
        reason=op.reason,
        heard=op.heard_at,
        causes=causes(state, op),
    )


def causes(state: SpaceState, op: ClaimOp) -> tuple[tuple[str, str, str], ...]:
    """Give the messages that brought an operation about: those that the claim quotes there, or else all of them."""
    if (message := state.messages.get(op.cause)) is not None:
        return ((message.id, message.source_ref, message.speaker),)
    snapshot = state.snapshots.get(op.cause)
    if snapshot is None:
        return ()
    quoted = {s.quote.message_id for s in state.sources.get(op.claim_id, ()) if s.snapshot_id == snapshot.id}
    chosen = [i for i in snapshot.message_ids if i in quoted] or list(snapshot.message_ids)
    return tuple((m.id, m.source_ref, m.speaker) for i in chosen if (m := state.messages.get(i)) is not None)
