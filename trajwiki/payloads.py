"""What every surface shows of a value, as JSON: documented in docs/json.md, versioned by `schema`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from trajwiki.domain.answers import Answer
from trajwiki.domain.claims import Claim, ClaimOp
from trajwiki.domain.evidence import Evidence, Recall, Scored
from trajwiki.domain.history import Commit
from trajwiki.domain.problems import Problem
from trajwiki.domain.state import SpaceState
from trajwiki.erasure import Erasure
from trajwiki.history import BlameLine, Diff

Payload = dict[str, Any]
VERSION: Final = 1


def recall_payload(recall: Recall, *, qid: str | None = None) -> Payload:
    """Show a recall; `qid` is echoed first where there is one."""
    return {
        **({"qid": qid} if qid is not None else {}),
        "schema": f"trajwiki.recall/{VERSION}",
        "question": recall.question,
        "space": recall.space,
        "budget": recall.budget,
        "tokens": recall.tokens,
        "context": recall.context,
        "evidence": [_evidence(e) for e in recall.evidence],
        "pages": [{"slug": p.id, "title": p.name, "score": p.score} for p in recall.pages],
        "trajectories": _trajectories(recall.trajectories),
        "candidates": recall.candidates,
        "dropped": list(recall.dropped),
        "problems": problem_payloads(recall.problems),
        "timings_ms": recall.timings_ms,
    }


def answer_payload(answer: Answer) -> Payload:
    """Show an answer or abstention."""
    return {
        "schema": f"trajwiki.answer/{VERSION}",
        "id": answer.id,
        "question": answer.question,
        "answered": answer.answered,
        "type": answer.type.value,
        "text": answer.text,
        "abstain_reason": answer.abstain_reason,
        "refs": list(answer.refs),
        "facts": [
            {"claim_id": f.claim_id, "text": f.text, "source_ref": f.source_ref, "quote": f.quote, "status": f.status}
            for f in answer.facts
        ],
        "counted": list(answer.counted),
        "excluded": list(answer.excluded),
        "anchors": list(answer.anchors),
        "uncertainties": list(answer.uncertainties),
        "how": answer.how,
        "pages": [{"slug": p.id, "title": p.name, "score": p.score} for p in answer.pages],
        "trajectories": _trajectories(answer.trajectories),
        "problems": problem_payloads(answer.problems),
    }


def claim_payload(state: SpaceState, claim: Claim) -> Payload:
    """Show a claim with its status, sources and whole history."""
    return {
        "schema": f"trajwiki.claim/{VERSION}",
        "id": claim.id,
        "text": claim.text,
        "status": state.status[claim.id].value,
        "subject": claim.subject,
        "kind": claim.kind.value,
        "facet": {"name": claim.facet.name, "value": claim.facet.value} if claim.facet else None,
        "valid": (
            {"span": claim.valid.iso(), "precision": claim.valid.precision.value} if claim.valid is not None else None
        ),
        "negated": claim.negated,
        "instruction_like": claim.instruction_like,
        "entities": list(claim.entities),
        "terms": list(claim.terms),
        "sources": [_source(state, claim.id, n) for n in range(len(state.sources.get(claim.id, ())))],
        "trajectories": list(
            dict.fromkeys(state.trajectory_of[s.snapshot_id] for s in state.sources.get(claim.id, ()))
        ),
        "history": [_op(state, op) for op in state.ops if claim.id in (op.claim_id, op.replaces)],
    }


def trajectory_payload(state: SpaceState, trajectory_id: str) -> Payload:
    """Show a trajectory: its snapshots in order, with messages, claims and what each changed."""
    version = state.versions[trajectory_id][-1]
    ops_by_cause: dict[str, list[ClaimOp]] = {}
    for op in state.ops:
        ops_by_cause.setdefault(op.cause, []).append(op)
    return {
        "schema": f"trajwiki.trajectory/{VERSION}",
        "id": trajectory_id,
        "title": version.title,
        "continues": state.trajectories[trajectory_id].continues,
        "summary": version.summary,
        "pages": sorted(state.pages[p].slug for p in state.pages_of.get(trajectory_id, ())),
        "snapshots": [
            {
                "id": snapshot.id,
                "context": snapshot.context,
                "score": member.score,
                "decided_by": member.decided_by,
                "messages": [_message(state, i) for i in snapshot.message_ids],
                "claims": [
                    {"id": i, "text": state.claims[i].text, "status": state.status[i].value} for i in snapshot.claim_ids
                ],
                "ops": [_op(state, op) for op in ops_by_cause.get(snapshot.id, ())],
            }
            for member in state.members[trajectory_id]
            for snapshot in (state.snapshots[member.snapshot_id],)
        ],
    }


def commit_payload(commit: Commit) -> Payload:
    """Show a commit."""
    return {
        "schema": f"trajwiki.commit/{VERSION}",
        "n": commit.n,
        "at": commit.at.isoformat(),
        "actor": commit.actor,
        "kind": commit.kind.value,
        "note": commit.note,
        "counts": commit.counts,
        "arguments": commit.arguments,
    }


def diff_payload(found: Diff) -> Payload:
    """Show what changed between two commits."""
    return {
        "schema": f"trajwiki.diff/{VERSION}",
        "before": found.before,
        "after": found.after,
        "messages": list(found.messages),
        "added": [{"claim_id": i, "text": text} for i, text in found.added],
        "revised": [{"old": old, "new": new, "reason": reason} for old, new, reason in found.revised],
        "deprecated": [{"text": text, "reason": reason} for text, reason in found.deprecated],
        "other": [{"text": text, "status": status, "reason": reason} for text, status, reason in found.other],
        "grown": [{"trajectory": title, "snapshots": n} for title, n in found.grown],
        "bullets_gone": [{"page": slug, "text": text} for slug, text in found.bullets_gone],
        "bullets_new": [{"page": slug, "text": text} for slug, text in found.bullets_new],
    }


def erasure_payload(found: Erasure) -> Payload:
    """Show what an erasure does, or did."""
    return {
        "schema": f"trajwiki.erasure/{VERSION}",
        "done": found.at is not None,
        "at": _time(found.at),
        "by": found.by,
        "messages": list(found.messages),
        "claims": list(found.claims),
        "kept": list(found.kept),
        "changed": list(found.changed),
        "counts": found.counts,
        "scrubbed": found.scrubbed,
    }


def blame_payload(what: str, lines: Sequence[BlameLine]) -> Payload:
    """Show where lines come from."""
    return {
        "schema": f"trajwiki.blame/{VERSION}",
        "of": what,
        "lines": [
            {
                "text": line.text,
                "sources": [
                    {
                        "claim_id": s.claim_id,
                        "commit": s.commit,
                        "snapshot_id": s.snapshot_id,
                        "source_ref": s.source_ref,
                        "speaker": s.speaker,
                        "sent_at": _time(s.sent_at),
                        "quote": s.quote,
                    }
                    for s in line.sources
                ],
            }
            for line in lines
        ],
    }


def _evidence(e: Evidence) -> Payload:
    return {
        "source_ref": e.source_ref,
        "message_id": e.message_id,
        "speaker": e.speaker,
        "timestamp": _time(e.timestamp),
        "text": e.text,
        "session": e.session,
        "trajectory_id": e.trajectory_id,
        "snapshot_id": e.snapshot_id,
        "claim_ids": list(e.claim_ids),
        "superseded": e.superseded,
        "score": e.score,
    }


def _source(state: SpaceState, claim_id: str, n: int) -> Payload:
    source = state.sources[claim_id][n]
    return {
        **_message(state, source.quote.message_id),
        "quote": source.quote.text,
        "start": source.quote.start,
        "snapshot_id": source.snapshot_id,
    }


def _message(state: SpaceState, message_id: str) -> Payload:
    message = state.messages[message_id]
    return {
        "source_ref": message.source_ref,
        "message_id": message_id,
        "session": message.session,
        "speaker": message.speaker,
        "timestamp": _time(message.sent_at),
        "text": message.text,
        "caption": message.caption,
    }


def _op(state: SpaceState, op: ClaimOp) -> Payload:
    return {
        "op": op.op.value,
        "claim_id": op.claim_id,
        "claim": state.claims[op.claim_id].text,
        "status": op.status.value,
        "replaces": op.replaces,
        "replaced": state.claims[op.replaces].text if op.replaces else None,
        "cause": op.cause,
        "decided_by": op.decided_by,
        "reason": op.reason,
        "heard_at": _time(op.heard_at),
    }


def _trajectories(scored: Sequence[Scored]) -> list[Payload]:
    return [{"id": t.id, "title": t.name, "score": t.score} for t in scored]


def problem_payloads(problems: Sequence[Problem]) -> list[Payload]:
    """Show problems."""
    return [{"code": p.code, "message": p.message, "where": p.where} for p in problems]


def _time(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None
