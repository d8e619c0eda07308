"""Which seeds gather a trajectory: the person it is about, and lists, names and topics it shares with others."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from trajwiki.domain.state import SpaceState
from trajwiki.domain.wiki import PageType
from trajwiki.language.facets import FACETS
from trajwiki.language.tokens import fold, is_stopword
from trajwiki.wiki.index import WikiIndex
from trajwiki.wiki.seeds import OTHER_TALK, Seed

PAGES_A_TRAJECTORY: Final = 3  # at most
SHARED_BY: Final = 2  # trajectories that make an entity or list worth a page
LIST_VALUES: Final = 3  # distinct values that make a list
TOPIC_SHARED_BY: Final = 4
TOPIC_AT_MOST: Final = 12  # a word in more trajectories is no topic but a habit
COVERED: Final = 0.8  # paper, A.4: a topic whose trajectories are on other pages to this share is dropped


def home_seed(state: SpaceState, index: WikiIndex, trajectory_id: str) -> Seed | None:
    """Give the seed of the person whom a trajectory is about most, or None when it is at home already.

    That is the person with most claims in it; models only where nobody else speaks.
    """
    for page_id in state.pages_of.get(trajectory_id, ()):
        page = state.pages[page_id]
        if page.type is PageType.ENTITY and index.seed_of(page_id).key in index.speakers:
            return None
    if not any(index.phrases(c) for c in state.claims_in(trajectory_id)):
        return None if state.pages_of.get(trajectory_id) else OTHER_TALK
    people = dict.fromkeys(_speakers(state, trajectory_id), 0)
    for claim in state.claims_in(trajectory_id):
        subject = fold(claim.subject)
        owner = subject if subject in people else subject.partition("'")[0]
        if owner in people:
            people[owner] += 1
    return Seed(PageType.ENTITY, min(people, key=lambda p: (p not in index.people, -people[p])))


def wanted_seeds(state: SpaceState, index: WikiIndex, trajectory_id: str) -> list[tuple[Seed, list[str]]]:
    """Give the further seeds that should gather a trajectory and do not yet, best first.

    Returns:
        Each with the trajectories that would begin its page, this one among them.
    """
    here = state.pages_of.get(trajectory_id, ())
    room = PAGES_A_TRAJECTORY - max(1, len(here))
    if room <= 0:
        return []
    present = {index.seed_of(p).base for p in here}
    choosing = _Choosing(state, index, trajectory_id, present)
    chosen = (choosing.lists() + choosing.entities())[:room]
    if not chosen and len(here) <= 1:
        chosen = choosing.topics()[:1]
    return [(seed, holders) for _, seed, holders in chosen]


Option = tuple[int, Seed, list[str]]


@dataclass(frozen=True, slots=True)
class _Choosing:
    """The seeds that could gather one trajectory.

    Attributes:
        present: Bases of the seeds that gather it.
    """

    state: SpaceState
    index: WikiIndex
    trajectory_id: str
    present: set[str]

    def lists(self) -> list[Option]:
        """Relations of which the space knows several values, told in several trajectories."""
        keys = {
            (fold(c.subject), c.facet.name)
            for c in self.state.claims_in(self.trajectory_id)
            if c.facet and c.facet.name in FACETS and FACETS[c.facet.name].inventory
        }
        options = []
        for subject, facet in keys:
            held = self.index.lists.get((subject, facet), {})
            if self.trajectory_id in held and len(set().union(*held.values())) >= LIST_VALUES:
                options += self._option(Seed(PageType.INVENTORY, subject, facet), held, SHARED_BY)
        return _best_first(options)

    def entities(self) -> list[Option]:
        """Names that are spoken of in several trajectories, without those who speak."""
        options = []
        for name in self.state.features[self.trajectory_id].entities - self.index.speakers:
            if not is_stopword(name):
                options += self._option(Seed(PageType.ENTITY, name), self.index.entities[name], SHARED_BY)
        return _best_first(options)

    def topics(self) -> list[Option]:
        """Words that come back in trajectories which no name or list brings together."""
        options = []
        claims = self.state.claims_in(self.trajectory_id)
        for word in {stems[-1] for c in claims for _, stems in self.index.phrases(c)}:
            holders = self.index.words[word]
            if self.index.names_someone(word):
                continue
            if TOPIC_SHARED_BY <= len(holders) <= TOPIC_AT_MOST and self._covered(holders) < COVERED:
                options += self._option(Seed(PageType.TOPIC, word), holders, TOPIC_SHARED_BY)
        return _best_first(options)

    def _option(self, seed: Seed, holders: Collection[str], least: int) -> list[Option]:
        """Give the seed with the holders that have room for another page, if those are enough."""
        if seed.base in self.present:
            return []
        if self.index.pages.get(seed.base):
            return [(len(holders), seed, [self.trajectory_id])]
        pages_of = self.state.pages_of
        free = [t for t in holders if t == self.trajectory_id or len(pages_of.get(t, ())) < PAGES_A_TRAJECTORY]
        return [(len(holders), seed, free)] if len(free) >= least else []

    def _covered(self, holders: Collection[str]) -> float:
        """Give the share of trajectories that a page of a list or name gathers, speakers left aside."""
        return sum(self._is_covered(t) for t in holders) / len(holders)

    def _is_covered(self, trajectory_id: str) -> bool:
        seeds = (self.index.seed_of(p) for p in self.state.pages_of.get(trajectory_id, ()))
        return any(s.type is PageType.INVENTORY or s.key not in self.index.speakers for s in seeds)


def _best_first(options: Sequence[Option]) -> list[Option]:
    """Sort by number of trajectories, most first."""
    return sorted(options, key=lambda o: (-o[0], o[1].base))


def _speakers(state: SpaceState, trajectory_id: str) -> list[str]:
    """Give the folded names of those who speak in a trajectory, in order of appearance."""
    ids = (m for s in state.snapshots_in(trajectory_id) for m in s.message_ids)
    return list(dict.fromkeys(fold(state.messages[m].speaker) for m in ids))
