"""`vfcc history`: what agents did."""

import typer

from verifflowcc.cli import history_import

app = typer.Typer(help="Ask what agents did.", no_args_is_help=True)
app.command("import")(history_import.import_)


@app.callback()
def history() -> None:
    """Ask what agents did."""
