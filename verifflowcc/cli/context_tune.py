"""`vfcc context tune`: what the last prompts say of a role's shares."""

from typing import Annotated

import typer

from verifflowcc.cli.options import JsonFlag


def _number(text: str) -> int:
    if not (text.isascii() and text.isdecimal()) or len(text) > 6 or int(text) < 1:
        raise typer.BadParameter(f"{text!r} is no number of prompts; give a whole number from 1 up")
    return int(text)


def tune(
    agent: Annotated[
        str | None, typer.Option("--agent", "-a", metavar="ROLE", help="One role (default: each that has prompts).")
    ] = None,
    last: Annotated[
        int | None,
        typer.Option("--last", metavar="NUMBER", parser=_number, help="The last prompts of a role; 50 if not said."),
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Show which layers lacked or wasted room, and suggest better shares.

    From the last prompts that were compiled here for each role; those that the cache answered do not count. It suggests
    and changes nothing.
    """
    from verifflowcc.cli import context_tune_views
    from verifflowcc.cli import output as out
    from verifflowcc.services.allocation_tuning import LAST, tune_allocation
    from verifflowcc.services.workspace import open_workspace

    found = tune_allocation(open_workspace(), agent, last or LAST)
    for notice in found.notices:
        out.warn(notice)
    if as_json:
        out.emit_json(found)
    else:
        out.emit(context_tune_views.tuning(found))
