"""The chat model of a memory: opened from the settings on first use, shared by its spaces, with ledger and budget."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import datetime

from trajwiki.domain.usage import Call, Phase
from trajwiki.models.asking import Asker, Model
from trajwiki.models.budget import Budget
from trajwiki.models.chat import Mode
from trajwiki.models.chat_endpoint import EndpointChat
from trajwiki.settings import Settings
from trajwiki.store.database import Database
from trajwiki.store.ledger import LedgerStore

# What each of the stages that can be chosen stands for.
_PHASES = {
    "construction": (Phase.CONSTRUCTION,),
    "retrieval": (Phase.RETRIEVAL,),
    "answer": (Phase.ANSWER, Phase.REPAIR, Phase.EVALUATION),
}


class Models:
    """The model that the settings name, and what it was asked.

    Args:
        database: Where replies and ledger are kept.
        settings: Name no model in local mode.
        clock: For the ledger.
    """

    def __init__(self, database: Database, settings: Settings, clock: Callable[[], datetime]) -> None:
        self._database = database
        self._settings = settings
        self._clock = clock
        self._budget = Budget(settings.max_tokens)
        self._model: Model | None = None
        self._lock = threading.Lock()

    @property
    def spent(self) -> int:
        """Tokens used since the memory was opened."""
        return self._budget.spent

    def asker(self, space_id: str) -> Asker | None:
        """Give what asks on behalf of a space during one operation; None in local mode.

        Raises:
            MissingExtra: The client of chat models is not installed.
            EnvironmentFailure: There is no key where one is needed.
        """
        if self._settings.model is None or not self._settings.model_stages:
            return None
        ledger = LedgerStore(self._database, space_id)
        with self._lock:
            if self._model is None:
                self._model = self._opened(self._settings.model, ledger)
        return Asker(space_id, ledger, ledger, self._model, self._clock)

    def recorded(self, space_id: str) -> Asker | None:
        """Give what repeats what models have said before of a space; None where none ever had a part in it."""
        ledger = LedgerStore(self._database, space_id)
        return Asker(space_id, ledger, ledger, None, self._clock) if ledger.has_replies() else None

    def calls(self, space_id: str) -> list[Call]:
        """Give the ledger of a space, oldest first."""
        return LedgerStore(self._database, space_id).calls()

    def _opened(self, name: str, ledger: LedgerStore) -> Model:
        s = self._settings
        chat = EndpointChat(
            name,
            base_url=s.base_url,
            temperature=s.temperature,
            timeout=s.model_timeout,
            retries=s.model_retries,
        )
        remembered = ledger.best_mode(chat.name, chat.endpoint)
        if remembered in set(Mode):
            chat.best_mode = Mode(remembered)
        phases = frozenset(phase for stage in s.model_stages for phase in _PHASES[stage])
        return Model(chat, self._budget, phases, s.model_concurrency)
