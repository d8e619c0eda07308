"""JSON forms that only the server gives."""

from __future__ import annotations

from trajwiki.domain.messages import Message
from trajwiki.payloads import Payload


def message_payload(message: Message) -> Payload:
    """Show a message with everything that was given with it."""
    return {
        "source_ref": message.source_ref,
        "message_id": message.id,
        "session": message.session,
        "speaker": message.speaker,
        "timestamp": message.sent_at.isoformat() if message.sent_at else None,
        "text": message.text,
        "caption": message.caption,
        "role": message.role.value,
        "source": message.source,
        "revision": message.revision,
        "metadata": dict(message.metadata),
    }
