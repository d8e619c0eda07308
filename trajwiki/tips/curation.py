"""What a person does to tips: approve, reject, edit, withdraw, restore, merge, split, expire.

Each is a function of the book that gives the tips and operations to add. Nothing is ever changed or removed. A move
that the state of a tip does not allow raises UsageError and says what would be allowed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from trajwiki.domain.ids import Ids
from trajwiki.domain.runs import Run
from trajwiki.domain.tipbook import LIVE, TipBook
from trajwiki.domain.tips import Priority, Tip, TipOp, TipState, TipVerb
from trajwiki.errors import UnknownItem, UsageError
from trajwiki.tips.checks import faults
from trajwiki.tips.consolidation import TipVectors, Vectors, merged_tip
from trajwiki.tips.extraction import op_of

_FROM: Final[Mapping[TipVerb, frozenset[TipState]]] = {
    TipVerb.APPROVE: frozenset({TipState.PROPOSED, TipState.SUPERSEDED}),
    TipVerb.REJECT: LIVE,
    TipVerb.WITHDRAW: LIVE | {TipState.SUPERSEDED},
    TipVerb.RESTORE: frozenset({TipState.REJECTED, TipState.WITHDRAWN, TipState.EXPIRED, TipState.SUPERSEDED}),
    TipVerb.EXPIRE: LIVE,
    TipVerb.EDIT: LIVE | {TipState.REJECTED, TipState.SUPERSEDED},
    TipVerb.MERGE: LIVE,
    TipVerb.SPLIT: LIVE | {TipState.WITHDRAWN, TipState.SUPERSEDED},
}


@dataclass(frozen=True, slots=True)
class By:
    """Who does something, why, and what the new records are numbered from.

    Attributes:
        ids: Makes the ids of the space.
        actor: ``person:NAME``, ``rule``, or a model's name.
        reason: A sentence.
        at: UTC.
        ordinal: Of the first new tip.
        op_ordinal: Of the first new operation.
    """

    ids: Ids
    actor: str
    reason: str
    at: datetime
    ordinal: int
    op_ordinal: int

    @property
    def is_person(self) -> bool:
        """Whether a person does it."""
        return self.actor.startswith("person:")


@dataclass(frozen=True, slots=True)
class Curated:
    """Tips and operations to add."""

    tips: tuple[Tip, ...] = ()
    ops: tuple[TipOp, ...] = ()


def approve(book: TipBook, tip_id: str, by: By) -> Curated:
    """Approve a tip; in a space that asks for review it is delivered from now on."""
    tip = _may(book, tip_id, TipVerb.APPROVE)
    if tip.instruction_like:
        raise UsageError(f"tip {tip_id} addresses an agent as an order from outside; it can be edited, not approved")
    return _one(by, TipVerb.APPROVE, tip_id, TipState.APPROVED)


def reject(book: TipBook, tip_id: str, by: By) -> Curated:
    """Reject a tip for what it says; what says the same later is withdrawn as it comes."""
    _may(book, tip_id, TipVerb.REJECT)
    return _one(by, TipVerb.REJECT, tip_id, TipState.REJECTED)


def withdraw(book: TipBook, tip_id: str, by: By) -> Curated:
    """Take a tip out of use; the next retrieval no longer gives it."""
    _may(book, tip_id, TipVerb.WITHDRAW)
    return _one(by, TipVerb.WITHDRAW, tip_id, TipState.WITHDRAWN)


def expire(book: TipBook, tip_id: str, by: By) -> Curated:
    """Let a tip lapse by retention."""
    _may(book, tip_id, TipVerb.EXPIRE)
    return _one(by, TipVerb.EXPIRE, tip_id, TipState.EXPIRED)


def restore(book: TipBook, tip_id: str, by: By) -> Curated:
    """Put a tip back into use: approved when a person had approved it, or restores what a rule superseded."""
    _may(book, tip_id, TipVerb.RESTORE)
    last = book.last_op(tip_id)
    if last is not None and last.verb is TipVerb.SPLIT:
        raise UsageError(f"tip {tip_id} was split; its parts stand for it: {', '.join(last.others)}")
    if last is not None and last.verb is TipVerb.REJECT and not last.actor.startswith("person:"):
        raise UsageError(f"tip {tip_id} did not pass its checks ({last.reason}); edit it instead")
    overrules = by.is_person and book.state[tip_id] is TipState.SUPERSEDED
    state = TipState.APPROVED if overrules or _was_approved(book, tip_id) else TipState.PROPOSED
    return _one(by, TipVerb.RESTORE, tip_id, state)


def edit(book: TipBook, tip_id: str, changes: Mapping[str, object], runs: Mapping[str, Run], by: By) -> Curated:
    """Give a tip other words; the new tip stands for the old one and keeps its sources.

    Args:
        book: That holds it.
        tip_id: Which tip.
        changes: New values of content, purpose, steps, trigger, negative_example or priority.
        runs: By id: the new tip has to pass the checks.
        by: Who, why, when.

    Raises:
        UsageError: A field cannot be edited, or the new words do not pass the checks.
    """
    old = _may(book, tip_id, TipVerb.EDIT)
    new = replace(old, **_edited(changes), made_from=(old.id,), decided_by=by.actor, instruction_like=False)
    if replace(new, made_from=old.made_from, decided_by=old.decided_by) == old:
        raise UsageError(f"nothing of tip {tip_id} would change")
    if wrong := faults(new, runs):
        raise UsageError(f"the edited tip does not pass its checks: {'; '.join(wrong)}")
    words = [new.content, new.purpose, *new.steps, new.trigger, new.negative_example, new.priority]
    new = replace(new, id=by.ids.of("tip", "edited", old.id, *words), ordinal=by.ordinal)
    state = TipState.APPROVED if by.is_person else TipState.PROPOSED
    if new.id in book.tips:
        raise UsageError(f"tip {tip_id} was edited to these words before: see tip {new.id}")
    ops = (
        op_of(by.ids, by.op_ordinal, TipVerb.PROPOSE, new.id, state, reason=by.reason, at=by.at, actor=by.actor),
        op_of(
            by.ids,
            by.op_ordinal + 1,
            TipVerb.EDIT,
            old.id,
            TipState.MERGED,
            reason=by.reason,
            at=by.at,
            actor=by.actor,
            others=(new.id,),
        ),
    )
    return Curated((new,), ops)


def merge(book: TipBook, tip_ids: Sequence[str], vectors: Vectors, by: By) -> Curated:
    """Make one tip of several; the words are those of the first one named.

    Raises:
        UsageError: Fewer than two, or tips of different applications, scopes, granularities or categories.
    """
    parts = [_may(book, t, TipVerb.MERGE) for t in dict.fromkeys(tip_ids)]
    if len(parts) < 2:
        raise UsageError("a merge takes two tips or more")
    for name in ("category", "app", "scope", "granularity"):
        found = {getattr(p, name) for p in parts}
        if len(found) > 1:
            raise UsageError(
                f"these tips differ in {name} ({', '.join(sorted(map(str, found)))}); edit one of them first"
            )
    made = merged_tip(book, parts, TipVectors(book, vectors, None), ids=by.ids, words_of=[parts[0]], actor=by.actor)
    first = parts[0]
    made = replace(
        made,
        content=first.content,
        purpose=first.purpose,
        steps=first.steps,
        trigger=first.trigger,
        negative_example=first.negative_example,
        decided_by=by.actor,
        made_from=tuple(sorted({p.id for p in parts})),
        ordinal=by.ordinal,
    )
    made = replace(made, id=by.ids.of("tip", "merged by hand", made.id, *made.made_from, *first.steps, by.op_ordinal))
    kept = any(book.state[p.id] is TipState.APPROVED for p in parts) or by.is_person
    state = TipState.APPROVED if kept else TipState.PROPOSED
    ops = [op_of(by.ids, by.op_ordinal, TipVerb.PROPOSE, made.id, state, reason=by.reason, at=by.at, actor=by.actor)]
    for n, part in enumerate(parts, start=1):
        ops.append(
            op_of(
                by.ids,
                by.op_ordinal + n,
                TipVerb.MERGE,
                part.id,
                TipState.MERGED,
                reason=by.reason,
                at=by.at,
                actor=by.actor,
                others=(made.id,),
            )
        )
    return Curated((made,), tuple(ops))


def split(book: TipBook, tip_id: str, by: By) -> Curated:
    """Undo the merge that made a tip: its parts stand again, each in the state it had, and no rule merges them again.

    Raises:
        UsageError: It was not made by a merge.
    """
    _may(book, tip_id, TipVerb.SPLIT)
    parts = [
        op.tip_id
        for op in book.ops
        if op.verb is TipVerb.MERGE and op.others == (tip_id,) and book.last_op(op.tip_id) is op
    ]
    if not parts:
        raise UsageError(f"tip {tip_id} was not made by a merge; there is nothing to split")
    ops = [
        op_of(
            by.ids,
            by.op_ordinal,
            TipVerb.SPLIT,
            tip_id,
            TipState.WITHDRAWN,
            reason=by.reason,
            at=by.at,
            actor=by.actor,
            others=tuple(parts),
        )
    ]
    for n, part in enumerate(parts, start=1):
        before = [op.state for op in book.ops if op.tip_id == part][-2:][0]
        ops.append(
            op_of(
                by.ids,
                by.op_ordinal + n,
                TipVerb.RESTORE,
                part,
                before,
                reason=f"{tip_id} was split",
                at=by.at,
                actor=by.actor,
            )
        )
    return Curated((), tuple(ops))


def _may(book: TipBook, tip_id: str, verb: TipVerb) -> Tip:
    tip = book.tips.get(tip_id)
    if tip is None:
        raise UnknownItem(f"there is no tip {tip_id}; `trajwiki tips list` shows those there are")
    state = book.state[tip_id]
    if state not in _FROM[verb]:
        now = f"it lives on in {book.stands_for(tip_id)}" if state is TipState.MERGED else f"it is {state.value}"
        allowed = ", ".join(v.value.lower() for v, states in _FROM.items() if state in states)
        raise UsageError(
            f"cannot {verb.value.lower()} tip {tip_id}: {now}" + (f"; possible: {allowed}" if allowed else "")
        )
    return tip


def _one(by: By, verb: TipVerb, tip_id: str, state: TipState) -> Curated:
    op = op_of(by.ids, by.op_ordinal, verb, tip_id, state, reason=by.reason, at=by.at, actor=by.actor)
    return Curated((), (op,))


def _was_approved(book: TipBook, tip_id: str) -> bool:
    states = [op.state for op in book.ops if op.tip_id == tip_id and op.state in LIVE]
    return bool(states) and states[-1] is TipState.APPROVED


def _edited(changes: Mapping[str, object]) -> dict[str, Any]:
    known = ("content", "purpose", "steps", "trigger", "negative_example", "priority")
    if unknown := sorted(set(changes) - set(known)):
        raise UsageError(f"a tip's {', '.join(unknown)} cannot be edited; what can be: {', '.join(known)}")
    out: dict[str, Any] = {}
    for name, value in changes.items():
        if name == "steps":
            if not isinstance(value, list | tuple) or not all(isinstance(v, str) for v in value):
                raise UsageError("steps are a list of sentences")
            out[name] = tuple(value)
        elif name == "priority":
            try:
                out[name] = Priority(str(value))
            except ValueError as error:
                raise UsageError(f"a priority is {', '.join(p.value for p in Priority)}, not {value!r}") from error
        elif isinstance(value, str) or (value is None and name == "negative_example"):
            out[name] = value
        else:
            raise UsageError(f"{name} is a text")
    return out
