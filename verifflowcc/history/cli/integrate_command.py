"""`vfcc integrate`."""

from typing import Annotated

from verifflowcc.base.model.agent_clients import CLIENTS
from verifflowcc.base.terminal import declared as typer
from verifflowcc.base.terminal.options import DryRunFlag, JsonFlag

EDITED = 1


def integrate(
    clients: Annotated[
        list[str] | None,
        typer.Argument(metavar="[CLIENT]…", help=f"{', '.join(sorted(CLIENTS))}, git.", show_default=False),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="All clients.")] = False,
    hooks_only: Annotated[
        bool, typer.Option("--hooks", help="Only hooks: no instructions, skills, agents, MCP.")
    ] = False,
    uninstall: Annotated[bool, typer.Option("--uninstall", help="Remove what was written.")] = False,
    local: Annotated[
        bool, typer.Option("--local", help="For you alone: hooks in .claude/settings.local.json (claude).")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace or remove parts of ours that were edited.")] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; exit with 1 where a file would change.")
    ] = False,
    dry_run: DryRunFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Set agent clients up for this project, or undo it.

    Writes hooks, the MCP server, instructions, skills and role agents, in this project alone. Everything else in a
    client's file keeps its bytes, also when vfcc's part is removed again.
    """
    from verifflowcc.base.errors import UsageError
    from verifflowcc.base.terminal import output as document
    from verifflowcc.base.terminal import output as out
    from verifflowcc.base.use.envelope import Problem
    from verifflowcc.base.use.workspace import open_workspace
    from verifflowcc.history.cli import integrate_output as integrate_views
    from verifflowcc.history.rules.client_entries import SETUPS
    from verifflowcc.history.use.client_setup import SetupRequest, clients_named, set_up_clients

    if bool(clients) is every:
        raise UsageError("name clients, or give --all", hint="vfcc integrate claude")
    names = clients_named(SETUPS if every else clients or ())
    request = SetupRequest(
        names,
        local=local,
        hooks_only=hooks_only,
        uninstall=uninstall,
        force=force,
        dry_run=dry_run or check,
    )
    done = set_up_clients(open_workspace(), request)
    if as_json:
        out.emit_json(done)
    else:
        out.emit(integrate_views.setup_lines(done))
    if done.edited or (check and done.changed):
        command = f"vfcc integrate {' '.join(names)}"
        document.explain(Problem("findings", "files of clients are not as vfcc writes them", command))
        raise typer.Exit(EDITED)
