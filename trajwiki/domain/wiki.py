"""Wiki pages: stored assignments and bullets, rendered on reading."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class PageType(enum.StrEnum):
    """The four kinds of page (paper, 3.2)."""

    INDEX = "index"
    ENTITY = "entity"
    TOPIC = "topic"
    INVENTORY = "inventory"


class Section(enum.StrEnum):
    """The required sections of a page, in order (paper, A.4)."""

    OVERVIEW = "Overview"
    KEY_FACTS = "Key Facts"
    ITEMS = "Items/Counts"
    LINKED = "Linked Trajectories"
    CONFLICTS = "Conflicts/Uncertainty"


@dataclass(frozen=True, slots=True)
class Page:
    """The identity of a page: one shard of one seed.

    Attributes:
        id: Content id, from seed and shard number.
        slug: Name in links, unique in a space, ASCII.
        type: Which kind.
        seed: What it gathers, such as ``entity:melanie`` or ``inventory:melanie/activity``.
    """

    id: str
    slug: str
    type: PageType
    seed: str


@dataclass(frozen=True, slots=True, order=True)
class PageLink:
    """That a trajectory is on a page, from one commit until another."""

    page_id: str
    trajectory_id: str


@dataclass(frozen=True, slots=True)
class Bullet:
    """One line of a page, with what it stands on.

    Attributes:
        page_id: The page.
        section: Where on the page.
        ordinal: Order in the section.
        text: Markdown of the line, without refs.
        claim_ids: What it stands on; never empty, except in LINKED, which stands on the trajectory.
        trajectory_id: For LINKED, the trajectory.
    """

    page_id: str
    section: Section
    ordinal: int
    text: str
    claim_ids: tuple[str, ...]
    trajectory_id: str | None = None
