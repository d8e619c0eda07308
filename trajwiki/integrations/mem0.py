"""The shape of mem0's `Memory` (add, search, get_all, get, update, history, delete) on trajwiki.

What differs is in docs/integrations.md; above all, every memory is a claim with its quote, `user_id` (or `agent_id`,
`run_id`) is always asked for and always filters, and deleting one says so in the history instead of losing it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final, Self

from trajwiki.domain.claims import Claim, Op
from trajwiki.domain.ids import random_id
from trajwiki.domain.messages import NewMessage, Role
from trajwiki.domain.state import SpaceState
from trajwiki.engine import Memory as Trajwiki
from trajwiki.errors import UnknownItem, UsageError
from trajwiki.settings import Settings
from trajwiki.space import Space

EVENTS: Final = {Op.ADD: "ADD", Op.REVISE: "UPDATE", Op.DEPRECATE: "DELETE", Op.RESTORE: "ADD", Op.STATUS: "UPDATE"}
ROLES: Final = {"user": Role.USER, "assistant": Role.ASSISTANT, "system": Role.SYSTEM, "tool": Role.TOOL}
SEARCHED_WORDS: Final = 4_000
Found = dict[str, Any]


class Memory:
    """A memory that is called like mem0's.

    Args:
        location: Path or URL of the database; None: the user's data folder.
        settings: None: from the environment.
    """

    def __init__(self, location: str | Path | None = None, *, settings: Settings | None = None) -> None:
        self._memory = Trajwiki.open(location, settings=settings, actor="mem0")

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> Self:
        """Make one from a configuration, of which only ``{"db": …}`` means something here."""
        return cls(config.get("db"))

    def add(
        self,
        messages: str | Mapping[str, Any] | Iterable[Mapping[str, Any]],
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> Found:
        """Remember messages; gives what changed, each as ``{"id", "memory", "event"}``."""
        space = self._space(user_id, agent_id, run_id)
        before = len(space.state().ops)
        given = [messages] if isinstance(messages, str | Mapping) else list(messages)
        now, noted = space.now(), {str(k): str(v) for k, v in (metadata or {}).items()}
        space.add([_message(m, user_id or "user", now, noted) for m in given])
        space.flush()
        state = space.state()
        changed = [
            {"id": op.claim_id, "memory": state.claims[op.claim_id].text, "event": EVENTS[op.op]}
            for op in state.ops[before:]
        ]
        return {"results": changed}

    def search(
        self,
        query: str,
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
        limit: int = 10,
        threshold: float = 0.0,
    ) -> Found:
        """Give the current claims behind the evidence for a question, best first; scores are in [0, 1]."""
        space = self._space(user_id, agent_id, run_id)
        found = space.recall(query, budget=SEARCHED_WORDS)
        state = space.state()
        best: dict[str, float] = {}
        for evidence in found.evidence:
            for claim_id in evidence.claim_ids:
                if state.is_current(claim_id):
                    best[claim_id] = max(best.get(claim_id, 0.0), evidence.score)
        ranked = sorted(best, key=lambda c: (-best[c], state.claims[c].ordinal))
        chosen = [c for c in ranked if best[c] >= threshold][:limit]
        return {"results": [{**_shown(state.claims[c], state), "score": best[c]} for c in chosen]}

    def get_all(
        self, *, user_id: str | None = None, agent_id: str | None = None, run_id: str | None = None, limit: int = 100
    ) -> Found:
        """Give the current claims, in order of first mention."""
        state = self._space(user_id, agent_id, run_id).state()
        return {"results": [_shown(c, state) for c in state.claims.values() if state.is_current(c.id)][:limit]}

    def get(
        self, memory_id: str, *, user_id: str | None = None, agent_id: str | None = None, run_id: str | None = None
    ) -> Found | None:
        """Give one claim, or None."""
        state = self._space(user_id, agent_id, run_id).state()
        claim = state.claims.get(memory_id)
        return _shown(claim, state) if claim else None

    def update(
        self,
        memory_id: str,
        data: str,
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
    ) -> Found:
        """Put another claim in the place of one, as a person's correction. Raises UnknownItem."""
        commit = self._space(user_id, agent_id, run_id).revise_claim(memory_id, data, reason="updated")
        return {"message": commit.note}

    def delete(
        self, memory_id: str, *, user_id: str | None = None, agent_id: str | None = None, run_id: str | None = None
    ) -> Found:
        """Take a claim back; its history and the words it stood on stay. Raises UnknownItem."""
        commit = self._space(user_id, agent_id, run_id).deprecate_claim(memory_id, reason="deleted")
        return {"message": commit.note}

    def delete_all(
        self, *, user_id: str | None = None, agent_id: str | None = None, run_id: str | None = None
    ) -> Found:
        """Delete all that is kept under these ids, for good."""
        name = self._space(user_id, agent_id, run_id).name
        removed = self._memory.delete_space(name) if name in {s.name for s in self._memory.spaces()} else {}
        return {"message": f"deleted {sum(removed.values())} rows"}

    def history(
        self, memory_id: str, *, user_id: str | None = None, agent_id: str | None = None, run_id: str | None = None
    ) -> list[Found]:
        """Give what was done to a claim, oldest first. Raises UnknownItem."""
        state = self._space(user_id, agent_id, run_id).state()
        if memory_id not in state.claims:
            raise UnknownItem(f"there is no memory {memory_id!r}")
        return [
            {
                "memory_id": memory_id,
                "old_memory": state.claims[op.replaces].text if op.replaces else None,
                "new_memory": state.claims[op.claim_id].text,
                "event": EVENTS[op.op],
                "actor_id": op.decided_by,
                "reason": op.reason,
                "created_at": op.heard_at.isoformat() if op.heard_at else None,
            }
            for op in state.ops
            if memory_id in (op.claim_id, op.replaces)
        ]

    def close(self) -> None:
        """Let go of the database."""
        self._memory.close()

    def _space(self, user_id: str | None, agent_id: str | None, run_id: str | None) -> Space:
        given = [(k, v) for k, v in (("user", user_id), ("agent", agent_id), ("run", run_id)) if v is not None]
        if not given:
            raise UsageError("say whose memory: user_id, agent_id or run_id")
        return self._memory.space(",".join(f"{kind}={len(name)}:{name}" for kind, name in given))


def _message(given: str | Mapping[str, Any], user: str, now: Any, metadata: dict[str, str]) -> NewMessage:
    said = {"role": "user", "content": given} if isinstance(given, str) else given
    role, text = str(said.get("role", "user")), said.get("content")
    if not isinstance(text, str):
        raise UsageError(f"a message has a content that is text, not {type(text).__name__}")
    if role not in ROLES:
        raise UsageError(f"a message has a role of {', '.join(ROLES)}, not {role!r}")
    speaker = str(said.get("name") or (user if role == "user" else role))
    return NewMessage(
        speaker,
        text,
        now,
        session="mem0",
        source="mem0",
        source_ref=random_id("said"),
        role=ROLES[role],
        metadata=metadata,
    )


def _shown(claim: Claim, state: SpaceState) -> Found:
    sources = state.sources.get(claim.id, ())
    first = state.messages[sources[0].quote.message_id] if sources else None
    return {
        "id": claim.id,
        "memory": claim.text,
        "created_at": first.sent_at.isoformat() if first and first.sent_at else None,
        "metadata": dict(first.metadata) if first else {},
        "sources": [
            {"source_ref": state.messages[s.quote.message_id].source_ref, "quote": s.quote.text} for s in sources
        ],
    }
