"""What is wrong with an answer that a model wrote: small checks against the evidence (paper, A.5 and A.6)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from trajwiki.answering.packet_model import Packet, Shown
from trajwiki.domain.answers import Answer, AnswerType
from trajwiki.domain.claims import ClaimKind, Status
from trajwiki.language.times import find_times, parse_number
from trajwiki.language.tokens import fold, keywords, stem, words
from trajwiki.memory.grounding_model import ungrounded
from trajwiki.models.prompts.synthesis import Synthesis

ALIKE: Final = 0.7  # share of words from which two events are one


@dataclass(frozen=True, slots=True)
class Draft:
    """An answer of a model after its refs were checked.

    Attributes:
        text: The answer; empty for an abstention.
        why_not: The reason of an abstention.
        support: The messages it stands on.
        counted, excluded, uncertainties: As in Answer.
        removed: Refs that the evidence does not hold.
    """

    text: str
    why_not: str
    support: tuple[Shown, ...]
    counted: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    uncertainties: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong.

    Attributes:
        code: Its name.
        message: A sentence, for the model that repairs it.
        hard: The answer must not be given like this.
    """

    code: str
    message: str
    hard: bool


def draft_of(reply: Synthesis, packet: Packet) -> Draft:
    """Give the answer of a reply with the refs that the evidence holds; without any it is an abstention."""
    if not reply.can_answer or not any(c.isalnum() for c in reply.final_answer):
        reason = _line(reply.abstain_reason or "") or "the model finds no answer in the evidence"
        return Draft("", reason, (), uncertainties=_lines(reply.uncertainties))
    refs = [*reply.supporting_source_refs, *(r for s in reply.supporting_facts for r in s.refs)]
    refs += [r for s in reply.counted_events for r in s.refs]
    held = packet.by_label
    support = {s.label: s for r in refs if (s := held.get(_ref(r))) is not None}
    removed = tuple(dict.fromkeys(_line(r)[:60] for r in refs if _ref(r) not in held))
    if not support:
        return Draft("", "the answer named no message of the evidence", (), removed=removed)
    counted, excluded = _counted(reply, packet)
    return Draft(
        text=_line(_LABELS.sub("", reply.final_answer)),
        why_not="",
        support=tuple(support.values()),
        counted=tuple(counted),
        excluded=(*_lines(reply.excluded_events), *excluded),
        uncertainties=_lines(reply.uncertainties),
        removed=removed,
    )


_LABELS: Final = re.compile(r"\s*[(\[]\s*(?:E\d{1,3}[,;\s]*)+[)\]]")


def _ref(text: str) -> str:
    return text.strip().strip("[]()").casefold()


def _line(text: str) -> str:
    return " ".join(text.split())[:2000]


def _lines(texts: Sequence[str]) -> tuple[str, ...]:
    return tuple(line for text in texts[:20] if (line := _line(text)[:300]))


def _counted(reply: Synthesis, packet: Packet) -> tuple[list[str], list[str]]:
    """The events that may be counted, each once; and the others, with the reason."""
    held, counted, excluded = packet.by_label, [], []
    seen: list[set[str]] = []
    for event in reply.counted_events[:100]:
        text = _line(event.fact)[:300]
        on = [held[_ref(r)] for r in event.refs if _ref(r) in held]
        stems = set(keywords(text))
        if not on or ungrounded(text, [t for s in on for t in s.texts]) is not None:
            excluded.append(f"{text} (no message bears it out)")
        elif _only(on, lambda claim, status: claim == ClaimKind.PLAN):
            excluded.append(f"{text} (a plan)")
        elif _only(on, lambda claim, status: status is Status.NEEDS_CONFIRMATION):
            excluded.append(f"{text} (not confirmed)")
        elif any(len(stems & other) >= ALIKE * min(len(stems), len(other)) for other in seen if other and stems):
            excluded.append(f"{text} (told again)")
        else:
            seen.append(stems)
            counted.append(text)
    return counted, excluded


def _only(on: Sequence[Shown], test: object) -> bool:
    """Whether the claims of messages are all of one sort, and there are any."""
    assert callable(test)
    claims = [(c.kind, status) for s in on for c, status, _ in s.claims]
    return bool(claims) and all(test(kind, status) for kind, status in claims)


# Faults.


def has_right_type(text: str, kind: AnswerType) -> bool:
    """Tell whether a text can answer a question of this sort."""
    if kind is AnswerType.DATE:
        return bool(find_times(text, None)) or any(c.isdigit() for c in text) or bool(_WHEN.search(text))
    if kind is AnswerType.DURATION:
        return bool(_LONG.search(text)) or bool(find_times(text, None))
    if kind is AnswerType.COUNT:
        return number_in(text) is not None or bool(_TIMES.search(text))
    if kind is AnswerType.YES_NO:
        return bool(_YES_NO.match(text))
    return True


_WHEN: Final = re.compile(
    r"\b(?:before|after|during|since|until|ago|weeks?|months?|years?|days?|spring|summer|autumn|fall|winter)\b", re.I
)
_LONG: Final = re.compile(
    r"\b(?:\w+ )?(?:second|minute|hour|day|week|month|year|decade|night|summer)s?\b|\bsince\b", re.I
)
_TIMES: Final = re.compile(r"\b(?:once|twice|thrice|never|none|no|both|a couple|several)\b", re.I)
_YES_NO: Final = re.compile(r"\W*(?:yes|no|not|never|likely|probably|possibly|unlikely)\b", re.I)


def number_in(text: str) -> float | None:
    """Give the first number in a text, in figures or in words."""
    return next((n for w in words(text) if (n := parse_number(w)) is not None), None)


def faults(draft: Draft, packet: Packet, local: Answer) -> list[Fault]:
    """Give what is wrong with an answer; nothing for an abstention.

    Args:
        draft: It.
        packet: The evidence.
        local: What the rules answer from the same evidence.
    """
    if not draft.text:
        return []
    found = [*_unsupported(draft, packet), *_scope(draft, packet)]
    kind = packet.shape.answer_type
    if kind is AnswerType.COUNT:
        found += _count(draft, packet)
    if kind is AnswerType.LIST:
        found += _missing(draft, local)
    if _ALIAS.fullmatch(fold(draft.text).strip(" .")):
        found.append(Fault("unresolved", f"“{draft.text}” does not say who or what", hard=False))
    return found


_ALIAS: Final = re.compile(
    r"(?:he|she|they|it|them|him|her|someone|somebody|somewhere|something|there|(?:his|her|their|the|an?) (?:old )?"
    r"(?:friend|person|place|area|thing|city|country|book|game|hobby|activity|activities|event|things|stuff))"
)


def _unsupported(draft: Draft, packet: Packet) -> list[Fault]:
    texts = [*packet.texts, packet.question]
    texts += [f"{len(draft.counted)} {word}" for word in ("times", "at least")]
    out = []
    for item in items_of(draft.text) if packet.shape.answer_type is AnswerType.LIST else [draft.text]:
        word = ungrounded(item, texts)
        if word is not None and number_in(word) != len(draft.counted):
            out.append(Fault("unsupported", f"no message says “{word}”", hard=True))
    current = {fold(v) for s in packet.shown for v in s.texts}
    for shown in packet.shown:
        for claim, status, _ in shown.claims:
            value = fold(claim.facet.value) if claim.facet else ""
            gone = status is Status.DEPRECATED and value and value in fold(draft.text) and not packet.shape.past
            if gone and not any(value in text for text in current):
                out.append(Fault("out-of-date", f"“{value}” does not hold any more", hard=True))
    return out


def items_of(text: str) -> list[str]:
    """Give the things that an answer lists."""
    return [p.strip(" .") for p in re.split(r",|;|\band\b|\n|•", text) if p.strip(" .")]


def _scope(draft: Draft, packet: Packet) -> list[Fault]:
    """The evidence must speak of whom the question is about."""
    asked = [fold(s) for s in packet.shape.subject_speakers]
    if not asked:
        texts = [fold(t) for s in packet.shown for t in s.texts]
        unknown = [e for e in packet.shape.entities if not any(e in text for text in texts)]
        if unknown and len(unknown) == len(packet.shape.entities):
            return [Fault("scope", f"no message speaks of {', '.join(unknown)}", hard=True)]
        return []
    for shown in draft.support:
        about = [shown.message.speaker, shown.message.content, *(c.subject for c, _, _ in shown.claims)]
        if any(name in fold(text) for name in asked for text in about):
            return []
    return [Fault("scope", f"the messages are not about {', '.join(packet.shape.subject_speakers)}", hard=True)]


def _count(draft: Draft, packet: Packet) -> list[Fault]:
    number = number_in(draft.text)
    if number is None:
        return []
    stated = [number_in(c.text) for s in draft.support for c, _, _ in s.claims if c.kind is ClaimKind.COUNT]
    if number in (len(draft.counted), *stated):
        return []
    said = {n for s in draft.support for w in words(s.message.content) if (n := parse_number(w)) is not None}
    if number in said and not draft.counted:
        return []
    return [Fault("count", f"{number:g} is not borne out: {len(draft.counted)} events can be counted", hard=True)]


def _missing(draft: Draft, local: Answer) -> list[Fault]:
    told = {stem(w) for w in words(draft.text)}
    missing = [item for item in items_of(local.text) if local.answered and not told.intersection(keywords(item))]
    missing = [m for m in missing if keywords(m)]
    return [Fault("missing", f"the messages also name {', '.join(missing[:6])}", hard=False)] if missing else []


def lower_bound(draft: Draft) -> str:
    """Give a count as what is borne out at least."""
    return f"At least {len(draft.counted)}" if draft.counted else ""
