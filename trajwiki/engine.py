"""Memory: a database of spaces, and the live spaces that are read from it."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from trajwiki.archive.load import Imported, import_archive
from trajwiki.construction import Builder
from trajwiki.domain.ids import Ids, random_id
from trajwiki.domain.messages import MAX_NAME
from trajwiki.domain.state import Change
from trajwiki.domain.usage import Call
from trajwiki.errors import CorruptStore, EmbedderMismatch, UsageError
from trajwiki.kept import Kept
from trajwiki.lessons import Lessons, LivePractice
from trajwiki.live import LiveSpace
from trajwiki.mind import Models
from trajwiki.models.asking import Asker
from trajwiki.models.embedding import Embedder, open_embedder
from trajwiki.settings import Settings
from trajwiki.space import Space
from trajwiki.store.backup import backup
from trajwiki.store.database import Database
from trajwiki.store.spaces import SpaceInfo, SpaceStore
from trajwiki.views import View, look

WORD_EMBEDDER: Final = "wordllama"
REMOTE: Final = "openai:"  # names of embedders that are asked over a network begin with this
PAST_KEPT: Final = 4  # states of the past kept in memory

Clock = Callable[[], datetime]


def _now() -> datetime:
    return datetime.now(UTC)


class Memory:
    """A database of spaces.

    Use as a context manager, or call `close`. Threads may share it.
    """

    def __init__(
        self, database: Database, *, settings: Settings, embedder: Embedder | None, actor: str, clock: Clock
    ) -> None:
        self.settings = settings
        self.store = SpaceStore(database)
        self.actor = actor
        self.clock = clock
        self.database = database
        self._embedder = embedder
        self._words: Embedder | None = embedder if embedder and embedder.name.startswith(WORD_EMBEDDER) else None
        self._live: Kept[str, LiveSpace] = Kept(settings.live_spaces)
        self._past: Kept[tuple[str, View], LiveSpace] = Kept(PAST_KEPT)
        self._practice: Kept[str, LivePractice] = Kept(settings.live_spaces)
        self._locks: dict[str, threading.RLock] = {}
        self._models = Models(database, self.settings, clock)
        self._benches: dict[str, LiveSpace] = {}  # on which changes are thought out, in model mode
        self._thinking: dict[str, threading.RLock] = {}
        self._lock = threading.Lock()

    @classmethod
    def open(
        cls,
        location: str | Path | None = None,
        *,
        settings: Settings | None = None,
        embedder: Embedder | None = None,
        create: bool = True,
        actor: str = "local",
        clock: Clock = _now,
    ) -> Self:
        """Open a memory.

        Args:
            location: Path of a SQLite file, or a URL; None: the setting `db`, by default in the user's data folder.
            settings: None: from the environment.
            embedder: None: the one that the settings name.
            create: Make the database when it is not there.
            actor: Who writes, for the history.
            clock: Gives the time of commits.

        Raises:
            StoreUnavailable: The database cannot be opened.
            CorruptStore: It is damaged, or is not ours.
        """
        chosen = settings or Settings()
        database = Database(location if location is not None else chosen.db, create=create)
        return cls(database, settings=chosen, embedder=embedder, actor=actor, clock=clock)

    @property
    def embedder(self) -> Embedder:
        """The embedder, loaded on first use."""
        with self._lock:
            if self._embedder is None:
                self._embedder = open_embedder(self.settings.embedder, base_url=self.settings.embedder_url)
                if self.settings.embedder == WORD_EMBEDDER:
                    self._words = self._embedder
            return self._embedder

    @property
    def words(self) -> Embedder:
        """The embedder of single words: always the static one, since a space has thousands of them."""
        with self._lock:
            if self._words is None:
                self._words = open_embedder(WORD_EMBEDDER)
            return self._words

    def space(self, name: str) -> Space:
        """Give a handle on a space. It comes into being with the first message.

        Raises:
            UsageError: The name is empty or too long.
        """
        if not name.strip() or len(name) > MAX_NAME or not name.isprintable():
            raise UsageError(f"a space name has 1 to {MAX_NAME} printable characters, not {name[:40]!r}")
        return Space(self, name)

    def create_space(self, name: str, *, id: str | None = None) -> Space:
        """Make a space now; with a given id its content gets the same ids as in another space with that id."""
        space = self.space(name)
        embedder = self.embedder
        self.store.create(
            SpaceInfo(id or random_id("space"), name, self.clock(), embedder.name, embedder.dimension, head=0)
        )
        return space

    def spaces(self) -> list[SpaceInfo]:
        """List the spaces, by name."""
        return self.store.spaces()

    def rename_space(self, name: str, new: str) -> None:
        """Rename a space. Raises UnknownSpace, or UsageError when the new name is taken."""
        self.space(new)
        self.store.rename(name, new)

    def delete_space(self, name: str) -> dict[str, int]:
        """Delete a space and all that is in it; gives the number of removed rows by table. Raises UnknownSpace."""
        info = self.store.find(name)
        removed = self.store.delete(name)
        if info is not None:
            self.forget(info.id)
        return removed

    def import_space(self, path: str | Path, *, name: str | None = None) -> Imported:
        """Store the space of an archive, with its ids, times and history.

        Args:
            path: Of the archive.
            name: For the space; None: the one it had.

        Raises:
            UnreadableInput: It cannot be read, or what it holds is damaged or does not fit together.
            UsageError: There is a space of that name or id already.
        """
        return import_archive(self.database, path, name=name)

    def backup(self, path: str | Path) -> int:
        """Copy the whole database to a file while others write, and give its size in bytes.

        Raises:
            UsageError: The file is there, or the database is on a server, which has its own tools.
        """
        return backup(self.database, path)

    def integrity(self) -> list[str]:
        """Check the database file itself; gives what is wrong with it."""
        return self.database.integrity()

    def close(self) -> None:
        """Let go of the database."""
        self._live.drop(lambda _: True)
        self._practice.drop(lambda _: True)
        self.database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # For Space.

    def locked(self, space_id: str) -> threading.RLock:
        """Give the lock of a space in this process."""
        with self._lock:
            return self._locks.setdefault(space_id, threading.RLock())

    def live(self, info: SpaceInfo) -> LiveSpace:
        """Give the live space at the newest commit. The caller holds its lock.

        Raises:
            EmbedderMismatch: The space holds vectors of another model.
        """
        self._same_embedder(info)
        live = self._live.get(info.id)
        if live is None:
            live = self._live.put(info.id, self.build(info.id, *self.store.load(info.id)))
        elif self.store.head(info.id) != live.state.head:
            change, head = self.store.load(info.id, after=live.state.head)
            with self.dropped_on_error(info.id):
                live.apply(change)
            live.state.head = head
        return live

    def _same_embedder(self, info: SpaceInfo) -> None:
        if (info.embedder, info.dimension) != (self.embedder.name, self.embedder.dimension):
            raise EmbedderMismatch(
                f"space {info.name!r} holds vectors of {info.embedder} ({info.dimension}-d), the settings name "
                f"{self.embedder.name} ({self.embedder.dimension}-d); vectors of two models are never compared: "
                "`trajwiki reembed` makes them anew"
            )

    def build(self, space_id: str, change: Change, head: int) -> LiveSpace:
        """Give the live space that a change from nothing leads to. Raises CorruptStore where it does not fit."""
        try:
            return LiveSpace(space_id, change, head, embedder=self.embedder, words=self.words)
        except (KeyError, ValueError, IndexError) as error:
            raise CorruptStore(
                f"the records of space {space_id} do not fit together ({error!r}); nothing was changed. "
                "Run `trajwiki doctor`"
            ) from error

    def local_embedder(self, info: SpaceInfo) -> Embedder | None:
        """Give the embedder where asking it costs nothing and the space's vectors are its own."""
        same = (info.embedder, info.dimension) == (self.embedder.name, self.embedder.dimension)
        return self.embedder if same and not self.embedder.name.startswith(REMOTE) else None

    def live_practice(self, info: SpaceInfo) -> LivePractice:
        """Give the live runs and tips at the newest commit. The caller holds the lock of the space.

        Raises:
            EmbedderMismatch: The space holds vectors of another model.
        """
        self._same_embedder(info)
        live = self._practice.get(info.id)
        if live is None:
            change, head = self.store.load_practice(info.id)
            live = self._practice.put(info.id, LivePractice(change, head, embedder=self.embedder))
        elif self.store.head(info.id) != live.practice.head:
            change, head = self.store.load_practice(info.id, after=live.practice.head)
            with self.dropped_on_error(info.id):
                live.apply(change)
            live.practice.head = head
        return live

    def lessons(self, space_id: str, live: LivePractice) -> Lessons:
        """Give the stages from runs to tips on a live practice."""
        return Lessons(live, Ids(space_id), self.embedder)

    def past(self, info: SpaceInfo, view: View) -> LiveSpace:
        """Give the space as seen from another time, read by the same code. The caller holds its lock."""
        self.live(info)  # refuses another embedder
        key = (info.id, view)
        found = self._past.get(key)
        if found is None:
            change, head = self.store.load(info.id, upto=view.n)
            found = look(
                view, change, lambda seen: self.build(info.id, seen, head), lambda live: self.builder(info.id, live)
            )
            self._past.put(key, found)
        return found

    def builder(self, space_id: str, live: LiveSpace, asker: Asker | None = None) -> Builder:
        """Give the stages on a live space.

        Args:
            space_id: Of the space.
            live: Which the stages move forward.
            asker: Asks a chat model; None: what models have said before is taken into account, nothing is asked.
        """
        return Builder(live, Ids(space_id), self.embedder, self.settings, asker or self._models.recorded(space_id))

    def asker(self, space_id: str) -> Asker | None:
        """Give what asks the chat model on behalf of a space, for one operation; None in local mode."""
        return self._models.asker(space_id)

    def calls(self, space_id: str) -> list[Call]:
        """Give the ledger of a space: what a chat model was asked, oldest first."""
        return self._models.calls(space_id)

    @property
    def tokens_spent(self) -> int:
        """Tokens that the chat model has used since the memory was opened."""
        return self._models.spent

    def thinking(self, space_id: str) -> threading.RLock:
        """Give the lock that lets one thread at a time think out a change with a model; it stops no reader."""
        with self._lock:
            return self._thinking.setdefault(space_id, threading.RLock())

    def bench(self, info: SpaceInfo) -> LiveSpace:
        """Give a state of the space, at the newest commit, that is the writer's own. The caller is thinking."""
        bench = self._benches.get(info.id)
        head = self.store.head(info.id)
        if bench is None or bench.state.head > head:
            bench = self._benches[info.id] = self.build(info.id, *self.store.load(info.id))
        elif bench.state.head < head:
            change, bench.state.head = self.store.load(info.id, after=bench.state.head)
            bench.apply(change)
        return bench

    def drop_bench(self, space_id: str) -> None:
        """Let go of the writer's own state: it has moved without being written, or is not needed any more."""
        self._benches.pop(space_id, None)

    def forget(self, space_id: str) -> None:
        """Drop the live space and what is kept of its past; the next use reads it anew."""
        self._live.drop(lambda key: key == space_id)
        self._benches.pop(space_id, None)
        self._practice.drop(lambda key: key == space_id)
        self._past.drop(lambda key: key[0] == space_id)

    @contextlib.contextmanager
    def dropped_on_error(self, space_id: str) -> Iterator[None]:
        """Drop the live space if the block fails: it may have moved without being written."""
        try:
            yield
        except BaseException:
            self.forget(space_id)
            raise
