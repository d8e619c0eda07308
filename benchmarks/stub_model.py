"""A chat endpoint on the loopback that answers from rules: for counting tokens, and for tests that let it misbehave."""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from trajwiki.domain.messages import Message, Role
from trajwiki.language.tokens import keywords
from trajwiki.memory.extraction import extract_claims
from trajwiki.models.prompts import (
    claims,
    judge,
    match,
    page,
    page_plan,
    reflection,
    repair,
    reranks,
    seed,
    signals,
    summary,
    synthesis,
    transition,
)
from trajwiki.models.prompts.base import Prompt

PROMPTS: tuple[Prompt[Any], ...] = (
    seed.PROMPT,
    claims.PROMPT,
    signals.PROMPT,
    match.PROMPT,
    transition.PROMPT,
    summary.PROMPT,
    page_plan.PROMPT,
    page.PROMPT,
    reranks.PAGES,
    reranks.TRAJECTORIES,
    reflection.PROMPT,
    synthesis.TYPED_RETRY,
    synthesis.PROMPT,
    repair.REPAIR,
    repair.ARBITRATION,
    judge.PROMPT,
)

Rows = list[list[str]]


def rows_of(user: str) -> Rows:
    """Give the data of a request: the fields of every line, quoted ones read."""
    out = []
    for line in user.split("\n")[1:-1]:
        fields, rest = [], line
        while rest:
            if rest.startswith('"'):
                value, end = json.JSONDecoder().raw_decode(rest)
                fields.append(value)
                rest = rest[end:].removeprefix(" | ").removeprefix("; ").lstrip()
            else:
                field, _, rest = rest.partition(" | ")
                fields.append(field.strip())
        out.append(fields)
    return out


def answer(purpose: str, rows: Rows) -> dict[str, Any]:
    """Give the reply of a model that does what it is asked, by rule."""
    return _ANSWERS[purpose](rows)


def _messages(rows: Rows) -> list[tuple[str, Message]]:
    out = []
    for n, row in enumerate(rows):
        if len(row) < 4 or row[0] == "before":
            continue
        sent = None if row[2] == "undated" else datetime.fromisoformat(row[2]).replace(tzinfo=UTC)
        out.append((row[0], Message(row[0], n, row[0], "", "", row[1], Role.USER, row[3], None, sent)))
    return out


def _claims(rows: Rows) -> dict[str, Any]:
    items = []
    speakers = list(dict.fromkeys(row[1] for row in rows if len(row) > 3))
    for label, message in _messages(rows):
        for d in extract_claims([message], speakers=speakers)[0]:
            if d.instruction_like:
                continue
            items.append(
                {"source": label, "quote": d.quote.text, "text": d.text, "kind": d.kind.value, "status": d.status.value}
            )
    return {"claims": items}


def _seeds(rows: Rows) -> dict[str, Any]:
    by_exchange: dict[str, list[str]] = {}
    for label, message in _messages(rows):
        by_exchange.setdefault(label.partition(".")[0], []).append(f"{message.speaker}: {message.text}")
    return {
        "exchanges": [
            {
                "exchange": n,
                "summary_content": " ".join(" ".join(texts).split()[:40]),
                "context": " ".join(texts[0].split()[:10]),
                "keywords": [w for w in texts[0].split()[1:] if len(w) > 6][:5],
            }
            for n, texts in by_exchange.items()
        ]
    }


def _signals(rows: Rows) -> dict[str, Any]:
    found = []
    for row in rows:
        long = [w.strip(".,!?") for w in row[2].split() if len(w) > 5]
        found += [{"claim": row[0], "surface": w, "kind": "item"} for w in long[:2] if w]
    return {"signals": found}


def _lines(rows: Rows) -> list[dict[str, Any]]:
    return [{"text": row[2], "claims": [row[0]]} for row in rows if row[0].startswith("C") and len(row) > 2]


def _synthesis(rows: Rows) -> dict[str, Any]:
    asked = set(keywords(rows[0][1]))
    best = max(
        (row for row in rows if row[0][0] == "E" and row[0][1:].isdigit()),
        key=lambda row: len(asked & set(keywords(row[3]))),
        default=None,
    )
    kind = rows[0][2] if len(rows[0]) > 2 else "fact"
    if best is None or not asked & set(keywords(best[3])):
        return {"can_answer": False, "answer_type": kind, "final_answer": "", "abstain_reason": "not said"}
    support = [{"fact": best[3], "refs": [best[0]]}]
    return {
        "can_answer": True,
        "answer_type": kind,
        "final_answer": best[3],
        "supporting_facts": support,
        "supporting_source_refs": [best[0]],
    }


def _judge(rows: Rows) -> dict[str, Any]:
    told = {row[0]: set(keywords(row[1])) for row in rows}
    gold, got = told.get("gold answer", set()), told.get("answer", set())
    share = len(gold & got) / len(gold) if gold else 0.0
    return {"verdict": "CORRECT" if share > 0.8 else "PARTIAL" if share > 0.3 else "INCORRECT", "reason": "words"}


def _labels(rows: Rows, letter: str) -> list[str]:
    return [row[0] for row in rows if row[0][:1] == letter and row[0][1:].isdigit()]


_ANSWERS: dict[str, Callable[[Rows], dict[str, Any]]] = {
    "claims": _claims,
    "seed": _seeds,
    "signals": _signals,
    "match": lambda rows: {"decision": "CONTINUE", "selected_candidate": "T1", "rationale": "the same thing"},
    "transition": lambda rows: {"decision": "ADD", "replaces": None, "reason": "both can hold"},
    "summary": lambda rows: {
        "title": " ".join(_lines(rows)[0]["text"].split()[:8]),
        "stable_facts": _lines(rows)[:12],
        "items": [],
        "changes": [],
        "conflicts": [],
    },
    "page-plan": lambda rows: {"pages": [{"page": row[0], "decision": "keep"} for row in rows]},
    "page": lambda rows: {
        "overview": _lines(rows)[:1],
        "key_facts": _lines(rows)[:14],
        "items_counts": [],
        "conflicts_uncertainty": [],
    },
    "page-rerank": lambda rows: {"ranking": _labels(rows, "P")},
    "trajectory-rerank": lambda rows: {"ranking": _labels(rows, "T")},
    "reflection": lambda rows: {"raw_search_terms": rows[0][1].split()[:6]},
    "synthesis": _synthesis,
    "typed-retry": _synthesis,
    "repair": _synthesis,
    "arbitration": lambda rows: {"better": "B", "reason": "borne out"},
    "judge": _judge,
}


class StubModel:
    """The server, and what it was asked.

    Attributes:
        url: Base URL for a client.
        requests: Bodies, in order of arrival.
        headers: Of the requests.
        purposes: How often each prompt came.
        misbehave: Called with purpose, body and number of the request, from 1; gives a text in the place of the reply,
            or a status with headers and body, or None for good behaviour.
        refuses: Response formats that are answered with 400.
        delay: Seconds before every answer.
        most_at_once: Requests in flight at one time.
    """

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.purposes: Counter[str] = Counter()
        self.misbehave: Callable[[str, dict[str, Any], int], Any] = lambda purpose, body, n: None
        self.refuses: set[str] = set()
        self.most_at_once = 0
        self.delay = 0.0
        self._at_once = 0
        self._lock = threading.Lock()
        self.url = ""

    def reply(self, body: dict[str, Any]) -> tuple[int, dict[str, str], str]:
        """Give status, headers and body of the answer to a request."""
        with self._lock:
            self.requests.append(body)
            n = len(self.requests)
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
        try:
            time.sleep(self.delay)
            return self._reply(body, n)
        finally:
            with self._lock:
                self._at_once -= 1

    def _reply(self, body: dict[str, Any], n: int) -> tuple[int, dict[str, str], str]:
        system, user = (m["content"] for m in body["messages"])
        purpose = next(p.name for p in PROMPTS if system.startswith(p.system))
        kind = body.get("response_format", {}).get("type", "prompt")
        with self._lock:
            self.purposes[purpose] += 1
        if kind in self.refuses:
            return 400, {}, json.dumps({"error": {"message": f"response_format {kind} is not supported"}})
        done = self.misbehave(purpose, body, n)
        if isinstance(done, tuple):
            return done
        text = done if isinstance(done, str) else json.dumps(answer(purpose, rows_of(user)), ensure_ascii=False)
        usage = {"prompt_tokens": len(system + user) // 4, "completion_tokens": len(text) // 4, "total_tokens": 0}
        return 200, {}, json.dumps(completion(text, usage))


def completion(text: Any, usage: Any, *, finish: str = "stop") -> dict[str, Any]:
    """Give the body of a chat completion."""
    message = {"role": "assistant", "content": text}
    return {
        "id": "c",
        "object": "chat.completion",
        "created": 0,
        "model": "stub",
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": usage,
    }


@contextmanager
def serving() -> Iterator[StubModel]:
    """Run a stub on a free port of the loopback."""
    stub = StubModel()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers.get("content-length", 0)))
            stub.headers.append(dict(self.headers.items()))
            status, headers, text = stub.reply(json.loads(raw))
            data = text.encode("utf-8", "replace")
            try:
                self.send_response(status)
                for name, value in {"content-type": "application/json", **headers}.items():
                    self.send_header(name, value)
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)
            except OSError:  # the client did not wait
                self.close_connection = True

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    stub.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield stub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
