"""The analysis of one finished run by rule."""

from __future__ import annotations

from trajwiki.domain.runs import Analysis, Run
from trajwiki.tips.attribution import attribute
from trajwiki.tips.dependencies import links
from trajwiki.tips.ending import ending_of, inferred_outcome
from trajwiki.tips.findings import calls_of, find_all
from trajwiki.tips.subtasks import segment
from trajwiki.tips.thoughts import categorise

__all__ = ["analyse", "inferred_outcome"]


def analyse(run: Run) -> Analysis:
    """Find what a run shows and why it ended so; the same run gives the same analysis."""
    calls = calls_of(run)
    findings = find_all(run, calls)
    return Analysis(
        run_id=run.id,
        thoughts=categorise(run),
        findings=findings,
        attributions=attribute(run, calls, findings, links(run), ending_of(run)),
        subtasks=segment(run, calls),
    )
