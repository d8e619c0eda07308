"""The calls on a memory, as steps. Names and arguments are those of `trajwiki.Memory`."""

from __future__ import annotations

from pathlib import Path

from trajwiki.archive.load import Imported
from trajwiki.client import reading
from trajwiki.client.calls import segment
from trajwiki.client.steps import Request, Steps, ask
from trajwiki.store.spaces import SpaceInfo


def create_space(name: str, *, id: str | None = None) -> Steps[SpaceInfo]:
    """Make a space now; see `trajwiki.Memory.create_space`."""
    body = {"name": name, "id": id}
    return reading.space_info((yield from ask(Request("POST", "/v1/spaces", body=body))).body)


def spaces() -> Steps[list[SpaceInfo]]:
    """List the spaces that the key opens, by name."""
    found: list[SpaceInfo] = []
    cursor: str | None = None
    while True:
        query: dict[str, str | int] = {"limit": 1000, **({"cursor": cursor} if cursor else {})}
        reply = yield from ask(Request("GET", "/v1/spaces", query=query))
        found += [reading.space_info(row) for row in reply.body["items"]]
        cursor = reply.body["next"]
        if cursor is None:
            return found


def rename_space(name: str, new: str) -> Steps[None]:
    """Rename a space. Raises UnknownSpace, or UsageError when the new name is taken."""
    yield from ask(Request("PATCH", f"/v1/spaces/{segment(name)}", body={"name": new}, again=False))


def delete_space(name: str) -> Steps[dict[str, int]]:
    """Delete a space and all that is in it; gives the number of removed rows by table. Raises UnknownSpace."""
    reply = yield from ask(Request("DELETE", f"/v1/spaces/{segment(name)}", again=False))
    return dict(reply.body["removed"])


def import_space(path: str | Path, *, name: str | None = None) -> Steps[Imported]:
    """Store the space of an archive that is here; see `trajwiki.Memory.import_space`."""
    content = Path(path).expanduser().read_bytes()
    query = {} if name is None else {"name": name}
    head = {"Content-Type": "application/zip"}
    sent = Request("POST", "/v1/import", query=query, body=content, headers=head, again=False)
    row = (yield from ask(sent)).body
    shown = yield from ask(Request("GET", f"/v1/spaces/{segment(row['space'])}"))
    return reading.imported(row, reading.space_info(shown.body))
