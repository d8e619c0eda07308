"""How an answer or a context is scored against gold.

`answer_f1` follows the rules that LoCoMo's authors score with: lower case, commas and other ASCII punctuation removed,
the words a, an, the and "and" removed, Porter stems, F1 over the bag of stems. A question of category 1 (several
parts) is the mean over the gold's comma-separated parts of the best F1 that any comma-separated part of the answer
reaches; category 3 is scored against the gold before its first semicolon; category 5 asks for an abstention.
The paper's slot-aware F1 is in slots.py.
"""

from __future__ import annotations

import functools
import re
import string
from collections import Counter
from collections.abc import Callable, Collection
from enum import IntEnum
from typing import Final

import Stemmer

_ARTICLES: Final = re.compile(r"\b(?:a|an|the|and)\b")
_WITHOUT_PUNCTUATION: Final = str.maketrans("", "", string.punctuation)
_SPACE: Final = re.compile(r"\s+")
# What the agentic checker of the function-calling leaderboard takes out before it compares.
_MARKS: Final = re.compile(r"[,./\-_*^()]")


class Category(IntEnum):
    """LoCoMo's kinds of question, by its own numbers."""

    MULTI_HOP = 1
    TEMPORAL = 2
    OPEN_DOMAIN = 3
    SINGLE_HOP = 4
    ADVERSARIAL = 5


def tokens_of(text: str) -> list[str]:
    """Give the stems that are compared, in order."""
    plain = _ARTICLES.sub(" ", text.lower().translate(_WITHOUT_PUNCTUATION))
    return [_stem(word) for word in plain.split()]


@functools.lru_cache(maxsize=65536)
def _stem(word: str) -> str:
    return str(_stemmer().stemWord(word))


@functools.cache
def _stemmer() -> Stemmer.Stemmer:
    return Stemmer.Stemmer("porter")


def token_f1(predicted: str, gold: str) -> float:
    """Give the F1 of two bags of stems, in [0, 1]; 0 when they share none."""
    left, right = Counter(tokens_of(predicted)), Counter(tokens_of(gold))
    common = (left & right).total()
    if not common:
        return 0.0
    precision, recall = common / left.total(), common / right.total()
    return 2 * precision * recall / (precision + recall)


def parts_f1(predicted: str, gold: str) -> float:
    """Give the mean, over the comma-separated parts of the gold, of the best F1 of any part of the prediction."""
    given = predicted.split(",")
    scores = [max(token_f1(one, part) for one in given) for part in gold.split(",")]
    return sum(scores) / len(scores)


def answer_f1(predicted: str | None, gold: str, category: Category) -> float:
    """Score an answer by LoCoMo's rules, in [0, 1].

    Args:
        predicted: The answer's text; None for an abstention.
        gold: The reference answer; not looked at for category 5.
        category: Decides the rule.
    """
    if category is Category.ADVERSARIAL:
        return 1.0 if predicted is None else 0.0
    if predicted is None:
        return 0.0
    if category is Category.MULTI_HOP:
        return parts_f1(predicted, gold)
    if category is Category.OPEN_DOMAIN:
        gold = gold.partition(";")[0]
    return token_f1(predicted, gold.strip())


def bleu1(predicted: str, gold: str) -> float:
    """Give clipped unigram precision without a brevity penalty (paper, B.1), over lower-cased words.

    1.0 when both are empty, 0.0 when one is.
    """
    left, right = Counter(_words(predicted)), Counter(_words(gold))
    if not left or not right:
        return float(not left and not right)
    return (left & right).total() / left.total()


def _words(text: str) -> list[str]:
    return text.lower().translate(_WITHOUT_PUNCTUATION).split()


def fold_space(text: str) -> str:
    """Make every run of white space one space: verbatim is meant up to line breaks."""
    return _SPACE.sub(" ", text).strip()


def context_coverage(context: str, gold_texts: Collection[str], *, budget: int) -> float:
    """Give the share of gold messages whose text stands verbatim in the context.

    0.0 when the context has more whitespace-separated words than the budget.

    Raises:
        ValueError: There is no gold.
    """
    if not gold_texts:
        raise ValueError("coverage needs at least one gold text")
    if len(context.split()) > budget:
        return 0.0
    folded = fold_space(context)
    return sum(fold_space(text) in folded for text in gold_texts) / len(gold_texts)


def recall_at(ranked: list[str], gold: Collection[str], k: int) -> float:
    """Give the share of gold ids among the first k. Raises ValueError when there is no gold."""
    if not gold:
        raise ValueError("recall needs at least one gold id")
    return len(set(gold) & set(ranked[:k])) / len(set(gold))


def accepts(text: str, accepted: Collection[str]) -> bool:
    """Tell whether an accepted string stands in the text as whole words.

    Case does not matter, nor whether the marks , . / - _ * ^ ( ) are there, are missing or are spaces.
    """
    return any(_stands_in(fold(one), fold(text)) for one in accepted for fold in _FOLDINGS)


_FOLDINGS: Final[tuple[Callable[[str], str], ...]] = (
    lambda text: fold_space(text.casefold()),
    lambda text: fold_space(_MARKS.sub("", text).casefold()),
    lambda text: fold_space(_MARKS.sub(" ", text).casefold()),
)


def _stands_in(phrase: str, text: str) -> bool:
    """Whole words only: "one" must not be found in "done"."""
    return bool(phrase) and re.search(rf"(?<!\w){re.escape(phrase)}(?!\w)", text) is not None
