"""Between records and rows: one codec a kind of record, listed at the end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

import numpy as np
import sqlalchemy as sa

from trajwiki.domain.claims import Claim, ClaimKind, ClaimOp, ClaimSource, Facet, Op, Quote, Status
from trajwiki.domain.messages import Message, Role
from trajwiki.domain.snapshots import ClosedBy, Exchange, Features, Snapshot
from trajwiki.domain.state import Vector
from trajwiki.domain.times import Precision, TimeSpan
from trajwiki.domain.trajectories import Member, Trajectory, TrajectoryVersion
from trajwiki.domain.wiki import Bullet, Page, PageLink, PageType, Section
from trajwiki.store import tables

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Codec:
    """How a field of Change is stored.

    Attributes:
        field: Name of the field in Change.
        table: Where.
        to_row: Record to row, without space_id and since.
        from_row: Row to record.
        order: Columns that give the order in which the records came about.
        ended: Name of the field of Change that names the records that end, if they can.
        end_key: For an element of `ended`: the key columns to find the row by.
    """

    field: str
    table: sa.Table
    to_row: Callable[[Any], Row]
    from_row: Callable[[Any], Any]
    order: tuple[str, ...]
    ended: str | None = None
    end_key: Callable[[Any], Row] | None = None


def _message_row(m: Message) -> Row:
    return {
        "id": m.id,
        "revision": m.revision,
        "ordinal": m.ordinal,
        "source_ref": m.source_ref,
        "source": m.source,
        "session": m.session,
        "speaker": m.speaker,
        "role": m.role.value,
        "text": m.text,
        "caption": m.caption,
        "sent_at": m.sent_at,
        "metadata": dict(m.metadata),
    }


def _message(r: Any) -> Message:
    return Message(
        id=r.id,
        ordinal=r.ordinal,
        source_ref=r.source_ref,
        source=r.source,
        session=r.session,
        speaker=r.speaker,
        role=Role(r.role),
        text=r.text,
        caption=r.caption,
        sent_at=r.sent_at,
        revision=r.revision,
        metadata=r._mapping["metadata"],
    )


def _exchange_row(e: Exchange) -> Row:
    return {
        "id": e.id,
        "ordinal": e.ordinal,
        "session": e.session,
        "message_ids": list(e.message_ids),
        "closed_by": e.closed_by.value,
    }


def _exchange(r: Any) -> Exchange:
    return Exchange(r.id, r.ordinal, r.session, tuple(r.message_ids), ClosedBy(r.closed_by))


def _features_json(f: Features) -> Row:
    return {
        "keywords": sorted(f.keywords),
        "entities": sorted(f.entities),
        "terms": sorted(f.terms),
        "facets": sorted([facet.name, facet.value] for facet in f.facets),
    }


def _features(data: Row) -> Features:
    return Features(
        keywords=frozenset(data["keywords"]),
        entities=frozenset(data["entities"]),
        terms=frozenset(data["terms"]),
        facets=frozenset(Facet(name, value) for name, value in data["facets"]),
    )


def _snapshot_row(s: Snapshot) -> Row:
    return {
        "id": s.id,
        "ordinal": s.ordinal,
        "exchange_id": s.exchange_id,
        "message_ids": list(s.message_ids),
        "summary": s.summary,
        "context": s.context,
        "features": _features_json(s.features),
        "claim_ids": list(s.claim_ids),
    }


def _snapshot(r: Any) -> Snapshot:
    return Snapshot(
        id=r.id,
        ordinal=r.ordinal,
        exchange_id=r.exchange_id,
        message_ids=tuple(r.message_ids),
        summary=r.summary,
        context=r.context,
        features=_features(r.features),
        claim_ids=tuple(r.claim_ids),
    )


def _claim_row(c: Claim) -> Row:
    return {
        "id": c.id,
        "ordinal": c.ordinal,
        "text": c.text,
        "subject": c.subject,
        "kind": c.kind.value,
        "facet": c.facet.name if c.facet else None,
        "value": c.facet.value if c.facet else None,
        "valid_start": str(c.valid.start) if c.valid and c.valid.start else None,
        "valid_end": str(c.valid.end) if c.valid and c.valid.end else None,
        "precision": c.valid.precision.value if c.valid else None,
        "entities": list(c.entities),
        "terms": list(c.terms),
        "negated": c.negated,
        "instruction_like": c.instruction_like,
    }


def _claim(r: Any) -> Claim:
    valid = None
    if r.precision is not None:
        start = date.fromisoformat(r.valid_start) if r.valid_start else None
        end = date.fromisoformat(r.valid_end) if r.valid_end else None
        valid = TimeSpan(start, end, Precision(r.precision))
    return Claim(
        id=r.id,
        ordinal=r.ordinal,
        text=r.text,
        subject=r.subject,
        kind=ClaimKind(r.kind),
        facet=Facet(r.facet, r.value) if r.facet is not None else None,
        valid=valid,
        entities=tuple(r.entities),
        terms=tuple(r.terms),
        negated=r.negated,
        instruction_like=r.instruction_like,
    )


def _source_row(s: ClaimSource) -> Row:
    return {
        "claim_id": s.claim_id,
        "snapshot_id": s.snapshot_id,
        "message_id": s.quote.message_id,
        "start": s.quote.start,
        "quote": s.quote.text,
        "ordinal": s.ordinal,
    }


def _source(r: Any) -> ClaimSource:
    return ClaimSource(r.claim_id, r.ordinal, r.snapshot_id, Quote(r.message_id, r.quote, r.start))


def _op_row(o: ClaimOp) -> Row:
    return {
        "id": o.id,
        "ordinal": o.ordinal,
        "op": o.op.value,
        "claim_id": o.claim_id,
        "status": o.status.value,
        "replaces": o.replaces,
        "cause": o.cause,
        "decided_by": o.decided_by,
        "reason": o.reason,
        "heard_at": o.heard_at,
    }


def _op(r: Any) -> ClaimOp:
    return ClaimOp(
        id=r.id,
        ordinal=r.ordinal,
        op=Op(r.op),
        claim_id=r.claim_id,
        status=Status(r.status),
        replaces=r.replaces,
        cause=r.cause,
        decided_by=r.decided_by,
        reason=r.reason,
        heard_at=r.heard_at,
    )


def _member_row(m: Member) -> Row:
    return {
        "trajectory_id": m.trajectory_id,
        "ordinal": m.ordinal,
        "snapshot_id": m.snapshot_id,
        "score": m.score,
        "decided_by": m.decided_by,
    }


def _version_row(v: TrajectoryVersion) -> Row:
    return {"trajectory_id": v.trajectory_id, "ordinal": v.ordinal, "title": v.title, "summary": v.summary}


def _page_row(p: Page) -> Row:
    return {"id": p.id, "slug": p.slug, "type": p.type.value, "seed": p.seed}


def _link_row(link: PageLink) -> Row:
    return {"page_id": link.page_id, "trajectory_id": link.trajectory_id}


def _bullet_row(b: Bullet) -> Row:
    return {
        "page_id": b.page_id,
        "section": b.section.value,
        "ordinal": b.ordinal,
        "text": b.text,
        "claim_ids": list(b.claim_ids),
        "trajectory_id": b.trajectory_id,
    }


def _bullet(r: Any) -> Bullet:
    return Bullet(r.page_id, Section(r.section), r.ordinal, r.text, tuple(r.claim_ids), r.trajectory_id)


def _bullet_key(b: Bullet) -> Row:
    return {"page_id": b.page_id, "section": b.section.value, "ordinal": b.ordinal}


# In the order in which a state applies them.
CODECS: Final = (
    Codec("messages", tables.message, _message_row, _message, ("ordinal", "revision")),
    Codec("exchanges", tables.exchange, _exchange_row, _exchange, ("ordinal",)),
    Codec("snapshots", tables.snapshot, _snapshot_row, _snapshot, ("ordinal",)),
    Codec("claims", tables.claim, _claim_row, _claim, ("ordinal",)),
    Codec("sources", tables.claim_source, _source_row, _source, ("ordinal",)),
    Codec("ops", tables.claim_op, _op_row, _op, ("ordinal",)),
    Codec(
        "trajectories",
        tables.trajectory,
        lambda t: {"id": t.id, "ordinal": t.ordinal, "continues": t.continues},
        lambda r: Trajectory(r.id, r.ordinal, r.continues),
        ("ordinal",),
    ),
    Codec(
        "members",
        tables.trajectory_member,
        _member_row,
        lambda r: Member(r.trajectory_id, r.ordinal, r.snapshot_id, r.score, r.decided_by),
        ("since", "trajectory_id", "ordinal"),
    ),
    Codec(
        "versions",
        tables.trajectory_version,
        _version_row,
        lambda r: TrajectoryVersion(r.trajectory_id, r.ordinal, r.title, r.summary),
        ("trajectory_id", "ordinal", "since"),
    ),
    Codec(
        "pages",
        tables.page,
        _page_row,
        lambda r: Page(r.id, r.slug, PageType(r.type), r.seed),
        ("since", "id"),
        "ended_pages",
        lambda page_id: {"id": page_id},
    ),
    Codec(
        "links",
        tables.page_link,
        _link_row,
        lambda r: PageLink(r.page_id, r.trajectory_id),
        ("since", "page_id", "trajectory_id"),
        "ended_links",
        _link_row,
    ),
    Codec(
        "bullets",
        tables.page_bullet,
        _bullet_row,
        _bullet,
        ("since", "page_id", "section", "ordinal"),
        "ended_bullets",
        _bullet_key,
    ),
    Codec(
        "vectors",
        tables.vector,
        lambda v: {"kind": v.kind, "item_id": v.item_id, "data": v.data.astype("<f4").tobytes()},
        lambda r: Vector(r.kind, r.item_id, np.frombuffer(r.data, dtype="<f4")),
        ("since", "kind", "item_id"),
    ),
)
