"""Asking: the answer with its refs, beside it the way that led to it, and why a message was not used."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Annotated, Any, Final

import sqlalchemy as sa
from fastapi import APIRouter, Form, Query, Response

from trajwiki.domain.state import SpaceState
from trajwiki.domain.usage import Call, Phase
from trajwiki.engine import Memory
from trajwiki.language.tokens import fold
from trajwiki.live import LiveSpace
from trajwiki.store import tables
from trajwiki.views import View
from trajwiki.web.door import Asking, Reading, Visit
from trajwiki.web.frame import PageRoute, go, page
from trajwiki.web.links import name_of
from trajwiki.web.said import said
from trajwiki.web.trail import query_of, trail, why_not

router = APIRouter(prefix="/s/{space}/ask", route_class=PageRoute)

KEPT_SHOWN: Final = 12
CANDIDATES: Final = 8
MAX_QUESTION: Final = 2000  # characters


@router.get("")
def form(visit: Reading) -> Response:
    """Show the form, what can be asked, and what was asked before."""
    with visit.state() as state:
        suggested = _suggestions(state)
    return page(
        visit.request,
        "ask.html",
        visit=visit,
        section="ask",
        kept=_kept(visit.memory, visit.space_id),
        suggested=suggested,
    )


@router.post("")
def ask(visit: Asking, question: Annotated[str, Form(max_length=MAX_QUESTION)] = "") -> Response:
    """Answer, keep the answer, and show it."""
    answer = visit.space.ask(question.strip())
    return go(visit.links.now(f"ask/{answer.id}"))


@router.get("/{answer}")
def one(
    visit: Reading,
    answer: str,
    why: Annotated[str, Query(max_length=500)] = "",
) -> Response:
    """Show a kept answer with the way that led to it."""
    kept: dict[str, Any] = visit.space.explain(name_of(answer))
    settings = visit.memory.settings
    with _as_it_was(visit, kept["head"]) as live:
        query = query_of(
            kept["question"], visit.memory, live, space=visit.name, budget=settings.budget, profile=settings.profile
        )
        way = trail(query, live, kept, _calls(visit, kept["at"]))
        state = live.state
        asked, reasons = why.strip(), []
        if asked:
            found = _meant(state, asked)
            reasons = [(said(state, state.messages[i]), why_not(i, query, live, way, kept)) for i in found]
        return page(
            visit.request,
            "answer.html",
            visit=visit,
            section="ask",
            answer=kept,
            id=name_of(answer),
            way=way,
            why=asked,
            reasons=reasons,
            messages=state.messages,
            refs={ref: state.message_by_ref.get(ref) for ref in kept["refs"]},
            stale=kept["head"] != visit.head,
            spoken={ref: state.messages[i].speaker for ref, i in state.message_by_ref.items() if ref in kept["refs"]},
            times={ref: state.messages[i].sent_at for ref, i in state.message_by_ref.items() if ref in kept["refs"]},
        )


@contextmanager
def _as_it_was(visit: Visit, head: int) -> Iterator[LiveSpace]:
    """Give the space with its indexes, as it was at a commit."""
    info = visit.memory.store.find(visit.name)
    assert info is not None
    with visit.memory.locked(info.id):
        yield visit.memory.live(info) if head == info.head else visit.memory.past(info, View(head))


def _calls(visit: Visit, at: str) -> list[Call]:
    """Give the calls of the chat model that were made for an answer: since the answer before it."""
    t, moment = tables.answer, datetime.fromisoformat(at)
    query = sa.select(t.c.at).where(t.c.space_id == visit.space_id)
    with visit.memory.database.reading() as c:
        before = max((r.at for r in c.execute(query) if r.at < moment), default=None)
    asked = (Phase.RETRIEVAL, Phase.ANSWER, Phase.REPAIR)
    made = (c for c in visit.memory.calls(visit.space_id) if c.phase in asked and c.at <= moment)
    return [c for c in made if before is None or c.at > before]


def _meant(state: SpaceState, words: str) -> list[str]:
    """Give the messages that a ref or some words mean."""
    if (exact := state.message_by_ref.get(words)) is not None:
        return [exact]
    wanted = fold(words)
    return [m.id for m in state.messages.values() if wanted in fold(m.content)][:CANDIDATES]


def _kept(memory: Memory, space_id: str) -> list[dict[str, Any]]:
    """Give the newest kept answers."""
    t = tables.answer
    query = sa.select(t.c.id, t.c.at, t.c.body).where(t.c.space_id == space_id).order_by(t.c.at.desc(), t.c.id)
    with memory.database.reading() as c:
        return [
            {
                "id": r.id,
                "at": r.at,
                "question": r.body["question"],
                "answered": r.body["answered"],
                "text": r.body["text"],
            }
            for r in c.execute(query.limit(KEPT_SHOWN))
        ]


def _suggestions(state: SpaceState) -> list[str]:
    """Give questions that the memory can be tried with: about who speaks most, by what is known of them."""
    people = [n for n, _ in sorted(state.speakers.items(), key=lambda item: -item[1]) if len(n) <= 40][:2]
    known: dict[str, set[str]] = {}
    for claim in state.claims.values():
        if claim.facet is not None and state.is_current(claim.id):
            known.setdefault(claim.subject, set()).add(claim.facet.name)
    asks = {
        "lives_in": "Where does {} live now?",
        "works_at": "Where does {} work?",
        "likes": "What does {} like?",
        "pet": "What pets does {} have?",
        "hobby": "What does {} do for fun?",
        "visited": "Which places did {} visit?",
        "read": "Which books did {} read?",
        "plans": "What does {} plan?",
    }
    found = [text.format(name) for name in people for facet, text in asks.items() if facet in known.get(name, ())]
    return found[:6]
