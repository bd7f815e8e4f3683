"""`vfcc check`: run all checks and report everything in one run; change nothing."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from verifflowcc.base.terminal import declared as typer
from verifflowcc.base.terminal.options import (
    AllFlag,
    FindingsFormat,
    FullFlag,
    JsonFlag,
    JunitOption,
    NewFlag,
    QuietFlag,
    SprintOption,
    StageArgument,
    chosen,
    one_output,
)
from verifflowcc.base.terminal.terminal import switch_color_off
from verifflowcc.cli.cli import project_commands as config

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from verifflowcc.base.model.gate_values import Gate
    from verifflowcc.base.model.trace_help import Catalogue
    from verifflowcc.base.model.trace_values import TraceReport
    from verifflowcc.base.use.document_form import Problem
    from verifflowcc.base.use.workspace import Workspace
    from verifflowcc.cli.use.checking import AllChecks
    from verifflowcc.cli.use.memory_checking import MemoryCheck
    from verifflowcc.gates.use.gates_now import StageGates
    from verifflowcc.gates.use.owed import UnmetCriterion
    from verifflowcc.sprint.use.workflow_use import WorkflowReport
    from verifflowcc.trace.use.trace_checking import TraceCheckResult


# `vfcc check gate`: ask a stage's gate, and run and write nothing.

FINDINGS = 1
CLOSED = 4


def gate(
    stage: StageArgument = None,
    sprint: SprintOption = None,
    entry: Annotated[bool, typer.Option("--entry", help="Ask what is needed to enter STAGE, not to leave it.")] = False,
    canary: Annotated[
        bool, typer.Option("--canary", help="Plant a violation for each criterion in a copy; the gate must close.")
    ] = False,
    quiet: QuietFlag = False,
    full: FullFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Ask every criterion of a stage's gate.

    Exits with 4 while the gate is closed; nothing is run or written. A canary runs commands in a scratch copy, and
    exits with 1 where a criterion cannot fail, which is a defect of the workflow.
    """
    from verifflowcc.base.terminal import output as out
    from verifflowcc.base.use.workspace import open_workspace
    from verifflowcc.gates.cli import gate_output as gate_views
    from verifflowcc.gates.use.gates_now import ask_entry, ask_stage
    from verifflowcc.gates.use.owed import hard_at, next_command
    from verifflowcc.sprint.use.sprint_reading import active_sprint

    one_output(quiet=quiet, more=as_json or canary)
    workspace = open_workspace()
    wanted = active_sprint(workspace, sprint).id
    if canary:
        _canary(workspace, wanted, stage, as_json=as_json)
        return
    if entry:
        asked = ask_entry(workspace, wanted, stage)
        closed: tuple[Gate, ...] = () if asked.is_open else (asked,)
        hint = None
        if quiet:
            out.emit(gate_views.head(asked))
        else:
            out.emit_json(asked) if as_json else out.emit(gate_views.one_gate(asked, full=full))
    else:
        gates = ask_stage(workspace, wanted, stage)
        closed = tuple(each for each in gates.gates if not each.is_open)
        hint = next_command(workspace, gates)
        if quiet:
            out.emit(gate_views.head(next(iter(closed), gates.exit)))
        else:
            for notice in gates.notices:
                out.warn(notice)
            out.emit_json(gates) if as_json else out.emit(gate_views.both(gates, hint, full=full))
    if closed:
        out.explain(_problem(closed, hard_at(*closed), hint))
        raise typer.Exit(CLOSED)


def _problem(closed: "Sequence[Gate]", blockers: "tuple[UnmetCriterion, ...]", hint: str | None) -> "Problem":
    from verifflowcc.base.use.document_form import Problem

    names = " and ".join(f"the {each.side} gate of {each.stage}" for each in closed)
    return Problem("gate_closed", f"{names} {'is' if len(closed) == 1 else 'are'} closed", hint, blockers)


def _canary(workspace: "Workspace", sprint: str, stage: str | None, *, as_json: bool) -> None:
    from verifflowcc.base.terminal import output as out
    from verifflowcc.gates.cli import prove_output as canary_views
    from verifflowcc.gates.use.canary import prove_gate

    proved = prove_gate(workspace, sprint, stage)
    out.emit_json(proved) if as_json else out.emit(canary_views.proofs(proved))
    if not proved.sound:
        raise typer.Exit(FINDINGS)


# `vfcc check memory` and `vfcc check trace`: everything that is wrong with remembered items, and between need and
# passing test; they write nothing but what is derived.

NOTHING = 3
FormOption = Annotated[FindingsFormat | None, typer.Option("--format", help="How to write them (default: text).")]
OutputOption = Annotated[
    Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write them to FILE; the verdict goes to stderr.")
]


def memory(
    as_json: JsonFlag = False,
    scope: Annotated[
        str | None, typer.Option("--scope", metavar="SCOPE", help="Only these items: user, project, sprint/ID …")
    ] = None,
    form: FormOption = None,
    output: OutputOption = None,
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
    from verifflowcc.base.use.workspace import required
    from verifflowcc.cli.cli.findings_output import short_page, verdict, whole_page
    from verifflowcc.cli.use.memory_checking import check_memory
    from verifflowcc.memory.rules.memory_codes import CATALOGUE
    from verifflowcc.memory.use.item_scope import workspace_for

    wanted = _wanted(form, output, as_json=as_json, quiet=quiet, whole=whole)
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
    else:
        page = partial(whole_page, checked) if whole else partial(short_page, checked, room=out.screen_lines())
        _deliver(checked, wanted, output, page, CATALOGUE, verdict(checked))
    _end(checked.report)


def trace(
    as_json: JsonFlag = False,
    form: FormOption = None,
    output: OutputOption = None,
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
    from verifflowcc.base.model.trace_help import TRACE
    from verifflowcc.base.terminal import output as out
    from verifflowcc.base.use.workspace import open_workspace
    from verifflowcc.cli.cli.trace_findings_output import short_page, verdict, whole_page
    from verifflowcc.gates.use.gates_now import results_hint
    from verifflowcc.trace.use.trace_checking import check_trace

    wanted = _wanted(form, output, as_json=as_json, quiet=quiet, whole=whole)
    workspace = open_workspace()
    earlier = None
    if new:
        from verifflowcc.cli.use.checking import earlier_findings

        earlier = earlier_findings(workspace, memory=False).trace
    checked = check_trace(workspace, junit=junit or (), changed_since=changed_since, earlier=earlier)
    if quiet:
        out.emit(verdict(checked))
    else:
        shortened = partial(short_page, checked, hint=results_hint(workspace), room=out.screen_lines())
        page = partial(whole_page, checked) if whole else shortened
        _deliver(checked, wanted, output, page, TRACE, verdict(checked))
    _end(checked.report)


def _wanted(
    form: FindingsFormat | None, output: Path | None, *, as_json: bool, quiet: bool, whole: bool
) -> FindingsFormat:
    wanted = chosen(form, as_json=as_json)
    one_output(quiet=quiet, more=whole or wanted is not FindingsFormat.TEXT)
    if output is not None:
        switch_color_off()  # a file holds plain text
    return wanted


def _deliver(
    checked: "MemoryCheck | TraceCheckResult",
    wanted: FindingsFormat,
    output: Path | None,
    page: "Callable[[], str]",
    codes: "Catalogue",
    verdict: str,
) -> None:
    """Write what a check found to stdout or a file, in the form that was asked for; the verdict to stderr beside it."""
    from verifflowcc.base.errors import FileErrors
    from verifflowcc.base.files.text_files import write_given
    from verifflowcc.base.terminal import output as out
    from verifflowcc.trace.cli.trace_exchange import report_text

    for notice in (*checked.notices, *checked.report.notices):
        out.warn(notice)
    if output is not None and not output.parent.exists():
        with FileErrors("write", output):  # pipelines name a folder for reports, which a fresh clone does not have
            output.parent.mkdir(parents=True, exist_ok=True)
    if wanted is FindingsFormat.JSON:
        out.emit_json(checked, output)
    else:
        is_page = wanted is FindingsFormat.TEXT
        text = page() + "\n" if is_page else report_text(wanted, checked.report, checked.prefix, codes)
        if output is not None:
            write_given(output, out.without_secrets(text))
        elif text:
            out.emit(text)
    if output is not None or wanted not in {FindingsFormat.TEXT, FindingsFormat.JSON}:
        out.say(verdict)


def _end(report: "TraceReport") -> None:
    """Exit with 3 where there was nothing to check, with 1 where anything is an error or a warning."""
    from verifflowcc.base.terminal import output as out
    from verifflowcc.trace.cli.trace_exchange import problem_in

    code = (FINDINGS if report.red else 0) if report.evaluable else NOTHING
    if code:
        out.explain(problem_in(report, code))
        raise typer.Exit(code)


app = typer.Typer(help="Check configuration, workflow, gates, trace and memory.")
app.command("config")(config.check)
app.command("gate")(gate)
app.command("trace")(trace)
app.command("memory")(memory)


@app.callback(invoke_without_command=True)
def check(
    context: typer.Context,
    rerun: Annotated[
        bool, typer.Option("--rerun", help="Run recorded commands again: what they do not reproduce is red.")
    ] = False,
    sprint: Annotated[
        str | None,
        typer.Option("--sprint", metavar="ID", help="With --rerun: sprint id (default: the current one, or the last)."),
    ] = None,
    new: NewFlag = False,
    whole: AllFlag = False,
    quiet: QuietFlag = False,
    as_json: JsonFlag = False,
    full: FullFlag = False,
) -> None:
    """Check the configuration, the workflow, the gates of all open sprints, the memory, and the trace of items that are
    there; or one of them.

    Prints one screen: what blocks a gate, then the ten most useful kinds of findings with a count, their folders and
    one example each. Exits with the worst of what it found: 3 where a part could not be checked, 5, 1, 4. Only --rerun,
    and --canary of a gate, run anything.
    """
    if context.invoked_subcommand is not None:
        if rerun or sprint or new or whole or quiet:
            raise typer.TyperException(
                f"--rerun and --sprint go without {context.invoked_subcommand}, and the other options after it"
            )
        return
    one_output(quiet=quiet, more=as_json or whole)
    if rerun:
        if new or whole or quiet:
            raise typer.TyperException("--new, --all and --quiet go without --rerun")
        _rerun(sprint, as_json=as_json)
    elif sprint:
        raise typer.TyperException("--sprint goes with --rerun; for one gate: vfcc check gate --sprint ID")
    else:
        _everything(new=new, whole=whole, quiet=quiet, as_json=as_json)


def _rerun(sprint: str | None, *, as_json: bool) -> None:
    from verifflowcc.base.terminal import output as out
    from verifflowcc.base.use.workspace import open_workspace
    from verifflowcc.gates.cli.prove_output import reproduction
    from verifflowcc.gates.use.rerun import reproduce
    from verifflowcc.sprint.use.sprint_reading import current_or_last

    workspace = open_workspace()
    found = reproduce(workspace, current_or_last(workspace, sprint))
    out.emit_json(found) if as_json else out.emit(reproduction(found))
    if not found.sound:
        raise typer.Exit(1)


def _everything(*, new: bool, whole: bool, quiet: bool, as_json: bool) -> None:
    from verifflowcc.base.terminal import output as out
    from verifflowcc.base.use.workspace import open_workspace
    from verifflowcc.cli.cli.check_output import count_line
    from verifflowcc.cli.use.checking import check_everything

    workspace = open_workspace()
    found = check_everything(workspace, new=new)
    if quiet:
        out.emit(count_line(found))
    else:
        out.emit_json(found) if as_json else out.emit(_page(workspace, found, whole=whole))
        _notices(found)
    if found.code:
        raise typer.Exit(found.code)


def _page(workspace: "Workspace", found: "AllChecks", *, whole: bool) -> str:
    from verifflowcc.base.terminal.output import screen_lines
    from verifflowcc.cli.cli.check_output import short_page, whole_page
    from verifflowcc.gates.use.gates_now import results_hint
    from verifflowcc.gates.use.owed import next_command

    def next_of(gates: "StageGates") -> str:
        return next_command(workspace, gates)

    if whole:
        return whole_page(found, next_of)
    return short_page(found, next_of, results_hint(workspace) if found.trace else "", screen_lines())


def _notices(found: "AllChecks") -> None:
    """Print to stderr what was noticed on the way, and which parts could not be checked."""
    from verifflowcc.base.terminal import output as out

    trace = (*found.trace.notices, *found.trace.report.notices) if found.trace else ()
    memory = found.memory.notices if found.memory else ()
    for notice in (*found.config.notices, *found.workflow.notices, *memory, *trace):
        out.warn(notice)
    for one in found.not_checked:
        out.say("\n".join(f"error: {one.sprint or one.part}: {line}" for line in one.message.split("\n")))
        if one.hint:
            out.say(f"hint: {one.hint}")


@app.command()
def workflow(quiet: QuietFlag = False, as_json: JsonFlag = False) -> None:
    """Say everything that is wrong with .memory/workflow.yaml.

    Exits with 1 if anything is.
    """
    from verifflowcc.base.terminal import output as out
    from verifflowcc.base.text.plain_words import counted
    from verifflowcc.base.use.workspace import open_workspace
    from verifflowcc.sprint.use.workflow_use import check_workflow

    one_output(quiet=quiet, more=as_json)
    report = check_workflow(open_workspace())
    if quiet:
        out.emit(f"workflow: {counted(len(report.problems), 'problem')}")
    elif as_json:
        out.emit_json(report)
        for notice in report.notices:
            out.warn(notice)
    else:
        _tell(report)
    if report.problems:
        raise typer.Exit(1)


def _tell(report: "WorkflowReport") -> None:
    from verifflowcc.base.terminal import output as out
    from verifflowcc.base.terminal.output import folded

    for problem in report.problems:
        out.emit(problem)
    if not report.present:
        out.emit(folded("no .memory/workflow.yaml: sprints follow the workflows that come with vfcc", 2))
    elif not report.problems:
        out.emit(f"workflow.yaml is sound: {report.name}")
    for notice in report.notices:
        out.warn(notice)
