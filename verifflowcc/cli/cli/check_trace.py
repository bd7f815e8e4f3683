"""`vfcc check trace`: everything that is wrong between need and passing test; it writes nothing but what is derived."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from verifflowcc.base.terminal import declared as typer
from verifflowcc.base.terminal.options import (
    AllFlag,
    FindingsFormat,
    JsonFlag,
    JunitOption,
    NewFlag,
    QuietFlag,
    chosen,
    one_output,
)
from verifflowcc.base.terminal.terminal import switch_color_off

if TYPE_CHECKING:
    from verifflowcc.base.use.workspace import Workspace
    from verifflowcc.trace.use.trace_checking import TraceCheckResult


FINDINGS = 1
NOTHING = 3


def trace(
    as_json: JsonFlag = False,
    form: Annotated[FindingsFormat | None, typer.Option("--format", help="How to write them (default: text).")] = None,
    output: Annotated[
        Path | None, typer.Option("--output", metavar="FILE", help="Write them to FILE; the verdict goes to stderr.")
    ] = None,
    junit: JunitOption = None,
    changed_since: Annotated[
        str | None, typer.Option("--changed-since", metavar="REF", help="Only findings on what changed since REF.")
    ] = None,
    new: NewFlag = False,
    whole: AllFlag = False,
    quiet: QuietFlag = False,
) -> None:
    """Check items, links, marks and test results.

    Prints one screen; --all lists each finding, known ones too, and each check with what it looked at. Exits with 1
    where anything is an error or a warning, with 3 where there is no item to look at.
    """
    from verifflowcc.base.terminal import output as out
    from verifflowcc.base.use.workspace import open_workspace
    from verifflowcc.cli.cli.trace_findings_output import verdict
    from verifflowcc.trace.use.trace_checking import check_trace

    wanted = chosen(form, as_json=as_json)
    one_output(quiet=quiet, more=whole or wanted is not FindingsFormat.TEXT)
    if output is not None:
        switch_color_off()  # a file holds plain text
    workspace = open_workspace()
    earlier = None
    if new:
        from verifflowcc.cli.use.checking import earlier_findings

        earlier = earlier_findings(workspace, memory=False).trace
    checked = check_trace(workspace, junit=junit or (), changed_since=changed_since, earlier=earlier)
    if quiet:
        out.emit(verdict(checked))
        raise typer.Exit(exit_code(checked))
    for notice in (*checked.notices, *checked.report.notices):
        out.warn(notice)
    if wanted is FindingsFormat.JSON:
        out.emit_json(checked, output)
    else:
        text = _page(workspace, checked, whole=whole) if wanted is FindingsFormat.TEXT else _written(checked, wanted)
        _deliver(text, output)
    if output is not None or wanted not in {FindingsFormat.TEXT, FindingsFormat.JSON}:
        out.say(verdict(checked))
    if code := exit_code(checked):
        from verifflowcc.trace.cli.trace_exchange import problem_in

        out.explain(problem_in(checked.report, code))
        raise typer.Exit(code)


def exit_code(checked: "TraceCheckResult") -> int:
    """Return 3 where there was nothing to evaluate, 1 where anything is red, else 0."""
    if not checked.report.evaluable:
        return NOTHING
    return FINDINGS if checked.report.red else 0


def _page(workspace: "Workspace", checked: "TraceCheckResult", *, whole: bool) -> str:
    from verifflowcc.base.terminal.output import screen_lines
    from verifflowcc.cli.cli.trace_findings_output import short_page, whole_page
    from verifflowcc.gates.use.gates_now import results_hint

    return (whole_page(checked) if whole else short_page(checked, results_hint(workspace), screen_lines())) + "\n"


def _written(checked: "TraceCheckResult", wanted: FindingsFormat) -> str:
    from verifflowcc.base.model.findings import TRACE
    from verifflowcc.trace.cli.trace_exchange import report_text

    return report_text(wanted, checked.report, checked.prefix, TRACE)


def _deliver(text: str, path: Path | None) -> None:
    from verifflowcc.base.files.write import write_atomic
    from verifflowcc.base.terminal import output as out

    if path is not None:
        write_atomic(path, out.without_secrets(text))
    elif text:
        out.emit(text)
