"""Space: one isolated memory. With what a person or program can do to it, and the only code that commits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Final

from trajwiki.advising import Advising
from trajwiki.answering import answer_locally
from trajwiki.construction import Builder
from trajwiki.custody import Custody
from trajwiki.domain.answers import Answer
from trajwiki.domain.claims import Op
from trajwiki.domain.evidence import Recall
from trajwiki.domain.history import Commit, CommitKind
from trajwiki.domain.ids import random_id
from trajwiki.domain.messages import NewMessage, Role
from trajwiki.domain.state import Change
from trajwiki.errors import UnknownItem, UsageError
from trajwiki.history import When
from trajwiki.live import LiveSpace
from trajwiki.memory.intake import check, masked, storable
from trajwiki.modelled import Modelled
from trajwiki.models.asking import Asker
from trajwiki.payloads import answer_payload
from trajwiki.retrieval.query import Query
from trajwiki.retrieval.recall import recall
from trajwiki.retrieval.shape import shape_of
from trajwiki.settings import Profile
from trajwiki.store.spaces import SpaceInfo

if TYPE_CHECKING:
    pass

MESSAGES_A_COMMIT: Final = 1000
EXCHANGES_A_COMMIT: Final = 64
MAX_QUESTION: Final = 200_000  # characters

Progress = Callable[[int, int], None]


class Space(Modelled, Advising, Custody):
    """One isolated memory: a user, a conversation, a project."""

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
            ModelFailure: In model mode: the endpoint failed, or the token budget is spent. All messages are stored;
                what the model could not read has the claims of the rules (`unread_by_model`), or waits for the budget.
        """
        checked = [check(m, f"message {i}") for i, m in enumerate(messages, start=1)]
        if self.choices().mask:
            checked = [masked(m) for m in checked]
        self.problems = []
        info = self._memory.store.find(self.name) or self._create()
        commit: Commit | None = None
        asker = self._constructing(info)
        for start in range(0, len(checked), MESSAGES_A_COMMIT):
            part = checked[start : start + MESSAGES_A_COMMIT]
            stored = self._commit(info, CommitKind.MESSAGES, lambda b, part=part: b.take_messages(part))  # type: ignore[misc]
            commit = stored or commit
            done = start
            for read in self._understand(info, asker):
                done = min(start + len(part), done + read)
                if progress:
                    progress(done, len(checked))
            if progress:
                progress(start + len(part), len(checked))
        self._settle(asker)
        return commit or self._nothing_new(info, CommitKind.MESSAGES)

    def flush(self) -> Commit:
        """Close the exchanges that are still open and read them; a model then writes what changed of the wiki.

        Raises:
            ModelFailure: As in `add`.
        """
        self.problems = []
        info = self._info()
        commit = self._commit(info, CommitKind.FLUSH, lambda b: b.flush())
        asker = self._constructing(info)
        for _ in self._understand(info, asker):
            pass
        if asker is not None:
            self._polish(info, asker)
        self._settle(asker)
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

    # Reading.

    def recall(
        self,
        question: str,
        *,
        budget: int | None = None,
        profile: Profile | None = None,
        as_of: When | None = None,
        heard_until: datetime | None = None,
        valid_at: datetime | None = None,
    ) -> Recall:
        """Give the evidence for a question, packed to a budget of words. No model is called in local mode.

        Args:
            question: In any words.
            budget: None: the setting.
            profile: None: the setting.
            as_of: A commit number or an aware time: from what was believed then.
            heard_until: An aware time: only from messages sent up to then.
            valid_at: An aware time: from what was true on that day.

        Raises:
            UsageError: The question or budget is empty.
        """
        question, words = self._checked(question, budget)
        reading = partial(self._reading, as_of, heard_until=heard_until, valid_at=valid_at)
        if (asking := self._asking(reading, lambda q, p, live: self._query(q, words, p or profile, live))) is not None:
            return asking.recall(question, None)
        with reading() as live:
            return recall(self._query(question, words, profile, live), live.state, live.search)

    def ask(
        self,
        question: str,
        *,
        budget: int | None = None,
        profile: Profile | None = None,
        as_of: When | None = None,
        heard_until: datetime | None = None,
        valid_at: datetime | None = None,
    ) -> Answer:
        """Answer a question from the memory alone, or abstain and say why. The answer is kept for `explain`.

        Args: as in `recall`.

        Raises:
            UsageError: The question or budget is empty.
        """
        question, words = self._checked(question, budget)
        reading = partial(self._reading, as_of, heard_until=heard_until, valid_at=valid_at)
        if (asking := self._asking(reading, lambda q, p, live: self._query(q, words, p or profile, live))) is not None:
            return self._keep(asking.answer(question, None, random_id("answer")), asking.head)
        with reading() as live:
            query = self._query(question, words, profile, live)
            found = recall(query, live.state, live.search)
            answer = answer_locally(
                question, recall=found, state=live.state, shape=query.shape, answer_id=random_id("answer")
            )
            head = live.state.head
        return self._keep(answer, head)

    def _keep(self, answer: Answer, head: int) -> Answer:
        """Keep an answer for `explain`."""
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

    def _understand(self, info: SpaceInfo, asker: Asker | None) -> Iterator[int]:
        """Read the closed exchanges, oldest first, some in a commit; yields messages read."""
        if asker is not None:
            yield from self._understand_by_model(info, asker)
            return
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
