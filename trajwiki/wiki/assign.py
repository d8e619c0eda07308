"""Which pages a trajectory is on, decided when an exchange has been understood (paper, A.4).

The paper makes all pages anew after a replay. Here a page keeps its trajectories: a new one goes to the nearest page
of its seed, and a page that is full gives a part of them to a new page. A page never ends, so links to it stay good.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from trajwiki.domain.ids import Ids
from trajwiki.domain.state import Change, SpaceState
from trajwiki.domain.wiki import Page, PageLink, PageType
from trajwiki.memory.digests import usable
from trajwiki.wiki.choice import home_seed, wanted_seeds
from trajwiki.wiki.index import WikiIndex
from trajwiki.wiki.seeds import INDEX, OTHER_TALK, Seed
from trajwiki.wiki.shards import divide
from trajwiki.wiki.themes import choose_theme, fit, written
from trajwiki.wiki.titles import free_slug, seed_title

__all__ = ["WikiIndex", "place"]


def place(state: SpaceState, index: WikiIndex, trajectory_id: str, *, ids: Ids) -> Change:
    """Give what changes in the pages now that a trajectory has a new snapshot.

    Every trajectory has a home, a page of the person it is about most, or of other talk while it tells nothing; so
    none can be reached from the index alone. The index page is begun with the first of them. It shows all pages and
    stores no links.

    Args:
        state: The space, in which the trajectory has its new member, version and vector.
        index: Of the same state; not changed here.
        trajectory_id: The trajectory.
        ids: Of the space.
    """
    placing = _Placing(state, index, trajectory_id, ids)
    if not state.pages:
        placing.begin(INDEX, [])
    home = home_seed(state, index, trajectory_id)
    if home is not None:
        placing.put(home, [trajectory_id])
        placing.leave_other_talk()
    for seed, holders in wanted_seeds(state, index, trajectory_id):
        placing.put(seed, holders)
    return placing.change


@dataclass(slots=True)
class _Placing:
    """The pages of one trajectory in progress."""

    state: SpaceState
    index: WikiIndex
    trajectory_id: str
    ids: Ids
    change: Change = field(default_factory=Change)

    def put(self, seed: Seed, founders: Sequence[str]) -> None:
        """Put the trajectory on the nearest page of a seed, or begin the seed with its founders."""
        vectors = self.state.vectors["trajectory"]
        page_id = self.index.nearest(seed.base, vectors[self.trajectory_id])
        here = self.index.members(page_id) if page_id else []
        come = founders if page_id is None else [self.trajectory_id]
        groups = divide(self.index.in_order([*here, *come]), vectors)
        stays = self._that_stays(self.index.seed_of(page_id) if page_id else seed, groups)
        if page_id is None:
            self.begin(seed, stays)
        else:
            self.change.ended_links += [PageLink(page_id, t) for t in here if t not in stays]
            self.change.links += [PageLink(page_id, t) for t in stays if t not in here]
        for group in groups:
            if group is not stays:
                self.begin(seed, group, shard=True)

    def leave_other_talk(self) -> None:
        """Take a trajectory that tells something now from the page where it waited, unless it is alone there."""
        for page_id in self.state.pages_of.get(self.trajectory_id, ()):
            if self.index.seed_of(page_id).base == OTHER_TALK.base and len(self.state.links[page_id]) > 1:
                self.change.ended_links.append(PageLink(page_id, self.trajectory_id))

    def begin(self, seed: Seed, members: Sequence[str], *, shard: bool = False) -> None:
        """Begin a page. A shard beside others of its seed gets a theme."""
        if seed.type is PageType.TOPIC:
            seed = replace(seed, theme=(written(self.state, seed.key, members) if seed.key else "other talk",))
        if shard:
            seed = replace(seed, theme=seed.theme + choose_theme(self.state, self.index, seed, members))
        title = seed_title(self.state, seed, members)
        snapshot_id = self.state.members[self.trajectory_id][-1].snapshot_id
        page_id = self.ids.of("page", seed.base, snapshot_id, len(self.change.pages))
        taken = self.index.slugs | {p.slug for p in self.change.pages}
        self.change.pages.append(Page(page_id, free_slug(title, page_id, taken=taken), seed.type, seed.text))
        self.change.links += [PageLink(page_id, t) for t in members]

    def _that_stays(self, seed: Seed, groups: Sequence[list[str]]) -> list[str]:
        """A page with a theme keeps what fits the theme; the first page of a seed keeps what says most."""
        if seed.is_shard:
            return max(groups, key=lambda group: fit(self.state, seed, group))
        return max(groups, key=lambda group: sum(len(usable(self.state, self.state.claims_in(t))) for t in group))
