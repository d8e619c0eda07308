"""One way to compose an answer for each type of question; all from candidates, none from anywhere else."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from trajwiki.answering.asked import Asked, Focus, ask
from trajwiki.answering.candidates import PLACE, Candidate, candidates
from trajwiki.answering.dates import anchor, date_words, known_since, named_time
from trajwiki.answering.spans import says_new, span_for
from trajwiki.domain.answers import Answer, AnswerType, SupportingFact
from trajwiki.domain.claims import ClaimKind, Status
from trajwiki.domain.evidence import Recall
from trajwiki.domain.state import SpaceState
from trajwiki.domain.times import TimeSpan
from trajwiki.language.times import find_durations, find_numbers, find_times
from trajwiki.language.tokens import fold, keywords, stem, words
from trajwiki.retrieval.shape import Shape

CERTAIN: Final = 0.12  # certainty from which a question is answered at all
FLOOR: Final = 0.1  # share of the question's words that something about the right person must hold
FLOOR_LOOSE: Final = 0.55  # and for what may stand in any sentence
FOCUS: Final = 0.2  # how much more a date counts in a sentence that says little else
ALIKE: Final = 0.7  # share of words from which two sentences may tell one event
CLOSE: Final = 0.75  # share of the best support from which a candidate belongs to a list or count
NEXT: Final = 0.7  # share of the best support down to which a fitting span is looked for
TIMED: Final = 0.12  # support that a candidate which names a time may lack, beside one that names none
MOST: Final = 6  # items of a list
WHOLE: Final = 0.8  # share of the question's words that an event must hold to be counted
WEAK: Final = 0.4  # share of them from which it is at least named among what was not counted
SURE: Final = 0.5  # share of them that a sentence must hold to affirm a question
SURE_SUPPOSED: Final = 0.75  # and to affirm what would be
FAR: Final = 0.6  # share of the best support down to which a stated length of time is looked for


@dataclass(slots=True)
class _Draft:
    text: str = ""
    facts: list[Candidate] = field(default_factory=list)
    counted: list[str] = field(default_factory=list)
    excluded: list[str] = field(default_factory=list)
    anchors: list[str] = field(default_factory=list)
    uncertainties: list[str] = field(default_factory=list)


def answer_locally(question: str, *, recall: Recall, state: SpaceState, shape: Shape, answer_id: str) -> Answer:
    """Answer from the recalled messages and the claims on them, or abstain.

    Args:
        question: As asked.
        recall: Its evidence.
        state: The space.
        shape: Of the question.
        answer_id: For `explain`.
    """
    asked = ask(question, shape, state)
    found, certainty = candidates(recall, state, asked)
    strong = [c for c in found if _fits_time(c, shape) and (asked.unknown_doer or _says_more(c, shape))]
    if certainty < CERTAIN or not any(_is_grounded(c, asked) for c in strong):
        strong = []
    draft = _COMPOSE.get(shape.answer_type, _fact)(strong, asked) if strong else _Draft()
    if draft.counted:
        draft.excluded += _not_counted(strong, draft)
    refs = tuple(dict.fromkeys(c.evidence.source_ref for c in draft.facts)) if draft.text else ()
    return Answer(
        id=answer_id,
        question=question,
        answered=bool(refs),
        type=shape.answer_type,
        text=draft.text if refs else "The memory does not say.",
        abstain_reason=None if refs else _why_not(found, strong, asked),
        refs=refs,
        facts=tuple(
            SupportingFact(c.claim_id, c.text, c.evidence.source_ref, c.quote, c.status.value)
            for c in (draft.facts if refs else ())
        ),
        counted=tuple(draft.counted),
        excluded=tuple(draft.excluded),
        anchors=tuple(draft.anchors if refs else ()),
        uncertainties=tuple(draft.uncertainties if refs else ()),
        how={
            "shape": shape.answer_type.value + (", about the past" if shape.past else ""),
            "asks for": asked.focus.value if shape.answer_type is AnswerType.FACT else shape.answer_type.value,
            "about": ", ".join(asked.doers) or "nobody in particular",
            "composed by": "rule",
            "candidates": f"{len(found)} claims and sentences; certainty {certainty:.2f}, needed {CERTAIN}",
        },
        pages=recall.pages,
        trajectories=recall.trajectories,
        problems=recall.problems,
    )


def _fits_time(c: Candidate, shape: Shape) -> bool:
    """What is no longer true answers only questions about the past."""
    return c.status is not Status.DEPRECATED or shape.past


def _is_grounded(c: Candidate, asked: Asked) -> bool:
    """Whether a candidate holds enough of the question, or stands in a relation that it asks for.

    A place, an amount or a colour can stand in any sentence, so more is needed for these.
    """
    floor = FLOOR_LOOSE if asked.focus in _LOOSE else FLOOR
    return c.facet_fits or c.own + c.reply + c.near >= floor


_LOOSE: Final = frozenset({Focus.WHERE, Focus.AMOUNT, Focus.COLOUR, Focus.OFTEN})


def _says_more(c: Candidate, shape: Shape) -> bool:
    """A value that stands in the question already does not answer it."""
    if c.facet is None or not c.facet_fits or shape.answer_type is not AnswerType.FACT:
        return True
    value = set(keywords(c.facet.value))
    return not value or not value <= set(shape.keywords)


def _fact(strong: Sequence[Candidate], asked: Asked) -> _Draft:
    if asked.shape.past and any(_was_so(c) for c in strong):
        strong = [c for c in strong if _was_so(c)]
    if asked.unknown_doer and asked.focus is Focus.WHO:
        return _doers(strong, asked)
    for c in strong:
        if c.support < NEXT * strong[0].support:
            break
        if _is_grounded(c, asked) and (text := _span(c, asked)):
            return _Draft(text=text, facts=[c], uncertainties=_doubts(c))
    return _Draft()


def _doers(strong: Sequence[Candidate], asked: Asked) -> _Draft:
    """All of whom it is said."""
    draft = _Draft()
    for c in strong:
        named = c.stated and fold(c.subject) not in fold(asked.question) and not c.negated
        if named and c.own >= WHOLE and c.subject not in {f.subject for f in draft.facts}:
            draft.facts.append(c)
    draft.text = ", ".join(c.subject for c in draft.facts)
    return draft


def _was_so(c: Candidate) -> bool:
    return c.facet_fits and c.status is Status.DEPRECATED


def _span(c: Candidate, asked: Asked) -> str:
    """The words of a candidate that answer: its value, or a stretch of the sort asked for."""
    if c.facet and c.facet_fits and not c.negated and _is_of_the_sort(c, asked):
        return c.facet.value
    text = span_for(c.text, asked, c.subject)
    return text if text and says_new(text, asked.keys) else ""


def _is_of_the_sort(c: Candidate, asked: Asked) -> bool:
    """Whether the value of a relation is what the question asks for: a name for a name, a place for a place."""
    value = c.facet.value if c.facet else ""
    if not says_new(value, asked.keys):
        return False
    if asked.focus is Focus.CALLED:
        return "called" in c.text or "name" in c.text or "named" in c.text
    if asked.focus is Focus.WHERE:
        return not value.isascii() or any(w[0].isupper() for w in value.split()) or asked.shape.facets[0] == "works_at"
    return True


def _doubts(c: Candidate) -> list[str]:
    if c.status is Status.DEPRECATED:
        return ["this is how it was; it has changed since"]
    if c.status is Status.NEEDS_CONFIRMATION:
        return ["it was said with doubt"]
    if c.status is Status.CONTRADICTORY:
        return ["the conversation also says otherwise"]
    return []


def _date(strong: Sequence[Candidate], asked: Asked) -> _Draft:
    ranked = sorted(strong, key=lambda c: (-_fit(c), not c.stated))
    best = ranked[0]
    for c in ranked:
        if _fit(c) < _fit(best) - TIMED:
            break
        span = named_time(c, asked)
        if span is not None:
            return _Draft(text=date_words(c, span), facts=[c], anchors=[anchor(c, span)])
    text = known_since(best)
    return _Draft(text=text, facts=[best], uncertainties=["the day on which it was said; its own day is not named"])


def _fit(c: Candidate) -> float:
    """How well the words fit, more than the rank of the message: two events of one kind have two dates."""
    return c.support - 0.5 * PLACE * c.evidence.score + FOCUS * c.focus


def _duration(strong: Sequence[Candidate], asked: Asked) -> _Draft:
    for c in strong:
        if c.support < FAR * strong[0].support:
            break
        since = re.search(r"\bsince (?:the )?(?:\w+ ){0,2}?(?:(?:19|20)\d\d|[A-Z]\w+)", c.text)
        for duration in find_durations(c.text):
            before = c.text[: duration.start].rstrip().lower()
            if before.endswith(("every", "per", "each", "next", "last")):
                continue
            ago = c.text[duration.end :].lstrip().lower().startswith("ago")
            return _Draft(text=duration.text + (" ago" if ago else ""), facts=[c], uncertainties=_doubts(c))
        if since:
            return _Draft(text=since.group(), facts=[c], uncertainties=_doubts(c))
    return _Draft()


def _list(strong: Sequence[Candidate], asked: Asked) -> _Draft:
    draft = _Draft()
    items: dict[str, str] = {}
    fitting = [c for c in strong if c.facet_fits]
    for c in fitting or _close(strong):
        if c.kind is ClaimKind.PLAN and "plans" not in asked.shape.facets:
            draft.excluded.append(f"{c.text} (a plan)")
        elif c.negated:
            draft.excluded.append(f"{c.text} (denied)")
        elif len(items) < MOST and (item := _span(c, asked)) and not _is_among(item, items.values()):
            items[fold(item)] = item
            draft.facts.append(c)
    draft.text = ", ".join(items.values())
    return draft


def _is_among(item: str, items: Iterable[str]) -> bool:
    held = set(keywords(item))
    return any(held <= set(keywords(other)) or set(keywords(other)) <= held for other in items)


def _count(strong: Sequence[Candidate], asked: Asked) -> _Draft:
    for c in _close(strong):
        if (number := _number_of(c, asked)) is not None:
            return _Draft(text=number, facts=[c], counted=[c.text], uncertainties=_doubts(c))
    draft = _Draft()
    seen: list[tuple[set[str], TimeSpan | None]] = []
    for c in (c for c in strong if c.stated and c.own >= WHOLE and c.support >= FAR * strong[0].support):
        held = set(keywords(c.text))
        if c.kind is ClaimKind.PLAN:
            draft.excluded.append(f"{c.text} (a plan)")
        elif c.negated or c.status is Status.DEPRECATED:
            draft.excluded.append(f"{c.text} (did not happen)")
        elif any(_is_the_same_event(held, c.valid, *other) for other in seen):
            draft.excluded.append(f"{c.text} (told again)")
        else:
            seen.append((held, c.valid))
            draft.counted.append(c.text)
            draft.facts.append(c)
    draft.text = f"At least {len(draft.counted)}" if draft.counted else ""
    return draft


def _not_counted(strong: Sequence[Candidate], draft: _Draft) -> list[str]:
    """What speaks of the same and was not counted."""
    said = {*draft.counted, *(line.rpartition(" (")[0] for line in draft.excluded)}
    near = (c for c in strong if c.stated and c.own >= WEAK and c.text not in said)
    return [f"{text} (does not clearly say that it happened)" for text in dict.fromkeys(c.text for c in near)]


def _number_of(c: Candidate, asked: Asked) -> str | None:
    """A number that stands right before what is counted."""
    times = [(m.start, m.end) for m in find_times(c.text, None)]
    for number in find_numbers(c.text):
        if any(a <= number.start < b for a, b in times):
            continue
        after = words(c.text[number.end : number.end + 40])[:3]
        if any(stem(w) in asked.keys for w in after):
            return number.text
    return None


def _is_the_same_event(held: set[str], when: TimeSpan | None, others: set[str], other: TimeSpan | None) -> bool:
    """Tell whether two sentences tell one event: much the same words, and not two different times."""
    if when and other and when.start and when.end and other.start and other.end:
        apart = when.end < other.start or other.end < when.start
    else:
        apart = False
    return not apart and len(held & others) >= ALIKE * min(len(held), len(others))


def _yes_no(strong: Sequence[Candidate], asked: Asked) -> _Draft:
    if _ALTERNATIVES.search(asked.question):
        return _Draft()  # that one of two things is spoken of does not decide between them
    supposed = bool(_SUPPOSED.search(asked.question))
    best = max(strong, key=lambda c: c.own)
    if best.own < (SURE_SUPPOSED if supposed else SURE):
        return _Draft()
    likely = "Likely " if supposed else ""
    said = "No" if best.negated else "Yes"
    return _Draft(text=(likely + said).capitalize(), facts=[best], uncertainties=_doubts(best))


_ALTERNATIVES: Final = re.compile(r"\bor\b")
_SUPPOSED: Final = re.compile(r"\b(?:would|might|likely|probably|could)\b", re.IGNORECASE)


def _close(strong: Sequence[Candidate]) -> list[Candidate]:
    return [c for c in strong if _is_close(c, strong)]


def _is_close(c: Candidate, strong: Sequence[Candidate]) -> bool:
    return c.support >= CLOSE * strong[0].support


def _why_not(found: Sequence[Candidate], strong: Sequence[Candidate], asked: Asked) -> str:
    if not found:
        return "nothing that was recalled states anything about it"
    nearest = f"the nearest is {found[0].evidence.source_ref}: {found[0].text}"
    if strong:
        return f"what was recalled does not name {asked.focus.value}; {nearest}"
    return f"nothing that was recalled says it; {nearest}"


_COMPOSE = {
    AnswerType.DATE: _date,
    AnswerType.DURATION: _duration,
    AnswerType.LIST: _list,
    AnswerType.COUNT: _count,
    AnswerType.YES_NO: _yes_no,
}
