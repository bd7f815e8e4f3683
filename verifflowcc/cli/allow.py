"""`vfcc allow`."""

import sys
from typing import Annotated

import typer

from verifflowcc.cli.options import JsonFlag

NOT_ALLOWED = 1


def allow(
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask. A CI job needs it.")] = False,
    check: Annotated[bool, typer.Option("--check", help="Only say whether they are allowed; exit 1 if not.")] = False,
    withdraw: Annotated[bool, typer.Option("--withdraw", help="Take back what was allowed.")] = False,
    pin: Annotated[
        list[str] | None, typer.Option("--pin", metavar="FILE", help="Allow them only while FILE stays as it is.")
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Show the project's commands and allow them here.

    Hooks and filters that the repository has git run at a commit are among them. A change of any needs allowing again.
    What is allowed is kept outside of the project.
    """
    from verifflowcc.cli import allow_views
    from verifflowcc.cli import output as out
    from verifflowcc.errors import CommandsNotAllowed, UsageError
    from verifflowcc.services.allow import allow_commands, show_commands, withdraw_commands
    from verifflowcc.services.workspace import open_workspace

    if yes + check + withdraw > 1:
        raise UsageError("only one of --yes, --check and --withdraw makes sense", hint="vfcc allow --help")
    workspace = open_workspace()
    if withdraw:
        gone = withdraw_commands(workspace)
        if as_json:
            out.emit_json({"withdrawn": gone})
        else:
            out.emit("nothing of this project is allowed to run any more" if gone else "nothing was allowed")
        return
    table = show_commands(workspace)
    if table.problem:
        out.warn(table.problem)
    asks = not ((table.allowed and not pin) or check or yes)
    if asks and not sys.stdin.isatty():
        names = ", ".join(table.names)
        raise CommandsNotAllowed(
            f"not allowed on this machine: {names}; there is no terminal to ask at", hint="vfcc allow --yes"
        )
    if not as_json:
        out.emit(allow_views.table(table))
    if (asks and allow_views.agreed(table)) or (yes and (pin or not table.allowed)):
        table = allow_commands(workspace, table, pin or ())
    if as_json:
        out.emit_json(table)
    else:
        out.emit(allow_views.verdict(table))
    if not table.allowed:
        raise typer.Exit(NOT_ALLOWED)
