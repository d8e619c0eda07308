"""serve, worker, keys create, list, revoke."""

from __future__ import annotations

import os
import signal
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from trajwiki.cli.output import note, print_json, say, table
from trajwiki.cli.session import moment, opened, settings
from trajwiki.engine import Memory
from trajwiki.errors import MissingExtra, UsageError
from trajwiki.store.keys import Key, KeyStore, Scope


def serve(*, db: str | None, **chosen: object) -> None:
    """Serve the memory over HTTP until it is told to stop.

    Args:
        db: Path or URL of the database.
        chosen: Of ServerSettings, by name; None: from the environment.
    """
    try:
        import uvicorn

        from trajwiki.server import ServerSettings, create_app
        from trajwiki.server.logs import log, set_up
        from trajwiki.server.process import environment
        from trajwiki.server.settings import is_loopback
    except ImportError as error:
        raise _missing("trajwiki serve", error) from error
    options = _server_settings(ServerSettings, chosen)
    if not options.needs_keys and not is_loopback(options.host):
        raise UsageError(
            f"{options.host} can be reached from other machines, and no keys are asked for: leave out --no-keys, or "
            "bind 127.0.0.1"
        )
    ours = settings(db=db)
    with Memory.open(settings=ours, create=True) as memory:
        if options.needs_keys and not any(k.holds(memory.clock()) for k in KeyStore(memory.database).all()):
            raise UsageError(
                f"{options.host} asks for keys and there are none: `trajwiki keys create --space NAME --scope write` "
                "makes one"
            )
        set_up()
        log("serving", host=options.host, port=options.port, keys=options.needs_keys, processes=options.processes)
        how = {
            "host": options.host,
            "port": options.port,
            "log_config": None,
            "access_log": False,
            "server_header": False,
            "timeout_graceful_shutdown": options.shutdown_seconds,
        }
        if options.processes == 1:
            signal.signal(signal.SIGTERM, lambda number, frame: None)  # so that the memory is closed after the server
            uvicorn.Server(uvicorn.Config(create_app(memory, settings=options), **how)).run()
            return
    with tempfile.TemporaryDirectory(prefix="trajwiki-figures-") as figures:
        os.environ.update(environment(ours.db, options), PROMETHEUS_MULTIPROC_DIR=figures)
        uvicorn.run("trajwiki.server.process:make_app", factory=True, workers=options.processes, **how)


def worker(*, db: str | None, jobs: int) -> None:
    """Carry out operations that a server on PostgreSQL left for workers.

    Args:
        db: URL of the database.
        jobs: Operations at the same time.
    """
    try:
        from trajwiki.server.logs import set_up
        from trajwiki.server.queue import run_worker
    except ImportError as error:
        raise _missing("trajwiki worker", error) from error
    with Memory.open(settings=settings(db=db), create=False) as memory:
        set_up()
        run_worker(memory, jobs=jobs)


def keys_create(
    spaces: Sequence[str],
    *,
    all_spaces: bool,
    scope: str,
    expires: str | None,
    label: str,
    db: str | None,
    json: bool,
) -> None:
    """Make a key and print it, this once.

    Args:
        spaces: Names; one that is not there is made.
        all_spaces: For all spaces, also those to come.
        scope: read, write or admin.
        expires: A time, or a number of days such as ``30d``.
        label: A name for lists and the history.
        db: Path or URL of the database.
        json: Print JSON.
    """
    if scope not in list(Scope):
        raise UsageError(f"--scope is one of {', '.join(Scope)}, not {scope!r}")
    if bool(spaces) == all_spaces:
        raise UsageError("say --space NAME (once or more) or --all-spaces")
    with opened(db, create=True) as memory:
        until = _until(expires, memory.clock())
        for name in spaces:
            memory.create_space(name)
        secret, key = KeyStore(memory.database).create(
            list(spaces), scope=Scope(scope), now=memory.clock(), everywhere=all_spaces, expires=until, label=label
        )
    if json:
        print_json({"schema": "trajwiki.key/1", "key": secret, **_payload(key)})
    else:
        say(secret)
        note(f"{key.id}: {key.scope} of {_where(key)}. It is shown this once; only a hash of it is kept.")


def keys_list(*, db: str | None, json: bool) -> None:
    """Print what is known of the keys."""
    with opened(db) as memory:
        keys, now = KeyStore(memory.database).all(), memory.clock()
    if json:
        print_json({"schema": "trajwiki.keys/1", "keys": [{**_payload(k), "holds": k.holds(now)} for k in keys]})
        return
    rows = [("KEY", "LABEL", "SCOPE", "SPACES", "STATE", "LAST USED")]
    rows += [(k.id, k.label, k.scope.value, _where(k), _state(k, now), _day(k.last_used)) for k in keys]
    say(*table(rows))


def keys_revoke(key_id: str, *, db: str | None, json: bool) -> None:
    """Let a key open nothing any more, at once."""
    with opened(db) as memory:
        key = KeyStore(memory.database).revoke(key_id, now=memory.clock())
    if json:
        print_json({"schema": "trajwiki.key/1", **_payload(key)})
    else:
        say(f"{key.id} is revoked")


def _server_settings(kind: Any, chosen: dict[str, object]) -> Any:
    from pydantic import ValidationError

    try:
        return kind(**{name: value for name, value in chosen.items() if value is not None})
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(str(part) for part in first["loc"])
        raise UsageError(f"setting {name}: {first['msg']} (got {first['input']!r})") from error


def _missing(command: str, error: ImportError) -> MissingExtra:
    return MissingExtra(f"{command} needs the extra 'server': pip install 'trajwiki[server]' ({error.name} is missing)")


def _until(text: str | None, now: datetime) -> datetime | None:
    if text is not None and text.endswith("d") and text[:-1].isdecimal() and len(text) < 7:
        return now.astimezone(UTC) + timedelta(days=int(text[:-1]))
    return moment(text)


def _payload(key: Key) -> dict[str, object]:
    return {
        "id": key.id,
        "label": key.label,
        "scope": key.scope.value,
        "spaces": None if key.everywhere else list(key.spaces),
        "created": key.created.isoformat(),
        "expires": key.expires.isoformat() if key.expires else None,
        "revoked": key.revoked.isoformat() if key.revoked else None,
        "last_used": key.last_used.isoformat() if key.last_used else None,
    }


def _where(key: Key) -> str:
    return "all spaces" if key.everywhere else ", ".join(key.spaces) or "(gone)"


def _state(key: Key, now: datetime) -> str:
    if key.revoked:
        return f"revoked {_day(key.revoked)}"
    if key.expires and now >= key.expires:
        return f"expired {_day(key.expires)}"
    return f"until {_day(key.expires)}" if key.expires else "holds"


def _day(moment: datetime | None) -> str:
    return f"{moment:%Y-%m-%d %H:%M}" if moment else "never"
