"""Rules that the instructions of a run state, and which of them speak about a call or a task."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from trajwiki.language.lexicon import word_set
from trajwiki.language.sentences import split_sentences
from trajwiki.language.tokens import keywords, stem
from trajwiki.tips.facts import Facts, Leaf
from trajwiki.tips.wording import in_words

MAX_INSTRUCTIONS: Final = 30_000
RULE_WORDS: Final = 90
QUOTE_WORDS: Final = 50
FIELDS: Final = 4
NEAR: Final = 0.6  # of the best score, for a further rule
SHORTEST: Final = 5

_BINDS: Final = re.compile(
    r"\b(?:must|should|shall|only|cannot|can ?not|can|never|always|do not|don[’']t|may not|unless|required?|"
    r"at most|at least|"
    r"if and only if|not allowed|ensure|make sure|before|first|needs? to)\b",
    re.I,
)
_CONDITION: Final = re.compile(r"\b(?:if|unless|only|within|cannot|not|at most|before|otherwise)\b", re.I)
_SAME: Final = tuple(
    frozenset(stem(w) for w in group.split())
    for group in (
        "update modify change edit set adjust alter",
        "create add make new insert",
        "book order buy purchase",
        "delete remove drop erase",
        "cancel abort revoke",
        "send give offer issue compensate grant",
        "transfer escalate hand forward",
        "return refund exchange",
    )
)
GENERAL: Final = frozenset(map(stem, word_set("id ids name type number first last user date total count value key")))
_ID: Final = re.compile(r"(?!\d{4}-\d\d)(?=\w*\d)(?=\w*[A-Za-z])[\w-]+")
_HEADING: Final = re.compile(r"^\s{0,3}#{1,6}\s+(.{1,80})$")
_LABEL: Final = re.compile(r"^\W*([A-Z][\w /]{2,30}):\s+(?=\w)")


@dataclass(frozen=True, slots=True)
class Rule:
    """A sentence of the instructions that binds the agent.

    Attributes:
        text: The sentence, without list marks.
        heading: Heading that it stands under.
        stems: Of the sentence.
        head_stems: Of the heading and the label.
        label_stems: Of the words before a colon that name its subject, if it begins with some.
    """

    text: str
    heading: str
    stems: frozenset[str]
    head_stems: frozenset[str]
    label_stems: frozenset[str] = frozenset()


def rules_of(instructions: str) -> tuple[Rule, ...]:
    """Give the binding sentences of instructions, in order."""
    found: dict[str, Rule] = {}
    heading = ""
    for line in instructions[:MAX_INSTRUCTIONS].splitlines():
        if match := _HEADING.match(line):
            heading = match.group(1).strip()
            continue
        label = match.group(1) if (match := _LABEL.match(line)) else ""
        whole = len(line.split()) <= RULE_WORDS
        for said in [line] if whole else [s.text for s in split_sentences(line)]:
            text = " ".join(said.strip(" \t-*•").split()).replace("`", "'")
            if SHORTEST <= len(text.split()) <= RULE_WORDS and _BINDS.search(text):
                head, own = frozenset(keywords(heading)), frozenset(keywords(label))
                rule = Rule(text, heading, frozenset(keywords(text)), head | own, own)
                found.setdefault(text, rule)
    return tuple(found.values())


def quote(rule: Rule) -> str:
    """Give the first sentence of a rule, and further ones as long as all have at most 50 words."""
    kept: list[str] = []
    for sentence in split_sentences(rule.text):
        if kept and len(" ".join([*kept, sentence.text]).split()) > QUOTE_WORDS:
            break
        kept.append(sentence.text)
    return " ".join(" ".join(kept).split())


def rules_for(tool: str, rules: Sequence[Rule], *, arguments: Sequence[str] = (), limit: int = 3) -> tuple[Rule, ...]:
    """Give the rules that speak about a tool, best first: they name it, or its verb (or one that means the same) and
    its object, in the sentence or in the heading above it. Rules that govern different arguments come before
    further rules about the same ones.
    """
    verb, *things = [stem(w) for w in in_words(tool).split()] or [""]
    verbs = next((group for group in _SAME if verb in group), frozenset({verb}))
    others = frozenset().union(*(group for group in _SAME if not group & verbs))
    subjects = {*things, *(stem(w) for a in arguments for w in in_words(a).split())}
    weight = {t: 2 / math.sqrt(1 + sum(t in r.stems | r.head_stems for r in rules)) for t in things}
    scored = []
    for n, rule in enumerate(rules):
        done_head, done = bool(verbs & rule.head_stems), bool(verbs & rule.stems)
        about_else = rule.label_stems - verbs and not any(_akin(a, b) for a in rule.label_stems for b in subjects)
        done_else = others & rule.head_stems and not done_head
        about = sum(weight[t] for t in things if t in rule.stems | rule.head_stems)
        named = tool.casefold() in rule.text.casefold()
        if named or ((done or done_head) and (about or not things) and not about_else):
            conditions = min(len(_CONDITION.findall(rule.text)), 3)
            score = 4 * named + 1.5 * done_head + done + 1.5 * about + 0.4 * conditions - 2 * bool(done_else)
            scored.append((-score, n, rule))
    ranked = [(score, rule) for score, _, rule in sorted(scored, key=lambda x: x[:2])]
    kept: list[Rule] = []
    covered: set[str] = set()
    for again in (False, True):
        for score, rule in ranked:
            own = set(governed(rule, arguments, tool))
            fresh = not kept or bool(own - covered)
            if rule not in kept and len(kept) < limit and (fresh or again) and score <= NEAR * ranked[0][0]:
                kept.append(rule)
                covered |= own
    return tuple(kept)


def governed(rule: Rule, arguments: Sequence[str], tool: str = "", common: Collection[str] = ()) -> tuple[str, ...]:
    """Give the arguments that a rule speaks about: it has a word of their names.

    Args:
        rule: The rule.
        arguments: Names, those inside others joined with points; the outermost that is meant is given.
        tool: Its own words do not count.
        common: Stems that most rules have, which do not count either.
    """
    no_sign = GENERAL | {stem(w) for w in in_words(tool).split()} | set(common)
    found: dict[str, None] = {}
    for name in arguments:
        parts = name.split(".")
        for n, part in enumerate(parts, start=1):
            own = {stem(w) for w in in_words(part).split()} - no_sign
            if any(_akin(a, b) for a in rule.stems for b in own):
                found.setdefault(".".join(parts[:n]))
                break
    return tuple(found)


def common_stems(rules: Sequence[Rule]) -> frozenset[str]:
    """Give the stems that more than a third of the rules have."""
    counted = Counter(s for r in rules for s in r.stems)
    return frozenset(s for s, n in counted.items() if n > max(2, len(rules) / 3))


def _akin(short: str, long: str) -> bool:
    """Whether two stems are the same word, or one is the short form of the other ("bag", "baggage")."""
    if len(short) > len(long):
        short, long = long, short
    return short == long or (
        len(short) >= 3 and long.startswith(short) and 2 * len(short) >= len(long) and long[len(short)] == short[-1]
    )


def fields_in(rule: Rule, shown: Sequence[Leaf]) -> tuple[str, ...]:
    """Give the fields of a record that a rule speaks about: it names the field, or a word that is the field's value."""
    found: dict[str, int] = {}
    low = rule.text.casefold()
    for leaf in shown:
        if not leaf.field or leaf.field in found:
            continue
        last = {stem(w) for w in in_words(leaf.path[-1]).split()}
        if last <= GENERAL or _ID.fullmatch(str(leaf.value)):
            continue  # a rule is tested on what a thing is like, not on its name
        value = str(leaf.value)
        said = value.isidentifier() and value.islower() and len(value) > 3 and re.search(rf"\b{in_words(value)}\b", low)
        if (last and last <= rule.stems) or said:
            found[leaf.field] = len(found)
    return tuple(dict((name.rpartition(".")[2], name) for name in reversed(found)).values())[::-1][:FIELDS]


def speaks_of(rule: Rule, words: Collection[str]) -> int:
    """Give how many of some stems a rule or its heading has."""
    return len(set(words) & (rule.stems | rule.head_stems))


def rules_in(facts: Facts) -> tuple[Rule, ...]:
    """Give the rules in the instructions of a run."""
    return rules_of(facts.instructions)
