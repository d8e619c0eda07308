"""What a page is found by: the text that is embedded, and its words (paper, A.4)."""

from __future__ import annotations

from typing import Final

from trajwiki.domain.state import SpaceState
from trajwiki.domain.wiki import Page, Section
from trajwiki.language.tokens import keywords
from trajwiki.memory.summaries import retrieval_text
from trajwiki.wiki.titles import page_title

WORDS_A_THREAD: Final = 200


def routing_text(state: SpaceState, page: Page) -> str:
    """Give the text that is embedded for a page: its title, lists and facts, then a share of each of its threads.

    Args:
        state: The space, with the bullets of the page.
        page: The page.
    """
    facts = [b.text for b in state.bullets.get(page.id, ()) if b.section in (Section.KEY_FACTS, Section.ITEMS)]
    threads = sorted(state.links.get(page.id, ()), key=lambda t: state.trajectories[t].ordinal)
    said = [" ".join(retrieval_text(state, t).split()[:WORDS_A_THREAD]) for t in threads]
    return "\n".join([page_title(state, page), *facts, *said])


def page_keywords(state: SpaceState, page: Page) -> frozenset[str]:
    """Give the stems by which a page is found: those of its title and of all that is said on it."""
    held = [state.features[t].keywords for t in state.links.get(page.id, ())]
    return frozenset(keywords(page_title(state, page))).union(*held)


def page_terms(state: SpaceState, page: Page) -> frozenset[str]:
    """Give the exact, folded terms that stand in the sources of a page."""
    return frozenset[str]().union(*(state.features[t].terms for t in state.links.get(page.id, ())))
