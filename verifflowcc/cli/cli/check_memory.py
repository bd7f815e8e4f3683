"""`vfcc check memory`: everything that is wrong with remembered items; it writes nothing but what is derived."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from verifflowcc.base.terminal import declared as typer
from verifflowcc.base.terminal.options import AllFlag, FindingsFormat, JsonFlag, NewFlag, QuietFlag, chosen, one_output
from verifflowcc.base.terminal.terminal import switch_color_off

if TYPE_CHECKING:
    from verifflowcc.cli.use.memory_checking import MemoryCheck


FINDINGS = 1
NOTHING = 3


def memory(
    as_json: JsonFlag = False,
    scope: Annotated[
        str | None, typer.Option("--scope", metavar="SCOPE", help="Only these items: user, project, sprint/ID …")
    ] = None,
    form: Annotated[FindingsFormat | None, typer.Option("--format", help="How to write them.")] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write them to FILE; the verdict to stderr.")
    ] = None,
    new: NewFlag = False,
    whole: AllFlag = False,
    quiet: QuietFlag = False,
) -> None:
    """Check all items of the project, or with --scope user your own.

    Prints one screen; --all lists each finding. Exits with 1 where anything is an error or a warning,
    with 3 where there is nothing to read.
    """
    from verifflowcc.base.files.private_files import USER
    from verifflowcc.base.terminal import output as out
    from verifflowcc.cli.cli.findings_output import verdict
    from verifflowcc.cli.use.memory_checking import check_memory
    from verifflowcc.memory.use.item_scope import required, workspace_for

    wanted = chosen(form, as_json=as_json)
    one_output(quiet=quiet, more=whole or wanted is not FindingsFormat.TEXT)
    if output is not None:
        switch_color_off()  # a file holds plain text
    workspace = workspace_for(scope)
    earlier = None
    if new:
        from verifflowcc.cli.use.checking import earlier_findings

        if scope == USER:
            raise typer.TyperException("--new compares with a commit, and your own items are in none; leave one out")
        earlier = earlier_findings(required(workspace), trace=False).memory
    checked = check_memory(workspace, scope, earlier=earlier)
    if quiet:
        out.emit(verdict(checked))
        raise typer.Exit(exit_code(checked))
    for notice in checked.notices:
        out.warn(notice)
    if wanted is FindingsFormat.JSON:
        out.emit_json(checked, output)
    elif output is not None:
        from verifflowcc.base.files.text_files import write_given

        write_given(output, out.without_secrets(_written(checked, wanted, whole=whole)))
    elif text := _written(checked, wanted, whole=whole):
        out.emit(text)
    if output is not None or wanted not in {FindingsFormat.TEXT, FindingsFormat.JSON}:
        out.say(verdict(checked))
    if code := exit_code(checked):
        from verifflowcc.trace.cli.trace_exchange import problem_in

        out.explain(problem_in(checked.report, code))
        raise typer.Exit(code)


def exit_code(checked: "MemoryCheck") -> int:
    """Return 3 where there was nothing to read, 1 where anything is an error or a warning, else 0."""
    if not checked.anything:
        return NOTHING
    return FINDINGS if checked.report.red else 0


def _written(checked: "MemoryCheck", wanted: FindingsFormat, *, whole: bool) -> str:
    if wanted is FindingsFormat.TEXT:
        from verifflowcc.base.terminal.output import screen_lines
        from verifflowcc.cli.cli.findings_output import short_page, whole_page

        return (whole_page(checked) if whole else short_page(checked, screen_lines())) + "\n"
    from verifflowcc.memory.rules.memory_codes import CATALOGUE
    from verifflowcc.trace.cli.trace_exchange import report_text

    return report_text(wanted, checked.report, checked.prefix, CATALOGUE)
