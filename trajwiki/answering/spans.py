"""The few words of a sentence that a question asks for."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from trajwiki.answering.asked import Asked, Focus
from trajwiki.answering.patterns import AMOUNTS, BECAUSE, BY, COLOURS, FELT, LIKED, MONEY, NAMED, OFTEN
from trajwiki.language import lexicon as lex
from trajwiki.language import verbs as v
from trajwiki.language.entities import CALENDAR, NOT_NAMES
from trajwiki.language.foreign import is_foreign
from trajwiki.language.lexicon import word_set
from trajwiki.language.sentences import split_clauses
from trajwiki.language.tagging import tag
from trajwiki.language.times import find_times
from trajwiki.language.tokenizing import Tag, Token, render
from trajwiki.language.tokens import fold, is_stopword, keywords, stem, words
from trajwiki.memory.propositions import said_words

MAX_WORDS: Final = 14  # of an answer
NAME: Final = 0.5  # weight of the name of a speaker; that of other words of a question is 1 in the mean
FEW: Final = 2  # new words of a sentence from which it may answer though it names no thing


@dataclass(frozen=True, slots=True)
class Word:
    """A token of a sentence, in the light of a question.

    Attributes:
        token: It.
        known: The weight that it has in the question, which says it already; else 0.
        new: It says something that the question does not.
    """

    token: Token
    known: float
    new: bool


def span_for(text: str, asked: Asked, subject: str) -> str:
    """Give the words of a sentence that answer a question, or nothing where it has none of the sort asked for.

    Args:
        text: A claim, or a sentence as it was said.
        asked: The question.
        subject: Whom the sentence is about.
    """
    inner = said_words(text)
    if is_foreign(inner):
        return inner.strip(" .")
    reader = _READERS.get(asked.focus, _thing)
    return _tidy(reader(inner, asked, _words(inner, asked, subject)))


def _words(text: str, asked: Asked, subject: str) -> list[Word]:
    times = [(m.start, m.end) for m in find_times(text, None)]
    names = frozenset(words(subject)) | {w for s in asked.shape.subject_speakers for w in words(s)}
    mean = sum(asked.weights.values()) / len(asked.weights) if asked.weights else 1.0
    keys = {stem(w): NAME for w in names} | {k: w / mean for k, w in asked.weights.items()}
    out = []
    for token in tag(text, frozenset(names)):
        parts = [w for w in words(token.text) if not is_stopword(w)]
        known = max((keys[s] for w in parts if (s := stem(w)) in keys), default=0.0)
        timed = any(a <= token.start < b for a, b in times)
        light = token.tag in (Tag.MARK, Tag.ADVERB, Tag.AUX, Tag.MODAL, Tag.PRONOUN, Tag.COORDINATOR)
        light = light or token.low in lex.INTERJECTIONS
        out.append(Word(token, known, bool(parts) and not known and not timed and not light))
    return out


# Clauses: where in the sentence the question's words stand.


def _clauses(found: Sequence[Word]) -> list[list[Word]]:
    """The clauses of a sentence, cut also where a subordinate one begins."""
    by_start = {w.token.start: w for w in found}
    out: list[list[Word]] = []
    for clause in split_clauses([w.token for w in found]):
        part: list[Word] = []
        for token in clause:
            opens = token.tag is Tag.SUBORDINATOR and token.low not in {"how", "what", "that"}
            if part and (opens or token.text in _BREAKS):
                out.append(part)
                part = []
            part.append(by_start[token.start])
        out.append(part)
    return [c for c in out if c]


_BREAKS: Final = frozenset({"-", "–", "—", ":", ";", "(", ")", "…", "...", "!"})


def _nearest_clauses(found: Sequence[Word]) -> list[list[Word]]:
    """The clauses that say something new: the one that holds most of the question, what follows it, then others."""
    clauses = _clauses(found)
    if not clauses:
        return []
    scores = [sum(w.known for w in c) + 0.5 * any(w.new for w in c) for c in clauses]
    best = max(range(len(clauses)), key=lambda i: (scores[i], -i))
    order = sorted(range(len(clauses)), key=lambda i: (i != best, i != best + 1, i != best - 1, i))
    return [clauses[i] for i in order if any(w.new for w in clauses[i])]


# What is asked for.


def _thing(text: str, asked: Asked, found: Sequence[Word]) -> str:
    """The stretch of new words behind the verb, or the nearest to the question's words."""
    if asked.noun and (named := _of_kind(asked, found)):
        return named
    for clause in _nearest_clauses(found):
        runs = list(_runs(clause))
        start, end = max(runs, key=lambda r: _worth(clause, r, asked))
        if _worth(clause, (start, end), asked)[0] > 0:
            return _extended(clause, start, end)
    if sum(w.new for w in found) < FEW:
        return ""
    return _deed(text, asked, found)


def _runs(clause: Sequence[Word]) -> Iterator[tuple[int, int]]:
    """Stretches of a clause between the words that the question says."""
    start = None
    for i, word in enumerate(clause):
        if word.known:
            if start is not None:
                yield start, i
            start = None
        elif start is None:
            start = i
    if start is not None:
        yield start, len(clause)


def _worth(clause: Sequence[Word], run: tuple[int, int], asked: Asked) -> tuple[float, int]:
    start, end = run
    new = sum(w.new for w in clause[start:end])
    things = sum(_is_thing(clause, i) for i in range(start, end))
    if not new:
        return (-1.0, 0)
    if not things:
        return (-0.5, 0)
    before = clause[start - 1] if start else None
    behind_verb = before is not None and before.token.tag not in (Tag.NOUN, Tag.NAME, Tag.ADJECTIVE)
    is_asked = before is not None and bool(asked.verb) and v.base_of(before.token.low) == asked.verb
    return (things + 0.3 * new + 1.0 * (start > 0) + 1.0 * behind_verb + 2.0 * is_asked, -start)


def _is_thing(clause: Sequence[Word], i: int) -> bool:
    """Whether a word names something that could be an answer: no light noun, no verb in progress."""
    word = clause[i]
    if not word.new or word.token.tag not in _THINGS or word.token.low in lex.VAGUE:
        return False
    before = clause[i - 1].token if i else None
    return word.token.tag is not Tag.GERUND or before is None or before.tag not in (Tag.AUX, Tag.ADVERB)


_THINGS: Final = (Tag.NOUN, Tag.NAME, Tag.QUOTED, Tag.GERUND, Tag.NUMBER)


def _extended(clause: Sequence[Word], start: int, end: int) -> str:
    """A stretch without what is light at its ends, and without the verb that leads to it."""
    while start < end and not clause[start].new:
        start += 1
    verb = clause[start].token if start < end else None
    rest = clause[start + 1 : end]
    if verb is not None and verb.tag in _LEADING and any(w.new for w in rest):
        at = start + 1
        while at < end and clause[at].token.tag in (Tag.PREPOSITION, Tag.ADVERB, Tag.TO) and at < end - 1:
            at += 1
        start = at
        while start < end and clause[start].token.tag in (Tag.MARK, Tag.COORDINATOR):
            start += 1
    while end > start and not (clause[end - 1].new or clause[end - 1].token.tag is Tag.NUMBER):
        end -= 1
    return render([w.token for w in clause[start:end]])


_LEADING: Final = (Tag.PAST, Tag.BASE, Tag.THIRD, Tag.PARTICIPLE)


def _of_kind(asked: Asked, found: Sequence[Word]) -> str:
    """So: "a beginner's yoga class" for "what kind of class": the noun itself with what stands before it."""
    for i, word in enumerate(found):
        if stem(word.token.low) != asked.noun or word.token.tag not in (Tag.NOUN, Tag.NAME, Tag.GERUND):
            continue
        start = i
        while start > 0 and _modifies(found, start - 1, i):
            start -= 1
        if any(w.new for w in found[start:i]):
            return render([w.token for w in found[start : i + 1]])
    return ""


def _modifies(found: Sequence[Word], i: int, head: int) -> bool:
    """Whether a word belongs to what stands before a noun: "a safe, inviting place"."""
    token = found[i].token
    if token.text == ",":
        return i > 0 and i + 1 < head and found[i - 1].token.tag is Tag.ADJECTIVE
    return token.tag in _MODIFIERS or "-" in token.text[1:] or (found[i].known > 0 and token.tag is Tag.ADVERB)


_MODIFIERS: Final = (Tag.ADJECTIVE, Tag.NOUN, Tag.NAME, Tag.NUMBER, Tag.GERUND, Tag.QUOTED, Tag.POSSESSIVE)


def _who(text: str, asked: Asked, found: Sequence[Word]) -> str:
    """Names, and people by their part in a life."""
    people = []
    i = 0
    while i < len(found):
        token = found[i].token
        named = token.tag is Tag.NAME and not found[i].known and token.low not in CALENDAR | NOT_NAMES
        if named and (i == 0 or found[i - 1].token.low not in _PLACED):
            end = i + 1
            while end < len(found) and found[end].token.tag is Tag.NAME and found[end].token.space:
                end += 1
            people.append(render([w.token for w in found[i:end]]))
            i = end
            continue
        if found[i].new and token.low in _PEOPLE:
            start = i
            while start > 0 and found[start - 1].token.tag in (Tag.ADJECTIVE, Tag.NOUN):
                start -= 1
            people.append(render([w.token for w in found[start : i + 1]]))
        i += 1
    return ", ".join(dict.fromkeys(people[:4]))


_PEOPLE: Final = (
    lex.PERSON_SINGULAR | lex.PERSON_PLURAL | lex.COLLECTIVES | word_set("organization organisation company charity")
)
_PLACED: Final = word_set("in at to from near on by through around outside inside behind under into across along")


def _where(text: str, asked: Asked, found: Sequence[Word]) -> str:
    """What stands behind a preposition of place; a name before a common noun."""
    places: list[tuple[bool, bool, str]] = []
    for i, word in enumerate(found[:-1]):
        follows = found[i + 1].token
        leads = word.token.tag is Tag.PREPOSITION or (word.token.tag is Tag.TO and follows.tag is Tag.NAME)
        if word.token.low not in _PLACED or not leads:
            continue
        end = i + 1
        while end < len(found) and (found[end].token.tag in _IN_PLACE or found[end].token.low in {"of", "the", "a"}):
            end += 1
        phrase = found[i + 1 : end]
        if any(w.new and w.token.tag in (Tag.NOUN, Tag.NAME) for w in phrase):
            named = any(w.token.tag is Tag.NAME and w.new for w in phrase)
            near = any(w.known for w in found[max(0, i - 3) : i])
            places.append((named, near, render([w.token for w in phrase])))
    if not places:
        return _called(text, asked, found) if not re.match(r"\s*where\b", asked.question, re.IGNORECASE) else ""
    return max(places, key=lambda p: (p[0], p[1]))[2]


_IN_PLACE: Final = (Tag.DETERMINER, Tag.POSSESSIVE, Tag.ADJECTIVE, Tag.NOUN, Tag.NAME, Tag.NUMBER, Tag.QUOTED)


def _why(text: str, asked: Asked, found: Sequence[Word]) -> str:
    match = BECAUSE.search(text)
    if match and any(w.new for w in found if w.token.start >= match.start("why")):
        return text[match.start("why") :]
    clauses = _clauses(found)
    free = [c for c in clauses if not any(w.known for w in c) and sum(w.new for w in c) > 1]
    if free and len(clauses) > 1:
        return render([w.token for w in free[0]])
    return _deed(text, asked, found)


def _feel(text: str, asked: Asked, found: Sequence[Word]) -> str:
    """Feelings, or what is said of the thing."""
    if (liked := LIKED.search(text)) is not None and not (set(keywords(liked.group())) & set(asked.keys)):
        return liked.group()
    felt = [w.token.text for w in found if w.token.low in FELT and not w.known]
    return " and ".join(dict.fromkeys(felt[:3]))


def _title(text: str, asked: Asked, found: Sequence[Word]) -> str:
    """Quoted words, or a name inside the sentence."""
    titles = [w.token.text.strip("\"'“”‘’ .,!") for w in found if w.token.tag is Tag.QUOTED and not w.known]
    if titles:
        by = BY.search(text)
        return ", ".join(dict.fromkeys(f'"{t}"' for t in titles)) + (
            f" by {by['who']}" if by and len(titles) == 1 else ""
        )
    return _called(text, asked, found) or _thing(text, asked, found)


def _called(text: str, asked: Asked, found: Sequence[Word]) -> str:
    """A name that the question does not say."""
    match = NAMED.search(text)
    if match and stem(match["n"].split()[0]) not in asked.keys:
        return match["n"]
    names: list[str] = []
    i = 0
    while i < len(found):
        token = found[i].token
        if token.tag is Tag.NAME and not found[i].known and token.low not in CALENDAR and not _is_timed(found[i]):
            end = i + 1
            while end < len(found) and (found[end].token.tag is Tag.NAME or found[end].token.low in {"of", "the"}):
                end += 1
            while found[end - 1].token.tag is not Tag.NAME:
                end -= 1
            names.append(render([w.token for w in found[i:end]]))
            i = end
        else:
            i += 1
    return ", ".join(dict.fromkeys(names[:2]))


def _is_timed(word: Word) -> bool:
    return not word.new and word.token.tag is Tag.NAME


def _pattern(pattern: re.Pattern[str]) -> Callable[[str, Asked, Sequence[Word]], str]:
    """A reader that gives what a pattern finds, the nearest to the question's words first."""

    def read(text: str, asked: Asked, found: Sequence[Word]) -> str:
        known = [w.token.start for w in found if w.known]
        hits = [m for m in pattern.finditer(text) if not set(keywords(m.group())) & set(asked.keys)]
        if not hits:
            return ""
        best = min(hits, key=lambda m: min((abs(m.start() - k) for k in known), default=m.start()))
        return best.group().strip()

    return read


def _amount(text: str, asked: Asked, found: Sequence[Word]) -> str:
    """A number with its unit; of money, where a price is asked for."""
    priced = asked.verb in {"pay", "cost", "spend", "earn", "sell", "charge", "buy", "save", "raise"}
    return _pattern(MONEY if priced else AMOUNTS)(text, asked, found)


def _deed(text: str, asked: Asked, found: Sequence[Word]) -> str:
    """What somebody does: from the verb of the best clause on."""
    clauses = _nearest_clauses(found)
    if not clauses:
        return ""
    clause = clauses[0]
    at = next(i for i, w in enumerate(clause) if w.new)
    end = len(clause)
    while end > at and not clause[end - 1].new:
        end -= 1
    return render([w.token for w in clause[at:end]])


_READERS: Final[Mapping[Focus, Callable[[str, Asked, Sequence[Word]], str]]] = {
    Focus.WHO: _who,
    Focus.WHERE: _where,
    Focus.WHY: _why,
    Focus.FEEL: _feel,
    Focus.TITLE: _title,
    Focus.CALLED: _called,
    Focus.COLOUR: _pattern(COLOURS),
    Focus.AMOUNT: _amount,
    Focus.OFTEN: _pattern(OFTEN),
    Focus.DEED: _deed,
}

# Wording.

_THEIR: Final = {
    "my": "their", "our": "their", "me": "them", "us": "them", "i": "they", "we": "they", "mine": "theirs",
    "myself": "themselves", "ourselves": "themselves", "i'm": "they're", "i've": "they've", "we're": "they're",
    "we've": "they've", "i'd": "they'd", "i'll": "they'll",
}  # fmt: skip
_LEAD: Final = re.compile(
    r"\A(?:their|them|it|my|our|his|her|the|a|an|some|own|to|of|that|this|and|but|so|with|on|about|like)\s+",
    re.IGNORECASE,
)


def _tidy(text: str) -> str:
    """An answer in the third person, without what trails or leads it, no longer than an answer should be."""
    text = " ".join(text.split()).strip(" ,;:.!?-–—…")
    text = re.sub(r"[A-Za-z]+(?:['’][a-z]+)?", lambda m: _THEIR.get(fold(m.group()), m.group()), text)
    for mention in reversed(find_times(text, None)):
        if mention.start > 0 and mention.end == len(text):
            text = text[: mention.start].rstrip(" ,")
    previous = None
    while previous != text:
        previous, text = text, _LEAD.sub("", text)
    kept = text.split()
    if len(kept) > MAX_WORDS:
        text = _shortened(text)
    return text.strip(" ,;:.!?-–—…")


def _shortened(text: str) -> str:
    """Cut before the last comma or joining word within the length, else at the length."""
    kept = " ".join(text.split()[:MAX_WORDS])
    at = max(kept.rfind(","), kept.rfind(" and "), kept.rfind(" - "))
    return kept[:at] if at > len(kept) // 3 else kept


def says_new(text: str, keys: Collection[str]) -> bool:
    """Tell whether a text says anything that the question does not."""
    return any(k not in keys for k in keywords(text)) or not keywords(text)
