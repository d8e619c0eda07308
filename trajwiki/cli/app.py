"""The command line: all commands, and how a process ends. Heavy imports wait until a command runs."""

from __future__ import annotations

import os
import sys

from trajwiki.cli import memory_commands as _memory  # isort: skip  # its commands come first in --help
from trajwiki.cli import bench_commands as _bench
from trajwiki.cli import history_commands as _history
from trajwiki.cli import practice_commands as _practice
from trajwiki.cli import server_commands as _server
from trajwiki.cli.root import app

COMMANDS = (_memory, _history, _practice, _server, _bench)  # importing them has made their commands


def run() -> None:
    """Run the command of the process's arguments and exit: 0 done, 1 the answer is no, 2 wrong call, 3 surroundings."""
    from trajwiki.errors import TrajwikiError

    try:
        app()
    except TrajwikiError as error:
        if os.environ.get("TRAJWIKI_DEBUG") == "1":
            raise
        print(f"error: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        print("interrupted; what was committed is kept, run the same command to go on", file=sys.stderr)
        sys.exit(130)
