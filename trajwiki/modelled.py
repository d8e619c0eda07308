"""The part of `Space` that a chat model has: reading with it, completing what it could not read, and what it costs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from trajwiki.asked import Asking, Querying, Reading
from trajwiki.construction import Builder
from trajwiki.domain.history import CommitKind
from trajwiki.domain.problems import Problem
from trajwiki.domain.snapshots import Exchange
from trajwiki.domain.state import Change
from trajwiki.domain.usage import Cost, Phase
from trajwiki.handle import Handle
from trajwiki.memory.read_ahead_model import is_read, read_ahead
from trajwiki.models.asking import Asker
from trajwiki.models.failures import BudgetSpent
from trajwiki.store.ledger import costs
from trajwiki.store.spaces import SpaceInfo

EXCHANGES_A_THOUGHT: Final = 48  # read ahead together and written in one commit


class Modelled(Handle):
    """What a space does with a chat model."""

    def unread_by_model(self) -> list[str]:
        """Give the exchanges that a model should have read and could not; their claims are those of the rules."""
        info = self._info()
        commits = self._memory.store.commits(info.id)
        marked = {i for c in commits if c.kind is CommitKind.UNDERSTAND for i in c.arguments.get("unread", ())}
        if not marked:
            return []
        with self._reading() as live:
            state = live.state
            return [e.id for e in state.exchanges.values()
                    if e.id in marked and any(state.exchange_of.get(m) == e.id for m in e.message_ids)]  # fmt: skip

    def resume(self) -> int:
        """Let the model read what it could not read before, and what waits; gives how many exchanges it read.

        Raises:
            ModelFailure: It could not be asked again; nothing is lost.
            UnknownSpace: The space is not there.
        """
        self.problems = []
        info = self._info()
        asker = self._constructing(info)
        if asker is None:
            self.problems.append(Problem("model.none", "no chat model is set; nothing was read (see --model)"))
            return 0
        waiting = self.unread_by_model()
        if waiting:
            note = f"{len(waiting)} exchanges for the model to read"
            self._commit(info, CommitKind.FLUSH, lambda b: b.again(waiting), note=note)
        with self._reading() as live:
            before = len(live.state.unread)
        for _ in self._understand_by_model(info, asker):
            pass
        self._polish(info, asker)
        left = len(self.unread_by_model())
        self._settle(asker, left)
        return max(0, before - left)

    def costs(self) -> list[Cost]:
        """Give what chat models were asked on behalf of the space, by phase and purpose. Raises UnknownSpace."""
        return costs(self._memory.calls(self._info().id))

    # For Space.

    def _constructing(self, info: SpaceInfo) -> Asker | None:
        """What asks the model during one operation that writes, or None where the rules read alone."""
        asker = self._memory.asker(info.id)
        return asker if asker is not None and asker.serves(Phase.CONSTRUCTION) else None

    def _asking(self, reading: Reading, querying: Querying) -> Asking | None:
        """What answers a question with the model, or None where the rules do alone."""
        info = self._memory.store.find(self.name)
        asker = self._memory.asker(info.id) if info is not None else None
        if asker is None or not (asker.serves(Phase.RETRIEVAL) or asker.serves(Phase.ANSWER)):
            return None
        return Asking(reading, querying, asker)

    def _understand_by_model(self, info: SpaceInfo, asker: Asker) -> Iterator[int]:
        """Read the closed exchanges with the model, oldest first; yields messages read. Stops at the token budget."""
        while asker.stopped is None:
            ahead = self._ahead(info, asker)
            if not ahead:
                return
            ids = [e.id for e in ahead]
            arguments: dict[str, Any] = {"model": asker.name.removeprefix("model:")}

            def build(builder: Builder, ids: list[str] = ids, told: dict[str, Any] = arguments) -> Change:
                waiting = [builder.live.state.unread[i] for i in ids if i in builder.live.state.unread]
                change = builder.understand(waiting) if waiting else Change()
                told["unread"] = builder.unread
                return change

            try:
                self._commit(info, CommitKind.UNDERSTAND, build, arguments=arguments, asker=asker)
            except BudgetSpent as spent:
                asker.stopped = spent
                return
            yield sum(len(e.message_ids) for e in ahead)

    def _ahead(self, info: SpaceInfo, asker: Asker) -> list[Exchange]:
        """Have the next exchanges read; gives those that can be understood now, in order."""
        memory = self._memory
        with memory.thinking(info.id):
            builder = memory.builder(info.id, memory.bench(info), asker)
            parts = [builder.part(e) for e in list(builder.live.state.unread.values())[:EXCHANGES_A_THOUGHT]]
        asker.stopped = read_ahead(parts, asker, size=memory.settings.model_batch)
        if asker.stopped is None:
            return [p.exchange for p in parts]
        whole = next((n for n, p in enumerate(parts) if not is_read(p, asker)), len(parts))
        return [p.exchange for p in parts[:whole]]

    def _polish(self, info: SpaceInfo, asker: Asker) -> None:
        """Let the model write the summaries and pages that have changed, as a commit of its own."""
        if asker.stopped is not None or asker.failure is not None:
            return
        arguments = {"model": asker.name.removeprefix("model:")}
        note = "summaries and pages, written by the model"
        try:
            self._commit(
                info, CommitKind.UNDERSTAND, lambda b: b.understand([]), note=note, arguments=arguments, asker=asker
            )
        except BudgetSpent as spent:
            asker.stopped = spent

    def _settle(self, asker: Asker | None, left: int | None = None) -> None:
        """Write the ledger's sums down and tell what went wrong.

        Raises:
            ModelFailure: The endpoint failed, or the budget is spent. All that was done is kept.
        """
        if asker is None:
            return
        asker.finish()
        self.problems += asker.problems
        if asker.stopped is not None:
            raise asker.stopped
        if asker.failure is not None:
            left = len(self.unread_by_model()) if left is None else left
            waiting = (
                f"; {left} exchanges have the claims of the rules until `trajwiki ingest --resume`" if left else ""
            )
            raise type(asker.failure)(f"{asker.failure}{waiting}")
