"""What a run shows: errors, recoveries, waste, and whether the result was checked."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from trajwiki.domain.runs import Finding, Run, Step, StepKind
from trajwiki.tips.code_calls import calls_in_code
from trajwiki.tips.dependencies import argument_values, values_in
from trajwiki.tips.errors import ErrorSign, find_error

ONE_BY_ONE: Final = 3  # calls that differ in one argument, from which on it is a walk
MAX_TEXT: Final = 50_000
WORD: Final = 5  # letters from which on a word says something
SHOWN: Final = 80  # characters of a value that a sentence shows

_TOKEN: Final = re.compile(r"\d[\d.,]*|\w+")
_WORDS: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_CHANGE_WORDS: Final = """
add append apply assign book buy cancel change charge create delete deploy drop edit exchange insert install merge
modify move order pay post publish push put redeem refund register remove rename replace reply request reset return save
schedule send set submit transfer update upload withdraw write
"""
_CHECK_WORDS: Final = """
assert check confirm count describe diff ensure fetch find get inspect lint list look lookup open print query read
retrieve review search select show status test tests validate verify view
"""
_CHANGES: Final = frozenset(_CHANGE_WORDS.split())
_CHECKS: Final = frozenset(_CHECK_WORDS.split())
_THINKING: Final = frozenset(("think", "thought", "thinking", "reflect"))  # tools that only keep a thought
_HANDOVER: Final = frozenset(("human", "humans", "agent", "agents", "operator", "support", "supervisor"))
_PAGES: Final = frozenset(
    ("page", "page_index", "page_number", "pageindex", "offset", "cursor", "skip", "start", "page_token")
)
_BULK: Final = frozenset(("limit", "page_limit", "page_size", "per_page", "count", "size", "max_results", "top_k"))
_CHECKING: Final = re.compile(
    r"\b(?:verif(?:y|ied|ying)|double[- ]?check|let(?:'s| me) (?:check|confirm|test|make sure)|to make sure"
    r"|run (?:the )?tests?)\b",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Call:
    """An action with what came of it.

    Attributes:
        step: The action.
        result: What came back; None: nothing did.
        error: What in the result says that it failed.
    """

    step: Step
    result: Step | None
    error: ErrorSign | None

    @property
    def tool(self) -> str:
        """Name of the tool, or ``code`` where the action names none."""
        return self.step.tool or "code"

    @property
    def key(self) -> str:
        """The arguments in one spelling; two calls of a tool with the same key are identical."""
        return json.dumps(arguments_of(self.step), sort_keys=True, ensure_ascii=True, default=str)

    @property
    def steps(self) -> tuple[int, ...]:
        """Numbers of its steps."""
        return (self.step.number,) if self.result is None else (self.step.number, self.result.number)


def arguments_of(step: Step) -> Mapping[str, Any]:
    """Give the arguments of an action; what it says is the only argument of one that has no others."""
    return step.arguments or ({"text": step.text} if step.text else {})


def calls_of(run: Run) -> tuple[Call, ...]:
    """Pair the actions of a run with what came back: by the call they answer, else the next one after the action."""
    answered = {s.answers: s for s in run.steps if s.answers is not None and s.kind in _RETURNS}
    calls: list[Call] = []
    for step in run.steps:
        if step.kind is StepKind.ACTION and (step.tool or "").lower() not in _THINKING:
            calls += _calls_at(step, answered.get(step.number) or _next_result(run, step))
    return tuple(calls)


def _calls_at(step: Step, result: Step | None) -> Iterator[Call]:
    """The calls of an action; of code with several, those up to the one that failed: the one that the error names."""
    error = find_error(result) if result else None
    inner = calls_in_code(step)
    at_fault = len(inner) - 1
    if error is not None and result is not None and len(inner) > 1:
        named = [
            i for i, call in enumerate(inner) if f"{(call.tool or '').rpartition('.')[2]}(" in result.text[:MAX_TEXT]
        ]
        at_fault = named[0] if named else at_fault
    for i, call in enumerate(inner[: at_fault + 1]):
        yield Call(call, result, error if i == at_fault else None)


_RETURNS: Final = (StepKind.OBSERVATION, StepKind.ERROR)


def _next_result(run: Run, step: Step) -> Step | None:
    for later in run.steps[step.number :]:
        if later.kind in _RETURNS:
            return later if later.answers is None else None
        if later.kind is StepKind.ACTION:
            return None
    return None


def find_all(run: Run, calls: Sequence[Call]) -> tuple[Finding, ...]:
    """Give everything that the rules find in a run, in order of the first step."""
    recoveries = list(_recoveries(calls))
    found = [
        *_errors(run, calls, recoveries),
        *recoveries,
        *_repeated(calls),
        *_one_by_one(calls),
        *_unused(run, calls),
        *_validation(run, calls),
    ]
    return tuple(sorted(found, key=lambda f: (f.steps[0], f.kind, f.steps)))


def _errors(run: Run, calls: Sequence[Call], recoveries: Sequence[Finding]) -> Iterator[Finding]:
    """Every error; whether something put it right stands in the details."""
    put_right = {step for f in recoveries for step in f.steps}
    of_calls = {c.result.number: c for c in calls if c.result is not None and c.error is not None}
    for step in run.steps:
        sign = find_error(step)
        if sign is None:
            continue
        call = of_calls.get(step.number)
        tool = call.tool if call else step.tool
        details: dict[str, Any] = {
            "tool": tool,
            "kind": sign.kind,
            "error": sign.words,
            "recovered": step.number in put_right,
        }
        if call:
            details["arguments"] = dict(arguments_of(call.step))
        text = f"{tool or 'A step'} failed: {sign.words}"
        yield Finding("error", (*call.steps,) if call else (step.number,), text, sign.confidence, details)


def _recoveries(calls: Sequence[Call]) -> Iterator[Finding]:
    """An error, and the first later call of the same tool that worked; what changed between them put it right."""
    done: set[int] = set()
    for i, failed in enumerate(calls):
        if failed.error is None or i in done:
            continue
        for j in range(i + 1, len(calls)):
            later = calls[j]
            if later.tool != failed.tool or not _alike(failed, later):
                continue
            if later.error is None and later.result is not None:
                done.update(k for k in range(i, j) if calls[k].tool == failed.tool and calls[k].error)
                last = max(k for k in range(i, j) if calls[k].tool == failed.tool and calls[k].error)
                yield _recovery(calls, first=i, last=last, fixed=j)
                break


def _alike(failed: Call, later: Call) -> bool:
    """Whether a later call can be a retry: it shares an argument with the failed one, or has hardly any."""
    a, b = arguments_of(failed.step), arguments_of(later.step)
    if len(a) <= 1 or len(b) <= 1:
        return True
    return any(k in b and b[k] == a[k] for k in a)


def _recovery(calls: Sequence[Call], *, first: int, last: int, fixed: int) -> Finding:
    failed, later = calls[last], calls[fixed]
    assert failed.error is not None
    tries = [c for c in calls[first : last + 1] if c.tool == failed.tool and c.error]
    steps = tuple(dict.fromkeys([*(n for c in tries for n in c.steps), *later.steps]))
    changes = changed_arguments(arguments_of(failed.step), arguments_of(later.step))
    details: dict[str, Any] = {"tool": failed.tool, "error": failed.error.words, "error_kind": failed.error.kind}
    if changes:
        name, wrong, right = changes[0]
        details |= {"argument": name, "wrong": wrong, "right": right}
        details["changes"] = [{"argument": n, "wrong": w, "right": r} for n, w, r in changes]
        text = (
            f"{failed.tool} failed with {name} = {_show(wrong)} ({failed.error.words}) and worked with {_show(right)}."
        )
        return Finding("recovery", steps, text, 0.9 if len(changes) == 1 else 0.75, details)
    between = [c for c in calls[last + 1 : fixed] if c.error is None and c.tool != failed.tool]
    if between:
        details |= {
            "argument": None,
            "before": between[-1].tool,
            "before_all": list(dict.fromkeys(c.tool for c in between)),
        }
        steps = tuple(sorted({*steps, *(n for c in between for n in c.steps)}))
        text = f"{failed.tool} failed ({failed.error.words}) and worked unchanged after {between[-1].tool}."
        return Finding("recovery", steps, text, 0.7, details)
    text = f"{failed.tool} failed ({failed.error.words}) and worked when it was called again."
    return Finding("recovery", steps, text, 0.6, details | {"argument": None, "before": None})


def changed_arguments(a: Mapping[str, Any], b: Mapping[str, Any]) -> list[tuple[str, Any, Any]]:
    """Give (argument, old value, new value) of what differs; None stands for an argument that is not there."""
    names = sorted({*a, *b})
    return [(n, a.get(n), b.get(n)) for n in names if a.get(n) != b.get(n)]


def _repeated(calls: Sequence[Call]) -> Iterator[Finding]:
    """The same call with the same arguments and the same result, again, with no change in between."""
    groups: dict[tuple[str, str], list[Call]] = defaultdict(list)
    changes = [c.step.number for c in calls if c.error is None and is_change(c)]
    for call in calls:
        groups[call.tool, call.key].append(call)
    for (tool, _), same in groups.items():
        again = [same[0]]
        for call in same[1:]:
            moved = any(again[-1].step.number < n < call.step.number for n in changes)
            if not moved and _result(call) == _result(again[-1]):
                again.append(call)
        if len(again) > 1 and not is_change(again[0]):
            steps = tuple(n for c in again for n in c.steps)
            details = {"tool": tool, "count": len(again), "failed": again[0].error is not None}
            yield Finding(
                "repeated-call", steps, f"{tool} was called {len(again)} times in the same way.", 0.85, details
            )


def _one_by_one(calls: Sequence[Call]) -> Iterator[Finding]:
    """Calls of one tool that differ in one argument only; with the call that took them at once, if there is one."""
    by_tool: dict[str, list[Call]] = defaultdict(list)
    for call in calls:
        if call.error is None and call.step.arguments:
            by_tool[call.tool].append(call)
    for tool, same in by_tool.items():
        for name in sorted({n for c in same for n in c.step.arguments}):
            groups: dict[str, list[Call]] = defaultdict(list)
            for call in same:
                if name in call.step.arguments:
                    rest = {k: v for k, v in call.step.arguments.items() if k != name}
                    groups[json.dumps(rest, sort_keys=True, default=str)].append(call)
            for group in groups.values():
                values = list(dict.fromkeys(str(c.step.arguments[name]) for c in group))
                if len(values) >= ONE_BY_ONE and not is_change(group[0]):
                    yield _walk(calls, tool, name, group, values)


def _walk(calls: Sequence[Call], tool: str, name: str, group: Sequence[Call], values: Sequence[str]) -> Finding:
    bulk = next(
        (c for c in calls if c.step.number > group[-1].step.number and _takes_many(c, tool, name, values)), None
    )
    paging = name.lower() in _PAGES
    details: dict[str, Any] = {"tool": tool, "argument": name, "count": len(group), "paging": paging}
    steps = tuple(n for c in group for n in c.steps)
    text = f"{tool} was called {len(group)} times, once for each {name}"
    if bulk is None:
        return Finding("one-by-one", steps, f"{text}.", 0.5 if paging else 0.4, details | {"bulk": None})
    wider = [n for n in bulk.step.arguments if n.lower() in _BULK or isinstance(bulk.step.arguments[n], list)]
    details |= {"bulk": bulk.tool, "bulk_argument": wider[0] if wider else None}
    return Finding("one-by-one", (*steps, *bulk.steps), f"{text}, before {bulk.tool} took them at once.", 0.8, details)


def _takes_many(call: Call, tool: str, name: str, values: Sequence[str]) -> bool:
    if call.error is not None or call.result is None:
        return False
    wanted = set(values)
    if any(isinstance(v, list | tuple) and len(wanted & {str(x) for x in v}) > 1 for v in call.step.arguments.values()):
        return True
    if call.tool == tool:
        return name not in call.step.arguments or any(n.lower() in _BULK for n in call.step.arguments)
    return not is_change(call) and len(wanted & set(values_in(call.result.text))) >= ONE_BY_ONE


def _unused(run: Run, calls: Sequence[Call]) -> Iterator[Finding]:
    """Results of reading calls that brought in something new of which nothing is met again outside of results."""
    first: dict[str, int] = {}
    last_use: dict[str, int] = {}
    for step in run.steps:
        for token in _tokens(step):
            first.setdefault(token, step.number)
            if step.kind not in (*_RETURNS, StepKind.PROMPT):
                last_use[token] = step.number
    for call in calls:
        in_code = run.step(call.step.number).tool != call.step.tool  # what it gives can live on in a variable
        if call.error is not None or call.result is None or in_code or call.tool == "code":
            continue
        if is_change(call) or _HANDOVER & set(tool_words(call.tool)):
            continue
        new = [t for t in _tokens(call.result) if first[t] == call.result.number]
        if new and not any(last_use.get(t, 0) > call.result.number for t in new):
            text = f"Nothing that {call.tool} gave back was used afterwards."
            yield Finding("unused-result", call.steps, text, 0.4, {"tool": call.tool})


def _tokens(step: Step) -> set[str]:
    """Words and numbers of a step, one spelling each: 305.0, $305 and 305 are the same."""
    texts = [step.text[:MAX_TEXT], *(v for _, v in argument_values(step.arguments))]
    found = {t for text in texts for t in _TOKEN.findall(text.casefold())}
    return {_plain(t) for t in found if len(t) >= WORD or any(c.isdigit() for c in t)}


def _plain(token: str) -> str:
    token = token.replace(",", "").strip(".")
    return token.rstrip("0").rstrip(".") if "." in token and token.replace(".", "", 1).isdigit() else token


def _validation(run: Run, calls: Sequence[Call]) -> Iterator[Finding]:
    """Whether the last change was looked at before the run ended."""
    changes = [c for c in calls if is_change(c) and c.error is None]
    if not changes:
        return
    last = changes[-1]
    after = [c for c in calls if c.step.number > last.step.number and is_check(c) and c.error is None]
    told = [
        s
        for s in run.steps[last.step.number :]
        if s.kind in (StepKind.THOUGHT, StepKind.ACTION) and _CHECKING.search(s.text[:2_000])
    ]
    if after:
        text = f"After {last.tool}, the result was checked with {after[0].tool}."
        details = {"tool": after[0].tool, "after": last.tool}
        yield Finding("validation", (*last.steps, *after[0].steps), text, 0.8, details)
    elif not told:
        text = f"The run ended after {last.tool} without a look at what it had done."
        told_back = {v for _, v in argument_values(last.step.arguments)} & set(values_in(_result(last)))
        yield Finding("no-validation", last.steps, text, 0.3 if told_back else 0.6, {"tool": last.tool})


def is_change(call: Call) -> bool:
    """Whether a call changes something, by its name; handing over to a person does not."""
    words = tool_words(call.tool)
    verb = words[:1] if words and words[0] in _CHANGES | _CHECKS else words[1:2] or words  # "get_order" only reads
    return bool(_CHANGES & set(verb)) and not _HANDOVER & set(words)


def is_check(call: Call) -> bool:
    """Whether a call looks at something, by its name or its command."""
    names = set(tool_words(call.tool))
    command = next((str(v) for n, v in call.step.arguments.items() if n in ("command", "cmd", "code")), "")
    return bool(_CHECKS & names) or bool(_CHECKS & set(tool_words(command[:200])[:4]))


def tool_words(name: str) -> list[str]:
    """Give the words of a tool's name in lower case: ``getUserDetails`` and ``get_user_details`` are the same."""
    return [word.lower() for word in _WORDS.findall(name)]


def _result(call: Call) -> str:
    return call.result.text.strip() if call.result else ""


def _show(value: Any) -> str:
    text = "nothing" if value is None else value if isinstance(value, str) else json.dumps(value, default=str)
    text = " ".join(text[: 4 * SHOWN].split())
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}…"
