"""The calls on a space, as steps. Names and arguments are those of `trajwiki.Space`."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Final, Literal, TypeVar
from urllib.parse import quote

from trajwiki.client import reading
from trajwiki.client.errors import error_of
from trajwiki.client.steps import At, Pause, Request, Steps, ask
from trajwiki.domain.answers import Answer
from trajwiki.domain.evidence import Recall
from trajwiki.domain.history import Commit
from trajwiki.domain.messages import Message, NewMessage
from trajwiki.domain.problems import Problem
from trajwiki.erasure import Erasure, Selection
from trajwiki.errors import UsageError
from trajwiki.history import BlameLine, Diff, When
from trajwiki.memory.intake import check
from trajwiki.payloads import Payload
from trajwiki.settings import Profile

T = TypeVar("T")
Progress = Callable[[int, int], None]

BATCH: Final = 1000  # messages of one request: as many as the embedded memory puts into one commit
BATCH_BYTES: Final = 8 * 2**20
WAITED_FOR: Final = 200  # messages that a request is kept open for; with more the server is asked how far it is
LOOK_S: Final = (0.05, 0.1, 0.2, 0.5, 1.0)  # pauses between two looks at an operation; the last goes on
PAGE: Final = 1000


def segment(text: str) -> str:
    """Give a text as one segment of a path, whatever is in it."""
    encoded = quote(text, safe="")
    return encoded.replace(".", "%2E") if not encoded.strip(".") else encoded


def at_space(at: At, *parts: str | int) -> str:
    """Give the path of something in a space."""
    return "/".join(["/v1/spaces", segment(at.name), *(segment(str(p)) for p in parts)])


# Writing


def add(at: At, messages: Iterable[NewMessage], *, progress: Progress | None = None) -> Steps[Commit]:
    """Remember messages, in order; see `trajwiki.Space.add`."""
    checked = [check(m, f"message {i}") for i, m in enumerate(messages, start=1)]
    stored: Commit | None = None
    found: list[Problem] = []
    done = 0
    for batch in _batches([_message(m) for m in checked]):
        start = done

        def tell(n: int, _: int, start: int = start) -> None:
            if progress is not None:
                progress(min(len(checked), start + n), len(checked))

        prefer = {"Prefer": "respond-async"} if len(batch) > WAITED_FOR else {}
        body = yield from write(at, ("messages",), {"messages": batch}, headers=prefer, progress=tell)
        found += at.problems
        commit = reading.commit(body)
        if stored is None or commit.counts:
            stored = commit
        done += len(batch)
        tell(len(batch), len(batch))
    at.problems = found
    assert stored is not None
    return stored


def flush(at: At) -> Steps[Commit]:
    """Close the exchanges that are still open and read them."""
    return reading.commit((yield from write(at, ("flush",), None)))


def add_claim(at: At, text: str, *, reason: str, subject: str | None = None) -> Steps[Commit]:
    """State a claim as a person; it outranks what is read from messages."""
    body = {"text": text, "reason": reason, "subject": subject}
    return reading.commit((yield from write(at, ("claims",), body)))


def revise_claim(at: At, claim_id: str, text: str, *, reason: str) -> Steps[Commit]:
    """Put another claim in the place of one. Raises UnknownItem."""
    return reading.commit((yield from write(at, ("claims", claim_id, "revise"), {"text": text, "reason": reason})))


def deprecate_claim(at: At, claim_id: str, *, reason: str) -> Steps[Commit]:
    """Say that a claim does not hold; saying the same words again will not bring it back. Raises UnknownItem."""
    return reading.commit((yield from write(at, ("claims", claim_id, "deprecate"), {"reason": reason})))


def restore_claim(at: At, claim_id: str, *, reason: str) -> Steps[Commit]:
    """Say that a claim holds after all. Raises UnknownItem."""
    return reading.commit((yield from write(at, ("claims", claim_id, "restore"), {"reason": reason})))


def revert(at: At, n: int, *, with_dependents: bool = False) -> Steps[Commit]:
    """Take back what a commit did to claims, in a new commit; see `trajwiki.Space.revert`."""
    body = {"with_dependents": with_dependents}
    return reading.commit((yield from write(at, ("commits", n, "revert"), body)))


def erase(at: At, selection: Selection, *, dry_run: bool = False) -> Steps[Erasure]:
    """Erase messages with all that stood on them alone; see `trajwiki.Space.erase`."""
    body = {
        "refs": list(selection.refs),
        "session": selection.session,
        "speaker": selection.speaker,
        "before": _time(selection.before),
        "matching": selection.matching,
        "everything": selection.everything,
        "confirm": not dry_run,
    }
    reply = yield from ask(Request("POST", at_space(at, "erase"), body=body, again=dry_run))
    return reading.erasure(reply.body)


def reembed(at: At, *, progress: Progress | None = None) -> Steps[Commit]:
    """Make the vectors of the space anew with the server's embedder."""
    return reading.commit((yield from write(at, ("reembed",), None, progress=progress)))


# Reading


def recall(
    at: At,
    question: str,
    *,
    budget: int | None = None,
    profile: Profile | None = None,
    as_of: When | None = None,
    heard_until: datetime | None = None,
    valid_at: datetime | None = None,
) -> Steps[Recall]:
    """Give the evidence for a question, packed to a budget of words; see `trajwiki.Space.recall`."""
    body = _question(question, budget, profile, as_of, heard_until, valid_at)
    reply = yield from ask(Request("POST", at_space(at, "recall"), body=body))
    return reading.recall(reply.body)


def ask_question(
    at: At,
    question: str,
    *,
    budget: int | None = None,
    profile: Profile | None = None,
    as_of: When | None = None,
    heard_until: datetime | None = None,
    valid_at: datetime | None = None,
) -> Steps[Answer]:
    """Answer a question from the memory alone, or abstain and say why; see `trajwiki.Space.ask`."""
    body = _question(question, budget, profile, as_of, heard_until, valid_at)
    reply = yield from ask(Request("POST", at_space(at, "ask"), body=body))
    return reading.answer(reply.body)


def explain(at: At, answer_id: str) -> Steps[dict[str, object]]:
    """Give a kept answer with the way that led to it. Raises UnknownItem."""
    reply = yield from ask(Request("GET", at_space(at, "answers", answer_id)))
    return dict(reply.body)


def audit(at: At, answer_id: str) -> Steps[Payload]:
    """Give a kept answer with all that it stands on, as `trajwiki.audit/1`. Raises UnknownItem."""
    reply = yield from ask(Request("GET", at_space(at, "answers", answer_id, "audit")))
    return dict(reply.body)


def wiki(at: At, slug: str | None = None, *, as_of: When | None = None) -> Steps[Payload]:
    """Give a page, or the index, as `trajwiki.page/1`. Raises UnknownItem."""
    where = ("wiki",) if slug is None else ("wiki", slug)
    reply = yield from ask(Request("GET", at_space(at, *where), query=_as_of(as_of)))
    return dict(reply.body)


def pages(at: At) -> Steps[list[Payload]]:
    """List the pages: `slug`, `title`, `type`, and the number of `trajectories`."""
    return (yield from all_of(at, "pages"))


def trajectories(at: At) -> Steps[list[Payload]]:
    """List the trajectories: `id`, `title`, and the number of `snapshots`."""
    return (yield from all_of(at, "trajectories"))


def trajectory(at: At, trajectory_id: str) -> Steps[Payload]:
    """Give a trajectory as `trajwiki.trajectory/1`. Raises UnknownItem."""
    reply = yield from ask(Request("GET", at_space(at, "trajectories", trajectory_id)))
    return dict(reply.body)


def claims(at: At, *, status: str | None = None, subject: str | None = None) -> Steps[list[Payload]]:
    """List the claims: `id`, `text`, `status`, `subject`, `kind`."""
    given = {"status": status, "subject": subject}
    return (yield from all_of(at, "claims", {k: v for k, v in given.items() if v is not None}))


def claim(at: At, claim_id: str) -> Steps[Payload]:
    """Give a claim with its sources and history, as `trajwiki.claim/1`. Raises UnknownItem."""
    reply = yield from ask(Request("GET", at_space(at, "claims", claim_id)))
    return dict(reply.body)


def messages(at: At, *, session: str | None = None) -> Steps[list[Message]]:
    """List the messages in the order of arrival, of one session or of all."""
    rows = yield from all_of(at, "messages", {} if session is None else {"session": session})
    return [reading.message(row, n) for n, row in enumerate(rows)]


def show(at: At, n: int) -> Steps[tuple[Commit, Diff]]:
    """Give a commit with what it changed. Raises UnknownItem."""
    reply = yield from ask(Request("GET", at_space(at, "commits", n)))
    return reading.commit(reply.body["commit"]), reading.diff(reply.body)


def diff(at: At, before: When, after: When) -> Steps[Diff]:
    """Give what changed between two commits or moments; see `trajwiki.Space.diff`."""
    query = {"before": _when(before), "after": _when(after)}
    reply = yield from ask(Request("GET", at_space(at, "diff"), query=query))
    return reading.diff(reply.body)


def blame(at: At, what: str) -> Steps[list[BlameLine]]:
    """Say where a claim or each line of a page comes from. Raises UnknownItem."""
    reply = yield from ask(Request("GET", at_space(at, "blame"), query={"of": what}))
    return reading.blame(reply.body)


def log(at: At, *, limit: int | None = None) -> Steps[list[Commit]]:
    """List commits, newest first."""
    return [reading.commit(row) for row in (yield from all_of(at, "commits", limit=limit))]


def examine(at: At) -> Steps[list[Problem]]:
    """Check the space against itself; gives what is wrong."""
    reply = yield from ask(Request("GET", at_space(at, "doctor")))
    return reading.problems(reply.body["problems"])


def export(
    at: At, path: str | Path, *, format: Literal["archive", "vault", "prov"] = "archive", force: bool = False
) -> Steps[dict[str, int]]:
    """Write the space to a file here, and give counts of what was written; a vault is made by the embedded memory only.

    Raises:
        UsageError: There is something at the path, or the format is not one a server gives.
    """
    if format not in ("archive", "prov") or force:
        raise UsageError("a server gives an archive or a PROV file; import the archive to make a vault of it")
    target = Path(path).expanduser()
    if target.exists():
        raise UsageError(f"there is something at {target}; an export is never written over it")
    reply = yield from ask(Request("GET", at_space(at, "export"), query={"form": format}, into=target))
    return dict(json.loads(reply.headers.get("trajwiki-counts", "{}")))


# Inside


def write(
    at: At,
    where: Sequence[str | int],
    body: Any,
    *,
    headers: Mapping[str, str] | None = None,
    progress: Progress | None = None,
) -> Steps[Payload]:
    """Send a request that writes, under a key of its own, and give the result, however long it takes.

    Args:
        at: The space; takes the problems that were noticed.
        where: The path in the space.
        body: As JSON.
        headers: More headers.
        progress: Called with what is done and how much there is, while the server works on it.
    """
    named = {"Idempotency-Key": uuid.uuid4().hex, **(headers or {})}
    reply = yield from ask(Request("POST", at_space(at, *where), body=body, headers=named))
    body, n = reply.body, 0
    while reply.status == 202 and body["status"] in ("waiting", "running"):
        yield Pause(LOOK_S[min(n, len(LOOK_S) - 1)])
        n += 1
        looked = yield from ask(Request("GET", at_space(at, "operations", body["id"])))
        if progress is not None and looked.body["done"] != body["done"]:
            progress(looked.body["done"], looked.body["total"])
        body = looked.body
    if reply.status == 202:
        if body["error"] is not None:
            raise error_of(422, {"type": body["error"]["type"], "detail": body["error"]["detail"]})
        body = body["result"]
    at.problems = reading.problems(body.get("problems", []))
    return dict(body)


def all_of(
    at: At, name: str, query: Mapping[str, str] | None = None, *, limit: int | None = None
) -> Steps[list[Payload]]:
    """Give the items of a list in a space, over all its pages.

    Args:
        at: The space.
        name: Of the list, as in its path.
        query: Which items.
        limit: How many, at most.
    """
    items: list[Payload] = []
    cursor: str | None = None
    while limit is None or len(items) < limit:
        size = PAGE if limit is None else min(PAGE, limit - len(items))
        given: dict[str, str | int] = {**(query or {}), "limit": size, **({"cursor": cursor} if cursor else {})}
        reply = yield from ask(Request("GET", at_space(at, name), query=given))
        items += reply.body["items"]
        cursor = reply.body["next"]
        if cursor is None:
            break
    return items


def _batches(rows: list[Payload]) -> list[list[Payload]]:
    batches: list[list[Payload]] = [[]]
    size = 0
    for row in rows:
        length = len(json.dumps(row))
        if len(batches[-1]) == BATCH or (batches[-1] and size + length > BATCH_BYTES):
            batches.append([])
            size = 0
        batches[-1].append(row)
        size += length
    return batches


def _message(m: NewMessage) -> Payload:
    return {
        "speaker": m.speaker,
        "text": m.text,
        "sent_at": _time(m.sent_at),
        "session": m.session,
        "source_ref": m.source_ref,
        "source": m.source,
        "caption": m.caption,
        "role": m.role.value,
        "metadata": dict(m.metadata),
    }


def _question(
    question: str,
    budget: int | None,
    profile: Profile | None,
    as_of: When | None,
    heard_until: datetime | None,
    valid_at: datetime | None,
) -> Payload:
    for moment in (as_of, heard_until, valid_at):
        if isinstance(moment, datetime) and moment.tzinfo is None:
            raise UsageError(f"the time {moment.isoformat()} has no zone")
    given = {
        "question": question,
        "budget": budget,
        "profile": profile,
        "as_of": None if as_of is None else _when(as_of),
        "heard_until": _time(heard_until),
        "valid_at": _time(valid_at),
    }
    return {name: value for name, value in given.items() if value is not None}


def _as_of(when: When | None) -> dict[str, str | int]:
    return {} if when is None else {"as_of": _when(when)}


def _when(when: When) -> str | int:
    return when.isoformat() if isinstance(when, datetime) else when


def _time(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment is not None else None
