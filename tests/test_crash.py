"""Memory survives kill -9: some points of the harness that `make crash` runs at length. F27 and F35 of the reports."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from benchmarks import crash
from tests.random_histories import FIXED
from tests.states import differences
from trajwiki import Memory, NewMessage, Settings
from trajwiki.models.wordllama import WordLlamaEmbedder
from trajwiki.store.spaces import Writing

SCRIPT = Path(__file__).parent / "ingest_sample.py"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a system that can fork")
def test_memory_survives_a_kill_at_any_point() -> None:
    """Ingest, into a new file too, revert, erase, import, re-embedding: four points of each."""
    assert crash.run(24, size=12, seed=3) == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a system that can fork")
def test_the_harness_sees_what_does_not_survive(monkeypatch: pytest.MonkeyPatch) -> None:
    """An erasure that is written in two transactions instead of one."""
    whole = Writing.rewrite

    def torn(self: Writing, dated: Any) -> None:
        whole(self, dated[:2])
        self._c.exec_driver_sql("COMMIT")
        self._c.exec_driver_sql("BEGIN IMMEDIATE")
        whole(self, dated)

    monkeypatch.setattr(Writing, "rewrite", torn)
    keep = crash.jobs
    monkeypatch.setattr(crash, "jobs", lambda *given: [job for job in keep(*given) if job.name == "erase"])
    assert crash.run(6, size=12) != []


def test_f35_the_other_process_goes_on_when_one_is_killed(
    tmp_path: Path, embedder: WordLlamaEmbedder, sample: list[NewMessage]
) -> None:
    """F27 and F35: killed in the middle of an ingest, while this process writes to another space of the same file."""
    path = tmp_path / "memory.db"
    with Memory.open(path, settings=Settings(), embedder=embedder) as memory:
        env = {**os.environ, "PYTHONPATH": str(SCRIPT.parent.parent)}
        other = subprocess.Popen([sys.executable, str(SCRIPT), str(path), FIXED], env=env)
        mine = memory.space("mine")
        told = 0
        deadline = time.monotonic() + 60
        while not (found := memory.store.find("sample")) or found.head < 4:
            assert other.poll() is None and time.monotonic() < deadline
            mine.add(sample[told : told + 1])
            told += 1
        other.send_signal(signal.SIGKILL)
        other.wait()
        mine.add(sample)
        mine.flush()
        space = memory.space("sample")
        assert 0 < len(space.state().messages) <= len(sample)  # on a busy machine it may have got to the end
        assert memory.integrity() == []
        for start in range(0, len(sample), 20):  # as the script does it, from the beginning
            space.add(sample[start : start + 20])
        space.flush()
        undisturbed = Memory.open(tmp_path / "undisturbed.db", settings=Settings(), embedder=embedder)
        with undisturbed:
            whole = undisturbed.create_space("sample", id=FIXED)
            whole.add(sample)
            whole.flush()
            assert differences(space.state(), whole.state()) == []
        assert len(mine.state().messages) == len(sample)
        assert space.examine() == mine.examine() == []
