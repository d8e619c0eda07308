"""Runs and tips for the tests: a small shop with an API of its own."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from trajwiki.domain.ids import Ids
from trajwiki.domain.runs import Outcome, OutcomeBy, Run, Step, StepKind
from trajwiki.domain.tipbook import TipBook
from trajwiki.domain.tips import Granularity, Priority, Scope, Tip, TipCategory, TipSource, TipState, TipVerb
from trajwiki.models.wordllama import WordLlamaEmbedder
from trajwiki.tips.analysis import analyse
from trajwiki.tips.contrast import contrast_tips
from trajwiki.tips.extraction import extract_tips, op_of

NOW = datetime(2026, 1, 1, tzinfo=UTC)
IDS = Ids("space")
RULES = (
    "# Shop policy\n\n## Refund order\n\n"
    "- An order can be refunded only if its status is delivered and it is not older than 30 days.\n"
    "- The refund goes to a payment method that is in the account.\n\n"
    "## Ship order\n\n- An order must not be shipped before it is paid.\n"
)
ACCOUNT = {
    "name": {"first": "Ottilie", "last": "Brandt"},
    "email": "ottilie.brandt@example.org",
    "payment_methods": {"card_88213": {"source": "card", "last_four": "4471"}, "gift_10442": {"source": "gift"}},
    "orders": ["W7781", "W9034"],
}
Move = tuple[str, Any] | tuple[str, Any, Any]


def run(
    name: str,
    moves: Sequence[Move],
    *,
    task: str,
    outcome: Outcome,
    task_ref: str | None = None,
    app: str | None = "shop",
) -> Run:
    """A run from moves: ("say", text), ("user", text), ("think", text), or (tool, arguments, result)."""
    steps: list[Step] = []

    def add(kind: StepKind, text: str, **more: Any) -> int:
        steps.append(Step(number=len(steps) + 1, kind=kind, text=text, **more))
        return len(steps)

    add(StepKind.PROMPT, RULES, agent="system")
    add(StepKind.PROMPT, task, agent="user")
    for move in moves:
        if move[0] in ("say", "user", "think"):
            kind = StepKind.THOUGHT if move[0] == "think" else StepKind.MESSAGE
            add(kind, move[1], agent="user" if move[0] == "user" else "assistant")
            continue
        tool, arguments, result = move
        at = add(StepKind.ACTION, "", agent="assistant", tool=tool, arguments=arguments)
        text = result if isinstance(result, str) else json.dumps(result)
        kind = StepKind.ERROR if text.startswith("Error") else StepKind.OBSERVATION
        add(kind, text, agent=tool, tool=tool, answers=at)
    return Run(
        id=f"run_{name}",
        ordinal=0,
        source_ref=name,
        source="test",
        task=task,
        steps=tuple(steps),
        app=app,
        outcome=outcome,
        outcome_by=OutcomeBy.EVALUATION,
        task_ref=task_ref,
    )


TASK = "Hi, I'm Ottilie Brandt. I want to refund my order W7781 from May 3 to my card ending in 4471."
ORDER = {"order_id": "W7781", "status": "delivered", "total": 84.5, "payment_id": "gift_10442"}


def recovering(name: str = "good", **more: Any) -> Run:
    """Guesses the payment method, is refused, looks it up, and succeeds."""
    return run(
        name,
        [
            ("get_order", {"order_id": "W7781"}, ORDER),
            (
                "refund_order",
                {"order_id": "W7781", "payment_id": "card_4471"},
                "Error: payment method card_4471 not found",
            ),
            ("get_account", {"email": "ottilie.brandt@example.org"}, ACCOUNT),
            ("refund_order", {"order_id": "W7781", "payment_id": "card_88213"}, {"status": "refunded"}),
            ("say", "Your order W7781 is refunded to the card card_88213."),
        ],
        task=TASK,
        outcome=Outcome.SUCCESS,
        task_ref="refund",
        **more,
    )


def failing(name: str = "bad", **more: Any) -> Run:
    """Refunds to the wrong payment method without looking the account up."""
    return run(
        name,
        [
            ("get_order", {"order_id": "W7781"}, ORDER),
            ("refund_order", {"order_id": "W7781", "payment_id": "gift_10442"}, {"status": "refunded"}),
            ("say", "Done."),
        ],
        task=TASK,
        outcome=Outcome.FAILURE,
        task_ref="refund",
        **more,
    )


def learned(runs: Sequence[Run]) -> TipBook:
    """A book of what these runs teach, one after the other, not consolidated."""
    book = TipBook()
    analyses = {}
    seen: list[Run] = []
    for one in runs:
        analyses[one.id] = analyse(one)
        seen.append(one)
        for made in (
            extract_tips(
                one,
                analyses[one.id],
                ids=IDS,
                ordinal=len(book.tips),
                op_ordinal=len(book.ops),
                at=NOW,
                known=book.tips,
            ),
        ):
            book.apply(made.tips, made.ops)
        made = contrast_tips(
            seen,
            analyses,
            ids=IDS,
            ordinal=len(book.tips),
            op_ordinal=len(book.ops),
            at=NOW,
            only={one.id},
            known=book.tips,
        )
        book.apply(made.tips, made.ops)
    return book


def tip(name: str, content: str = "Call `list_all` before `pick_one`.", **changes: Any) -> Tip:
    """A tip by hand."""
    values: dict[str, Any] = {
        "id": f"tip_{name}",
        "ordinal": 0,
        "category": TipCategory.STRATEGY,
        "content": content,
        "purpose": "It saves a wrong choice.",
        "steps": ("Call `list_all` first.",),
        "trigger": "The task needs `pick_one`.",
        "negative_example": None,
        "priority": Priority.MEDIUM,
        "app": "shop",
        "task_category": "pick item",
        "granularity": Granularity.SUBTASK,
        "scope": Scope.DOMAIN,
        "description": "pick one item of a list",
        "sources": (TipSource(f"run_{name}", 1, 2, Outcome.SUCCESS),),
    }
    return Tip(**(values | changes))


def book_of(*tips: Tip, state: TipState = TipState.PROPOSED) -> TipBook:
    """A book in which these tips are proposed."""
    book = TipBook()
    for t in tips:
        n = len(book.ops)
        book.apply([t], [op_of(IDS, n, TipVerb.PROPOSE, t.id, state, reason="it passed its checks", at=NOW)])
    return book


class Vectors(dict[str, dict[str, Any]]):
    """Vectors of tips that grow with the book."""

    def __init__(self, embedder: WordLlamaEmbedder) -> None:
        super().__init__(description={}, advice={})
        self.embedder = embedder

    def of(self, book: TipBook) -> Vectors:
        """Embed what is new."""
        for kind, known in self.items():
            new = [t for t in book.tips.values() if t.id not in known]
            if new:
                rows = self.embedder.embed([t.text_for(kind) for t in new])
                known.update(zip([t.id for t in new], rows, strict=True))
        return self
