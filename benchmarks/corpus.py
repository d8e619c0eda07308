"""What the speed benchmark is run on: LoCoMo where it is at hand, else the sample that ships; and a large space."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from importlib import resources
from pathlib import Path
from typing import Final

from trajwiki.domain.messages import NewMessage
from trajwiki.evaluation.datasets import Conversation, load_locomo, load_locomo_questions
from trajwiki.readers import read_all

SHARED: Final = Path(__file__).resolve().parents[2] / "shared" / "data" / "locomo"
SEED: Final = 7
QUESTION_WORDS: Final = 12


@dataclass(frozen=True, slots=True)
class Corpus:
    """Conversations with questions.

    Attributes:
        name: For the table.
        conversations: A space each.
        questions: By name of the conversation.
    """

    name: str
    conversations: tuple[Conversation, ...]
    questions: dict[str, tuple[str, ...]]


def load_corpus(data: Path | None, qa: Path | None) -> Corpus:
    """Give the named LoCoMo files, else those of ../shared, else the shipped sample."""
    if data is None and (SHARED / "locomo-dev.json").exists():
        data, qa = SHARED / "locomo-dev.json", SHARED / "locomo-dev-qa.jsonl"
    if data is None:
        return _sample()
    conversations = tuple(load_locomo(data))
    asked = load_locomo_questions(qa) if qa is not None else []
    questions = {c.name: tuple(q.question for q in asked if q.conversation == c.name) for c in conversations}
    return Corpus(data.name, conversations, {c.name: questions[c.name] or _made_of(c.messages) for c in conversations})


def _sample() -> Corpus:
    with resources.as_file(resources.files("trajwiki.sample") / "conversation.jsonl") as path:
        messages = tuple(record.message for record in read_all(path))
    return Corpus("the sample", (Conversation("sample", messages),), {"sample": _made_of(messages)})


def _made_of(messages: Sequence[NewMessage]) -> tuple[str, ...]:
    """Ask with the first words of messages, where a data set brings no questions."""
    texts = [" ".join(m.text.split()[:QUESTION_WORDS]) for m in messages]
    return tuple(t for t in texts if t)[:200]


# A large space

_NAMES: Final = (
    *("Ada", "Bela", "Cyrus", "Dara", "Edda", "Faris", "Gala", "Hugo", "Iris", "Jonas", "Kira", "Leif", "Mona", "Nils"),
    *("Olga", "Pavel", "Quinn", "Rosa", "Sven", "Tara", "Ugo", "Vera", "Wim", "Xenia", "Yuri", "Zora", "Amir", "Birte"),
)
_OPENINGS: Final = (
    "Guess what,",
    "So",
    "Yesterday",
    "Last week",
    "By the way,",
    "Honestly,",
    "This morning",
    "In March",
)
_DEEDS: Final = (
    *("I visited {place}", "I started learning the {thing}", "I moved to {place}", "I bought a {thing}"),
    *("my sister gave me a {thing}", "I met {name} in {place}", "I finished reading a book about {place}"),
    *("we adopted a dog called {name}", "I lost my {thing} on the way to {place}", "I got a job in {place}"),
)
_PLACES: Final = (
    "Lisbon",
    "Oslo",
    "Kyoto",
    "Quito",
    "Tunis",
    "Perth",
    "Riga",
    "Lima",
    "Cork",
    "Bergen",
    "Graz",
    "Leeds",
)
_THINGS: Final = ("cello", "telescope", "bicycle", "kettle", "camera", "canoe", "loom", "violin", "tent", "typewriter")
_REPLIES: Final = (
    *("That sounds wonderful. How was it?", "Oh no, what will you do now?", "I had no idea! Since when?"),
    *("I always wanted to try that. I only have an old {thing}.", "My brother lives in {place}, you know."),
)
TURNS_A_SESSION: Final = 20


def large_space(corpus: Corpus, size: int) -> list[NewMessage]:
    """Give that many messages for one space.

    Conversations of a data set are repeated, each time years later and with other names for the speakers, so that
    claims do not simply repeat. Without a data set the text is made by a seeded generator.
    """
    messages: list[NewMessage] = []
    stream = _made(size) if corpus.name == "the sample" else _repeated(corpus.conversations)
    for message in stream:
        if len(messages) == size:
            break
        messages.append(message)
    return messages


def _repeated(conversations: Sequence[Conversation]) -> Iterator[NewMessage]:
    turn = 0
    while True:
        for conversation in conversations:
            prefix = f"{turn}/{conversation.name}"
            known = list(dict.fromkeys(m.speaker for m in conversation.messages))
            called = {old: _NAMES[(2 * turn + n) % len(_NAMES)] + str(turn) for n, old in enumerate(known)}
            pattern = re.compile(r"\b(" + "|".join(re.escape(k) for k in known) + r")\b")
            for message in conversation.messages:
                yield replace(
                    message,
                    speaker=called[message.speaker],
                    text=pattern.sub(lambda m, c=called: c[m.group()], message.text),  # type: ignore[misc]
                    sent_at=message.sent_at and message.sent_at + timedelta(days=365 * turn),
                    session=f"{prefix}/{message.session}",
                    source_ref=f"{prefix}/{message.source_ref}",
                )
            turn += 1


def _made(size: int) -> Iterator[NewMessage]:
    rng = random.Random(SEED)
    start = datetime(2015, 1, 5, 18, 0, tzinfo=UTC)
    for n in range(size):
        session, turn = divmod(n, TURNS_A_SESSION)
        if turn == 0:
            pair = rng.sample(_NAMES, 2)
        made = rng.choice(_OPENINGS) + " " + rng.choice(_DEEDS) + "." if turn % 2 == 0 else rng.choice(_REPLIES)
        text = made.format(place=rng.choice(_PLACES), thing=rng.choice(_THINGS), name=rng.choice(_NAMES))
        sent_at = start + timedelta(days=3 * session, minutes=turn)
        yield NewMessage(pair[turn % 2], text, sent_at, session=str(session), source_ref=f"{session}:{turn}")
