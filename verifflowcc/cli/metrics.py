"""`vfcc metrics`: the numbers of stages and sprints side by side."""

from typing import Annotated

import typer

from verifflowcc.cli.options import JsonFlag


def metrics(
    sprint: Annotated[
        str | None, typer.Option("--sprint", metavar="ID", help="Sprint id (default: all sprints).")
    ] = None,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print one row per stage as CSV.")] = False,
    as_json: JsonFlag = False,
) -> None:
    """Show the numbers of stages and sprints.

    Times, failures, rework, findings, waivers, tests and coverage of each stage, with totals per sprint. Exits with 1
    where a stage's metrics.json is missing or damaged: its numbers are then unknown and shown as such.
    """
    from verifflowcc.cli import output as out
    from verifflowcc.cli import report_views
    from verifflowcc.errors import UsageError
    from verifflowcc.services.metrics import gather_metrics
    from verifflowcc.services.workspace import open_workspace
    from verifflowcc.workflow.metrics_words import csv_text

    if as_csv and as_json:
        raise UsageError("give --csv or --json, not both", hint="vfcc metrics --csv")
    found = gather_metrics(open_workspace(), sprint)
    if as_json:
        out.emit_json(found)
    elif as_csv:
        out.emit(csv_text(found.sprints))
    else:
        out.emit(report_views.all_metrics(found.sprints))
    for problem in found.problems:
        out.warn(problem)
    if found.problems:
        raise typer.Exit(1)
