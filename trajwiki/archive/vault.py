"""The wiki of a space as a folder of Markdown that opens in Obsidian: pages, their index, and the messages behind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from trajwiki.archive.folder import SUBFOLDER, Written, write_files
from trajwiki.archive.markdown import front_matter, link, paragraph, shown
from trajwiki.archive.names import Names
from trajwiki.domain.messages import Message
from trajwiki.domain.state import SpaceState
from trajwiki.domain.wiki import Bullet, Page, PageType, Section
from trajwiki.store.database import Database
from trajwiki.store.raw import last_changes, read_change, read_commits, required_space
from trajwiki.wiki.render import NOTHING, RELATED, first_fact, page_payload, related_pages
from trajwiki.wiki.titles import clean_text, page_title

INDEX: Final = "index"
MESSAGES_A_FILE: Final = 500  # more make editors slow
MAX_QUOTE: Final = 300  # characters of a quote in a footnote
HEADINGS: Final = {PageType.ENTITY: "People, places and things", PageType.INVENTORY: "Lists", PageType.TOPIC: "Topics"}


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a message stands: in which file, under which mark."""

    file: str
    block: str


@dataclass(frozen=True, slots=True)
class _Plan:
    """Which file holds what.

    Attributes:
        pages: Page id to file name, without ending.
        conversations: File name to the messages in it, in order.
        places: Message id to its place.
        index: File name of the index.
    """

    pages: dict[str, str]
    conversations: dict[str, list[Message]]
    places: dict[str, _Place]
    index: str


def export_vault(database: Database, name: str, folder: str | Path, *, force: bool = False) -> Written:
    """Write the wiki of a space as Markdown files; into the same folder again, to bring it up to date.

    Args:
        database: Open.
        name: Of the space.
        folder: Empty, not there, or the vault of this space.
        force: Also into another folder, and over files of the same names.

    Raises:
        UnknownSpace: There is no space of that name.
        UsageError: The folder holds something else.
        StoreUnavailable: It cannot be written.
    """
    with database.reading() as connection:
        info = required_space(connection, name)
        state = SpaceState()
        state.apply(read_change(connection, info))
        times = {commit.n: commit.at for commit in read_commits(connection, info)}
        updated = {page_id: times[n] for page_id, n in last_changes(connection, info.id).items()}
    files = vault_files(state, updated, title=info.name)
    return write_files(Path(folder).expanduser(), files, space_id=info.id, force=force)


def vault_files(state: SpaceState, updated: Mapping[str, datetime], *, title: str) -> dict[str, str]:
    """Give the files of a vault: text by path.

    Args:
        state: The space.
        updated: Page id to the time at which it last changed.
        title: Of the index: the name of the space.
    """
    plan = _plan(state)
    files = {f"{plan.index}.md": _index(state, plan, updated, title)}
    for page_id, name in plan.pages.items():
        page = state.pages[page_id]
        if page.type is not PageType.INDEX:
            files[f"{name}.md"] = _page(state, page, plan, updated.get(page_id))
    for name, messages in plan.conversations.items():
        files[f"{SUBFOLDER}/{name}.md"] = _conversation(state, name, messages)
    return files


def _plan(state: SpaceState) -> _Plan:
    names = Names()
    index = names.give(INDEX, otherwise=INDEX)
    pages: dict[str, str] = {}
    for page in sorted(state.pages.values(), key=lambda p: (p.slug, p.id)):
        is_index = page.type is PageType.INDEX
        pages[page.id] = index if is_index else names.give(page.slug, otherwise="page")
    conversations: dict[str, list[Message]] = {}
    places: dict[str, _Place] = {}
    for (source, session), message_ids in state.sessions.items():
        for start in range(0, len(message_ids), MESSAGES_A_FILE):
            name = names.give(session or source, otherwise="conversation")
            messages = [state.messages[i] for i in message_ids[start : start + MESSAGES_A_FILE]]
            conversations[name] = messages
            places |= {m.id: _Place(name, f"m{m.ordinal}") for m in messages}
    return _Plan(pages, conversations, places, index)


# Pages.


def _page(state: SpaceState, page: Page, plan: _Plan, updated: datetime | None) -> str:
    title = page_title(state, page)
    linked = sorted(state.links.get(page.id, ()), key=lambda t: state.trajectories[t].ordinal)
    lines = front_matter(
        {
            "title": title,
            "aliases": [title],
            "type": page.type.value,
            "slug": page.slug,
            "trajectories": linked,
            "updated": _iso(updated),
        }
    )
    lines += [f"# {shown(title)}"]
    notes: list[str] = []
    for section in Section:
        bullets = [b for b in state.bullets.get(page.id, ()) if b.section is section]
        lines += ["", f"## {section.value}", ""]
        lines += [_line(state, bullet, plan, notes) for bullet in bullets] or [NOTHING]
    related = related_pages(state, page)[:RELATED]
    lines += ["", "Related: " + ", ".join(_to(state, p, plan) for p in related)] if related else []
    lines += ["", f"Up: {link(plan.index, 'Index')}"]
    lines += ["", *notes] if notes else []
    return "\n".join(lines) + "\n"


def _line(state: SpaceState, bullet: Bullet, plan: _Plan, notes: list[str]) -> str:
    """Give a line of a page, and put what it stands on among the footnotes."""
    line = f"- {shown(bullet.text)}"
    if bullet.trajectory_id is not None:
        return f"{line} `{bullet.trajectory_id}`"
    sources = _sources(state, bullet, plan)
    if not sources:
        return line
    number = len(notes) + 1
    notes.append(f"[^{number}]: " + "; ".join(sources))
    return f"{line}[^{number}]"


def _sources(state: SpaceState, bullet: Bullet, plan: _Plan) -> list[str]:
    """Give the messages that a line stands on, in order, each with the words that say it."""
    quotes: dict[str, list[str]] = {}
    for source in (s for claim_id in bullet.claim_ids for s in state.sources.get(claim_id, ())):
        said = quotes.setdefault(source.quote.message_id, [])
        if source.quote.text not in said:
            said.append(source.quote.text)
    out = []
    for message in sorted((state.messages[i] for i in quotes), key=lambda m: m.ordinal):
        words = " … ".join(shown(clean_text(text, MAX_QUOTE)) for text in quotes[message.id])
        when = f", {message.sent_at:%Y-%m-%d}" if message.sent_at else ""
        out.append(f"{_to_message(message, plan)} {shown(message.speaker)}{when}: “{words}”")
    return out


def _to(state: SpaceState, page: Page, plan: _Plan) -> str:
    return link(plan.pages[page.id], page_title(state, page))


def _to_message(message: Message, plan: _Plan) -> str:
    place = plan.places[message.id]
    return link(f"{place.file}#^{place.block}", message.source_ref)


# The index.


def _index(state: SpaceState, plan: _Plan, updated: Mapping[str, datetime], title: str) -> str:
    newest = max((updated[p] for p in state.pages if p in updated), default=None)
    lines = front_matter({"title": title, "type": PageType.INDEX.value, "slug": INDEX, "updated": _iso(newest)})
    lines += [f"# {shown(title)}"]
    pages = _pages_in_order(state)
    for page_type, heading in HEADINGS.items():
        group = [p for p in pages if p.type is page_type]
        if group:
            lines += ["", f"## {heading}", ""]
            lines += [f"- {_to(state, p, plan)}{_dashed(first_fact(state, p))}" for p in group]
    if not pages:
        lines += ["", NOTHING]
    if plan.conversations:
        lines += ["", "## Conversations", ""]
        lines += [f"- {link(name, name)}{_days(messages)}" for name, messages in plan.conversations.items()]
    return "\n".join(lines) + "\n"


def _pages_in_order(state: SpaceState) -> list[Page]:
    """Give the pages in the order in which the index lists them."""
    pages = {p.slug: p for p in state.pages.values() if p.type is not PageType.INDEX}
    index = state.index_page()
    order = page_payload(state, index)["links"] if index else sorted(pages)
    return [pages[slug] for slug in order]


def _dashed(fact: str | None) -> str:
    return f" — {shown(fact)}" if fact is not None else ""


def _days(messages: Sequence[Message]) -> str:
    days = sorted(f"{m.sent_at:%Y-%m-%d}" for m in messages if m.sent_at)
    if not days:
        return ""
    return f" — {days[0]}" if days[0] == days[-1] else f" — {days[0]} to {days[-1]}"


# Messages.


def _conversation(state: SpaceState, name: str, messages: Sequence[Message]) -> str:
    first = messages[0]
    lines = front_matter({"title": name, "type": "messages", "session": first.session, "source": first.source})
    lines += [f"# {shown(name)}"]
    day: str | None = None
    for message in messages:
        today = f"{message.sent_at:%Y-%m-%d}" if message.sent_at else "Undated"
        if today != day:
            day = today
            lines += ["", f"## {today}"]
        lines += ["", _message(message)]
        lines += [f"\n*Before an edit:* {paragraph(old.content)}" for old in state.earlier.get(message.id, ())]
    return "\n".join(lines) + "\n"


def _message(message: Message) -> str:
    time = f" {message.sent_at:%H:%M}" if message.sent_at else ""
    said = f"**{shown(message.speaker)}**{time} ({shown(message.source_ref)}): {paragraph(message.content)}"
    return f"{said} ^m{message.ordinal}"


def _iso(moment: datetime | None) -> str | None:
    return moment.astimezone(UTC).isoformat(timespec="seconds") if moment else None
