"""The command line: thin, no logic of its own."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Run the command line and exit with its code."""
    from trajwiki.cli.app import run

    try:
        run()
    except BrokenPipeError:  # the reader of our output left; nothing is wrong
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
