"""doctor."""

from __future__ import annotations

import typer

from trajwiki.cli.output import print_json, say
from trajwiki.cli.session import opened, space_of
from trajwiki.payloads import problem_payloads


def doctor(*, repair: bool, space: str | None, db: str | None, json: bool) -> None:
    """Check one space, or all, and print findings; exit code 1 when there are any left."""
    done: list[str] = []
    with opened(db) as memory:
        file_problems = memory.integrity()
        names = [space_of(memory, space).name] if space else [s.name for s in memory.spaces()]
        if repair and not file_problems:
            done = [f"{name}: {what}" for name in names for what in memory.space(name).repair()[0]]
        found = {name: [] if file_problems else memory.space(name).examine() for name in names}
    if json:
        print_json(
            {
                "schema": "trajwiki.doctor/1",
                "file": file_problems,
                "repaired": done,
                "spaces": {name: problem_payloads(problems) for name, problems in found.items()},
            }
        )
    else:
        say(*(f"file: {line}" for line in file_problems), *(f"repaired: {line}" for line in done))
        for name, problems in found.items():
            say(f"{name}: " + ("sound" if not problems else f"{len(problems)} findings"))
            say(*(f"  {p.code}  {p.message}" for p in problems))
    if file_problems or any(found.values()):
        raise typer.Exit(1)
