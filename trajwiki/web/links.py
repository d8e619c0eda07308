"""Addresses of pages: one place that knows how a space, a name or a moment stands in a URL."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote, urlencode

Params = Mapping[str, str | int | None]
_CODED: Final = "~%/\\"
_CODE: Final = re.compile("~([0-9A-F]{2})")


def segment(name: str) -> str:
    """Give any name as one segment of a path; `name_of` reads it back, however often servers and proxies decode it."""
    kept = "".join(_code(c) if c in _CODED else c for c in name)
    if not kept.strip("."):
        kept = kept.replace(".", _code("."))  # a browser walks up on dots alone
    return quote(kept, safe="~", errors="surrogatepass")


def name_of(decoded: str) -> str:
    """Give the name behind a segment that was decoded."""
    return _CODE.sub(lambda found: chr(int(found[1], 16)), decoded)


def _code(char: str) -> str:
    return f"~{ord(char):02X}"


def address(path: str, params: Params) -> str:
    """Give a path with those parameters that have a value."""
    given = {k: v for k, v in params.items() if v is not None and v != ""}
    query = "?" + urlencode(given, errors="surrogatepass") if given else ""
    return path + query


@dataclass(frozen=True, slots=True)
class Links:
    """Addresses within a space, which stay at the commit that is looked at.

    Attributes:
        space: Name of the space.
        at: The commit that is looked at; None: the newest.
    """

    space: str
    at: int | None = None

    def to(self, rest: str = "", **params: str | int | None) -> str:
        """Give the address of a place in the space, such as ``history``."""
        return address(f"/s/{segment(self.space)}" + (f"/{rest}" if rest else ""), {"at": self.at, **params})

    def now(self, rest: str = "", **params: str | int | None) -> str:
        """Give the address of a place as it is now."""
        return Links(self.space).to(rest, **params)

    def page(self, slug: str) -> str:
        """Give the address of a wiki page."""
        return self.to(f"wiki/{segment(slug)}")

    def thread(self, trajectory_id: str) -> str:
        """Give the address of a trajectory."""
        return self.to(f"trajectories/{segment(trajectory_id)}")

    def claim(self, claim_id: str) -> str:
        """Give the address of a claim."""
        return self.to(f"claims/{segment(claim_id)}")

    def message(self, message_id: str, claim_id: str | None = None) -> str:
        """Give the address of a message in its conversation, with the words of a claim marked."""
        return self.to(f"messages/{segment(message_id)}", claim=claim_id)

    def talk(self, source: str, session: str, **params: str | int | None) -> str:
        """Give the address of a session."""
        return self.to("conversations/session", source=source, session=session or None, **params)

    def commit(self, n: int) -> str:
        """Give the address of a commit."""
        return self.now(f"history/{n}")
