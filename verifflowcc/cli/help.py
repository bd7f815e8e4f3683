"""`vfcc help`: the help of a command, or all commands on one page."""

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from typer._click.core import Command, Context
    from typer.core import TyperGroup


def help_(
    context: typer.Context,
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[COMMAND]…", help="A command or a group (default: all).")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="List every command, the rarely typed ones too.")] = False,
) -> None:
    """Show the help of a command, or list all commands.

    `vfcc help COMMAND` is `vfcc COMMAND --help`.
    """
    from verifflowcc.cli import output as out
    from verifflowcc.cli.usage import no_command

    here: Command = context.find_root().command
    where = context.find_root()
    for name in names or ():
        below = getattr(here, "commands", {}).get(name)
        if below is None:
            raise no_command(context.find_root().command, where.command_path, name)
        here, where = below, below.context_class(below, info_name=name, parent=where)
    out.emit(_all(where) if everything and hasattr(here, "commands") else where.get_help())


def _all(context: "Context") -> str:
    """Return a section for each group below a command, and one of the commands that belong to none."""
    formatter = context.make_formatter()
    group: TyperGroup = context.command  # type: ignore[assignment]
    rows = [(name, group.commands[name]) for name in group.list_commands(context)]
    with formatter.section(context.command_path):
        formatter.write_dl([(name, each.get_short_help_str(100)) for name, each in rows])
    below = [each.context_class(each, info_name=name, parent=context) for name, each in rows if _is_group(each)]
    return "\n".join([formatter.getvalue().rstrip("\n"), *(f"\n{_all(each)}".rstrip("\n") for each in below)])


def _is_group(command: "Command") -> bool:
    return hasattr(command, "commands")
