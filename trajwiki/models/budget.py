"""A token budget that threads share."""

from __future__ import annotations

import threading

from trajwiki.models.failures import BudgetSpent

EXPECTED_REPLY = 200  # tokens that a request is taken to bring until its reply is there


class Budget:
    """So many tokens, in and out together; None: no limit.

    A request is begun only while the budget covers it and those in flight by estimate, so the limit can be passed by
    what their replies are longer than expected.
    """

    def __init__(self, limit: int | None) -> None:
        self.limit = limit
        self.spent = 0
        self._reserved = 0
        self._lock = threading.Lock()

    def reserve(self, text: str) -> int:
        """Set tokens aside for a request with this text; gives how many. Raises BudgetSpent when there are not."""
        wanted = len(text) // 4 + EXPECTED_REPLY
        with self._lock:
            if self.limit is not None and self.spent + self._reserved + wanted > self.limit:
                raise BudgetSpent(
                    f"the budget of {self.limit} tokens is spent ({self.spent} used); what was done is kept: "
                    "run the same again to go on"
                )
            self._reserved += wanted
        return wanted

    def settle(self, reserved: int, used: int) -> None:
        """Put what was used in the place of what was set aside."""
        with self._lock:
            self._reserved -= reserved
            self.spent += used
