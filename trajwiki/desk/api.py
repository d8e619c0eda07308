"""The interface of the order desk: sessions that end, pages, limits on calls, and refusals that say what is wrong."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Final

from trajwiki.desk.shop import Order, Shop
from trajwiki.desk.tools import TOOLS

PAGE: Final = 3  # things on a page
SESSION: Final = 14  # ticks that a session lasts
BURST: Final = 6  # calls that are answered within a window
WINDOW: Final = 9  # ticks
PAUSE: Final = 6  # ticks that a wait takes
CALLS: Final = 26  # calls after which the desk closes
OLD: Final = 1
NEW: Final = 2


class Refusal(Exception):
    """What the desk answers instead of doing what was asked."""


class Desk:
    """The desk, for one task. Only `shop` tells afterwards what was really done.

    Attributes:
        shop: The state behind it.
        version: Of the interface. With `OLD` a charge goes by its `payment_ref`, and a packed order has to be held
            before its address changes; with `NEW` by its `charge_id`, and a held order is locked.
        calls: Made so far.
    """

    def __init__(self, shop: Shop, *, version: int = NEW) -> None:
        self.shop, self.version, self.calls = shop, version, 0
        self._now = 0
        self._until = -1  # end of the session
        self._answered: list[int] = []
        self._settled: set[str] = set()  # orders whose address was changed
        self._doing: dict[str, Callable[[Mapping[str, Any]], dict[str, Any]]] = {
            "list_orders": self._list_orders,
            "get_order": lambda a: _shown(self._order(a)),
            "list_products": lambda a: _page("products", self.shop.products, a),
            "list_reasons": lambda a: {"reasons": self.shop.reasons},
            "refund_order": self._refund,
            "cancel_order": self._cancel,
            "submit_request": self._submit,
            "send_order": self._send,
            "hold_order": self._hold,
            "exchange_order": self._exchange,
            "set_priority": self._set_priority,
        }

    def call(self, tool: str, arguments: Mapping[str, Any]) -> str:
        """Answer a call with JSON; what is refused has the field ``error``."""
        try:
            return json.dumps(self._answer(tool, arguments))
        except Refusal as refusal:
            return json.dumps({"error": str(refusal)})

    def _answer(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        self.calls += 1
        self._now += 1
        if self.calls > CALLS:
            raise Refusal("the desk is closed for today")
        if tool not in TOOLS:
            raise Refusal(f"there is no tool {tool!r}")
        if tool == "wait":
            self._now += PAUSE
            return {"waited": PAUSE}
        if tool == "sign_in":
            self._until = self._now + SESSION
            return {"session": "open", "lasts": SESSION}
        self._answered = [t for t in self._answered if t > self._now - WINDOW]
        if len(self._answered) >= BURST:
            raise Refusal("too many requests in a short time, wait before the next one")
        if self._until < self._now:
            raise Refusal("no valid session, it is not open or has expired")
        missing = [name for name in TOOLS[tool].takes if name != "page" and arguments.get(name) in (None, "")]
        if missing:
            raise Refusal(f"{missing[0]} is required")
        self._answered.append(self._now)
        return self._doing[tool](arguments)

    def _order(self, arguments: Mapping[str, Any]) -> Order:
        order = self.shop.orders.get(str(arguments["order_id"]))
        if order is None:
            raise Refusal("order_id is not known")
        return order

    def _list_orders(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        found = [o for o in self.shop.orders.values() if o["email"] == arguments["email"]]
        if not found:
            raise Refusal("email is not known")
        return _page("orders", [{n: o[n] for n in ("order_id", "number", "item", "status")} for o in found], arguments)

    def _refund(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        order = self._order(arguments)
        if arguments["payment_id"] != order["payment_ref" if self.version == OLD else "charge_id"]:
            raise Refusal("payment_id does not name a payment that can be given back")
        amount = arguments["amount"]
        if not isinstance(amount, int | float) or amount <= 0:
            raise Refusal("amount is not a number above zero")
        if amount > order["paid"]:
            raise Refusal("amount is more than the customer gave")
        order["refunded"] = amount
        return {"refunded": True}

    def _cancel(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        order = self._order(arguments)
        if arguments["reason"] not in {r["code"] for r in self.shop.reasons}:
            raise Refusal("reason is not a valid code")
        request = f"rq{4000 + 7 * len(self.shop.drafts) + int(order['number']) % 1000}"
        self.shop.drafts[request] = (order["order_id"], str(arguments["reason"]))
        return {"request_id": request, "status": "draft"}

    def _submit(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        draft = self.shop.drafts.pop(str(arguments["request_id"]), None)
        if draft is None:
            raise Refusal("request_id is not known")
        self.shop.orders[draft[0]] |= {"status": "cancelled", "cancelled_for": draft[1]}
        return {"status": "done"}

    def _send(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        order = self._order(arguments)
        held = order["held_until"] is not None
        if self.version == OLD and order["status"] == "packed" and not held:
            raise Refusal("a packed order has to be on hold")
        if self.version != OLD and held:
            raise Refusal("an order on hold is locked")
        if order["order_id"] in self.shop.slow:
            self.shop.slow.discard(order["order_id"])
            return {"status": "accepted"}
        order["address"] = arguments["address"]
        self._settled.add(order["order_id"])
        return {"status": "accepted"}

    def _hold(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        order = self._order(arguments)
        if self.version != OLD and order["status"] == "packed" and order["order_id"] not in self._settled:
            raise Refusal("the address of a packed order has to be settled")
        order["held_until"] = arguments["until"]
        return {"status": "held"}

    def _exchange(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        order = self._order(arguments)
        names = {p["stock_code"]: p["name"] for p in self.shop.products}
        if arguments["product_id"] not in names:
            raise Refusal("product_id is not in stock")
        order["item"] = names[arguments["product_id"]]
        return {"status": "exchanged"}

    def _set_priority(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        self._order(arguments)["priority"] = arguments["level"]
        return {"status": "set"}


def _shown(order: Order) -> dict[str, Any]:
    return {name: value for name, value in order.items() if name in TOOLS["get_order"].gives}


def _page(name: str, things: list[Any], arguments: Mapping[str, Any]) -> dict[str, Any]:
    pages = max(1, -(-len(things) // PAGE))
    page = arguments.get("page", 1)
    if not isinstance(page, int) or not 1 <= page <= pages:
        raise Refusal("page is out of range")
    return {name: things[(page - 1) * PAGE : page * PAGE], "page": page, "pages": pages}
