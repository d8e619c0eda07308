"""The way from a question to its answer: every page, trajectory, snapshot, message and claim that was considered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from trajwiki.domain.claims import Claim, Status
from trajwiki.domain.evidence import Evidence, Recall
from trajwiki.domain.state import SpaceState
from trajwiki.domain.usage import Call
from trajwiki.engine import Memory
from trajwiki.language.tokens import fold, keywords
from trajwiki.live import LiveSpace
from trajwiki.retrieval import constants
from trajwiki.retrieval.query import Query
from trajwiki.retrieval.recall import recall
from trajwiki.retrieval.routing import route
from trajwiki.retrieval.shape import Shape, shape_of
from trajwiki.settings import Profile
from trajwiki.wiki.titles import page_title

ALSO_RAN: Final = 5  # pages and trajectories shown beyond those that were chosen
EVERYTHING: Final = 10**9  # words: a budget that drops nothing


@dataclass(frozen=True, slots=True)
class Considered:
    """A page or trajectory that was weighed.

    Attributes:
        id: Slug of the page, or id of the trajectory.
        name: Its title.
        score: In [0, 1].
        chosen: It was followed.
        messages: How many of its messages are in the evidence.
    """

    id: str
    name: str
    score: float
    chosen: bool
    messages: int


@dataclass(frozen=True, slots=True)
class Weighed:
    """A claim on a recalled message, and what became of it.

    Attributes:
        claim_id, text, quote, ref, message_id: Of the claim there; a sentence that is no claim has no claim id.
        fate: used, suppressed (no longer so) or dropped.
        why: In words.
    """

    claim_id: str
    text: str
    quote: str
    ref: str
    message_id: str
    fate: str
    why: str


@dataclass(frozen=True, slots=True)
class Trail:
    """The whole way.

    Attributes:
        shape: (what, value) of the question as it was understood.
        pages, trajectories: Weighed, best first.
        snapshots: Number of snapshots that the evidence comes from.
        evidence: The messages, best first.
        dropped: Refs of messages that ranked but did not fit.
        facts: Claims that were weighed: used, suppressed, dropped.
        cost: (what, value).
    """

    shape: tuple[tuple[str, str], ...]
    pages: tuple[Considered, ...]
    trajectories: tuple[Considered, ...]
    snapshots: int
    evidence: tuple[Evidence, ...]
    dropped: tuple[str, ...]
    facts: tuple[Weighed, ...]
    cost: tuple[tuple[str, str], ...]


def query_of(question: str, memory: Memory, live: LiveSpace, *, space: str, budget: int, profile: Profile) -> Query:
    """Make a question ready, as `Space.ask` does."""
    return Query(
        question=question,
        vector=memory.embedder.embed([question])[0],
        shape=shape_of(question, speakers=list(live.state.speakers)),
        budget=budget,
        profile=profile,
        space=space,
        key=live.space_id,
    )


def trail(query: Query, live: LiveSpace, answer: dict[str, Any], calls: Sequence[Call] = ()) -> Trail:
    """Follow a question again.

    Args:
        query: The question.
        live: The space as it was when it was answered.
        answer: What was kept of the answer.
        calls: Of the chat model, for this answer.
    """
    state = live.state
    settings = constants.PAPER if query.profile == "paper" else constants.OURS
    wider = replace(settings, pages=settings.pages + ALSO_RAN)
    found = recall(query, state, live.search)
    more = route(query, state, live.search, settings=wider)
    evidence = tuple(sorted(found.evidence, key=lambda e: -e.score))
    chosen_pages = {p.id for p in found.pages}
    chosen_threads = {t.id for t in found.trajectories}
    threads = [(t.id, t.score) for t in found.trajectories]
    ranked = dict(threads) | {t: s for t, s in more.trajectories if t not in chosen_threads}
    return Trail(
        shape=_shape(query.shape),
        pages=tuple(
            Considered(
                state.pages[p].slug,
                page_title(state, state.pages[p]),
                score,
                state.pages[p].slug in chosen_pages,
                _on(evidence, set(state.links.get(p, ()))),
            )
            for p, score in more.pages
        ),
        trajectories=tuple(
            Considered(t, state.versions[t][-1].title, score, t in chosen_threads, _on(evidence, {t}))
            for t, score in ranked.items()
        ),
        snapshots=len({e.snapshot_id for e in evidence if e.snapshot_id}),
        evidence=evidence,
        dropped=found.dropped,
        facts=tuple(_facts(found, state, query.shape, answer)),
        cost=_cost(found, calls),
    )


def _on(evidence: Sequence[Evidence], threads: set[str]) -> int:
    return sum(e.trajectory_id in threads for e in evidence)


def _shape(shape: Shape) -> tuple[tuple[str, str], ...]:
    rows = [
        (
            "wants",
            {"fact": "a fact", "yes-no": "a yes or no"}.get(shape.answer_type.value, f"a {shape.answer_type.value}"),
        )
    ]
    if shape.subject_speakers:
        rows.append(("is about", ", ".join(shape.subject_speakers)))
    if shape.past:
        rows.append(("asks", "how things were before"))
    if shape.facets:
        rows.append(("would be told by", ", ".join(f.replace("_", " ") for f in shape.facets)))
    if shape.keywords:
        rows.append(("word stems", ", ".join(shape.keywords[:12])))
    if shape.times:
        rows.append(("names times", ", ".join(t.text for t in shape.times)))
    return tuple(rows)


def _facts(found: Recall, state: SpaceState, shape: Shape, answer: dict[str, Any]) -> list[Weighed]:
    """Give every claim on the recalled messages with its fate; once, unless it is used from several messages."""
    used = {(f["claim_id"], f["source_ref"]): f for f in answer["facts"]}
    used_claims = {f["claim_id"] for f in answer["facts"] if f["claim_id"]}
    left_out = {line.rpartition(" (")[0]: line.rpartition(" (")[2].rstrip(")") for line in answer["excluded"]}
    rows = [
        Weighed("", f["text"], f["quote"], ref, state.message_by_ref[ref], "used", "the answer stands on it")
        for (claim_id, ref), f in used.items()
        if not claim_id and ref in state.message_by_ref
    ]
    asked = set(shape.keywords)
    lost: list[tuple[tuple[bool, int, float], Weighed]] = []
    seen: set[str] = set()
    for e in sorted(found.evidence, key=lambda e: -e.score):
        for claim_id in e.claim_ids:
            claim = state.claims[claim_id]
            quote = next(s.quote.text for s in state.sources[claim_id] if s.quote.message_id == e.message_id)
            if (claim_id, e.source_ref) in used:
                rows.append(
                    Weighed(claim_id, claim.text, quote, e.source_ref, e.message_id, "used", "the answer stands on it")
                )
            elif claim_id not in seen | used_claims:
                fate, why = _fate(claim, state.status[claim_id], shape, left_out, answered=bool(answer["answered"]))
                shared = len(asked & set(keywords(claim.text)))
                place = (fate != "suppressed", -shared, -e.score)
                lost.append((place, Weighed(claim_id, claim.text, quote, e.source_ref, e.message_id, fate, why)))
            seen.add(claim_id)
    return [*rows, *(w for _, w in sorted(lost, key=lambda pair: pair[0]))]


def _fate(claim: Claim, status: Status, shape: Shape, left_out: dict[str, str], *, answered: bool) -> tuple[str, str]:
    about = [fold(s) for s in shape.subject_speakers]
    if about and not any(s in fold(claim.subject) for s in about):
        return "dropped", "it is about somebody else than the question"
    if status is Status.DEPRECATED and not shape.past:
        return "suppressed", "it no longer holds, and the question asks about now"
    if claim.text in left_out:
        return "dropped", left_out[claim.text]
    if not answered:
        return "dropped", "it does not say enough to answer the question"
    return "dropped", "it fits the question less well than what was used"


def _cost(found: Recall, calls: Sequence[Call]) -> tuple[tuple[str, str], ...]:
    return (
        ("words of evidence", f"{found.tokens:,} of at most {found.budget:,}"),
        ("model calls", f"{sum(c.requests for c in calls):,}"),
        ("model tokens", f"{sum(c.tokens_in + c.tokens_out for c in calls):,}"),
        *((f"time to {stage}", f"{ms:.0f} ms") for stage, ms in found.timings_ms.items()),
    )


@dataclass(frozen=True, slots=True)
class Why:
    """Why a message was not used, or how it was.

    Attributes:
        verdict: A sentence.
        steps: (question, answer, whether it held) from the wiki down to the answer.
    """

    verdict: str
    steps: tuple[tuple[str, str, bool], ...]


def why_not(message_id: str, query: Query, live: LiveSpace, way: Trail, answer: dict[str, Any]) -> Why:
    """Say where a message was lost on the way to an answer."""
    state = live.state
    message = state.messages[message_id]
    everything = recall(replace(query, budget=EVERYTHING), state, live.search)
    ranked = sorted(everything.evidence, key=lambda e: -e.score)
    place = next((n for n, e in enumerate(ranked, start=1) if e.message_id == message_id), None)
    score = next((e.score for e in ranked if e.message_id == message_id), 0.0)
    thread = state.trajectory_of_message(message_id)
    slugs = [state.pages[p].slug for p in state.pages_of.get(thread or "", ())]
    followed = [p.name for p in way.pages if p.chosen and p.id in slugs]
    there = any(e.message_id == message_id for e in way.evidence)
    chosen = any(t.id == thread and t.chosen for t in way.trajectories)
    facts = [f for f in way.facts if f.message_id == message_id]
    used = [f for f in facts if f.fate == "used"]
    claims = state.claims_of.get(message_id, [])
    steps = [
        (
            "Is it on a page that was followed?",
            ", ".join(followed) if followed else "no" if thread else "it is in no trajectory yet",
            bool(followed),
        ),
        ("Was its trajectory chosen?", state.versions[thread][-1].title if thread and chosen else "no", chosen),
        (
            "How did its words rank?",
            f"{place} of {len(ranked)}, score {score:.2f}" if place else "it was out of reach",
            place is not None,
        ),
        (
            "Did it fit into the evidence?",
            "yes" if there else f"no: the budget of {query.budget:,} words was full",
            there,
        ),
        (
            "Does it state anything?",
            f"{len(claims)} claims" if claims else "nothing was understood from it",
            bool(claims),
        ),
    ]
    if facts:
        steps += [(f"“{f.text}”", f"{f.fate}: {f.why}", f.fate == "used") for f in facts]
    return Why(
        _verdict(message.source_ref, used=bool(used), there=there, claims=bool(claims), facts=facts, place=place),
        tuple(steps),
    )


def _verdict(ref: str, *, used: bool, there: bool, claims: bool, facts: Sequence[Weighed], place: int | None) -> str:
    if used:
        return f"{ref} was used: the answer stands on it."
    if not there:
        return (
            f"{ref} was not read: {place - 1 if place else 'all'} others fit the question better and filled the budget."
        )
    if not claims:
        return f"{ref} was read, but it states nothing that an answer could stand on."
    if any(f.fate == "suppressed" for f in facts):
        return f"{ref} was read, but what it says no longer holds, and the question asks about now."
    if facts and all("somebody else" in f.why for f in facts):
        return f"{ref} was read, but what it states is about somebody else than the question."
    return f"{ref} was read, but {facts[0].why if facts else 'its claims are used from other messages'}."
