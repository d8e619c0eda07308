"""Building memory: the stages from messages to pages, in order, each exchange moving the live space forward.

Nothing here writes. A function takes the live space, moves it, and gives the change that the engine writes; when
that fails the engine throws the live space away.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import takewhile

from trajwiki.domain.claims import Claim, ClaimDraft, ClaimOp, Status, statuses_of
from trajwiki.domain.ids import Ids
from trajwiki.domain.messages import Message, NewMessage
from trajwiki.domain.problems import Problem
from trajwiki.domain.snapshots import ClosedBy, Exchange, Snapshot
from trajwiki.domain.state import Change, Vector
from trajwiki.domain.trajectories import Member, Trajectory
from trajwiki.live import LiveSpace
from trajwiki.memory.amendment import correction, take_back, withdraw_stale
from trajwiki.memory.evolution import evolve
from trajwiki.memory.evolution_model import note_readers, outdo, revise
from trajwiki.memory.exchanges import Grouper, Grouping
from trajwiki.memory.extraction import extract_claims
from trajwiki.memory.intake import identify
from trajwiki.memory.matching import candidates
from trajwiki.memory.matching_model import decide
from trajwiki.memory.read_ahead_model import Reading, read
from trajwiki.memory.reading_model import Part
from trajwiki.memory.snapshots import embedded_text, make_snapshot
from trajwiki.memory.summaries import retrieval_text, summarise
from trajwiki.memory.summary_model import model_version
from trajwiki.models.asking import Asker
from trajwiki.models.embedding import Embedder
from trajwiki.settings import Settings
from trajwiki.wiki.assign import place
from trajwiki.wiki.page_model import compile_with_model
from trajwiki.wiki.pages import compile_bullets, touched_pages
from trajwiki.wiki.plan_model import plan
from trajwiki.wiki.routing import routing_text


@dataclass(slots=True)
class Builder:
    """The stages with what they need.

    Attributes:
        live: The space that is moved forward.
        ids: Of the space.
        embedder: For vectors.
        settings: Thresholds and limits.
        asker: Asks a chat model; None: the rules decide everything.
        problems: What the stages doubted or dropped, in order.
        unread: Exchanges that the model should have read and could not: their claims are those of the rules.
    """

    live: LiveSpace
    ids: Ids
    embedder: Embedder
    settings: Settings
    asker: Asker | None = None
    problems: list[Problem] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)

    def take_messages(self, messages: Sequence[NewMessage]) -> Change:
        """Store messages that are not there yet, and close the exchanges that they end."""
        state = self.live.state
        change = self._taken(messages)
        fresh = change.messages
        grouper = Grouper(state, self._grouping(), self.ids)
        first_seen = [m for m in fresh if m.id not in state.messages]
        change.exchanges += grouper.add(first_seen)
        change.exchanges += self._to_read_again(fresh, len(state.exchanges) + len(change.exchanges))
        self.live.apply(change)
        return change

    def _taken(self, messages: Sequence[NewMessage]) -> Change:
        """Name the messages that are new or edited, and embed them."""
        fresh, problems = identify(messages, self.live.state, ids=self.ids)
        self.problems += problems
        vectors = self._vectors("message", [m.id for m in fresh], [m.content for m in fresh])
        return Change(messages=fresh, vectors=vectors)

    def _to_read_again(self, fresh: Sequence[Message], ordinal: int) -> list[Exchange]:
        """Give anew the understood exchanges in which a message was edited."""
        state = self.live.state
        edited = (m for m in fresh if m.revision and state.exchange_of.get(m.id) in state.snapshot_of)
        again: dict[str, Exchange] = {}
        for message in edited:
            old = state.exchanges[state.exchange_of[message.id]]
            exchange_id = self.ids.of("exchange", *old.message_ids, message.id, message.revision)
            again[old.id] = Exchange(exchange_id, ordinal + len(again), old.session, old.message_ids, ClosedBy.EDIT)
        return list(again.values())

    def flush(self) -> Change:
        """Close the exchanges that are still open."""
        change = Change(exchanges=Grouper(self.live.state, self._grouping(), self.ids).flush())
        self.live.apply(change)
        return change

    def understand(self, exchanges: Sequence[Exchange]) -> Change:
        """Read closed exchanges, oldest first, into snapshots, claims, trajectories and pages.

        Without an exchange, and with a model: let it write summaries and pages anew where they have changed.
        """
        whole = Change()
        for exchange in exchanges:
            for stage in (self._withdraw, self._read, self._match, self._summarise, self._place):
                self._move(stage(exchange), whole)
        if self.asker is not None and not exchanges:
            self._polish(self.asker, whole)
        self._compile(whole)
        return whole

    def part(self, exchange: Exchange) -> Part:
        """Give an exchange as a model is to read it."""
        messages = [self.live.state.messages[i] for i in exchange.message_ids]
        return Part(exchange, tuple(messages), self._previous(messages), tuple(self._speakers(messages)))

    def again(self, exchange_ids: Sequence[str]) -> Change:
        """Give exchanges anew, for a model to read."""
        state = self.live.state
        change = Change()
        for old in (state.exchanges[i] for i in exchange_ids):
            n = len(state.exchanges) + len(change.exchanges)
            exchange_id = self.ids.of("exchange", *old.message_ids, "again", n)
            change.exchanges.append(Exchange(exchange_id, n, old.session, old.message_ids, ClosedBy.EDIT))
        self.live.apply(change)
        return change

    def correct(self, new: NewMessage) -> Change:
        """Take a person's correction: a message of role CORRECTION that says what to do to which claim."""
        whole = Change()
        self._move(self._taken([new]), whole)
        message = whole.messages[0]
        exchange = Exchange(
            id=self.ids.of("exchange", message.id),
            ordinal=len(self.live.state.exchanges),
            session=f"{message.source}/{message.session}",
            message_ids=(message.id,),
            closed_by=ClosedBy.CORRECTION,
        )
        self._move(Change(exchanges=[exchange]), whole)
        for stage in (self._read_correction, self._match, self._summarise, self._place):
            self._move(stage(exchange), whole)
        self._compile(whole)
        return whole

    def restore(self, messages: Sequence[Message], exchanges: Sequence[Exchange]) -> Change:
        """Take messages and exchanges as they once were, for a replay."""
        vectors = self._vectors("message", [m.id for m in messages], [m.content for m in messages])
        change = Change(messages=list(messages), exchanges=list(exchanges), vectors=vectors)
        self.live.apply(change)
        return change

    def take_back(self, n: int, statuses: Mapping[str, Status | None], *, decided_by: str, at: datetime) -> Change:
        """Give claims the status that they had before commit n."""
        whole = Change()
        state = self.live.state
        change = take_back(statuses, state, cause=f"commit {n}", ids=self.ids, decided_by=decided_by, at=at)
        self._move(change, whole)
        self._move(self._summaries(self._threads_of(op.claim_id for op in change.ops)), whole)
        self._compile(whole)
        return whole

    def refresh(self) -> Change:
        """Make every summary and page anew from the claims that are there, for a look at another time."""
        whole = Change()
        self._move(self._summaries(self.live.state.trajectories), whole)
        self._compile(whole, everything=True)
        return whole

    def _move(self, change: Change, whole: Change) -> None:
        self.live.apply(change)
        whole.extend(change)

    # The stages of one exchange.

    def _withdraw(self, exchange: Exchange) -> Change:
        if exchange.closed_by is not ClosedBy.EDIT:
            return Change()
        snapshot_id = self.ids.of("snapshot", exchange.id)
        return withdraw_stale(exchange.message_ids, self.live.state, snapshot_id=snapshot_id, ids=self.ids)

    def _read(self, exchange: Exchange) -> Change:
        state = self.live.state
        messages = [state.messages[i] for i in exchange.message_ids]
        drafts, problems = extract_claims(
            messages, speakers=self._speakers(messages), previous=self._previous(messages)
        )
        self.problems += problems
        reading = None
        if self.asker is not None:
            reading = self._read_by_model(self.asker, exchange, drafts)
            drafts = reading.drafts if reading else drafts
        snapshot_id = self.ids.of("snapshot", exchange.id)
        change, claims = evolve(drafts, state, snapshot_id=snapshot_id, ids=self.ids)
        if self.asker is not None:
            note_readers(change, drafts)
            revise(change, state, self.asker)
            if exchange.closed_by is ClosedBy.EDIT and reading is not None:
                outdo(change, [c.id for c in claims], exchange, state, ids=self.ids)
        whole = self._with_snapshot(change, exchange, messages, claims)
        if reading is not None:
            whole.snapshots[-1] = self._seeded(whole.snapshots[-1], reading)
        return whole

    def _read_by_model(self, asker: Asker, exchange: Exchange, by_rule: Sequence[ClaimDraft]) -> Reading | None:
        """What the model has read ahead, with what the rules preserve; None: it is left to the rules."""
        part = self.part(exchange)
        if not part.is_worth_asking:
            return None
        reading = read(part, by_rule, asker)
        if reading is None:
            self.unread.append(exchange.id)
            return None
        self.problems += reading.problems
        return reading

    def _seeded(self, snapshot: Snapshot, reading: Reading) -> Snapshot:
        seeded, problems = reading.seed(snapshot)
        self.problems += problems
        return seeded

    def _read_correction(self, exchange: Exchange) -> Change:
        state = self.live.state
        message = state.messages[exchange.message_ids[0]]
        snapshot_id = self.ids.of("snapshot", exchange.id)
        change, claims = correction(message, state, snapshot_id=snapshot_id, ids=self.ids)
        return self._with_snapshot(change, exchange, [message], claims)

    def _with_snapshot(
        self, change: Change, exchange: Exchange, messages: Sequence[Message], claims: Sequence[Claim]
    ) -> Change:
        snapshot = make_snapshot(exchange, messages, claims, ordinal=len(self.live.state.snapshots), ids=self.ids)
        change.snapshots.append(snapshot)
        change.vectors += self._vectors("snapshot", [snapshot.id], [embedded_text(messages)])
        return change

    def _match(self, exchange: Exchange) -> Change:
        state = self.live.state
        snapshot = state.snapshots[state.snapshot_of[exchange.id]]
        if (thread := self._own_thread(exchange)) is not None:
            return Change(members=[Member(thread, len(state.members[thread]), snapshot.id, 1.0, exchange.closed_by)])
        best = candidates(snapshot, state.vectors["snapshot"][snapshot.id], state, self.live.matches)
        change, continues = Change(), None
        decision = decide(
            snapshot,
            best,
            state,
            threshold=self.settings.continue_threshold,
            margin=self.settings.match_margin,
            asker=self.asker,
        )
        if (found := decision.found) is not None:
            length = len(state.members[found.trajectory_id])
            if length < self.settings.trajectory_length:
                member = Member(found.trajectory_id, length, snapshot.id, found.score, decision.decided_by)
                return Change(members=[member])
            continues = found.trajectory_id
        trajectory = Trajectory(self.ids.of("trajectory", snapshot.id), len(state.trajectories), continues)
        change.trajectories.append(trajectory)
        score = found.score if found is not None else 1.0
        change.members.append(Member(trajectory.id, 0, snapshot.id, score, decision.decided_by))
        return change

    def _own_thread(self, exchange: Exchange) -> str | None:
        """The trajectory that an edit or a correction belongs to: that of what it is about."""
        state = self.live.state
        if exchange.closed_by is ClosedBy.EDIT:
            earlier = [s for s in state.snapshots.values() if s.message_ids == exchange.message_ids]
            return state.trajectory_of[earlier[0].id]
        if exchange.closed_by is ClosedBy.CORRECTION:
            target = state.messages[exchange.message_ids[0]].metadata.get("target")
            return next(iter(self._threads_of([target])), None) if target else None
        return None

    def _summarise(self, exchange: Exchange) -> Change:
        """Of the exchange's own thread, and of those in which it changed a claim."""
        state = self.live.state
        snapshot_id = state.snapshot_of[exchange.id]
        changed = (c for op in self._ops_of(snapshot_id) for c, _ in statuses_of(op))
        return self._summaries([state.trajectory_of[snapshot_id], *self._threads_of(changed)])

    def _summaries(self, trajectory_ids: Iterable[str]) -> Change:
        state = self.live.state
        ids = list(dict.fromkeys(trajectory_ids))
        change = Change(versions=[summarise(state, t) for t in ids])
        change.vectors = self._vectors("trajectory", ids, [retrieval_text(state, t) for t in ids])
        return change

    def _threads_of(self, claim_ids: Iterable[str]) -> list[str]:
        state = self.live.state
        sources = (s for c in claim_ids for s in state.sources.get(c, ()))
        return list(dict.fromkeys(t for s in sources if (t := state.trajectory_of.get(s.snapshot_id))))

    def _ops_of(self, snapshot_id: str) -> list[ClaimOp]:
        """The operations that a snapshot has just caused."""
        return list(takewhile(lambda op: op.cause == snapshot_id, reversed(self.live.state.ops)))

    def _place(self, exchange: Exchange) -> Change:
        state = self.live.state
        change = place(state, self.live.wiki, state.trajectory_of[state.snapshot_of[exchange.id]], ids=self.ids)
        return plan(change, state, self.live.wiki, self.asker) if self.asker is not None else change

    # Once a commit.

    def _compile(self, whole: Change, *, everything: bool = False) -> None:
        """Bring the pages that the change touches, or all, up to date, as a part of the change."""
        state = self.live.state
        touched = sorted(state.pages if everything else touched_pages(state, whole))
        bullets = self._bullets(touched)
        self.live.apply(bullets)
        whole.extend(bullets)
        kept = [p for p in touched if p in state.pages]
        vectors = Change(vectors=self._vectors("page", kept, [routing_text(state, state.pages[p]) for p in kept]))
        self.live.apply(vectors)
        whole.extend(vectors)

    def _bullets(self, page_ids: Sequence[str]) -> Change:
        """The rule's pages; with a model, those that it has written of the same claims."""
        if self.asker is None:
            return compile_bullets(self.live.state, page_ids)
        with self.asker.deferring():
            return compile_with_model(self.live.state, page_ids, self.asker)

    def _polish(self, asker: Asker, whole: Change) -> None:
        """Let the model write summaries, then pages; of what has not changed its reply is kept and costs nothing."""
        state = self.live.state
        with asker.deferring():
            for trajectory_id in state.trajectories:
                model_version(state, trajectory_id, asker)
        asker.fetch()
        with asker.deferring():
            versions = [model_version(state, t, asker) for t in state.trajectories]
        self._move(Change(versions=[v for v in versions if v and v != state.versions[v.trajectory_id][-1]]), whole)
        with asker.deferring():
            compile_with_model(state, sorted(state.pages), asker)
        asker.fetch()
        with asker.deferring():
            written = compile_with_model(state, sorted(state.pages), asker)
        self._move(written, whole)
        changed = sorted({b.page_id for b in (*written.bullets, *written.ended_bullets)})
        texts = [routing_text(state, state.pages[p]) for p in changed]
        self._move(Change(vectors=self._vectors("page", changed, texts)), whole)

    def _vectors(self, kind: str, ids: Sequence[str], texts: Sequence[str]) -> list[Vector]:
        return [Vector(kind, i, row) for i, row in zip(ids, self.embedder.embed(texts), strict=True)]

    def _grouping(self) -> Grouping:
        return Grouping(self.settings.exchange_words, timedelta(hours=self.settings.silence_hours))

    def _speakers(self, messages: Sequence[Message]) -> list[str]:
        """The speakers of the session up to here, in order of appearance."""
        return list(dict.fromkeys(m.speaker for m in self._heard(messages[-1])))

    def _previous(self, messages: Sequence[Message]) -> Message | None:
        """The message before these in the same session."""
        earlier = self._heard(messages[0])[:-1]
        return earlier[-1] if earlier else None

    def _heard(self, last: Message) -> list[Message]:
        """The messages of a session up to one of them: what comes later must not matter for reading it."""
        state = self.live.state
        session = (state.messages[i] for i in state.sessions[last.source, last.session])
        return [m for m in session if m.ordinal <= last.ordinal]
