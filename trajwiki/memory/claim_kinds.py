"""What sort of statement a third-person sentence is: denial, plan, event, count, correction, doubt."""

from __future__ import annotations

import re
from typing import Final

from trajwiki.domain.claims import ClaimKind, Facet
from trajwiki.language import verbs as v
from trajwiki.language.facets import clean_value
from trajwiki.language.lexicon import word_set
from trajwiki.language.tokens import fold

# Denial.

_DO_NOT: Final = re.compile(
    r"(?P<do>does|do|did)(?:n't| not) (?:(?:really|even|actually|usually|ever) )*(?P<verb>[a-z]+)\b"
)
_NOT: Final = re.compile(
    r"(?P<verb>is|are|was|were|has|have|had|can|could|will|would|should)(?:n't| not)\b(?: really| even)?"
)
_NEVER: Final = re.compile(r"(?:(?P<verb>has|have|had|is|was|will|would) )?(?:never|no longer) ")
_STOPPED: Final = re.compile(
    r"(?:has |have )?(?:just |recently |finally )?(?:stopped|quit|gave up|given up) (?P<verb>[a-z]+ing)\b"
)
_CANNOT: Final = re.compile(r"(?:can't|won't|cannot) (?!wait\b|stand\b|help\b|stop\b|believe\b)")
_CALLED_OFF: Final = re.compile(
    r"(?:has |have |had to |decided to )?(?:called off|call off|cancell?ed|cancel|scrapped|dropped) "
)


def affirm(predicate: str) -> tuple[str, bool]:
    """Give a predicate without its denial, and whether there was one: "doesn't eat meat" -> "eats meat", True."""
    if match := _DO_NOT.match(predicate):
        base = match["verb"]
        verb = {"does": v.third_person(base), "do": base, "did": v.past(base)}[match["do"]]
        return verb + predicate[match.end() :], True
    if match := _STOPPED.match(predicate):
        return v.third_person(v.base_of(match["verb"])) + predicate[match.end() :], True
    if match := _NEVER.match(predicate):
        lead = f"{match['verb']} " if match["verb"] else ""
        return lead + predicate[match.end() :], True
    if match := _NOT.match(predicate):
        return match["verb"] + predicate[match.end() :], True
    return predicate, bool(_CANNOT.match(predicate))


def is_called_off(predicate: str) -> bool:
    """Tell whether a predicate says that a plan was dropped."""
    return bool(_CALLED_OFF.match(predicate))


# Kind.

_INTENDING: Final = (
    "going to|planning|thinking (?:of|about)|hoping|looking forward|about to|considering|aiming|preparing|"
    "getting ready|looking to|set to|off to|trying to decide"
)
_PLANS: Final = re.compile(
    rf"(?:is|are|was|were) (?:(?:\w+ly|also|now|still|even|already|just) )*(?:{_INTENDING})"
    r"|(?:(?:\w+ly|also|still|just) )*(?:will(?! always| never)|plans?|intends?|hopes?|wants?|aims?|needs? to"
    r"|would (?:really |also )?(?:love|like) to|can't wait to|(?:has |have )?(?:decided|decides) to"
    r"|thinks? they will|might|may)\b"
)
_FUTURE: Final = re.compile(
    r"\b(?:tomorrow|tonight|next (?:week|weekend|month|year|summer|winter|spring|fall|\w+day)|upcoming|this coming"
    r"|in (?:a|two|three|a few) (?:days?|weeks?|months?))\b"
)
_PROGRESSIVE: Final = re.compile(r"(?:is|are) (?:\w+ )?\w+ing\b")
_NUMBERED: Final = re.compile(r"(?:\d+|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b")
_PREFERENCES: Final = frozenset({"likes", "dislikes", "favourite"})
_COUNTED: Final = frozenset({"owns", "pet", "child", "relative"})
_STATES: Final = word_set("be have love like want need know think feel believe use live work enjoy hate")
_WORD: Final = re.compile(r"[\w'-]+")


def kind_of(predicate: str, facet: Facet | None, text: str) -> ClaimKind:
    """Give the kind of a statement that is no correction.

    Args:
        predicate: What it says of its subject, without denial.
        facet: Its relation, if any.
        text: The whole sentence.
    """
    if _PLANS.match(predicate) or (_PROGRESSIVE.match(predicate) and _FUTURE.search(text.lower())):
        return ClaimKind.PLAN
    if facet and facet.name in _PREFERENCES:
        return ClaimKind.PREFERENCE
    if facet and facet.name in _COUNTED and _NUMBERED.match(facet.value):
        return ClaimKind.COUNT
    return ClaimKind.EVENT if _happened(_WORD.findall(predicate.lower())[:6]) else ClaimKind.FACT


def _happened(words: list[str]) -> bool:
    """Whether the first verb says that something happened, rather than how things are."""
    for i, word in enumerate(words):
        if word in {"has", "have"}:
            return _happened_by_now(words[i + 1 :])
        if (word in v.PAST and word not in v.BE | v.HAVE) or (word.endswith("ed") and word not in v.BASES):
            return v.base_of(word) not in _STATES
        if word in v.THIRD or word in v.MODALS or word in v.BE or word in v.HAVE or word in v.DO:
            return False
    return False


def _happened_by_now(words: list[str]) -> bool:
    """Whether "has ..." goes on with a participle of an action."""
    passing = word_set("just also always already n't never")
    first = next((w for w in words if not w.endswith("ly") and w not in passing), "")
    return (first in v.PARTICIPLE or first.endswith("ed")) and v.base_of(first) not in _STATES


_GOAL: Final = re.compile(
    r".*?\b(?:going to|planning(?: (?:on|to|for))?|thinking (?:of|about)|hoping (?:to|for)|looking forward to|about to"
    r"|considering|aiming (?:to|for)|preparing (?:to|for)|getting ready (?:to|for)|looking to|set to|off to|will"
    r"|plans? (?:on|to)|intends? to|hopes? to|wants? to|love to|like to|wait to|decided to|needs? to) "
    r"(?:(?:also|definitely|really|probably|just) )*(?P<v>[^,;:()]+)"
)


def goal_in(predicate: str) -> str:
    """Give what is planned, without what trails behind it; empty where a predicate names no plan."""
    match = _GOAL.match(predicate.rstrip(" ."))
    return clean_value(match["v"]) if match else ""


def plan_in(predicate: str, source: str) -> Facet | None:
    """Give what is planned, where the source (folded) holds it word for word."""
    value = goal_in(predicate)
    return Facet("plans", value) if len(value.split()) > 1 and fold(value) in source else None


# Doubt and correction.

_DOUBT: Final = re.compile(
    r"\b(?:maybe|perhaps|might have|may have|must have|apparently|supposedly|allegedly|i guess|guesses|suspects"
    r"|not (?:really )?sure (?:if|whether|what|when|where|how|about)|seems? (?:to|like)|might be|may be|could be"
    r"|(?:heard|was told|read somewhere) (?:that )?(?:\w+ ){1,3}(?:is|are|was|were|has|had|will)"
    r"|(?:said|told \w+) (?:that )?(?:he|she|they)|probably)\b",
    re.IGNORECASE,
)
_THINKS: Final = re.compile(
    r"(?:[A-Z][\w'-]+|The user)(?: [A-Z]\w+)? (?:\w+ly |also |just )?(?:thinks?|thought|believes?) (?:that )?"
    r"(?!about|of|they will|it would|they would|they might like)(?:they|it|he|she|the|their|\w+'s|[A-Z]\w+)\b"
)


def is_doubtful(text: str) -> bool:
    """Tell whether a sentence is said with doubt or by hearsay. A plan is no doubt."""
    return bool(_DOUBT.search(text) or _THINKS.match(text))


_NAMED: Final = (
    r"(?:[A-Z0-9$€£][\w:.,'$€£%-]*(?: [A-Z0-9][\w:-]*)?|(?:one|two|three|four|five|six|seven|eight|nine|ten)\b"
    r"|\w+day\b)"
)
_MOVABLE: Final = (
    "meeting|appointment|date|trip|party|deadline|flight|event|game|dinner|class|session|interview|wedding|visit|call"
)
_CORRECTIONS: Final = tuple(
    re.compile(pattern)
    for pattern in (
        rf"\bnot (?:on |in |at |for )?(?P<wrong>{_NAMED}),? but (?:rather )?(?:on |in |at |for )?{_NAMED}",
        r"\bnot (?P<d>an?|the|my|his|her) (?P<wrong>[\w'-]+(?: [\w'-]+)?),? but (?P=d) [\w'-]+",
        rf"(?:on |in |at |for |\b){_NAMED}(?: [a-z]+)?,? (?:and )?not (?:on |in |at |for "
        rf"|the )?(?P<wrong>{_NAMED})[.!]*\Z",
        r"\bI meant (?:the |an? )?[\w'-]+(?: [\w'-]+){0,3}?,? not (?:the |an? )?(?P<wrong>[\w'-]+(?: [\w'-]+)?)[.!]*\Z",
        rf"\b(?:is|was|are|were)(?:n't| not) (?P<wrong>{_NAMED})[,;:] (?:(?:it|he|she|they)(?:'s| is| was)|the "
        rf"|my |our )",
        rf"\b(?:{_MOVABLE})\b.{{0,40}}?\b(?:moved|changed|rescheduled|switched|pushed)\b.{{0,20}}?"
        rf" from (?P<wrong>{_NAMED}) to \w",
    )
)
_NOT_WRONG: Final = word_set("only just sure really to a the that so too i")


def replaced_value(source: str) -> str | None:
    """Give what a correction takes back ("not Monday but Tuesday" -> "Monday"), or None when it is none."""
    text = source.replace("’", "'")
    for pattern in _CORRECTIONS:
        match = pattern.search(text)
        if match and match["wrong"].split()[0].lower() not in _NOT_WRONG:
            return match["wrong"].rstrip(" .,")
    return None
