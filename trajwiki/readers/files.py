"""Bytes from outside: opened, decoded and cut into lines, without trusting any of it."""

from __future__ import annotations

import codecs
import lzma
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePath
from typing import IO, Final

from trajwiki.errors import UnreadableInput

CHUNK_BYTES: Final = 1 << 20
MAX_LINE_CHARS: Final = 64_000_000  # one line, hence one record of a line format
MAX_MEMBERS: Final = 100_000  # files in a zip archive
MAX_MEMBER_BYTES: Final = 4 << 30  # one file of an archive, unpacked
MAX_ARCHIVE_BYTES: Final = 16 << 30  # all of them
MAX_RATIO: Final = 200  # unpacked to packed; text packs about 10 to 1
RATIO_FREE_BYTES: Final = 10 << 20  # below this size any ratio will do

_MAGIC: Final = (
    (b"PK\x03\x04", "a zip archive"),
    (b"PK\x05\x06", "an empty zip archive"),
    (b"\x1f\x8b", "gzip-packed data; unpack it first"),
    (b"SQLite format 3\0", "a SQLite database"),
    (b"%PDF-", "a PDF"),
    (b"\x89PNG", "an image"),
    (b"\xff\xd8\xff", "an image"),
    (b"GIF8", "an image"),
    (b"PAR1", "a Parquet file"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"Rar!", "a RAR archive"),
    (b"BZh", "bzip2-packed data; unpack it first"),
)
_ARCHIVE_ERRORS: Final = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    RuntimeError,  # an encrypted member
    NotImplementedError,  # an unknown packing
    ValueError,
    OverflowError,
)


@dataclass(frozen=True, slots=True)
class Source:
    """A text from outside that can be read more than once.

    Attributes:
        name: For a person: the path, and the name in the archive.
        open: Opens the bytes.
        encoding: None: UTF-8, or UTF-16 when it says so.
    """

    name: str
    open: Callable[[], IO[bytes]]
    encoding: str | None = None

    def at(self, place: str) -> str:
        """Name a place in it."""
        return f"{self.name}: {place}"

    @property
    def stem(self) -> str:
        """The name of the file without folder and ending; of `_chat.txt` in an archive, that of the archive."""
        path, _, member = self.name.rpartition("!")
        stem = PurePath(member.replace("\\", "/")).stem
        return PurePath(path).stem if path and stem.startswith("_") else stem

    def start(self, size: int) -> bytes:
        """Give its first bytes."""
        with _guarded(self.name), self.open() as file:
            return file.read(size)

    def chunks(self, size: int = CHUNK_BYTES) -> Iterator[str]:
        """Give the text piece by piece, without its byte-order mark.

        Raises:
            UnreadableInput: It cannot be read, or its bytes are no text; with the offset of the first bad byte.
        """
        encoding = self.encoding or encoding_of(self.start(4096))
        decoder = codecs.getincrementaldecoder(encoding)()
        done = 0
        first = True
        with _guarded(self.name), self.open() as file:
            while True:
                data = file.read(size)
                held = len(decoder.getstate()[0])
                try:
                    text = decoder.decode(data, final=not data)
                except UnicodeDecodeError as error:
                    offset = max(0, done - held + error.start)
                    raise UnreadableInput(
                        f"{self.name}: byte {offset} is not {encoding} text ({error.reason}); "
                        "save the file as UTF-8 or name its encoding"
                    ) from None
                done += len(data)
                if first and text:
                    text, first = text.removeprefix("\ufeff"), False
                if text:
                    yield text
                if not data:
                    return

    def lines(self) -> Iterator[tuple[int, str]]:
        """Give the lines with their numbers from 1, without line ends; only line feeds end a line."""
        number = 1
        rest: list[str] = []
        size = 0
        for chunk in self.chunks():
            first, *others = chunk.split("\n")
            rest.append(first)
            size += len(first)
            if size > MAX_LINE_CHARS:
                raise UnreadableInput(f"{self.name}: line {number} is longer than {MAX_LINE_CHARS} characters")
            for other in others:
                yield number, "".join(rest).removesuffix("\r")
                number += 1
                rest, size = [other], len(other)
        if size:
            yield number, "".join(rest).removesuffix("\r")


def source(path: Path, encoding: str | None = None) -> Source:
    """Give the file at a path.

    Raises:
        UnreadableInput: It is not a file, is empty, is not text or zip, or the encoding is unknown.
    """
    if encoding is not None:
        try:
            b"ab".decode(encoding)
            codecs.getincrementaldecoder(encoding)
        except (LookupError, UnicodeError):
            raise UnreadableInput(f"{path}: {encoding!r} is not a text encoding") from None
    found = Source(str(path), lambda: path.open("rb"), encoding)
    with _guarded(str(path)):
        if path.is_dir():
            raise UnreadableInput(f"{path}: this is a folder; name the files in it")
        if not path.is_file():
            raise UnreadableInput(f"{path}: there is no such file")
    start = found.start(4096)
    if not start:
        raise UnreadableInput(f"{path}: the file is empty")
    kind = kind_of(start)
    if kind and kind != "a zip archive":
        raise UnreadableInput(f"{path}: this is {kind}; expected a conversation as JSON, text or a zip of them")
    return found


def kind_of(start: bytes) -> str:
    """Name what the first bytes say it is; empty for what may be text."""
    for magic, kind in _MAGIC:
        if start.startswith(magic):
            return kind
    if start[:1] == b"\x80" and start[1:2] in (b"\x02", b"\x03", b"\x04", b"\x05"):
        return "a pickle, which is never loaded"
    return ""


def encoding_of(start: bytes) -> str:
    """Tell UTF-16 and UTF-32 from UTF-8: by the byte-order mark, else by where the zero bytes are."""
    if start.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        return "utf-32"
    if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    even, odd = start[0::2].count(0), start[1::2].count(0)
    half = len(start) // 2
    if half >= 4 and odd > half * 0.7 and even < half * 0.1:
        return "utf-16-le"
    if half >= 4 and even > half * 0.7 and odd < half * 0.1:
        return "utf-16-be"
    return "utf-8"


def archive(path: Path, encoding: str | None = None) -> list[Source]:
    """Give the files in a zip archive, in name order; nothing is unpacked to disk.

    Raises:
        UnreadableInput: It is broken, locked, too large unpacked, or holds names that lead out of it.
    """
    with _guarded(str(path)):
        zipped = zipfile.ZipFile(path)  # open as long as one of its sources is held
        infos = [i for i in zipped.infolist() if not i.is_dir()]
    if len(infos) > MAX_MEMBERS:
        raise UnreadableInput(f"{path}: {len(infos)} files in the archive, at most {MAX_MEMBERS} are read")
    if sum(i.file_size for i in infos) > MAX_ARCHIVE_BYTES:
        raise UnreadableInput(f"{path}: the archive unpacks to more than {MAX_ARCHIVE_BYTES} bytes; not read")
    for info in infos:
        _check_member(path, info)
    names = sorted({i.filename for i in infos})
    return [Source(f"{path}!{name}", partial(_open_member, zipped, name), encoding) for name in names]


def _open_member(zipped: zipfile.ZipFile, name: str) -> IO[bytes]:
    return zipped.open(name)


def _check_member(path: Path, info: zipfile.ZipInfo) -> None:
    parts = info.filename.replace("\\", "/").split("/")
    if ".." in parts or info.filename.startswith(("/", "\\")) or ":" in parts[0]:
        raise UnreadableInput(f"{path}: the archive holds a name that leads out of it: {info.filename!r}")
    if info.flag_bits & 0x1:
        raise UnreadableInput(f"{path}: {info.filename} is locked with a password")
    if info.file_size > MAX_MEMBER_BYTES:
        raise UnreadableInput(f"{path}: {info.filename} unpacks to more than {MAX_MEMBER_BYTES} bytes; not read")
    if info.file_size > RATIO_FREE_BYTES and info.file_size > MAX_RATIO * max(1, info.compress_size):
        raise UnreadableInput(f"{path}: {info.filename} unpacks more than {MAX_RATIO}-fold, like a zip bomb; not read")


@contextmanager
def _guarded(name: str) -> Iterator[None]:
    """Turn what the system and the archive code raise into our error."""
    try:
        yield
    except OSError as error:
        raise UnreadableInput(f"{name}: cannot be read: {error.strerror or error}") from error
    except _ARCHIVE_ERRORS as error:
        raise UnreadableInput(
            f"{name}: the archive is broken or locked: {str(error) or type(error).__name__}"
        ) from error
