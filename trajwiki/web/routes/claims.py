"""A claim: what it stands on, what was done to it, and setting it right."""

from __future__ import annotations

from typing import Annotated, Any, Final

from fastapi import APIRouter, Form, Response

from trajwiki.domain.state import SpaceState
from trajwiki.errors import UnknownItem, UsageError
from trajwiki.web.door import Reading, Visit, Writing
from trajwiki.web.frame import PageRoute, go, page
from trajwiki.web.links import name_of
from trajwiki.web.said import replaced, said, step
from trajwiki.web.words import STATUS
from trajwiki.wiki.titles import page_title

router = APIRouter(prefix="/s/{space}/claims", route_class=PageRoute)

MAX_WORDS: Final = 10_000  # characters of a correction

Text = Annotated[str, Form(max_length=MAX_WORDS)]


@router.get("/{claim}")
def one(visit: Reading, claim: str, done: str | None = None) -> Response:
    """Show a claim with sources, history and forms."""
    with visit.state() as state:
        context = _context(state, name_of(claim))
        return page(visit.request, "claim.html", visit=visit, section="wiki", done=done, **context)


@router.get("/{claim}/forms")
def forms(visit: Reading, claim: str) -> Response:
    """Give the forms alone, to be put beside a message."""
    with visit.state() as state:
        context = _context(state, name_of(claim))
        return page(visit.request, "parts/claim_forms.html", visit=visit, **context)


@router.post("/{claim}")
def correct(visit: Writing, claim: str, act: Annotated[str, Form()], text: Text = "", reason: Text = "") -> Response:
    """Revise, deprecate or restore a claim as a person, and show it."""
    claim_id = name_of(claim)
    with visit.state() as state:
        if claim_id not in state.claims:
            raise UnknownItem(f"there is no claim {claim_id!r}")
        before = set(state.claims)
    why = reason.strip() or "said so on the claim's page"
    if act == "revise":
        if not text.strip():
            raise UsageError("write what is right in place of the claim")
        visit.space.revise_claim(claim_id, text.strip(), reason=why)
    elif act == "deprecate":
        visit.space.deprecate_claim(claim_id, reason=why)
    elif act == "restore":
        visit.space.restore_claim(claim_id, reason=why)
    else:
        raise UsageError(f"a claim can be revised, deprecated or restored, not {act!r}")
    return go(visit.links.now(f"claims/{_after(visit, claim_id, before)}", done=act))


def _after(visit: Visit, claim_id: str, before: set[str]) -> str:
    """Give the claim to show: the one that took the place, if there is one."""
    with visit.state() as state:
        new = [c for c in state.claims if c not in before]
        instead = replaced(state, claim_id)[1]
    return new[-1] if new else (instead[-1].id if instead else claim_id)


def _context(state: SpaceState, claim_id: str) -> dict[str, Any]:
    if claim_id not in state.claims:
        raise UnknownItem(f"there is no claim {claim_id!r}")
    before, instead = replaced(state, claim_id)
    sources = state.sources.get(claim_id, ())
    threads = dict.fromkeys(state.trajectory_of[s.snapshot_id] for s in sources if s.snapshot_id in state.trajectory_of)
    pages = dict.fromkeys(
        p
        for t in threads
        for p in state.pages_of.get(t, ())
        if any(claim_id in b.claim_ids for b in state.bullets.get(p, ()))
    )
    status = state.status[claim_id].value
    messages = dict.fromkeys(s.quote.message_id for s in sources)
    return {
        "claim": state.claims[claim_id],
        "status": status,
        "meaning": STATUS[status][2],
        "sources": [said(state, state.messages[i], claim_id=claim_id) for i in messages if i in state.messages],
        "steps": [step(state, op) for op in state.ops if claim_id in (op.claim_id, op.replaces)],
        "before": before,
        "instead": instead,
        "threads": [(t, state.versions[t][-1].title) for t in threads],
        "pages": [(state.pages[p].slug, page_title(state, state.pages[p])) for p in pages],
    }
