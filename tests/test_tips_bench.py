"""Tips from recorded runs of an airline's agent: nobody's data, and guidelines that name what a failure lacks."""

from __future__ import annotations

from pathlib import Path

import pytest

from trajwiki.evaluation.tips import leaking, run_tips
from trajwiki.models.wordllama import WordLlamaEmbedder


@pytest.fixture(scope="module")
def recorded(shared: Path) -> Path:
    file = shared / "runs" / "tau_bench" / "airline-dev.json"
    if not file.is_file():
        pytest.skip("the recorded airline runs are not here")
    return file


def test_no_tip_of_recorded_runs_holds_anybodys_data(recorded: Path, embedder: WordLlamaEmbedder) -> None:
    report, text, lines, sample = run_tips(recorded, embedder=embedder, budgets=(300,), limit=6)
    assert report["leaks"] == [] and report["tips"] > 50
    assert len(sample) == 60 and lines and "named" in text
    ours = [x for x in lines if x["way"] == "guidelines"]
    raw = [x for x in lines if x["way"] != "guidelines"]
    assert all(x["words"] <= 300 for x in lines)
    assert sum(bool(x["named"]) for x in ours) / len(ours) > sum(bool(x["named"]) for x in raw) / len(raw)


def test_the_search_for_data_finds_it() -> None:
    from tests.tip_runs import recovering, tip

    one = recovering()
    spoken = [tip(str(n), f"Do it as for {word}.") for n, word in enumerate(("Ottilie", "W9034", "card_88213", "84.5"))]
    assert {x["value"] for x in leaking(spoken, [one])} == {"Ottilie", "W9034", "card_88213", "84.5"}
    assert leaking([tip("x", "Call `get_account` before `refund_order`.")], [one]) == []
