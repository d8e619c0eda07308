"""The chat port: a request in, the text of a reply with its cost out."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import Any, Protocol


class Mode(enum.StrEnum):
    """How the structure of a reply is asked for, strictest first: the rungs of the ladder."""

    JSON_SCHEMA = "json_schema"
    JSON_OBJECT = "json_object"
    PROMPT = "prompt"


LADDER = tuple(Mode)


@dataclass(frozen=True, slots=True)
class Request:
    """One request.

    Attributes:
        system: Instructions of ours; never holds text of messages.
        user: The data, fenced.
        name: Of the reply type.
        schema: JSON schema of the reply.
        mode: How it is asked for.
        max_tokens: Of the reply.
    """

    system: str
    user: str
    name: str
    schema: dict[str, Any]
    mode: Mode
    max_tokens: int


@dataclass(frozen=True, slots=True)
class Completion:
    """The text of a reply.

    Attributes:
        text: As it came, without any key of ours that it may hold.
        tokens_in, tokens_out: As the endpoint says where that can be, else words.
        truncated: The endpoint says that the reply was cut at the limit.
    """

    text: str
    tokens_in: int
    tokens_out: int
    truncated: bool = False


@dataclass(slots=True)
class Spent:
    """What a call has cost so far, also when it fails."""

    requests: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    seconds: float = 0.0
    modes: list[str] = field(default_factory=list)


class Chat(Protocol):
    """Anything that completes.

    Attributes:
        name: Of the model.
        endpoint: Where it is, without user name, password and query.
        best_mode: The strictest mode that the endpoint has not refused.
    """

    name: str
    endpoint: str
    best_mode: Mode

    def complete(self, request: Request, spent: Spent) -> Completion:
        """Give a completion, and add to `spent` what it cost.

        Raises:
            EndpointUnavailable: After bounded retries.
            EndpointRefused: The endpoint refuses all requests.
            RequestRefused: It refuses this one.
        """
        ...
