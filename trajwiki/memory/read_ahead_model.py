"""Exchanges read ahead of their turn: what a model says of each depends on its messages alone, so order is free."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from trajwiki.domain.claims import ClaimDraft
from trajwiki.domain.problems import Problem
from trajwiki.domain.snapshots import Snapshot
from trajwiki.domain.usage import Phase
from trajwiki.memory.reading_model import (
    Part,
    can_be_found,
    drafts_of,
    merge,
    signal_lines,
    with_seed,
    with_signals,
)
from trajwiki.memory.together_model import Together, ask_together
from trajwiki.models.asking import Asker
from trajwiki.models.failures import BudgetSpent
from trajwiki.models.prompts import claims, seed, signals
from trajwiki.models.prompts.seed import Seeds


@dataclass(frozen=True, slots=True)
class Reading:
    """What a model made of an exchange.

    Attributes:
        part: The exchange.
        drafts: Its claims, with those that the rules preserve.
        seeds: Its summary, context and keywords, if any.
        problems: What was dropped, and why.
    """

    part: Part
    drafts: list[ClaimDraft]
    seeds: Seeds | None
    problems: list[Problem]

    def seed(self, snapshot: Snapshot) -> tuple[Snapshot, list[Problem]]:
        """Give the snapshot with the model's summary, context and keywords."""
        return with_seed(snapshot, self.seeds, self.part) if self.seeds is not None else (snapshot, [])


def read_ahead(parts: Sequence[Part], asker: Asker, *, size: int) -> BudgetSpent | None:
    """Ask about exchanges, some in a request, several requests at a time; the replies are kept for `read`.

    Args:
        parts: The exchanges; those that were asked about before cost nothing.
        asker: Of the space.
        size: Exchanges in a request, at most.

    Returns:
        Why it stopped before all were asked about, or None.
    """
    asked = [p for p in parts if p.is_worth_asking]
    if not asker.serves(Phase.CONSTRUCTION):
        return None
    told = ask_together(asker, claims.PROMPT, [p.lines for p in asked], label="source", size=size)
    seeded = told if told.stopped else _seeds(asked, told, asker, size)
    if seeded.stopped:
        return seeded.stopped
    found = []
    for part, reply in zip(asked, told.replies, strict=True):
        if reply is None:
            continue
        drafts, _ = drafts_of(reply, part, model=asker.name)
        if can_be_found(drafts):
            asker.skip(signals.PROMPT)
        else:
            found.append(drafts)
    lines = [lambda n, drafts=drafts: signal_lines(drafts, n) for drafts in found]
    return ask_together(asker, signals.PROMPT, lines, label="claim", size=2 * size).stopped


def _seeds(asked: Sequence[Part], told: Together, asker: Asker, size: int) -> Together:
    """Summaries of the exchanges in which something was told; of others there is nothing to sum up."""
    worth = [p for p, reply in zip(asked, told.replies, strict=True) if reply is not None and reply.claims]
    asker.skip(seed.PROMPT, sum(reply is not None and not reply.claims for reply in told.replies))
    return ask_together(asker, seed.PROMPT, [p.lines for p in worth], label="exchange", size=size)


def is_read(part: Part, asker: Asker) -> bool:
    """Tell whether all that is asked about an exchange has been asked."""
    if not part.is_worth_asking:
        return True
    lines = part.lines(1)
    reply = asker.kept(claims.PROMPT, asker.key(claims.PROMPT, lines), note=False)
    if reply is None:
        return False
    if reply.claims and asker.kept(seed.PROMPT, asker.key(seed.PROMPT, lines), note=False) is None:
        return False
    drafts, _ = drafts_of(reply, part, model=asker.name)
    key = asker.key(signals.PROMPT, signal_lines(drafts, 1))
    return can_be_found(drafts) or asker.kept(signals.PROMPT, key, note=False) is not None


def read(part: Part, by_rule: Sequence[ClaimDraft], asker: Asker) -> Reading | None:
    """Give what was read ahead of an exchange; None when the model has not read it.

    Args:
        part: The exchange.
        by_rule: Its claims by the rules.
        asker: Of the space.
    """
    lines = part.lines(1)
    reply = asker.kept(claims.PROMPT, asker.key(claims.PROMPT, lines), note=False)
    if reply is None:
        return None
    drafts, problems = drafts_of(reply, part, model=asker.name)
    if not can_be_found(drafts):
        surfaces = asker.kept(signals.PROMPT, asker.key(signals.PROMPT, signal_lines(drafts, 1)), note=False)
        if surfaces is not None:
            drafts, dropped = with_signals(drafts, surfaces, part.messages)
            problems += dropped
    seeds = asker.kept(seed.PROMPT, asker.key(seed.PROMPT, lines), note=False)
    return Reading(part, merge(drafts, by_rule, part.messages), seeds, problems)
