"""One question about several things: they share a request, while each reply is split, checked and kept by itself."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Final

from trajwiki.language.tokens import count_words
from trajwiki.models.asking import Asked, Asker, Result
from trajwiki.models.failures import BudgetSpent
from trajwiki.models.prompts.base import Prompt

WORDS_TOGETHER: Final = 1200  # of data in one request, at most, where there is more than one thing in it
SHARES: Final = 6  # of the reply's tokens: one for each thing and one more, so that a model in a loop is stopped early
_LABEL: Final = re.compile(r"(\d+)(?:\.(\d+))?")

Lines = Callable[[int], list[str]]
"""Gives the data of a thing under a number."""


@dataclass(slots=True)
class Together:
    """What came of it.

    Attributes:
        replies: One for each thing; None: the rule decides.
        stopped: The token budget was spent before all could be asked.
    """

    replies: list[Any]
    stopped: BudgetSpent | None = None


def ask_together(asker: Asker, prompt: Prompt[Any], things: Sequence[Lines], *, label: str, size: int) -> Together:
    """Ask a question about several things, some in a request, several requests at a time.

    Args:
        asker: Of the space.
        prompt: Its reply has one list, each item of which names what it is about.
        things: The data of each.
        label: Field of an item that names what it is about: the number of the thing, or number.place.
        size: Things in a request, at most.
    """
    keys = [asker.key(prompt, thing(1)) for thing in things]
    done = Together([asker.kept(prompt, key) for key in keys])
    missing = [n for n, reply in enumerate(done.replies) if reply is None]
    _ask_groups(asker, prompt, things, list(_groups(missing, things, size)), keys, label, done)
    left = [n for n in missing if done.replies[n] is None]
    if size > 1 and left and asker.failure is None and done.stopped is None:
        _ask_groups(asker, prompt, things, [[n] for n in left], keys, label, done)  # once more, each alone
    return done


def _ask_groups(
    asker: Asker,
    prompt: Prompt[Any],
    things: Sequence[Lines],
    groups: Sequence[list[int]],
    keys: Sequence[str],
    label: str,
    done: Together,
) -> None:
    if not groups:
        return
    with ThreadPoolExecutor(asker.workers) as pool:
        answers = list(pool.map(lambda group: _ask(asker, prompt, [things[n] for n in group]), groups))
    for group, answer in zip(groups, answers, strict=True):
        if isinstance(answer, BudgetSpent):
            done.stopped = answer
            continue
        for n, reply in _split(answer, prompt, group, label):
            done.replies[n] = reply
            asker.keep(prompt, keys[n], reply)


def _groups(missing: Sequence[int], things: Sequence[Lines], size: int) -> Iterator[list[int]]:
    group: list[int] = []
    words = 0
    for n in missing:
        cost = sum(count_words(line) for line in things[n](1))
        if group and (len(group) >= size or words + cost > WORDS_TOGETHER):
            yield group
            group, words = [], 0
        group.append(n)
        words += cost
    if group:
        yield group


def _ask(asker: Asker, prompt: Prompt[Any], things: Sequence[Lines]) -> Result | BudgetSpent:
    lines = [line for n, thing in enumerate(things, start=1) for line in thing(n)]
    try:
        limit = min(prompt.max_tokens, prompt.max_tokens * (1 + len(things)) // SHARES)
        return asker.send(Asked(prompt, tuple(lines), None, limit))
    except BudgetSpent as spent:
        return spent


def _split(answer: Result, prompt: Prompt[Any], group: Sequence[int], label: str) -> Iterator[tuple[int, Any]]:
    """Give the things of a group with their own replies; those that a cut reply may not have reached are left out."""
    if answer.value is None:
        return
    name = next(iter(prompt.reply.model_fields))
    items: dict[int, list[Any]] = {n: [] for n in range(1, len(group) + 1)}
    last = 0
    for item in getattr(answer.value, name):
        match = _LABEL.search(getattr(item, label))
        number = int(match[1]) if match and len(match[1]) < 6 else 0
        if match is None or number not in items:
            number, told = (1, getattr(item, label)) if len(group) == 1 else (0, "")
        else:
            told = f"1.{match[2]}" if match[2] else "1"
        if number:
            items[number].append(item.model_copy(update={label: told}))
            last = max(last, number)
    for number, found in items.items():
        if answer.truncated and number >= last and len(group) > 1:
            continue
        yield group[number - 1], prompt.reply(**{name: found})
