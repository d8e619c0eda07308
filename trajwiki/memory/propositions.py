"""What a claim says, in a form in which two claims can be compared: its verb, its words, numbers and endings."""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from trajwiki.domain.claims import ClaimKind
from trajwiki.language import lexicon as lex
from trajwiki.language import verbs as v
from trajwiki.language.lexicon import word_set
from trajwiki.language.times import find_times
from trajwiki.language.tokens import keywords, stem
from trajwiki.memory.claim_kinds import affirm, goal_in


class Ends(enum.Enum):
    """What sort of thing a statement puts an end to."""

    NOTHING = "nothing"
    DENIED = "denied"  # "doesn't play ..."
    GIVEN_UP = "given up"  # "gave up ..."
    PLACE = "place"  # "left ...": where somebody lives, works, learns
    HAVING = "having"  # "sold ..."
    PLAN = "plan"  # "cancelled ..."


@dataclass(frozen=True, slots=True)
class Proposition:
    """A claim, taken apart.

    Attributes:
        words: Stems of its content words without its subject; times of the calendar left out.
        head: Those of its main clause.
        listed: Those of its main clause with what commas add: the items of a list.
        verb: Base form of the main verb; of what is intended, for a plan.
        numbers: What is counted, with how many.
        lasting: Says how things are or have come to be, not that something happened once.
        ends: What it puts an end to.
        ended: Stems of what is ended.
        bond: "single", "dating", "engaged", "married", "apart", or empty.
    """

    words: frozenset[str]
    head: frozenset[str]
    listed: frozenset[str]
    verb: str
    numbers: tuple[tuple[str, str], ...]
    lasting: bool
    ends: Ends
    ended: frozenset[str]
    bond: str


_SAID: Final = re.compile(r'(?:Asked ".*?", )?[^"]{1,60} said: "(?P<said>.*)"\.?\Z', re.DOTALL)
_COMPANY: Final = re.compile(r" and (?:their (?:\w+ )?\w+|others|[A-Z]\w+|some friends|a friend|friends)(?= )")
_NEW_CLAUSE: Final = (
    r"\b(?:because|since|so|but|as (?:i|he|she|they|we|it)|when|while|if|where|which|who)\b"
    r"|\band (?:they|it|he|she|i|we)\b"
)
CLAUSE_END: Final = re.compile(rf"[,;:(–—]\s|\s-\s|{_NEW_CLAUSE}")
_LIST_END: Final = re.compile(rf"[;:(–—]\s|\s-\s|{_NEW_CLAUSE}")
CALENDAR_STEMS: Final = frozenset(
    stem(w)
    for w in word_set(
        """monday tuesday wednesday thursday friday saturday sunday january february march april june july august
        september october november december day days week weeks weekend month months year years today yesterday
        tomorrow tonight morning evening afternoon night last next ago far save spring summer autumn winter first second
        third fourth fifth"""
    )
)


@lru_cache(maxsize=16384)
def proposition(text: str, subject: str, kind: ClaimKind) -> Proposition:
    """Take a claim apart.

    Args:
        text: Of the claim.
        subject: Of the claim, as it stands in the text.
        kind: Of the claim.
    """
    body = body_of(text, subject)
    head = CLAUSE_END.split(body, maxsplit=1)[0].strip(" .!") or body
    goal = goal_in(head) if kind is ClaimKind.PLAN else ""
    affirmed, negated = affirm(head)
    ends, ended = _ending(head, affirmed, negated=negated)
    return Proposition(
        words=_content(body, subject) | frozenset(keywords(subject.partition("'")[2])),
        head=_content(goal or head, subject),
        listed=_content(_LIST_END.split(body, maxsplit=1)[0], subject),
        verb=main_verb(goal or affirmed),
        numbers=_numbers(head),
        lasting=bool(_LASTING.match(head)),
        ends=ends,
        ended=ended,
        bond=_bond(head),
    )


def said_words(text: str) -> str:
    """Give what stands in quotation marks where a claim only quotes; else the claim."""
    match = _SAID.match(text)
    return match["said"] if match else text


_CUE_FIRST: Final = re.compile(
    r"\A(?:(?:no|oh|oops|sorry|wait|ah|hm+|actually|hang on|hold on|correction|(?:that's|that was|i was) wrong"
    r"|my mistake"
    r"|i misspoke|(?:i )?got (?:it|that) wrong|i mixed (?:it|that|them) up)\b[,.:;! ]*)+",
    re.IGNORECASE,
)


def body_of(text: str, subject: str) -> str:
    """What is said of the subject."""
    inner = said_words(text)
    if inner is not text:
        return _CUE_FIRST.sub("", inner)
    at = inner.find(subject)
    at = inner.lower().find(subject.lower()) if at < 0 else at
    if at < 0 or at > 40:
        return inner
    rest = inner[at + len(subject) :]
    company = _COMPANY.match(rest)
    return (rest[company.end() :] if company else rest).strip()


def _content(text: str, subject: str) -> frozenset[str]:
    return frozenset(k for k in keywords(text) if k not in CALENDAR_STEMS) - set(keywords(subject.partition("'")[0]))


# The verb.

_WORD: Final = re.compile(r"[a-z]+(?:'[a-z]+)?|\d[\d.,]*")
_ASPECT: Final = word_set("start begin keep continue use")


def main_verb(predicate: str) -> str:
    """Give the base form of the main verb of a third-person predicate: "has been working at" -> "work"."""
    lead = ""
    found = _WORD.findall(predicate.lower())[:12]
    for i, word in enumerate(found):
        if word in v.BE or word in {"been", "being"}:
            lead = "be"
        elif word in v.HAVE:
            lead = lead or "have"
        elif _passes(word):
            continue
        elif lead == "be":
            return v.base_of(word) if word.endswith("ing") and len(word) > 4 else "be"
        elif lead == "have":
            done = word in v.PARTICIPLE or word in v.PAST or word.endswith("ed")
            return _inner_verb(v.base_of(word), found[i + 1 :]) if done else "have"
        else:
            return _inner_verb(v.base_of(word), found[i + 1 :])
    return lead


def _passes(word: str) -> bool:
    return (
        word in v.DO
        or word in v.MODALS
        or word in lex.ADVERBS
        or word in lex.SUBJECTS
        or word.endswith(("ly", "n't"))
        or word in {"to", "not"}
    )


def _inner_verb(verb: str, rest: list[str]) -> str:
    """The verb after "started", "began to"."""
    after = [w for w in rest if w != "to"]
    if verb in _ASPECT and after and (after[0].endswith("ing") or rest[0] == "to"):
        return v.base_of(after[0])
    return verb


_LASTING: Final = re.compile(
    r"(?:(?:still|now|also|currently|already|only|just) )*"
    r"(?:(?:is|are|am|has|have|owns?|earns?|weighs?|pays?|costs?|speaks?|contains?|needs?)\b|'[smv])",
    re.IGNORECASE,
)

# Numbers.

_COUNTED: Final = re.compile(
    r"(?P<n>(?:[$€£]\s?)?\d[\d,.]*\d|(?:[$€£]\s?)?\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten"
    r"|eleven|twelve"
    r"|twenty|thirty|forty|fifty|a hundred))\s?(?P<w>(?:[a-z-]+ ){0,2}[a-z-]+|)",
    re.IGNORECASE,
)
_QUALITIES: Final = lex.EVALUATIVE | word_set("more new old big small little other whole full different")


def _numbers(text: str) -> tuple[tuple[str, str], ...]:
    found = []
    for match in _COUNTED.finditer(text):
        unit = next((w for w in match["w"].lower().split() if w not in _QUALITIES), "")
        if match["n"][0] in "$€£":
            unit = match["n"][0]
        found.append((stem(unit), "".join(match["n"].lower().strip(".,").replace(",", "").split())))
    return tuple(found)


# Endings.

_HAVE: Final = r"(?:(?:has|have|had|'ve|just|finally|recently|also|now|decided to|had to|i|we) )*"
_GIVEN_UP: Final = re.compile(
    _HAVE + r"(?:quit|stopped|gave up|given up|dropped|ditched|abandoned|retired from|dropped out of)"
    r"(?: (?:on|with|doing|playing|taking|the idea of))* (?P<o>.+)",
    re.IGNORECASE,
)
_LEFT: Final = re.compile(
    _HAVE + r"(?:left|leaving|moved out of|moved away from|resigned from|(?:was|were|got|been) (?:fired|laid off) from)"
    r" (?P<o>.+)",
    re.IGNORECASE,
)
_GOT_RID: Final = re.compile(
    _HAVE + r"(?:sold|sell|got rid of|get rid of|rehomed|donated|gave away|give away|lost|returned) (?P<o>.+)"
    r"|" + _HAVE + r"(?:gave|given|give) (?P<o2>.+?) (?:away|up|back)\b.*",
    re.IGNORECASE,
)
_CALLED_OFF: Final = re.compile(
    _HAVE + r"(?:cancell?ed|cancel|called off|call off|scrapped|scrap|decided against|decided not to|backed out of"
    r"|gave up on|dropped|abandoned|(?:chang(?:ed|es) (?:their|my|her|his) mind about)|did(?:n't"
    r"| not) end up) (?P<o>.+)",
    re.IGNORECASE,
)
IS_OFF: Final = re.compile(
    r"(?:well |so |no )*(?:the|my|our|their|this|\w+'s) (?P<o>[\w' -]{2,60}?) "
    r"(?:(?:is|are)(?:n't| not) (?:happening|going ahead|going to happen)"
    r"|(?:is|are|was|were|got|has been|had to be) (?:now )?(?:off\b|cancell?ed|called off|scrapped)"
    r"|fell through|won't (?:be happening|happen))",
    re.IGNORECASE,
)
_PRESENT_DENIAL: Final = re.compile(
    r"(?:(?:\w+ly|still|just|also) )*(?:no longer|never\b.*\banymore|(?:do|does|is|are|has|have|can|will)(?:n't"
    r"| not)|can't|won't|cannot"
    r"|(?:has |have )?(?:just |recently |finally )?(?:stopped|quit|gave up|given up))\b",
    re.IGNORECASE,
)
_FOR_NOW: Final = re.compile(
    r"\b(?:today|tonight|this (?:week|weekend|morning|evening)|right now|yet|much|lately|recently|enough"
    r"|as often|been able|(?:is|are|was|were) able)\b",
    re.IGNORECASE,
)
LIGHT_STEMS: Final = frozenset(
    stem(w)
    for w in word_set(
        """anymore longer plan plans planning go going think thinking want wants idea end happen all thing things way
        time times able sure really actually good try thought mind decide get got"""
    )
)


def _ending(head: str, affirmed: str, *, negated: bool) -> tuple[Ends, frozenset[str]]:
    """What a predicate puts an end to."""
    for ends, pattern in (
        (Ends.PLAN, IS_OFF), (Ends.PLAN, _CALLED_OFF), (Ends.GIVEN_UP, _GIVEN_UP), (Ends.PLACE, _LEFT),
        (Ends.HAVING, _GOT_RID),
    ):  # fmt: skip
        if match := pattern.match(head):
            found = match.groupdict()
            ended = _objects(found.get("o") or found.get("o2") or "")
            return (ends, ended) if ended else (Ends.NOTHING, ended)
    if negated and (_PRESENT_DENIAL.match(head) or not _FOR_NOW.search(head)):
        ended = _objects(affirmed)
        past = not _PRESENT_DENIAL.match(head)
        if ended and (not _FOR_NOW.search(head) or "anymore" in head):
            return Ends.PLAN if past else Ends.DENIED, ended
    return Ends.NOTHING, frozenset()


_WHY: Final = re.compile(r"\b(?:after|before|because|due to|thanks to|since|from now on|this year)\b", re.IGNORECASE)


def _objects(text: str) -> frozenset[str]:
    text = _WHY.split(text, maxsplit=1)[0] or text
    for joint in re.finditer(r" and (?P<next>\w+)", text):
        if joint["next"].lower() in v.PAST:  # "sold the boat and moved"
            text = text[: joint.start()]
            break
    for mention in reversed(find_times(text, None)):
        text = text[: mention.start] + text[mention.end :]
    return frozenset(k for k in keywords(text) if k not in CALENDAR_STEMS and k not in LIGHT_STEMS)


# Bonds between people.

_BONDS: Final = tuple(
    (bond, re.compile(pattern, re.IGNORECASE))
    for bond, pattern in (
        ("apart", r"(?:.{0,40} )?(?:broke up|split up|separated|(?:got|is|are|getting|was|were) divorced|broken up)\b"),
        ("single", r"(?:is|am|'m|are|was) (?:\w+ )?single\b"),
        ("engaged", r"(?:is|am|'m|are|got|has been) (?:\w+ )?engaged\b"),
        ("married", r"(?:(?:is|am|'m|are|got|has been|have been) (?:\w+ )?married\b|married [A-Z])"),
        ("dating", r"(?:(?:is|am|'m|are|has been|started) (?:\w+ )?(?:dating|seeing (?:someone|somebody|a|[A-Z])))"),
    )
)


def _bond(head: str) -> str:
    return next((bond for bond, pattern in _BONDS if pattern.match(head)), "")


def bonds_differ(new: str, old: str) -> bool:
    """Tell whether two bonds of one person cannot hold at once."""
    free = {"single", "apart"}
    return bool(new and old) and new != old and not (new in free and old in free)
