"""Checks of a space against itself: a list of small pure checks, each giving problems that say what to do."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from trajwiki.domain.problems import Problem
from trajwiki.domain.state import SpaceState, fold_status
from trajwiki.wiki.audit import coverage_problems


def examine(state: SpaceState, stored_status: Mapping[str, str], *, dimension: int) -> list[Problem]:
    """Give what is wrong with a space; nothing, when all is well.

    Args:
        state: The space, as read from the store.
        stored_status: Status by claim, as stored.
        dimension: Of the space's vectors.
    """
    found = [problem for check in CHECKS for problem in check(state)]
    found += _folds(state, stored_status)
    found += _vectors(state, dimension)
    return found + coverage_problems(state)


def _refs(state: SpaceState) -> Iterator[Problem]:
    """Everything points at something that is there."""
    for exchange in state.exchanges.values():
        for message_id in exchange.message_ids:
            if message_id not in state.messages:
                yield _broken(f"exchange {exchange.id} holds message {message_id}, which is gone", exchange.id)
    for claim_id in state.claims:
        if not state.sources.get(claim_id):
            yield _broken(f"claim {claim_id} stands on nothing", claim_id)
    for trajectory_id in state.trajectories:
        if not state.members.get(trajectory_id) or not state.versions.get(trajectory_id):
            yield _broken(f"trajectory {trajectory_id} has no snapshots or no summary", trajectory_id)


def _quotes(state: SpaceState) -> Iterator[Problem]:
    """Every quote stands in its message, or in the revision it was read from."""
    for sources in state.sources.values():
        for source in sources:
            message = state.messages.get(source.quote.message_id)
            if message is None:
                yield _broken(f"claim {source.claim_id} quotes a message that is gone", source.claim_id)
                continue
            texts = [m.content for m in (message, *state.earlier.get(message.id, ()))]
            end = source.quote.start + len(source.quote.text)
            if not any(text[source.quote.start : end] == source.quote.text for text in texts):
                yield _broken(f"claim {source.claim_id}: its quote is not in {message.source_ref}", source.claim_id)


def _unread(state: SpaceState) -> Iterator[Problem]:
    """Closed exchanges are understood."""
    if state.unread:
        message = (
            f"{len(state.unread)} closed exchanges are not understood yet; any `trajwiki ingest` goes on with them"
        )
        yield Problem("doctor.unread", message)


CHECKS: Final[tuple[Callable[[SpaceState], Iterator[Problem]], ...]] = (_refs, _quotes, _unread)


def _folds(state: SpaceState, stored_status: Mapping[str, str]) -> Iterator[Problem]:
    folded = {claim_id: status.value for claim_id, status in fold_status(state.ops).items()}
    for claim_id in sorted(folded.keys() | stored_status.keys()):
        if folded.get(claim_id) != stored_status.get(claim_id):
            yield _broken(
                f"claim {claim_id} is stored as {stored_status.get(claim_id)}, its history says {folded.get(claim_id)}",
                claim_id,
            )


def _vectors(state: SpaceState, dimension: int) -> Iterator[Problem]:
    expected = {
        "message": state.messages.keys(),
        "snapshot": state.snapshots.keys(),
        "trajectory": state.trajectories.keys(),
        "page": state.pages.keys(),
    }
    for kind, ids in expected.items():
        missing = [i for i in ids if i not in state.vectors[kind]]
        if missing:
            yield Problem("doctor.vectors", f"{len(missing)} {kind} vectors are missing, the first of {missing[0]}")
        wrong = [i for i, v in state.vectors[kind].items() if v.shape != (dimension,)]
        if wrong:
            yield Problem(
                "doctor.vectors", f"{len(wrong)} {kind} vectors are not {dimension}-d, the first of {wrong[0]}"
            )


def _broken(message: str, where: str) -> Problem:
    return Problem("doctor.broken", f"{message}; restore a backup, or delete the space and ingest again", where)
