"""What an archive says of itself: its manifest, its member names, and how large it may be."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from trajwiki.domain.messages import MAX_NAME
from trajwiki.store.raw import SPACE_TABLES

FORMAT: Final = "trajwiki.archive"
VERSION: Final = 1
MANIFEST: Final = "manifest.json"
MEMBERS: Final = {f"data/{table.name}.jsonl": table for table in SPACE_TABLES}  # sorts before the manifest

MAX_ARCHIVE: Final = 64 * 2**30  # bytes of all members together, unpacked
MAX_MEMBER: Final = 16 * 2**30  # bytes, unpacked
MAX_MANIFEST: Final = 2**20  # bytes
MAX_LINE: Final = 64 * 2**20  # bytes of a row: a message has up to a million characters
MAX_DIRECTORY: Final = 64 * 2**10  # bytes of the zip's table of contents
MAX_RATIO: Final = 200  # unpacked by packed; ours are near 4
RATIO_FROM: Final = 256 * 2**20  # bytes from which the ratio matters: one long repetitive message is no attack
MAX_SPACE_ID: Final = 64  # bytes: it is the key of a keyed hash
MAX_DIMENSION: Final = 2**16


@dataclass(frozen=True, slots=True)
class Limits:
    """How large an archive may be, in bytes; a caller who trusts one can allow more."""

    archive: int = MAX_ARCHIVE
    member: int = MAX_MEMBER
    line: int = MAX_LINE
    ratio: int = MAX_RATIO
    ratio_from: int = RATIO_FROM


def _storable(text: str) -> str:
    if "\0" in text:
        raise ValueError("it holds a NUL character, which databases refuse")
    return text


def named(name: str) -> str:
    """Give a name of a space, checked. Raises ValueError."""
    if not name.strip() or len(name) > MAX_NAME or not name.isprintable():
        raise ValueError(f"a space name has 1 to {MAX_NAME} printable characters, not {name[:40]!r}")
    return name


def _identifying(text: str) -> str:
    if not text.isprintable() or not 1 <= len(text.encode()) <= MAX_SPACE_ID:
        raise ValueError(f"a space id has 1 to {MAX_SPACE_ID} printable bytes")
    return text


def aware(text: str) -> str:
    """Give the text of a time, checked: with a zone, and written as it is stored. Raises ValueError."""
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError("a time without a zone")
    if moment.isoformat() != text:
        raise ValueError(f"a time written in another way than {moment.isoformat()!r}")
    return text


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class MemberEntry(_Strict):
    """What a member holds.

    Attributes:
        rows: Number of lines.
        bytes: Size, unpacked.
        sha256: Of the unpacked bytes, in hexadecimal.
    """

    rows: Annotated[int, Field(ge=0)]
    bytes: Annotated[int, Field(ge=0)]
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class SpaceEntry(_Strict):
    """The space, as in its row."""

    id: Annotated[str, AfterValidator(_identifying)]
    name: Annotated[str, AfterValidator(named)]
    created: Annotated[str, AfterValidator(aware)]
    embedder: Annotated[str, Field(min_length=1, max_length=MAX_NAME), AfterValidator(_storable)]
    dimension: Annotated[int, Field(ge=1, le=MAX_DIMENSION)]
    head: Annotated[int, Field(ge=0, lt=2**31)]


class Manifest(_Strict):
    """What an archive holds.

    Attributes:
        format: Always ``trajwiki.archive``.
        version: Of the format.
        trajwiki: Version that made it.
        db_schema: Version of the tables whose rows it holds.
        space: Whose rows.
        members: By name.
    """

    format: Literal["trajwiki.archive"]
    version: Literal[1]
    trajwiki: Annotated[str, Field(max_length=100)]
    db_schema: Annotated[str, Field(max_length=100)]
    space: SpaceEntry
    members: dict[str, MemberEntry]

    def rows(self) -> dict[str, int]:
        """Give the number of rows by table, leaving out zeros."""
        return {MEMBERS[name].name: entry.rows for name, entry in sorted(self.members.items()) if entry.rows}


class Maker(BaseModel):
    """Who made an archive, whatever else its manifest says: a newer one may say more."""

    format: Literal["trajwiki.archive"]
    version: int
    trajwiki: Annotated[str, Field(max_length=100)]
    db_schema: Annotated[str, Field(max_length=100)]


def first_error(error: ValidationError) -> str:
    """Say in a line what is wrong with a value from outside."""
    found = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(str(part) for part in found["loc"])
    return f"{where}: {found['msg']}" if where else found["msg"]
