"""The tools of the order desk, as its documentation names them: what each takes and what it gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool.

    Attributes:
        name: What it is called by.
        says: What its documentation says it is for.
        takes: Names of its arguments; all are wanted, but for ``page``.
        gives: Names of the fields of what it gives back.
        changes: Whether it changes the shop.
    """

    name: str
    says: str
    takes: tuple[str, ...] = ()
    gives: tuple[str, ...] = ()
    changes: bool = False


_ORDER: Final = ("order_id", "number", "item", "status")

TOOLS: Final[Mapping[str, Tool]] = {
    t.name: t
    for t in (
        Tool("sign_in", "begin a session", (), ("session", "lasts")),
        Tool("wait", "let some time pass", (), ("waited",)),
        Tool("list_orders", "orders of a customer", ("email", "page"), (*_ORDER, "page", "pages")),
        Tool(
            "get_order",
            "everything about one order",
            ("order_id",),
            (*_ORDER, "address", "held_until", "priority", "price", "total", "paid", "payment_ref", "charge_id"),
        ),
        Tool("list_products", "products for sale", ("page",), ("product_no", "name", "stock_code", "page", "pages")),
        Tool("list_reasons", "reasons for a cancellation", (), ("code", "meaning")),
        Tool("refund_order", "refund an order", ("order_id", "payment_id", "amount"), ("refunded",), True),
        Tool("cancel_order", "cancel an order", ("order_id", "reason"), ("request_id", "status"), True),
        Tool("submit_request", "hand in a request", ("request_id",), ("status",), True),
        Tool("send_order", "send an order to another address", ("order_id", "address"), ("status",), True),
        Tool("hold_order", "hold an order back until a day", ("order_id", "until"), ("status",), True),
        Tool("exchange_order", "exchange the product of an order", ("order_id", "product_id"), ("status",), True),
        Tool("set_priority", "mark an order as urgent", ("order_id", "level"), ("status",), True),
    )
}
