"""The wiki: its index, a page, the history of a page, and search."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Final

from fastapi import APIRouter, Query, Request, Response

from trajwiki.domain.messages import Message
from trajwiki.domain.state import SpaceState
from trajwiki.domain.wiki import Bullet, Page, PageType, Section
from trajwiki.errors import UnknownItem
from trajwiki.language.tokens import fold, words
from trajwiki.memory.digests import period, period_text
from trajwiki.web.door import Reading, Visit
from trajwiki.web.frame import PageRoute, page
from trajwiki.web.links import name_of
from trajwiki.web.past import page_lines
from trajwiki.web.said import said
from trajwiki.wiki.render import first_fact, related_pages
from trajwiki.wiki.seeds import OTHER_TALK, parse_seed
from trajwiki.wiki.titles import page_title

router = APIRouter(prefix="/s/{space}", route_class=PageRoute)

REFS: Final = 6  # shown after a line; the others are behind a click
FOUND: Final = 20  # results of a kind
LIKELY: Final = 0.05  # score of a message that is shown though the words do not stand in it
CHANGES: Final = 60  # of a page's history
GROUPS: Final = (
    (PageType.ENTITY, "People, places and things", "What is known of one name, gathered from everywhere it was said."),
    (PageType.INVENTORY, "Lists", "One kind of thing of one person: what they read, own, visited."),
    (PageType.TOPIC, "Topics", "What was said about a subject, whoever it is about."),
)
SECTIONS: Final = {
    Section.OVERVIEW: "",
    Section.KEY_FACTS: "The facts most worth reading, in order of time.",
    Section.ITEMS: "Things that can be listed or counted.",
    Section.LINKED: "Threads of talk that this page is compiled from. Open one to see how it developed.",
    Section.CONFLICTS: "What is no longer so, what contradicts itself, and what was never confirmed.",
}


@dataclass(frozen=True, slots=True)
class Ref:
    """A message that a line stands on, with the claim whose words it holds."""

    ref: str
    message_id: str
    claim_id: str
    speaker: str


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a page, with what it stands on."""

    text: str
    refs: tuple[Ref, ...]
    claim_ids: tuple[str, ...]
    thread: str | None


@dataclass(frozen=True, slots=True)
class Entry:
    """A name in the index.

    Attributes:
        page: Its page, or the first of its pages.
        name: The name.
        fact: A line that tells most of it.
        threads: Number of trajectories on its pages.
        parts: Its other pages, each with what it is about.
    """

    page: Page
    name: str
    fact: str
    threads: int
    parts: tuple[tuple[Page, str], ...]


@router.get("/wiki")
def index(visit: Reading) -> Response:
    """Show the index: every page by kind, and what was learned lately."""
    with visit.state() as state:
        pages = [p for p in state.pages.values() if p.type is not PageType.INDEX]
        other = [p for p in pages if parse_seed(p.seed).base == OTHER_TALK.base]
        groups = [
            (title, lead, _gathered(state, [p for p in pages if p.type is kind and p not in other]))
            for kind, title, lead in GROUPS
        ]
        days = period(state, state.trajectories)
        return page(
            visit.request,
            "wiki_index.html",
            visit=visit,
            section="wiki",
            groups=groups,
            other=[(p, page_title(state, p)) for p in sorted(other, key=lambda p: p.slug)],
            days=period_text(days) if days else "",
            sizes={
                "messages": len([m for m in state.messages.values() if m.role.value != "correction"]),
                "claims": sum(state.is_current(c) for c in state.claims),
                "changed": sum(op.op.value == "REVISE" for op in state.ops),
                "trajectories": len(state.trajectories),
                "open": sum(len(tail) for tail in state.open_tails.values()),
            },
            speakers=[name for name, _ in sorted(state.speakers.items(), key=lambda item: -item[1])[:6]],
            changes=_lately(state),
        )


@router.get("/wiki/{slug}")
def one(visit: Reading, slug: str) -> Response:
    """Show a page."""
    with visit.state() as state:
        found = find_page(state, name_of(slug), visit)
        if found.type is PageType.INDEX:
            return index(visit)
        sections = [
            (
                section,
                SECTIONS[section],
                [_line(state, b) for b in state.bullets.get(found.id, ()) if b.section is section],
            )
            for section in Section
        ]
        return page(
            visit.request,
            "wiki_page.html",
            visit=visit,
            section="wiki",
            page=found,
            title=page_title(state, found),
            sections=[s for s in sections if s[2]],
            refs_shown=REFS,
            backlinks=[(p, page_title(state, p)) for p in related_pages(state, found)],
            kind=dict((k.value, t) for k, t, _ in GROUPS).get(found.type.value, ""),
            threads=len(state.links.get(found.id, ())),
        )


@router.get("/wiki/{slug}/history")
def page_history(visit: Reading, slug: str) -> Response:
    """Show what came to a page and what went from it, commit by commit."""
    with visit.state() as state:
        found = find_page(state, name_of(slug), visit)
        title = page_title(state, found)
    by_commit: dict[int, tuple[list[Bullet], list[Bullet]]] = {}
    for since, until, bullet in page_lines(visit.memory, visit.space_id, found.id):
        by_commit.setdefault(since, ([], []))[0].append(bullet)
        if until is not None:
            by_commit.setdefault(until, ([], []))[1].append(bullet)
    commits = {c.n: c for c in visit.space.log()}
    changes = []
    for n in sorted(by_commit, reverse=True)[:CHANGES]:
        came, went = by_commit[n]
        if (changed := _told_apart(came, went)) and n in commits:
            changes.append((commits[n], changed))
    return page(
        visit.request, "page_history.html", visit=visit, section="wiki", page=found, title=title, changes=changes
    )


@router.get("/search")
def search(request: Request, visit: Reading, q: Annotated[str, Query(max_length=500)] = "") -> Response:
    """Show pages, claims and messages for some words."""
    asked = q.strip()
    pages, claims, messages = [], [], []
    if asked:
        with visit.state() as state:
            wanted = frozenset(fold(w) for w in words(asked))
            pages = _pages_with(state, wanted)[:FOUND]
            claims = _claims_with(state, wanted)[:FOUND]
            messages = [said(state, m) for m in _messages_for(visit, state, asked)]
    return page(
        request,
        "search.html",
        visit=visit,
        section="wiki",
        asked=asked,
        pages=pages,
        claims=claims,
        messages=messages,
    )


def find_page(state: SpaceState, slug: str, visit: Visit) -> Page:
    """Find a page by slug. Raises UnknownItem."""
    found = next((p for p in state.pages.values() if p.slug == slug), None)
    if found is None:
        then = f" at commit {visit.at}; it may have begun later" if visit.at is not None else ""
        raise UnknownItem(f"there is no page {slug!r}{then}")
    return found


def _gathered(state: SpaceState, pages: Iterable[Page]) -> list[Entry]:
    """Gather the pages of one seed under its name, what is talked of most first."""
    seeds: dict[str, list[Page]] = {}
    for p in sorted(pages, key=lambda p: (parse_seed(p.seed).theme, p.slug)):
        seeds.setdefault(parse_seed(p.seed).base, []).append(p)
    entries = []
    for first, *others in seeds.values():
        name, _, theme = page_title(state, first).partition(": ")
        parts = [(p, page_title(state, p).partition(": ")[2] or page_title(state, p)) for p in others]
        if parse_seed(first.seed).is_shard and others:
            parts.insert(0, (first, theme))
        else:
            name = page_title(state, first)
        threads = len({t for p in (first, *others) for t in state.links.get(p.id, ())})
        entries.append(Entry(first, name, first_fact(state, first) or "", threads, tuple(parts)))
    return sorted(entries, key=lambda e: (-e.threads, e.page.slug))


def _line(state: SpaceState, bullet: Bullet) -> Line:
    refs: dict[str, Ref] = {}
    for claim_id in bullet.claim_ids:
        for source in state.sources.get(claim_id, ()):
            m = state.messages[source.quote.message_id]
            refs.setdefault(m.id, Ref(m.source_ref, m.id, claim_id, m.speaker))
    ordered = sorted(refs.values(), key=lambda r: state.messages[r.message_id].ordinal)
    return Line(bullet.text, tuple(ordered), bullet.claim_ids, bullet.trajectory_id)


def _lately(state: SpaceState) -> list[tuple[str, str, str, str]]:
    """Give the newest revisions: (old text, new text, id of the new claim, reason)."""
    changes = [op for op in state.ops if op.op.value == "REVISE" and op.replaces in state.claims]
    changes.sort(key=lambda op: (op.heard_at.timestamp() if op.heard_at else 0.0, op.ordinal))
    return [
        (state.claims[op.replaces or ""].text, state.claims[op.claim_id].text, op.claim_id, op.reason)
        for op in reversed(changes[-5:])
    ]


def _told_apart(came: list[Bullet], went: list[Bullet]) -> list[tuple[str, str, str]]:
    """Give (sign, section, text) of what changed; a line that only moved is left out."""
    new = {(b.section, b.text) for b in came}
    old = {(b.section, b.text) for b in went}
    gone = [("-", b.section.value, b.text) for b in went if (b.section, b.text) not in new]
    return gone + [("+", b.section.value, b.text) for b in came if (b.section, b.text) not in old]


def _pages_with(state: SpaceState, wanted: frozenset[str]) -> list[tuple[Page, str, str]]:
    found = []
    for p in state.pages.values():
        if p.type is PageType.INDEX:
            continue
        title = page_title(state, p)
        lines = [title, *(b.text for b in state.bullets.get(p.id, ()))]
        hits = [t for t in lines if wanted <= {fold(w) for w in words(t)}]
        if hits:
            words_of_title = frozenset(fold(w) for w in words(title))
            threads = len(state.links.get(p.id, ()))
            place = (words_of_title != wanted, hits[0] != title, -threads, p.slug)
            found.append((place, (p, title, hits[0] if hits[0] != title else first_fact(state, p) or "")))
    return [entry for _, entry in sorted(found, key=lambda f: f[0])]


def _claims_with(state: SpaceState, wanted: frozenset[str]) -> list[tuple[str, str, str]]:
    found = [c for c in state.claims.values() if wanted and wanted <= {fold(w) for w in words(c.text)}]
    found.sort(key=lambda c: (not state.is_current(c.id), c.ordinal))
    return [(c.id, c.text, state.status[c.id].value) for c in found]


def _messages_for(visit: Visit, state: SpaceState, asked: str) -> list[Message]:
    exact = fold(asked)
    literal = [m for m in state.messages.values() if exact in fold(m.content)][:FOUND]
    if visit.at is not None or len(literal) >= FOUND or not re.search(r"\w", asked):
        return literal
    found = (e for e in visit.space.recall(asked).evidence if e.score >= LIKELY)
    best = sorted(found, key=lambda e: -e.score)
    ids = dict.fromkeys([*(m.id for m in literal), *(e.message_id for e in best)])
    return [state.messages[i] for i in list(ids)[:FOUND]]
