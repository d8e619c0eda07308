"""What came of tips: whether runs followed them, and how runs that were given them ended beside those that were not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from trajwiki.domain.runs import Outcome, Run, StepKind
from trajwiki.domain.tipbook import LIVE, TipBook
from trajwiki.domain.tips import Delivery, Feedback, Tip, TipOp, TipState, TipVerb, Use
from trajwiki.tips.curation import By, Curated
from trajwiki.tips.extraction import op_of
from trajwiki.tips.facts import Facts, facts_of
from trajwiki.tips.rates import Rate, difference, rate
from trajwiki.tips.sameness import forbids
from trajwiki.tips.wording import code_names, describe, task_category

CONFIDENCE: Final = 0.95


@dataclass(frozen=True, slots=True)
class Record:
    """The record of a tip.

    Attributes:
        tip_id: Of the tip.
        delivered: How often it was given.
        uses: How runs used it, by use; deliveries of which nothing is known count as unknown.
        with_it: Runs that were given it and succeeded, of those whose outcome is known (success or failure).
        without: The same of runs at the same kinds of task that were not given it.
        low: Lower end of the difference of the two, in [-1, 1].
        high: Upper end.
        flag: ``worse`` or ``better`` when the difference is beyond chance, else None.
        last: Time of its last delivery as ISO text, or None.
    """

    tip_id: str
    delivered: int
    uses: Mapping[Use, int]
    with_it: Rate
    without: Rate
    low: float
    high: float
    flag: str | None
    last: str | None

    @property
    def helped(self) -> bool:
        """Whether a run that was given it, and did not do otherwise, succeeded."""
        return self.with_it.hits > 0 and self.uses.get(Use.CONTRADICTED, 0) < self.delivered


def uses(run: Run, tips: Iterable[Tip]) -> tuple[tuple[str, Use], ...]:
    """Read from the steps of a run what it did with tips that it was given.

    A run that cites a tip's id in its own words follows it. Else the calls that the tip's steps name decide: all made
    in order is following; the call that it is about, without one that it puts before, is the contrary; when nothing
    of what it is about occurs it does not apply. What the calls cannot show is unknown.
    """
    facts = facts_of(run)
    own = "\n".join(s.text for s in run.steps if s.kind in (StepKind.THOUGHT, StepKind.MESSAGE, StepKind.FINAL))
    return tuple((tip.id, Use.FOLLOWED if tip.id in own else _use(facts, tip)) for tip in tips)


def _use(facts: Facts, tip: Tip) -> Use:
    made = [c.tool for c in facts.calls if c.step.tool and c.error is None]
    tried = {c.tool for c in facts.calls if c.step.tool}
    about = [n for n in code_names(tip.trigger) if "." not in n]
    wanted = [n for step in tip.steps for n in _called(step)]
    if not about and not wanted:
        return Use.UNKNOWN
    if not tried & {*about, *wanted}:
        return Use.NOT_APPLICABLE
    main = about[0] if about else wanted[-1]
    if forbids(tip.content):
        return Use.CONTRADICTED if main in made else Use.FOLLOWED
    before = [n for n in dict.fromkeys(wanted) if n != main]
    if main not in tried:
        return Use.NOT_APPLICABLE if main not in wanted else Use.UNKNOWN
    if not before:
        return Use.UNKNOWN
    earlier = made[: made.index(main)] if main in made else made
    after = _comes_after(tip, main)
    missing = [n for n in before if n not in (made if n in after else earlier)]
    return Use.CONTRADICTED if missing else Use.FOLLOWED


def _called(step: str) -> list[str]:
    """Tools that a step says to call: names right behind "call"."""
    words = step.replace("`", " ` ").split()
    return [
        words[i + 2]
        for i in range(len(words) - 3)
        if words[i].strip("(,").casefold() in ("call", "use") and words[i + 1] == "`" and words[i + 3] == "`"
    ]


def _comes_after(tip: Tip, main: str) -> set[str]:
    """Tools that the steps put after the call that the tip is about."""
    order = [n for step in tip.steps for n in _called(step)]
    if main in order:
        return set(order[order.index(main) + 1 :])
    return set(order) if f"After `{main}`" in tip.content else set()


def tip_stats(
    tips: Iterable[Tip],
    deliveries: Sequence[Delivery],
    feedback: Sequence[Feedback],
    runs: Iterable[Run] = (),
    *,
    confidence: float = CONFIDENCE,
) -> dict[str, Record]:
    """Give the record of every tip, by id.

    A run counts once: by the feedback of its delivery, else by itself. The base rate of a tip is taken from runs at
    the kinds of task for which it was delivered, that were not given it. Support says nothing here (F49).

    Args:
        tips: The tips that are asked about.
        deliveries: All deliveries of the space.
        feedback: All feedback; of several on one delivery the latest counts.
        runs: All runs of the space.
        confidence: Of intervals and flags: 0.8, 0.9, 0.95 or 0.99.
    """
    latest = {f.delivery_id: f for f in sorted(feedback, key=lambda f: f.at)}
    trials = [(d.task_category, frozenset(d.tip_ids), latest[d.id].outcome) for d in deliveries if d.id in latest]
    counted = {f.run_id for f in latest.values() if f.run_id}
    trials += [(_category(run), frozenset(), run.outcome) for run in runs if run.id not in counted]
    known = [(kind, ids, o is Outcome.SUCCESS) for kind, ids, o in trials if o in (Outcome.SUCCESS, Outcome.FAILURE)]
    return {tip.id: _record(tip.id, deliveries, latest, known, confidence) for tip in tips}


def _record(
    tip_id: str,
    deliveries: Sequence[Delivery],
    latest: Mapping[str, Feedback],
    known: Sequence[tuple[str, frozenset[str], bool]],
    confidence: float,
) -> Record:
    own = [d for d in deliveries if tip_id in d.tip_ids]
    kinds = {d.task_category for d in own}
    given = [ok for _, ids, ok in known if tip_id in ids]
    other = [ok for kind, ids, ok in known if tip_id not in ids and kind in kinds]
    counted: Counter[Use] = Counter()
    for delivery in own:
        told = dict(latest[delivery.id].uses) if delivery.id in latest else {}
        counted[told.get(tip_id, Use.UNKNOWN)] += 1
    with_it = rate(sum(given), len(given), confidence=confidence)
    without = rate(sum(other), len(other), confidence=confidence)
    low, high = difference(with_it, without)
    flag = "worse" if high < 0 else "better" if low > 0 else None
    last = max((d.at for d in own), default=None)
    return Record(
        tip_id, len(own), dict(counted), with_it, without, low, high, flag, last.isoformat() if last else None
    )


def withdrawals(book: TipBook, records: Mapping[str, Record], by: By) -> Curated:
    """Give the operations that withdraw the tips flagged as worse; only for a space whose owner switched that on.

    A tip that a person approved is left to the person.
    """
    ops: list[TipOp] = []
    for tip_id, record in records.items():
        if record.flag != "worse" or book.state.get(tip_id) not in LIVE - {TipState.APPROVED}:
            continue
        reason = (
            f"runs that were given it succeeded {record.with_it.hits} of {record.with_it.n} times, "
            f"others at such tasks {record.without.hits} of {record.without.n} times"
        )
        n = by.op_ordinal + len(ops)
        ops.append(
            op_of(by.ids, n, TipVerb.WITHDRAW, tip_id, TipState.WITHDRAWN, reason=reason, at=by.at, actor=by.actor)
        )
    return Curated((), tuple(ops))


def flagged(records: Mapping[str, Record]) -> frozenset[str]:
    """Give the ids of the tips whose record is worse beyond chance."""
    return frozenset(t for t, r in records.items() if r.flag == "worse")


def _category(run: Run) -> str:
    return task_category(describe(run.task, (), ()))
