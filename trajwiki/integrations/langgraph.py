"""A LangGraph store: a namespace is a space, an item is a message whose ref is its key (extra `langgraph`).

Putting a key again is an edit with history, deleting one erases it with all that stood on it, and a search with a query
ranks by words and meaning. The words of an item are the strings in its value, read into claims like anything said.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import Any, Final
from urllib.parse import quote, unquote

from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
)

from trajwiki.domain.messages import Message, NewMessage
from trajwiki.engine import Memory
from trajwiki.erasure import Selection
from trajwiki.errors import UsageError
from trajwiki.language.tokens import keywords
from trajwiki.space import Space

SOURCE: Final = "langgraph"
PREFIX: Final = "langgraph:"
VALUE: Final = "value"  # metadata that hold the item
CREATED: Final = "created_at"
_COMPARE: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "$eq": lambda a, b: a == b,
    "$ne": lambda a, b: a != b,
    "$gt": lambda a, b: float(a) > float(b),
    "$gte": lambda a, b: float(a) >= float(b),
    "$lt": lambda a, b: float(a) < float(b),
    "$lte": lambda a, b: float(a) <= float(b),
}


class TrajwikiStore(BaseStore):
    """A `BaseStore` on a memory.

    Args:
        memory: Open; the caller closes it.
    """

    supports_ttl = False

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Carry out operations in order."""
        return [self._do(op) for op in ops]

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Carry out operations in order, in a thread."""
        return await asyncio.to_thread(self.batch, list(ops))

    def _do(self, op: Op) -> Result:
        if isinstance(op, GetOp):
            message = self._message(op.namespace, op.key)
            return _item(op.namespace, message) if message else None
        if isinstance(op, PutOp):
            self._put(op)
            return None
        if isinstance(op, SearchOp):
            return list(self._search(op))[op.offset : op.offset + op.limit]
        if isinstance(op, ListNamespacesOp):
            return self._list(op)
        raise UsageError(f"unknown operation {type(op).__name__}")

    def _put(self, op: PutOp) -> None:
        space = self._memory.space(_name(op.namespace))
        old = self._message(op.namespace, op.key)
        if op.value is None:
            if old is not None:
                space.erase(Selection(refs=(op.key,)))
            return
        now = space.now()
        created = old.metadata[CREATED] if old else now.isoformat()
        space.add(
            [
                NewMessage(
                    speaker="memory",
                    text="\n".join(_strings(op.value)) or json.dumps(op.value, ensure_ascii=False),
                    sent_at=now,
                    session="items",
                    source=SOURCE,
                    source_ref=op.key,
                    metadata={VALUE: json.dumps(op.value, ensure_ascii=False), CREATED: created},
                )
            ]
        )

    def _search(self, op: SearchOp) -> Iterator[SearchItem]:
        found = []
        for namespace in self._namespaces():
            if namespace[: len(op.namespace_prefix)] == op.namespace_prefix:
                space = self._memory.space(_name(namespace))
                found += [(namespace, m, score) for m, score in _ranked(space, op.query)]
        if op.query:
            found.sort(key=lambda f: -(f[2] or 0.0))
        for namespace, message, score in found:
            item = _item(namespace, message)
            if all(_fits(item.value.get(name), wanted) for name, wanted in (op.filter or {}).items()):
                yield SearchItem(namespace, item.key, item.value, item.created_at, item.updated_at, score)

    def _list(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        conditions = op.match_conditions or ()
        fitting = (n for n in self._namespaces() if all(_matches(c, n) for c in conditions))
        cut = sorted({n[: op.max_depth] if op.max_depth is not None else n for n in fitting})
        return cut[op.offset : op.offset + op.limit]

    def _namespaces(self) -> list[tuple[str, ...]]:
        names = (s.name for s in self._memory.spaces() if s.name.startswith(PREFIX))
        filled = (n for n in names if _kept(self._memory.space(n)))
        return [tuple(unquote(part) for part in name.removeprefix(PREFIX).split("/")) for name in filled]

    def _message(self, namespace: tuple[str, ...], key: str) -> Message | None:
        state = self._memory.space(_name(namespace)).state()
        message_id = state.message_by_ref.get(key)
        return state.messages[message_id] if message_id else None


def _name(namespace: tuple[str, ...]) -> str:
    return PREFIX + "/".join(quote(part, safe="") for part in namespace)


def _kept(space: Space) -> list[Message]:
    return [m for m in space.state().messages.values() if m.source == SOURCE]


def _ranked(space: Space, query: str | None) -> list[tuple[Message, float | None]]:
    """Give the items with scores that can be compared across namespaces: words shared, and cosine, half and half."""
    if not query:
        return [(m, None) for m in _kept(space)]
    state, asked = space.state(), set(keywords(query))
    vector = space.embed(query)
    scored: list[tuple[Message, float | None]] = []
    for message in _kept(space):
        cosine = max(0.0, float(state.vectors["message"][message.id] @ vector))
        shared = len(asked & set(keywords(message.text))) / len(asked) if asked else 0.0
        scored.append((message, round(min(1.0, (cosine + shared) / 2), 4)))
    return scored


def _item(namespace: tuple[str, ...], message: Message) -> Item:
    return Item(
        value=json.loads(message.metadata[VALUE]),
        key=message.source_ref,
        namespace=namespace,
        created_at=datetime.fromisoformat(message.metadata[CREATED]),
        updated_at=message.sent_at or datetime.fromisoformat(message.metadata[CREATED]),
    )


def _strings(value: Any) -> Iterator[str]:
    """Give the strings in a value, in order."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _strings(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _strings(inner)


def _fits(value: Any, wanted: Any) -> bool:
    """Tell whether a value meets a filter: equal, or by operators as in ``{"$gte": 3}``."""
    if not isinstance(wanted, dict):
        return bool(value == wanted)
    if not any(str(name).startswith("$") for name in wanted):
        return isinstance(value, dict) and all(_fits(value.get(name), inner) for name, inner in wanted.items())
    unknown = [name for name in wanted if name not in _COMPARE]
    if unknown:
        raise ValueError(f"unknown operator {unknown[0]!r}; there are {', '.join(_COMPARE)}")
    return value is not None and all(_COMPARE[name](value, other) for name, other in wanted.items())


def _matches(condition: MatchCondition, namespace: tuple[str, ...]) -> bool:
    path = condition.path
    if len(namespace) < len(path):
        return False
    part = namespace[: len(path)] if condition.match_type == "prefix" else namespace[len(namespace) - len(path) :]
    return all(wanted in ("*", given) for given, wanted in zip(part, path, strict=True))
