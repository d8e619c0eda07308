"""Reading a file: telling its format by content, and making what its reader gives storable."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import replace
from datetime import datetime
from hashlib import blake2b
from itertools import count
from pathlib import Path
from typing import Final

from trajwiki.domain.messages import MAX_NAME, MAX_TEXT, NewMessage
from trajwiki.domain.problems import Problem
from trajwiki.errors import UnreadableInput
from trajwiki.language.masking import Masker
from trajwiki.readers import clock, jsontext
from trajwiki.readers.base import Confidence, Counts, Event, Head, Options, ReaderFormat, Reading, Record, Skipped
from trajwiki.readers.fields import kind
from trajwiki.readers.files import Source, archive, kind_of, source
from trajwiki.readers.formats import FORMATS

HEAD_CHARS: Final = (256_000, 8_000_000)  # looked at to tell the format; the second when the first does not tell
MAX_REFS: Final = 200_000  # source refs remembered at a time, to see one that comes again
MAX_PROBLEMS: Final = 20  # told of one kind; the rest is counted

_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_TEXT_MEMBERS: Final = (".json", ".jsonl", ".ndjson", ".txt")
_DEFAULTS: Final = Options()


def formats() -> tuple[ReaderFormat, ...]:
    """Give the formats that can be read, in the order they are tried."""
    return FORMATS


def format_named(name: str) -> ReaderFormat:
    """Give the format of that name.

    Raises:
        UnreadableInput: There is none.
    """
    for found in FORMATS:
        if found.name == name:
            return found
    raise UnreadableInput(f"there is no format {name!r}; there are auto, {', '.join(f.name for f in FORMATS)}")


def detect(path: Path, *, encoding: str | None = None) -> ReaderFormat:
    """Tell the format of a file by its content.

    Raises:
        UnreadableInput: No format, or more than one, is sure; with what was seen.
    """
    return _resolve(path, "auto", encoding)[0]


def stream(path: Path, *, format: str = "auto", options: Options = _DEFAULTS) -> Iterator[Event]:
    """Give the records, skips and problems of a file one by one, in bounded memory where the format allows it.

    Raises:
        UnreadableInput: The file or one of its records is not what the format asks for. Records before it have
            been given by then; `check` first, or use `read_all`, where half a file must not be stored.
    """
    found, sources = _resolve(path, format, options.encoding)
    for text in sources:
        yield from _events(found, text, options)


def read_all(path: Path, *, format: str = "auto", options: Options = _DEFAULTS) -> Reading:
    """Read a whole file.

    Raises:
        UnreadableInput: As `stream`; or there is no message in it, with counts of what was seen.
    """
    return _collect(path, format, options, keep=True)


def check(path: Path, *, format: str = "auto", options: Options = _DEFAULTS) -> Reading:
    """Read a whole file and forget its records: problems and counts, in bounded memory.

    Raises:
        UnreadableInput: As `read_all`.
    """
    return _collect(path, format, options, keep=False)


def _collect(path: Path, format: str, options: Options, *, keep: bool) -> Reading:
    found, sources = _resolve(path, format, options.encoding)
    records: list[Record] = []
    problems: list[Problem] = []
    kinds: Counter[str] = Counter()
    skipped: Counter[str] = Counter()
    kept = 0
    for text in sources:
        for event in _events(found, text, options):
            if isinstance(event, Record):
                kept += 1
                if keep:
                    records.append(event)
            elif isinstance(event, Skipped):
                skipped[event.reason] += 1
            else:
                kinds[event.code] += 1
                if kinds[event.code] <= MAX_PROBLEMS:
                    problems.append(event)
    for code, number in sorted(kinds.items()):
        if number > MAX_PROBLEMS:
            problems.append(Problem(code, f"{number - MAX_PROBLEMS} more of this kind", str(path)))
    counts = Counts(kept + skipped.total(), kept, dict(sorted(skipped.items())))
    if not kept:
        raise UnreadableInput(f"{path}: no message to keep in this {found.title} file: {counts}")
    return Reading(found.name, tuple(records), tuple(problems), counts)


# Which format


def _resolve(path: Path, format: str, encoding: str | None) -> tuple[ReaderFormat, list[Source]]:
    """Give the format and the texts to read with it: the file itself, or what is recognised in an archive."""
    named = None if format == "auto" else format_named(format)
    found = source(path, encoding)
    if not kind_of(found.start(64)):
        return named or _told(found), [found]
    members = archive(path, encoding)
    head = Head("", members=tuple(m.name.rpartition("!")[2] for m in members))
    for archived in (f for f in FORMATS if named in (None, f)):
        if archived.detect(head) is Confidence.SURE:
            return archived, [found]
    return _in_archive(path, named, members)


def _in_archive(path: Path, named: ReaderFormat | None, members: list[Source]) -> tuple[ReaderFormat, list[Source]]:
    texts = [m for m in members if m.name.lower().endswith(_TEXT_MEMBERS) and "__MACOSX/" not in m.name]
    by_format: dict[str, list[Source]] = {}
    broken: list[UnreadableInput] = []
    for member in texts:
        try:
            sure = [f for f, c in _candidates(member) if c is Confidence.SURE and named in (None, f)]
        except UnreadableInput as error:  # it matters only when nothing else is a conversation
            broken.append(error)
            continue
        if len(sure) == 1:
            by_format.setdefault(sure[0].name, []).append(member)
    if len(by_format) == 1:
        ((name, chosen),) = by_format.items()
        return format_named(name), chosen
    names = ", ".join(m.name.rpartition("!")[2] for m in members[:5]) or "nothing"
    if by_format:
        raise UnreadableInput(f"{path}: the archive holds several formats ({', '.join(sorted(by_format))}); name one")
    if broken:
        raise broken[0]
    what = f"{named.title} file" if named else "conversation of a known format"
    raise UnreadableInput(f"{path}: no {what} in the archive; it holds {names}")


def _told(found: Source) -> ReaderFormat:
    scored = _candidates(found)
    for wanted in (Confidence.SURE, Confidence.MAYBE):
        names = [f for f, confidence in scored if confidence is wanted]
        if len(names) == 1:
            return names[0]
        if names:
            raise UnreadableInput(
                f"{found.name}: this may be {' or '.join(f.name for f in names)}; name one with --format"
            )
    head, cut = head_of(found, HEAD_CHARS[-1])
    if not cut and head.text.lstrip()[:1] in ("{", "["):
        for _ in jsontext.values(found):
            pass  # says where it is broken, when it is
    raise UnreadableInput(
        f"{found.name}: no known format; it begins with {seen_in(found)}. "
        f"Known are {', '.join(f.name for f in FORMATS)}; name one with --format to see what it misses"
    )


def _candidates(found: Source) -> list[tuple[ReaderFormat, Confidence]]:
    scored: list[tuple[ReaderFormat, Confidence]] = []
    for size in HEAD_CHARS:
        head, cut = head_of(found, size)
        scored = [(f, f.detect(head)) for f in FORMATS]
        if not cut or any(c is Confidence.SURE for _, c in scored):
            break
    return scored


def head_of(found: Source, size: int) -> tuple[Head, bool]:
    """Give the head of a text, and whether the text goes on after it."""
    parts: list[str] = []
    got = 0
    with closing(found.chunks(min(size, 1 << 18))) as chunks:  # type: ignore[type-var]
        for chunk in chunks:
            parts.append(chunk)
            got += len(chunk)
            if got > size:
                break
    text = "".join(parts)
    cut = len(text) > size
    text = text[:size]
    looks_json = text.lstrip()[:1] in ("{", "[")
    items, is_list = jsontext.beginning(text, cut=cut) if looks_json else ((), False)
    return Head(text, items, is_list), cut


def seen_in(found: Source) -> str:
    """Say what a file begins with: the keys of its first value, or its first characters."""
    head, _ = head_of(found, HEAD_CHARS[0])
    what = "a JSON list of objects" if head.is_list else "a JSON object"
    if head.first:
        return f"{what} with the keys {', '.join(sorted(map(str, head.first))[:12])}"
    if head.items:
        return f"{'a JSON list of' if head.is_list else 'JSON:'} {kind(head.items[0])}"
    return repr(head.text[:60])


# What can be stored


def _events(found: ReaderFormat, text: Source, options: Options) -> Iterator[Event]:
    """Give what a reader finds in a text, made storable."""
    events = _storable(found.read(text, options), text, options)
    return events if found.tells_edits else _distinct(events)


def _distinct(events: Iterable[Event]) -> Iterator[Event]:
    """Leave out a message that is there twice; give another one of the same source ref a ref of its own."""
    seen: dict[tuple[str, str, str], bytes] = {}
    for event in events:
        if not isinstance(event, Record) or event.message.source_ref is None:
            yield event
            continue
        message, ref = event.message, event.message.source_ref or ""
        content = f"{message.speaker}\0{message.text}\0{message.caption}\0{message.sent_at}".encode()
        digest = blake2b(content, digest_size=8).digest()
        if len(seen) >= MAX_REFS:
            seen.clear()
        first = seen.setdefault((message.source, message.session, ref), digest)
        if first is digest:
            yield event
        elif first == digest:
            yield Skipped("duplicate", event.where)
        else:
            own = next(r for n in count(2) if (message.source, message.session, r := f"{ref}#{n}") not in seen)
            seen[message.source, message.session, own] = digest
            yield Problem("message.duplicate-ref", f"{ref} names two messages; this one becomes {own}", event.where)
            yield replace(event, message=replace(message, source_ref=own))


def _storable(events: Iterable[Event], text: Source, options: Options) -> Iterator[Event]:
    """Make messages storable: zones for naive times, no NUL, no lone surrogates, nothing empty or oversized."""
    assumed = False
    for event in events:
        if not isinstance(event, Record):
            yield event
            continue
        message, changes = _clean(event.message, options)
        if not message.text.strip() and not message.caption:
            yield Skipped("empty message", event.where)
            continue
        if (fault := _fault(message)) is not None:
            yield Problem("message.not-storable", f"left out: {fault}", event.where)
            yield Skipped("not storable", event.where)
            continue
        for code, what in changes:
            yield Problem(code, what, event.where)
        if options.mask:
            message = _masked(message)
        naive = message.sent_at is not None and message.sent_at.tzinfo is None
        if naive and message.sent_at is not None:
            message = replace(message, sent_at=message.sent_at.replace(tzinfo=options.tz))
        if naive and not assumed:
            assumed = True
            zone = str(options.tz)
            yield Problem("time.assumed-zone", f"its times name no zone; read as {zone} (--tz sets it)", text.name)
        yield replace(event, message=message)


def _masked(message: NewMessage) -> NewMessage:
    masker = Masker()
    return replace(
        message,
        text=masker.text(message.text),
        caption=masker.text(message.caption) if message.caption else message.caption,
        metadata={k: masker.json(v, k) for k, v in message.metadata.items()},
    )


def _clean(message: NewMessage, options: Options) -> tuple[NewMessage, list[tuple[str, str]]]:
    changes: dict[str, str] = {}

    def mend(value: str) -> str:
        if "\0" in value:
            changes["text.nul-removed"] = "NUL characters were removed; no database stores them"
            value = value.replace("\0", "")
        if _SURROGATE.search(value):
            changes["text.lone-surrogate"] = "half characters (lone surrogates) were replaced by U+FFFD"
            value = _SURROGATE.sub("\ufffd", value)
        return value

    speaker = mend(message.speaker).strip()
    cleaned = NewMessage(
        speaker=options.aliases.get(speaker, speaker),
        text=mend(message.text),
        sent_at=_sensible(message.sent_at, changes),
        session=mend(message.session),
        source_ref=mend(message.source_ref) or None if message.source_ref else None,
        source=mend(message.source),
        caption=mend(message.caption).strip() or None if message.caption else None,
        role=message.role,
        metadata={mend(k): mend(v) for k, v in message.metadata.items()},
    )
    return cleaned, sorted(changes.items())


def _sensible(moment: datetime | None, changes: dict[str, str]) -> datetime | None:
    if moment is not None and clock.sensible(moment) is None:
        changes["time.out-of-range"] = f"the year {moment.year} is not believed; the message has no time"
        return None
    return moment


def _fault(message: NewMessage) -> str | None:
    if not message.speaker:
        return "it names no speaker"
    if len(message.text) + len(message.caption or "") > MAX_TEXT:
        return f"its text is longer than {MAX_TEXT} characters"
    if sum(len(k) + len(v) for k, v in message.metadata.items()) > MAX_TEXT:
        return f"its metadata is longer than {MAX_TEXT} characters"
    for name in ("speaker", "session", "source", "source_ref"):
        if len(getattr(message, name) or "") > MAX_NAME:
            return f"its {name} is longer than {MAX_NAME} characters"
    return None
