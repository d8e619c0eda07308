"""A kind of operation: the call that carries it out, and how to see that it was carried out.

A process can be killed after a commit and before it could note that the operation has ended. Whoever takes the
operation then looks for the commit first. Adding messages, flushing and making vectors anew need no look: done again,
they do nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from trajwiki.domain.history import Commit
from trajwiki.payloads import Payload, commit_payload, problem_payloads
from trajwiki.server.models import Given
from trajwiki.space import Progress, Space

Asked = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of operation.

    Attributes:
        run: Carries out a request, given as JSON, and gives what it gave, as JSON.
        done: Gives the same of what carried it out since a time, by an actor; None where doing it again does nothing.
    """

    run: Callable[[Space, Asked, Progress], Payload]
    done: Callable[[Space, Asked, datetime, str], Payload | None] | None = None


def written(space: Space, commit: Commit) -> Payload:
    """Show a commit with what was noticed on the way."""
    return {**commit_payload(commit), "problems": problem_payloads(space.problems)}


def apart(given: Asked, kind: type[Given]) -> tuple[Any, Any]:
    """Take what stood in the path (`of`) from what stood in the body."""
    rest = {name: value for name, value in given.items() if name != "of"}
    return given["of"], kind.model_validate(rest)
