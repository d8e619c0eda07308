"""Keeping a memory: its history, taking back, erasing, checking and mending, and files to carry it in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Literal

from trajwiki.archive.export import export_archive
from trajwiki.archive.prov import export_prov
from trajwiki.archive.vault import export_vault
from trajwiki.doctor import carry_out, examine_stored, plan_repairs, scrub_problems, strange_vectors
from trajwiki.domain.claims import statuses_of
from trajwiki.domain.history import Commit, CommitKind
from trajwiki.domain.practice import Practice
from trajwiki.domain.problems import Problem
from trajwiki.domain.state import Change, SpaceState
from trajwiki.erasure import Erasure, Selection, compare, replay, statuses_before
from trajwiki.errors import UnknownItem, UsageError
from trajwiki.handle import Handle
from trajwiki.history import BlameLine, Diff, When, blame, diff
from trajwiki.memory.amendment import PERSON
from trajwiki.practice_doctor import examine_practice
from trajwiki.reembedding import finish, prepare
from trajwiki.retention import Due, Policy, due


class Custody(Handle):
    """What can be done to a space beside telling and asking it."""

    # Taking back.

    def revert(self, n: int, *, with_dependents: bool = False) -> Commit:
        """Take back what a commit did to claims, in a new commit.

        Args:
            n: The commit.
            with_dependents: Also take back later changes of the same claims.

        Raises:
            UnknownItem: There is no such commit.
            UsageError: It did nothing to claims, or later commits changed the same claims.
        """
        info = self._info()
        head = self._memory.store.head(info.id)
        if not 1 <= n <= head:
            raise UnknownItem(f"there is no commit {n}; the newest is {head}")
        done = self._memory.store.dated_ops(info.id)
        statuses = statuses_before(n, done)
        if not statuses:
            raise UsageError(f"commit {n} did nothing to claims; messages are removed with `erase`")
        later = [m for m, ops in done if m > n and any(c in statuses for op in ops for c, _ in statuses_of(op))]
        if later and not with_dependents:
            raise UsageError(f"commits {', '.join(map(str, later))} changed the same claims; add --with-dependents")
        actor, at = PERSON + self._memory.actor, self._memory.clock()
        commit = self._commit(
            info,
            CommitKind.REVERT,
            lambda b: b.take_back(n, statuses, decided_by=actor, at=at),
            note=f"revert of commit {n}",
            arguments={"commit": n},
        )
        return commit or self._nothing_new(info, CommitKind.REVERT)

    def erase(self, selection: Selection, *, dry_run: bool = False) -> Erasure:
        """Erase messages with all that stood on them alone, from every table, freed page and log.

        The history is replayed without them; answers that were kept are dropped, since any may quote them.

        Args:
            selection: Which messages.
            dry_run: Only say what would fall.

        Raises:
            UsageError: The selection says nothing, or names an unknown message.
        """
        info, memory = self._info(), self._memory
        with memory.locked(info.id), memory.dropped_on_error(info.id), memory.store.exclusive(info.id) as writing:
            before = self._builder(info, writing).live.state
            erased = selection.of(before)
            builder = memory.builder(info.id, memory.build(info.id, Change(), 0))
            dated = replay(writing.commits(), writing.told(), frozenset(m.id for m in erased), builder)
            found = compare(erased, before, builder.live.state)
            if dry_run or not erased:
                return found
            writing.rewrite(dated)
            writing.keep_replies(builder.asker.used if builder.asker else ())
            writing.forget_use([m.source_ref for m in erased])
            arguments = {"erased": found.counts}
            at = memory.clock()
            note = f"erased {len(erased)} messages"
            writing.write(Change(), Commit(writing.head + 1, at, memory.actor, CommitKind.ERASE, note, {}, arguments))
        memory.forget(info.id)
        return replace(found, at=at, by=memory.actor, scrubbed=memory.store.scrub())

    def retain(
        self, policy: Policy, *, dry_run: bool = True, archive: str | Path | None = None
    ) -> tuple[list[Due], Erasure | None]:
        """Erase what a retention policy means.

        Args:
            policy: See `retention.read_policy`.
            dry_run: Only say what it means and what would fall.
            archive: Where to export the space before messages of a rule that archives are erased.

        Returns:
            What each rule means, and what falls; None when nothing is meant.

        Raises:
            UsageError: A rule archives and no place was given, or there is a file already.
        """
        found = due(policy, self.state(), self._memory.store.used(self._info().id), self._memory.clock())
        refs = tuple(ref for d in found for ref in d.refs)
        if not refs:
            return found, None
        if not dry_run and any(d.refs and d.rule.action == "archive" for d in found):
            if archive is None:
                raise UsageError("a rule of the policy archives: say where with --archive-to FILE")
            self.export(archive)
        return found, self.erase(Selection(refs=refs), dry_run=dry_run)

    # Looking back.

    def state(
        self,
        *,
        as_of: When | None = None,
        heard_until: datetime | None = None,
        valid_at: datetime | None = None,
    ) -> SpaceState:
        """Give the state at the newest commit, or as seen from another time (see views). It must not be changed."""
        with self._reading(as_of, heard_until=heard_until, valid_at=valid_at) as live:
            return live.state

    def show(self, n: int) -> tuple[Commit, Diff]:
        """Give a commit with what it changed. Raises UnknownItem."""
        info = self._info()
        head = self._memory.store.head(info.id)
        if not 1 <= n <= head:
            raise UnknownItem(f"there is no commit {n}; the newest is {head}")
        commit = next(c for c in self._memory.store.commits(info.id, limit=head - n + 1) if c.n == n)
        return commit, self.diff(n - 1, n)

    def diff(self, before: When, after: When) -> Diff:
        """Give what changed between two commits or moments. Raises UnknownItem, or UsageError when out of order."""
        info = self._info()
        a, b = self._commit_of(info, before), self._commit_of(info, after)
        if a > b:
            raise UsageError(f"commit {a} comes after commit {b}")
        change, _ = self._memory.store.load(info.id, after=a, upto=b)
        return diff(change, self.state(as_of=a), self.state(as_of=b))

    def blame(self, what: str) -> list[BlameLine]:
        """Say which commit, messages and words a claim or each line of a page comes from. Raises UnknownItem."""
        return blame(what, self.state(), self._memory.store.snapshot_commits(self._info().id))

    def log(self, *, limit: int | None = None) -> list[Commit]:
        """List commits, newest first."""
        return self._memory.store.commits(self._info().id, limit=limit)

    def examine(self) -> list[Problem]:
        """Check the space against itself, freshly read; gives what is wrong. Raises UnknownSpace."""
        info = self._info()
        store = self._memory.store
        found = examine_stored(store, info, embedder=self._memory.local_embedder(info))
        practice = Practice()
        practice.apply(store.load_practice(info.id)[0])
        found += examine_practice(practice, dimension=info.dimension)
        return found + scrub_problems(store.pending_scrubs())

    def repair(self) -> tuple[list[str], list[str]]:
        """Mend what can be mended without guessing: statuses from operations, vectors from texts, a scrub that waits.

        Returns:
            What was done, and what could not be done now because a reader is in the way.
        """
        memory, info = self._memory, self._info()
        with memory.locked(info.id):
            change, head = memory.store.load(info.id)
            state = SpaceState()
            state.apply(change)
            state.head = head
            embedder = memory.local_embedder(info)
            plan = plan_repairs(
                state,
                memory.store.stored_status(info.id),
                pending_scrubs=memory.store.pending_scrubs(),
                strange=strange_vectors(state, embedder) if embedder else None,
            )
            left = carry_out(plan, memory.store, info, state, memory.embedder) if plan else []
            memory.forget(info.id)
        return [r.what for r in plan if r not in left], [r.what for r in left]

    def export(
        self, path: str | Path, *, format: Literal["archive", "vault", "prov"] = "archive", force: bool = False
    ) -> dict[str, int]:
        """Write the space to a file or folder, and give counts of what was written.

        Args:
            path: The file or, for a vault, the folder.
            format: A lossless archive, a Markdown vault, or W3C PROV-JSON.
            force: vault: write into a folder that holds something else.

        Raises:
            UnknownSpace: It is not there.
            UsageError: The file is there already, or the folder holds something else.
        """
        database = self._memory.database
        if format == "archive":
            return export_archive(database, self.name, path).rows()
        if format == "prov":
            return export_prov(database, self.name, path)
        if format == "vault":
            written = export_vault(database, self.name, path, force=force)
            return {"written": written.written, "unchanged": written.unchanged, "removed": written.removed}
        raise UsageError(f"format is archive, vault or prov, not {format!r}")

    # Changing the embedder.

    def reembed(self, *, progress: Callable[[int, int], None] | None = None) -> Commit:
        """Make the vectors of the space anew with the memory's embedder, for now and for every commit of the past.

        What was done is kept when it is interrupted; the next call goes on from there.

        Args:
            progress: Called with commits done and their number.

        Returns:
            The commit that put them in place; its counts are empty when they were of this embedder already.
        """
        memory, info = self._memory, self._info()
        embedder = memory.embedder
        if (info.embedder, info.dimension) == (embedder.name, embedder.dimension):
            return self._nothing_new(info, CommitKind.REEMBED)
        with memory.locked(info.id):
            prepare(memory.store, info.id, embedder, progress=progress)
            with memory.store.exclusive(info.id) as writing:
                staged = finish(writing, embedder)
                note = f"vectors of {embedder.name} in the place of those of {info.embedder}"
                arguments = {"embedder": embedder.name, "dimension": embedder.dimension, "before": info.embedder}
                counts = {"vectors": staged}
                at = memory.clock()
                commit = Commit(writing.head + 1, at, memory.actor, CommitKind.REEMBED, note, counts, arguments)
                writing.write(Change(), commit)
            memory.forget(info.id)
        return commit
