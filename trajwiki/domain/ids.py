"""Ids: short keyed hashes of what a thing is.

The key is the id of the space, so the same content in two spaces has two ids, and a hash in a log
or a tombstone says nothing about the text behind it without the space it came from.
"""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
from dataclasses import dataclass
from typing import Final

ID_BYTES: Final = 10  # 80 bits: 16 base32 characters, collisions negligible below 10^10 items a space


@dataclass(frozen=True, slots=True)
class Ids:
    """Makes the ids of one space.

    Attributes:
        space_id: The random id of the space, which is the hash key.
    """

    space_id: str

    def of(self, kind: str, *content: str | int | float | None) -> str:
        """Give the id of a thing of this kind with this canonical content, such as ``claim_4fq…``."""
        canonical = json.dumps([kind, *content], ensure_ascii=False, separators=(",", ":"))
        digest = hashlib.blake2b(
            canonical.encode("utf-8", "surrogatepass"), key=self.space_id.encode(), digest_size=ID_BYTES
        ).digest()
        return f"{kind}_{base64.b32encode(digest).decode().lower()}"


def random_id(kind: str) -> str:
    """Give an id that depends on nothing, for spaces and for records that are not content."""
    return f"{kind}_{base64.b32encode(secrets.token_bytes(ID_BYTES)).decode().lower()}"
