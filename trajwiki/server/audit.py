"""The audit packet of an answer: everything it stands on, in one object that can be filed."""

from __future__ import annotations

from typing import Any

from trajwiki.errors import UnknownItem
from trajwiki.payloads import Payload, blame_payload, commit_payload
from trajwiki.server.shown import message_payload
from trajwiki.space import Space


def audit_packet(space: Space, answer_id: str) -> Payload:
    """Give a kept answer with its messages, blame and commits.

    Raises:
        UnknownItem: There is no such answer.
    """
    answer: Any = space.explain(answer_id)
    state = space.state()
    refs = [r for r in answer["refs"] if r in state.message_by_ref]
    claims = dict.fromkeys(f["claim_id"] for f in answer["facts"] if f["claim_id"])
    log = space.log()
    head = answer["head"]
    return {
        "schema": "trajwiki.audit/1",
        "answer": answer,
        "evidence": [message_payload(state.messages[state.message_by_ref[r]]) for r in refs],
        "gone": [r for r in answer["refs"] if r not in state.message_by_ref],
        "blame": [_blame(space, claim_id) for claim_id in claims],
        "commit": next((commit_payload(c) for c in log if c.n == head), None),
        "head": log[0].n if log else 0,
    }


def _blame(space: Space, claim_id: str) -> Payload:
    try:
        return blame_payload(claim_id, space.blame(claim_id))
    except UnknownItem:  # erased since
        return blame_payload(claim_id, [])
