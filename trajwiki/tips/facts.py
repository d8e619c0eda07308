"""What tips are drawn from: the calls of a run, its instructions, its records, and where each value came from."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from trajwiki.domain.runs import Run, Step, StepKind
from trajwiki.language.tokens import fold
from trajwiki.tips.findings import Call, arguments_of, calls_of, is_change, tool_words

MAX_LEAVES: Final = 4_000  # values of one result that are looked at
MAX_DEPTH: Final = 12
MAX_TEXT: Final = 100_000

_USERS: Final = frozenset({"user", "human", "customer", "client"})
_SYSTEMS: Final = frozenset({"system", "developer", "instructions", "policy"})
_OWN: Final = frozenset({StepKind.ACTION, StepKind.MESSAGE, StepKind.FINAL, StepKind.THOUGHT})
_HANDS_OVER: Final = frozenset({"transfer", "escalate", "handoff", "handover", "delegate"})
_TOKEN: Final = re.compile(r"[\w@.+#$-]*\w")
_LETTERS: Final = re.compile(r"[^\W\d_]+")
_FIELD: Final = re.compile(r"[A-Za-z][A-Za-z_]*\Z")  # a key with a digit is a value used as a key


@dataclass(frozen=True, slots=True)
class Leaf:
    """A value in arguments or in a result, with the names that lead to it: no positions, no keys that are values."""

    path: tuple[str, ...]
    value: Any

    @property
    def field(self) -> str:
        """The names, joined with points; empty for a bare value."""
        return ".".join(self.path)


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a value of an argument stood before.

    Attributes:
        step: Number of the step.
        tool: Whose result it was; None: the user said it.
        field: Names that lead to it in the result, joined with points; empty in plain text.
    """

    step: int
    tool: str | None
    field: str


@dataclass(frozen=True, slots=True)
class Facts:
    """A run as the makers of tips read it.

    Attributes:
        run: The run.
        calls: Its calls.
        instructions: Text of its instructions, which are about any task: what systems say, apart from the task.
        names: Names of its tools, arguments and fields.
        values: Folded values of its arguments, results and task, and their words: none may stand in a tip.
        told: Folded words of the instructions.
        results: Step number of a result to its leaves.
        sayings: (step number, folded text) of what the user said.
    """

    run: Run
    calls: tuple[Call, ...]
    instructions: str
    names: frozenset[str]
    values: frozenset[str]
    told: frozenset[str]
    results: Mapping[int, tuple[Leaf, ...]]
    sayings: tuple[tuple[int, str], ...]

    def origin(self, value: Any, before: int) -> Origin | None:
        """Give where a value stood last before a step: in the result of a tool, else in the user's words."""
        if not is_specific(value):
            return None
        wanted = fold(str(value))
        for call in reversed(self.calls):
            result = call.result
            if result is None or result.number >= before or call.error is not None or is_act(call):
                continue
            if any(fold(str(x.value)) == wanted for x in leaves(call.step.arguments)):
                continue  # it was asked with the value, so it did not bring it in
            leaf = next((x for x in self.results.get(result.number, ()) if fold(str(x.value)) == wanted), None)
            if leaf is not None:
                return Origin(result.number, call.tool, leaf.field)
        for number, text in reversed(self.sayings):
            if number < before and wanted in text:
                return Origin(number, None, "")
        return None

    def feeds(self, call: Call) -> bool:
        """Tell whether a value of a result without fields, such as a sum, was used afterwards."""
        if call.result is None:
            return False
        shown = {fold(str(x.value)) for x in self.results.get(call.result.number, ()) if not x.field}
        after = [s for s in self.run.steps[call.result.number :] if s.kind in _OWN]
        told = {t for s in after for t in _TOKEN.findall(fold(s.text[:MAX_TEXT]))}
        told |= {fold(str(x.value)) for s in after for x in leaves(s.arguments)}
        return bool(shown & (told | {t.removesuffix(".0") for t in told} | {f"{t}.0" for t in told}))

    def used(self, call: Call, *, spoken: bool = False) -> tuple[str, ...]:
        """Give the fields of a result whose values the run used afterwards, in arguments or in what it said; at most 4.

        A value that stood in the run before the call says nothing, and neither does a field without a name. With
        `spoken`, only what it said counts.
        """
        if call.result is None:
            return ()
        after = [s for s in self.run.steps[call.result.number :] if s.kind in _OWN]
        given = {fold(str(x.value)) for s in after for x in leaves(s.arguments)}
        said = " ".join(fold(s.text[:MAX_TEXT]) for s in after)
        heard = set(_TOKEN.findall(said))
        earlier = [s for s in self.run.steps[: call.step.number] if s.kind is not StepKind.PROMPT]
        before = set(_TOKEN.findall(" ".join(fold(s.text[:MAX_TEXT]) for s in earlier)))
        found: dict[str, None] = {}
        for leaf in self.results.get(call.result.number, ()):
            raw = str(leaf.value)
            value = fold(raw)
            told = len(value) > 2 and raw.islower() and (value in heard or value.replace("_", " ") in said)
            plain = value.replace("_", "").replace(" ", "").isalpha()
            used = (told and plain) or (is_specific(leaf.value) and value in given and not spoken)
            if leaf.field and used and not isinstance(leaf.value, bool) and value not in before:
                found.setdefault(leaf.field)
        return tuple(dict((f.rpartition(".")[2], f) for f in reversed(found)).values())[::-1][:4]

    def record_of(self, call: Call) -> tuple[Call, tuple[Leaf, ...]] | None:
        """Give the reading call before a change that looked at the same thing, with what it showed.

        The same thing: asked for by an argument of the same name and value; among several the one whose name shares
        most words with the change, then the last.
        """
        asked = {(x.field, fold(str(x.value))) for x in leaves(arguments_of(call.step)) if is_specific(x.value)}
        found = []
        for n, other in enumerate(self.calls):
            result = other.result
            if result is None or result.number >= call.step.number or other.error or is_act(other):
                continue
            given = {(x.field, fold(str(x.value))) for x in leaves(arguments_of(other.step)) if is_specific(x.value)}
            if asked & given and not lists(other):
                shared = len(set(tool_words(call.tool)) & set(tool_words(other.tool)))
                found.append((shared, n, other, self.results.get(result.number, ())))
        return max(found, key=lambda x: x[:2])[2:] if found else None


def facts_of(run: Run) -> Facts:
    """Read the facts of a run."""
    calls = calls_of(run)
    instructions = "\n".join(s.text[:MAX_TEXT] for s in run.steps if _is_instruction(s, run))
    told = frozenset(fold(w) for w in _LETTERS.findall(instructions))
    results = {c.result.number: tuple(_result_leaves(c.result)) for c in calls if c.result is not None}
    names: set[str] = set()
    given: list[Leaf] = []
    for call in calls:
        names.add(call.tool)
        found = list(leaves(call.step.arguments))
        given += found
        names.update(part for x in found for part in (x.field, *x.path))
    for shown in results.values():
        names.update(part for x in shown for part in (x.field, *x.path))
    values = _values([*given, *(x for shown in results.values() for x in shown)], told)
    sayings = tuple((s.number, fold(s.text[:MAX_TEXT])) for s in run.steps if _is_user(s, run))
    sayings = sayings or ((1, fold(run.task[:MAX_TEXT])),)
    return Facts(run, calls, instructions, frozenset(names) - {""}, values, told, results, sayings)


def lists(call: Call) -> bool:
    """Tell whether a call gave several things rather than the record of one."""
    return call.result is not None and call.result.text.lstrip()[:1] == "["


def is_act(call: Call) -> bool:
    """Tell whether a call changes something or hands the task over: after it the world is another one."""
    return is_change(call) or bool(_HANDS_OVER & set(tool_words(call.tool)))


def leaves(value: Any, path: tuple[str, ...] = (), depth: int = 0) -> Iterator[Leaf]:
    """Give every single value in arguments or a record."""
    if depth > MAX_DEPTH:
        return
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from leaves(inner, (*path, key) if _FIELD.match(str(key)) else path, depth + 1)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from leaves(inner, path, depth + 1)
    elif value is not None:
        yield Leaf(path, value)


def is_specific(value: Any) -> bool:
    """Tell whether a value can be traced: an id, an address, a name, an amount; not a flag or a plain small word."""
    if isinstance(value, bool):
        return False
    text = str(value)
    if isinstance(value, int | float):
        return abs(value) >= 10
    return 2 < len(text) <= 200 and (any(c.isdigit() for c in text) or "@" in text or not text.islower())


def _result_leaves(result: Step) -> list[Leaf]:
    text = result.text[:MAX_TEXT].strip()
    record: Any = None
    if text[:1] in ("{", "["):
        try:
            record = json.loads(text)
        except (ValueError, RecursionError):
            record = None
    if record is not None:
        found = [*_keys(record), *leaves(record)]
    else:
        tokens = (m.group() for m in _TOKEN.finditer(text))
        found = [Leaf((), t) for t in dict.fromkeys(tokens) if is_specific(t)]
    return found[:MAX_LEAVES]


def _keys(value: Any, path: tuple[str, ...] = (), depth: int = 0) -> Iterator[Leaf]:
    """Keys that are values, as ids often are: each under the name of the mapping that it is a key of."""
    if depth > MAX_DEPTH:
        return
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if _FIELD.match(str(key)):
                yield from _keys(inner, (*path, key), depth + 1)
            else:
                yield Leaf(path, key)
                yield from _keys(inner, path, depth + 1)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _keys(inner, path, depth + 1)


def _values(found: list[Leaf], told: frozenset[str]) -> frozenset[str]:
    """Values that belong to a case. A plain lower-case word is one only where it is no word of the instructions."""
    out: set[str] = set()
    for leaf in found:
        text = str(leaf.value)
        if isinstance(leaf.value, bool) or not text.strip() or len(text) > 200:
            continue
        if len(text) > 1:
            out.add(fold(text))
        out.update(
            low for w in _LETTERS.findall(text) if len(low := fold(w)) > 1 and (not w.islower() or low not in told)
        )
        out.update(fold(w) for w in _TOKEN.findall(text) if any(c.isdigit() for c in w) and len(w) > 1)
    return frozenset(out)


def _is_user(step: Step, run: Run) -> bool:
    if step.kind is StepKind.PROMPT:
        return not _is_instruction(step, run)
    return step.kind is StepKind.MESSAGE and step.agent.casefold() in _USERS


def _is_instruction(step: Step, run: Run) -> bool:
    """What a system says, or a prompt before the first action that is not the task itself."""
    if step.kind is not StepKind.PROMPT:
        return False
    if step.agent.casefold() in _SYSTEMS:
        return True
    return not step.agent and bool(run.task) and run.task[:200] not in step.text
