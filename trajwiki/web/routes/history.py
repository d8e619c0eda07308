"""The history: commits, what each changed, differences, turning the wiki back, and taking a commit back."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Final

from fastapi import APIRouter, Form, Query, Response

from trajwiki.domain.history import Commit
from trajwiki.errors import UnknownItem, UsageError
from trajwiki.web.door import MAX_COMMIT, Reading, Visit, Writing
from trajwiki.web.frame import PageRoute, go, page

router = APIRouter(prefix="/s/{space}/history", route_class=PageRoute)

A_PAGE: Final = 50  # commits
REVERSIBLE: Final = frozenset({"understand", "flush", "correction", "revert"})

Number = Annotated[int | None, Query(ge=0, le=MAX_COMMIT)]


@router.get("")
def log(visit: Reading, before: Number = None, to: Number = None, done: str | None = None) -> Response:
    """List the commits, newest first, under the slider of time."""
    head = visit.head
    commits = [c for c in visit.space.log() if before is None or c.n < before]
    shown = commits[:A_PAGE]
    turned = head if to is None else min(to, head)
    return page(
        visit.request,
        "history.html",
        visit=visit,
        section="history",
        done=done,
        commits=shown,
        older=shown[-1].n if len(commits) > A_PAGE else None,
        head=head,
        turned=turned,
        sizes=_sizes(visit, turned),
    )


@router.get("/moment")
def moment(visit: Reading, to: Annotated[int, Query(ge=0, le=MAX_COMMIT)]) -> Response:
    """Show what the memory held at a commit, as a part of the page."""
    turned = min(to, visit.head)
    return page(
        visit.request, "parts/moment.html", visit=visit, turned=turned, head=visit.head, sizes=_sizes(visit, turned)
    )


@router.get("/diff")
def between(
    visit: Reading, a: Annotated[int, Query(ge=0, le=MAX_COMMIT)], b: Annotated[int, Query(ge=0, le=MAX_COMMIT)]
) -> Response:
    """Show what changed between two commits."""
    found = visit.space.diff(min(a, b), max(a, b))
    return page(
        visit.request,
        "commit.html",
        visit=visit,
        section="history",
        commit=None,
        diff=found,
        reversible=False,
        done=None,
        messages={},
    )


@router.get("/{n}")
def one(visit: Reading, n: int, done: str | None = None) -> Response:
    """Show a commit with what it changed."""
    commit, found = visit.space.show(_number(n))
    with visit.state() as state:
        refs = {ref: state.message_by_ref.get(ref) for ref in found.messages}
    return page(
        visit.request,
        "commit.html",
        visit=visit,
        section="history",
        commit=commit,
        diff=found,
        done=done,
        reversible=_reversible(commit),
        messages=refs,
    )


@router.post("/{n}/revert")
def revert(visit: Writing, n: int, dependents: Annotated[bool, Form()] = False) -> Response:
    """Take back what a commit did to claims."""
    try:
        commit = visit.space.revert(_number(n), with_dependents=dependents)
    except UsageError as error:
        if "--with-dependents" not in str(error):
            raise
        return page(
            visit.request, "revert.html", visit=visit, section="history", n=n, detail=str(error).partition(";")[0]
        )
    return go(visit.links.now(f"history/{commit.n}", done="reverted"))


def _number(n: int) -> int:
    if not 1 <= n <= MAX_COMMIT:
        raise UnknownItem(f"there is no commit {n}")
    return n


def _reversible(commit: Commit) -> bool:
    return commit.kind.value in REVERSIBLE


def _sizes(visit: Visit, n: int) -> dict[str, object]:
    """Give what the memory held at a commit: sizes, and the newest pages."""
    with replace(visit, at=None if n == visit.head else n).state() as state:
        return {
            "messages": len(state.messages),
            "claims": sum(state.is_current(c) for c in state.claims),
            "old": sum(not state.is_current(c) for c in state.claims),
            "trajectories": len(state.trajectories),
            "pages": len(state.pages),
            "latest": max((m.sent_at for m in state.messages.values() if m.sent_at), default=None),
        }
