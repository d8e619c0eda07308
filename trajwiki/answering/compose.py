"""One way to compose an answer for each type of question; all from candidates, none from anywhere else."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from trajwiki.answering.candidates import PLACE, Candidate, candidates
from trajwiki.answering.phrases import answer_phrase
from trajwiki.domain.answers import Answer, AnswerType, SupportingFact
from trajwiki.domain.claims import ClaimKind, Status
from trajwiki.domain.evidence import Recall
from trajwiki.domain.state import SpaceState
from trajwiki.domain.times import TimeSpan
from trajwiki.language.times import find_times, parse_number, span_words
from trajwiki.language.tokens import fold, keywords
from trajwiki.retrieval.shape import Shape

ENOUGH: Final = 0.42  # support from which a claim answers
WEAK: Final = 0.25  # support from which a claim is at least named among what was not counted
ALIKE: Final = 0.7  # share of words from which two sentences may tell one event
NEAR: Final = 0.75  # share of the best support from which a claim belongs to a list or count

_COLOURS: Final = "red|orange|yellow|green|blue|purple|violet|pink|brown|black|white|gr[ae]y|gold|silver|beige"
_PLACED: Final = "[Ii]n|[Aa]t|[Ff]rom|to|near|on|by|through|around|outside|inside|behind|under"
_NUMBERS: Final = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|hundred|thousand"
FAMILIES: Final = tuple(
    (re.compile(asks, re.IGNORECASE), re.compile(has))
    for asks, has in (
        (
            r"^where\b",
            rf"^(?!.* said: ).*\b(?:{_PLACED}) +\w|\b(?:{_PLACED}) +(?:the )?[A-Z]|[^\x00-\x7f]",
        ),
        (
            r"\bhow much\b|\bhow old\b",
            rf"\d|\b(?:{_NUMBERS})\b",
        ),
        (r"\bcolou?rs?\b", rf"(?i)\b(?:{_COLOURS})\b"),
    )
)


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
    wanted = [has for asks, has in FAMILIES if asks.search(question)]
    usable = [c for c in found if _fits_time(c, shape) and _says_more(c, shape) and _is_of_the_family(c, wanted)]
    strong = [c for c in usable if c.support >= ENOUGH]
    draft = _COMPOSE.get(shape.answer_type, _fact)(strong, shape) if strong else _Draft()
    if draft.counted:
        doubtful = [c for c in usable if WEAK <= c.support < ENOUGH]
        draft.excluded += [f"{c.text} (does not clearly say that it happened)" for c in doubtful]
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


def _says_more(c: Candidate, shape: Shape) -> bool:
    """A value that stands in the question already does not answer it."""
    if c.facet is None or not c.facet_fits or shape.answer_type is not AnswerType.FACT:
        return True
    value = set(keywords(c.facet.value))
    return not value or not value <= set(shape.keywords)


def _is_of_the_family(c: Candidate, wanted: Sequence[re.Pattern[str]]) -> bool:
    """What is asked for must be there at all: a place for where, a number for how much, a colour for what colour."""
    if not wanted:
        return True
    text = c.text
    for mention in reversed(find_times(text, None)):  # "in August" is no place, and 1831 no price
        text = text[: mention.start] + text[mention.end :]
    return all(has.search(text) for has in wanted)


def _fact(strong: Sequence[Candidate], shape: Shape) -> _Draft:
    if shape.past:
        strong = sorted(strong, key=lambda c: c.status is not Status.DEPRECATED)
    best = strong[0]
    text = best.facet.value if best.facet and best.facet_fits and not best.negated else _phrase(best, shape)
    draft = _Draft(text=text, facts=[best])
    if best.status is Status.DEPRECATED:
        draft.uncertainties.append("this is how it was; it has changed since")
    if best.status is Status.NEEDS_CONFIRMATION:
        draft.uncertainties.append("it was said with doubt")
    if best.status is Status.CONTRADICTORY:
        draft.uncertainties.append("the conversation also says otherwise")
    return draft


def _date(strong: Sequence[Candidate], shape: Shape) -> _Draft:
    for c in sorted(strong, key=_fit):
        if c.valid is not None:
            words = span_words(c.valid)
            return _Draft(text=words, facts=[c], anchors=[f"{c.quote} -> {c.valid.iso()} ({c.evidence.source_ref})"])
    best = strong[0]
    if best.evidence.timestamp is None:
        return _Draft()
    day = f"{best.evidence.timestamp:%-d %B %Y}"
    return _Draft(text=f"Said on {day}; the day itself is not named.", facts=[best])


def _fit(c: Candidate) -> float:
    """Order by how well the words fit, whatever the rank of the message: two events of one kind have two dates."""
    return -(c.support - PLACE * c.evidence.score)


def _list(strong: Sequence[Candidate], shape: Shape) -> _Draft:
    draft = _Draft()
    items: dict[str, str] = {}
    fitting = [c for c in strong if c.facet_fits]
    for c in fitting or _near(strong):
        if c.kind is ClaimKind.PLAN and "plans" not in shape.facets:
            draft.excluded.append(f"{c.text} (a plan)")
        elif c.negated:
            draft.excluded.append(f"{c.text} (denied)")
        else:
            item = c.facet.value if c.facet and c.facet_fits else _phrase(c, shape)
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
    seen: list[tuple[set[str], TimeSpan | None]] = []
    for c in _near(strong):
        words = set(keywords(c.text))
        if c.kind is ClaimKind.PLAN:
            draft.excluded.append(f"{c.text} (a plan)")
        elif c.negated or c.status is Status.DEPRECATED:
            draft.excluded.append(f"{c.text} (did not happen)")
        elif any(_is_the_same_event(words, c.valid, *other) for other in seen):
            draft.excluded.append(f"{c.text} (told again)")
        else:
            seen.append((words, c.valid))
            draft.counted.append(c.text)
            draft.facts.append(c)
    draft.text = f"At least {len(draft.counted)}" if draft.counted else ""
    return draft


def _is_the_same_event(words: set[str], when: TimeSpan | None, others: set[str], other: TimeSpan | None) -> bool:
    """Tell whether two sentences tell one event: much the same words, and not two different times."""
    if when and other and when.start and when.end and other.start and other.end:
        apart = when.end < other.start or other.end < when.start
    else:
        apart = False
    return not apart and len(words & others) >= ALIKE * min(len(words), len(others))


def _yes_no(strong: Sequence[Candidate], shape: Shape) -> _Draft:
    best = strong[0]
    return _Draft(text=("No: " if best.negated else "Yes: ") + best.text, facts=[best])


def _phrase(c: Candidate, shape: Shape) -> str:
    asked = set(shape.keywords) | {k for name in shape.subject_speakers for k in keywords(name)}
    return answer_phrase(c.text, c.subject, asked)


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
