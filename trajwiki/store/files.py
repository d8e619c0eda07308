"""Writing a file so that it is there whole or not at all, and never in the place of another."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from trajwiki.errors import StoreUnavailable, UsageError


@contextlib.contextmanager
def appearing(path: Path) -> Iterator[Path]:
    """Give the path of a temporary file that becomes `path` when the block ends well, and is gone when it does not.

    It can be read by its owner alone: what is written here is somebody's memory.

    Raises:
        UsageError: There is something at `path`, before or after the block.
        StoreUnavailable: It cannot be written, such as on a full disk.
    """
    if os.path.lexists(path):
        raise UsageError(f"{path} is there already; give another path")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=".trajwiki-", suffix=".part")
        os.close(handle)
        temporary = Path(name)
        try:
            yield temporary
            _sync(temporary)
            _move(temporary, path)
            _sync(path.parent)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise StoreUnavailable(f"cannot write {path}: {error.strerror or error}") from error


def _move(temporary: Path, path: Path) -> None:
    """Name a finished file. A hard link, unlike renaming, fails when another was quicker."""
    try:
        os.link(temporary, path)
    except FileExistsError:
        raise UsageError(f"{path} is there already; give another path") from None
    except OSError:  # a file system without hard links
        if os.path.lexists(path):
            raise UsageError(f"{path} is there already; give another path") from None
        temporary.rename(path)


def _sync(path: Path) -> None:
    """Put a file, or the names in a folder, on the disk, where the system can."""
    if path.is_dir() and os.name == "nt":
        return
    handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
