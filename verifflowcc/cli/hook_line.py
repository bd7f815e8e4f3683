"""`vfcc hook` as a command among others, for its help: whatever else is asked of it, `fast/` has answered before."""

from typing import Annotated

import typer

from verifflowcc.domain.agent_clients import CLIENTS

_NAMES = " or ".join(", ".join(CLIENTS).rsplit(", ", 1))


def hook(
    client: Annotated[str, typer.Argument(metavar="CLIENT", help=f"The client: {_NAMES}.")],
    event: Annotated[
        str | None, typer.Argument(metavar="[EVENT]", help="Event name, for clients that do not send it on stdin.")
    ] = None,
) -> None:
    """Record what an agent does, and answer its client.

    A client runs this, with JSON on stdin. It never fails: what goes wrong is in .memory/local/hook-errors.jsonl.
    """
