"""Erasing messages, with what would fall shown first; and stating a claim as a person."""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import APIRouter, Form, Query, Response

from trajwiki.erasure import Selection
from trajwiki.errors import UsageError
from trajwiki.web.door import Reading, Ruling, Visit, Writing
from trajwiki.web.frame import PageRoute, go, page
from trajwiki.web.said import said

router = APIRouter(prefix="/s/{space}", route_class=PageRoute)

SHOWN: Final = 50
MOST: Final = 2000  # messages erased by one form

Refs = Annotated[list[str] | None, Query(max_length=MOST)]
FormRefs = Annotated[list[str] | None, Form(max_length=MOST)]
Words = Annotated[str, Form(max_length=500)]


@router.get("/erase")
def choose(visit: Reading, ref: Refs = None, q: Annotated[str, Query(max_length=500)] = "") -> Response:
    """Show the messages that are meant, with what stands on them."""
    refs, matching = tuple(ref or ()), q.strip()
    with visit.state() as state:
        found = Selection(refs=refs, matching=matching or None).of(state) if refs or matching else []
        claims = dict.fromkeys(c for m in found for c in state.claims_of.get(m.id, ()))
        return page(
            visit.request,
            "erase.html",
            visit=visit,
            section="talk",
            refs=refs,
            matching=matching,
            found=[said(state, m) for m in found[:SHOWN]],
            total=len(found),
            claims=[state.claims[c].text for c in claims][:SHOWN],
            erasure=None,
        )


@router.post("/erase/preview")
def preview(visit: Ruling, ref: FormRefs = None, q: Words = "") -> Response:
    """Work out what would fall, by replaying the history without the messages; nothing is changed."""
    selection = _selection(ref, q)
    erasure = visit.space.erase(selection, dry_run=True)
    with visit.state() as state:
        found = selection.of(state)
        return page(
            visit.request,
            "erase.html",
            visit=visit,
            section="talk",
            refs=selection.refs,
            matching=selection.matching or "",
            found=[said(state, m) for m in found[:SHOWN]],
            total=len(found),
            claims=[],
            erasure=erasure,
        )


@router.post("/erase")
def erase(visit: Ruling, ref: FormRefs = None, q: Words = "", expected: Annotated[int, Form(ge=0)] = 0) -> Response:
    """Erase messages for good."""
    selection = _selection(ref, q)
    with visit.state() as state:
        meant = len(selection.of(state))
    if meant != expected:
        raise UsageError(
            f"{meant} messages are meant now, not the {expected} that were shown, and nothing was erased: look again"
        )
    erasure = visit.space.erase(selection)
    return page(visit.request, "erased.html", visit=visit, section="talk", erasure=erasure)


@router.post("/claims")
def state_claim(
    visit: Writing,
    text: Annotated[str, Form(max_length=10_000)] = "",
    reason: Annotated[str, Form(max_length=10_000)] = "",
) -> Response:
    """State a claim as a person."""
    before = _claims(visit)
    visit.space.add_claim(text.strip(), reason=reason.strip() or "said so on the wiki's pages")
    new = [c for c in _claims(visit) if c not in before]
    return go(visit.links.now(f"claims/{new[-1]}", done="added") if new else visit.links.now("wiki"))


def _claims(visit: Visit) -> dict[str, None]:
    with visit.state() as state:
        return dict.fromkeys(state.claims)


def _selection(ref: list[str] | None, q: str) -> Selection:
    return Selection(refs=tuple(ref or ()), matching=q.strip() or None)
