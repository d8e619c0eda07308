"""What pages are called: titles for people, slugs for links."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable
from typing import Final

from trajwiki.domain.state import SpaceState
from trajwiki.domain.wiki import Page, PageType
from trajwiki.language.tokens import fold
from trajwiki.wiki.labels import list_title
from trajwiki.wiki.seeds import Seed, parse_seed

MAX_NAME: Final = 40  # characters of a name in a title
MAX_TITLE: Final = 90
MAX_SLUG: Final = 60
INDEX_TITLE: Final = "Index"
_NOT_SLUG: Final = re.compile(r"[^a-z0-9]+")


def page_title(state: SpaceState, page: Page) -> str:
    """Give the title of a page: plain text on one line, not escaped for Markdown."""
    linked = sorted(state.links.get(page.id, ()), key=lambda t: state.trajectories[t].ordinal)
    return seed_title(state, parse_seed(page.seed), linked)


def seed_title(state: SpaceState, seed: Seed, trajectory_ids: Iterable[str]) -> str:
    """Give the title of a page of this seed.

    Args:
        state: The space.
        seed: With its theme.
        trajectory_ids: On the page; a name is written as it is there.
    """
    theme = " and ".join(seed.theme)
    if seed.type is PageType.INDEX:
        return INDEX_TITLE
    if seed.type is PageType.TOPIC:
        title, theme = seed.theme[0] if seed.theme else seed.key, " and ".join(seed.theme[1:])
    else:
        name = name_of(state, seed.key, trajectory_ids)
        title = list_title(seed.facet, name) if seed.facet else name
    return _cut(capitalised(f"{title}: {theme}" if theme else title), MAX_TITLE)


def name_of(state: SpaceState, key: str, trajectory_ids: Iterable[str]) -> str:
    """Give a folded name as it is written where these trajectories speak of it."""
    for trajectory_id in trajectory_ids:
        for snapshot in state.snapshots_in(trajectory_id):
            for message_id in snapshot.message_ids:
                if fold(speaker := state.messages[message_id].speaker) == key:
                    return clean_name(speaker)
            for claim_id in snapshot.claim_ids:
                claim = state.claims[claim_id]
                for name in (claim.subject, *claim.entities):
                    if fold(name) == key:
                        return clean_name(name)
    return clean_name(key)


def clean_name(name: str) -> str:
    """Give a name as it can stand in a line."""
    return clean_text(name, MAX_NAME) or "?"


def clean_text(text: str, limit: int) -> str:
    """Give a text without control characters, with single spaces, and with at most so many characters."""
    visible = "".join(" " if unicodedata.category(c)[0] in "CZ" else c for c in text[: 4 * limit])
    return _cut(" ".join(visible.split()), limit)


def capitalised(text: str) -> str:
    """Give the text with a capital at its beginning."""
    return text[:1].upper() + text[1:]


def slug_of(title: str) -> str:
    """Give a title as it stands in links: lower-case ASCII letters, digits and hyphens; empty when none is left."""
    plain = unicodedata.normalize("NFKD", title.replace("'", "").replace("’", ""))
    slug = _NOT_SLUG.sub("-", plain.encode("ascii", "ignore").decode().lower()).strip("-")
    if len(slug) <= MAX_SLUG:
        return slug
    return slug[:MAX_SLUG].rpartition("-")[0] or slug[:MAX_SLUG]


def free_slug(title: str, page_id: str, *, taken: Collection[str]) -> str:
    """Give a slug for a new page that no other has.

    Args:
        title: Of the page.
        page_id: A title without ASCII letters is named by it.
        taken: Slugs in use.
    """
    slug = slug_of(title) or f"page-{page_id.rpartition('_')[2][:8]}"
    if slug not in taken:
        return slug
    n = 2
    while f"{slug}-{n}" in taken:
        n += 1
    return f"{slug}-{n}"


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"
