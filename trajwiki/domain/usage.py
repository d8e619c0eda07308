"""What calls of a chat model were made for, what they cost, and what came of them."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from datetime import datetime


class Phase(enum.StrEnum):
    """What a call serves (paper, B.2)."""

    CONSTRUCTION = "construction"
    RETRIEVAL = "retrieval"
    ANSWER = "answer"
    REPAIR = "repair"
    EVALUATION = "evaluation"


class Outcome(enum.StrEnum):
    """What came of a question to a model."""

    ACCEPTED = "accepted"  # the first reply could be used
    REPAIRED = "repaired"  # a further reply, or one that had to be mended
    FALLBACK = "fallback"  # no reply could be used: the rule decided
    SKIPPED = "skipped"  # the rule was certain: the model was not asked
    CACHED = "cached"  # the reply was there already


@dataclass(frozen=True, slots=True)
class Call:
    """One line of the ledger. It holds no text of messages, prompts or replies, and no key.

    Attributes:
        at: UTC.
        phase, purpose: What it was for; the purpose is the name of the prompt.
        model, endpoint: Who was asked; the endpoint without user names, passwords and query.
        prompt: Version and hash of the prompt.
        mode: How the structure was asked for: ``json_schema``, ``json_object`` or ``prompt``; empty when not asked.
        outcome: What came of it.
        code: Why there was a fallback or repair; empty otherwise.
        times: How many questions the line stands for: more than one only where none was sent.
        requests: HTTP requests, retries included.
        tokens_in, tokens_out: As the endpoint says, else words.
        latency_ms: From the first request to the last reply, waiting included.
    """

    at: datetime
    phase: Phase
    purpose: str
    model: str
    endpoint: str
    prompt: str
    mode: str
    outcome: Outcome
    code: str = ""
    times: int = 1
    requests: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    latency_ms: int = 0


@dataclass(frozen=True, slots=True)
class Cost:
    """The ledger of one purpose, summed.

    Attributes:
        phase, purpose: As in Call.
        questions: How often the stage had something to ask.
        outcomes: How often each outcome came.
        requests, tokens_in, tokens_out, latency_ms: Sums.
        repair_tokens: Tokens of the calls that were repaired or came to nothing.
    """

    phase: str
    purpose: str
    questions: int
    outcomes: dict[str, int]
    requests: int
    tokens_in: int
    tokens_out: int
    latency_ms: int
    repair_tokens: int
