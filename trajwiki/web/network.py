"""The graph of a space: pages, trajectories and names, and what ties them together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from trajwiki.domain.state import SpaceState
from trajwiki.domain.wiki import PageType
from trajwiki.language.tokens import fold
from trajwiki.wiki.seeds import parse_seed
from trajwiki.wiki.titles import clean_name, page_title

SHARED: Final = 2  # trajectories that a name must stand in to tie them together

Key = tuple[str, str]  # kind and id: ("page", slug), ("thread", id), ("name", folded)


@dataclass(frozen=True, slots=True)
class Node:
    """A page, trajectory or name.

    Attributes:
        kind: page, thread or name.
        id: Slug, trajectory id, or folded name.
        label: For people.
        sort: Kind of page; else the kind.
        group: Of pages: what is before the colon of the title; the pages of one seed share it.
    """

    kind: str
    id: str
    label: str
    sort: str
    group: str = ""

    @property
    def key(self) -> str:
        """As it stands in an address."""
        return f"{self.kind}:{self.id}"


@dataclass(frozen=True, slots=True)
class Network:
    """Nodes by key, and who is tied to whom."""

    nodes: dict[Key, Node]
    ties: dict[Key, dict[Key, None]]

    def degree(self, key: Key) -> int:
        """Give the number of ties of a node."""
        return len(self.ties.get(key, ()))

    def around(self, key: Key, *, steps: int, most: int) -> list[Key]:
        """Give a node and what is within some steps of it, near ones first, the best tied of each ring first."""
        found = {key: None}
        ring = [key]
        for _ in range(steps):
            after = dict.fromkeys(k for n in ring for k in self.ties.get(n, ()) if k not in found)
            ring = sorted(after, key=lambda k: (-self.degree(k), k))[: max(0, most - len(found))]
            found.update(dict.fromkeys(ring))
        return list(found)

    def best(self, kinds: Iterable[str], most: int) -> list[Key]:
        """Give the best tied nodes: pages first, then what hangs on them."""
        wanted = set(kinds)
        order = {"page": 0, "thread": 1, "name": 2}
        chosen = [k for k in self.nodes if k[0] in wanted]
        chosen.sort(key=lambda k: (-self.degree(k), order[k[0]], k))
        return chosen[:most]


def network(state: SpaceState) -> Network:
    """Read the graph of a space.

    A name that has pages of its own is those pages, and is no node beside them.
    """
    nodes: dict[Key, Node] = {}
    ties: dict[Key, dict[Key, None]] = {}

    def tie(a: Key, b: Key) -> None:
        ties.setdefault(a, {})[b] = None
        ties.setdefault(b, {})[a] = None

    paged: set[str] = set()
    for p in state.pages.values():
        if p.type is PageType.INDEX:
            continue
        title = page_title(state, p)
        nodes["page", p.slug] = Node("page", p.slug, title, p.type.value, title.partition(": ")[0])
        if p.type is PageType.ENTITY:
            paged.add(parse_seed(p.seed).key)
    for t in state.trajectories:
        nodes["thread", t] = Node("thread", t, state.versions[t][-1].title, "thread")
        for p_id in state.pages_of.get(t, ()):
            if ("page", state.pages[p_id].slug) in nodes:
                tie(("page", state.pages[p_id].slug), ("thread", t))
        before = state.trajectories[t].continues
        if before in state.trajectories:
            tie(("thread", before), ("thread", t))
    _names(state, nodes, tie, paged)
    return Network(nodes, ties)


def _names(state: SpaceState, nodes: dict[Key, Node], tie: object, paged: set[str]) -> None:
    held = Counter(name for t in state.trajectories for name in state.features[t].entities)
    shared = {name for name, n in held.items() if n >= SHARED and name not in paged}
    written: dict[str, str] = {}
    for claim in state.claims.values():
        for name in (claim.subject, *claim.entities):
            written.setdefault(fold(name), name)
    assert callable(tie)
    for t in state.trajectories:
        for name in sorted(state.features[t].entities & shared):
            nodes.setdefault(("name", name), Node("name", name, clean_name(written.get(name, name)), "name"))
            tie(("name", name), ("thread", t))
