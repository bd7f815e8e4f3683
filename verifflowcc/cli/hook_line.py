"""`vfcc hook` as a command among others, for its help: whatever else is asked of it, `fast/` has answered before."""

from typing import Annotated

import typer


def hook(
    client: Annotated[
        str, typer.Argument(metavar="CLIENT", help="The client: claude, codex, cursor, gemini or copilot.")
    ],
    event: Annotated[
        str | None, typer.Argument(metavar="[EVENT]", help="Event name, for clients that do not send it on stdin.")
    ] = None,
) -> None:
    """Record what an agent does, and answer its client.

    A client runs this, with JSON on stdin. It never fails: what goes wrong is in .memory/local/hook-errors.jsonl.
    """
