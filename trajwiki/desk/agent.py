"""An agent that works at the order desk by a plan, can go wrong, and weighs the guidelines that it is given.

It knows the documentation of the tools and reads what they answer. Where the documentation leaves something open it
chooses by the likeness of names and by chance, as somebody new at the desk would. Guidelines are rules that shift its
choices: each is taken up only with some probability, and a wrong one does harm.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from trajwiki.desk.api import Desk
from trajwiki.desk.clerk import OBEYS, PATIENCE, Clerk, GaveUpError, speaks, stems
from trajwiki.desk.reading import Rule
from trajwiki.desk.tools import TOOLS
from trajwiki.desk.understanding import Goal, understand
from trajwiki.domain.runs import StepKind
from trajwiki.language.tokens import stem

BEYOND: Final = 0.3  # probability that a rule which it took up moves it to a change that the task does not speak of

SIGNS_IN: Final = 0.5  # habits of the agent: probabilities
LOOKS_UP: Final = 0.65
PAGES_ON: Final = 0.5
READS_ON: Final = 0.35  # takes the next step that a reply hints at
CHECKS: Final = 0.15
GIVES_UP: Final = 0.2
TURNS: Final = 0.8  # to another part of the task, when this one is refused


class Agent(Clerk):
    """An agent for one task."""

    def __init__(self, desk: Desk, task: str, *, seed: str, guidelines: str = "", obeys: float = OBEYS) -> None:
        super().__init__(desk, task, seed=seed, guidelines=guidelines, obeys=obeys)
        self._preparing: set[str] = set()
        self._goals: list[Goal] = []

    def work(self) -> str:
        """Do the task as well as it can, and give its last words; whether they are true, it does not know."""
        self._goals = understand(self._task)
        if len(self._goals) > 1 and self._rng.random() < 0.3:
            self._goals.reverse()
        self._think(f"I need {', then '.join(g.tool for g in self._goals)}.")
        words_ = "All is done."
        try:
            if self._chance(SIGNS_IN):
                self._call("sign_in", {})
            for goal in list(self._goals):
                self._meet(goal)
        except GaveUpError as reason:
            words_ = f"I could not finish this: {reason}"
        self._step(StepKind.FINAL, words_)
        return words_

    # Goals.

    def _meet(self, goal: Goal) -> None:
        if goal.done:
            return
        if goal.every:
            for entry in self._all(goal):
                self._do(goal, {"order_id": entry.get("order_id")})
            return
        if not self._follows("shun", goal.tool) or self._chance(0.7):  # the task outranks advice
            self._do(goal, {})

    def _do(self, goal: Goal, known: Mapping[str, Any]) -> None:
        tool = goal.tool
        for rule in self._about("before", tool):
            self._prepare(goal, rule)
        if goal.done and not goal.every:
            return
        arguments = {name: self._value(goal, name, known) for name in TOOLS[tool].takes}
        arguments = {n: v for n, v in arguments.items() if v is not None and not self._follows("omit", tool, n)}
        goal.last = self._insist(goal, arguments, known)
        goal.done, goal.arguments = goal.done + 1, arguments
        self._follow_up(goal, arguments)

    def _prepare(self, goal: Goal, rule: Rule) -> None:
        """Call what is said to come before; another goal is met first, a change nobody asked for is seldom made."""
        if rule.name == goal.tool or rule.name in self._preparing or rule.name not in TOOLS:
            return
        other = next((g for g in self._goals if g.tool == rule.name), None)
        self._preparing |= {goal.tool, rule.name}
        if other is not None:
            self._meet(other)
        elif TOOLS[rule.name].changes:
            if self._chance(BEYOND):
                self._side(goal, rule.name)
        elif rule.name == "wait":
            if not rule.error or self._chance(0.15):  # said of a refusal: the agent mostly waits until it comes
                self._call("wait", {})
        elif rule.name != "sign_in" or not self._is_open():
            self._side(goal, rule.name)
        self._preparing -= {goal.tool, rule.name}

    def _side(self, goal: Goal, tool: str) -> dict[str, Any] | None:
        """A call beside the goals, with what the agent has for its arguments."""
        if tool == "list_orders":
            return self._order_of(goal)
        if tool == "list_products":
            return self._find(goal, tool, {})
        if TOOLS[tool].changes:  # no values are made up for a change that nobody asked for
            at_hand = {**goal.said, **goal.last, "order_id": goal.said.get("number")}
            if any(at_hand.get(n) is None for n in TOOLS[tool].takes):
                return None
            at_hand |= self._order_of(goal) or {}
            arguments = {n: at_hand.get(n) for n in TOOLS[tool].takes}
        else:
            arguments = {n: self._value(goal, n, {}) for n in TOOLS[tool].takes if n != "page"}
        if any(v is None for v in arguments.values()):
            return None
        return self._patient(tool, arguments)

    def _follow_up(self, goal: Goal, arguments: Mapping[str, Any]) -> None:
        """What comes after a change: what advice says, what the reply hints at, or a look at what it did."""
        hinted = [
            t.name for t in TOOLS.values() if t.changes and set(t.takes) <= set(goal.last) and t.name != goal.tool
        ]
        next_ = [r.name for r in self._about("after", goal.tool)]
        due = [r.tool for r in self.rules if r.kind == "due"]
        for tool in dict.fromkeys(t for t in (*hinted, *next_, *due) if t in TOOLS):
            if TOOLS[tool].changes:
                if any(g.tool == tool for g in self._goals):
                    continue
                told = tool in next_ or tool in due
                if (told or self._chance(READS_ON)) if tool in hinted else (tool in next_ and self._chance(BEYOND)):
                    self._side(goal, tool)
            elif tool == "get_order":
                self._check(goal, arguments)
                return
        if self._chance(CHECKS):
            self._check(goal, arguments)

    def _check(self, goal: Goal, arguments: Mapping[str, Any]) -> None:
        """Read back, and call again when the values are not there."""
        order_id = arguments.get("order_id")
        for _ in range(2):
            shown = self._patient("get_order", {"order_id": order_id})
            lost = [n for n, v in arguments.items() if shown is not None and n in shown and shown[n] != v]
            if not lost:
                return
            self._think(f"The {lost[0]} is not what was asked for, so {goal.tool} has to be called again.")
            goal.last = self._insist(goal, arguments, {})

    # Values.

    def _value(self, goal: Goal, name: str, known: Mapping[str, Any], avoid: frozenset[str] = frozenset()) -> Any:
        """Give a value for an argument: as advice says, as stated, or from a field that has a likely name."""
        if known.get(name) is not None:
            return known[name]
        if name == "page":
            return None
        fills = [r for r in self._about("fill", goal.tool, name) if r.field not in avoid]
        if fills and (found := self._filled(goal, self._rng.choice(fills))) is not None:
            return found
        if name in goal.said:
            return goal.said[name]
        if name == "address":
            return goal.said.get("quoted")
        if name == "order_id":
            looked = self._follows("before", goal.tool, "list_orders") or self._chance(LOOKS_UP) or "number" in avoid
            order = self._order_of(goal) if looked else None
            return order["order_id"] if order else goal.said.get("number")
        if name in goal.last:
            return goal.last[name]
        return self._likely(goal, name, avoid)

    def _filled(self, goal: Goal, rule: Rule) -> Any:
        """The field that a rule names, of the entry that the goal is about."""
        if rule.source not in TOOLS or goal.tool in TOOLS[rule.source].takes:
            return None
        entry = self._entry(goal, rule.source)
        return entry.get(rule.field) if entry else None

    def _entry(self, goal: Goal, source: str) -> dict[str, Any] | None:
        if source == "list_orders":
            return self._order_of(goal)
        if source == "get_order":
            return self._record(goal)
        held = self._held(goal, source, {})
        return held if held is not None else self._find(goal, source, {})

    def _likely(self, goal: Goal, name: str, avoid: frozenset[str]) -> Any:
        """Choose a field by the likeness of its name, with some chance in it."""
        sources = [t for t in TOOLS.values() if not t.changes and t.name not in ("sign_in", "wait", "list_orders")]
        options: dict[tuple[str, str], float] = {}
        for tool in sources:
            for n, given in enumerate(tool.gives):
                if given in ("page", "pages", "status", "number", "order_id", "address", "item", *avoid):
                    continue
                if any(r.field == given and r.source == tool.name for r in self._about("shun-field", goal.tool, name)):
                    continue
                weight = _likeness(name, given, tool.says)
                if weight:
                    options[tool.name, given] = weight * (1.0 - 0.01 * n)
        if not options:
            return goal.said.get("quoted")
        if "quoted" in goal.said and "quoted" not in avoid and not self._chance(LOOKS_UP):
            return goal.said["quoted"]
        (source, chosen), *_ = self._rng.choices(list(options), weights=list(options.values()))
        self._think(f"For {name} of {goal.tool} I take {chosen} of {source}.")
        entry = self._entry(goal, source)
        return entry.get(chosen) if entry else goal.said.get("quoted")

    # Looking things up.

    def _order_of(self, goal: Goal) -> dict[str, Any] | None:
        number = goal.said.get("number")
        if number is None:
            return None
        held = next((e for _, e in self.seen if e.get("number") == number), None)
        return held or self._find(goal, "list_orders", {"email": goal.said.get("email")})

    def _record(self, goal: Goal) -> dict[str, Any] | None:
        number = goal.said.get("number")
        held = next((e for t, e in self.seen if t == "get_order" and e.get("number") == number), None)
        if held is not None:
            return held
        order = self._order_of(goal)
        return self._patient("get_order", {"order_id": order["order_id"]}) if order else None

    def _held(self, goal: Goal, source: str, arguments: Mapping[str, Any]) -> dict[str, Any] | None:
        wanted = goal.said.get("quoted") if source != "list_orders" else goal.said.get("number")
        return next((e for t, e in self.seen if t == source and wanted in e.values()), None)

    def _find(self, goal: Goal, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any] | None:
        """Go through a list until the entry is there, or patience ends; else take the one that looks most like it."""
        page, pages = 1, 1
        while page <= pages:
            reply = self._patient(tool, {**arguments, **({"page": page} if page > 1 else {})})
            if reply is None:
                return None
            if (held := self._held(goal, tool, arguments)) is not None:
                return held
            pages, page = int(reply.get("pages", 1)), page + 1
            if page <= pages and not (self._follows("each", tool, "page") or self._chance(PAGES_ON)):
                break
        alike = [
            (len(goal.about & stems(" ".join(map(str, e.values())))), -i, e)
            for i, (t, e) in enumerate(self.seen)
            if t == tool
        ]
        best = max(alike, key=lambda x: x[:2], default=None)
        if best is None or not best[0] or self._chance(0.5):
            return None
        self._think(f"I do not see it, and take what is most like it in {tool}.")
        return best[2]

    def _all(self, goal: Goal) -> list[dict[str, Any]]:
        """Every entry that fits, on the pages that the agent looks at."""
        page, pages = 1, 1
        while page <= pages:
            reply = self._patient(
                "list_orders", {"email": goal.said.get("email"), **({"page": page} if page > 1 else {})}
            )
            if reply is None:
                break
            pages, page = int(reply.get("pages", 1)), page + 1
            on = (
                self._follows("each", "list_orders", "page")
                or self._follows("all", goal.tool)
                or self._chance(PAGES_ON)
            )
            if page <= pages and not on:
                break
        orders = [e for t, e in self.seen if t == "list_orders"]
        return [e for e in orders if stem(str(e.get("status"))) in goal.about]

    # Calls.

    def _insist(
        self, goal: Goal, arguments: dict[str, Any] | Mapping[str, Any], known: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Make the call that a goal is about, and try to put right what is refused."""
        given, tool = dict(arguments), goal.tool
        avoid: dict[str, set[str]] = {}
        for _ in range(PATIENCE):
            reply = self._call(tool, given)
            if "error" not in reply:
                return reply
            error = str(reply["error"])
            if self._mend(error, tool):
                continue
            if self._postponed(goal, error):
                continue
            name = self._blamed(tool, error)
            if name is None or self._chance(GIVES_UP):
                raise GaveUpError(f"{tool} was refused: {error}")
            avoid.setdefault(name, set()).update(self._came_from(given.get(name), goal))
            self._think(f"The refusal speaks of {name}, so I look for another one.")
            value = self._value(goal, name, {k: v for k, v in known.items() if k != name}, frozenset(avoid[name]))
            if value is None:
                raise GaveUpError(f"there is no other {name}")
            given[name] = value
        raise GaveUpError(f"{tool} was refused again and again")

    def _postponed(self, goal: Goal, error: str) -> bool:
        """Meet another goal first when a refusal sounds as if something had to come before."""
        others = [g for g in self._goals if g is not goal and not g.done and g.tool not in self._preparing]
        told = [r.name for r in self.rules if r.kind == "before" and r.tool == goal.tool and speaks(r.error, error)]
        again = [g for g in self._goals if g is not goal and g.done and g.arguments and stems(g.tool) & stems(error)]
        if again and not self._blamed(goal.tool, error) and (again[0].tool in told or self._chance(READS_ON)):
            self._think(f"{goal.tool} is refused as if {again[0].tool} had not been done, so I do it again.")
            again[0].last = self._insist(again[0], again[0].arguments, {})
            return True
        able = [g for g in others if g.tool in told] or (
            [g for g in others if self._chance(TURNS)] if not self._blamed(goal.tool, error) else []
        )
        if not able:
            return False
        self._think(f"{goal.tool} is refused, so I turn to {able[0].tool} first.")
        self._preparing.add(goal.tool)
        self._meet(able[0])
        self._preparing.discard(goal.tool)
        return True

    def _came_from(self, value: Any, goal: Goal) -> set[str]:
        found = {name for _, entry in self.seen for name, held in entry.items() if held == value}
        return found | {name for name, held in goal.said.items() if held == value}


def _likeness(argument: str, given: str, says: str) -> float:
    """How much a field's name promises to be what an argument wants: by shared words, the first one most."""
    a, b = argument.split("_"), given.split("_")
    if argument == given:
        return 4.0
    if a[0] == b[0]:
        return 2.0
    if set(a) & set(b) or (argument == "amount" and given in ("price", "total", "paid")):
        return 0.8
    return 0.6 if stem(a[0]) in stems(says) else 0.0
