"""What a model is shown of the evidence for a question, with a label for each message."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from trajwiki.domain.claims import Claim, Status
from trajwiki.domain.evidence import Evidence, Recall
from trajwiki.domain.messages import Message
from trajwiki.domain.state import SpaceState
from trajwiki.language.times import span_words
from trajwiki.memory.reader import addresses_a_machine
from trajwiki.models.prompts.base import said
from trajwiki.retrieval.shape import Shape

CLAIMS: Final = 4  # shown of a message, at most
TEXT: Final = 4000  # characters of a message


@dataclass(frozen=True, slots=True)
class Shown:
    """A message as evidence.

    Attributes:
        label: ``E1``, ``E2`` and so on.
        evidence: It.
        message: Its message.
        claims: That stand on it, with status and quote.
    """

    label: str
    evidence: Evidence
    message: Message
    claims: tuple[tuple[Claim, Status, str], ...]

    @property
    def texts(self) -> list[str]:
        """All words it bears out: what was said, by whom, what it states, and when."""
        out = [self.message.content, self.message.speaker]
        for claim, status, _ in self.claims:
            if status is not Status.DEPRECATED:
                out.append(claim.text)
            if claim.valid is not None:
                out += [span_words(claim.valid), claim.valid.iso()]
        if self.message.sent_at is not None:
            out += [f"{self.message.sent_at:%-d %B %Y}", f"{self.message.sent_at:%Y-%m-%d}"]
        return out


@dataclass(frozen=True, slots=True)
class Packet:
    """The evidence of a question.

    Attributes:
        question: As asked.
        shape: What sort it is.
        shown: The messages, in order of time.
    """

    question: str
    shape: Shape
    shown: tuple[Shown, ...]

    @property
    def by_label(self) -> dict[str, Shown]:
        """The messages by label, and by the name their caller gave them."""
        named = {s.evidence.source_ref.casefold(): s for s in self.shown}
        return named | {s.label.casefold(): s for s in self.shown}

    @property
    def texts(self) -> list[str]:
        """All words that the evidence bears out."""
        return [text for s in self.shown for text in s.texts]

    @property
    def is_weak(self) -> bool:
        """Whether retrieval found too little (paper, A.6): no message, or no current claim."""
        return not any(status is not Status.DEPRECATED for s in self.shown for _, status, _ in s.claims)

    def lines(self) -> list[str]:
        """Give the data of the question and its evidence."""
        out = [f"question | {said(self.question[:4000])} | {self.shape.answer_type.value}"]
        for s in self.shown:
            day = f"{s.message.sent_at:%Y-%m-%d %A}" if s.message.sent_at else "undated"
            out.append(f"{s.label} | {said(s.message.speaker)} | {day} | {said(s.message.content[:TEXT])}")
            for claim, status, _ in s.claims:
                mark = " | out of date" if status is Status.DEPRECATED else ""
                doubt = " | not confirmed" if status is Status.NEEDS_CONFIRMATION else ""
                when = f" | date {span_words(claim.valid)}" if claim.valid is not None else ""
                out.append(f"{s.label} states | {said(claim.text)}{when}{mark}{doubt}")
        return out


def packet_of(question: str, shape: Shape, recalls: Sequence[Recall], state: SpaceState) -> Packet:
    """Give the packet of what one or more recalls found.

    What is out of date is left out unless the question asks how things were.
    """
    found = {e.message_id: e for recall in reversed(recalls) for e in recall.evidence}
    ordered = sorted(found.values(), key=lambda e: state.messages[e.message_id].ordinal)
    shown: list[Shown] = []
    for evidence in ordered:
        if evidence.superseded and not shape.past:
            continue
        claims = [
            (claim, state.status[claim.id], quote)
            for claim in (state.claims[c] for c in evidence.claim_ids)
            if not claim.instruction_like and (state.is_current(claim.id) or shape.past)
            for quote in [_quote(claim, evidence, state)]
        ]
        message = state.messages[evidence.message_id]
        if addresses_a_machine(message.content) and not claims:
            continue  # nothing but an order to a machine
        shown.append(Shown(f"E{len(shown) + 1}", evidence, message, tuple(claims[:CLAIMS])))
    return Packet(question, shape, tuple(shown))


def _quote(claim: Claim, evidence: Evidence, state: SpaceState) -> str:
    return next(s.quote.text for s in state.sources[claim.id] if s.quote.message_id == evidence.message_id)
