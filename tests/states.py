"""What makes two memories the same: everything but commit numbers and times."""

from __future__ import annotations

from typing import Any

from trajwiki.domain.state import SpaceState


def essence(state: SpaceState) -> dict[str, Any]:
    """Give all that a space believes, in comparable form."""
    return {
        "messages": list(state.messages.values()),
        "exchanges": list(state.exchanges.values()),
        "snapshots": list(state.snapshots.values()),
        "claims": list(state.claims.values()),
        "sources": {k: list(v) for k, v in sorted(state.sources.items())},
        "status": dict(sorted(state.status.items())),
        "ops": state.ops,
        "trajectories": list(state.trajectories.values()),
        "members": dict(sorted(state.members.items())),
        "versions": dict(sorted(state.versions.items())),
        "pages": sorted(state.pages.values(), key=lambda p: p.id),
        "links": {k: sorted(v) for k, v in sorted(state.links.items()) if v},
        "bullets": {k: list(v) for k, v in sorted(state.bullets.items()) if v},
        "vectors": {kind: {k: v.tobytes() for k, v in sorted(vs.items())} for kind, vs in state.vectors.items()},
    }


def differences(a: SpaceState, b: SpaceState) -> list[str]:
    """Name the parts in which two states differ, with the first difference of each."""
    left, right = essence(a), essence(b)
    out = []
    for name in left:
        if left[name] == right[name]:
            continue
        out.append(f"{name}: {_first(left[name], right[name])}")
    return out


def _first(a: Any, b: Any) -> str:
    if isinstance(a, dict):
        for key in sorted(a.keys() | b.keys()):
            if a.get(key) != b.get(key):
                return f"[{key}] {_first(a.get(key), b.get(key))}"
    if isinstance(a, list) and isinstance(b, list):
        for n, (x, y) in enumerate(zip(a, b, strict=False)):
            if x != y:
                return f"#{n}: {x!r} != {y!r}"
        return f"lengths {len(a)} != {len(b)}"
    return f"{a!r:.300} != {b!r:.300}"
