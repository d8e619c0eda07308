"""Tips: the list, and one with its sources, what was done to it, what came of it, and what a person may do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Annotated, Any, Final

from fastapi import APIRouter, Form, Query, Response

from trajwiki.domain.history import Commit
from trajwiki.domain.tipbook import LIVE, TipBook
from trajwiki.domain.tips import Priority, Tip, TipState, TipVerb
from trajwiki.errors import UnknownItem, UsageError
from trajwiki.web.door import Reading, Writing
from trajwiki.web.frame import PageRoute, go, page
from trajwiki.web.links import name_of

router = APIRouter(prefix="/s/{space}/tips", route_class=PageRoute)

LISTED: Final = 300
GIVEN: Final = 20  # deliveries shown
ORDER: Final = {"high": 0, "medium": 1, "low": 2}
Text = Annotated[str, Form(max_length=5000)]


@router.get("")
def tips(
    visit: Reading,
    state: Annotated[str, Query(max_length=20)] = "live",
    app: Annotated[str, Query(max_length=500)] = "",
) -> Response:
    """List the tips, those that are delivered first."""
    book, records = visit.space.practice().book, visit.space.tip_stats()
    wanted = LIVE if state == "live" else {s for s in TipState if s.value == state} or set(TipState)
    chosen = [t for t in book.tips.values() if book.state[t.id] in wanted and app in ("", t.app or "any")]
    chosen.sort(key=lambda t: (ORDER[t.priority.value], -t.support, t.ordinal))
    counts = Counter(s.value for s in book.state.values())
    return page(
        visit.request,
        "tips.html",
        visit=visit,
        section="tips",
        rows=[(t, book.state[t.id].value, records.get(t.id)) for t in chosen[:LISTED]],
        total=len(chosen),
        chosen=state,
        live=sum(counts[s.value] for s in LIVE),
        counts=[(s.value, counts[s.value]) for s in TipState if counts[s.value]],
        all=len(book.tips),
    )


@router.get("/{tip}")
def one(visit: Reading, tip: str, done: str | None = None) -> Response:
    """Show a tip."""
    practice = visit.space.practice()
    book, runs = practice.book, practice.runs
    found = book.tips.get(name_of(tip))
    if found is None:
        raise UnknownItem(f"there is no tip {name_of(tip)!r}")
    given = [d for d in reversed(visit.space.deliveries()) if found.id in d.tip_ids]
    told = {f.delivery_id: f for f in visit.space.all_feedback()}
    return page(
        visit.request,
        "tip.html",
        visit=visit,
        section="tips",
        done=done,
        tip=found,
        state=book.state[found.id].value,
        may=allowed(book, found),
        sources=[(s, runs.get(s.run_id)) for s in found.sources],
        parts=_parts(book, found),
        stands=_stands(book, found),
        ops=[op for op in book.ops if op.tip_id == found.id or found.id in op.others],
        names={t.id: t.content for t in book.tips.values()},
        record=visit.space.tip_stats().get(found.id),
        given=[
            (d, told.get(d.id), dict(told[d.id].uses).get(found.id) if d.id in told else None) for d in given[:GIVEN]
        ],
        total_given=len(given),
        priorities=[p.value for p in Priority],
    )


@router.post("/{tip}")
def act(
    visit: Writing,
    tip: str,
    verb: Annotated[str, Form(max_length=20)],
    reason: Text = "",
    content: Text = "",
    purpose: Text = "",
    trigger: Text = "",
    steps: Text = "",
    priority: Annotated[str, Form(max_length=20)] = "",
) -> Response:
    """Approve, reject, edit, withdraw, restore or split a tip, and show what stands for it then."""
    tip_id = name_of(tip)
    changes: dict[str, Any] = {}
    if verb == "edit":
        given = {
            "content": content.strip(),
            "purpose": purpose.strip(),
            "trigger": trigger.strip(),
            "priority": priority,
        }
        changes = {k: v for k, v in given.items() if v}
        if lines := [line.strip() for line in steps.splitlines() if line.strip()]:
            changes["steps"] = lines
    space, why = visit.space, reason.strip() or "decided on the wiki's pages"
    acts: dict[str, Callable[[], Commit]] = {
        "approve": lambda: space.approve_tip(tip_id, reason=why),
        "reject": lambda: space.reject_tip(tip_id, reason=why),
        "withdraw": lambda: space.withdraw_tip(tip_id, reason=why),
        "restore": lambda: space.restore_tip(tip_id, reason=why),
        "split": lambda: space.split_tip(tip_id, reason=why),
        "edit": lambda: space.edit_tip(tip_id, reason=why, **changes),
    }
    if verb not in acts:
        raise UsageError(f"a tip can be given {', '.join(acts)}, not {verb!r}")
    acts[verb]()
    after = space.practice().book.stands_for(tip_id)
    return go(visit.links.now(f"tips/{after}", done=verb))


def allowed(book: TipBook, tip: Tip) -> list[str]:
    """Give what a person may do to a tip in its state."""
    state, last = book.state[tip.id], book.last_op(tip.id)
    may = []
    if state in (TipState.PROPOSED, TipState.SUPERSEDED) and not tip.instruction_like:
        may.append("approve")
    if state in LIVE:
        may.append("reject")
    if state in LIVE or state is TipState.SUPERSEDED:
        may.append("withdraw")
    if state in LIVE or state in (TipState.REJECTED, TipState.SUPERSEDED):
        may.append("edit")
    by_rule = last is not None and last.verb is TipVerb.REJECT and not last.actor.startswith("person:")
    split = last is not None and last.verb is TipVerb.SPLIT
    if (
        state in (TipState.REJECTED, TipState.WITHDRAWN, TipState.EXPIRED, TipState.SUPERSEDED)
        and not by_rule
        and not split
    ):
        may.append("restore")
    if any(
        op.verb is TipVerb.MERGE and op.others == (tip.id,) and book.last_op(op.tip_id) is op for op in book.ops
    ) and (state in LIVE or state in (TipState.WITHDRAWN, TipState.SUPERSEDED)):
        may.append("split")
    return may


def _parts(book: TipBook, tip: Tip) -> list[tuple[Tip, str]]:
    return [(book.tips[i], book.state[i].value) for i in tip.made_from if i in book.tips]


def _stands(book: TipBook, tip: Tip) -> Tip | None:
    stands = book.stands_for(tip.id)
    return book.tips.get(stands) if stands != tip.id else None
