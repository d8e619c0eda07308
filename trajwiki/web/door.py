"""Who visits, what they may do here, and that a form came from our own page."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from typing import Annotated, Final
from urllib.parse import urlsplit

from fastapi import Depends, Form, Query, Request, Response

from trajwiki.domain.history import Commit
from trajwiki.domain.state import SpaceState
from trajwiki.engine import Memory
from trajwiki.errors import UnknownSpace
from trajwiki.server.auth import ASKER, COOKIE, LOCAL, Principal, acting, allowed
from trajwiki.server.problems import Forbidden
from trajwiki.space import Space
from trajwiki.store.keys import Scope
from trajwiki.web.frame import FORM_COOKIE, NONCE
from trajwiki.web.links import Links, name_of
from trajwiki.web.past import Past

MAX_COMMIT: Final = 2**31 - 1

At = Annotated[int | None, Query(ge=0, le=MAX_COMMIT)]


@dataclass(frozen=True, slots=True)
class Visit:
    """One request about a space.

    Attributes:
        request: The request.
        memory: Whose commits name who asks.
        space: The space.
        who: Who asks.
        links: Addresses in the space, at the commit that is looked at.
        at: The commit that is looked at; None: the newest.
        token: For the forms of the page.
    """

    request: Request
    memory: Memory
    space: Space
    who: Principal
    links: Links
    at: int | None
    token: str

    @property
    def name(self) -> str:
        """Name of the space."""
        return self.space.name

    @property
    def space_id(self) -> str:
        """Id of the space. Raises UnknownSpace."""
        info = self.memory.store.find(self.space.name)
        if info is None:
            raise UnknownSpace(f"there is no space named {self.space.name!r}")
        return info.id

    @property
    def head(self) -> int:
        """Number of the newest commit."""
        return self.memory.store.head(self.space_id)

    def may(self, scope: str) -> bool:
        """Tell whether who asks may do something of this scope here."""
        return allowed(self.who, self.space.name, scope)

    @contextmanager
    def state(self) -> Iterator[SpaceState]:
        """Give the state that is looked at, which does not move until the block ends."""
        space_id = self.space_id
        with self.memory.locked(space_id):
            if self.at is None:
                yield self.space.state()
            else:
                past: Past = self.request.app.state.web_past
                yield past.state(self.memory, space_id, self.at)

    def commit(self, n: int) -> Commit | None:
        """Give a commit, or None."""
        head = self.head
        if not 1 <= n <= head:
            return None
        return next((c for c in self.space.log(limit=head - n + 1) if c.n == n), None)


def who_asks(request: Request) -> Principal:
    """Give who asks. Raises Unauthorized, or TooMany."""
    doors = getattr(request.app.state, "doors", None)
    found = LOCAL if doors is None else doors.open(request)
    request.scope[ASKER] = found.name
    assert isinstance(found, Principal)
    return found


Asker = Annotated[Principal, Depends(who_asks)]


def visiting(scope: Scope) -> Callable[..., Visit]:
    """Make a dependency that gives the visit to those who may do something of this scope in the space."""

    def give(request: Request, space: str, asker: Asker, response: Response, at: At = None) -> Visit:
        memory: Memory = request.app.state.web_memory
        name = name_of(space)
        if memory.store.find(name) is None or not allowed(asker, name, Scope.READ):
            raise UnknownSpace(f"there is no space named {name!r}, or the key does not open it")
        if not allowed(asker, name, scope):
            raise Forbidden(f"this needs a key of scope {scope}; the one you signed in with has scope {asker.scope}")
        mine = memory if asker is LOCAL else acting(memory, asker.name)
        return Visit(request, mine, mine.space(name), asker, Links(name, at), at, token(request))

    return give


Reading = Annotated[Visit, Depends(visiting(Scope.READ))]


# Forms


def nonce(request: Request) -> str:
    """Give the browser's random word, which a cookie keeps; `frame.page` sets it where there is none."""
    found = request.cookies.get(FORM_COOKIE) or request.scope.setdefault(NONCE, secrets.token_urlsafe(24))
    return str(found)


def token(request: Request) -> str:
    """Give the token that a form of this browser and this key carries."""
    key = request.cookies.get(COOKIE, "")
    return blake2b(
        f"{nonce(request)}|{key}".encode("utf-8", "replace"), digest_size=24, person=b"trajwiki.form"
    ).hexdigest()


def genuine(request: Request, csrf: Annotated[str, Form()] = "") -> None:
    """Let only forms of our own pages through.

    Raises:
        Forbidden: It came from elsewhere, or without the token.
    """
    site = request.headers.get("sec-fetch-site")
    origin = request.headers.get("origin")
    if site not in (None, "same-origin") or (origin is None and site is None):
        raise Forbidden("this form was sent from another site, and nothing was done")
    if origin is not None and urlsplit(origin).netloc != request.headers.get("host", ""):
        raise Forbidden("this form was sent from another site, and nothing was done")
    if FORM_COOKIE not in request.cookies or not hmac.compare_digest(csrf.encode(), token(request).encode()):
        raise Forbidden("this form is out of date, and nothing was done: go back, reload the page and try again")


Genuine = Depends(genuine)


def acts(scope: Scope) -> Callable[..., Visit]:
    """Make a dependency for what changes something: a genuine form, of someone who may."""
    plain = visiting(scope)

    def give(
        request: Request, space: str, asker: Asker, response: Response, csrf: Annotated[str, Form()] = ""
    ) -> Visit:
        genuine(request, csrf)
        return plain(request, space, asker, response)

    return give


Writing = Annotated[Visit, Depends(acts(Scope.WRITE))]
Asking = Annotated[Visit, Depends(acts(Scope.READ))]
Ruling = Annotated[Visit, Depends(acts(Scope.ADMIN))]
