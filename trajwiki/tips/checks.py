"""What a tip has to pass before it is proposed: small checks, each of which gives a reason or nothing."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from trajwiki.domain.runs import Outcome, Run
from trajwiki.domain.tips import Scope, Tip
from trajwiki.language.stopwords import FILLERS, STOPWORDS
from trajwiki.language.tokens import fold, words
from trajwiki.tips.facts import Facts
from trajwiki.tips.wording import code_names, in_words

MAX_WORDS: Final = 260  # of everything that a delivery shows of a tip
PHRASE: Final = 6  # words of the longest value that is looked for

_SECRET: Final = re.compile(
    r"\b(?:sk|pk|ghp|gho|xox[abp]|AKIA|AIza)[-_A-Za-z0-9]{12,}|-----BEGIN [A-Z ]+-----|\beyJ[\w-]{10,}\.[\w-]{10,}|"
    r"\b(?:password|passwd|secret|token|api[_ ]?key)\s*[=:]\s*\S{4,}|\b(?:\d[ -]?){13,19}\b",
    re.I,
)
_AGENTS: Final = r"(?:agents?|assistants?|models?|ai|llms?)"
_ORDER: Final = re.compile(
    r"\b(?:ignore|disregard|forget|override)\b.{0,40}\b(?:previous|prior|above|earlier|all|any|system|instructions?|rules?)\b|"
    rf"\b(?:tell|inform|instruct|remind|make)\b.{{0,20}}\b(?:next|other|future|following|every|all) {_AGENTS}\b|"
    r"\b(?:note|message|memo|instructions?|advice|tip) (?:to|for) (?:the |any |all |future |other |next )*"
    rf"{_AGENTS}\b|"
    r"\byou are (?:now )?(?:an?|the) \w+|\bas an ai\b|\bsystem prompt\b|\b(?:reveal|exfiltrate|leak)\b|"
    r"\b(?:future|other|all) agents (?:must|should|need to|have to)\b|"
    r"\bdo not (?:tell|inform) the (?:user|human|operator)\b",
    re.I,
)
_MAIL: Final = re.compile(r"[^\s@]{1,80}@[^\s@]{1,80}\.\w+|https?://\S+")
_NUMBER: Final = re.compile(r"\d")
_TOKENS: Final = re.compile(r"[\w@.$-]*\w")
_DATED: Final = re.compile(r"\b\d{4}-\d\d-\d\d\b|\b\d{1,2}/\d{1,2}/\d{2,4}\b")
_ID: Final = re.compile(r"\b(?=\w*\d)(?=\w*[A-Za-z])\w{5,}\b|\b\d{5,}\b")


@dataclass(frozen=True, slots=True)
class Seen:
    """What the checks compare a tip with.

    Attributes:
        tip: The tip.
        runs: Runs by id, as far as they are known.
        facts: Of the runs that it was drawn from.
    """

    tip: Tip
    runs: Mapping[str, Run]
    facts: tuple[Facts, ...]


def faults(tip: Tip, runs: Mapping[str, Run], facts: Collection[Facts] = ()) -> tuple[str, ...]:
    """Give every reason why a tip must not be proposed; nothing when it may."""
    seen = Seen(tip, runs, tuple(facts))
    return tuple(reason for check in CHECKS if (reason := check(seen)) is not None)


def shown_text(tip: Tip) -> str:
    """Give all words of a tip that anybody is ever shown."""
    parts = [tip.content, tip.purpose, *tip.steps, tip.trigger, tip.negative_example or "", tip.description]
    return "\n".join([*parts, tip.task_category, tip.app or ""])


def is_order(text: str) -> bool:
    """Tell whether words address an agent or model as an order from somewhere else (F68)."""
    return _ORDER.search(text[:20_000]) is not None


def leaked(text: str, facts: Facts) -> str | None:
    """Give a value of the run that stands in a text, or None. Names of tools, arguments and fields may stand there.

    A value is whatever an argument or a record of the run holds, unless it is a plain word that the instructions use.
    """
    allowed = {fold(n) for n in facts.names} | {w for n in facts.names for w in in_words(n).split()} | facts.told
    plain = re.sub(r"`([^`\n]+)`", lambda m: " " if m.group(1) in facts.names else m.group(), text)
    told = f" {' '.join(_TOKENS.findall(fold(facts.instructions)))} "
    tokens = [t.strip(".,;:!?()[]“”\"'`…") for t in plain.split()]
    for i, raw in enumerate(tokens):
        low = fold(raw).removesuffix("'s")
        if not low:
            continue
        special = _NUMBER.search(low) or "@" in low or "_" in low
        if special and low not in allowed and low in facts.values and f" {low} " not in told:
            return raw
        capital = raw[:1].isupper() and not _opens(tokens, plain, i)
        if capital and low in facts.values and low not in allowed and low not in STOPWORDS | FILLERS:
            return raw
        for size in range(2, PHRASE + 1):
            phrase = fold(" ".join(tokens[i : i + size]))
            if len(tokens) >= i + size and phrase in facts.values and f" {phrase} " not in told:
                return phrase
    return None


def _opens(tokens: list[str], text: str, i: int) -> bool:
    raw = text.split()
    return i == 0 or raw[i - 1][-1:] in '.:;!?”"' or raw[i][:1] in '“"('


def _trigger(seen: Seen) -> str | None:
    content = [w for w in words(seen.tip.trigger) if w not in STOPWORDS and w not in FILLERS]
    return None if len(content) >= 2 else "its trigger names nothing that a task can be tested for"


def _steps(seen: Seen) -> str | None:
    told = [s for s in seen.tip.steps if len(s.split()) > 1]
    return None if told and len(told) == len(seen.tip.steps) else "it has no step that says what to do"


def _advice(seen: Seen) -> str | None:
    if len(seen.tip.content.split()) < 4 or not seen.tip.purpose.strip():
        return "its content or purpose says too little"
    return None if len(shown_text(seen.tip).split()) <= MAX_WORDS else f"it has more than {MAX_WORDS} words"


def _sources(seen: Seen) -> str | None:
    if not seen.tip.sources:
        return "it stands on no run"
    if len(set(seen.tip.sources)) != len(seen.tip.sources):
        return "it names a source twice"
    for source in seen.tip.sources:
        run = seen.runs.get(source.run_id)
        if run is None:
            return f"its source {source.run_id} is not a run of the space"
        if not 1 <= source.first <= source.last <= len(run.steps):
            return f"its source names steps {source.first} to {source.last} of run {run.id}, which has {len(run.steps)}"
        if source.outcome is not run.outcome:
            return f"its source says {source.outcome.value} of run {run.id}, which ended in {run.outcome.value}"
    return None


def _secret(seen: Seen) -> str | None:
    return "it holds something that looks like a secret" if _SECRET.search(shown_text(seen.tip)) else None


def _order(seen: Seen) -> str | None:
    return "it addresses an agent as an order from outside (F68)" if is_order(shown_text(seen.tip)) else None


def _person(seen: Seen) -> str | None:
    text = shown_text(seen.tip)
    if _MAIL.search(text):
        return "it holds an address"
    for facts in seen.facts:
        if leaked(text, facts) is not None:
            return f"it holds a value of run {facts.run.id}"
    return None


def _generic(seen: Seen) -> str | None:
    tip = seen.tip
    if tip.scope is not Scope.GENERIC:
        return None
    if tip.app is not None:
        return "it is generic and names an application"
    own = " ".join([tip.content, tip.purpose, *tip.steps, tip.trigger])
    if code_names(own) or _NUMBER.search(own):
        return "it is generic and names a tool, a field, an id or an amount"
    return None


def _values(seen: Seen) -> str | None:
    """Ids and dates in a domain tip: the instructions may hold them, a case may not."""
    told = " ".join(f.instructions for f in seen.facts)
    names = {n for f in seen.facts for n in f.names}
    text = re.sub(r"`[^`\n]+`", " ", shown_text(seen.tip))
    for match in [*_DATED.finditer(text), *_ID.finditer(text)]:
        if match.group() not in told and match.group() not in names:
            return "it holds an id or a date of its case"
    return None


def _true(seen: Seen) -> str | None:
    """Not contradicted by its own sources: what it names exists there, and what a success bears out is a success."""
    if not seen.facts or seen.tip.scope is Scope.GENERIC:
        return None
    known = set().union(*(f.names for f in seen.facts))
    unknown = [n for n in code_names(shown_text(seen.tip)) if n not in known]
    if unknown:
        return f"it names `{unknown[0]}`, which its source does not know"
    said = fold(f"{seen.tip.content} {seen.tip.purpose}")
    if re.search(r"\brun (?:on such a task |behind this )?(?:succeeded|was right)", said) and not any(
        s.outcome is Outcome.SUCCESS for s in seen.tip.sources
    ):
        return "it speaks of a success, and no source succeeded"
    return None


CHECKS: Final[tuple[Callable[[Seen], str | None], ...]] = (
    _trigger,
    _steps,
    _advice,
    _sources,
    _secret,
    _order,
    _person,
    _generic,
    _values,
    _true,
)


def each_fault(tips: Collection[Tip], runs: Mapping[str, Run]) -> Iterator[tuple[Tip, tuple[str, ...]]]:
    """Give the tips that would not pass now, with the reasons; sources are checked against the runs alone."""
    for tip in tips:
        if found := faults(tip, runs):
            yield tip, found
