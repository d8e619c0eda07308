"""Writing the files of a vault into a folder: nothing outside it, and nothing over what others put there."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from trajwiki.archive.names import safe_name
from trajwiki.errors import StoreUnavailable, UsageError

MARKER: Final = ".trajwiki-vault.json"
FORMAT: Final = "trajwiki.vault"
SUBFOLDER: Final = "messages"
MAX_MARKER: Final = 64 * 2**20  # bytes


@dataclass(frozen=True, slots=True)
class Written:
    """What became of the files of a vault.

    Attributes:
        written: Files that are new or changed.
        unchanged: Files that were as they are.
        removed: Files of the vault before that are no part of it any more.
    """

    written: int
    unchanged: int
    removed: int


def write_files(folder: Path, files: Mapping[str, str], *, space_id: str, force: bool = False) -> Written:
    """Bring a folder to hold these files, beside what a person keeps there.

    Args:
        folder: Is made when it is not there.
        files: Text by path in the folder: ``NAME.md`` or ``messages/NAME.md``.
        space_id: A vault of another space is not written over.
        force: Write into a folder that is not empty and no vault of this space, and over files of the same names.

    Raises:
        UsageError: The folder holds something else.
        StoreUnavailable: It cannot be written.
    """
    with _mapped(folder):
        if folder.exists() and not folder.is_dir():
            raise UsageError(f"{folder} is not a folder")
        before = _before(folder, space_id, force=force)
        there = [path for path in sorted(files) if path not in before and os.path.lexists(folder / path)]
        if there and not force:
            raise UsageError(f"{folder / there[0]} is not of the vault and would be replaced; move it, or say --force")
        subfolder = folder / SUBFOLDER
        if subfolder.is_symlink() or (subfolder.exists() and not subfolder.is_dir()):
            raise UsageError(f"{subfolder} is not a folder of its own; the vault writes nothing outside itself")
        subfolder.mkdir(parents=True, exist_ok=True)
        _write(folder / MARKER, _marker(space_id, before | files.keys()))  # so that a run that is cut short is known
        changed = [_write(folder / path, text) for path, text in sorted(files.items())]
        gone = sorted(before - files.keys())
        removed = [_remove(folder / path) for path in gone]
        _write(folder / MARKER, _marker(space_id, files.keys()))
    return Written(sum(changed), len(changed) - sum(changed), sum(removed))


def _before(folder: Path, space_id: str, *, force: bool) -> set[str]:
    """Give the files of the vault that is there; none in an empty folder."""
    if not folder.is_dir() or not any(folder.iterdir()):
        return set()
    marker = _read_marker(folder / MARKER)
    if marker is None or marker[0] != space_id:
        if not force:
            what = "is not empty, and no vault of ours" if marker is None else "is the vault of another space"
            raise UsageError(f"{folder} {what}; give another folder, or say --force")
        return set()
    return marker[1]


def _read_marker(path: Path) -> tuple[str, set[str]] | None:
    """Give the space and the files that a marker names, or None when there is none that can be believed."""
    if path.is_symlink() or not path.is_file() or path.stat().st_size > MAX_MARKER:
        return None
    try:
        marker = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        return None
    if not isinstance(marker, dict) or marker.get("format") != FORMAT or not isinstance(marker.get("files"), list):
        return None
    return str(marker.get("space")), {p for p in marker["files"] if isinstance(p, str) and _is_ours(p)}


def _is_ours(path: str) -> bool:
    """Tell whether a vault may have written this path: a marker may have been made by anybody."""
    folder, _, file = path.rpartition("/")
    name, ending = file[:-3], file[-3:]
    return folder in ("", SUBFOLDER) and ending == ".md" and bool(name) and safe_name(name) == name


def _marker(space_id: str, files: Collection[str]) -> str:
    content = {"format": FORMAT, "version": 1, "space": space_id, "files": sorted(files)}
    return json.dumps(content, ensure_ascii=False, indent=0) + "\n"


def _write(path: Path, text: str) -> bool:
    """Put a file in its place as a whole, and tell whether that changed anything. A link there is replaced."""
    data = text.encode()
    if not path.is_symlink() and path.is_file() and path.read_bytes() == data:
        return False
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".trajwiki-", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
    return True


def _remove(path: Path) -> bool:
    if not os.path.lexists(path):
        return False
    path.unlink()
    return True


@contextlib.contextmanager
def _mapped(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StoreUnavailable(f"cannot write the vault in {folder}: {error.strerror or error}") from error
