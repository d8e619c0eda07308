"""Tasks at the order desk: their words, and the state of the shop that each has to lead to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import Final

from trajwiki.desk.shop import STREETS, Order, Shop, customers, make_shop

DAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")

Wish = tuple[str, Callable[[Shop], None]]  # words, and what the shop looks like when it is met


@dataclass(frozen=True, slots=True)
class Task:
    """A task.

    Attributes:
        ref: Its name: tries with the same one are tries at the same thing.
        family: Kind of task.
        text: What the agent is told.
        seed: Of the shop that it is about.
    """

    ref: str
    family: str
    text: str
    seed: str

    def shop(self) -> Shop:
        """Give the shop as it is before."""
        return make_shop(self.seed)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the evaluator finds in the shop afterwards: whether it is as it should be, and what is not."""

    success: bool
    note: str


def evaluate(task: Task, shop: Shop) -> Verdict:
    """Compare the orders with what they should be: all that was asked for, and nothing else. It sees only the shop."""
    wanted = _made(task.family, task.seed)[1].orders
    wrong = [
        f"{name} of an order is {order[name]!r}, not {wanted[order_id][name]!r}"
        for order_id, order in shop.orders.items()
        for name in order
        if order[name] != wanted[order_id][name]
    ]
    return Verdict(not wrong, "; ".join(wrong[:3]) or "the shop is as it should be")


def make_task(family: str, seed: str) -> Task:
    """Make a task of a family; the same seed makes the same one. Raises KeyError."""
    text, _ = _made(family, seed)
    return Task(f"{family}:{seed}", family, text, seed)


@lru_cache(maxsize=1024)
def _made(family: str, seed: str) -> tuple[str, Shop]:
    """The words of a task, and the shop as it should be afterwards, which nobody changes."""
    shop = make_shop(seed)
    rng = Random(f"{seed}:{family}:task")
    text, meet = FAMILIES[family](rng, shop, customers(seed)[0])
    meet(shop)
    return text, shop


def _orders(shop: Shop, email: str) -> list[Order]:
    return [o for o in shop.orders.values() if o["email"] == email]


def _one(rng: Random, shop: Shop, email: str, wanted: Sequence[str] = (), other: str = "") -> Order:
    own = [o for o in _orders(shop, email) if o["order_id"] != other]
    return rng.choice([o for o in own if o["status"] in wanted] or own)


def _set(order: Order, **values: object) -> Callable[[Shop], None]:
    def meet(shop: Shop) -> None:
        shop.orders[order["order_id"]].update(values)

    return meet


def _address(rng: Random) -> str:
    return f"{rng.choice(STREETS)} {rng.randrange(100, 199)}"


def refund(rng: Random, shop: Shop, email: str) -> Wish:
    """Give back what was paid: not the price, not the total before the voucher."""
    order = _one(rng, shop, email)
    words = rng.choice(("Refund order {} of {} in full.", "Please give {1} a full refund for order {0}."))
    return words.format(order["number"], email), _set(order, refunded=order["paid"])


def cancel(rng: Random, shop: Shop, email: str) -> Wish:
    """A cancellation is a draft until it is handed in."""
    order, reason = _one(rng, shop, email), rng.choice(shop.reasons)
    words = rng.choice(('Cancel order {} of {} with the reason "{}".', 'Order {} of {} is to be cancelled: "{}".'))
    text = words.format(order["number"], email, reason["meaning"])
    return text, _set(order, status="cancelled", cancelled_for=reason["code"])


def redirect(rng: Random, shop: Shop, email: str) -> Wish:
    """Some changes of address get lost, and only a look shows it."""
    order, address = _one(rng, shop, email, ("new", "late")), _address(rng)
    words = rng.choice(('Send order {} of {} to "{}".', 'Change the address of order {} of {} to "{}".'))
    return words.format(order["number"], email, address), _set(order, address=address)


def hold(rng: Random, shop: Shop, email: str) -> Wish:
    """Two changes whose order matters."""
    order, address, day = _one(rng, shop, email, ("packed",)), _address(rng), rng.choice(DAYS)
    words = rng.choice(
        (
            'Hold order {0} of {1} until {2} and send it to "{3}".',
            'Send order {0} of {1} to "{3}" and hold it until {2}.',
        )
    )
    return words.format(order["number"], email, day, address), _set(order, address=address, held_until=day)


def exchange(rng: Random, shop: Shop, email: str) -> Wish:
    """The product stands on some page, under two numbers."""
    order, product = _one(rng, shop, email), rng.choice(shop.products)
    words = rng.choice(
        (
            'Exchange the product of order {} of {} for the "{}".',
            'Order {} of {}: exchange its product, she wants the "{}".',
        )
    )
    return words.format(order["number"], email, product["name"]), _set(order, item=product["name"])


def urgent(rng: Random, shop: Shop, email: str) -> Wish:
    """Every order that qualifies, on all pages, and no other one."""
    own = _orders(shop, email)
    status = rng.choice([o["status"] for o in own if o["status"] != "packed"] or ["packed"])
    meant = [o["order_id"] for o in own if o["status"] == status]

    def meet(after: Shop) -> None:
        for order_id in meant:
            after.orders[order_id]["priority"] = "urgent"

    words = rng.choice(("Mark every {} order of {} as urgent.", "Set the priority of all {} orders of {} to urgent."))
    return words.format(status, email), meet


def _both(
    first: Callable[[Random, Shop, str], Wish], second: Callable[[Random, Shop, str], Wish]
) -> Callable[..., Wish]:
    def made(rng: Random, shop: Shop, email: str) -> Wish:
        one, meet_one = first(rng, shop, email)
        other, meet_other = second(rng, shop, email)

        def meet(after: Shop) -> None:
            meet_one(after)
            meet_other(after)

        return f"{one} {other}", meet

    return made


FAMILIES: Final[dict[str, Callable[[Random, Shop, str], Wish]]] = {
    "refund": refund,
    "cancel": cancel,
    "redirect": redirect,
    "hold": hold,
    "exchange": exchange,
    "urgent": urgent,
    "refund, then redirect": _both(refund, redirect),
    "cancel, then refund": _both(cancel, refund),
}
TRAINED: Final = ("refund", "cancel", "redirect", "hold", "exchange", "urgent")
COMPOSED: Final = tuple(f for f in FAMILIES if f not in TRAINED)
