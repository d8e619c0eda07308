"""A small shop: customers' orders, products and reasons, made from a seed."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import Any, Final

Order = dict[str, Any]

ITEMS: Final = ("lamp", "kettle", "chair", "blanket", "clock", "mirror", "basket", "vase", "shelf", "rug")
COLOURS: Final = ("red", "blue", "green", "white", "black", "grey")
STREETS: Final = ("Elm Street", "Mill Lane", "Harbour Road", "Church Row", "Station Street", "Garden Walk")
FIRST_NAMES: Final = ("ana", "ben", "carla", "dan", "eva", "finn", "greta", "hugo", "ines", "jon", "kim", "lea")
REASONS: Final = ("bought by mistake", "found it cheaper", "no longer needed", "arrives too late", "wrong size")


@dataclass(slots=True)
class Shop:
    """All that the desk keeps.

    Attributes:
        orders: By id.
        products: In order of their number.
        reasons: Code and meaning.
        slow: Ids of orders whose first change of address gets lost.
        drafts: Cancellations that were not handed in, by id of the request: order and code.
    """

    orders: dict[str, Order] = field(default_factory=dict)
    products: list[dict[str, str]] = field(default_factory=list)
    reasons: list[dict[str, str]] = field(default_factory=list)
    slow: set[str] = field(default_factory=set)
    drafts: dict[str, tuple[str, str]] = field(default_factory=dict)


def make_shop(seed: str) -> Shop:
    """Make a shop; the same seed makes the same one."""
    rng = Random(seed)
    numbers = rng.sample(range(1000, 9999), 40)
    shop = Shop()
    names = [f"{colour} {item}" for item in ITEMS for colour in COLOURS]
    rng.shuffle(names)
    shop.products = [
        {"product_no": f"pn{rng.randrange(10**4):04d}", "name": name, "stock_code": f"sc{rng.randrange(10**5):05d}"}
        for name in names[:12]
    ]
    shop.reasons = [{"code": f"rc{rng.randrange(100, 999)}", "meaning": meaning} for meaning in REASONS]
    for email in customers(seed):
        for _ in range(rng.randrange(5, 9)):
            order = _order(rng, email, str(numbers.pop()))
            shop.orders[order["order_id"]] = order
            if rng.random() < 0.4:
                shop.slow.add(order["order_id"])
    return shop


def customers(seed: str) -> list[str]:
    """Give the mail addresses of the customers of the shop with this seed."""
    return [f"{name}@example.org" for name in Random(f"{seed}:customers").sample(FIRST_NAMES, 2)]


def _order(rng: Random, email: str, number: str) -> Order:
    price = rng.randrange(20, 190) + 0.5
    total = price + rng.choice((4.95, 6.95))
    paid = total - rng.choice((0.0, 5.0, 8.0, 12.0))
    return {
        "order_id": f"od{rng.randrange(10**6):06d}",
        "number": number,
        "email": email,
        "item": f"{rng.choice(COLOURS)} {rng.choice(ITEMS)}",
        "status": rng.choice(("new", "packed", "late", "delivered")),
        "address": f"{rng.choice(STREETS)} {rng.randrange(10, 99)}",
        "held_until": None,
        "priority": "normal",
        "price": round(price, 2),
        "total": round(total, 2),
        "paid": round(paid, 2),
        "payment_ref": f"pr{rng.randrange(10**6):06d}",
        "charge_id": f"ch{rng.randrange(10**6):06d}",
        "refunded": 0,
        "cancelled_for": None,
    }
