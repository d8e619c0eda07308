"""Space: one isolated memory. With what a person or program can do to it, and the only code that commits."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from trajwiki.answering import answer_locally
from trajwiki.construction import Builder
from trajwiki.doctor import examine
from trajwiki.domain.answers import Answer
from trajwiki.domain.claims import Op, statuses_of
from trajwiki.domain.evidence import Recall
from trajwiki.domain.history import Commit, CommitKind
from trajwiki.domain.ids import Ids, random_id
from trajwiki.domain.messages import NewMessage, Role
from trajwiki.domain.problems import Problem
from trajwiki.domain.state import Change, SpaceState
from trajwiki.erasure import Erasure, Selection, compare, replay, statuses_before
from trajwiki.errors import UnknownItem, UnknownSpace, UsageError
from trajwiki.history import BlameLine, Diff, When, blame, commit_at, diff
from trajwiki.live import LiveSpace
from trajwiki.memory.amendment import PERSON
from trajwiki.memory.intake import check, storable
from trajwiki.payloads import answer_payload
from trajwiki.retrieval.query import Query
from trajwiki.retrieval.recall import recall
from trajwiki.retrieval.shape import shape_of
from trajwiki.settings import Profile
from trajwiki.store.spaces import SpaceInfo, Writing

if TYPE_CHECKING:
    from trajwiki.engine import Memory

MESSAGES_A_COMMIT: Final = 1000
EXCHANGES_A_COMMIT: Final = 64
MAX_QUESTION: Final = 200_000  # characters

Progress = Callable[[int, int], None]


class Space:
    """One isolated memory: a user, a conversation, a project."""

    def __init__(self, memory: Memory, name: str) -> None:
        self.name = name
        self.problems: list[Problem] = []  # of the last add or flush
        self._memory = memory

    # Writing.

    def add(self, messages: Iterable[NewMessage], *, progress: Progress | None = None) -> Commit:
        """Remember messages, in order. Those that are there already change nothing.

        They are searchable as soon as they are stored; each exchange that they close is then read into claims,
        trajectories and pages. The last turns stay open until a reply, a pause or `flush` closes them.

        Args:
            messages: All are checked before the first is stored.
            progress: Called with messages done and their number.

        Returns:
            The commit that stored the last of them; its counts are empty when nothing was new.

        Raises:
            InvalidMessage: One cannot be stored as given; none was.
        """
        checked = [check(m, f"message {i}") for i, m in enumerate(messages, start=1)]
        self.problems = []
        info = self._memory.store.find(self.name) or self._create()
        commit: Commit | None = None
        for start in range(0, len(checked), MESSAGES_A_COMMIT):
            part = checked[start : start + MESSAGES_A_COMMIT]
            stored = self._commit(info, CommitKind.MESSAGES, lambda b, part=part: b.take_messages(part))  # type: ignore[misc]
            commit = stored or commit
            done = start
            for read in self._understand(info):
                done = min(start + len(part), done + read)
                if progress:
                    progress(done, len(checked))
            if progress:
                progress(start + len(part), len(checked))
        return commit or self._nothing_new(info, CommitKind.MESSAGES)

    def flush(self) -> Commit:
        """Close the exchanges that are still open and read them."""
        self.problems = []
        info = self._info()
        commit = self._commit(info, CommitKind.FLUSH, lambda b: b.flush())
        for _ in self._understand(info):
            pass
        return commit or self._nothing_new(info, CommitKind.FLUSH)

    # Amending.

    def add_claim(self, text: str, *, reason: str, subject: str | None = None) -> Commit:
        """State a claim as a person; it outranks what is read from messages."""
        return self._correct(Op.ADD, text, None, reason, subject)

    def revise_claim(self, claim_id: str, text: str, *, reason: str) -> Commit:
        """Put another claim in the place of one. Raises UnknownItem."""
        return self._correct(Op.REVISE, text, claim_id, reason)

    def deprecate_claim(self, claim_id: str, *, reason: str) -> Commit:
        """Say that a claim does not hold; saying the same words again will not bring it back. Raises UnknownItem."""
        return self._correct(Op.DEPRECATE, reason, claim_id, reason)

    def restore_claim(self, claim_id: str, *, reason: str) -> Commit:
        """Say that a claim holds after all. Raises UnknownItem."""
        return self._correct(Op.RESTORE, reason, claim_id, reason)

    def revert(self, n: int, *, with_dependents: bool = False) -> Commit:
        """Take back what a commit did to claims, in a new commit.

        Args:
            n: The commit.
            with_dependents: Also take back later changes of the same claims.

        Raises:
            UnknownItem: There is no such commit.
            UsageError: It did nothing to claims, or later commits changed the same claims.
        """
        info = self._info()
        done = [(c.n, self._memory.store.load(info.id, after=c.n - 1, upto=c.n)[0].ops) for c in reversed(self.log())]
        if not 1 <= n <= len(done):
            raise UnknownItem(f"there is no commit {n}; the newest is {len(done)}")
        statuses = statuses_before(n, done)
        if not statuses:
            raise UsageError(f"commit {n} did nothing to claims; messages are removed with `erase`")
        later = [m for m, ops in done if m > n and any(c in statuses for op in ops for c, _ in statuses_of(op))]
        if later and not with_dependents:
            raise UsageError(f"commits {', '.join(map(str, later))} changed the same claims; add --with-dependents")
        actor, at = PERSON + self._memory.actor, self._memory.clock()
        commit = self._commit(
            info,
            CommitKind.REVERT,
            lambda b: b.take_back(n, statuses, decided_by=actor, at=at),
            note=f"revert of commit {n}",
            arguments={"commit": n},
        )
        return commit or self._nothing_new(info, CommitKind.REVERT)

    def erase(self, selection: Selection, *, dry_run: bool = False) -> Erasure:
        """Erase messages with all that stood on them alone, from every table, freed page and log.

        The history is replayed without them; answers that were kept are dropped, since any may quote them.

        Args:
            selection: Which messages.
            dry_run: Only say what would fall.

        Raises:
            UsageError: The selection says nothing, or names an unknown message.
        """
        info, memory = self._info(), self._memory
        with memory.locked(info.id), memory.dropped_on_error(info.id), memory.store.exclusive(info.id) as writing:
            before = self._builder(info, writing).live.state
            erased = selection.of(before)
            builder = Builder(memory.build(info.id, Change(), 0), Ids(info.id), memory.embedder, memory.settings)
            dated = replay(writing.commits(), writing.told(), frozenset(m.id for m in erased), builder)
            found = compare(erased, before, builder.live.state)
            if dry_run or not erased:
                return found
            writing.rewrite(dated)
            arguments = {"erased": found.counts}
            at = memory.clock()
            note = f"erased {len(erased)} messages"
            writing.write(Change(), Commit(writing.head + 1, at, memory.actor, CommitKind.ERASE, note, {}, arguments))
        memory.forget(info.id)
        return replace(found, at=at, scrubbed=memory.store.scrub())

    # Reading.

    def recall(
        self,
        question: str,
        *,
        budget: int | None = None,
        profile: Profile | None = None,
        as_of: When | None = None,
    ) -> Recall:
        """Give the evidence for a question, packed to a budget of words. No model is called.

        Args:
            question: In any words.
            budget: None: the setting.
            profile: None: the setting.
            as_of: A commit number or an aware time: from what was believed then.

        Raises:
            UsageError: The question or budget is empty.
        """
        question, words = self._checked(question, budget)
        with self._reading(as_of) as live:
            return recall(self._query(question, words, profile, live), live.state, live.search)

    def ask(
        self,
        question: str,
        *,
        budget: int | None = None,
        profile: Profile | None = None,
        as_of: When | None = None,
    ) -> Answer:
        """Answer a question from the memory alone, or abstain and say why. The answer is kept for `explain`.

        Args: as in `recall`.

        Raises:
            UsageError: The question or budget is empty.
        """
        question, words = self._checked(question, budget)
        with self._reading(as_of) as live:
            query = self._query(question, words, profile, live)
            found = recall(query, live.state, live.search)
            answer = answer_locally(
                question, recall=found, state=live.state, shape=query.shape, answer_id=random_id("answer")
            )
            head = live.state.head
        info = self._memory.store.find(self.name)
        if info is not None:
            self._memory.store.save_answer(info.id, answer.id, self._memory.clock(), head, answer_payload(answer))
        return answer

    def explain(self, answer_id: str) -> dict[str, object]:
        """Give a kept answer with the way that led to it. Raises UnknownItem."""
        body = self._memory.store.answer(self._info().id, answer_id)
        if body is None:
            raise UnknownItem(f"space {self.name!r} has no answer {answer_id!r}")
        return body

    def state(self, *, as_of: When | None = None) -> SpaceState:
        """Give the state at the newest commit, or at one of the past. It must not be changed."""
        with self._reading(as_of) as live:
            return live.state

    def diff(self, before: When, after: When) -> Diff:
        """Give what changed between two commits or moments. Raises UnknownItem, or UsageError when out of order."""
        info = self._info()
        commits = self._memory.store.commits(info.id)
        a, b = commit_at(commits, before), commit_at(commits, after)
        if a > b:
            raise UsageError(f"commit {a} comes after commit {b}")
        change, _ = self._memory.store.load(info.id, after=a, upto=b)
        return diff(change, self.state(as_of=a), self.state(as_of=b))

    def blame(self, what: str) -> list[BlameLine]:
        """Say which commit, messages and words a claim or each line of a page comes from. Raises UnknownItem."""
        return blame(what, self.state(), self._memory.store.snapshot_commits(self._info().id))

    def log(self, *, limit: int | None = None) -> list[Commit]:
        """List commits, newest first."""
        return self._memory.store.commits(self._info().id, limit=limit)

    def examine(self) -> list[Problem]:
        """Check the space against itself, freshly read; gives what is wrong. Raises UnknownSpace."""
        info = self._info()
        change, head = self._memory.store.load(info.id)
        return examine(
            self._memory.build(info.id, change, head).state,
            self._memory.store.stored_status(info.id),
            dimension=info.dimension,
        )

    # Inside.

    def _checked(self, question: str, budget: int | None) -> tuple[str, int]:
        """Check the call, and give question and budget."""
        if not question.strip():
            raise UsageError("the question is empty")
        if len(question) > MAX_QUESTION:
            raise UsageError(f"the question has {len(question)} characters, at most {MAX_QUESTION} are allowed")
        words = self._memory.settings.budget if budget is None else budget
        if words < 1:
            raise UsageError(f"the budget must be at least 1 word, not {words}")
        return storable(question), words

    def _query(self, question: str, words: int, profile: Profile | None, live: LiveSpace) -> Query:
        return Query(
            question=question,
            vector=self._memory.embedder.embed([question])[0],
            shape=shape_of(question, speakers=list(live.state.speakers)),
            budget=words,
            profile=profile or self._memory.settings.profile,
            space=self.name,
            key=live.space_id,
        )

    @contextlib.contextmanager
    def _reading(self, as_of: When | None = None) -> Iterator[LiveSpace]:
        info = self._memory.store.find(self.name)
        if info is None:
            yield self._memory.build(self.name, Change(), 0)
            return
        with self._memory.locked(info.id):
            if as_of is None:
                yield self._memory.live(info)
            else:
                n = commit_at(self._memory.store.commits(info.id), as_of)
                yield self._memory.past(info, n)

    def _info(self) -> SpaceInfo:
        info = self._memory.store.find(self.name)
        if info is None:
            raise UnknownSpace(f"there is no space named {self.name!r}")
        return info

    def _create(self) -> SpaceInfo:
        self._memory.create_space(self.name)
        return self._info()

    def _correct(self, op: Op, text: str, target: str | None, reason: str, subject: str | None = None) -> Commit:
        """Commit a correction: a message that says what to do to which claim."""
        memory = self._memory
        if not text.strip() or not reason.strip():
            raise UsageError("a correction needs a text and a reason")
        if target is not None and target not in self.state().claims:
            raise UnknownItem(f"there is no claim {target!r}")
        info = memory.store.find(self.name) or self._create()
        asked = {"op": op.value, "reason": reason, "actor": memory.actor}
        asked |= {"target": target} if target else {}
        asked |= {"subject": subject} if subject else {}
        at = memory.clock()
        message = NewMessage(
            speaker=memory.actor,
            text=text,
            sent_at=at,
            session="corrections",
            source_ref=random_id("correction"),
            source="trajwiki",
            role=Role.CORRECTION,
            metadata=asked,
        )
        checked = check(message, "the correction")
        commit = self._commit(info, CommitKind.CORRECTION, lambda b: b.correct(checked))
        return commit or self._nothing_new(info, CommitKind.CORRECTION)

    def _understand(self, info: SpaceInfo) -> Iterator[int]:
        """Read the closed exchanges, oldest first, some in a commit; yields messages read."""
        while True:
            read = 0

            def build(builder: Builder) -> Change:
                nonlocal read
                oldest = list(builder.live.state.unread.values())[:EXCHANGES_A_COMMIT]
                read = sum(len(e.message_ids) for e in oldest)
                return builder.understand(oldest)

            if self._commit(info, CommitKind.UNDERSTAND, build) is None:
                return
            yield read

    def _commit(
        self,
        info: SpaceInfo,
        kind: CommitKind,
        build: Callable[[Builder], Change],
        *,
        note: str | None = None,
        arguments: dict[str, Any] | None = None,
    ) -> Commit | None:
        """Think out a change and write it, as the only writer; None when there was nothing to change."""
        memory = self._memory
        with memory.locked(info.id), memory.dropped_on_error(info.id):
            with memory.store.exclusive(info.id) as writing:
                builder = self._builder(info, writing)
                change = build(builder)
                if not change:
                    return None
                said = note or _note(kind, change)
                commit = Commit(
                    writing.head + 1, memory.clock(), memory.actor, kind, said, change.counts(), arguments or {}
                )
                writing.write(change, commit)
            builder.live.state.head = commit.n
            self.problems += builder.problems
            return commit

    def _builder(self, info: SpaceInfo, writing: Writing) -> Builder:
        memory = self._memory
        live = memory.live(info)
        if live.state.head != writing.head:
            live.apply(writing.load(after=live.state.head))
            live.state.head = writing.head
        return Builder(live, Ids(info.id), memory.embedder, memory.settings)

    def _nothing_new(self, info: SpaceInfo, kind: CommitKind) -> Commit:
        head = self._memory.store.head(info.id)
        return Commit(head, self._memory.clock(), self._memory.actor, kind, "nothing new", {})


def _note(kind: CommitKind, change: Change) -> str:
    counts: Sequence[tuple[str, int]] = [
        (name, n)
        for name in ("messages", "exchanges", "snapshots", "claims", "trajectories", "pages")
        if (n := change.counts().get(name, 0))
    ]
    return f"{kind.value}: " + ", ".join(f"{n} {name}" for name, n in counts)
