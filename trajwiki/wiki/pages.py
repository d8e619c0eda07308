"""The bullets of a page, compiled from the trajectories that are on it (paper, A.4)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from trajwiki.domain.claims import Claim, Status
from trajwiki.domain.state import Change, SpaceState
from trajwiki.domain.wiki import Bullet, Page, PageType, Section
from trajwiki.language.tokens import fold, keywords
from trajwiki.memory.digests import (
    Listing,
    best_claims,
    dated_text,
    doubtful,
    in_time_order,
    listings,
    period,
    period_text,
    turns,
    usable,
)
from trajwiki.memory.summaries import turn_text
from trajwiki.wiki.labels import COUNTABLE, list_title
from trajwiki.wiki.phrases import phrases_of
from trajwiki.wiki.seeds import parse_seed
from trajwiki.wiki.titles import clean_name, clean_text, page_title

FACTS: Final = 14
ENOUGH: Final = 5  # facts that speak of what the page gathers, to leave out the others
FIRST: Final = 10.0  # what puts the best fact of a trajectory before all others
LISTS: Final = 8
VALUES: Final = 15  # of one list
VALUE_LENGTH: Final = 80  # characters
CONFLICTS: Final = 12
FREQUENT: Final = 5

Line = tuple[str, tuple[str, ...], str | None]  # text, claim ids, trajectory id


def touched_pages(state: SpaceState, change: Change) -> set[str]:
    """Give the pages whose bullets a change may have altered.

    Those whose links changed, and those with a trajectory that gained a member or holds a claim that was said again,
    changed its status, or was replaced by such a claim.

    Args:
        state: The space, after the change.
        change: What was changed.
    """
    pages = {p.id for p in change.pages}
    pages.update(link.page_id for link in (*change.links, *change.ended_links))
    trajectories = {m.trajectory_id for m in change.members} | {v.trajectory_id for v in change.versions}
    revised = {m.id for m in change.messages if m.revision}
    trajectories.update(t for m in revised if (t := state.trajectory_of_message(m)))
    claims = {s.claim_id for s in change.sources} | {op.claim_id for op in change.ops}
    claims.update(op.replaces for op in change.ops if op.replaces)
    for claim_id in _related(state, claims):
        trajectories.update(state.trajectory_of[s.snapshot_id] for s in state.sources.get(claim_id, ()))
    pages.update(p for t in trajectories for p in state.pages_of.get(t, ()))
    return pages & state.pages.keys()


def compile_bullets(state: SpaceState, page_ids: Iterable[str]) -> Change:
    """Give the bullets that begin and end so that these pages say what the state holds.

    A page depends only on the trajectories on it and on what replaced their claims, so compiling the touched pages
    and compiling all of them gives the same.
    """
    change = Change()
    for page_id in page_ids:
        page = state.pages[page_id]
        wanted = _bullets(state, page)
        old = state.bullets.get(page_id, [])
        kept = set(wanted).intersection(old)
        change.ended_bullets += [b for b in old if b not in kept]
        change.bullets += [b for b in wanted if b not in kept]
    return change


def _related(state: SpaceState, claim_ids: set[str]) -> set[str]:
    """Give the claims with all that they replaced or were replaced by, and the things counted with them."""
    found: set[str] = set()
    todo = sorted(claim_ids)
    while todo:
        claim_id = todo.pop()
        if claim_id not in found:
            found.add(claim_id)
            todo += state.revisions_of.get(claim_id, ())
            todo += [c.id for c in _counted_with(state, state.claims[claim_id])]
    return found


def _bullets(state: SpaceState, page: Page) -> list[Bullet]:
    if page.type is PageType.INDEX:
        return []
    writing = _Writing(state, page)
    sections = {
        Section.OVERVIEW: writing.overview(),
        Section.KEY_FACTS: writing.key_facts(),
        Section.ITEMS: writing.items(),
        Section.LINKED: writing.linked(),
        Section.CONFLICTS: writing.conflicts(),
    }
    return [
        Bullet(page.id, section, n, " ".join(text.split()), claim_ids, trajectory_id)
        for section, lines in sections.items()
        for n, (text, claim_ids, trajectory_id) in enumerate(lines)
    ]


class _Writing:
    """One page being compiled."""

    def __init__(self, state: SpaceState, page: Page) -> None:
        self.state = state
        self.page = page
        self.seed = parse_seed(page.seed)
        self.trajectory_ids = sorted(state.links.get(page.id, ()), key=lambda t: state.trajectories[t].ordinal)
        self.claims = list({c.id: c for t in self.trajectory_ids for c in state.claims_in(t)}.values())
        self.current = usable(state, self.claims)
        self.listings = listings(in_time_order(state, self.current))

    def overview(self) -> list[Line]:
        """What the page is about, when it was said, by whom, and what comes up most."""
        if not self.current:
            return []
        speakers = dict.fromkeys(
            clean_name(self.state.messages[m].speaker)
            for t in self.trajectory_ids
            for s in self.state.snapshots_in(t)
            for m in s.message_ids
        )
        days = period(self.state, self.trajectory_ids)
        threads = "1 thread" if len(self.trajectory_ids) == 1 else f"{len(self.trajectory_ids)} threads"
        when = f", {period_text(days)}" if days else ""
        text = f"{self._subject()}: {threads} from talk of {_joined(list(speakers)[:5])}{when}."
        ordered = in_time_order(self.state, self.current)
        lines: list[Line] = [(text, _ids([ordered[0], ordered[-1]]), None)]
        return lines + self._frequent()

    def _subject(self) -> str:
        title = page_title(self.state, self.page)
        if self.page.type is PageType.ENTITY:
            return f"What was said of {title.replace(': ', ', on ', 1)}"
        if self.page.type is PageType.TOPIC and self.seed.key:
            return f"What was said about {' and '.join(clean_name(word) for word in self.seed.theme)}"
        return title

    def _frequent(self) -> list[Line]:
        """The phrases that several claims share."""
        held: dict[tuple[str, ...], dict[str, Claim]] = {}
        written: dict[tuple[str, ...], str] = {}
        for claim in self.current:
            for text, stems in phrases_of(claim):
                if self.seed.key not in (fold(text), *stems) and fold(text) != fold(claim.subject):
                    written.setdefault(stems, text)
                    held.setdefault(stems, {})[claim.id] = claim
        frequent = sorted((k for k in held if len(held[k]) > 1), key=lambda k: (-len(held[k]), k))[:FREQUENT]
        if not frequent:
            return []
        text = ", ".join(f"{clean_name(written[k])} ({len(held[k])})" for k in frequent)
        return [(f"Comes up most: {text}.", _ids(c for k in frequent for c in list(held[k].values())[:2]), None)]

    def key_facts(self) -> list[Line]:
        """The facts most worth reading, in order of time, with the best of every trajectory among them."""
        firsts: set[str] = set()
        for trajectory_id in self.trajectory_ids:
            here = usable(self.state, self.state.claims_in(trajectory_id))
            firsts.update(c.id for c in best_claims(self.state, here, limit=1, relevance=self._relevance))
        relevant = [c for c in self.current if c.id in firsts or self._relevance(c) > 0]
        best = best_claims(
            self.state,
            relevant if len(relevant) >= ENOUGH else self.current,
            limit=FACTS,
            relevance=lambda c: self._relevance(c) + FIRST * (c.id in firsts),
        )
        return [(dated_text(c), (c.id,), None) for c in in_time_order(self.state, best)]

    def items(self) -> list[Line]:
        """Lists with their values, the list of the page first, and numbers that were said."""
        own = (self.seed.key, self.seed.facet)
        lists = [x for x in self.listings if len(x.values) > 1 or (fold(x.subject), x.facet) == own]
        lists.sort(key=lambda x: (fold(x.subject), x.facet) != own)
        return [self._list_line(x) for x in lists[:LISTS]]

    def linked(self) -> list[Line]:
        """The trajectories on the page, oldest first."""
        return [(self._thread(t), (), t) for t in self.trajectory_ids]

    def conflicts(self) -> list[Line]:
        """What is no longer so, what contradicts itself, what was never confirmed."""
        lines: list[Line] = []
        for turn in turns(self.state, self.claims):
            lines.append((_capital(turn_text(turn)) + ".", _ids([turn.old, *([turn.new] if turn.new else [])]), None))
        for status, head in ((Status.CONTRADICTORY, "Contradicted"), (Status.NEEDS_CONFIRMATION, "Not confirmed")):
            lines += [(f"{head}: {c.text}", (c.id,), None) for c in doubtful(self.state, self.claims, status)]
        return lines[:CONFLICTS]

    def _relevance(self, claim: Claim) -> float:
        """What a claim is worth on this page: whether it speaks of what the page gathers."""
        said = set(keywords(claim.text))
        theme = set(keywords(" ".join(self.seed.theme)))
        about = self.seed.key in (fold(claim.subject), *map(fold, claim.entities)) or self.seed.key in said
        listed = bool(self.seed.facet) and claim.facet is not None and claim.facet.name == self.seed.facet
        return 0.8 * about + 0.8 * listed + 0.5 * len(theme & said)

    def _list_line(self, listing: Listing) -> Line:
        values = [clean_text(v, VALUE_LENGTH) for v in listing.values[:VALUES]]
        more = len(listing.values) - len(values)
        text = ", ".join(values) + (f" and {more} more" if more else "")
        title = _capital(list_title(listing.facet, clean_name(listing.subject)))
        if number := self._number(listing):
            return (f"{title}: {number} ({text}).", listing.claim_ids, None)
        return (f"{title}: {text}.", listing.claim_ids[:VALUES], None)

    def _number(self, listing: Listing) -> int:
        """Give how many there are, when all that the space knows of them are names; else 0."""
        first = self.state.claims[listing.claim_ids[0]]
        all_of_them = listings(usable(self.state, [first, *_counted_with(self.state, first)]))
        names = [v for x in all_of_them for v in x.values]
        if len(names) < 2 or len(names) != len(listing.values):
            return 0
        return len(names) if all(v[:1].isupper() and len(v.split()) <= 2 for v in names) else 0

    def _thread(self, trajectory_id: str) -> str:
        title = self.state.versions[trajectory_id][-1].title
        n = len(self.state.members[trajectory_id])
        days = period(self.state, [trajectory_id])
        return f"{title} ({n} snapshot{'s' if n > 1 else ''}{', ' + period_text(days) if days else ''})"


def _counted_with(state: SpaceState, claim: Claim) -> list[Claim]:
    """Give the other claims of the space whose values are counted together with this one's."""
    if claim.facet is None or claim.facet.name not in COUNTABLE:
        return []
    about = (state.claims[c] for c in state.claims_about.get(claim.subject.casefold(), ()))
    return [c for c in about if c.id != claim.id and c.facet and c.facet.name == claim.facet.name]


def _ids(claims: Iterable[Claim]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(c.id for c in claims))


def _joined(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
