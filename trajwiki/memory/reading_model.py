"""Reading exchanges with a model: what it is shown, and which of its claims may be believed (paper, A.1)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from trajwiki.domain.claims import ClaimDraft, ClaimKind, Status
from trajwiki.domain.messages import Message
from trajwiki.domain.problems import Problem
from trajwiki.domain.snapshots import Exchange, Snapshot
from trajwiki.language.persons import display_name
from trajwiki.language.times import span_words
from trajwiki.language.tokens import fold, keywords
from trajwiki.memory.annotation import MAX_TERMS, annotate
from trajwiki.memory.grounding_model import locate, stands_in, ungrounded
from trajwiki.memory.reader import BELIEVED, Reader, addresses_a_machine, open_reader, own_sentences
from trajwiki.memory.verification import verify_claim
from trajwiki.models.prompts.base import said
from trajwiki.models.prompts.claims import ClaimItem, Claims
from trajwiki.models.prompts.seed import Seeds
from trajwiki.models.prompts.signals import Signals

SHOWN: Final = 8000  # characters of a message that a model is shown; the rest is left to the rules
SHOWN_BEFORE: Final = 300
ENOUGH_TERMS: Final = 2  # by which a claim can be found well enough without a second question


@dataclass(frozen=True, slots=True)
class Part:
    """An exchange as it is to be read.

    Attributes:
        exchange: It.
        messages: Its messages, in order.
        previous: The message before them in the session.
        speakers: Everybody who spoke in the session so far.
    """

    exchange: Exchange
    messages: tuple[Message, ...]
    previous: Message | None
    speakers: tuple[str, ...]

    @property
    def is_worth_asking(self) -> bool:
        """Whether a person says something in it."""
        return any(_is_read(m) for m in self.messages)

    def lines(self, n: int) -> list[str]:
        """Give the data of the exchange under a number: a line a message, labelled ``n.1`` and so on."""
        out = []
        if self.previous is not None and self.previous.content.strip():
            out.append(_line("before", self.previous, SHOWN_BEFORE))
        for place, message in enumerate(self.messages, start=1):
            if _is_read(message):
                out.append(_line(f"{n}.{place}", message, SHOWN))
            elif message.content.strip():
                out.append(_line("before", message, SHOWN_BEFORE))
        return out


def _is_read(message: Message) -> bool:
    return message.role in BELIEVED and any(c.isalnum() for c in message.content)


def _line(label: str, message: Message, limit: int) -> str:
    day = f"{message.sent_at:%Y-%m-%d}" if message.sent_at else "undated"
    return f"{label} | {said(display_name(message.speaker))} | {day} | {said(message.content[:limit])}"


# Claims.


def drafts_of(reply: Claims, part: Part, *, model: str) -> tuple[list[ClaimDraft], list[Problem]]:
    """Give the claims of a reply that their messages bear out, and why the others were dropped.

    Args:
        reply: Of the model, for this exchange alone.
        part: What it was shown.
        model: Who decided, as ``model:NAME``.
    """
    drafts: dict[tuple[str, str], ClaimDraft] = {}
    problems: list[Problem] = []
    for item in reply.claims:
        draft = _draft(item, part, model)
        if isinstance(draft, Problem):
            problems.append(draft)
        else:
            drafts.setdefault((draft.quote.message_id, fold(draft.text)), draft)
    return list(drafts.values()), problems


def _draft(item: ClaimItem, part: Part, model: str) -> ClaimDraft | Problem:
    message = _message(item.source, part)
    if message is None:
        return Problem("claim.unknown-source", f"no message “{item.source[:40]}” was shown; the claim is dropped")
    if not _is_read(message):
        return _dropped("not-believed", "it rests on words of a program", message)
    if not any(c.isalnum() for c in item.text):
        return _dropped("empty-text", "it says nothing", message)
    place = locate(item.quote, message.content)
    if place is None or not any(c.isalnum() for c in item.quote):
        return _dropped("quote-not-in-source", f"“{item.quote[:80]}” does not stand there", message)
    reader = open_reader(message, speakers=part.speakers, previous=part.previous)
    if not _is_own(place[0], reader):
        return _dropped("not-own-words", "its words are pasted or quoted", message)
    if addresses_a_machine(message.content[slice(*place)]) or addresses_a_machine(item.text):
        return _dropped("instruction", "its words address a machine; the rule keeps them as a quote", message)
    text = _sentence(item.text)
    draft = annotate(reader.told(text, *place, "model"))
    kind = ClaimKind(item.kind) if draft.kind is not ClaimKind.CORRECTION else draft.kind
    doubted = item.status == "needs-confirmation" or draft.status is Status.NEEDS_CONFIRMATION
    status = Status.NEEDS_CONFIRMATION if doubted else Status.ACTIVE
    draft = replace(draft, kind=kind, status=status, decided_by=model)
    return _wrong(draft, message, part, reader) or verify_claim(draft, {message.id: message}) or draft


def _dropped(code: str, why: str, message: Message) -> Problem:
    return Problem(f"claim.{code}", f"a claim of the model was dropped: {why}", message.source_ref)


def _message(label: str, part: Part) -> Message | None:
    match = re.fullmatch(r"\D{0,3}1\.(\d{1,4})\D?", label)
    place = int(match[1]) if match else 0
    return part.messages[place - 1] if 0 < place <= len(part.messages) else None


def _sentence(text: str) -> str:
    text = " ".join(text.split())
    text = text[:1].upper() + text[1:]
    return text if text[-1] in '.!?…。！？"”' else f"{text}."


def _is_own(at: int, reader: Reader) -> bool:
    """Whether a place is in the speaker's own words, or in the description of their image."""
    if at >= len(reader.body):
        return True
    return any(s.start <= at < s.start + len(s.text) for s in own_sentences(reader.body))


_FIRST: Final = re.compile(r"\b(?:i|i'm|i've|i'll|i'd|my|me|mine|we|our|us)\b")
_OPENS_FIRST: Final = re.compile(r"(?:\w+,? ){0,2}(?:i|i'm|i've|i'll|i'd|my|we|we're|we've|our)\b")


def _wrong(draft: ClaimDraft, message: Message, part: Part, reader: Reader) -> Problem | None:
    """Whether a claim speaks of the wrong person, of nobody known, or of what was not said."""
    speaker = fold(reader.cast.speaker)
    others = [fold(display_name(s)) for s in part.speakers if fold(display_name(s)) != speaker]
    text, quote = fold(draft.text), fold(draft.quote.text)
    swapped = _OPENS_FIRST.match(quote) and any(text.startswith(o) for o in others if o)
    if swapped or (_FIRST.search(quote) and not any(n in text for n in _short_names(speaker))):
        return _dropped("wrong-person", "its words are about the one who says them", message)
    subject = fold(draft.subject)
    people = [*_short_names(speaker), *(n for o in others for n in _short_names(o))]
    known = any(n in subject for n in people) or subject in fold(message.content)
    if not known and subject not in {fold(e) for e in draft.entities}:
        return _dropped("unknown-person", f"nobody was called “{draft.subject[:40]}”", message)
    sources = [m.content for m in part.messages] + ([part.previous.content] if part.previous else [])
    allowed = [*part.speakers, *([span_words(draft.valid), draft.valid.iso()] if draft.valid else [])]
    if (word := ungrounded(draft.text, sources, allowed=allowed)) is not None:
        return _dropped("ungrounded", f"“{word}” was not said", message)
    return None


def _short_names(name: str) -> list[str]:
    return [n for n in dict.fromkeys((name, name.split(maxsplit=1)[0] if name.split() else "")) if n]


def merge(read: Sequence[ClaimDraft], by_rule: Sequence[ClaimDraft], messages: Sequence[Message]) -> list[ClaimDraft]:
    """Give the claims of a model with those of the rules that they do not make needless, in order.

    A claim of the rules stays where the model gave nothing for the message; where it holds a name, thing, number or
    time that no claim of the model on that message holds; and where it corrects or is an order to a machine.
    """
    kept = [d for d in by_rule if _is_needed(d, [r for r in read if r.quote.message_id == d.quote.message_id])]
    order = {m.id: n for n, m in enumerate(messages)}
    return sorted([*read, *kept], key=lambda d: (order[d.quote.message_id], d.quote.start))


def _is_needed(draft: ClaimDraft, read: Sequence[ClaimDraft]) -> bool:
    if not read or draft.instruction_like or draft.replaces is not None:
        return True
    if any(fold(draft.text) == fold(r.text) for r in read):
        return False
    told = [r.text for r in read]
    stems = {k for text in told for k in keywords(text)}
    surfaces = [*draft.entities, *draft.terms, *([draft.facet.value] if draft.facet else [])]
    missing = any(not set(keywords(s)) <= stems for s in surfaces)
    undated = draft.valid is not None and all(r.valid is None for r in read)
    return missing or undated


# Signals.


def signal_lines(drafts: Sequence[ClaimDraft], n: int) -> list[str]:
    """Give the data of the claims of an exchange under a number."""
    return [f"{n}.{i} | {said(d.text)} | {said(d.quote.text)}" for i, d in enumerate(drafts, start=1)]


def can_be_found(drafts: Sequence[ClaimDraft]) -> bool:
    """Tell whether the rules gave every claim enough terms to be found by."""
    return all(len(d.terms) + len(d.entities) >= ENOUGH_TERMS for d in drafts)


def with_signals(
    drafts: Sequence[ClaimDraft], reply: Signals, messages: Sequence[Message]
) -> tuple[list[ClaimDraft], list[Problem]]:
    """Give the claims with the further terms of a reply; what no source holds is dropped."""
    out = list(drafts)
    contents = {m.id: m.content for m in messages}
    problems: list[Problem] = []
    for signal in reply.signals:
        match = re.fullmatch(r"\D{0,3}1\.(\d{1,4})\D?", signal.claim)
        place = int(match[1]) - 1 if match else -1
        if not 0 <= place < len(out):
            problems.append(Problem("signal.unknown-claim", f"no claim “{signal.claim[:40]}” was shown"))
            continue
        draft = out[place]
        if not stands_in(signal.surface, [contents[draft.quote.message_id]]) or len(signal.surface.split()) > 6:
            problems.append(Problem("signal.not-in-source", f"no source holds “{signal.surface[:80]}”"))
        elif fold(signal.surface) not in {fold(t) for t in (*draft.terms, *draft.entities)}:
            out[place] = replace(draft, terms=(*draft.terms, signal.surface)[:MAX_TERMS])
    return out, problems


# Seeds.


def with_seed(snapshot: Snapshot, reply: Seeds, part: Part) -> tuple[Snapshot, list[Problem]]:
    """Give the snapshot with the summary, context and keywords of a model, each where it is borne out."""
    problems: list[Problem] = []
    contents = [m.content for m in part.messages]
    allowed = [*part.speakers, *([part.previous.content] if part.previous else []), snapshot.context, snapshot.summary]
    for seed in reply.exchanges[:1]:
        for name, text in (("summary", seed.summary_content), ("context", seed.context)):
            word = ungrounded(text, contents, allowed=allowed) if text else "nothing"
            if word is not None:
                problems.append(Problem("seed.ungrounded", f"{name}: “{word}” was not said", snapshot.id))
            elif name == "summary":
                snapshot = replace(snapshot, summary=text)
            else:
                where = snapshot.context.partition("; about ")[0]
                snapshot = replace(snapshot, context=f"{where}; about {text}")
        found = frozenset(k for word in seed.keywords if stands_in(word, contents) for k in keywords(word))
        features = replace(snapshot.features, keywords=snapshot.features.keywords | found)
        snapshot = replace(snapshot, features=features)
    return snapshot, problems
