"""The command `vfcc`: its groups, in the order in which `--help` shows them."""

from typing import Annotated

import typer

from verifflowcc.cli import config, context, init, sprint, stage, status

app = typer.Typer(
    help="V-Model sprints and one committed memory, for teams that work with agents.",
    rich_markup_mode=None,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
app.command("init")(init.init)
app.command("status")(status.status)
app.add_typer(sprint.app, name="sprint")
app.add_typer(stage.app, name="stage")
app.add_typer(context.app, name="context")
app.add_typer(config.app, name="config")


def _version(asked: bool) -> None:
    if asked:
        from verifflowcc import __version__
        from verifflowcc.cli.output import emit

        emit(f"vfcc {__version__}")
        raise typer.Exit


@app.callback()
def vfcc(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """V-Model sprints and one committed memory, for teams that work with agents."""
