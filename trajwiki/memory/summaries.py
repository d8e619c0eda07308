"""What a trajectory is about, by rule: its title, its summary under four headings, and the text it is found by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from trajwiki.domain.claims import Claim, Status
from trajwiki.domain.state import SpaceState
from trajwiki.domain.trajectories import TrajectoryVersion
from trajwiki.language.tokens import fold, is_stopword, keywords
from trajwiki.memory.digests import (
    Turn,
    best_claims,
    dated_text,
    day_text,
    doubtful,
    in_time_order,
    listings,
    turns,
    usable,
)

HEADINGS: Final = ("Stable facts", "Items and named entities", "Changes over time", "Conflicts and uncertainty")
NOTHING: Final = "Nothing recorded."
FACTS: Final = 12  # in a summary; the best of the whole thread, not the newest
TITLE_WORDS: Final = 10
HEAD_WORDS: Final = 6  # a clause with fewer is no headline by itself
TITLE_CHARACTERS: Final = 90
RETRIEVAL_WORDS: Final = 400
_ENDS: Final = (", ", "; ", " because ", " which ", " when ", " while ", " so that ", " – ", " — ")


def summarise(state: SpaceState, trajectory_id: str) -> TrajectoryVersion:
    """Give the newest version of a trajectory.

    Args:
        state: The space, in which the trajectory has at least one member.
        trajectory_id: The trajectory.
    """
    claims = state.claims_in(trajectory_id)
    parts = (_facts(state, claims), _items(state, claims), _changes(state, claims), _doubts(state, claims))
    summary = "\n\n".join(
        f"## {heading}\n\n" + ("\n".join(f"- {_line(text)}" for text in part) or NOTHING)
        for heading, part in zip(HEADINGS, parts, strict=True)
    )
    return TrajectoryVersion(
        trajectory_id=trajectory_id,
        ordinal=state.members[trajectory_id][-1].ordinal,
        title=_title(state, trajectory_id, claims),
        summary=summary,
    )


def retrieval_text(state: SpaceState, trajectory_id: str) -> str:
    """Give the text that is embedded for a trajectory: what is current of it, then what was said."""
    claims = [c for c in state.claims_in(trajectory_id) if state.is_current(c.id)]
    said = [state.messages[m].content for snapshot in state.snapshots_in(trajectory_id) for m in snapshot.message_ids]
    text: list[str] = []
    for part in [*(c.text for c in claims), *said]:
        text += part.split()
        if len(text) >= RETRIEVAL_WORDS:
            break
    return " ".join(text[:RETRIEVAL_WORDS])


# The four parts.


def _facts(state: SpaceState, claims: Sequence[Claim]) -> list[str]:
    return [dated_text(c) for c in in_time_order(state, best_claims(state, usable(state, claims), limit=FACTS))]


def _items(state: SpaceState, claims: Sequence[Claim]) -> list[str]:
    current = usable(state, claims)
    items = [f"{x.subject}, {x.facet.replace('_', ' ')}: {', '.join(x.values)}" for x in listings(current)]
    names = dict.fromkeys(e for c in current for e in c.entities if fold(e) != fold(c.subject))
    return [*items, f"named: {', '.join(names)}"] if names else items


def _changes(state: SpaceState, claims: Sequence[Claim]) -> list[str]:
    return [turn_text(turn) for turn in turns(state, claims)]


def _doubts(state: SpaceState, claims: Sequence[Claim]) -> list[str]:
    return [f"contradicted: {c.text}" for c in doubtful(state, claims, Status.CONTRADICTORY)] + [
        f"not confirmed: {c.text}" for c in doubtful(state, claims, Status.NEEDS_CONFIRMATION)
    ]


def turn_text(turn: Turn) -> str:
    """Give a change as a line: "until 3 June 2023: Ana lives in Lisbon; now: Ana lives in Porto"."""
    old = turn.old.text.rstrip(".")
    if turn.new is None:
        return f"no longer: {old}"
    until = f"until {day_text(turn.until)}" if turn.until else "before"
    return f"{until}: {old}; now: {turn.new.text.rstrip('.')}"


def _line(text: str) -> str:
    return " ".join(text.split())


# The title.


def _title(state: SpaceState, trajectory_id: str, claims: Sequence[Claim]) -> str:
    """Give the claim that says most of what the others say too, cut to a headline."""
    current = [c for c in claims if state.is_current(c.id) and not c.instruction_like] or claims
    if not current:
        return _headline(_first_words(state, trajectory_id))
    said = Counter(k for c in current for k in set(keywords(c.text)))
    repeated = {k for k, n in said.items() if n > 1}

    def central(claim: Claim) -> float:
        return 1.5 * len(repeated.intersection(keywords(claim.text))) / (1 + len(keywords(claim.text)))

    return _headline(best_claims(state, current, limit=1, relevance=central)[0].text)


def _first_words(state: SpaceState, trajectory_id: str) -> str:
    snapshot = state.snapshots_in(trajectory_id)[0]
    message = state.messages[snapshot.message_ids[0]]
    return f"{message.speaker}: {message.content}"


def _headline(text: str) -> str:
    text = _line(text).rstrip(".!?")
    for end in _ENDS:
        head = text.partition(end)[0]
        if len(head.split()) >= HEAD_WORDS:
            text = head
    words = text.split()
    if len(words) > TITLE_WORDS:
        words = words[:TITLE_WORDS]
        while len(words) > 4 and is_stopword(words[-1]):
            words.pop()
        words[-1] += " …"
    text = " ".join(words)
    text = text.replace('"', "") if text.count('"') % 2 else text
    return text if len(text) <= TITLE_CHARACTERS else text[:TITLE_CHARACTERS].rstrip() + " …"
