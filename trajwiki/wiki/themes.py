"""What a shard is about: the phrases that tell it from its siblings, chosen when it begins."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from trajwiki.domain.state import SpaceState
from trajwiki.language.tokens import keywords, stem, words
from trajwiki.memory.digests import month_text, period
from trajwiki.wiki.index import DECIMALS, WikiIndex
from trajwiki.wiki.phrases import Phrase, telling
from trajwiki.wiki.seeds import Seed

THEME_PHRASES: Final = 2
SECOND: Final = 0.5  # how good a second phrase must be beside the first
LONGER: Final = 0.25  # how much more each further word of a phrase says


def choose_theme(state: SpaceState, index: WikiIndex, seed: Seed, trajectory_ids: Sequence[str]) -> tuple[str, ...]:
    """Give one or two phrases that many of these trajectories share and few others have; none if there is nothing.

    Args:
        state: The space.
        index: Of the same state.
        seed: Of the page; its own words and those of its other pages are avoided.
        trajectory_ids: On the page.
    """
    siblings = [index.seed_of(page_id) for page_id in index.pages.get(seed.base, ())]
    used = {k for sibling in (seed, *siblings) for phrase in sibling.theme for k in keywords(phrase)}
    used |= {seed.key, *keywords(f"{seed.key} {seed.facet}")}
    claimed = [{p for c in state.claims_in(t) for p in index.phrases(c)} for t in trajectory_ids]
    return (
        _best(index, claimed, used)
        or _best(index, [_said(state, t) for t in trajectory_ids], used)
        or _month(state, trajectory_ids)
    )


def _best(index: WikiIndex, held: Sequence[set[Phrase]], used: set[str]) -> tuple[str, ...]:
    """Give the best phrases of these trajectories, each with the phrases it holds."""
    phrases = Counter(p for found in held for p in found)
    shared = Counter(k for found in held for k in {k for _, stems in found for k in stems})
    worth = {
        k: n / len(held) * index.rarity(k) for k, n in shared.items() if k not in used and not index.names_someone(k)
    }
    scores = {
        phrase: round(sum(worth[k] for k in phrase[1]) / len(phrase[1]) * (1 + LONGER * (len(phrase[1]) - 1)), DECIMALS)
        for phrase in phrases
        if all(k in worth for k in phrase[1])
    }
    best = sorted(scores, key=lambda p: (-scores[p], -phrases[p], p))
    chosen: list[Phrase] = []
    for phrase in best:
        apart = all(set(phrase[1]).isdisjoint(other[1]) for other in chosen)
        if apart and scores[phrase] >= SECOND * scores[best[0]] and len(chosen) < THEME_PHRASES:
            chosen.append(phrase)
    return tuple(text for text, _ in chosen)


def written(state: SpaceState, word_stem: str, trajectory_ids: Sequence[str]) -> str:
    """Give the word that most often stands for a stem in the claims of these trajectories."""
    counts = Counter(
        word for t in trajectory_ids for c in state.claims_in(t) for word in words(c.text) if stem(word) == word_stem
    )
    return min(counts, key=lambda w: (-counts[w], w), default=word_stem)


def fit(state: SpaceState, seed: Seed, trajectory_ids: Sequence[str]) -> float:
    """Give the share of the theme's words that these trajectories hold, on average: in [0, 1]."""
    stems = set(keywords(" ".join(seed.theme)))
    if not stems or not trajectory_ids:
        return 0.0
    found = sum(len(stems & state.features[t].keywords) for t in trajectory_ids)
    return round(found / (len(stems) * len(trajectory_ids)), DECIMALS)


def _said(state: SpaceState, trajectory_id: str) -> set[Phrase]:
    """Give the single words that are said, for trajectories without a telling claim."""
    return {
        (word, (stem(word),))
        for snapshot in state.snapshots_in(trajectory_id)
        for word in words(snapshot.summary)
        if telling(word) and stem(word) in snapshot.features.keywords
    }


def _month(state: SpaceState, trajectory_ids: Sequence[str]) -> tuple[str, ...]:
    """Give the month in which it was said, when nothing else tells a shard from others."""
    days = period(state, trajectory_ids)
    return (month_text(days[0]),) if days else ()
