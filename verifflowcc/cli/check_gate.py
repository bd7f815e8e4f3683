"""`vfcc check gate`: ask a stage's gate, and run and write nothing."""

from typing import TYPE_CHECKING, Annotated

import typer

from verifflowcc.cli.options import FullFlag, JsonFlag, QuietFlag, SprintOption, StageArgument, one_output

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verifflowcc.domain.gates import Gate
    from verifflowcc.services.documents.envelope import Problem
    from verifflowcc.services.owed import Owed
    from verifflowcc.services.workspace import Workspace

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
    from verifflowcc.cli import gate_views
    from verifflowcc.cli import output as document
    from verifflowcc.cli import output as out
    from verifflowcc.services.gates import ask_entry, ask_stage
    from verifflowcc.services.owed import hard_at, next_command
    from verifflowcc.services.sprint_reading import active_sprint
    from verifflowcc.services.workspace import open_workspace

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
        document.explain(_problem(closed, hard_at(*closed), hint))
        raise typer.Exit(CLOSED)


def _problem(closed: "Sequence[Gate]", blockers: "tuple[Owed, ...]", hint: str | None) -> "Problem":
    from verifflowcc.services.documents.envelope import Problem

    names = " and ".join(f"the {each.side} gate of {each.stage}" for each in closed)
    return Problem("gate_closed", f"{names} {'is' if len(closed) == 1 else 'are'} closed", hint, blockers)


def _canary(workspace: "Workspace", sprint: str, stage: str | None, *, as_json: bool) -> None:
    from verifflowcc.cli import output as out
    from verifflowcc.cli import prove_views as canary_views
    from verifflowcc.services.canary import prove_gate

    proved = prove_gate(workspace, sprint, stage)
    out.emit_json(proved) if as_json else out.emit(canary_views.proofs(proved))
    if not proved.sound:
        raise typer.Exit(FINDINGS)
