"""Keys of the server: kept as hashes, shown once, each for some spaces and one scope."""

from __future__ import annotations

import enum
import hashlib
import secrets
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa

from trajwiki.domain.ids import random_id
from trajwiki.errors import UnknownItem, UnknownSpace, UsageError
from trajwiki.store import tables
from trajwiki.store.database import Database

PREFIX: Final = "tw_"  # so that a scanner for secrets in code can know one
SECRET_BYTES: Final = 32
MAX_SECRET: Final = 200  # characters
EVERYWHERE: Final = "*"  # in the place of a space: all of them, also those to come


class Scope(enum.StrEnum):
    """What a key allows; each allows what the ones before it do."""

    READ = "read"  # recall, ask, look
    WRITE = "write"  # add, correct, revert
    ADMIN = "admin"  # erase, delete

    def covers(self, other: Scope) -> bool:
        """Tell whether this allows what the other does."""
        order = list(Scope)
        return order.index(other) <= order.index(self)


@dataclass(frozen=True, slots=True)
class Key:
    """What is known of a key; not the key itself.

    Attributes:
        id: Random.
        label: Of the person who made it, for lists and for the history.
        scope: What it allows.
        spaces: Names of the spaces it opens.
        everywhere: It opens all spaces, also those to come.
        created: UTC.
        expires: When it stops to hold, if it does.
        revoked: When it was revoked, if it was.
        last_used: The last time it opened something, to the minute.
    """

    id: str
    label: str
    scope: Scope
    spaces: tuple[str, ...]
    everywhere: bool
    created: datetime
    expires: datetime | None = None
    revoked: datetime | None = None
    last_used: datetime | None = None

    def holds(self, now: datetime) -> bool:
        """Tell whether it opens anything at this time."""
        return self.revoked is None and (self.expires is None or now < self.expires)


class KeyStore:
    """The keys in one database."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def create(
        self,
        spaces: list[str],
        *,
        scope: Scope,
        now: datetime,
        everywhere: bool = False,
        expires: datetime | None = None,
        label: str = "",
    ) -> tuple[str, Key]:
        """Make a key; gives the secret, which cannot be had again, and what is known of it.

        Args:
            spaces: Names of spaces that are there.
            scope: What it allows.
            now: UTC.
            everywhere: For all spaces, also those to come; then `spaces` is empty.
            expires: When it stops to hold.
            label: A name for lists and for the history.

        Raises:
            UnknownSpace: One is not there.
            UsageError: No space was named, or the time to expire has passed.
        """
        if bool(spaces) == everywhere:
            raise UsageError("a key is for spaces that are named, or for all of them")
        if expires is not None and expires <= now:
            raise UsageError(f"the key would have expired at {expires.isoformat()} already")
        secret = PREFIX + secrets.token_urlsafe(SECRET_BYTES)
        row: dict[str, Any] = {"id": random_id("key"), "hash": _hash(secret), "label": label, "scope": scope.value}
        row |= {"created": now, "expires": expires}
        with self._db.writing() as c:
            ids = [EVERYWHERE] if everywhere else [_space_id(c, name) for name in dict.fromkeys(spaces)]
            c.execute(tables.api_key.insert(), [{"space_id": space_id, **row} for space_id in ids])
        return secret, next(key for key in self.all() if key.id == row["id"])

    def find(self, secret: str, *, now: datetime) -> Key | None:
        """Give the key that a secret is; None when it is none, or does not hold any more."""
        if len(secret) > MAX_SECRET:
            return None
        found = self._keys(tables.api_key.c.hash == _hash(secret))
        return found[0] if found and found[0].holds(now) else None

    def all(self) -> list[Key]:
        """List the keys, oldest first."""
        return self._keys(sa.true())

    def revoke(self, key_id: str, *, now: datetime) -> Key:
        """Let a key open nothing any more. Raises UnknownItem."""
        t = tables.api_key
        with self._db.writing() as c:
            done = c.execute(t.update().where(t.c.id == key_id, t.c.revoked.is_(None)).values(revoked=now))
        found = self._keys(t.c.id == key_id)
        if not done.rowcount and not found:
            raise UnknownItem(f"there is no key {key_id!r}; `trajwiki keys list` shows them")
        return found[0]

    def seen(self, key_id: str, now: datetime) -> None:
        """Note that a key was used."""
        t = tables.api_key
        with self._db.writing() as c:
            c.execute(t.update().where(t.c.id == key_id).values(last_used=now))

    def forget(self, space_id: str) -> None:
        """Take a space that is gone from all keys."""
        with self._db.writing() as c:
            c.execute(tables.api_key.delete().where(tables.api_key.c.space_id == space_id))

    def _keys(self, where: sa.ColumnElement[bool]) -> list[Key]:
        t, s = tables.api_key, tables.space
        joined = t.outerjoin(s, s.c.space_id == t.c.space_id)
        query = sa.select(t, s.c.name).select_from(joined).where(where).order_by(t.c.created, t.c.id, s.c.name)
        by_id: dict[str, list[Any]] = {}
        with self._db.reading() as c:
            for row in c.execute(query):
                by_id.setdefault(row.id, []).append(row)
        return [_key(rows) for rows in by_id.values()]


def _key(rows: list[Any]) -> Key:
    r = rows[0]
    everywhere = any(row.space_id == EVERYWHERE for row in rows)
    spaces = tuple(row.name for row in rows if row.name is not None and row.space_id != EVERYWHERE)
    return Key(r.id, r.label, Scope(r.scope), spaces, everywhere, r.created, r.expires, r.revoked, r.last_used)


def _space_id(c: sa.Connection, name: str) -> str:
    found = c.execute(sa.select(tables.space.c.space_id).where(tables.space.c.name == name)).scalar()
    if found is None:
        raise UnknownSpace(f"there is no space named {name!r}")
    if found == EVERYWHERE:
        raise UsageError(f"the space {name!r} has the id {EVERYWHERE!r}, which in a key means all spaces")
    return str(found)


def _hash(secret: str) -> str:
    return hashlib.blake2b(secret.encode("utf-8", "surrogatepass"), digest_size=32, person=b"trajwiki.key").hexdigest()
