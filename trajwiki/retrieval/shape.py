"""What sort of question it is, by lexical rules (paper, A.5)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from trajwiki.domain.answers import AnswerType
from trajwiki.language.times import TimeMention, find_times
from trajwiki.language.tokens import fold, keywords, words

_I = re.IGNORECASE
_TYPES: Final[tuple[tuple[AnswerType, re.Pattern[str]], ...]] = (
    (AnswerType.DURATION, re.compile(r"\bhow long\b|\bseit wann\b|\bcu[aá]nto tiempo\b|多久|多长时间", _I)),
    (
        AnswerType.COUNT,
        re.compile(r"\bhow many\b|\bcu[aá]nt[oa]s\b|\bwie ?viele?\b|\bcombien\b|\bquant[oa]s\b|几个|多少|كم", _I),
    ),
    (
        AnswerType.DATE,
        re.compile(
            r"^(?:\w+, )?(?:and |so |since )?when\b|\bwhen (?:did|does|do|is|was|are|were|will|has|have|had|can)\b"
            r"|\b(?:what|which) (?:date|day|month|year|time|week|season)\b"
            r"|\bcu[aá]ndo\b|\bquand\b|\bwann\b|\bquando\b|什么时候|哪天|متى",
            _I,
        ),
    ),
    (
        AnswerType.LIST,
        re.compile(
            r"^(?:what|which)\b(?: \w+){0,2} \w{2,}s\b(?= (?:do|does|did|has|have|is|are|was|were)\b)"
            r"|\bwhat (?:all|kinds|types)\b|^what (?:are|were) (?!the (?:\w+ )?(?:name|date|time)\b)|\bnames of\b"
            r"|^(?:what|which) (?:\w+ ){1,4}?\w{2,}s (?:has|have)\b|^(?:what|where|who) (?:has|have)\b",
            _I,
        ),
    ),
    (AnswerType.YES_NO, re.compile(r"^(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should)\b", _I)),
)
_PAST: Final = re.compile(
    r"\bused to\b|\bbefore\b|\bpreviously\b|\bformer(?:ly)?\b|\bearlier\b|\boriginally\b|\bfirst\b.*\bthen\b|\bonce\b",
    _I,
)
_FACETS: Final[tuple[tuple[re.Pattern[str], tuple[str, ...]], ...]] = tuple(
    (re.compile(pattern, _I), tuple(names.split()))
    for pattern, names in (
        (
            r"\bwhere\b.*\b(?:live|living|home)\b|\bd[oó]nde vive|\bwo wohnt|\boù (?:habite|vit)|住在哪|أين (?:ت|ي)عيش",
            "lives_in",
        ),
        (r"\bwhere\b.*\b(?:work|working|job|employed)\b|\bemployer\b|\bcompany\b", "works_at job"),
        (r"\b(?:job|occupation|profession|do for a living)\b", "job works_at occupation"),
        (r"\bwhere\b.*\bfrom\b|\b(?:home )?country\b", "home_country moved_from"),
        (r"\ballerg", "allergic_to"),
        (r"\binstruments?\b|\binstrumento", "instrument"),
        (r"\bsports?\b", "sport"),
        (r"\bpets?\b|\b(?:dog|cat|puppy|kitten)s?\b", "pet"),
        (r"\bbooks?\b|\bread\b", "read"),
        (r"\b(?:movie|film|show)s?\b|\bwatch", "watched"),
        (r"\bhobb(?:y|ies)\b|\bactivit|\bfor fun\b|\brelax|\bdestress", "hobby likes"),
        (r"\b(?:visit|travel|cit(?:y|ies)|countr(?:y|ies)|trips?)\w*", "visited"),
        (r"\bb(?:uy|ought)\b|\bpurchase", "bought"),
        (r"\bwon\b|\bwin\b|\bprize", "won"),
        (r"\bplan(?:s|ning)?\b|\bgoing to\b", "plans goal"),
        (r"\bfavou?rite\b", "favourite"),
        (r"\bhow old\b|\bage\b", "age"),
        (r"\bbirthday\b", "birthday"),
        (r"\b(?:vegetarian|vegan|diet|eater)\b", "diet"),
        (r"\b(?:first )?name\b", "name"),
        (r"\b(?:dating|married|single|relationship|partner|husband|wife)\b", "relationship_status partner"),
        (r"\b(?:child|children|kids?|son|daughter)\b", "child"),
        (r"\blanguages?\b", "language"),
        (r"\bfeel about\b|\b(?:like|love|hate|enjoy)s?\b", "likes dislikes"),
    )
)
_FIRST_PERSON: Final = re.compile(r"\b(?:i|my|me|mine|we|our)\b", _I)
_USER: Final = frozenset({"user", "human", "me", "the user"})


@dataclass(frozen=True, slots=True)
class Shape:
    """A question, classified.

    Attributes:
        answer_type: What sort of answer it wants.
        list_like, count_like, duration_count, comparison, multi_entity, temporal, past: As named.
        entities: Folded names in the question.
        subject_speakers: Speakers that it is about, as they are written.
        keywords: Stems of its content words without the names of speakers.
        phrases: Quoted titles.
        facets: Names of the facets that would answer it.
        times: Times it names.
    """

    answer_type: AnswerType
    list_like: bool
    count_like: bool
    duration_count: bool
    comparison: bool
    multi_entity: bool
    temporal: bool
    past: bool
    entities: tuple[str, ...]
    subject_speakers: tuple[str, ...]
    keywords: tuple[str, ...]
    phrases: tuple[str, ...]
    facets: tuple[str, ...]
    times: tuple[TimeMention, ...]


def shape_of(question: str, *, speakers: Sequence[str] = (), asked_at: datetime | None = None) -> Shape:
    """Classify a question."""
    asked = set(words(question))
    about = tuple(s for s in speakers if asked & set(words(s)) or fold(s) in fold(question))
    if not about and _FIRST_PERSON.search(question):
        about = tuple(s for s in speakers if fold(s) in _USER)
    named = {k for s in speakers for k in keywords(s)}
    answer_type = next((t for t, p in _TYPES if p.search(question)), AnswerType.FACT)
    proper = tuple(fold(m) for m in re.findall(r"(?<!^)(?<![.?!] )\b[A-Z][\w'-]+(?: [A-Z][\w'-]+)*", question[:10_000]))
    entities = tuple(dict.fromkeys([*(fold(s) for s in about), *proper]))
    return Shape(
        answer_type=answer_type,
        list_like=answer_type is AnswerType.LIST,
        count_like=answer_type is AnswerType.COUNT,
        duration_count=answer_type is AnswerType.DURATION,
        comparison=bool(re.search(r"\b(?:both|in common|same|similar|difference|compare|than)\b", question, _I)),
        multi_entity=len(entities) > 1,
        temporal=answer_type in (AnswerType.DATE, AnswerType.DURATION),
        past=bool(_PAST.search(question)),
        entities=entities,
        subject_speakers=about,
        keywords=tuple(k for k in dict.fromkeys(keywords(question)) if k not in named),
        phrases=tuple(re.findall(r"[\"“]([^\"“”]{1,80})[\"”]", question)),
        facets=tuple(dict.fromkeys(n for p, names in _FACETS if p.search(question) for n in names)),
        times=tuple(find_times(question, asked_at)),
    )
