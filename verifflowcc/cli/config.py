"""`vfcc config`: show and describe the configuration; and `vfcc check config`."""

from typing import TYPE_CHECKING

import typer

from verifflowcc.cli.options import JsonFlag, QuietFlag, one_output

if TYPE_CHECKING:
    from verifflowcc.services.configuration import ConfigReport

app = typer.Typer(help="Show and describe .memory/config.yaml.", no_args_is_help=True)


def check(quiet: QuietFlag = False, as_json: JsonFlag = False) -> None:
    """Say everything that is wrong with config.yaml.

    Exits with 1 if anything is.
    """
    from verifflowcc.cli import output as out
    from verifflowcc.cli.options import counted
    from verifflowcc.services.configuration import check_config
    from verifflowcc.services.workspace import open_workspace

    one_output(quiet=quiet, more=as_json)
    report = check_config(open_workspace())
    if quiet:
        out.emit(f"config: {counted(len(report.problems), 'problem')}")
    else:
        out.emit_json(report) if as_json else tell(report)
    if report.problems:
        raise typer.Exit(1)


def tell(report: "ConfigReport") -> None:
    """Print what is wrong, or that nothing is."""
    from verifflowcc.cli import output as out

    for problem in report.problems:
        out.emit(problem)
    for notice in report.notices:
        out.warn(notice)
    if not report.problems:
        out.emit("config.yaml is valid")


@app.command()
def show(as_json: JsonFlag = False) -> None:
    """Print the settings in force, each with where it comes from."""
    from verifflowcc.cli import output as out
    from verifflowcc.cli.table import table
    from verifflowcc.services.configuration import show_config
    from verifflowcc.services.workspace import open_workspace

    settings = show_config(open_workspace())
    if as_json:
        out.emit_json(settings)
    else:
        rows = [(one.name, one.origin, _value(one.value)) for one in settings]
        out.emit(table(("setting", "from", "value"), rows))


@app.command()
def schema() -> None:
    """Print the JSON Schema of config.yaml, for editors."""
    from verifflowcc.cli import output as out
    from verifflowcc.services.configuration import config_schema

    out.emit(config_schema())


def _value(value: object) -> str:
    if isinstance(value, tuple | list):
        return ", ".join(str(one) for one in value) or "–"
    return "–" if value is None else str(value)
