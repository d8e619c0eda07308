"""demo-web: the sample data in a browser."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from datetime import UTC, timedelta
from importlib import resources
from itertools import groupby
from pathlib import Path
from typing import Final

from trajwiki.domain.messages import NewMessage
from trajwiki.engine import Memory
from trajwiki.errors import MissingExtra
from trajwiki.readers import read_all
from trajwiki.readers.runs import read_runs
from trajwiki.settings import Settings

SPACE: Final = "sample"


def demo_web(*, port: int = 8377, host: str = "127.0.0.1") -> None:
    """Read the sample data into a memory of its own and serve its pages until stopped.

    Args:
        port: To listen on.
        host: An address of this machine only.

    Raises:
        MissingExtra: The extra `server` is not installed.
    """
    try:
        import uvicorn

        from trajwiki.server import ServerSettings, create_app
    except ImportError as error:
        raise MissingExtra(
            f"demo-web needs the extra 'server': pip install 'trajwiki[server]' ({error.name} is missing)"
        ) from error
    with tempfile.TemporaryDirectory(prefix="trajwiki-web-") as folder:
        print("Reading the sample data …", flush=True)
        with sample_memory(Path(folder) / "sample.db") as memory:
            app = create_app(memory, settings=ServerSettings(host=host, port=port, keys=False))
            print(f"Open http://{host}:{port}/ in a browser; Ctrl-C ends it.", flush=True)
            uvicorn.run(app, host=host, port=port, log_level="error")


def sample_memory(path: Path) -> Memory:
    """Make a memory with the sample data, as it would have come about: session by session, on the days they were."""
    memory = Memory.open(path, settings=Settings(db=str(path)))
    now, day = memory.clock, memory.clock()
    memory.clock = lambda: day
    space = memory.space(SPACE)
    for session in _sessions():
        day = max((m.sent_at for m in session if m.sent_at), default=day).astimezone(UTC)
        space.add(session)
    space.flush()
    with resources.as_file(resources.files("trajwiki.web") / "sample_runs.jsonl") as file:
        *earlier, last = read_runs(file).runs
    for run in earlier:
        day += timedelta(days=1)
        space.add_run(run)
    delivery = space.guidelines(last.task, app=last.app)
    day += timedelta(hours=1)
    space.add_run(last, delivery=delivery.id)
    memory.clock = now
    return memory


def _sessions() -> list[Sequence[NewMessage]]:
    with resources.as_file(resources.files("trajwiki.sample") / "conversation.jsonl") as file:
        messages = [record.message for record in read_all(file).records]
    return [list(group) for _, group in groupby(messages, key=lambda m: m.session)]
