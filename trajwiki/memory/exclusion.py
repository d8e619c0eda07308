"""Which earlier claims a statement leaves no room for: other values, reversals, corrections, ends, plans done."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from trajwiki.domain.claims import Claim, ClaimKind, Facet, Status
from trajwiki.domain.state import SpaceState
from trajwiki.domain.times import day_of
from trajwiki.language.facets import FACETS
from trajwiki.language.lexicon import word_set
from trajwiki.language.tokens import fold, keywords, stem
from trajwiki.memory.claim_index import ClaimIndex, content_of, index_of
from trajwiki.memory.cues import doubted, moves_a_date, signals_correction, topic_of_move
from trajwiki.memory.propositions import Ends, Proposition, bonds_differ

NEAR: Final = 20  # messages back to which a correction reaches
_STATES: Final = (ClaimKind.FACT, ClaimKind.PREFERENCE, ClaimKind.COUNT)
_ROLES: Final = word_set(
    "wife husband spouse partner boyfriend girlfriend fiance fiancee mother father mom mum dad boss landlord dentist"
    " therapist"
)
"""Parts in a life that one person plays at a time."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A claim as it is being said.

    Attributes:
        claim: What is said.
        status: As said: a doubt replaces nothing.
        said: The message.
        speaker: Who said it.
        session: Source and session of the message.
        heard: The day on which it was said, or None.
        replaces: The earlier value that it names as wrong.
        corrects: Whether its message says that it puts something right.
        content: Taken apart.
        fresh: Message ids of the claims of the same exchange that are not in the state yet.
    """

    claim: Claim
    status: Status
    message_id: str
    speaker: str
    session: tuple[str, str]
    heard: date | None
    replaces: str | None
    corrects: bool
    content: Proposition
    fresh: Mapping[str, str]


def statement(
    claim: Claim, status: Status, message_id: str, replaces: str | None, state: SpaceState, fresh: Mapping[str, str]
) -> Statement:
    """Give a claim as it is being said in a message of the state."""
    message = state.messages[message_id]
    return Statement(
        claim=claim,
        status=status,
        message_id=message_id,
        speaker=message.speaker,
        session=(message.source, message.session),
        heard=day_of(message.sent_at),
        replaces=replaces,
        corrects=signals_correction(message.content),
        content=content_of(claim),
        fresh=fresh,
    )


def excluded(
    said: Statement, state: SpaceState, fresh: Sequence[Claim], doubtful: Callable[[str], bool]
) -> list[Claim]:
    """Give the claims that cannot be true beside a statement, oldest first.

    Args:
        said: It.
        state: Before the exchange.
        fresh: Claims of the same exchange that are not in the state yet.
        doubtful: Tells of a claim id whether it is in doubt now.
    """
    index = index_of(state)
    found: dict[str, Claim] = {}
    for other in (*_candidates(said, state, index), *(c for c in fresh if _is_near(said, c))):
        if other.id == said.claim.id or other.id in found:
            continue
        if any(check(said, other, state) for check in EXCLUSIONS) or (
            doubtful(other.id) and said.status is Status.ACTIVE and _settles(said, other)
        ):
            found[other.id] = other
    return sorted(found.values(), key=lambda c: c.ordinal)


def _is_near(said: Statement, other: Claim) -> bool:
    return other.subject.casefold() == said.claim.subject.casefold() or (said.replaces is not None)


def _candidates(said: Statement, state: SpaceState, index: ClaimIndex) -> Iterator[Claim]:
    claim, content, subject = said.claim, said.content, said.claim.subject
    for key in _wanted(claim, content):
        yield from index.get(subject, key)
    if content.ends is not Ends.NOTHING:
        yield from index.with_all(subject, content.ended)
        if content.ends is Ends.PLAN:
            yield from _of_speaker(said, state, index, content.ended)
    if moves_a_date(claim.text):
        yield from _of_speaker(said, state, index, topic_of_move(claim.text, subject))
    if said.corrects or said.replaces is not None:
        yield from _said_shortly_before(said, state)
    yield from _doubts(subject, state)


def _wanted(claim: Claim, content: Proposition) -> Iterator[str]:
    """The keys under which claims stand that a claim may exclude."""
    if (facet := claim.facet) is not None:
        yield f"f:{facet.name}"
        if opposite := FACETS[facet.name].opposite:
            yield f"f:{opposite}"
    if content.bond:
        yield "bond"
    yield from (f"n:{unit}" for unit, _ in content.numbers)
    if claim.kind is not ClaimKind.PREFERENCE:
        yield from (f"p:{s}" for s in sorted(content.words))
    if claim.kind in _STATES and not claim.negated:
        yield from (f"e:{s}" for s in sorted(content.words))


def _said_shortly_before(said: Statement, state: SpaceState) -> Iterator[Claim]:
    """What stands on the messages of the speaker just before."""
    session = state.sessions.get(said.session, [])
    for message_id in session[-NEAR:]:
        if state.messages[message_id].speaker == said.speaker:
            yield from (state.claims[i] for i in state.claims_of.get(message_id, ()))


def _of_speaker(said: Statement, state: SpaceState, index: ClaimIndex, stems: frozenset[str]) -> Iterator[Claim]:
    """Claims with all stems about the speaker and whatever is the speaker's."""
    name = said.claim.subject.split("'")[0].casefold()
    for subject in sorted(s for s in state.claims_about if s.startswith(name)):
        yield from index.with_all(subject, stems)


def _doubts(subject: str, state: SpaceState) -> Iterator[Claim]:
    """Claims in doubt about somebody, or said with doubt by whose they are: "Gabi guesses their sister ..."."""
    about = dict.fromkeys((subject.casefold(), subject.partition("'")[0].casefold()))
    for claim_id in (i for name in about for i in state.claims_about.get(name, ())):
        if state.status.get(claim_id) is Status.NEEDS_CONFIRMATION:
            yield state.claims[claim_id]


# The ways in which a statement excludes another of the same subject.


def _other_value(said: Statement, other: Claim, state: SpaceState) -> bool:
    """The same single-valued facet with another value: lives in, works at, is called."""
    claim = said.claim
    a, b = claim.facet, other.facet
    if a is None or b is None or a.name != b.name or not _is_single(said, other):
        return False
    if claim.kind is ClaimKind.PLAN or other.kind is ClaimKind.PLAN or claim.negated or other.negated:
        return False
    return not _same_value(a, b) and claim.subject.casefold() == other.subject.casefold()


def _is_single(said: Statement, other: Claim) -> bool:
    """Whether the facet of two claims has room for one value, or the two name one and the same person's part."""
    facet = said.claim.facet
    if facet is None:
        return False
    if facet.name == "favourite":
        return _topic_of_favourite(said.claim) == _topic_of_favourite(other)
    if FACETS[facet.name].single_valued:
        return True
    before, _, _ = said.claim.text.partition(" is called ")
    earlier, called, _ = other.text.partition(" is called ")
    if not called or before.casefold() != earlier.casefold():
        return False
    return before.split()[-1].casefold() in _ROLES


def _topic_of_favourite(claim: Claim) -> frozenset[str]:
    named = claim.subject if "fav" in claim.subject else claim.text.partition(" is ")[0]
    return frozenset(keywords(named))


def _reversal(said: Statement, other: Claim, state: SpaceState) -> bool:
    """The same facet and value, once affirmed and once denied; or an opposite facet: likes, dislikes."""
    a, b = said.claim.facet, other.facet
    if a is None or b is None or not _same_value(a, b):
        return False
    if a.name == b.name:
        return said.claim.negated != other.negated
    return FACETS[a.name].opposite == b.name and said.claim.negated == other.negated


def _bond(said: Statement, other: Claim, state: SpaceState) -> bool:
    """Dating, married, apart: one at a time."""
    if said.claim.kind is ClaimKind.PLAN or other.kind is ClaimKind.PLAN or said.claim.negated or other.negated:
        return False
    lasts = other.kind in _STATES or content_of(other).bond in {"engaged", "apart"}
    return lasts and bonds_differ(said.content.bond, content_of(other).bond)


def _end(said: Statement, other: Claim, state: SpaceState) -> bool:
    """What was said to be so is said to be over."""
    content = said.content
    if content.ends is Ends.NOTHING or (said.claim.kind is ClaimKind.PLAN and not said.claim.negated):
        return False
    was = content_of(other)
    within = was.listed if other.kind in _STATES else was.words
    if other.negated or was.ends is not Ends.NOTHING or not content.ended <= within:
        return False
    return _FOR[content.ends](said, other, was)


def _ends_any(said: Statement, other: Claim, was: Proposition) -> bool:
    if other.kind is ClaimKind.EVENT:
        return other.facet is not None and FACETS[other.facet.name].single_valued and not said.claim.negated
    if said.content.ends is Ends.DENIED:
        same = said.content.verb == was.verb or {said.content.verb, was.verb} <= _LIKING
        return same or other.kind is ClaimKind.PLAN
    return True


def _ends_place(said: Statement, other: Claim, was: Proposition) -> bool:
    placed = other.facet is not None and other.facet.name in {"works_at", "job", "lives_in", "school"}
    return placed or other.kind in (ClaimKind.FACT, ClaimKind.COUNT)


def _ends_having(said: Statement, other: Claim, was: Proposition) -> bool:
    return other.kind in _STATES and was.verb in {"have", "own", "keep", "drive", "ride", "live"}


def _ends_plan(said: Statement, other: Claim, was: Proposition) -> bool:
    if other.kind is ClaimKind.PLAN or was.bond == "engaged":
        return True
    return (said.claim.kind is not ClaimKind.PLAN and _is_ahead(other, said)) or (
        other.kind in _STATES and was.lasting and said.content.verb in _GIVING_UP
    )


_GIVING_UP: Final = frozenset({"quit", "stop", "give", "drop", "ditch", "abandon", "retire"})
_LIKING: Final = frozenset({"like", "love", "enjoy", "adore", "prefer"})
_FOR: Final = {
    Ends.DENIED: _ends_any,
    Ends.GIVEN_UP: _ends_any,
    Ends.PLACE: _ends_place,
    Ends.HAVING: _ends_having,
    Ends.PLAN: _ends_plan,
}


def _other_number(said: Statement, other: Claim, state: SpaceState) -> bool:
    """As many of the same as now, where there were more or fewer."""
    now, was = said.content, content_of(other)
    if ClaimKind.PLAN in (said.claim.kind, other.kind) or said.claim.negated or other.negated:
        return False
    if now.verb != was.verb or not ((now.lasting and was.lasting) or said.corrects):
        return False
    numbers = dict(was.numbers)
    changed = [u for u, n in now.numbers if u in numbers and numbers[u] != n]
    if not changed or any(u in numbers and numbers[u] == n for u, n in now.numbers):
        return False
    values = {n for _, n in (*now.numbers, *was.numbers)} | _ALREADY
    a, b = now.head - values, was.head - values
    return a <= b or b <= a


_ALREADY: Final = frozenset(keywords("already now total so far almost nearly about around currently"))


def _correction(said: Statement, other: Claim, state: SpaceState) -> bool:
    """Puts right what the same person said shortly before: names what was wrong, or says that something was."""
    if not _stands_in(other, said, state):
        return False
    was, now = content_of(other), said.content
    if said.replaces is not None:
        wrong = set(keywords(said.replaces)) or {fold(said.replaces)}
        held = set(keywords(other.text))
        return wrong <= held and not (wrong <= set(keywords(_without(said.claim.text, said.replaces))))
    if not said.corrects or now.verb != was.verb or said.claim.kind is ClaimKind.PLAN:
        return False
    kept = now.words & was.words
    left, gone = now.words - was.words, was.words - now.words
    return bool(kept) and 0 < len(gone) <= 2 and 0 < len(left) <= 4 and bool(_values(said.claim) & left)


def _without(text: str, wrong: str) -> str:
    """A correction without the part that names what was wrong."""
    at = text.rfind(wrong)
    return text[:at] if at > len(text) // 3 else text[at + len(wrong) :]


def _values(claim: Claim) -> frozenset[str]:
    """Stems of the names and numbers of a claim."""
    named = {k for e in claim.entities for k in keywords(e)}
    return frozenset(named) | {k for k in keywords(claim.text) if k[0].isdigit()}


def _stands_in(other: Claim, said: Statement, state: SpaceState) -> bool:
    """Whether a claim was said by the same person in the same session, in another message."""
    ids = [s.quote.message_id for s in state.sources.get(other.id, ())]
    ids += [said.fresh[other.id]] if other.id in said.fresh else []
    messages = (state.messages[i] for i in ids if i != said.message_id)
    return any(m.speaker == said.speaker and (m.source, m.session) == said.session for m in messages)


def _plan_done(said: Statement, other: Claim, state: SpaceState) -> bool:
    """A plan of the same thing, now carried out."""
    if other.kind is not ClaimKind.PLAN or said.claim.kind in (ClaimKind.PLAN, ClaimKind.PREFERENCE):
        return False
    goal, now = content_of(other), said.content
    if said.claim.negated or other.negated or not _same_deed(goal.verb, now.verb):
        return False
    if len(goal.head) >= 2 and goal.head <= now.words:
        return True
    shared = goal.head & now.words
    verbs = {stem(goal.verb), stem(now.verb)}
    return len(shared - verbs) >= max(1.0, 0.6 * len(goal.head - verbs))


_DEEDS: Final = (
    word_set("get buy adopt purchase order acquire receive"),
    word_set("go visit travel fly drive tour"),
    word_set("see watch"),
    word_set("start begin open launch join"),
)


def _same_deed(goal: str, done: str) -> bool:
    """Whether two verbs may tell of one deed, before and after."""
    return goal == done or any(goal in deed and done in deed for deed in _DEEDS)


def _other_time(said: Statement, other: Claim, state: SpaceState) -> bool:
    """What is still ahead, put at another time."""
    claim = said.claim
    if other.negated or claim.valid == other.valid or not _is_ahead(other, said):
        return False
    if moves_a_date(claim.text):
        topic = topic_of_move(claim.text, claim.subject)
        return bool(topic) and topic <= content_of(other).words
    if claim.kind is not ClaimKind.PLAN or other.kind is not ClaimKind.PLAN or claim.valid is None:
        return False
    now, was = said.content.head, content_of(other).head
    return len(now & was) >= 2 and (now <= was or was <= now)


def _is_ahead(other: Claim, said: Statement) -> bool:
    """Whether a claim speaks of a time that had not passed when the statement was made."""
    if said.heard is None or other.valid is None or other.kind is ClaimKind.EVENT:
        return False
    return other.valid.end is None or other.valid.end >= said.heard


def _begun_again(said: Statement, other: Claim, state: SpaceState) -> bool:
    """Something that was given up or denied is said to be so again."""
    was, now = content_of(other), said.content
    if was.ends not in (Ends.DENIED, Ends.GIVEN_UP) or said.claim.negated or said.claim.kind not in _STATES:
        return False
    if now.ends is not Ends.NOTHING or not was.ended <= now.head:
        return False
    if was.verb in {"be", "have"} and len(now.head - was.ended) > 2:
        return False
    return was.ends is Ends.GIVEN_UP or was.verb == now.verb or {was.verb, now.verb} <= _LIKING


EXCLUSIONS: Final = (
    _begun_again,
    _other_value,
    _reversal,
    _bond,
    _end,
    _other_number,
    _correction,
    _plan_done,
    _other_time,
)


def _settles(said: Statement, other: Claim) -> bool:
    """Whether a plain statement decides a doubt, for or against."""
    core = doubted(other.text, other.subject)
    if len(core) > 1 and core <= said.content.words | set(keywords(said.claim.subject)):
        return True
    if said.claim.subject.casefold() != other.subject.casefold():
        return False
    a, b = said.claim.facet, other.facet
    return a is not None and b is not None and a.name == b.name and a.name in _DECIDED


_DECIDED: Final = frozenset(
    {"works_at", "job", "occupation", "lives_in", "partner", "relationship_status", "age", "name"}
)


def _same_value(a: Facet, b: Facet) -> bool:
    if fold(a.value) == fold(b.value):
        return True
    left, right = set(keywords(a.value)), set(keywords(b.value))
    return bool(left) and bool(right) and (left <= right or right <= left)
