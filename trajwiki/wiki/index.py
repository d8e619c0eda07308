"""What placing a trajectory needs to look up at once, derived from a state and kept beside it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Final, Self

import numpy as np

from trajwiki.domain.claims import Claim
from trajwiki.domain.messages import Message, Role
from trajwiki.domain.state import Change, SpaceState
from trajwiki.language.tokens import fold, keywords
from trajwiki.wiki.phrases import Phrase, phrases_of
from trajwiki.wiki.seeds import Seed, parse_seed

_NONE: Final[tuple[list[str], np.ndarray]] = ([], np.zeros((0, 0), np.float32))
SHORTEST_NAME: Final = 3  # letters of a short form: Mel for Melanie
DECIMALS: Final = 4  # scores are rounded before they are compared, so that another BLAS does not change pages


class WikiIndex:
    """Who holds what, and which page gathers what. A function of the state: rebuilding it gives the same.

    Attributes:
        names: Stems of the names of speakers.
        speakers: Folded names of those who have spoken in what is understood (what waits to be read must not matter).
        people: Those of them who have spoken as people.
        entities: Folded name to the trajectories that speak of it.
        words: Stem to the trajectories with a claim about it (see phrases.py).
        lists: (Folded subject, facet) to the trajectories with such a claim, each with the folded values.
        pages: Base of a seed to its pages.
        slugs: In use.
    """

    def __init__(self, state: SpaceState) -> None:
        self._state = state
        self.names: set[str] = set()
        self.speakers: set[str] = set()
        self.people: set[str] = set()
        self.entities: dict[str, set[str]] = {}
        self.words: dict[str, set[str]] = {}
        self.lists: dict[tuple[str, str], dict[str, set[str]]] = {}
        self.pages: dict[str, set[str]] = {}
        self.slugs: set[str] = set()
        self._phrases: dict[str, tuple[Phrase, ...]] = {}
        self._seeds: dict[str, Seed] = {}
        self._centroids: dict[str, np.ndarray] = {}
        self._matrices: dict[str, tuple[list[str], np.ndarray]] = {}

    @classmethod
    def from_state(cls, state: SpaceState) -> Self:
        """Build the index of a state."""
        index = cls(state)
        for members in state.members.values():
            for member in members:
                index._take_member(member.trajectory_id, member.snapshot_id)
        index._take_pages(state.pages)
        return index

    def apply(self, change: Change) -> None:
        """Follow the state, which has applied the change already."""
        for member in change.members:
            self._take_member(member.trajectory_id, member.snapshot_id)
        for page_id in change.ended_pages:
            self._drop_page(page_id)
        touched = {p.id for p in change.pages}
        touched.update(link.page_id for link in change.links)
        touched.update(link.page_id for link in change.ended_links)
        for vector in change.vectors:
            if vector.kind == "trajectory":
                touched.update(self._state.pages_of.get(vector.item_id, ()))
        self._take_pages(p for p in touched if p in self._state.pages)

    # Looking up.

    def seed_of(self, page_id: str) -> Seed:
        """Give the seed of a page."""
        return self._seeds[page_id]

    def in_order(self, trajectory_ids: Iterable[str]) -> list[str]:
        """Sort trajectories by age."""
        return sorted(trajectory_ids, key=lambda t: self._state.trajectories[t].ordinal)

    def members(self, page_id: str) -> list[str]:
        """Give the trajectories on a page, oldest first."""
        return self.in_order(self._state.links.get(page_id, ()))

    def nearest(self, base: str, vector: np.ndarray) -> str | None:
        """Give the page of the seed whose trajectories are nearest to a vector on average; ties go to the oldest."""
        if not self.pages.get(base):
            return None
        page_ids, matrix = self._matrix(base)
        scores = np.round(matrix @ vector, DECIMALS)
        tied = [page_ids[i] for i in np.flatnonzero(scores == scores.max())]
        return min(tied, key=self._age)

    def phrases(self, claim: Claim) -> tuple[Phrase, ...]:
        """Give what a claim is about; kept, since a claim never changes."""
        found = self._phrases.get(claim.id)
        if found is None:
            found = self._phrases[claim.id] = tuple(phrases_of(claim))
        return found

    def rarity(self, word_stem: str) -> float:
        """Give how rare a word is: the logarithm of trajectories by those with a claim about it; 0 or more."""
        held = len(self.words.get(word_stem, ()))
        return math.log((len(self._state.trajectories) + 1) / (held + 1))

    def names_someone(self, word_stem: str) -> bool:
        """Tell whether a stem is the name of a speaker, or short for one."""
        return word_stem in self.names

    # Following the state.

    def _take_speakers(self, messages: Iterable[Message]) -> None:
        for message in messages:
            name = fold(message.speaker)
            if name not in self.speakers:
                self.speakers.add(name)
                for stem_of_name in keywords(name):
                    self.names.update(stem_of_name[:n] for n in range(SHORTEST_NAME, len(stem_of_name) + 1))
            if message.role is Role.USER:
                self.people.add(name)

    def _take_member(self, trajectory_id: str, snapshot_id: str) -> None:
        snapshot = self._state.snapshots[snapshot_id]
        self._take_speakers(self._state.messages[m] for m in snapshot.message_ids)
        for entity in snapshot.features.entities:
            self.entities.setdefault(entity, set()).add(trajectory_id)
        for claim_id in snapshot.claim_ids:
            claim = self._state.claims[claim_id]
            for _, stems in self.phrases(claim):
                for word_stem in stems:
                    self.words.setdefault(word_stem, set()).add(trajectory_id)
            if claim.facet and not claim.negated and not claim.instruction_like:
                held = self.lists.setdefault((fold(claim.subject), claim.facet.name), {})
                held.setdefault(trajectory_id, set()).add(fold(claim.facet.value))

    def _take_pages(self, page_ids: Iterable[str]) -> None:
        for page_id in page_ids:
            page = self._state.pages[page_id]
            if page_id not in self._seeds:
                self._seeds[page_id] = parse_seed(page.seed)
                self.pages.setdefault(self._seeds[page_id].base, set()).add(page_id)
                self.slugs.add(page.slug)
            if members := self.members(page_id):
                self._place_centroid(self._seeds[page_id].base, page_id, self._mean(members))

    def _drop_page(self, page_id: str) -> None:
        seed = self._seeds.pop(page_id, None)
        if seed is None:
            return
        self.pages[seed.base].discard(page_id)
        self._centroids.pop(page_id, None)
        self._matrices.pop(seed.base, None)
        self.slugs = {self._state.pages[p].slug for p in self._seeds}

    def _mean(self, trajectory_ids: Sequence[str]) -> np.ndarray:
        vectors = self._state.vectors["trajectory"]
        mean: np.ndarray = np.mean([vectors[t] for t in trajectory_ids], axis=0)
        return mean

    def _place_centroid(self, base: str, page_id: str, centroid: np.ndarray) -> None:
        self._centroids[page_id] = centroid
        page_ids, matrix = self._matrices.get(base, _NONE)
        if page_id in page_ids:
            matrix[page_ids.index(page_id)] = centroid
        else:
            self._matrices.pop(base, None)

    def _matrix(self, base: str) -> tuple[list[str], np.ndarray]:
        found = self._matrices.get(base)
        if found is None:
            page_ids = sorted(self.pages[base])
            found = self._matrices[base] = (page_ids, np.stack([self._centroids[p] for p in page_ids]))
        return found

    def _age(self, page_id: str) -> int:
        return min(self._state.trajectories[t].ordinal for t in self._state.links[page_id])
