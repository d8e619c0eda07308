"""The turns of agents that work together on a task, and what each turn shows of where it went wrong."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from trajwiki.domain.runs import Run, Step, StepKind
from trajwiki.tips.errors import error_in

LEADS: Final = 0.4  # share of the steps that are a leader's, at least
NAMES: Final = 0.5  # share of a leader's turns that name another agent or are thoughts, at least
MACHINE: Final = 0.7  # share of the steps of a tool or terminal that are results, at least
STRAY: Final = 0.35  # share of the words of the task that an opening must repeat in order to be about the task
EARLY: Final = 3  # reports to the leader that lay the ground for the rest
ORDER: Final = 800  # characters of an order that are compared with the report
REPORT: Final = 8_000  # characters of a report that are compared with its order
MAX_TEXT: Final = 20_000

_BLOCK: Final = re.compile(r"```.*?(?:```|\Z)", re.S)
_NOTHING_TO_RUN: Final = re.compile(r"\bno code\b.{0,60}\b(?:execute|run)\b", re.I)
_RAN: Final = re.compile(r"\s*(?:exit ?code|exit status|(?:code|execution|terminal|program) output)\b", re.I)
_EMPTY: Final = re.compile(r"(?:output|result|stdout)?:?\s*(?:\[\]|\{\}|None|0|null)?\s*\Z", re.I)
_HEDGE: Final = re.compile(
    r"\b(?:assum\w+|hypothetic\w+|placeholder\w*|simulat\w+|sample data|dummy|mock\w*|for demonstration|approximat\w+"
    r"|estimat\w+|fabricat\w+|your_\w+|path/to|likely|presumably|typically|known)\b|x{3,}",
    re.I,
)
_CLAIM: Final = re.compile(
    r"\bi(?:'ve| have)? ?(?:manually )?(?:verified|reviewed|checked|confirmed|examined|retrieved|found|identified"
    r"|located|gathered|analy[sz]ed|accessed|conducted)\b|\bupon (?:manual )?(?:verification|review|inspection)\b"
    r"|\bmanual(?:ly)? (?:verif\w+|check\w+|inspect\w+|review\w*|retriev\w+)|\bhere (?:is|are) the\b"
    r"|\bthe (?:final )?(?:answer|result|output) is\b|\btherefore\b|\bthus\b|\bwe can conclude\b"
    r"|\bfinal (?:answer|output|result)\b|\bconclusion\b",
    re.I,
)
_LOOK: Final = re.compile(
    r"\b(?:i|we)(?:'ve|'ll| have| will)? ?(?:now )?(?:carefully |manually |directly )?(?:verif(?:y|ied)|check(?:ed)?"
    r"|examin(?:e|ed)|review(?:ed)?|inspect(?:ed)?|look(?:ed)?|access(?:ed)?|download(?:ed)?|visit(?:ed)?|retriev(?:e|ed))\b"
    r"|\bupon (?:manual )?(?:review|inspection|examination|verification)",
    re.I,
)
_ASK: Final = re.compile(
    r"\b(?:could|can|would) (?:you|anyone|someone)\b|\bdoes anyone\b|\bplease (?:provide|share|confirm)\b"
    r"|\blet (?:me|us) know\b",
    re.I,
)
_CLOSE: Final = re.compile(
    r"\bTERMINATE\b|\b(?:terminate|end|conclude) the (?:task|conversation)\b|\btask is (?:now )?complete\b", re.I
)
_RESTART: Final = re.compile(r"\b(?:stalled|replan\w*|new plan)\b", re.I)
_SATISFIED: Final = re.compile(r"\b(?:request|task) (?:is |has been )?(?:satisfied|completed?|fulfilled)\b", re.I)
_SOURCE: Final = re.compile(r"\b[a-z]{2,10}://", re.I)
_NEW: Final = re.compile(r"\d[\d,.:]*\d|\d|\b[A-Z][a-z]{2,}\b")
_WORD: Final = re.compile(r"[a-z]{3,}")
_REPORT: Final = (
    "leads", "early", "place", "before_restart", "strays_from_order", "own_words", "own_words_accepted",
    "accepts_raw_report",
)  # fmt: skip
_RESULTS: Final = (StepKind.OBSERVATION, StepKind.ERROR)
_SPEECH: Final = (StepKind.MESSAGE, StepKind.FINAL)
_USERS: Final = ("user", "human", "customer")


@dataclass(frozen=True, slots=True)
class Turn:
    """What an agent did in one go: the steps that were one entry of the intake.

    Attributes:
        step: Number of its first step.
        last: Number of its last step.
        agent: Who acted.
        leads: The agent directs the others.
        signals: What the turn shows, by name; the same names for every turn of a run.
    """

    step: int
    last: int
    agent: str
    leads: bool
    signals: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Team:
    """The turns of a run, without the results of tools and the words of the user.

    Attributes:
        turns: In order.
        led: One agent directs the others.
        members: Names of those who took part in the talk, in order: agents, and who runs the code of others.
    """

    turns: tuple[Turn, ...]
    led: bool
    members: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Entry:
    """Steps that were one entry of the intake; a step without a place is an entry of its own."""

    first: int
    last: int
    agent: str
    kind: StepKind
    text: str
    acts: bool
    result: bool


def team_of(run: Run) -> Team:
    """Give the turns of a run with their signals."""
    entries = _entries(run.steps)
    machines = _machines(entries)
    acting = [e for e in entries if not e.result and e.agent not in machines and not _is_told(e)]
    leader = _leader(entries, acting)
    signals = _led_signals(run, entries, acting, leader) if leader else _peer_signals(run, entries, acting)
    turns = tuple(Turn(e.first, e.last, e.agent, e.agent == leader, x) for e, x in zip(acting, signals, strict=True))
    tools = {s.tool for s in run.steps if s.tool}
    runners = {e.agent for e in entries if e.result and e.agent} - tools
    members = [e.agent for e in entries if not _is_told(e) and (not e.result or e.agent in runners)]
    return Team(turns, leader is not None, tuple(dict.fromkeys(members)))


def is_user(step: Step) -> bool:
    """Whether the asker speaks."""
    return step.agent.casefold() in _USERS


def is_given(step: Step) -> bool:
    """Whether a step was told to the agents from outside: instructions, the task, the words of the user."""
    return step.kind is StepKind.PROMPT or is_user(step)


def _entries(steps: Sequence[Step]) -> list[_Entry]:
    groups = [list(group) for _, group in groupby(steps, key=lambda s: s.where or s.number)]
    return [_entry(group) for group in groups]


def _entry(steps: Sequence[Step]) -> _Entry:
    text = "\n\n".join(s.text for s in steps)[:MAX_TEXT]
    runs = steps[0].kind in _SPEECH and (_RAN.match(text) or _NOTHING_TO_RUN.search(text[:200]))
    result = steps[0].kind in _RESULTS or bool(runs)
    acts = any(s.kind is StepKind.ACTION for s in steps)
    return _Entry(steps[0].number, steps[-1].number, steps[0].agent, steps[0].kind, text, acts, result)


def _machines(entries: Sequence[_Entry]) -> set[str]:
    """Tools and terminals: those who mostly give results back."""
    size = Counter(e.agent for e in entries)
    results = Counter(e.agent for e in entries if e.result)
    return {agent for agent, n in results.items() if n >= MACHINE * size[agent]}


def _is_told(entry: _Entry) -> bool:
    """Whether an entry comes from outside of the team; a member can be the one who hands on the task."""
    who = entry.agent.casefold()
    return who in _USERS or (entry.kind is StepKind.PROMPT and who in ("", "system", "developer"))


def _leader(entries: Sequence[_Entry], acting: Sequence[_Entry]) -> str | None:
    """The agent that has much of the talk, thinks, and mostly thinks of or names the others."""
    names = sorted({e.agent for e in acting if e.agent})
    if len(names) < 2:
        return None
    agent, size = max(sorted(Counter(e.agent for e in acting).items()), key=lambda item: item[1])
    own = [e for e in acting if e.agent == agent]
    others = [n for n in names if n != agent]
    pure = [e for e in own if e.kind is StepKind.THOUGHT and not e.acts]
    directing = sum((e.kind is StepKind.THOUGHT and not e.acts) or any(n in e.text for n in others) for e in own)
    return agent if pure and size > LEADS * len(entries) and directing >= NAMES * size else None


def _peer_signals(run: Run, entries: Sequence[_Entry], acting: Sequence[_Entry]) -> Iterator[Mapping[str, float]]:
    """What a turn shows where agents talk in a round, or one agent works alone."""
    met = {v.casefold() for v in _NEW.findall(run.task)}
    task = set(_WORD.findall(run.task.casefold()))
    after = dict(zip((e.first for e in entries), entries[1:], strict=False))
    before = iter(entries)
    spoken: set[str] = set()
    coded = False
    for k, entry in enumerate(acting):
        for earlier in before:
            if earlier is entry:
                break
            met.update(v.casefold() for v in _NEW.findall(earlier.text))
        blocks = [b for b in _BLOCK.findall(entry.text) if len(b) > 6] if entry.text.count("```") > 1 else []
        body = _BLOCK.sub(" ", entry.text)
        code = bool(blocks) or entry.acts
        opens = k == 0 and all(e.first >= entry.first or e.kind is StepKind.PROMPT for e in entries)
        reply = after.get(entry.first)
        ran = reply is not None and reply.result and not _NOTHING_TO_RUN.search(reply.text[:200])
        shared = len(task & set(_WORD.findall(entry.text.casefold()))) / max(1, len(task))
        new = {v for v in _NEW.findall(body) if v.casefold() not in met}
        yield {
            "first": float(k == 0),
            "place": math.log1p(k),
            "newcomer": float(entry.agent not in spoken),
            "first_code": float(code and not coded),
            "code_came_to_nothing": float(code and ran and reply is not None and _is_empty(reply.text)),
            "code_was_not_run": float(code and not ran),
            "opens_with_code": float(opens and code),
            "strays_from_task": float(opens and shared < STRAY),
            "hedges": math.log1p(len(_HEDGE.findall(" ".join(blocks) if opens else entry.text))),
            "claims": math.log1p(len(_CLAIM.findall(body))),
            "asks": float(min(2, len(_ASK.findall(body)))),
            "closes": float(bool(_CLOSE.search(entry.text))),
            "says_little": float(len(entry.text) < 30),
            "brings_in": math.log1p(len(new)),
            "looks_without_tool": math.log1p(len(new)) if k and not code and _LOOK.search(entry.text) else 0.0,
        }
        met.update(v.casefold() for v in _NEW.findall(entry.text))
        spoken.add(entry.agent)
        coded = coded or code


def _is_empty(reply: str) -> bool:
    return len(reply) < 200 and error_in(reply) is None and bool(_EMPTY.search(reply[-60:]))


def _led_signals(
    run: Run, entries: Sequence[_Entry], acting: Sequence[_Entry], leader: str
) -> Iterator[Mapping[str, float]]:
    """What a turn shows where one agent hands out the work and the others report."""
    reports = [e.first for e in acting if e.agent != leader]
    restart = next((e.first for e in acting if e.agent == leader and _RESTART.search(e.text[:60])), len(run.steps) + 1)
    satisfied = any(_SATISFIED.search(e.text[:300]) for e in entries[-3:])
    raw = any(_SOURCE.search(e.text) for e in acting if e.first == reports[-1])
    place = {number: k for k, number in enumerate(reports)}
    order: set[str] = set()
    for entry in acting:
        k = place.get(entry.first)
        if k is None:
            spoken = entry.kind in (StepKind.MESSAGE, StepKind.FINAL)
            order = set(_WORD.findall(entry.text[:ORDER].casefold())) if spoken else order
            done = raw and entry.first > reports[-1] and _SATISFIED.search(entry.text[:60])
            yield dict.fromkeys(_REPORT, 0.0) | {"leads": 1.0, "accepts_raw_report": float(bool(done))}
            continue
        told = set(_WORD.findall(entry.text[:REPORT].casefold()))
        own_words = not _SOURCE.search(entry.text)
        yield {
            "leads": 0.0,
            "early": float(k < EARLY),
            "place": math.log1p(k),
            "before_restart": float(entry.first < restart),
            "strays_from_order": 1.0 - len(order & told) / max(1, len(order)),
            "own_words": float(own_words),
            "own_words_accepted": float(own_words and entry.first == reports[-1] and satisfied),
            "accepts_raw_report": 0.0,
        }
