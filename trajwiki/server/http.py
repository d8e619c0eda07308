"""The forms of HTTP that all routes share: JSON out, path segments in, pages of lists, and ETags."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from collections.abc import Callable, Sequence
from typing import Annotated, Any, Final, TypeVar
from urllib.parse import unquote

from fastapi import Header, Path, Query
from pydantic import AfterValidator
from starlette.responses import Response
from starlette.types import Scope

from trajwiki import __version__
from trajwiki.domain.messages import MAX_NAME
from trajwiki.errors import UsageError

T = TypeVar("T")

PAGE: Final = 100  # items of a page of a list, when none is asked for
MAX_PAGE: Final = 1000
MAX_CURSOR: Final = 3000  # characters


def dumps(value: Any) -> bytes:
    """Give a value as JSON; a lone surrogate, which UTF-8 cannot hold, as an escape."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.encode("utf-8", "backslashreplace")


class Json(Response):
    """A value as JSON."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        """Give the bytes."""
        return dumps(content)


# Path segments: what stands between two slashes may itself hold an encoded slash.


def keep_segments(scope: Scope) -> None:
    """Put the path of a request in a form in which an encoded slash separates nothing; `Segment` undoes it."""
    raw = scope.get("raw_path")
    if isinstance(raw, bytes) and b"%" in raw and scope["path"].startswith("/v1/"):
        parts = (unquote(part.decode("latin-1")) for part in raw.split(b"/"))
        scope["path"] = "/".join(part.replace("%", "%25").replace("/", "%2F") for part in parts)


def _segment(text: str) -> str:
    return text.replace("%2F", "/").replace("%25", "%")


Name = Annotated[str, AfterValidator(_segment), Path(min_length=1, max_length=3 * MAX_NAME)]

# Lists.

Limit = Annotated[int, Query(ge=1, le=MAX_PAGE, description="Items, at most.")]
Cursor = Annotated[
    str | None, Query(max_length=MAX_CURSOR, description="`next` of the page before; its form may change.")
]


def page_of(
    items: Sequence[T],
    show: Callable[[T], Any],
    place: Callable[[T], Any],
    *,
    of: str,
    limit: int,
    cursor: str | None,
    descending: bool = False,
) -> dict[str, Any]:
    """Give a page of a list. What is added or removed meanwhile never makes an item come twice or be passed over.

    Args:
        items: All of them, in order of their places.
        show: Gives an item as JSON.
        place: Gives the place of an item, a number or text that stays the same.
        of: Name of the list; a cursor of another list is refused.
        limit: Items, at most.
        cursor: Where to go on, or None for the beginning.
        descending: The places go down.
    """
    if cursor is not None:
        last = _read_cursor(cursor, of)
        items = [item for item in items if _beyond(place(item), last, descending=descending)]
    shown = items[:limit]
    more = len(items) > limit
    return {"items": [show(item) for item in shown], "next": _cursor(of, place(shown[-1])) if more else None}


def _beyond(place: Any, last: Any, *, descending: bool) -> bool:
    if type(place) is not type(last):
        raise UsageError("the cursor is not one that this list gave")
    return bool(place < last if descending else place > last)


def _cursor(of: str, place: Any) -> str:
    return base64.urlsafe_b64encode(dumps([of, place])).decode().rstrip("=")


def _read_cursor(cursor: str, of: str) -> Any:
    try:
        padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
        kind, place = json.loads(base64.urlsafe_b64decode(padded))
    except (ValueError, TypeError, binascii.Error, RecursionError):
        raise UsageError("the cursor is not one that this list gave") from None
    if kind != of:
        raise UsageError("the cursor is not one that this list gave")
    return place


# ETags.

IfNoneMatch = Annotated[str | None, Header(description="ETags that the caller has.")]


def etag(space_id: str, head: int) -> str:
    """Give the tag of everything that is read of a space at a commit by this version."""
    return '"' + hashlib.blake2b(f"{space_id} {head} {__version__}".encode(), digest_size=8).hexdigest() + '"'


def matches(tag: str, given: str | None) -> bool:
    """Tell whether a tag is among those that the caller has."""
    if given is None:
        return False
    return any(one.strip().removeprefix("W/") in (tag, "*") for one in given.split(","))
