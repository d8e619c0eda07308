"""Pages written by a model: every line stands on claims it names, or it is dropped (paper, A.4 and C.2)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any, Final

from trajwiki.domain.claims import Claim
from trajwiki.domain.state import Change, SpaceState
from trajwiki.domain.wiki import Bullet, Page, PageType, Section
from trajwiki.memory.digests import best_claims, in_time_order
from trajwiki.memory.summary_model import borne_out, claim_lines
from trajwiki.models.asking import Asker
from trajwiki.models.prompts.base import said
from trajwiki.models.prompts.page import PROMPT, PageText
from trajwiki.wiki.pages import _bullets as rule_bullets
from trajwiki.wiki.titles import page_title

SHOWN: Final = 50  # claims, at most
FEW: Final = 3  # claims of which the rule's page is as good
ENOUGH: Final = 0.3  # of the claims shown, or of twenty, that a page must name


def compile_with_model(state: SpaceState, page_ids: Iterable[str], asker: Asker) -> Change:
    """Give the bullets that begin and end so that these pages say what the state holds, as `compile_bullets` does.

    Args:
        state: The space.
        page_ids: Pages.
        asker: Of the space; where it gives nothing, the page is the rule's.
    """
    change = Change()
    for page_id in page_ids:
        page = state.pages[page_id]
        wanted = model_bullets(state, page, asker) or rule_bullets(state, page)
        old = state.bullets.get(page_id, [])
        kept = set(wanted).intersection(old)
        change.ended_bullets += [b for b in old if b not in kept]
        change.bullets += [b for b in wanted if b not in kept]
    return change


def model_bullets(state: SpaceState, page: Page, asker: Asker) -> list[Bullet] | None:
    """Give the bullets of a page as a model writes it, or None where the rule's page stands."""
    if page.type is PageType.INDEX:
        return None
    threads = sorted(state.links.get(page.id, ()), key=lambda t: state.trajectories[t].ordinal)
    claims = list({c.id: c for t in threads for c in state.claims_in(t) if not c.instruction_like}.values())
    if len(claims) <= FEW:
        asker.skip(PROMPT)
        return None
    shown = in_time_order(state, best_claims(state, claims, limit=SHOWN))
    by_label = {f"C{n}": claim for n, claim in enumerate(shown, start=1)}
    lines = [f"page | {page.type.value} | {said(page_title(state, page))}"]
    lines += [f"thread | {said(state.versions[t][-1].title)}" for t in threads]
    lines += claim_lines(state, by_label)
    reply = asker.ask(PROMPT, lines, check=partial(_useless, by_label=by_label))
    return _page(state, page, reply, by_label, threads) if reply is not None else None


def _page(
    state: SpaceState, page: Page, reply: PageText, by_label: Mapping[str, Claim], threads: list[str]
) -> list[Bullet]:
    """The sections of a reply; what a thread or a conflict would lose is put in by rule."""
    by_rule = rule_bullets(state, page)
    sections = {
        Section.OVERVIEW: borne_out(reply.overview, by_label),
        Section.KEY_FACTS: borne_out(reply.key_facts, by_label),
        Section.ITEMS: borne_out(reply.items_counts, by_label),
        Section.CONFLICTS: borne_out(reply.conflicts_uncertainty, by_label),
    }
    current = {c for lines in (sections[Section.KEY_FACTS], sections[Section.ITEMS]) for _, ids in lines for c in ids}
    for bullet in by_rule:
        here = {s.trajectory_id for s in _threads_of(state, bullet)}
        if bullet.section is Section.KEY_FACTS and here and not _named(state, here, current, threads):
            sections[Section.KEY_FACTS].append((bullet.text, bullet.claim_ids))
            current.update(bullet.claim_ids)
        elif bullet.section is Section.CONFLICTS:
            told = {c for _, ids in sections[Section.CONFLICTS] for c in ids}
            if not told.intersection(bullet.claim_ids):
                sections[Section.CONFLICTS].append((bullet.text, bullet.claim_ids))
        elif bullet.section is Section.OVERVIEW and not sections[Section.OVERVIEW]:
            sections[Section.OVERVIEW].append((bullet.text, bullet.claim_ids))
    out = [b for b in by_rule if b.section is Section.LINKED]
    for section, lines in sections.items():
        out += [Bullet(page.id, section, n, text, ids) for n, (text, ids) in enumerate(lines)]
    return out


def _threads_of(state: SpaceState, bullet: Bullet) -> list[Any]:
    members = []
    for claim_id in bullet.claim_ids:
        for source in state.sources.get(claim_id, ()):
            thread = state.trajectory_of.get(source.snapshot_id)
            if thread:
                members += [m for m in state.members[thread] if m.snapshot_id == source.snapshot_id]
    return members


def _named(state: SpaceState, here: set[str], claim_ids: set[str], threads: list[str]) -> bool:
    """Whether the threads that a fact comes from are on the page already by another fact."""
    on_page = {state.trajectory_of.get(s.snapshot_id) for c in claim_ids for s in state.sources.get(c, ())}
    return here.intersection(threads) <= on_page


def _useless(reply: Any, by_label: Mapping[str, Claim]) -> str | None:
    """Nothing that can be kept, or too little of what was shown."""
    assert isinstance(reply, PageText)
    facts = borne_out(reply.key_facts, by_label)
    if not facts:
        return "empty-page"
    named = {i for part in (facts, borne_out(reply.items_counts, by_label)) for _, ids in part for i in ids}
    return "loses-facts" if len(named) < ENOUGH * min(len(by_label), 20) else None
