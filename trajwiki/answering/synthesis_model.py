"""Answers by a model: synthesis, another search, a typed retry, repair and arbitration (paper, A.5 and A.6)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from trajwiki.answering.faults_model import Draft, Fault, draft_of, faults, has_right_type, lower_bound
from trajwiki.answering.packet_model import Packet, Shown
from trajwiki.domain.answers import Answer, AnswerType, SupportingFact
from trajwiki.domain.claims import Status
from trajwiki.domain.problems import Problem
from trajwiki.language.times import span_words
from trajwiki.language.tokens import keywords
from trajwiki.models.asking import Asker
from trajwiki.models.prompts import reflection, repair, synthesis
from trajwiki.models.prompts.base import Prompt, said
from trajwiki.models.prompts.repair import Verdict
from trajwiki.models.prompts.synthesis import Synthesis
from trajwiki.settings import Profile

QUOTED: Final = 300  # characters of a message that stand as a quote where no claim on it fits
SLUGS: Final = 40  # names of pages that reflection is shown
SAYS_NOTHING: Final = "The memory does not say."

Look = Callable[[str, Profile | None], Packet]
"""Searches again for some words, and gives all evidence that was found so far."""


@dataclass(slots=True)
class _Asking:
    """One question in progress."""

    packet: Packet
    local: Answer
    asker: Asker
    look: Look
    slugs: Sequence[str]
    steps: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def answer_with_model(packet: Packet, local: Answer, asker: Asker, *, look: Look, slugs: Sequence[str]) -> Answer:
    """Answer from the evidence with a model, or abstain; where it gives nothing useful, the rule's answer stands.

    Args:
        packet: The evidence.
        local: What the rules answer; its id, pages and trajectories are kept.
        asker: Of the space.
        look: Searches again.
        slugs: Names of the pages there are.

    Raises:
        BudgetSpent: The token budget is spent.
    """
    asking = _Asking(packet, local, asker, look, slugs)
    draft = _synthesise(asking, synthesis.PROMPT)
    if draft is None:
        return _by_rule(asking, "the model gave no reply that could be used")
    if not draft.text or asking.packet.is_weak:
        draft = _search_again(asking, draft)
    if draft.text and not has_right_type(draft.text, asking.packet.shape.answer_type):
        draft = _retry_typed(asking, draft)
    repaired = _repair(asking, draft)
    if repaired is None:
        return _by_rule(asking, "the answer of the model was not borne out")
    return _answer(asking, repaired)


def _synthesise(asking: _Asking, prompt: Prompt[Synthesis], more: Sequence[str] = ()) -> Draft | None:
    asking.steps.append(prompt.name)
    reply = asking.asker.ask(prompt, [*asking.packet.lines(), *more])
    if reply is None:
        return None
    draft = draft_of(reply, asking.packet)
    asking.problems += [
        Problem("answer.ref-not-in-evidence", f"the evidence holds no “{ref}”; the ref was removed")
        for ref in draft.removed
    ]
    return draft


def _search_again(asking: _Asking, draft: Draft) -> Draft:
    """Reflect on what to look for, then look among the raw messages; a better draft takes the place of the first."""
    packet = asking.packet
    slugs = [f"page | {said(s)}" for s in asking.slugs[:SLUGS]]
    asking.steps.append("reflection")
    reply = asking.asker.ask(reflection.PROMPT, [*packet.lines()[:30], *slugs])
    words = ""
    if reply is not None:
        known = [s.replace("-", " ") for s in reply.candidate_slugs if s in set(asking.slugs)]
        parts = (reply.target_entities, reply.event_terms, reply.temporal_terms, reply.must_find_terms,
                 reply.raw_search_terms, known)  # fmt: skip
        words = " ".join(dict.fromkeys(w for part in parts for w in list(part)[:8]))[:600]
        draft = _with_more(asking, draft, f"{packet.question} {words}", None)
    if not draft.text:
        asking.steps.append("raw rescue")
        draft = _with_more(asking, draft, words or packet.question, "messages")
    return draft


def _with_more(asking: _Asking, draft: Draft, words: str, profile: Profile | None) -> Draft:
    before = {s.message.id for s in asking.packet.shown}
    found = asking.look(words, profile)
    if {s.message.id for s in found.shown} <= before:
        return draft
    asking.packet = found
    again = _synthesise(asking, synthesis.PROMPT)
    return again if again is not None and (again.text or not draft.text) else draft


def _retry_typed(asking: _Asking, draft: Draft) -> Draft:
    """Ask once more for an answer of the right kind; without one it is an abstention."""
    kind = asking.packet.shape.answer_type
    again = _synthesise(asking, synthesis.TYPED_RETRY, [f"rejected | {said(draft.text)} | wanted {kind.value}"])
    if again is not None and (not again.text or has_right_type(again.text, kind)):
        return again
    return replace(draft, text="", why_not=f"the evidence gives no {kind.value}", support=())


# Repair.


def _repair(asking: _Asking, draft: Draft) -> Draft | None:
    """Mend what is wrong with an answer, or give it as it is; None when it must not be given."""
    wrong = faults(draft, asking.packet, asking.local)
    if not wrong:
        return draft
    asking.problems += [Problem(f"answer.{f.code}", f.message) for f in wrong]
    hard = [f for f in wrong if f.hard]
    mended = _mended(asking, draft, wrong)
    if mended is not None and (hard or _arbitrated(asking, draft, mended)):
        return mended
    if not hard:
        return draft
    if (elsewhere := next((f for f in hard if f.code == "scope"), None)) is not None:
        return replace(draft, text="", why_not=elsewhere.message, support=(), counted=())
    if asking.packet.shape.answer_type is AnswerType.COUNT and {f.code for f in hard} == {"count"}:
        bound = lower_bound(draft)
        note = "only what the evidence bears out is counted"
        return replace(draft, text=bound, uncertainties=(*draft.uncertainties, note)) if bound else None
    return None


def _mended(asking: _Asking, draft: Draft, wrong: Sequence[Fault]) -> Draft | None:
    """The repaired answer, unless it is malformed, loses what was borne out, or has hard faults itself."""
    asking.steps.append("repair")
    lines = [f"answer | {said(draft.text)}", *(f"fault | {said(f.message)}" for f in wrong)]
    reply = asking.asker.ask(repair.REPAIR, [*asking.packet.lines(), *lines])
    if reply is None:
        return None
    mended = draft_of(reply, asking.packet)
    if not mended.text or not has_right_type(mended.text, asking.packet.shape.answer_type):
        return None
    if any(f.hard for f in faults(mended, asking.packet, asking.local)):
        return None
    stems = {k for text in asking.packet.texts for k in keywords(text)}
    borne_out = set(keywords(draft.text)) & stems
    if not any(f.hard for f in wrong) and not borne_out <= set(keywords(mended.text)):
        return None
    return mended


def _arbitrated(asking: _Asking, draft: Draft, mended: Draft) -> bool:
    """Whether the repaired answer is to be preferred."""
    asking.steps.append("arbitration")
    lines = [f"A | {said(draft.text)}", f"B | {said(mended.text)}"]
    reply: Any = asking.asker.ask(repair.ARBITRATION, [*asking.packet.lines(), *lines])
    return isinstance(reply, Verdict) and reply.better == "B"


# The answer.


def _by_rule(asking: _Asking, why: str) -> Answer:
    how = {**asking.local.how, "composed by": f"rule: {why}", "steps": ", ".join(asking.steps)}
    problem = Problem("answer.fallback", f"{why}; the rules answered")
    problems = (*asking.local.problems, *asking.problems, problem)
    return replace(asking.local, how=how, problems=problems)


def _answer(asking: _Asking, draft: Draft) -> Answer:
    local, answered = asking.local, bool(draft.text)
    support = draft.support if answered else ()
    how = {"shape": local.how.get("shape", ""), "composed by": asking.asker.name, "steps": ", ".join(asking.steps)}
    return replace(
        local,
        answered=answered,
        text=draft.text if answered else SAYS_NOTHING,
        abstain_reason=None if answered else draft.why_not,
        refs=tuple(dict.fromkeys(s.evidence.source_ref for s in support)),
        facts=tuple(_fact(s, draft.text) for s in support),
        counted=draft.counted if answered else (),
        excluded=draft.excluded,
        anchors=tuple(_anchors(support)),
        uncertainties=(*draft.uncertainties, *_doubts(support)),
        how=how,
        problems=(*local.problems, *asking.problems),
    )


def _fact(shown: Shown, text: str) -> SupportingFact:
    """The claim on a message that fits the answer best, or its first words."""
    asked = set(keywords(text))
    best = max(shown.claims, key=lambda c: len(asked & set(keywords(c[0].text))), default=None)
    ref = shown.evidence.source_ref
    if best is None:
        quote = shown.message.content[:QUOTED]
        return SupportingFact("", f"{shown.message.speaker}: {quote}", ref, quote, Status.ACTIVE.value)
    claim, status, quote = best
    return SupportingFact(claim.id, claim.text, ref, quote, status.value)


def _anchors(support: Sequence[Shown]) -> list[str]:
    return [
        f"{quote} -> {claim.valid.iso()} ({s.evidence.source_ref}: {span_words(claim.valid)})"
        for s in support
        for claim, _, quote in s.claims
        if claim.valid is not None
    ]


def _doubts(support: Sequence[Shown]) -> list[str]:
    statuses = {status for s in support for _, status, _ in s.claims}
    notes = {
        Status.DEPRECATED: "some of it is how things were",
        Status.CONTRADICTORY: "the conversation also says otherwise",
        Status.NEEDS_CONFIRMATION: "some of it was said with doubt",
    }
    return [note for status, note in notes.items() if status in statuses]
