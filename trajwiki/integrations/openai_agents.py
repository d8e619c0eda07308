"""A session for the OpenAI Agents SDK: its items are messages of one space and session (extra `agents`).

What the user and the assistant say is read like any conversation; every item is kept whole, so that the session can be
given back as it was.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any, Final

from agents.items import TResponseInputItem
from agents.memory import SessionSettings

from trajwiki.domain.messages import Message, NewMessage, Role
from trajwiki.erasure import Selection
from trajwiki.errors import UnknownSpace
from trajwiki.space import Space

ITEM: Final = "item"  # metadata that hold an item
SOURCE: Final = "openai-agents"
ROLES: Final = {"user": Role.USER, "assistant": Role.ASSISTANT, "system": Role.SYSTEM, "developer": Role.SYSTEM}


class TrajwikiSession:
    """A session that remembers beyond itself.

    Args:
        session_id: Of the conversation.
        space: Whose memory it belongs to.
        user: Name of the person, as claims about them shall call them.
    """

    session_settings: SessionSettings | None = None

    def __init__(self, session_id: str, space: Space, *, user: str = "user") -> None:
        self.session_id = session_id
        self._space = space
        self._user = user

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """Give the newest items, oldest first; all without a limit."""
        messages = await asyncio.to_thread(self._messages)
        chosen = messages if limit is None else messages[max(0, len(messages) - limit) :]
        return [json.loads(m.metadata[ITEM]) for m in chosen]

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Append items."""
        await asyncio.to_thread(self._add, [dict(item) for item in items])

    async def pop_item(self) -> TResponseInputItem | None:
        """Erase the newest item and give it."""
        messages = await asyncio.to_thread(self._messages)
        if not messages:
            return None
        await asyncio.to_thread(self._space.erase, Selection(refs=(messages[-1].id,)))
        item: TResponseInputItem = json.loads(messages[-1].metadata[ITEM])
        return item

    async def clear_session(self) -> None:
        """Erase all items with all that stood on them alone."""
        messages = await asyncio.to_thread(self._messages)
        if messages:
            await asyncio.to_thread(self._space.erase, Selection(refs=tuple(m.id for m in messages)))

    def _messages(self) -> list[Message]:
        try:
            state = self._space.state()
        except UnknownSpace:
            return []
        return [state.messages[i] for i in state.sessions.get((SOURCE, self.session_id), ())]

    def _add(self, items: list[dict[str, Any]]) -> None:
        count = self._space.state().next_ordinal
        at = self._space.now()
        self._space.add(
            [
                NewMessage(
                    speaker=self._user
                    if item.get("role") == "user"
                    else str(item.get("role") or item.get("type") or "item"),
                    text=_text(item) or json.dumps(item, ensure_ascii=False, sort_keys=True),
                    sent_at=at,
                    session=self.session_id,
                    source=SOURCE,
                    source_ref=f"{self.session_id}:{count + n}",
                    role=ROLES.get(str(item.get("role")), Role.TOOL),
                    metadata={ITEM: json.dumps(item, ensure_ascii=False)},
                )
                for n, item in enumerate(items)
            ]
        )


def _text(item: dict[str, Any]) -> str:
    """Give the words of an item, or nothing for a call or a result."""
    content = item.get("content")
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(p["text"] for p in parts if isinstance(p, dict) and isinstance(p.get("text"), str))
