"""Recalling and answering with a chat model: it is asked between looks at the memory, never while one is held."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final

from trajwiki.answering import answer_locally
from trajwiki.answering.packet_model import Packet, packet_of
from trajwiki.answering.synthesis_model import answer_with_model
from trajwiki.domain.answers import Answer
from trajwiki.domain.evidence import Recall
from trajwiki.domain.problems import Problem
from trajwiki.domain.usage import Phase
from trajwiki.domain.wiki import PageType
from trajwiki.live import LiveSpace
from trajwiki.models.asking import Asker
from trajwiki.models.failures import BudgetSpent
from trajwiki.retrieval.query import Query
from trajwiki.retrieval.recall import recall
from trajwiki.retrieval.rerank_model import route_with_model
from trajwiki.settings import Profile

LOOKS: Final = 3  # at the memory for one recall: what is asked after the first is asked of what it found

Reading = Callable[[], AbstractContextManager[LiveSpace]]
Querying = Callable[[str, Profile | None, LiveSpace], Query]


@dataclass(slots=True)
class Asking:
    """One question to a space in model mode.

    Attributes:
        reading: Gives the space, held for as long as the block lasts.
        querying: Makes a query of words.
        asker: Of the space.
        head: Commit at which the evidence was found.
    """

    reading: Reading
    querying: Querying
    asker: Asker
    head: int = 0
    _recalls: list[Recall] = field(default_factory=list)

    def recall(self, question: str, profile: Profile | None) -> Recall:
        """Give the evidence, with pages and trajectories in the order of the model where it helps."""
        found, spent = self._found(question, profile), None
        for _ in range(LOOKS):
            try:
                if not self.asker.fetch():
                    break
            except BudgetSpent as error:
                spent = error
                break
            found = self._found(question, profile)
        return replace(found, problems=(*found.problems, *self._problems(spent)))

    def answer(self, question: str, profile: Profile | None, answer_id: str) -> Answer:
        """Give the model's answer, or that of the rules where it gives none that can be used."""
        self._recalls = [self.recall(question, profile)]
        with self.reading() as live:
            shape = self.querying(question, profile, live).shape
            local = answer_locally(
                question, recall=self._recalls[0], state=live.state, shape=shape, answer_id=answer_id
            )
            packet = packet_of(question, shape, self._recalls, live.state)
            slugs = sorted(p.slug for p in live.state.pages.values() if p.type is not PageType.INDEX)
            self.head = live.state.head
        if not self.asker.serves(Phase.ANSWER):
            return local
        spent = None
        try:
            answer = answer_with_model(packet, local, self.asker, look=partial(self._look, question), slugs=slugs)
        except BudgetSpent as error:
            answer, spent = local, error
        self.asker.finish()
        return replace(answer, problems=tuple(dict.fromkeys((*answer.problems, *self._problems(spent)))))

    def _found(self, question: str, profile: Profile | None) -> Recall:
        with self.reading() as live:
            query = self.querying(question, profile, live)
            if query.profile == "messages" or not self.asker.serves(Phase.RETRIEVAL):
                return recall(query, live.state, live.search)
            with self.asker.deferring():
                router = partial(route_with_model, asker=self.asker)
                return recall(query, live.state, live.search, router=router)

    def _look(self, question: str, words: str, profile: Profile | None) -> Packet:
        """Search for further words; what was found before stays."""
        with self.reading() as live:
            query = self.querying(words, profile, live)
            self._recalls.append(recall(query, live.state, live.search))
            shape = self.querying(question, profile, live).shape
            return packet_of(question, shape, self._recalls, live.state)

    def _problems(self, spent: BudgetSpent | None) -> Sequence[Problem]:
        told = list(self.asker.problems)
        return [*told, Problem("model.budget", str(spent))] if spent is not None else told
