"""Pages as Markdown for people and as values for JSON."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

from trajwiki.domain.state import SpaceState
from trajwiki.domain.wiki import Bullet, Page, PageType, Section
from trajwiki.memory.digests import period, period_text
from trajwiki.wiki.seeds import OTHER_TALK, parse_seed
from trajwiki.wiki.titles import clean_text, page_title

REFS: Final = 6  # shown after a line; JSON has all
RELATED: Final = 8
FIRST_FACT: Final = 120  # characters of the line of a page in the index
NOTHING: Final = "Nothing recorded."
_GROUPS: Final = {PageType.ENTITY: "People, places and things", PageType.INVENTORY: "Lists", PageType.TOPIC: "Topics"}
_MARKUP: Final = re.compile(r"([\\`*_\[\]<>|~]|^[#+=-]|&(?=#?\w+;))")  # markup, also what is so at the start only


def render_page(state: SpaceState, page: Page) -> str:
    """Give a page as Markdown. What was said is escaped, so that it cannot act as markup."""
    if page.type is PageType.INDEX:
        return _render_index(state, page)
    lines = [f"# {escape(page_title(state, page))}"]
    for section in Section:
        lines += ["", f"## {section.value}", ""]
        bullets = [b for b in state.bullets.get(page.id, ()) if b.section is section]
        lines += [_bullet_line(state, b) for b in bullets] or [NOTHING]
    related = related_pages(state, page)
    if related:
        lines += ["", f"Related: {', '.join(f'[[{p.slug}]]' for p in related[:RELATED])}"]
    return "\n".join(lines) + "\n"


def page_payload(state: SpaceState, page: Page) -> dict[str, Any]:
    """Give a page as values for JSON; text is not escaped. The index page leads to all trajectories."""
    is_index = page.type is PageType.INDEX
    linked = state.trajectories if is_index else state.links.get(page.id, ())
    sections: dict[str, list[dict[str, Any]]] = {s.value: [] for s in Section}
    for bullet in state.bullets.get(page.id, ()):
        entry: dict[str, Any] = {
            "text": bullet.text,
            "refs": bullet_refs(state, bullet),
            "claim_ids": list(bullet.claim_ids),
        }
        if bullet.trajectory_id is not None:
            entry["trajectory_id"] = bullet.trajectory_id
        sections[bullet.section.value].append(entry)
    return {
        "slug": page.slug,
        "title": page_title(state, page),
        "type": page.type.value,
        "seed": page.seed,
        "sections": sections,
        "trajectories": [
            {"id": t, "title": state.versions[t][-1].title}
            for t in sorted(linked, key=lambda t: state.trajectories[t].ordinal)
        ],
        "links": [p.slug for p in (_pages_in_order(state) if is_index else related_pages(state, page))],
    }


def bullet_refs(state: SpaceState, bullet: Bullet) -> list[str]:
    """Give the refs of the messages that a line stands on, in the order of the conversation, each once."""
    ids = {s.quote.message_id for c in bullet.claim_ids for s in state.sources.get(c, ())}
    messages = sorted((state.messages[i] for i in ids), key=lambda m: m.ordinal)
    return [m.source_ref for m in messages]


def related_pages(state: SpaceState, page: Page) -> list[Page]:
    """Give the pages that share a trajectory with this one, most shared first, then the other parts of its seed."""
    shared = Counter(
        other for t in state.links.get(page.id, ()) for other in state.pages_of.get(t, ()) if other != page.id
    )
    base = parse_seed(page.seed).base
    for other in state.pages.values():
        if other.id != page.id and other.id not in shared and parse_seed(other.seed).base == base:
            shared[other.id] = 0
    pages = [state.pages[i] for i in shared if state.pages[i].type is not PageType.INDEX]
    return sorted(pages, key=lambda p: (-shared[p.id], p.slug))


def escape(text: str) -> str:
    """Give a text as one line of Markdown that shows it as it is."""
    return _MARKUP.sub(r"\\\1", " ".join("".join(c if c.isprintable() else " " for c in text).split()))


def _bullet_line(state: SpaceState, bullet: Bullet) -> str:
    line = f"- {escape(bullet.text)}"
    if bullet.trajectory_id is not None:
        return f"{line} `{bullet.trajectory_id}`"
    return line + _refs_text(bullet_refs(state, bullet))


def _refs_text(refs: Sequence[str]) -> str:
    if not refs:
        return ""
    more = f", +{len(refs) - REFS}" if len(refs) > REFS else ""
    return f" [{', '.join(escape(r) for r in refs[:REFS])}{more}]"


def _render_index(state: SpaceState, page: Page) -> str:
    days = period(state, state.trajectories)
    threads = len(state.trajectories)
    lines = [
        f"# {escape(page_title(state, page))}",
        "",
        f"{len(state.pages) - 1} pages on {threads} thread{'s' if threads != 1 else ''}"
        + (f", {period_text(days)}." if days else "."),
    ]
    pages = _pages_in_order(state)
    other = [p for p in pages if parse_seed(p.seed).base == OTHER_TALK.base]
    for page_type, heading in _GROUPS.items():
        group = [p for p in pages if p.type is page_type and p not in other]
        if group:
            lines += ["", f"## {heading}", ""]
            lines += [f"- [[{p.slug}]] {escape(page_title(state, p))}{_dashed(first_fact(state, p))}" for p in group]
    if other:
        lines += ["", "## Other talk", "", ", ".join(f"[[{p.slug}]]" for p in other)]
    return "\n".join(lines) + "\n"


def first_fact(state: SpaceState, page: Page) -> str | None:
    """Give the line that tells most of a page in an index, cut but not escaped; None on a page without one."""
    bullets = state.bullets.get(page.id, ())
    for section in (Section.ITEMS, Section.KEY_FACTS, Section.LINKED):
        for bullet in bullets:
            if bullet.section is section:
                return clean_text(bullet.text, FIRST_FACT)
    return None


def _dashed(fact: str | None) -> str:
    return f" — {escape(fact)}" if fact is not None else ""


def _pages_in_order(state: SpaceState) -> list[Page]:
    """Give the pages but the index, those of one seed together, the one without a theme first."""
    pages = [p for p in state.pages.values() if p.type is not PageType.INDEX]
    seeds = {p.id: parse_seed(p.seed) for p in pages}
    return sorted(pages, key=lambda p: (seeds[p.id].base, seeds[p.id].theme, p.slug))
