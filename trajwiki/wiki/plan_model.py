"""Which of the pages that the rules would begin a model lets pass; none that is somebody's only way in (paper, C.2)."""

from __future__ import annotations

from typing import Any

from trajwiki.domain.state import Change, SpaceState
from trajwiki.domain.wiki import Page, PageType
from trajwiki.models.asking import Asker
from trajwiki.models.prompts.base import said
from trajwiki.models.prompts.page_plan import PROMPT, PagePlan
from trajwiki.wiki.index import WikiIndex
from trajwiki.wiki.seeds import OTHER_TALK, parse_seed


def plan(change: Change, state: SpaceState, index: WikiIndex, asker: Asker) -> Change:
    """Give a change of placing without the new pages that a model drops.

    Args:
        change: Pages and links that begin and end.
        state: Before the change.
        index: Of the same state.
        asker: Of the space.
    """
    new = [p for p in change.pages if _may_be_dropped(p, change, state, index)]
    if not new:
        return change
    by_label = {f"P{n}": page for n, page in enumerate(new, start=1)}
    reply = asker.ask(PROMPT, [_line(label, p, change, state) for label, p in by_label.items()], check=_useless)
    if reply is None:
        return change
    wanted = {p.page.strip().upper() for p in reply.pages if p.decision == "drop"}
    dropped = {by_label[label].id for label in sorted(wanted & by_label.keys())}
    return Change(
        pages=[p for p in change.pages if p.id not in dropped],
        links=[link for link in change.links if link.page_id not in dropped],
        ended_links=change.ended_links,
    )


def _may_be_dropped(page: Page, change: Change, state: SpaceState, index: WikiIndex) -> bool:
    """A page of a name, list or topic, whole, whose threads are all on a page that stays."""
    seed = parse_seed(page.seed)
    if page.type is PageType.INDEX or seed.is_shard or seed.base == OTHER_TALK.base or seed.key in index.speakers:
        return False
    if any(parse_seed(other.seed).base == seed.base for other in change.pages if other.id != page.id):
        return False
    ended = {(link.page_id, link.trajectory_id) for link in change.ended_links}
    for thread in (link.trajectory_id for link in change.links if link.page_id == page.id):
        stays = [p for p in state.pages_of.get(thread, ()) if (p, thread) not in ended]
        joined = any(k.trajectory_id == thread and k.page_id in state.pages for k in change.links)
        if not stays and not joined and not _has_new_home(thread, change, index):
            return False
    return True


def _has_new_home(thread: str, change: Change, index: WikiIndex) -> bool:
    homes = {p.id for p in change.pages if parse_seed(p.seed).key in index.speakers and p.type is PageType.ENTITY}
    return any(link.page_id in homes and link.trajectory_id == thread for link in change.links)


def _line(label: str, page: Page, change: Change, state: SpaceState) -> str:
    threads = [link.trajectory_id for link in change.links if link.page_id == page.id]
    titles = "; ".join(state.versions[t][-1].title for t in threads[:6])
    seed = parse_seed(page.seed)
    title = " ".join([seed.key, seed.facet.replace("_", " ")]).strip()
    return f"{label} | {page.type.value} | {said(title)} | {said(titles)}"


def _useless(reply: Any) -> str | None:
    assert isinstance(reply, PagePlan)
    return None if reply.pages else "empty-plan"
