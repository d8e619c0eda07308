"""From an exchange and the claims read in it to an immutable snapshot, by rule (paper, A.1)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from trajwiki.domain.claims import Claim
from trajwiki.domain.ids import Ids
from trajwiki.domain.messages import Message
from trajwiki.domain.snapshots import Exchange, Features, Snapshot
from trajwiki.language.tokens import fold, keywords

TOPIC_WORDS: Final = 6
EXCERPT_WORDS: Final = 60


def make_snapshot(
    exchange: Exchange, messages: Sequence[Message], claims: Sequence[Claim], *, ordinal: int, ids: Ids
) -> Snapshot:
    """Give the snapshot of an exchange.

    Args:
        exchange: What was read together.
        messages: Its messages, in order.
        claims: The distinct claims that stand on them, in order.
        ordinal: Order of the snapshot in its space.
        ids: Of the space.
    """
    return Snapshot(
        id=ids.of("snapshot", exchange.id),
        ordinal=ordinal,
        exchange_id=exchange.id,
        message_ids=exchange.message_ids,
        summary=_summary(messages, claims),
        context=_context(messages),
        features=_features(messages, claims),
        claim_ids=tuple(c.id for c in claims),
    )


def embedded_text(messages: Sequence[Message]) -> str:
    """Give the text of an exchange that is embedded: what was said."""
    return "\n".join(m.content for m in messages)


def _summary(messages: Sequence[Message], claims: Sequence[Claim]) -> str:
    if claims:
        return "\n".join(c.text for c in claims)
    return "\n".join(f"{m.speaker}: {' '.join(m.content.split()[:EXCERPT_WORDS])}" for m in messages)


def _context(messages: Sequence[Message]) -> str:
    first = messages[0]
    speakers = " and ".join(dict.fromkeys(m.speaker for m in messages))
    when = f", {first.sent_at:%Y-%m-%d %H:%M}" if first.sent_at else ""
    names = {k for m in messages for k in keywords(m.speaker)}
    counts = Counter(k for m in messages for k in keywords(m.content) if k not in names)
    topic = ", ".join(word for word, _ in counts.most_common(TOPIC_WORDS))
    session = f"session {first.session}, " if first.session else ""
    return f"{session}{speakers}{when}" + (f"; about {topic}" if topic else "")


def _features(messages: Sequence[Message], claims: Sequence[Claim]) -> Features:
    names = {k for m in messages for k in keywords(m.speaker)}
    return Features(
        keywords=frozenset(k for m in messages for k in keywords(m.content)) - names,
        entities=frozenset(fold(e) for c in claims for e in c.entities) | {fold(m.speaker) for m in messages},
        terms=frozenset(fold(t) for c in claims for t in c.terms),
        facets=frozenset(c.facet for c in claims if c.facet),
    )
