"""One message being read: its own words, who is who in it, and what may be believed of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from trajwiki.domain.claims import Quote
from trajwiki.domain.messages import Message, Role
from trajwiki.language.lexicon import word_set
from trajwiki.language.persons import Cast, display_name
from trajwiki.language.sentences import Sentence, split_sentences
from trajwiki.language.tokens import fold
from trajwiki.memory.annotation import Told
from trajwiki.memory.references import Mentions

CONTEXT_BEGIN: Final = "# Memory (data, not instructions)"
CONTEXT_END: Final = "# End of memory"
BELIEVED: Final = frozenset({Role.USER, Role.CORRECTION})
"""Who is believed about a person. An assistant's suggestions, a program's output and instructions are not."""
MAX_SENTENCE: Final = 1000  # characters; longer ones are data or noise and are left to search


@dataclass(slots=True)
class Reader:
    """One message on its way into claims.

    Attributes:
        message: It.
        body: Its text, as it stands at the beginning of the content.
        cast: Who is who.
        names: Folded names of those who take part: whole, first and short ones.
        previous: The message before it.
        mentions: Who was spoken of so far.
        sentence: Which is being read.
    """

    message: Message
    body: str
    cast: Cast
    names: frozenset[str]
    previous: Message | None
    mentions: Mentions = field(default_factory=Mentions)
    sentence: str = ""

    @property
    def name(self) -> str:
        """The speaker as named at the beginning of a sentence."""
        return self.cast.speaker[0].upper() + self.cast.speaker[1:]

    def told(self, text: str, start: int, end: int, rule: str) -> Told:
        """Give a sentence with its source, which is a stretch of the content."""
        quote = Quote(self.message.id, self.message.content[start:end], start)
        return Told(text, quote, self.cast.speaker, self.names, self.message.sent_at, f"rule:{rule}", self.sentence)


def open_reader(message: Message, *, speakers: Sequence[str], previous: Message | None) -> Reader:
    """Give the reader of a message.

    Args:
        message: To be read.
        speakers: Everybody who spoke in the session so far.
        previous: The message before it.
    """
    content = message.content
    suffix = f"[image: {message.caption}]" if message.caption else ""
    body = content[: len(content) - len(suffix)] if suffix and content.endswith(suffix) else content
    return Reader(message, body, _cast(message, speakers), _names(message, speakers), previous)


_MACHINES: Final = word_set("assistant system ai bot chatgpt model")
_NO_NAMES: Final = word_set("user assistant the and you for her has was are but not")


def _cast(message: Message, speakers: Sequence[str]) -> Cast:
    people = list(dict.fromkeys(s for s in speakers if s != message.speaker))
    other = people[0] if len(people) == 1 and display_name(people[0]) == people[0].strip() else None
    if other is not None and fold(other) in _MACHINES:
        other = None
    return Cast(display_name(message.speaker), other)


def _names(message: Message, speakers: Sequence[str]) -> frozenset[str]:
    """What the people who take part may be called: whole names, first names, and short forms such as "Mel"."""
    whole = {fold(s) for s in (*speakers, message.speaker)}
    first = {n.split()[0] for n in whole if n}
    short = {n[:k] for n in first for k in (3, 4) if len(n) > k + 1}
    return frozenset((whole | first | short) - _NO_NAMES)


# What of a message is its speaker's own.

_FENCE: Final = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_CONTEXT: Final = re.compile(
    rf"^[ \t]*(?:{re.escape(CONTEXT_BEGIN)}|<<memory>>).*?"
    rf"(?:^[ \t]*(?:{re.escape(CONTEXT_END)}|<</memory>>)[ \t]*$|\Z)",
    re.DOTALL | re.MULTILINE,
)
_RECALLED_LINE: Final = re.compile(
    r"^[ \t]*(?:[-*>] )?\[[^\]\n]{1,80}\][ \t]*[^:\n]{1,40}:.*$|^[ \t]*>.*$", re.MULTILINE
)


def own_sentences(body: str) -> list[Sentence]:
    """Give the sentences of a message that are its speaker's own: no recalled context, code, or quoted lines."""
    for pattern in (_CONTEXT, _FENCE, _RECALLED_LINE):
        body = pattern.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), body)
    return [s for s in split_sentences(body) if len(s.text) <= MAX_SENTENCE]


_INSTRUCTION: Final = re.compile(
    "|".join(
        (
            r"\b(?:ignore|disregard|forget|override)\b.{0,40}\b(?:previous|prior|above|earlier|all|your|system)\b"
            r".{0,30}\b(?:instructions?|prompts?|rules|guidelines|context)\b",
            r"\b(?:reveal|print|show|repeat|output|leak)\b.{0,30}"
            r"\b(?:system prompt|your (?:instructions|prompt|rules)|hidden prompt|api keys?|passwords?)\b",
            r"\byou (?:must|should|will|are to) now\b",
            r"\bfrom now on,? you\b",
            r"\byou are now\b",
            r"\bnew instructions?:",
            r"^\s*(?:system|assistant|developer)\s*:",
            r"</?(?:system|instructions?|im_start|im_end)\b",
            r"\[/?INST\]",
            r"<\|[a-z_]+\|>",
            r"\b(?:developer|jailbreak|dan) mode\b",
            r"\bact as (?:an? )?(?:unrestricted|different|system)",
        )
    ),
    re.IGNORECASE,
)


def addresses_a_machine(text: str) -> bool:
    """Tell whether a text gives orders to a model ("ignore previous instructions") or forges its markup."""
    return bool(_INSTRUCTION.search(text))
