"""Opening the memory and space that a command names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import TypedDict

from trajwiki.engine import Memory
from trajwiki.errors import UnknownSpace, UsageError
from trajwiki.history import When
from trajwiki.settings import Settings
from trajwiki.space import Space

Times = tuple[str | None, str | None, str | None]  # as_of, heard_until, valid_at, as given


def settings(**given: object) -> Settings:
    """Build the settings from the environment and from options that were given.

    Raises:
        UsageError: One has a value it cannot have.
    """
    from pydantic import ValidationError

    try:
        return Settings(**{k: v for k, v in given.items() if v is not None})  # type: ignore[arg-type]
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(str(part) for part in first["loc"])
        raise UsageError(f"setting {name}: {first['msg']} (got {first['input']!r})") from error


@contextmanager
def opened(db: str | None, *, create: bool = False, **given: object) -> Iterator[Memory]:
    """Open the memory; it must be there unless it may be made."""
    with Memory.open(settings=settings(db=db, **given), create=create) as memory:
        yield memory


def space_of(memory: Memory, name: str | None) -> Space:
    """Give a space that is there. Raises UnknownSpace, with the names that are."""
    space = memory.space(name or memory.settings.space)
    require_space(space.name, [s.name for s in memory.spaces()])
    return space


def require_space(name: str, names: Sequence[str]) -> None:
    """Raise UnknownSpace, with the names that are there, when one is not."""
    if name not in names:
        there = ", ".join(names[:20]) + (", …" if len(names) > 20 else "") if names else "none yet"
        raise UnknownSpace(f"there is no space named {name!r}; spaces: {there}")


class Moments(TypedDict):
    """From when a space is looked at, as `Space` takes it."""

    as_of: When | None
    heard_until: datetime | None
    valid_at: datetime | None


def moments(times: Times) -> Moments:
    """Read the three options that look at another time. Raises UsageError."""
    as_of, heard_until, valid_at = times
    return Moments(as_of=when(as_of), heard_until=moment(heard_until), valid_at=moment(valid_at))


def when(text: str | None) -> When | None:
    """Read a commit number or a time; a time without a zone is UTC, a date is its end.

    Raises:
        UsageError: It is neither.
    """
    if text is None:
        return None
    if text.isdecimal() and len(text) < 10:
        return int(text)
    return _moment(text, "neither a commit number nor")


def moment(text: str | None, *, begins: bool = False) -> datetime | None:
    """Read a time; one without a zone is UTC, a date is its end or beginning. Raises UsageError when it is none."""
    return None if text is None else _moment(text, "not", begins=begins)


def _moment(text: str, otherwise: str, *, begins: bool = False) -> datetime:
    try:
        read = datetime.fromisoformat(text)
    except ValueError as error:
        raise UsageError(f"{text!r} is {otherwise} an ISO 8601 time such as 2024-03-02T18:30Z") from error
    if "T" not in text and ":" not in text and not begins:
        read += timedelta(days=1, microseconds=-1)
    return read if read.tzinfo else read.replace(tzinfo=UTC)
