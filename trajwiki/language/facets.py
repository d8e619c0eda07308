"""The closed list of relations a claim can state, and how they are read from a third-person sentence."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from trajwiki.domain.claims import Facet
from trajwiki.language import lexicon as lex
from trajwiki.language.facet_patterns import OCCUPATION, PATTERNS, TRAILING
from trajwiki.language.lexicon import word_set


@dataclass(frozen=True, slots=True)
class FacetKind:
    """What is known of a relation.

    Attributes:
        name: The key, as in ``Facet.name``.
        label: For people: "lives in".
        single_valued: Whether a new value replaces the old one.
        opposite: The relation that denies it: likes, dislikes.
        inventory: Whether its values make a list worth a page: hobbies, books, places.
    """

    name: str
    label: str
    single_valued: bool = False
    opposite: str | None = None
    inventory: bool = False


_SINGLE: Final = """
name: is called|lives_in: lives in|home_country: comes from|works_at: works at|job: works as|age: age
relationship_status: relationship status|partner: partner|diet: diet|favourite: favourite|measure: amounts to
"""
_LISTED: Final = """
hobby: hobbies|instrument: instruments|sport: sports|pet: pets|child: children|visited: places visited
attended: events attended|bought: bought|owns: owns|read: books read|watched: watched|listened: listens to|made: made
won: won|recommended: recommends|language: speaks|studies: studies|allergic_to: allergic to|health: health
volunteers: volunteers at|joined: joined|received: received|plans: plans|goal: goals|relative: relatives
friend: friends and acquaintances
"""
_OTHER: Final = "moved_from: moved from|occupation: occupation|school: school|started: started|lost: lost"


def _kinds() -> dict[str, FacetKind]:
    kinds = {
        "likes": FacetKind("likes", "likes", opposite="dislikes", inventory=True),
        "dislikes": FacetKind("dislikes", "dislikes", opposite="likes", inventory=True),
    }
    for text, single, listed in ((_SINGLE, True, False), (_LISTED, False, True), (_OTHER, False, False)):
        for entry in text.strip().replace("\n", "|").split("|"):
            name, label = entry.split(": ")
            kinds[name] = FacetKind(name, label, single_valued=single, inventory=listed)
    return kinds


FACETS: Final[dict[str, FacetKind]] = _kinds()
"""The relations by name."""

MAX_VALUE_WORDS: Final = 10


@dataclass(frozen=True, slots=True)
class FacetReading:
    """A relation read from a sentence.

    Attributes:
        facet: Relation and value.
        subject: Whose it is, when that is not the subject of the sentence ("Melanie's son is called Tim": Melanie).
    """

    facet: Facet
    subject: str | None = None


def read_facet(subject: str, predicate: str) -> FacetReading | None:
    """Give the relation that a sentence states, or None.

    Args:
        subject: The subject of the sentence as it stands there: "Melanie", "Melanie's son".
        predicate: The rest of the sentence, in the third person, without denial.
    """
    predicate = predicate.rstrip(" .!")
    readers = (_named, _favourite, _measure, _patterned, _occupation)
    return next((found for reader in readers if (found := reader(subject, predicate)) is not None), None)


def clean_value(value: str) -> str:
    """Give a value without what trails behind it: clauses, times, company; empty when nothing sensible is left."""
    value = TRAILING.sub("", " " + value).strip(" .,!\"'“”-–—")
    words = value.split()
    if len(words) > 2 and words[-1] in lex.EVALUATIVE | {"safe", "new", "smaller", "bigger"}:
        return ""  # cut in the middle of "a safe, inviting place"
    return value if len(words) <= MAX_VALUE_WORDS else ""


# One reader after the other; each gives what it reads or None.

_NAMED: Final = re.compile(
    r"(?:is|'s|are) (?:called|named) (?P<called>[A-Z][\w'-]*(?: (?:and )?[A-Z][\w'-]*)*)"
    r"|(?:name )?is (?P<name>[A-Z][\w'-]*(?: [A-Z][\w'-]*){0,2})\Z"
)
_KIN: Final = {
    "child": word_set("son daughter kid child baby toddler kids children sons daughters"),
    "partner": word_set("husband wife partner girlfriend boyfriend fiance fiancee fiancé fiancée spouse"),
    "pet": lex.PETS | {"pet", "pets"},
    "relative": word_set(
        """mom mum mother dad father sister brother cousin aunt uncle niece nephew grandma grandmother grandpa
        grandfather grandson granddaughter stepson stepdaughter sibling twin stepmom stepdad nana papa"""
    ),
    "friend": lex.RELATIONS,
}


def _named(subject: str, predicate: str) -> FacetReading | None:
    """So: "Melanie's son is called Tim", "Melanie's name is Mel"."""
    match = _NAMED.match(predicate)
    owner, _, thing = subject.partition("'s ") if "'s " in subject else subject.partition("' ")
    if not match or (match["name"] and thing != "name"):
        return None
    value = match["called"] or match["name"]
    if thing == "name":
        return FacetReading(Facet("name", value), owner)
    head = thing.split()[-1] if thing else ""
    facet = next((facet for facet, heads in _KIN.items() if head in heads), None)
    return FacetReading(Facet(facet, value), owner) if facet else FacetReading(Facet("name", value))


_FAVOURITE: Final = re.compile(r"(?:is|was|are|has to be|would be|has always been|is probably|is definitely) (?P<v>.+)")


def _favourite(subject: str, predicate: str) -> FacetReading | None:
    """So: "Melanie's favorite book is Emma"; the subject says favourite what."""
    match = _FAVOURITE.match(predicate) if re.search(r"\b(?:favou?rite|fave|fav)\b", subject) else None
    value = clean_value(match["v"]) if match else ""
    return FacetReading(Facet("favourite", value)) if value else None


_INVERTED: Final = re.compile(
    r"(?P<v>[A-Z][^,;:.]{1,60}?) (?:is|are|was) (?P<s>[A-Z][\w'’ -]{0,40}?['’]s? (?:all-time )?(?:favou?rite"
    r"|fave) [\w ]{2,40}?)"
    r"(?: now| these days| of all time)?\."
)


def read_inverted(text: str) -> FacetReading | None:
    """Give the favourite that a sentence names first: "Summer is Melanie's favourite season"."""
    match = _INVERTED.fullmatch(text) if "favo" in text or "fave" in text else None
    value = clean_value(match["v"]) if match else ""
    return FacetReading(Facet("favourite", value), match["s"]) if match and value else None


_MEASURE: Final = re.compile(
    r"(?:is|was|are|takes|costs|is now|has been) (?:now |about |around |currently |only |just |over |at )*"
    r"(?P<v>(?:[$€£]\s?)?\d[\d.,:]*(?:[kKmM%]|am|pm)?(?: [a-z]+)?(?: and [\d.]+ [a-z]+)?)\Z"
)


def _measure(subject: str, predicate: str) -> FacetReading | None:
    """So: "The user's commute takes 45 minutes"; the subject says of what."""
    match = _MEASURE.match(predicate) if "'s " in subject or "' " in subject else None
    if match is None:
        return None
    is_age = match["v"].isdigit() and subject.rsplit(maxsplit=1)[-1] in lex.PERSON_SINGULAR | lex.PETS
    return FacetReading(Facet("age" if is_age else "measure", match["v"]))


_OCCASION: Final = re.compile(
    r"\b(?:trip|party|tour|walk|hike|run|ride|vacation|holiday|class|conference|session|reading|date|interview|meeting"
    r"|concert|bed|work)\Z"
)
_NO_WORKPLACE: Final = re.compile(
    r"(?:an? |the |their )?(?:\w+ )?(?:end|beginning|start|bottom|top|age|time|moment|while|hours?|days?|weeks?"
    r"|months?|years?"
    r"|night|nights|home|first|pace|speed|point|party|dinner|event|project|projects|deadline|goal|goals|exam"
    r"|show|contest)\b"
)


def _is_workplace(value: str) -> bool:
    """Whether somebody can be employed there: not "night", "the end", "hours", "it"."""
    named = value[0].isupper() or value.startswith(("a ", "an ", "the ", "their "))
    return named and not _NO_WORKPLACE.match(value)


_NO_PRODUCT: Final = word_set("it sure up the me friends them their progress in out down")
_CHECKS: Final[dict[str, Callable[[str], bool]]] = {
    "lives_in": lambda v: not v.startswith(("it", "that ", "there")),
    "works_at": _is_workplace,
    "visited": lambda v: (v[0].isupper() or v.startswith(("the ", "a ", "an "))) and not _OCCASION.search(v),
    "likes": lambda v: not v.startswith(("it", "that ", "how ", "them", "to see", "to hear", "when")),
    "plans": lambda v: len(v.split()) > 1 and not v.startswith(("be ", "it", "into", "at ", "for ")),
    "made": lambda v: v.split()[0] not in _NO_PRODUCT or (v.startswith("the ") and len(v.split()) > 2),
    "joined": lambda v: v.split()[0] not in {"in", "forces", "together", "up"},
    "started": lambda v: not v.startswith(("to ", "with", "getting", "going", "feeling", "off", "on ", "in ", "out")),
    "bought": lambda v: not v.startswith(("it", "them", "into")),
    "won": lambda v: not v.startswith("it"),
    "lost": lambda v: v.startswith(("their ", "a ", "an ", "the ")),
    "hobby": lambda v: v.split()[0].endswith("ing") or v.split()[0] in {"yoga", "pilates", "karate", "meditation"},
    "read": lambda v: v[0] in '"“' or v[0].isupper() or v.startswith(("a ", "the ", "an ", "about", "two", "books")),
}
"""What a value must be like, where the verb alone says too little."""


_SIDE: Final = {
    "lives_in": re.compile(r" (?:for|with|and|near|by|at|right|so|on my own) "),
    "works_at": re.compile(r" (?:as|and|on|in the|with|so|by|since|for) "),
}
"""What is said beside a place and is no part of its name."""


def _patterned(subject: str, predicate: str) -> FacetReading | None:
    for name, pattern in PATTERNS:
        match = pattern.match(predicate)
        if (
            match
            and (value := clean_value(_SIDE[name].split(match["v"])[0] if name in _SIDE else match["v"]))
            and (name not in _CHECKS or _CHECKS[name](value))
        ):
            return FacetReading(Facet(name, value))
    return None


def _occupation(subject: str, predicate: str) -> FacetReading | None:
    match = OCCUPATION.match(predicate)
    return FacetReading(Facet("occupation", match["v"])) if match else None
