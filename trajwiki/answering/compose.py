"""One way to compose an answer for each type of question; all from candidates, none from anywhere else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from trajwiki.answering.candidates import Candidate, candidates
from trajwiki.domain.answers import Answer, AnswerType, SupportingFact
from trajwiki.domain.claims import ClaimKind, Status
from trajwiki.domain.evidence import Recall
from trajwiki.domain.state import SpaceState
from trajwiki.language.times import parse_number, span_words
from trajwiki.language.tokens import fold, keywords
from trajwiki.retrieval.shape import Shape

ENOUGH = 0.40  # support from which a claim answers
NEAR = 0.75  # share of the best support from which a claim belongs to a list or count


@dataclass(slots=True)
class _Draft:
    text: str = ""
    facts: list[Candidate] = field(default_factory=list)
    counted: list[str] = field(default_factory=list)
    excluded: list[str] = field(default_factory=list)
    anchors: list[str] = field(default_factory=list)
    uncertainties: list[str] = field(default_factory=list)
    why_not: str = ""


def answer_locally(question: str, *, recall: Recall, state: SpaceState, shape: Shape, answer_id: str) -> Answer:
    """Answer from the claims on the recalled messages, or abstain.

    Args:
        question: As asked.
        recall: Its evidence.
        state: The space.
        shape: Of the question.
        answer_id: For `explain`.
    """
    found = candidates(recall, state, shape)
    usable = [c for c in found if _fits_time(c, shape)]
    strong = [c for c in usable if c.support >= ENOUGH]
    draft = _COMPOSE.get(shape.answer_type, _fact)(strong, shape) if strong else _Draft()
    if not draft.facts:
        draft = _Draft(why_not=_why_not(found))
    refs = tuple(dict.fromkeys(c.evidence.source_ref for c in draft.facts))
    return Answer(
        id=answer_id,
        question=question,
        answered=bool(refs),
        type=shape.answer_type,
        text=draft.text if refs else "The memory does not say.",
        abstain_reason=None if refs else draft.why_not,
        refs=refs,
        facts=tuple(
            SupportingFact(c.claim_id, c.text, c.evidence.source_ref, c.quote, c.status.value) for c in draft.facts
        ),
        counted=tuple(draft.counted),
        excluded=tuple(draft.excluded),
        anchors=tuple(draft.anchors),
        uncertainties=tuple(draft.uncertainties),
        how={
            "shape": shape.answer_type.value + (", about the past" if shape.past else ""),
            "about": ", ".join(shape.subject_speakers) or "nobody in particular",
            "composed by": "rule",
            "candidates": f"{len(found)} claims, {len(strong)} strong enough",
        },
        pages=recall.pages,
        trajectories=recall.trajectories,
        problems=recall.problems,
    )


def _fits_time(c: Candidate, shape: Shape) -> bool:
    """What is no longer true answers only questions about the past."""
    return c.status is not Status.DEPRECATED or shape.past


def _fact(strong: Sequence[Candidate], shape: Shape) -> _Draft:
    if shape.past:
        strong = sorted(strong, key=lambda c: c.status is not Status.DEPRECATED)
    best = strong[0]
    text = best.facet.value if best.facet and best.facet_fits and not best.negated else best.text
    draft = _Draft(text=text, facts=[best])
    if best.status is Status.DEPRECATED:
        draft.uncertainties.append("this is how it was; it has changed since")
    if best.status is Status.NEEDS_CONFIRMATION:
        draft.uncertainties.append("it was said with doubt")
    if best.status is Status.CONTRADICTORY:
        draft.uncertainties.append("the conversation also says otherwise")
    return draft


def _date(strong: Sequence[Candidate], shape: Shape) -> _Draft:
    for c in strong:
        if c.valid is not None:
            words = span_words(c.valid)
            return _Draft(text=words, facts=[c], anchors=[f"{c.quote} -> {c.valid.iso()} ({c.evidence.source_ref})"])
    best = strong[0]
    if best.evidence.timestamp is None:
        return _Draft()
    day = f"{best.evidence.timestamp:%-d %B %Y}"
    return _Draft(text=f"Said on {day}; the day itself is not named.", facts=[best])


def _list(strong: Sequence[Candidate], shape: Shape) -> _Draft:
    draft = _Draft()
    items: dict[str, str] = {}
    for c in _near(strong):
        if c.kind is ClaimKind.PLAN and "plans" not in shape.facets:
            draft.excluded.append(f"{c.text} (a plan)")
        elif c.negated:
            draft.excluded.append(f"{c.text} (denied)")
        else:
            item = c.facet.value if c.facet and c.facet_fits else c.text
            if fold(item) not in items:
                items[fold(item)] = item
                draft.facts.append(c)
    draft.text = ", ".join(items.values())
    return draft


def _count(strong: Sequence[Candidate], shape: Shape) -> _Draft:
    stated = next((c for c in strong if c.kind is ClaimKind.COUNT), None)
    if stated is not None:
        number = next((n for w in stated.text.split() if (n := parse_number(w.strip(".,"))) is not None), None)
        if number is not None:
            return _Draft(text=f"{number:g}", facts=[stated], counted=[stated.text])
    draft = _Draft()
    seen: list[set[str]] = []
    for c in _near(strong):
        words = set(keywords(c.text))
        if c.kind is ClaimKind.PLAN:
            draft.excluded.append(f"{c.text} (a plan)")
        elif c.negated or c.status is Status.DEPRECATED:
            draft.excluded.append(f"{c.text} (did not happen)")
        elif any(len(words & other) >= 0.7 * min(len(words), len(other)) for other in seen):
            draft.excluded.append(f"{c.text} (told again)")
        else:
            seen.append(words)
            draft.counted.append(c.text)
            draft.facts.append(c)
    draft.text = f"At least {len(draft.counted)}" if draft.counted else ""
    return draft


def _yes_no(strong: Sequence[Candidate], shape: Shape) -> _Draft:
    best = strong[0]
    return _Draft(text=("No: " if best.negated else "Yes: ") + best.text, facts=[best])


def _near(strong: Sequence[Candidate]) -> list[Candidate]:
    return [c for c in strong if c.support >= NEAR * strong[0].support]


def _why_not(found: Sequence[Candidate]) -> str:
    if not found:
        return "nothing that was recalled states anything about it"
    return f"nothing that was recalled says it; the nearest is {found[0].evidence.source_ref}: {found[0].text}"


_COMPOSE = {
    AnswerType.DATE: _date,
    AnswerType.LIST: _list,
    AnswerType.COUNT: _count,
    AnswerType.YES_NO: _yes_no,
}
