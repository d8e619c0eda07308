"""JSON of the server as the values that the embedded memory gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from trajwiki.archive.load import Imported
from trajwiki.domain.answers import Answer, AnswerType, SupportingFact
from trajwiki.domain.evidence import Evidence, Recall, Scored
from trajwiki.domain.history import Commit, CommitKind
from trajwiki.domain.messages import Message, Role
from trajwiki.domain.problems import Problem
from trajwiki.erasure import Erasure
from trajwiki.history import BlameLine, BlameSource, Diff
from trajwiki.store.spaces import SpaceInfo

Row = Mapping[str, Any]


def space_info(row: Row) -> SpaceInfo:
    """Read a space."""
    created = datetime.fromisoformat(row["created"])
    return SpaceInfo(row["id"], row["name"], created, row["embedder"], row["dimension"], row["commits"])


def problems(rows: Sequence[Row]) -> list[Problem]:
    """Read problems."""
    return [Problem(r["code"], r["message"], r["where"]) for r in rows]


def commit(row: Row) -> Commit:
    """Read a commit."""
    at = datetime.fromisoformat(row["at"])
    kind = CommitKind(row["kind"])
    return Commit(row["n"], at, row["actor"], kind, row["note"], dict(row["counts"]), dict(row["arguments"]))


def recall(row: Row) -> Recall:
    """Read a recall."""
    return Recall(
        question=row["question"],
        space=row["space"],
        budget=row["budget"],
        tokens=row["tokens"],
        context=row["context"],
        evidence=tuple(_evidence(e) for e in row["evidence"]),
        pages=_scored(row["pages"], "slug"),
        trajectories=_scored(row["trajectories"], "id"),
        candidates=row["candidates"],
        dropped=tuple(row["dropped"]),
        problems=tuple(problems(row["problems"])),
        timings_ms=dict(row["timings_ms"]),
    )


def answer(row: Row) -> Answer:
    """Read an answer."""
    return Answer(
        id=row["id"],
        question=row["question"],
        answered=row["answered"],
        type=AnswerType(row["type"]),
        text=row["text"],
        abstain_reason=row["abstain_reason"],
        refs=tuple(row["refs"]),
        facts=tuple(SupportingFact(**f) for f in row["facts"]),
        counted=tuple(row["counted"]),
        excluded=tuple(row["excluded"]),
        anchors=tuple(row["anchors"]),
        uncertainties=tuple(row["uncertainties"]),
        how=dict(row["how"]),
        pages=_scored(row["pages"], "slug"),
        trajectories=_scored(row["trajectories"], "id"),
        problems=tuple(problems(row["problems"])),
    )


def message(row: Row, ordinal: int) -> Message:
    """Read a message; its place is that in the list it came in."""
    return Message(
        id=row["message_id"],
        ordinal=ordinal,
        source_ref=row["source_ref"],
        source=row["source"],
        session=row["session"],
        speaker=row["speaker"],
        role=Role(row["role"]),
        text=row["text"],
        caption=row["caption"],
        sent_at=time(row["timestamp"]),
        revision=row["revision"],
        metadata=dict(row["metadata"]),
    )


def diff(row: Row) -> Diff:
    """Read what changed."""
    return Diff(
        before=row["before"],
        after=row["after"],
        messages=tuple(row["messages"]),
        added=tuple((r["claim_id"], r["text"]) for r in row["added"]),
        revised=tuple((r["old"], r["new"], r["reason"]) for r in row["revised"]),
        deprecated=tuple((r["text"], r["reason"]) for r in row["deprecated"]),
        other=tuple((r["text"], r["status"], r["reason"]) for r in row["other"]),
        grown=tuple((r["trajectory"], r["snapshots"]) for r in row["grown"]),
        bullets_gone=tuple((r["page"], r["text"]) for r in row["bullets_gone"]),
        bullets_new=tuple((r["page"], r["text"]) for r in row["bullets_new"]),
    )


def blame(row: Row) -> list[BlameLine]:
    """Read where lines come from."""
    return [
        BlameLine(
            line["text"],
            tuple(BlameSource(**{**source, "sent_at": time(source["sent_at"])}) for source in line["sources"]),
        )
        for line in row["lines"]
    ]


def erasure(row: Row) -> Erasure:
    """Read what an erasure does, or did."""
    return Erasure(
        messages=tuple(row["messages"]),
        claims=tuple(row["claims"]),
        kept=tuple(row["kept"]),
        changed=tuple(row["changed"]),
        counts=dict(row["counts"]),
        at=time(row["at"]),
        by=row["by"],
        scrubbed=row["scrubbed"],
    )


def imported(row: Row, space: SpaceInfo) -> Imported:
    """Read what an archive brought."""
    return Imported(space, dict(row["counts"]), tuple(problems(row["problems"])))


def time(text: str | None) -> datetime | None:
    """Read a time that may be unknown."""
    return None if text is None else datetime.fromisoformat(text)


def _evidence(row: Row) -> Evidence:
    given = {**row, "timestamp": time(row["timestamp"]), "claim_ids": tuple(row["claim_ids"])}
    return Evidence(**given)


def _scored(rows: Sequence[Row], key: str) -> tuple[Scored, ...]:
    return tuple(Scored(r[key], r["title"], r["score"]) for r in rows)
