"""Retention: a policy file that says which messages a space keeps no longer."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from trajwiki.domain.messages import Message, Role
from trajwiki.domain.state import SpaceState
from trajwiki.errors import UnreadableInput

Days = Annotated[int, Field(ge=0, le=36_500)]


class Rule(BaseModel):
    """One rule of a policy: it means the messages that meet every condition it gives.

    Attributes:
        name: For the report.
        older_than_days: Sent longer ago; messages without a time are never meant by age.
        unused_for_days: On which no kept answer stood in that time.
        speaker: Name of a speaker.
        session: Name of a session.
        role: Kind of message: ``user``, ``assistant``, ``system``, ``tool``.
        action: ``erase``, or ``archive``: the space is exported before they are erased.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: Annotated[str, Field(min_length=1, max_length=200)]
    older_than_days: Days | None = None
    unused_for_days: Days | None = None
    speaker: str | None = None
    session: str | None = None
    role: Role | None = None
    action: Literal["erase", "archive"] = "erase"

    @model_validator(mode="after")
    def _means_something(self) -> Rule:
        given = (self.older_than_days, self.unused_for_days, self.speaker, self.session, self.role)
        if all(condition is None for condition in given):
            raise ValueError("a rule without a condition would mean every message")
        return self

    def means(self, message: Message, used: Mapping[str, datetime], now: datetime) -> bool:
        """Tell whether the rule means a message.

        Args:
            message: Of the space.
            used: Source ref to the last time that a kept answer stood on it.
            now: The moment the ages are counted from.
        """
        old = message.sent_at is not None and _past(message.sent_at, self.older_than_days, now)
        last = used.get(message.source_ref)
        return (
            (self.older_than_days is None or old)
            and (self.unused_for_days is None or last is None or _past(last, self.unused_for_days, now))
            and self.speaker in (None, message.speaker)
            and self.session in (None, message.session)
            and self.role in (None, message.role)
        )


class Policy(BaseModel):
    """The rules of a policy file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    rules: Annotated[tuple[Rule, ...], Field(min_length=1)]


@dataclass(frozen=True, slots=True)
class Due:
    """What a rule means in a space.

    Attributes:
        rule: The rule.
        refs: Source refs of the messages, in order; those that an earlier rule means are not said again.
    """

    rule: Rule
    refs: tuple[str, ...]


def read_policy(path: str | Path) -> Policy:
    """Read a policy file: TOML with a list of ``[[rules]]``.

    Raises:
        UnreadableInput: It cannot be read, or is no policy; with the place.
    """
    try:
        with Path(path).open("rb") as file:
            given = tomllib.load(file)
        return Policy.model_validate(given)
    except OSError as error:
        raise UnreadableInput(f"cannot read {path}: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UnreadableInput(f"{path} is not TOML: {error}") from error
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise UnreadableInput(f"{path}, {where}: {first['msg']}") from error


def due(policy: Policy, state: SpaceState, used: Mapping[str, datetime], now: datetime) -> list[Due]:
    """Give what each rule means; corrections by a person are never meant. Arguments as in `Rule.means`."""
    left = [m for m in state.messages.values() if m.role is not Role.CORRECTION]
    found = []
    for rule in policy.rules:
        meant = [m for m in left if rule.means(m, used, now)]
        gone = {m.id for m in meant}
        left = [m for m in left if m.id not in gone]
        found.append(Due(rule, tuple(m.source_ref for m in meant)))
    return found


def _past(moment: datetime, days: int | None, now: datetime) -> bool:
    return days is not None and moment <= now - timedelta(days=days)
