"""Whether a snapshot continues a trajectory: the rule where it is certain, else a model (paper, A.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from trajwiki.domain.snapshots import Snapshot
from trajwiki.domain.state import SpaceState
from trajwiki.memory.matching import Candidate
from trajwiki.memory.summaries import NOTHING
from trajwiki.models.asking import Asker
from trajwiki.models.prompts.base import said
from trajwiki.models.prompts.match import PROMPT, Match

SUMMARY: Final = 500  # characters of a thread that are shown
ENTRY: Final = 250


@dataclass(frozen=True, slots=True)
class Decision:
    """Which trajectory to continue; None: a new one.

    Attributes:
        found: The trajectory with its score.
        decided_by: Rule or model.
    """

    found: Candidate | None
    decided_by: str


def decide(
    snapshot: Snapshot,
    best: Sequence[Candidate],
    state: SpaceState,
    *,
    threshold: float,
    margin: float,
    asker: Asker | None,
) -> Decision:
    """Decide for a snapshot.

    Args:
        snapshot: The new one.
        best: Up to three candidates, best first.
        state: The space.
        threshold: Score from which the rule continues.
        margin: Distance from the threshold from which the rule is certain.
        asker: None: the rule decides.
    """
    by_rule = Decision(best[0] if best and best[0].score >= threshold else None, "rule")
    if asker is None:
        return by_rule
    if not best or _is_certain(best, threshold, margin):
        asker.skip(PROMPT)
        return by_rule
    reply = asker.ask(PROMPT, _lines(snapshot, best, state), check=lambda r: _useless(r, len(best)))
    if reply is None:
        return by_rule
    chosen = _place(reply.selected_candidate) if reply.decision == "CONTINUE" else None
    return Decision(best[chosen - 1] if chosen else None, asker.name)


def _is_certain(best: Sequence[Candidate], threshold: float, margin: float) -> bool:
    first = best[0].score
    if first < threshold - margin:
        return True
    second = best[1].score if len(best) > 1 else 0.0
    return first >= threshold + margin and first - second >= margin / 2


def _useless(reply: Any, n: int) -> str | None:
    """A label that was not shown, or a decision that contradicts itself."""
    assert isinstance(reply, Match)
    place = _place(reply.selected_candidate)
    if reply.decision == "CONTINUE" and not (place and place <= n):
        return "unknown-candidate"
    if reply.decision == "NEW" and place:
        return "contradicts-itself"
    return None


def _place(label: str | None) -> int | None:
    name = (label or "").strip().upper()
    return int(name[1]) if len(name) == 2 and name[0] == "T" and name[1] in "123" else None


def _lines(snapshot: Snapshot, best: Sequence[Candidate], state: SpaceState) -> list[str]:
    lines = [f"new exchange | {said(snapshot.context)} | {said(snapshot.summary[: 2 * ENTRY])}"]
    for n, candidate in enumerate(best, start=1):
        version = state.versions[candidate.trajectory_id][-1]
        latest = state.snapshots[state.members[candidate.trajectory_id][-1].snapshot_id]
        body = " ".join(part for part in version.summary.split("\n") if part not in ("", NOTHING))
        lines.append(f"T{n} | {said(version.title)} | {said(body[:SUMMARY])} | newest: {said(latest.summary[:ENTRY])}")
    return lines
