"""What must hold of the pages, checked (paper, A.4: coverage)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from trajwiki.domain.problems import Problem
from trajwiki.domain.state import SpaceState
from trajwiki.domain.wiki import PageType, Section
from trajwiki.wiki.shards import MAX_ON_PAGE


def coverage_problems(state: SpaceState) -> list[Problem]:
    """Give what is wrong with the pages of a space; nothing, when all is well."""
    return [problem for check in CHECKS for problem in check(state)]


def _one_index(state: SpaceState) -> Iterator[Problem]:
    n = sum(p.type is PageType.INDEX for p in state.pages.values())
    if n != (1 if state.trajectories else n):
        yield Problem("wiki.index", f"there should be one index page, there are {n}")


def _reachable(state: SpaceState) -> Iterator[Problem]:
    reached = {t for p in state.pages.values() if p.type is not PageType.INDEX for t in state.links.get(p.id, ())}
    for trajectory_id in state.trajectories:
        if trajectory_id not in reached:
            yield Problem("wiki.unreachable", "no page but the index leads to this trajectory", trajectory_id)


def _sizes(state: SpaceState) -> Iterator[Problem]:
    for page in state.pages.values():
        n = len(state.links.get(page.id, ()))
        if page.type is not PageType.INDEX and not 1 <= n <= MAX_ON_PAGE:
            yield Problem("wiki.page-size", f"a page holds 1 to {MAX_ON_PAGE} trajectories, this one {n}", page.slug)


def _slugs(state: SpaceState) -> Iterator[Problem]:
    seen: set[str] = set()
    for page in state.pages.values():
        if page.slug in seen:
            yield Problem("wiki.slug-twice", "two pages have this name", page.slug)
        seen.add(page.slug)


def _links(state: SpaceState) -> Iterator[Problem]:
    for page_id, linked in state.links.items():
        where = state.pages[page_id].slug if page_id in state.pages else page_id
        if linked and page_id not in state.pages:
            yield Problem("wiki.link-without-page", "trajectories are linked to a page that is not there", where)
        for trajectory_id in linked:
            if trajectory_id not in state.trajectories:
                yield Problem("wiki.link-to-nothing", f"links {trajectory_id}, which is not there", where)


def _bullets(state: SpaceState) -> Iterator[Problem]:
    for page_id, bullets in state.bullets.items():
        where = state.pages[page_id].slug if page_id in state.pages else page_id
        for bullet in bullets:
            if page_id not in state.pages:
                yield Problem("wiki.bullet-without-page", "a line belongs to a page that is not there", where)
            elif bullet.section is not Section.LINKED and not bullet.claim_ids:
                yield Problem("wiki.bullet-without-claim", f"a line stands on nothing: {bullet.text[:80]}", where)
            elif not all(state.sources.get(c) for c in bullet.claim_ids):
                yield Problem("wiki.bullet-without-source", f"a line has no source: {bullet.text[:80]}", where)


CHECKS: Final[tuple[Callable[[SpaceState], Iterator[Problem]], ...]] = (
    _one_index,
    _reachable,
    _sizes,
    _slugs,
    _links,
    _bullets,
)
