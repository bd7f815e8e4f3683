"""`vfcc next`: the one most useful action, and its command."""

from typing import Annotated

import typer

from verifflowcc.cli.options import JsonFlag


def next_(
    sprint: Annotated[str | None, typer.Argument(metavar="SPRINT", help="Its id; else an open one.")] = None,
    as_json: JsonFlag = False,
) -> None:
    """Print the one most useful thing to do now, and its command."""
    from verifflowcc.cli import output as out
    from verifflowcc.services.next_step import next_step
    from verifflowcc.services.workspace import open_workspace

    step = next_step(open_workspace(), sprint)
    if as_json:
        out.emit_json(step)
        return
    out.emit(f"{step.why}\n{step.command}")
