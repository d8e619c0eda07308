"""Checks of a space against itself: small pure checks, each giving problems that say what to do; and safe repairs."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from trajwiki.domain.history import Commit
from trajwiki.domain.problems import Problem
from trajwiki.domain.state import SpaceState, fold_status
from trajwiki.errors import CorruptStore
from trajwiki.memory.snapshots import embedded_text
from trajwiki.memory.summaries import retrieval_text
from trajwiki.models.embedding import Embedder
from trajwiki.store.raw import replace_states, replace_vectors
from trajwiki.store.spaces import SpaceInfo, SpaceStore
from trajwiki.wiki.audit import coverage_problems
from trajwiki.wiki.routing import routing_text

CLOSE: Final = 1e-3  # two vectors of one text differ by less in each number, whatever the machine
EMBEDDED_AT_ONCE: Final = 1000

# What a vector stands for.
TEXTS: Final[Mapping[str, Callable[[SpaceState, str], str]]] = {
    "message": lambda state, i: state.messages[i].content,
    "snapshot": lambda state, i: embedded_text([state.messages[m] for m in state.snapshots[i].message_ids]),
    "trajectory": retrieval_text,
    "page": lambda state, i: routing_text(state, state.pages[i]),
}


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


def examine_stored(store: SpaceStore, info: SpaceInfo, *, embedder: Embedder | None = None) -> list[Problem]:
    """Read a space from the store and give what is wrong with it, even when it cannot be read.

    Args:
        store: Where it is.
        info: Of the space.
        embedder: Of its vectors, to make them anew and compare: what no other check sees, such as a changed letter in
            a message, shows there. None: that is left out.
    """
    try:
        change, head = store.load(info.id)
        state = SpaceState()
        state.apply(change)
        state.head = head
    except CorruptStore as error:
        return [Problem("doctor.unreadable", str(error))]
    except (KeyError, ValueError, IndexError) as error:
        return [_broken(f"its records do not fit together ({error!r})", info.name)]
    found = examine(state, store.stored_status(info.id), dimension=info.dimension)
    found += _numbering(store.commits(info.id), head)
    if embedder is not None:
        found += [
            Problem("doctor.vectors", f"{len(ids)} {kind} vectors are not of their texts, the first of {ids[0]}")
            for kind, ids in strange_vectors(state, embedder).items()
        ]
    return found


def scrub_problems(pending: Sequence[str]) -> list[Problem]:
    """Say that erased text may still be in freed pages or logs (of the whole database).

    Args:
        pending: As `SpaceStore.pending_scrubs` gives them.
    """
    if not pending:
        return []
    what = "freed pages and logs may still hold what was erased; run `trajwiki doctor --repair` when nobody reads"
    return [Problem("doctor.scrub", what)]


def strange_vectors(state: SpaceState, embedder: Embedder) -> dict[str, list[str]]:
    """Give the ids, by kind, of what has no vector, or one that is not of its text.

    Left out are snapshots of messages that were edited since: they stand for what was said then.
    """
    out: dict[str, list[str]] = {}
    for kind, ids in _embedded(state).items():
        known = [
            i for i in ids if kind != "snapshot" or state.earlier.keys().isdisjoint(state.snapshots[i].message_ids)
        ]
        bad = [
            i
            for start in range(0, len(known), EMBEDDED_AT_ONCE)
            for i in _strange(kind, known[start : start + EMBEDDED_AT_ONCE], state, embedder)
        ]
        if bad:
            out[kind] = bad
    return out


def _strange(kind: str, ids: Sequence[str], state: SpaceState, embedder: Embedder) -> Iterator[str]:
    rows = embedder.embed([TEXTS[kind](state, i) for i in ids])
    for item_id, row in zip(ids, rows, strict=True):
        stored = state.vectors[kind].get(item_id)
        if stored is None or stored.shape != row.shape or not np.allclose(stored, row, rtol=0.0, atol=CLOSE):
            yield item_id


def _embedded(state: SpaceState) -> dict[str, list[str]]:
    """Give by kind all that has a vector."""
    return {
        "message": list(state.messages),
        "snapshot": list(state.snapshots),
        "trajectory": list(state.trajectories),
        "page": list(state.pages),
    }


def _numbering(commits: Sequence[Commit], head: int) -> Iterator[Problem]:
    """Commits are numbered from 1 to the head, without gaps."""
    numbers = [c.n for c in reversed(commits)]
    if numbers != list(range(1, head + 1)):
        yield _broken(f"its commits are not numbered from 1 to {head}", str(head))


# Repairs.


class Mend(enum.StrEnum):
    """What can be repaired without guessing: it is made from what is there."""

    SCRUB = "scrub"  # finish overwriting what was erased
    STATUS = "status"  # store the statuses of claims that their history gives
    VECTORS = "vectors"  # make vectors anew that are missing or not of their texts


@dataclass(frozen=True, slots=True)
class Repair:
    """One step.

    Attributes:
        mend: What is done.
        what: In words.
        items: VECTORS: ids by kind.
    """

    mend: Mend
    what: str
    items: tuple[tuple[str, tuple[str, ...]], ...] = ()


def plan_repairs(
    state: SpaceState,
    stored_status: Mapping[str, str],
    *,
    pending_scrubs: Sequence[str] = (),
    strange: Mapping[str, Sequence[str]] | None = None,
) -> tuple[Repair, ...]:
    """Say what can be repaired safely, in order; nothing, when all is well or only a backup helps.

    Args:
        state: The space, as read from the store.
        stored_status: Status by claim, as stored.
        pending_scrubs: Of the whole database.
        strange: As `strange_vectors` gives them.
    """
    plan = []
    if any(_folds(state, stored_status)):
        plan.append(Repair(Mend.STATUS, "store the statuses of claims as their history gives them"))
    if strange:
        items = tuple((kind, tuple(ids)) for kind, ids in strange.items())
        plan.append(Repair(Mend.VECTORS, f"make {sum(len(ids) for _, ids in items)} vectors anew", items))
    if pending_scrubs:
        plan.append(Repair(Mend.SCRUB, "overwrite what freed pages and logs still hold of what was erased"))
    return tuple(plan)


def carry_out(
    repairs: Sequence[Repair], store: SpaceStore, info: SpaceInfo, state: SpaceState, embedder: Embedder
) -> list[Repair]:
    """Carry out repairs; gives those that could not be done now, since a reader is in the way.

    Args:
        repairs: As planned.
        store: Where the space is.
        info: Of the space.
        state: From which they were planned.
        embedder: Of its vectors.

    Raises:
        ConcurrentWrite: Others wrote since the state was read; nothing was repaired.
    """
    left = []
    for repair in repairs:
        if repair.mend is Mend.STATUS:
            replace_states(store, info.id, state.head)
        elif repair.mend is Mend.VECTORS:
            for kind, ids in repair.items:
                rows = embedder.embed([TEXTS[kind](state, i) for i in ids])
                replace_vectors(store, info.id, state.head, kind, dict(zip(ids, rows, strict=True)))
        elif not store.scrub():
            left.append(repair)
    return left


# The checks.


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
