"""Why a clause is no statement worth keeping: small rules, each of which names what a clause is instead."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Final

from trajwiki.language import lexicon as lex
from trajwiki.language import verbs as v
from trajwiki.language.entities import CALENDAR
from trajwiki.language.lexicon import word_set
from trajwiki.language.sentences import finite_verbs, is_whole
from trajwiki.language.tokenizing import FINITE, Tag, Token
from trajwiki.memory.phrases import MATRIX, SAYINGS, TALK

Rule = Callable[[Sequence[Token]], bool]

MIN_WORDS: Final = 3
MAX_WORDS: Final = 45


def is_question(tokens: Sequence[Token]) -> bool:
    """So: "Can you ...", "what a ...", "how was ..."."""
    first = tokens[0]
    second = tokens[1] if len(tokens) > 1 else None
    if first.tag in (Tag.AUX, Tag.MODAL) and second is not None:
        behind = (second.low == "n't" and len(tokens) > 2 and tokens[2]) or second
        return behind.low in lex.SUBJECTS or behind.tag in (Tag.POSSESSIVE, Tag.DETERMINER, Tag.PRONOUN, Tag.NAME)
    if first.low in {"what", "how", "who", "whose", "why", "which", "whom"}:
        return True
    if first.low in {"when", "where"} and second is not None and second.tag in (Tag.AUX, Tag.MODAL):
        return True
    return _asks_behind_a_topic(tokens)


def _asks_behind_a_topic(tokens: Sequence[Token]) -> bool:
    """So: "in the nine interviews what are the ..."."""
    for i, (a, b) in enumerate(pairwise(tokens[:14])):
        if a.tag in FINITE:
            return False
        if a.low in {"what", "which", "how", "why"} and b.tag in (Tag.AUX, Tag.MODAL):
            after = tokens[i + 2] if i + 2 < len(tokens) else None
            return after is not None and after.tag in (Tag.DETERMINER, Tag.PRONOUN, Tag.POSSESSIVE)
    return False


def is_imperative(tokens: Sequence[Token]) -> bool:
    """So: "Take your time", "don't give up", "let's go"."""
    rest = [t for t in tokens if t.tag is not Tag.ADVERB or t.low == "n't"]
    if not rest:
        return True
    first = rest[0]
    if first.low in {"let's", "let", "please", "do", "does", "did"}:
        return True
    return first.tag in (Tag.BASE, Tag.THIRD) or (
        first.low == "have" and not any(t.tag is Tag.PARTICIPLE for t in rest[:4])
    )


def has_no_verb(tokens: Sequence[Token]) -> bool:
    """No finite verb of a main clause, outside brackets."""
    depth = 0
    for i, token in enumerate(tokens):
        depth += (token.text == "(") - (token.text == ")")
        if depth == 0 and token.tag in FINITE and (i == 0 or tokens[i - 1].tag not in (Tag.TO, Tag.MODAL)):
            return False
    return True


def is_fragment(tokens: Sequence[Token]) -> bool:
    """A subordinate clause alone: "especially when I paint"."""
    i = 0
    while i < len(tokens) - 1 and tokens[i].tag is Tag.ADVERB:
        i += 1
    if tokens[i].low == "as" and "as" in {t.low for t in tokens[i + 2 : i + 3]} and "," not in {t.text for t in tokens}:
        return True  # "as long as ..."
    if tokens[i].tag is Tag.GERUND:  # "making sure I get some exercise"
        subjects = sum(t.low in {"i", "we", "he", "she", "they"} for t in tokens)
        return finite_verbs(tokens) <= subjects
    return tokens[i].tag is Tag.SUBORDINATOR and not is_whole(tokens[i:])


def praises_what_is_there(tokens: Sequence[Token]) -> bool:
    """So: "I love the colors", "I like how ...": said of what the other showed."""
    lows = [t.low for t in tokens if t.tag is not Tag.ADVERB]
    if lows[:1] != ["i"] or lows[1:2] not in (["love"], ["like"], ["loved"], ["dig"], ["see"]):
        return False
    rest = tokens[next(i for i, t in enumerate(tokens) if t.low == lows[1]) + 1 :]
    rest = rest[1:] if rest and rest[0].low == "all" else rest
    pointed = bool(rest) and rest[0].low in {"the", "that", "this", "those", "these", "how", "what", "it"}
    return pointed and not any(
        t.tag in (Tag.NAME, Tag.QUOTED, Tag.NUMBER, Tag.GERUND) or t.low in {"of", "my"} for t in rest
    )


def speaks_to_the_other(tokens: Sequence[Token]) -> bool:
    """Praise, thanks, wishes and echoes: what is said about or to the other rather than of oneself."""
    lows = {t.low for t in tokens}
    if not lows & _SECOND:
        return bool(lows & {"thanks", "thank", "congrats", "congratulations", "kudos"})
    for i, t in enumerate(tokens):
        if t.low == "you" and i + 1 < len(tokens) and (tokens[i + 1].tag in FINITE or tokens[i + 1].tag is Tag.ADVERB):
            return True
    if tokens[0].low not in {"i", "my", "yesterday", "last", "we"}:
        return True
    past = any(t.tag is Tag.PAST or t.low in {"was", "were", "had", "did"} for t in tokens)
    return bool(lows & _COURTESY) or not past


_SECOND: Final = frozenset({"you", "your", "yours", "yourself", "yourselves", "y'all"})
_COURTESY: Final = word_set(
    """thanks thank appreciate glad happy proud hope wish agree believe sure know understand love like admire excited
    stoked pumped thrilled psyched hyped grateful support supporting help helping thankful lucky sorry let keep
    hear heard seeing see talk chat bet mean can could should would will 'll 'd owe wondering tell miss show send
    sending"""
)


def is_unfinished(tokens: Sequence[Token]) -> bool:
    """Ends where something is left out: "I do", "so did I", "I want to", "it depends on"."""
    last = tokens[-1]
    lows = [t.low for t in tokens]
    if last.low == "you" and len(tokens) > 2 and Tag.DETERMINER in (tokens[-2].tag, tokens[-3].tag):
        return True  # "I love the thought you"
    if lows[-3:] == [",", "and", "me"] or (
        lows[-2:-1] == ["to"] and last.low in {"ask", "know", "say", "tell", "share"}
    ):
        return True
    if any(a == "i" and b == "mean" for a, b in pairwise(lows)):
        return True
    if last.low in _DANGLING or (last.tag in _OPEN_TAGS and last.low not in {"'s", "all", "both", "each", "more"}):
        return True
    return any(
        sum(t.text == a for t in tokens) != sum(t.text == b for t in tokens) for a, b in ("()", "[]", "“”", "‘’")
    )


_DANGLING: Final = word_set("i to and or but the a an my because that than of with like")
_OPEN_TAGS: Final = frozenset({Tag.AUX, Tag.MODAL, Tag.DETERMINER, Tag.COORDINATOR})


def talks_about_talk(tokens: Sequence[Token]) -> bool:
    """Agreement, opinion on what is not one's own, requests, and talk about the talk itself."""
    lows = tuple(t.low for t in tokens if t.tag is not Tag.ADVERB or t.low in {"n't", "not"})
    if lows in SAYINGS or any(lows[: len(phrase)] == phrase for phrase in TALK):
        return True
    if any(lows[: len(phrase)] == phrase for phrase in MATRIX):
        after = lows[2:] if lows[1] not in {"'m", "am"} else lows[3:]
        after = after[1:] if after[:1] == ("that",) else after
        return not after or after[0] not in {"i", "my", "me", "to", "about", "of", "for"}
    return False


def judges(tokens: Sequence[Token]) -> bool:
    """So: "It's great to ...", "it was hard to ...": a judgement that tells nothing of what happened."""
    rest = [t for t in tokens[:6] if t.tag is not Tag.ADVERB]
    if len(rest) < 3 or rest[0].low != "it" or rest[1].low not in v.BE | {"'s", "feels", "felt"}:
        return False
    return rest[2].tag in (Tag.ADJECTIVE, Tag.GERUND) or any(t.low in lex.EVALUATIVE for t in rest[2:4])


def only_praises(tokens: Sequence[Token]) -> bool:
    """So: "X is awesome", "doing Y was the best": nothing but praise or blame is said of the subject."""
    links = [i for i, t in enumerate(tokens) if t.low in _LINKS and i > 0 and tokens[i - 1].tag is not Tag.TO]
    if tokens[0].tag is Tag.GERUND and links and _all_praise(tokens[links[-1] + 1 :]):
        return True
    at = links[0] if links else None
    if at is None or any(t.tag in FINITE for t in tokens[: at - 1] if t.tag is not Tag.BASE):
        return False
    if tokens[0].low == "my" and tokens[at - 1].low not in lex.PERSON_SINGULAR | {"life"}:
        return False
    return _all_praise(tokens[at + 1 :])


def _all_praise(said: Sequence[Token]) -> bool:
    return bool(said) and all(_is_praise(t) for t in said) and not any(t.low in STATES for t in said)


def _is_praise(token: Token) -> bool:
    if token.low in lex.EVALUATIVE or token.low in lex.VAGUE or token.low in _IN_PRAISE:
        return True
    return token.tag in (Tag.ADVERB, Tag.DETERMINER, Tag.MARK, Tag.COORDINATOR, Tag.ADJECTIVE)


_IN_PRAISE: Final = word_set("been be of it for to me us in my i part have")
_LINKS: Final = v.BE | {"'s", "sounds", "looks", "sounded", "looked", "feels", "felt", "seems", "seemed"}
STATES: Final = word_set(
    """single married engaged divorced widowed pregnant vegan vegetarian pescatarian allergic retired adopted deaf
    blind gluten-free diabetic unemployed bilingual jewish muslim christian catholic hindu buddhist atheist gay
    trans lesbian queer bisexual nonbinary autistic left-handed hurt injured sick homeless dead important favorite
    favourite"""
)


def only_feels(tokens: Sequence[Token]) -> bool:
    """So: "I was elated", "I'm so excited", "I joined in": a mood or a phrase without any thing in it."""
    if STATES & {t.low for t in tokens}:
        return False
    link = next((i for i, t in enumerate(tokens) if i and t.low in _LINKS), None)
    if link is not None and not any(t.tag in FINITE for t in tokens[:link]):
        said = tokens[link + 1 :]
        if said and any(t.low in lex.FEELINGS for t in said) and all(_is_mood(t) for t in said):
            return True  # "my teammates and I were thrilled"
    things = (Tag.NOUN, Tag.NAME, Tag.QUOTED, Tag.NUMBER, Tag.GERUND)
    verbs = [t for t in tokens[1:] if t.tag in (Tag.BASE, Tag.PAST, Tag.THIRD, Tag.PARTICIPLE)]
    if any(t.tag in things for t in tokens):
        return False
    return not verbs or len(tokens) <= 4


def _is_mood(token: Token) -> bool:
    return token.low in lex.FEELINGS or token.tag in (Tag.ADVERB, Tag.MARK, Tag.COORDINATOR)


def can_do(tokens: Sequence[Token]) -> bool:
    """So: "I can feel it", "maybe I could help": possibilities; what somebody is able to do stays."""
    lows = [t.low for t in tokens if t.tag is not Tag.ADVERB]
    if "i" not in lows:
        return False
    at = lows.index("i")
    if at > 3 or lows[at + 1 : at + 2] not in (["can"], ["could"]):
        return lows[:5] == ["i", "ca", "wait", "to", *lows[4:5]] and len(lows) <= 5
    return not lows[at + 2 : at + 3] or lows[at + 2] not in _SKILLS


_SKILLS: Final = word_set(
    "speak play swim cook drive ride read write sing dance ski surf skate juggle knit sew bake paint draw program code"
)


def is_conditional(tokens: Sequence[Token]) -> bool:
    """So: "If I win, ...", "whether ...", "unless ..."."""
    first = next((t for t in tokens if t.tag not in (Tag.ADVERB, Tag.MARK)), tokens[0])
    return first.low in {"if", "unless", "whether"}


def has_no_anchor(tokens: Sequence[Token]) -> bool:
    """Nothing in it is the speaker's own: a maxim about all of "us", or what was only pointed at."""
    lows = [t.low for t in tokens if t.tag is not Tag.NAME]
    quantified = any(
        a in _QUANTIFIED and b == "of" and c == "us" for a, b, c in zip(lows, lows[1:], lows[2:], strict=False)
    )
    if quantified or ("us", "all") in pairwise(lows):
        return True
    if _says_who(tokens) or any(low in {"i", "me", "my", "mine", "myself"} for low in lows):
        return False
    if "we" in lows:
        return _means_everybody(tokens, lows)
    return lows[0] == "it" or not any(
        low == "our" and any(after in _OURS for after in lows[i + 1 : i + 3]) for i, low in enumerate(lows)
    )


_OF_EVERYBODY: Final = word_set(
    """can could should must need ca all both might may learn believe grow deserve want become feel realize know think
    care see choose"""
)
_QUANTIFIED: Final = word_set("all each both none most some")


def _means_everybody(tokens: Sequence[Token], lows: Sequence[str]) -> bool:
    """Whether "we" is everybody: "how we think", "we can all help"."""
    if any(t.tag in (Tag.NAME, Tag.NUMBER) for t in tokens) and "all" not in lows:
        return False
    at = next(i for i, t in enumerate(tokens) if t.low == "we")
    before = tokens[at - 1] if at else None
    if before is not None and before.tag is Tag.SUBORDINATOR and before.low in lex.RELATIVES:
        return True
    after = [low for low in lows[lows.index("we") + 1 :] if low not in {"'re", "are", "'ve"}]
    return bool(after) and after[0] in _OF_EVERYBODY


def _says_who(tokens: Sequence[Token]) -> bool:
    """So: "Max is a golden retriever": what somebody with a name is."""
    if len(tokens) < 4 or not tokens[0].text[0].isupper() or tokens[0].tag not in (Tag.NAME, Tag.NOUN):
        return False
    is_a = tokens[1].low in {"is", "'s", "was"} and tokens[2].low in {"a", "an"}
    return is_a and any(t.low in lex.PETS or t.low in lex.RELATIONS for t in tokens[3:])


_OURS: Final = (
    lex.PERSON_SINGULAR
    | (lex.PERSON_PLURAL - {"others", "people", "everyone", "everybody"})
    | lex.PETS
    | word_set("house home yard garden team family car trip apartment wedding")
    | word_set("school town village company office street band club")
)


def is_vague(tokens: Sequence[Token]) -> bool:
    """No word says anything that could be looked up later."""
    return not concrete_words(tokens)


def concrete_words(tokens: Sequence[Token]) -> list[Token]:
    """Give the words that could be looked up later; beside "it" or "something" a verb alone says too little."""
    open_thing = any(t.low in {"something", "anything", "everything", "things", "it", "stuff"} for t in tokens)
    return [t for t in tokens if _is_concrete(t) and not (open_thing and t.tag in _VERBS)]


_VERBS: Final = frozenset({Tag.BASE, Tag.THIRD, Tag.PAST, Tag.PARTICIPLE})
_NOT_CONCRETE: Final = (
    lex.VAGUE | lex.EVALUATIVE | lex.FEELINGS | lex.INTERJECTIONS | lex.ADVERBS | frozenset({"one", "ones"})
)


def _is_concrete(token: Token) -> bool:
    if token.tag in (Tag.NAME, Tag.QUOTED):
        return token.low not in CALENDAR
    if token.tag is Tag.NUMBER:
        return token.low not in {"one"}
    if token.low in STATES:
        return True
    if token.tag not in (Tag.NOUN, Tag.GERUND, Tag.BASE, Tag.THIRD, Tag.PAST, Tag.PARTICIPLE):
        return False
    return token.low not in _NOT_CONCRETE and v.base_of(token.low) not in _NOT_CONCRETE and len(token.low) > 2


def has_bad_length(tokens: Sequence[Token]) -> bool:
    """Too short to say anything, or too long to be one fact."""
    size = sum(t.tag is not Tag.MARK for t in tokens)
    return not MIN_WORDS <= size <= MAX_WORDS


REFUSALS: Final[tuple[tuple[str, Rule], ...]] = (
    ("question", is_question),
    ("imperative", is_imperative),
    ("to-the-other", speaks_to_the_other),
    ("no-verb", has_no_verb),
    ("fragment", is_fragment),
    ("length", has_bad_length),
    ("praise", praises_what_is_there),
    ("judgement", judges),
    ("praise-only", only_praises),
    ("mood", only_feels),
    ("can", can_do),
    ("conditional", is_conditional),
    ("unfinished", is_unfinished),
    ("talk", talks_about_talk),
    ("no-anchor", has_no_anchor),
    ("vague", is_vague),
)
"""Why a clause is no statement worth keeping, by name, in the order in which it is asked."""


NO_ANSWER: Final[tuple[Rule, ...]] = (
    is_question, is_imperative, speaks_to_the_other, is_conditional, talks_about_talk, judges, only_praises
)  # fmt: skip
"""What does not answer a question with a fact."""
UNQUOTABLE: Final[tuple[Rule, ...]] = (
    speaks_to_the_other, is_conditional, is_vague, talks_about_talk, judges, only_praises, praises_what_is_there,
    only_feels,
)  # fmt: skip
"""What is not kept even in the speaker's own words."""


def refusal(tokens: Sequence[Token]) -> str | None:
    """Give the name of the first rule that refuses a clause, or None."""
    return next((name for name, rule in REFUSALS if rule(tokens)), None)
