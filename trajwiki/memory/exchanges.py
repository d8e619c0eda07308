"""Grouping messages into exchanges: a turn and the reply that follows it, inside one session.

The grouping is a fold over messages in order of arrival, so it does not matter how many arrive at once.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta

from trajwiki.domain.ids import Ids
from trajwiki.domain.messages import Message
from trajwiki.domain.snapshots import ClosedBy, Exchange
from trajwiki.domain.state import SpaceState
from trajwiki.language.tokens import count_words


@dataclass(frozen=True, slots=True)
class Grouping:
    """Where exchanges end.

    Attributes:
        turn_words: A turn is cut when it passes this many words.
        silence: A pause this long ends an exchange.
    """

    turn_words: int
    silence: timedelta


class Grouper:
    """Closes exchanges as messages arrive.

    Args:
        state: The space so far; its messages without an exchange are the open tails.
        grouping: Where exchanges end.
        ids: Of the space.
    """

    def __init__(self, state: SpaceState, grouping: Grouping, ids: Ids) -> None:
        self._grouping = grouping
        self._ids = ids
        self._known = state.exchanges
        self._next = len(state.exchanges)
        self._open = {key: [state.messages[i] for i in tail] for key, tail in state.open_tails.items()}

    def add(self, messages: Iterable[Message]) -> list[Exchange]:
        """Take messages in order of arrival, and give the exchanges that they close, in order."""
        return [exchange for message in messages for exchange in self._take(message)]

    def flush(self) -> list[Exchange]:
        """Close every open tail, oldest first."""
        tails = sorted(self._open, key=lambda s: self._open[s][0].ordinal)
        return [self._close(session, ClosedBy.FLUSH) for session in tails]

    def _take(self, message: Message) -> list[Exchange]:
        here = _session(message)
        closed = [
            self._close(session, ClosedBy.SESSION)
            for session, tail in list(self._open.items())
            if session != here and session[0] == here[0] and self._is_over(tail[-1], message)
        ]
        tail = self._open.get(here, [])
        if tail and self._is_silence(tail[-1], message):
            closed.append(self._close(here, ClosedBy.SILENCE))
        elif tail and self._is_complete(tail, message):
            closed.append(self._close(here, ClosedBy.NEXT_TURN))
        self._open.setdefault(here, []).append(message)
        return closed

    def _close(self, session: tuple[str, str], by: ClosedBy) -> Exchange:
        ids = tuple(m.id for m in self._open.pop(session))
        exchange_id = self._ids.of("exchange", *ids)
        if exchange_id in self._known:  # the same messages once made one that an erasure emptied
            exchange_id = self._ids.of("exchange", *ids, self._next)
        exchange = Exchange(exchange_id, self._next, "/".join(session), ids, by)
        self._next += 1
        return exchange

    def _is_complete(self, tail: list[Message], message: Message) -> bool:
        """Tell whether the tail holds two turns and the message starts a third."""
        return turns([*tail, message], self._grouping.turn_words) > 2

    def _is_silence(self, last: Message, message: Message) -> bool:
        if last.sent_at is None or message.sent_at is None:
            return False
        return message.sent_at - last.sent_at >= self._grouping.silence

    def _is_over(self, last: Message, message: Message) -> bool:
        """Tell whether another session's tail has ended, now that talk goes on elsewhere."""
        return last.sent_at is None or message.sent_at is None or self._is_silence(last, message)


def turns(messages: Iterable[Message], turn_words: int) -> int:
    """Count turns: runs of one speaker, cut when they pass a number of words."""
    count, speaker, words = 0, None, 0
    for message in messages:
        size = count_words(message.content)
        if message.speaker != speaker or words + size > turn_words:
            count, speaker, words = count + 1, message.speaker, 0
        words += size
    return count


def _session(message: Message) -> tuple[str, str]:
    return message.source, message.session
