"""Who asks, and what they may: keys, spaces and scopes."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from typing import Annotated, Final

from fastapi import Depends, Request

from trajwiki.engine import Memory
from trajwiki.errors import UnknownSpace
from trajwiki.server.http import Name
from trajwiki.server.limits import Buckets
from trajwiki.server.problems import Forbidden, Unauthorized
from trajwiki.server.settings import ServerSettings
from trajwiki.space import Space
from trajwiki.store.keys import KeyStore, Scope

COOKIE: Final = "trajwiki_key"  # for pages only: /v1 takes no cookie, which other sites could make a browser send
ASKER: Final = "trajwiki.asker"  # in the scope of a request: who asked, for log and history
SEEN_EVERY_S: Final = 60.0  # the last use of a key is written at most this often


@dataclass(frozen=True, slots=True)
class Principal:
    """Who asks.

    Attributes:
        name: For the history: ``local``, or ``key:`` with the key's label.
        spaces: Names of the spaces that may be seen; None: all, and new ones may be made.
        scope: What may be done in them.
    """

    name: str
    spaces: frozenset[str] | None
    scope: Scope


LOCAL: Final = Principal("local", None, Scope.ADMIN)


def allowed(principal: Principal, space: str, scope: Scope | str) -> bool:
    """Tell whether something of this scope may be done in a space."""
    return (principal.spaces is None or space in principal.spaces) and principal.scope.covers(Scope(scope))


def principal(request: Request) -> Principal:
    """Give who asks; counts the request against their rate.

    Raises:
        Unauthorized: A key is needed, and there is none that holds.
        TooMany: They ask too often.
    """
    doors: Doors = request.app.state.doors
    found = doors.open(request)
    request.scope[ASKER] = found.name
    return found


class Doors:
    """The keys of a server, and the rate of each caller."""

    def __init__(self, memory: Memory, settings: ServerSettings) -> None:
        self.memory = memory
        self.settings = settings
        self.keys = KeyStore(memory.database)
        self.buckets = Buckets(settings.rate, settings.burst)
        self._seen: dict[str, float] = {}
        self._lock = threading.Lock()

    def open(self, request: Request) -> Principal:
        """See `principal`."""
        address = request.client.host if request.client else "?"
        if not self.settings.needs_keys:
            self.buckets.take(address)
            return LOCAL
        secret = _secret(request)
        found = self.of_secret(secret) if secret else None
        if found is None:
            self.buckets.take(address)
            raise Unauthorized(
                "the key does not hold: it is unknown, revoked or expired"
                if secret
                else "this server asks for a key: send `Authorization: Bearer KEY`; `trajwiki keys create` makes one"
            )
        self.buckets.take(found.name)
        return found

    def of_secret(self, secret: str) -> Principal | None:
        """Give who holds a key; None when it does not hold."""
        key = self.keys.find(secret, now=self.memory.clock())
        if key is None:
            return None
        now = time.monotonic()
        with self._lock:
            stale = now - self._seen.get(key.id, -SEEN_EVERY_S) >= SEEN_EVERY_S
            if stale:
                self._seen[key.id] = now
        if stale:
            self.keys.seen(key.id, self.memory.clock())
        return Principal(f"key:{key.label or key.id}", None if key.everywhere else frozenset(key.spaces), key.scope)


def _secret(request: Request) -> str | None:
    kind, _, value = request.headers.get("authorization", "").partition(" ")
    if kind.lower() == "bearer" and value.strip():
        return value.strip()
    return None if request.url.path.startswith("/v1") else request.cookies.get(COOKIE)


def acting(memory: Memory, actor: str) -> Memory:
    """Give the same memory, whose commits name another actor."""
    memory.embedder, memory.words  # noqa: B018 - loaded once, for all who act
    other = copy(memory)
    other.actor = actor
    return other


Asker = Annotated[Principal, Depends(principal)]


def space_for(scope: Scope, *, makes: bool = False) -> Callable[[Request, str], Space]:
    """Make a dependency that gives the space of the path to those who may do something of this scope in it.

    Args:
        scope: What is to be done.
        makes: The space comes into being by it, for those who see all spaces.
    """

    def give(request: Request, space: Name) -> Space:
        asker = principal(request)  # not a dependency of its own: each is a change of threads
        memory: Memory = request.app.state.memory
        seen = asker.spaces is None or space in asker.spaces
        if not seen or not (makes or memory.store.find(space) is not None):
            raise UnknownSpace(f"there is no space named {space!r}, or the key does not open it")
        if not allowed(asker, space, scope):
            raise Forbidden(f"this needs a key of scope {scope}; the key given has scope {asker.scope}")
        return acting(memory, asker.name).space(space)

    return give


Reads = Annotated[Space, Depends(space_for(Scope.READ))]
Writes = Annotated[Space, Depends(space_for(Scope.WRITE))]
Makes = Annotated[Space, Depends(space_for(Scope.WRITE, makes=True))]
Rules = Annotated[Space, Depends(space_for(Scope.ADMIN))]


def everywhere(request: Request, asker: Asker) -> Memory:
    """Give the memory to those who may do anything in all spaces. Raises Forbidden."""
    if asker.spaces is not None or asker.scope is not Scope.ADMIN:
        raise Forbidden("this needs an admin key for all spaces: `trajwiki keys create --all-spaces --scope admin`")
    return acting(request.app.state.memory, asker.name)


Everywhere = Annotated[Memory, Depends(everywhere)]
