"""The command line's root: groups of commands, and options that many commands share."""

from __future__ import annotations

from typing import Annotated

import typer

app = typer.Typer(
    name="trajwiki",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="Long-term memory for agents that can say where a memory came from, how it changed, and why it was used.",
)


def group(name: str, help: str) -> typer.Typer:
    """Make a group of commands."""
    made = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help=help)
    app.add_typer(made, name=name)
    return made


spaces_app = group("spaces", "List, rename and delete spaces.")
bench_app = group("bench", "Measure on data sets.")

Db = Annotated[str | None, typer.Option("--db", help="Path or URL of the database (TRAJWIKI_DB).")]
SpaceName = Annotated[str | None, typer.Option("--space", "-s", help="Which memory (TRAJWIKI_SPACE, else 'default').")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON (docs/json.md).")]
Budget = Annotated[int | None, typer.Option("--budget", help="Words of context, at most.")]
AsOf = Annotated[str | None, typer.Option("--as-of", help="A commit number or a time: from what was believed then.")]
ProfileName = Annotated[
    str | None, typer.Option("--profile", help="Retrieval: default, paper, wiki (alone), messages (alone).")
]
HeardUntil = Annotated[str | None, typer.Option("--heard-until", help="A time: only from messages sent up to then.")]
ValidAt = Annotated[str | None, typer.Option("--valid-at", help="A time: from what was true on that day.")]
ModelName = Annotated[
    str | None, typer.Option("--model", help="Chat model to ask (TRAJWIKI_MODEL); none: local mode, no network.")
]
BaseUrl = Annotated[
    str | None,
    typer.Option("--base-url", help="Its OpenAI-compatible endpoint (TRAJWIKI_BASE_URL); key: OPENAI_API_KEY."),
]
MaxTokens = Annotated[
    int | None, typer.Option("--max-tokens", help="Tokens to spend at most; the next run goes on from there.", min=1)
]
