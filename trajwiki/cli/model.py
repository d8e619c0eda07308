"""What a chat model costs, and letting it read what it could not read before."""

from __future__ import annotations

from typing import Any

from trajwiki.cli.output import print_json, say, table
from trajwiki.cli.session import opened, space_of
from trajwiki.domain.usage import Cost


def chosen(model: str | None, base_url: str | None, max_tokens: int | None) -> dict[str, object]:
    """Give the options of a chat model as settings, for `opened`."""
    return {"model": model, "base_url": base_url, "max_tokens": max_tokens}


def cost(*, space: str | None, db: str | None, json: bool) -> None:
    """Print what chat models were asked on behalf of a space: by phase and purpose."""
    with opened(db) as memory:
        target = space_of(memory, space)
        costs = target.costs()
        unread = len(target.unread_by_model())
        messages = len(target.state().messages)
    if json:
        print_json({"schema": "trajwiki.cost/1", "space": target.name, **_payload(costs, messages, unread)})
        return
    if not costs:
        say(f"no chat model was asked on behalf of {target.name}")
        return
    say(*table([HEAD, *(_row(c) for c in costs)]))
    whole = sum(c.tokens_in + c.tokens_out for c in costs)
    built = sum(c.tokens_in + c.tokens_out for c in costs if c.phase == "construction")
    say("", f"{whole} tokens; construction: {built / max(messages, 1):.0f} a message")
    if unread:
        say(f"{unread} exchanges were read by rule alone: `trajwiki ingest --resume` lets the model read them")


HEAD = ("PHASE", "PURPOSE", "ASKED", "OUTCOMES", "REQUESTS", "IN", "OUT", "SECONDS", "REPAIRS")


def _row(c: Cost) -> tuple[str, ...]:
    outcomes = ", ".join(f"{n} {name}" for name, n in c.outcomes.items())
    seconds = f"{c.latency_ms / 1000:.1f}"
    return (
        c.phase,
        c.purpose,
        str(c.questions),
        outcomes,
        str(c.requests),
        str(c.tokens_in),
        str(c.tokens_out),
        seconds,
        str(c.repair_tokens),
    )


def _payload(costs: list[Cost], messages: int, unread: int) -> dict[str, Any]:
    return {
        "messages": messages,
        "unread_by_model": unread,
        "tokens": sum(c.tokens_in + c.tokens_out for c in costs),
        "purposes": [
            {
                "phase": c.phase,
                "purpose": c.purpose,
                "questions": c.questions,
                "outcomes": c.outcomes,
                "requests": c.requests,
                "tokens_in": c.tokens_in,
                "tokens_out": c.tokens_out,
                "latency_ms": c.latency_ms,
                "repair_tokens": c.repair_tokens,
            }
            for c in costs
        ],
    }


def resume(
    *, space: str | None, db: str | None, model: str | None, base_url: str | None, max_tokens: int | None, json: bool
) -> None:
    """Let the chat model read what it could not read before: `ingest --resume`."""
    with opened(db, model=model, base_url=base_url, max_tokens=max_tokens) as memory:
        target = space_of(memory, space)
        read = target.resume()
        left, spent = len(target.unread_by_model()), memory.tokens_spent
    if json:
        body = {"space": target.name, "read": read, "unread_by_model": left, "tokens": spent}
        print_json({"schema": "trajwiki.resume/1", **body})
    else:
        say(f"{target.name}: {read} exchanges read by the model, {left} left; {spent} tokens")
