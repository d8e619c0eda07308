"""A hand-built space for tests of the wiki: exchanges with given claims and trajectories, no extraction, no model."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import numpy as np

from trajwiki.domain.claims import Claim, ClaimKind, ClaimOp, ClaimSource, Facet, Op, Quote, Status
from trajwiki.domain.ids import Ids
from trajwiki.domain.messages import Message, Role
from trajwiki.domain.snapshots import ClosedBy, Exchange
from trajwiki.domain.state import Change, SpaceState, Vector
from trajwiki.domain.times import TimeSpan
from trajwiki.domain.trajectories import Member, Trajectory
from trajwiki.domain.wiki import Bullet, Page, Section
from trajwiki.language.tokens import fold, keywords
from trajwiki.memory.snapshots import make_snapshot
from trajwiki.memory.summaries import retrieval_text, summarise
from trajwiki.wiki.assign import WikiIndex, place
from trajwiki.wiki.pages import compile_bullets, touched_pages

START = datetime(2023, 5, 8, 12, tzinfo=UTC)
DIMENSION = 16
MODEL = "Assistant"  # speaks as a model


@dataclass(frozen=True)
class Said:
    """A claim to be read in an exchange; `replaces` is the text of the claim that it supersedes."""

    text: str
    subject: str = "Ana"
    kind: ClaimKind = ClaimKind.FACT
    facet: tuple[str, str] | None = None
    entities: tuple[str, ...] = ()
    terms: tuple[str, ...] = ()
    status: Status = Status.ACTIVE
    valid: TimeSpan | None = None
    replaces: str | None = None
    instruction_like: bool = False


@dataclass
class Wiki:
    """A space that grows exchange by exchange, as the engine grows it."""

    state: SpaceState = field(default_factory=SpaceState)
    ids: Ids = field(default_factory=lambda: Ids("space_test"))
    compile_each: bool = True

    def __post_init__(self) -> None:
        self.index = WikiIndex.from_state(self.state)
        self.whole = Change()

    def say(
        self, thread: str, *claims: Said | str, text: str = "", speakers: Sequence[str] = ("Ana", "Ben"), day: int = 0
    ) -> Change:
        """Add an exchange to the trajectory of this name."""
        said = [c if isinstance(c, Said) else Said(c) for c in claims]
        change = Change()
        self._read(said, text or " ".join(c.text for c in said), speakers, day, change)
        self._match(thread, change)
        self._move(change)
        trajectory_id = change.members[0].trajectory_id
        summary = Change(versions=[summarise(self.state, trajectory_id)])
        summary.vectors.append(
            Vector("trajectory", trajectory_id, toy_vector(retrieval_text(self.state, trajectory_id)))
        )
        self._move(summary, change)
        self._move(place(self.state, self.index, trajectory_id, ids=self.ids), change)
        if self.compile_each:
            self._move(compile_bullets(self.state, sorted(touched_pages(self.state, change))), change)
        self.whole.extend(change)
        return change

    def compile(self) -> None:
        """Compile what all the exchanges so far touched, as one commit would."""
        change = compile_bullets(self.state, sorted(touched_pages(self.state, self.whole)))
        self._move(change)
        self.whole.extend(change)

    # What tests look at.

    def page(self, slug: str) -> Page:
        return next(p for p in self.state.pages.values() if p.slug == slug)

    def bullets(self, slug: str, section: Section) -> list[Bullet]:
        return [b for b in self.state.bullets.get(self.page(slug).id, []) if b.section is section]

    def texts(self, slug: str, section: Section) -> list[str]:
        return [b.text for b in self.bullets(slug, section)]

    def slugs(self) -> set[str]:
        return {p.slug for p in self.state.pages.values()}

    def thread(self, name: str) -> str:
        return self.ids.of("trajectory", name)

    # The stages that are not under test.

    def _move(self, change: Change, into: Change | None = None) -> None:
        self.state.apply(change)
        self.index.apply(change)
        if into is not None:
            into.extend(change)

    def _read(self, said: Sequence[Said], text: str, speakers: Sequence[str], day: int, change: Change) -> None:
        n = len(self.state.messages)
        at = START + timedelta(days=day, minutes=n)
        change.messages = [
            Message(
                id=self.ids.of("message", n + i),
                ordinal=n + i,
                source_ref=f"D{day}:{n + i}",
                source="test",
                session=f"day {day}",
                speaker=speaker,
                role=Role.ASSISTANT if speaker == MODEL else Role.USER,
                text=text if i == 0 else "I see.",
                caption=None,
                sent_at=at,
            )
            for i, speaker in enumerate(speakers)
        ]
        message_ids = tuple(m.id for m in change.messages)
        exchange_id = self.ids.of("exchange", *message_ids)
        exchange = Exchange(exchange_id, len(self.state.exchanges), "test", message_ids, ClosedBy.FLUSH)
        change.exchanges = [exchange]
        snapshot_id = self.ids.of("snapshot", exchange_id)
        claims = [self._claim(one, change, snapshot_id) for one in said]
        change.snapshots = [
            make_snapshot(
                exchange,
                change.messages,
                list(dict.fromkeys(claims)),
                ordinal=len(self.state.snapshots),
                ids=self.ids,
            )
        ]

    def _claim(self, said: Said, change: Change, snapshot_id: str) -> Claim:
        claim_id = self.ids.of("claim", fold(said.text))
        known = {**self.state.claims, **{c.id: c for c in change.claims}}
        claim = known.get(claim_id) or Claim(
            id=claim_id,
            ordinal=len(known),
            text=said.text,
            subject=said.subject,
            kind=said.kind,
            facet=Facet(*said.facet) if said.facet else None,
            valid=said.valid,
            entities=said.entities,
            terms=said.terms,
            negated=False,
            instruction_like=said.instruction_like,
        )
        source = ClaimSource(
            claim_id,
            self.state.source_count + len(change.sources),
            snapshot_id,
            Quote(change.messages[0].id, said.text, 0),
        )
        change.sources.append(source)
        if claim_id not in known:
            change.claims.append(claim)
        if claim_id not in known or said.replaces:
            n = len(self.state.ops) + len(change.ops)
            replaces = self.ids.of("claim", fold(said.replaces)) if said.replaces else None
            op = Op.REVISE if replaces else Op.ADD
            change.ops.append(
                ClaimOp(self.ids.of("op", n), n, op, claim_id, said.status, replaces, snapshot_id, "test", "", START)
            )
        return claim

    def _match(self, thread: str, change: Change) -> None:
        trajectory_id = self.thread(thread)
        if trajectory_id not in self.state.trajectories:
            change.trajectories.append(Trajectory(trajectory_id, len(self.state.trajectories)))
        ordinal = len(self.state.members.get(trajectory_id, ()))
        change.members = [Member(trajectory_id, ordinal, change.snapshots[0].id, 1.0, "test")]


def toy_vector(text: str) -> np.ndarray:
    """Give a unit vector in which texts that share words are near; the same on every machine."""
    total = np.zeros(DIMENSION, np.float32)
    for word in keywords(text) or ["nothing"]:
        total += np.random.default_rng(zlib.crc32(word.encode())).standard_normal(DIMENSION).astype(np.float32)
    return total / np.float32(np.linalg.norm(total))
