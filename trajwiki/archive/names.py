"""File names from text that anybody may have written: safe on every system, and told apart whatever the case."""

from __future__ import annotations

import unicodedata
from typing import Final

MAX_BYTES: Final = 120  # of a name in UTF-8; every file system takes 255, some paths are short
_KEPT: Final = frozenset(" -_.,'()&+@=!~")  # beside letters and digits; nothing that means something in a link
_RESERVED: Final = frozenset(
    {"con", "prn", "aux", "nul", "conin$", "conout$"}
    | {f"{device}{n}" for device in ("com", "lpt") for n in "0123456789¹²³"}
)


class Names:
    """Gives out file names without their ending, each once in all folders: links by name lead to one file."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def give(self, text: str, *, otherwise: str) -> str:
        """Give a name like the text that no other has, not even in another case or composition.

        Args:
            text: Any.
            otherwise: The name when nothing of the text can stand in one.
        """
        base = safe_name(text) or otherwise
        name, n = base, 1
        while _folded(name) in self._taken:
            n += 1
            name = f"{base} {n}"
        self._taken.add(_folded(name))
        return name


def safe_name(text: str) -> str:
    """Give what of a text can be a file name: no separators, no links' marks, no reserved words; may be empty."""
    plain = unicodedata.normalize("NFC", text[: 2 * MAX_BYTES])
    kept = "".join(c if c in _KEPT or unicodedata.category(c)[0] in "LMN" else "-" for c in plain)
    cut = kept.encode()[:MAX_BYTES].decode("utf-8", "ignore")
    name = " ".join(cut.split()).strip("-. ~")
    return f"_{name}" if name.casefold().partition(".")[0].strip() in _RESERVED else name


def _folded(name: str) -> str:
    return unicodedata.normalize("NFKC", name.casefold())
