"""Conversations: the messages as they were said, each with what was understood from it."""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import APIRouter, Query, Response

from trajwiki.domain.state import SpaceState
from trajwiki.errors import UnknownItem
from trajwiki.web.door import Reading, Visit
from trajwiki.web.frame import PageRoute, page
from trajwiki.web.links import name_of
from trajwiki.web.said import said
from trajwiki.web.words import session_name

router = APIRouter(prefix="/s/{space}", route_class=PageRoute)

A_PAGE: Final = 60  # messages


@router.get("/conversations")
def sessions(visit: Reading) -> Response:
    """List the sessions, in the order they began."""
    with visit.state() as state:
        rows = []
        for (source, session), ids in state.sessions.items():
            messages = [state.messages[i] for i in ids]
            times = [m.sent_at for m in messages if m.sent_at]
            rows.append(
                {
                    "source": source,
                    "session": session,
                    "name": session_name(source, session),
                    "first": min(times) if times else None,
                    "messages": len(ids),
                    "speakers": list(dict.fromkeys(m.speaker for m in messages))[:5],
                    "claims": len({c for i in ids for c in state.claims_of.get(i, ())}),
                    "opening": messages[0].content if messages else "",
                }
            )
        return page(visit.request, "sessions.html", visit=visit, section="talk", rows=rows)


@router.get("/conversations/session")
def session(
    visit: Reading,
    source: Annotated[str, Query(max_length=500)] = "",
    session: Annotated[str, Query(max_length=500)] = "",
    part: Annotated[int, Query(ge=1, le=1_000_000)] = 1,
    done: str | None = None,
) -> Response:
    """Show a session."""
    with visit.state() as state:
        return _session(visit, state, (source, session), part=part, done=done)


@router.get("/messages/{message}")
def message(
    visit: Reading, message: str, claim: Annotated[str | None, Query(max_length=100)] = None, done: str | None = None
) -> Response:
    """Show the session around a message, with the words of a claim marked."""
    with visit.state() as state:
        message_id = name_of(message)
        message_id = state.message_by_ref.get(message_id, message_id)
        if message_id not in state.messages:
            raise UnknownItem(f"there is no message {message_id!r}; it may have been erased")
        m = state.messages[message_id]
        place = state.sessions[m.source, m.session].index(message_id)
        part = place // A_PAGE + 1
        return _session(visit, state, (m.source, m.session), part=part, done=done, asked=message_id, claim=claim)


def _session(
    visit: Visit,
    state: SpaceState,
    key: tuple[str, str],
    *,
    part: int,
    done: str | None,
    asked: str | None = None,
    claim: str | None = None,
) -> Response:
    ids = state.sessions.get(key)
    if ids is None:
        raise UnknownItem(f"there is no session {key[1]!r}")
    parts = -(-len(ids) // A_PAGE)
    part = min(part, max(parts, 1))
    shown = ids[(part - 1) * A_PAGE : part * A_PAGE]
    keys = list(state.sessions)
    here = keys.index(key)
    around = [keys[i] if 0 <= i < len(keys) else None for i in (here - 1, here + 1)]
    times = [m.sent_at for i in ids if (m := state.messages[i]).sent_at]
    return page(
        visit.request,
        "session.html",
        visit=visit,
        section="talk",
        done=done,
        key=key,
        name=session_name(*key),
        at=times[0] if times else None,
        messages=[said(state, state.messages[i], claim_id=claim, asked=i == asked) for i in shown],
        asked=asked,
        claim=state.claims.get(claim) if claim else None,
        total=len(ids),
        part=part,
        parts=parts,
        speakers=list(dict.fromkeys(state.messages[i].speaker for i in ids)),
        before=around[0] and (around[0], session_name(*around[0])),
        after=around[1] and (around[1], session_name(*around[1])),
    )
