"""Looking from another time, other vectors, and the awaited mirror."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path

import numpy as np
import pytest

import trajwiki
from tests.states import differences
from trajwiki import Memory, NewMessage, Settings, Space, aio, reembedding
from trajwiki.errors import EmbedderMismatch, UsageError
from trajwiki.models.wordllama import WordLlamaEmbedder


class HashEmbedder:
    """Another embedder: words hashed to 24 dimensions."""

    name = "hash-24"
    dimension = 24

    def __init__(self, *, fails_after: int | None = None) -> None:
        self.texts = 0
        self._fails_after = fails_after

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        out = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for row, text in zip(out, texts, strict=True):
            self.texts += 1
            if self._fails_after is not None and self.texts > self._fails_after:
                raise KeyboardInterrupt
            for word in text.lower().split():
                row[blake2b(word.encode(), digest_size=2).digest()[0] % self.dimension] += 1
            row /= max(float(np.linalg.norm(row)), 1e-9)
        return out


def _said(n: int, text: str, when: str, speaker: str = "Ana") -> NewMessage:
    return NewMessage(speaker=speaker, text=text, sent_at=datetime.fromisoformat(when), source_ref=f"m{n}")


MOVED = [
    _said(1, "I live in Lisbon.", "2023-01-10T10:00:00+00:00"),
    _said(2, "Nice, the light there is lovely.", "2023-01-10T10:01:00+00:00", "Bo"),
    _said(3, "I work at Acme Tools as a welder.", "2023-02-10T10:00:00+00:00"),
    _said(4, "Welding sounds hard.", "2023-02-10T10:01:00+00:00", "Bo"),
    _said(5, "I moved to Porto last week, I live in Porto now.", "2023-06-20T10:00:00+00:00"),
    _said(6, "Porto is grand!", "2023-06-20T10:01:00+00:00", "Bo"),
]


def _current(space: Space, facet: str, **view: datetime) -> set[str]:
    state = space.state(**view)  # type: ignore[arg-type]
    claims = (c for c in state.claims.values() if c.facet and c.facet.name == facet and state.is_current(c.id))
    return {c.facet.value for c in claims if c.facet}


def _day(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def test_the_three_questions_about_the_past_differ(memory: Memory) -> None:
    space = memory.space("s")
    for message in MOVED:  # told in 2023, and heard of only today
        space.add([message])
    space.flush()
    assert _current(space, "lives_in") == {"Porto"}
    assert _current(space, "lives_in", valid_at=_day("2023-03-01")) == {"Lisbon"}
    assert _current(space, "lives_in", valid_at=_day("2023-07-01")) == {"Porto"}
    assert _current(space, "lives_in", heard_until=_day("2023-03-01")) == {"Lisbon"}
    assert not space.state(as_of=_day("2023-03-01")).messages  # nothing had been heard of by this memory then
    assert "Porto" not in space.recall("Where does Ana live?", heard_until=_day("2023-03-01")).context


def test_heard_until_is_the_memory_of_what_was_said_until_then(memory: Memory, sample: list[NewMessage]) -> None:
    """At the end of any day of the conversation it holds what a memory holds that was told no more."""
    whole = memory.create_space("whole", id="space_same")
    whole.add(sample)
    whole.flush()
    days = sorted({m.sent_at.date() for m in sample if m.sent_at})
    for number, day in enumerate(days[2:9:3]):
        until = datetime(day.year, day.month, day.day, 23, 59, tzinfo=UTC)
        told = [m for m in sample if m.sent_at and m.sent_at <= until]
        with Memory.open(
            Path(memory.database.path or "").with_name(f"part{number}.db"),
            settings=Settings(),
            embedder=memory.embedder,
        ) as other:
            part = other.create_space("part", id="space_same")
            part.add(told)
            part.flush()
            seen, built = whole.state(heard_until=until), part.state()
        assert seen.messages == built.messages
        assert set(seen.claims) == set(built.claims)
        assert seen.status == built.status
        later = {m.text for m in sample if m.sent_at and m.sent_at > until and len(m.text) > 25}
        texts = " ".join(
            [v[-1].summary for v in seen.versions.values()] + [b.text for p in seen.bullets.values() for b in p]
        )
        assert not [t for t in later if t in texts]


def test_a_time_without_zone_is_refused(memory: Memory) -> None:
    space = memory.space("s")
    space.add(MOVED)
    with pytest.raises(UsageError, match="zone"):
        space.recall("where", heard_until=datetime(2023, 1, 1))


def test_reembedding_serves_now_and_the_past_and_goes_on(
    tmp_path: Path, embedder: WordLlamaEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reembedding, "BATCH", 1)  # what is done is kept after every commit
    path = tmp_path / "m.db"
    with Memory.open(path, settings=Settings(), embedder=embedder) as memory:
        space = memory.space("s")
        for message in MOVED:
            space.add([message])
        space.flush()
        before = space.state()
    with (
        Memory.open(path, settings=Settings(), embedder=HashEmbedder()) as memory,
        pytest.raises(EmbedderMismatch, match="reembed"),
    ):
        memory.space("s").recall("Where does Ana live?")
    with (
        Memory.open(path, settings=Settings(), embedder=HashEmbedder(fails_after=9)) as memory,
        pytest.raises(KeyboardInterrupt),
    ):
        memory.space("s").reembed()
    with Memory.open(path, settings=Settings(), embedder=embedder) as memory:  # nothing has changed yet
        assert memory.space("s").recall("Where does Ana live?").evidence
    with Memory.open(path, settings=Settings(), embedder=HashEmbedder()) as memory:
        space = memory.space("s")
        commit = space.reembed()
        assert 0 < memory.embedder.texts < commit.counts["vectors"]  # the rest was made before the interruption
        assert {v.shape for kind in space.state().vectors.values() for v in kind.values()} == {(24,)}
        assert not [d for d in differences(before, space.state()) if "vector" not in d and "head" not in d]
        assert space.recall("Where does Ana live?", as_of=2).evidence
        assert not space.examine()
        assert space.reembed().counts == {}  # nothing left to do
        one = space.state().vectors["message"]
        text = {m.id: m.content for m in space.state().messages.values()}
        assert all(np.allclose(one[i], memory.embedder.embed([text[i]])[0], atol=1e-6) for i in one)


@pytest.mark.parametrize(("mirror", "kind"), [(aio.Space, trajwiki.Space), (aio.Memory, trajwiki.Memory)])
def test_the_awaited_mirror_has_every_public_name(mirror: type, kind: type) -> None:
    names = aio.mirrored(kind)
    assert names <= set(dir(mirror(None)))
    assert {"recall", "ask", "add", "erase"} <= aio.mirrored(trajwiki.Space)


def test_awaited_calls_do_the_same(tmp_path: Path, embedder: WordLlamaEmbedder) -> None:
    async def told() -> str:
        async with await aio.Memory.open(tmp_path / "a.db", settings=Settings(), embedder=embedder) as memory:
            space = memory.space("s")
            await asyncio.gather(*(space.add([replace(m, session=str(n))]) for n, m in enumerate(MOVED)))
            await space.flush()
            assert len((await space.state()).messages) == len(MOVED)
            return (await space.recall("Where does Ana work?")).context

    assert "Acme" in asyncio.run(told())
