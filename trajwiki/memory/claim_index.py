"""Claims of a space by what they are about and what they say: how the ones that a statement may touch are found."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final
from weakref import WeakKeyDictionary

from trajwiki.domain.claims import Claim, ClaimKind
from trajwiki.domain.state import SpaceState
from trajwiki.memory.propositions import Ends, Proposition, proposition


def content_of(claim: Claim) -> Proposition:
    """Give a claim taken apart."""
    return proposition(claim.text, claim.subject, claim.kind)


# Finding what may be excluded: a small index by what claims share, kept beside the state.


class ClaimIndex:
    """Claims of a space by subject and what they say; claims are only ever added to a state."""

    def __init__(self) -> None:
        self.seen = 0
        self.by: dict[tuple[str, str], list[Claim]] = {}

    def follow(self, state: SpaceState) -> None:
        """Take in what came since."""
        fresh = list(islice(reversed(state.claims.values()), len(state.claims) - self.seen))
        for claim in reversed(fresh):
            for key in _keys(claim):
                self.by.setdefault((claim.subject.casefold(), key), []).append(claim)
        self.seen = len(state.claims)

    def get(self, subject: str, key: str) -> list[Claim]:
        """The claims about a subject that stand under a key, oldest first."""
        return self.by.get((subject.casefold(), key), [])

    def with_all(self, subject: str, stems: Iterable[str]) -> list[Claim]:
        """The claims about a subject that hold all stems."""
        lists = sorted((self.get(subject, f"w:{s}") for s in stems), key=len)
        if not lists:
            return []
        others = [{c.id for c in found} for found in lists[1:]]
        return [c for c in lists[0] if all(c.id in ids for ids in others)]


_INDEXES: Final[WeakKeyDictionary[SpaceState, ClaimIndex]] = WeakKeyDictionary()


def _keys(claim: Claim) -> Iterator[str]:
    content = content_of(claim)
    yield from (f"w:{s}" for s in content.words)
    if claim.facet is not None:
        yield f"f:{claim.facet.name}"
    if content.bond:
        yield "bond"
    if content.ends in (Ends.DENIED, Ends.GIVEN_UP):
        yield from (f"e:{s}" for s in content.ended)
    if claim.kind is ClaimKind.PLAN:
        yield from (f"p:{s}" for s in content.head)
    yield from (f"n:{unit}" for unit, _ in dict(content.numbers).items())


def index_of(state: SpaceState) -> ClaimIndex:
    """Give the index of a state, up to date."""
    index = _INDEXES.get(state)
    if index is None or index.seen > len(state.claims):
        index = _INDEXES[state] = ClaimIndex()
    index.follow(state)
    return index
