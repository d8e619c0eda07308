"""Operations through procrastinate on PostgreSQL: the server puts them into its queue, `trajwiki worker` takes them.

The operation itself stays in our own table, which is what callers look at; the queue only says which one is next. So a
job that is lost or comes twice does no harm: it is put in again, or finds that nothing is left to do.
"""

from __future__ import annotations

from typing import Any, Final

import procrastinate
import sqlalchemy as sa
from procrastinate import exceptions
from psycopg.conninfo import make_conninfo

from trajwiki.engine import Memory
from trajwiki.errors import StoreUnavailable, UsageError
from trajwiki.server.metrics import Metrics
from trajwiki.server.operations import Operations
from trajwiki.store.operations import Operation

QUEUE: Final = "trajwiki"
SCHEMA: Final = "procrastinate"  # its tables stand apart from ours
TASK: Final = "trajwiki.operation"
STALLED_S: Final = 30.0  # a worker that is silent for so long is taken for gone


class Queue:
    """The way into the queue, for a server.

    Raises:
        UsageError: The database is not PostgreSQL.
        StoreUnavailable: It cannot be reached.
    """

    def __init__(self, memory: Memory) -> None:
        _prepare(memory)
        self._app = procrastinate.App(connector=procrastinate.SyncPsycopgConnector(conninfo=_conninfo(memory)))

    def open(self) -> None:
        """Connect."""
        self._app.open()

    def put(self, operation: Operation) -> None:
        """Put an operation in; nothing happens when it is there already. Raises StoreUnavailable."""
        job = self._app.configure_task(TASK, queue=QUEUE, queueing_lock=operation.id, allow_unknown=True)
        try:
            job.defer(space_id=operation.space_id, operation_id=operation.id)
        except exceptions.AlreadyEnqueued:
            return
        except exceptions.ConnectorException as error:
            raise StoreUnavailable(f"the queue cannot be reached: {error}") from error

    def close(self) -> None:
        """Let go of the connections."""
        self._app.close()


def run_worker(memory: Memory, *, jobs: int, lease_s: float = 15.0, wait: bool = True) -> None:
    """Carry out operations of the queue until told to stop.

    Args:
        memory: What they work on.
        jobs: How many at the same time.
        lease_s: As in ServerSettings.
        wait: False: end when the queue is empty.
    """
    _prepare(memory)
    operations = Operations(memory, metrics=Metrics(), jobs=jobs, lease_s=lease_s, takes=False)
    app = procrastinate.App(connector=procrastinate.PsycopgConnector(conninfo=_conninfo(memory)))

    @app.task(name=TASK, queue=QUEUE, retry=procrastinate.RetryStrategy(max_attempts=5, wait=int(lease_s) + 1))
    def operation(space_id: str, operation_id: str) -> None:
        operations.run_one(space_id, operation_id)

    @app.periodic(cron="* * * * *")
    @app.task(name="trajwiki.stalled", queue=QUEUE, queueing_lock="stalled", pass_context=True)
    async def stalled(context: Any, timestamp: int) -> None:
        """Let jobs of workers that were killed run again."""
        for job in await app.job_manager.get_stalled_jobs(seconds_since_heartbeat=STALLED_S):
            await app.job_manager.retry_job(job)

    operations.start()
    try:
        app.run_worker(
            queues=[QUEUE],
            concurrency=jobs,
            wait=wait,
            delete_jobs="successful",
            stalled_worker_timeout=STALLED_S,
            shutdown_graceful_timeout=STALLED_S,
        )
    finally:
        operations.stop()


def _prepare(memory: Memory) -> None:
    """Make the tables of the queue where they are missing."""
    if memory.database.is_sqlite:
        raise UsageError("the queue `procrastinate` needs PostgreSQL; on SQLite the server does all the work itself")
    with memory.database.writing() as c:
        c.execute(sa.text(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}"))
        there = sa.inspect(c).has_table("procrastinate_jobs", schema=SCHEMA)
    if not there:
        with procrastinate.App(connector=procrastinate.SyncPsycopgConnector(conninfo=_conninfo(memory))).open() as app:
            app.schema_manager.apply_schema()


def _conninfo(memory: Memory) -> str:
    url = memory.database.url.set(drivername="postgresql").render_as_string(hide_password=False)
    return make_conninfo(url, options=f"-csearch_path={SCHEMA}")
