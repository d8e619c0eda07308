"""How a relation is named to a person: the title of its page, and the head of its list."""

from __future__ import annotations

from typing import Final

# `{s}` is whom it is about, `{s}'s` the possessive.
_TITLES: Final[dict[str, str]] = {
    "hobby": "{s}'s hobbies",
    "instrument": "Instruments {s} plays",
    "sport": "Sports {s} plays",
    "pet": "{s}'s pets",
    "child": "{s}'s children",
    "relative": "{s}'s relatives",
    "visited": "Places {s} visited",
    "attended": "Events {s} attended",
    "bought": "Things {s} bought",
    "owns": "Things {s} has",
    "read": "Books {s} read",
    "watched": "What {s} watched",
    "listened": "Music {s} listens to",
    "made": "Things {s} made",
    "won": "What {s} won",
    "recommended": "What {s} recommends",
    "language": "Languages {s} speaks",
    "studies": "What {s} studies",
    "allergic_to": "{s}'s allergies",
    "health": "{s}'s health",
    "volunteers": "Where {s} volunteers",
    "joined": "What {s} joined",
    "received": "What {s} was given",
    "plans": "{s}'s plans",
    "goal": "{s}'s goals",
    "likes": "What {s} likes",
    "dislikes": "What {s} dislikes",
    "lives_in": "Where {s} lives",
    "works_at": "Where {s} works",
    "moved_from": "Where {s} moved from",
}

COUNTABLE: Final = frozenset({"pet", "child"})
"""Relations whose values are single things with names, so that distinct values can be counted."""


def list_title(facet: str, subject: str) -> str:
    """Give the title of the list of a relation: "Books Melanie read"; an unknown one is named by its key."""
    pattern = _TITLES.get(facet)
    if pattern is None:
        return f"{subject}: {facet.replace('_', ' ')}"
    owner = f"{subject}'" if subject.endswith("s") else f"{subject}'s"
    return pattern.replace("{s}'s", owner).replace("{s}", subject)
