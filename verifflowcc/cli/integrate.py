"""`vfcc integrate`."""

from typing import Annotated

import typer

from verifflowcc.cli.options import DryRunFlag, JsonFlag
from verifflowcc.domain.agent_clients import CLIENTS

EDITED = 1


def integrate(
    clients: Annotated[
        list[str],
        typer.Argument(metavar="CLIENT…", help=f"{', '.join(CLIENTS)}.", show_default=False),
    ],
    uninstall: Annotated[bool, typer.Option("--uninstall", help="Take the hooks out again.")] = False,
    local: Annotated[
        bool, typer.Option("--local", help="For you alone: .claude/settings.local.json (claude).")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace or remove hooks of ours that were edited.")] = False,
    dry_run: DryRunFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Set clients up to run vfcc at their hooks, or undo it.

    Only hooks are written, and only in this project. What else is in a client's file stays as it is.
    """
    from verifflowcc.cli import integrate_views
    from verifflowcc.cli import output as out
    from verifflowcc.services.integrating import integrate as integrate_clients
    from verifflowcc.services.integrating import targets
    from verifflowcc.services.workspace import open_workspace

    wanted = targets(clients, local=local)
    done = integrate_clients(open_workspace(), wanted, uninstall=uninstall, force=force, dry_run=dry_run)
    if as_json:
        out.emit_json(done)
    else:
        out.emit(integrate_views.lines(done))
    if done.edited:
        raise typer.Exit(EDITED)
