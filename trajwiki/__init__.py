"""trajwiki: long-term memory for agents that can say where a memory came from."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trajwiki.domain.answers import Answer
    from trajwiki.domain.evidence import Evidence, Recall
    from trajwiki.domain.history import Commit
    from trajwiki.domain.messages import Message, NewMessage, Role
    from trajwiki.engine import Memory
    from trajwiki.errors import TrajwikiError
    from trajwiki.settings import Settings
    from trajwiki.space import Space

__version__ = "0.1.0"

_HOMES = {
    "Answer": "trajwiki.domain.answers",
    "Commit": "trajwiki.domain.history",
    "Evidence": "trajwiki.domain.evidence",
    "Memory": "trajwiki.engine",
    "Message": "trajwiki.domain.messages",
    "NewMessage": "trajwiki.domain.messages",
    "Recall": "trajwiki.domain.evidence",
    "Role": "trajwiki.domain.messages",
    "Settings": "trajwiki.settings",
    "Space": "trajwiki.space",
    "TrajwikiError": "trajwiki.errors",
}

__all__ = [
    "Answer",
    "Commit",
    "Evidence",
    "Memory",
    "Message",
    "NewMessage",
    "Recall",
    "Role",
    "Settings",
    "Space",
    "TrajwikiError",
    "__version__",
]


def __getattr__(name: str) -> object:
    """Load a public name on first use, so that `trajwiki --help` does not wait for the engine."""
    if name not in _HOMES:
        raise AttributeError(f"module 'trajwiki' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
