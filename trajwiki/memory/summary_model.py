"""Trajectory summaries by a model, each line checked against the claims that it names (paper, C.2)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Final

from trajwiki.domain.claims import Claim
from trajwiki.domain.state import SpaceState
from trajwiki.domain.trajectories import TrajectoryVersion
from trajwiki.language.times import span_words
from trajwiki.memory.digests import best_claims, dated_text, in_time_order
from trajwiki.memory.grounding_model import ungrounded
from trajwiki.memory.summaries import HEADINGS, NOTHING, TITLE_CHARACTERS
from trajwiki.models.asking import Asker
from trajwiki.models.prompts.base import said
from trajwiki.models.prompts.summary import PROMPT, Line, Summary

SHOWN: Final = 40  # claims of a thread, at most
FEW: Final = 3  # claims of which the rule's list is a summary already
COVERED: Final = 0.5  # of the claims, or of twelve, that a summary must name
_PLACEHOLDER: Final = re.compile(
    r"\W*(?:n/?a|none|nothing|unknown|not (?:provided|stated|specified|available|mentioned)|no (?:\w+ ){0,4}"
    r"(?:facts?|items?|conflicts?|information|changes?|counts?|uncertaint\w+|details?))\b.{0,40}",
    re.IGNORECASE | re.DOTALL,
)


def model_version(state: SpaceState, trajectory_id: str, asker: Asker) -> TrajectoryVersion | None:
    """Give the newest version of a trajectory as a model sums it up; None: the rule's stands.

    Args:
        state: The space.
        trajectory_id: The trajectory.
        asker: Of the space.
    """
    claims = [c for c in state.claims_in(trajectory_id) if not c.instruction_like]
    if len(claims) <= FEW or len(state.members[trajectory_id]) < 2:
        asker.skip(PROMPT)
        return None
    shown = in_time_order(state, best_claims(state, claims, limit=SHOWN))
    by_label = {f"C{n}": claim for n, claim in enumerate(shown, start=1)}
    reply = asker.ask(PROMPT, claim_lines(state, by_label), check=partial(_useless, by_label=by_label))
    if reply is None:
        return None
    parts = (reply.stable_facts, reply.items, reply.changes, reply.conflicts)
    summary = "\n\n".join(
        f"## {heading}\n\n" + ("\n".join(f"- {text}" for text, _ in borne_out(part, by_label)) or NOTHING)
        for heading, part in zip(HEADINGS, parts, strict=True)
    )
    version = state.versions[trajectory_id][-1]
    title = " ".join(reply.title.split())[:TITLE_CHARACTERS].rstrip(".")
    if not title or is_placeholder(title) or ungrounded(title, [c.text for c in claims]) is not None:
        title = version.title
    return TrajectoryVersion(trajectory_id, version.ordinal, title, summary)


def claim_lines(state: SpaceState, by_label: Mapping[str, Claim]) -> list[str]:
    """Give claims as data: label, status, and the sentence with its day."""
    return [f"{label} | {state.status[c.id].value} | {said(dated_text(c))}" for label, c in by_label.items()]


def borne_out(lines: Iterable[Line], by_label: Mapping[str, Claim]) -> list[tuple[str, tuple[str, ...]]]:
    """Give the lines whose claims bear them out, each with the ids of those claims; others are dropped."""
    out: dict[str, tuple[str, ...]] = {}
    for line in lines:
        cited = [by_label[name] for name in dict.fromkeys(c.strip().upper() for c in line.claims) if name in by_label]
        text = " ".join(_LABELS.sub("", line.text).split())
        if not cited or not any(c.isalnum() for c in text) or is_placeholder(text):
            continue
        sources = [c.text for c in cited] + [w for c in cited if c.valid for w in (span_words(c.valid), c.valid.iso())]
        if ungrounded(text, sources) is None:
            out.setdefault(text, tuple(c.id for c in cited))
    return list(out.items())


_LABELS: Final = re.compile(r"\s*[(\[]\s*C\d{1,3}(?:\s*,\s*C\d{1,3})*\s*[)\]]")


def is_placeholder(text: str) -> bool:
    """Tell whether a text only says that there is nothing to say."""
    return bool(_PLACEHOLDER.fullmatch(text)) and len(text.split()) <= 8


def _useless(reply: Any, by_label: Mapping[str, Claim]) -> str | None:
    assert isinstance(reply, Summary)
    parts: Sequence[Sequence[Line]] = (reply.stable_facts, reply.items, reply.changes, reply.conflicts)
    named = {i for part in parts for _, ids in borne_out(part, by_label) for i in ids}
    return "loses-facts" if len(named) < COVERED * min(len(by_label), 12) else None
