"""Choosing and grouping claims for a reader: the best facts, lists, changes over time, and what is in doubt."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from trajwiki.domain.claims import Claim, ClaimKind, Status
from trajwiki.domain.state import SpaceState
from trajwiki.domain.times import Precision, TimeSpan, day_of
from trajwiki.language.facets import FACETS
from trajwiki.language.tokens import fold, keywords

_MONTHS: Final = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
_WEIGHTS: Final = {ClaimKind.PLAN: 0.3, ClaimKind.PREFERENCE: 0.4}
_NOISE: Final = frozenset(
    {"share", "show", "send", "post", "take", "photo", "photograph", "pictur", "pic", "imag", "snap", "selfi"}
)
SAME: Final = 0.7  # share of words from which two statements about one thing say the same
MIN_KEYWORDS: Final = 3
MAX_KEYWORDS: Final = 16


@dataclass(frozen=True, slots=True)
class Listing:
    """The values of one relation of one subject, oldest first, each once.

    Attributes:
        subject: As it is written.
        facet: The relation.
        values: In the speaker's own words.
        claim_ids: What the values stand on, in the same order.
    """

    subject: str
    facet: str
    values: tuple[str, ...]
    claim_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Turn:
    """A claim that is no longer current.

    Attributes:
        old: The claim.
        new: What holds in its place now, where that is known.
        until: The day from which the new one holds, or on which it was said.
    """

    old: Claim
    new: Claim | None
    until: date | None


def usable(state: SpaceState, claims: Iterable[Claim]) -> list[Claim]:
    """Give the claims that may be told as facts: current, certain, and not addressed to a machine."""
    return [c for c in claims if state.status[c.id] is Status.ACTIVE and not c.instruction_like]


def said_on(state: SpaceState, claim: Claim) -> date | None:
    """Give the day on which a claim was first said, as far as that is known."""
    days = [day_of(state.messages[s.quote.message_id].sent_at) for s in state.sources.get(claim.id, ())]
    return min((d for d in days if d), default=None)


def in_time_order(state: SpaceState, claims: Iterable[Claim]) -> list[Claim]:
    """Sort claims by the time they speak of, else by the time they were said; those without a time come last."""

    def key(claim: Claim) -> tuple[date, int]:
        day = (claim.valid.start or claim.valid.end) if claim.valid else said_on(state, claim)
        return (day or date.max, claim.ordinal)

    return sorted(claims, key=key)


def period(state: SpaceState, trajectory_ids: Iterable[str]) -> tuple[date, date] | None:
    """Give the first and last day on which something was said in these trajectories, or None without times."""
    days = [
        day
        for t in trajectory_ids
        for s in state.snapshots_in(t)
        for m in s.message_ids
        if (day := day_of(state.messages[m].sent_at))
    ]
    return (min(days), max(days)) if days else None


# Which facts are worth reading.


def best_claims(
    state: SpaceState, claims: Sequence[Claim], *, limit: int, relevance: Callable[[Claim], float] = lambda _: 0.0
) -> list[Claim]:
    """Give the claims most worth reading, best first, without those that say the same again.

    Args:
        state: The space.
        claims: To choose from.
        limit: How many at most.
        relevance: What a claim is worth beyond itself.
    """
    scores = {c.id: round(_worth(state, c) + relevance(c), 4) for c in claims}
    chosen: list[Claim] = []
    said: list[tuple[str, frozenset[str]]] = []
    for claim in sorted(claims, key=lambda c: (-scores[c.id], c.ordinal)):
        entry = (fold(claim.subject), frozenset(keywords(claim.text)))
        same = next((n for n, other in enumerate(said) if _same(entry, other)), None)
        if same is None and len(chosen) < limit:
            chosen.append(claim)
            said.append(entry)
        elif same is not None and said[same][1] < entry[1] and scores[claim.id] > 0:
            chosen[same], said[same] = claim, entry  # it says all of the other, and more
    if not any(scores[c.id] > 0 for c in chosen):
        return chosen
    return [c for c in chosen if scores[c.id] > 0]


def _worth(state: SpaceState, claim: Claim) -> float:
    """What a claim is worth to a reader: relations, times, names and exact terms are; a shared photo is not."""
    said = keywords(claim.text)
    others = len({fold(e) for e in claim.entities} - {fold(claim.subject)})
    return (
        _WEIGHTS.get(claim.kind, 0.5)
        + 0.8 * (claim.facet is not None)
        + 0.4 * (claim.valid is not None)
        + 0.3 * min(2, others)
        + 0.2 * min(3, len(claim.terms))
        + 0.3 * (len(state.sources.get(claim.id, ())) > 1)
        - 0.8 * (len(said) < MIN_KEYWORDS)
        - 0.5 * (len(said) > MAX_KEYWORDS)
        - 0.8 * ('said: "' in claim.text)
        - 3.0 * is_noise(claim)
    )


def is_noise(claim: Claim) -> bool:
    """Tell whether a claim says only that a picture was shared."""
    return len(_NOISE.intersection(keywords(claim.text[:80])[:5])) >= 2


def _same(a: tuple[str, frozenset[str]], b: tuple[str, frozenset[str]]) -> bool:
    """Tell whether one of two statements, each a subject and its words, says nothing beside the other."""
    if a[0] != b[0]:
        return False
    return a[1] <= b[1] or b[1] <= a[1] or len(a[1] & b[1]) >= SAME * len(a[1] | b[1])


# Lists, changes, doubts.


def listings(claims: Iterable[Claim]) -> list[Listing]:
    """Give the lists that the claims make, longest first: relations that can have several values."""
    found: dict[tuple[str, str], dict[frozenset[str] | str, Claim]] = {}
    for claim in claims:
        facet = claim.facet
        if facet is None or claim.negated or facet.name not in FACETS or not FACETS[facet.name].inventory:
            continue
        values = found.setdefault((fold(claim.subject), facet.name), {})
        values.setdefault(frozenset(keywords(facet.value)) or fold(facet.value), claim)
    for values in found.values():
        _drop_composites(values)
    lists = [
        Listing(
            subject=next(iter(values.values())).subject,
            facet=facet,
            values=tuple(c.facet.value for c in values.values() if c.facet),
            claim_ids=tuple(c.id for c in values.values()),
        )
        for (_, facet), values in found.items()
    ]
    return sorted(lists, key=lambda x: (-len(x.values), fold(x.subject), x.facet))


def _drop_composites(values: dict[frozenset[str] | str, Claim]) -> None:
    """Drop a value that is said by others together: "tea and cake" beside "tea" and "cake"."""
    stems = [v for v in values if isinstance(v, frozenset)]
    for value in stems:
        parts = [v for v in stems if v < value and v in values]
        if len(parts) > 1 and frozenset[str]().union(*parts) == value:
            del values[value]


def turns(state: SpaceState, claims: Iterable[Claim]) -> list[Turn]:
    """Give what of the claims is no longer current, in order, each with what holds now."""
    return [_turn(state, c) for c in claims if state.status[c.id] is Status.DEPRECATED and not c.instruction_like]


def _turn(state: SpaceState, old: Claim) -> Turn:
    """Follow the revisions of a claim to the one that is current."""
    seen, todo, current = {old.id}, [old.id], []
    while todo:
        for other in state.revisions_of.get(todo.pop(), ()):
            if other not in seen:
                seen.add(other)
                todo.append(other)
                if state.is_current(other):
                    current.append(state.claims[other])
    if not current:
        return Turn(old, None, None)
    new = min(current, key=lambda c: c.ordinal)
    start = new.valid.start if new.valid and new.valid.precision is not Precision.APPROXIMATE else None
    return Turn(old, new, start or said_on(state, new))


def doubtful(state: SpaceState, claims: Iterable[Claim], status: Status) -> list[Claim]:
    """Give the claims of this status, in order, without those addressed to a machine."""
    return [c for c in claims if state.status[c.id] is status and not c.instruction_like]


# Days in words.


def day_text(day: date) -> str:
    """Give a day as "8 May 2023"."""
    return f"{day.day} {_MONTHS[day.month - 1]} {day.year}"


def month_text(day: date) -> str:
    """Give the month of a day as "May 2023"."""
    return f"{_MONTHS[day.month - 1]} {day.year}"


def period_text(days: tuple[date, date]) -> str:
    """Give a period as "8 May 2023 – 3 June 2023", or the one day it is."""
    first, last = days
    return day_text(first) if first == last else f"{day_text(first)} – {day_text(last)}"


def dated_text(claim: Claim) -> str:
    """Give the text of a claim with the time it speaks of: the words alone ("yesterday") do not tell it."""
    when = span_text(claim.valid) if claim.valid else ""
    return f"{claim.text.rstrip('.')} ({when})." if when else claim.text


def span_text(span: TimeSpan) -> str:
    """Give a time span by its grain: "8 May 2023", "week of 15 May 2023", "May 2023", "about 3 May 2023"."""
    start, end = span.start, span.end
    if start is None or end is None:
        return f"since {day_text(start)}" if start else f"until {day_text(end)}" if end else ""
    match span.precision:
        case Precision.MONTH:
            return month_text(start)
        case Precision.YEAR:
            return str(start.year)
        case Precision.WEEK | Precision.WEEKEND:
            return f"{span.precision.value} of {day_text(start)}"
        case Precision.APPROXIMATE:
            return f"about {period_text((start, end))}"
        case _:
            return period_text((start, end))
