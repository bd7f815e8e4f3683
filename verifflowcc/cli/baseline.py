"""`vfcc baseline`: accept faults that are older than the sprint, until a day."""

from typing import TYPE_CHECKING, Annotated

import typer

from verifflowcc.cli.options import CommitFlag, ExpiresOption, JsonFlag, SprintOption, YesFlag
from verifflowcc.domain.baselines import BaselineKind
from verifflowcc.records import dataclass

if TYPE_CHECKING:
    from verifflowcc.services.baseline_making import BaselineProposal

app = typer.Typer(help="Accept old faults of tests, lint and trace until a day.", no_args_is_help=True)
ReasonOption = Annotated[
    str, typer.Option("--reason", metavar="TEXT", help="Why they are accepted (default: that of the last baseline).")
]


@dataclass(frozen=True, slots=True)
class _Options:
    """What each of the three commands is given."""

    reason: str
    expires: str | None
    yes: bool
    sprint: str | None
    commit: bool
    as_json: bool


@app.command("tests")
def accept_tests(
    reason: ReasonOption = "",
    expires: ExpiresOption = None,
    runs: Annotated[
        int, typer.Option("--runs", metavar="N", help="How often to run them, to find flaky ones (default: 2).")
    ] = 2,
    prune: Annotated[bool, typer.Option("--prune", help="Instead: take out the tests that pass now.")] = False,
    yes: YesFlag = False,
    sprint: SprintOption = None,
    commit: CommitFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Accept the tests that fail on the sprint's base.

    vfcc runs the tests there, in a folder of its own, more than once: a test that both fails and passes is flaky. It
    takes a person at a terminal.
    """
    _accept(BaselineKind.TESTS, _Options(reason, expires, yes, sprint, commit, as_json), runs, prune=prune)


@app.command("lint")
def accept_lint(
    reason: ReasonOption = "",
    expires: ExpiresOption = None,
    yes: YesFlag = False,
    sprint: SprintOption = None,
    commit: CommitFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Accept the findings of scans and linters on the sprint's base.

    vfcc runs their commands there, in a folder of its own. It takes a person at a terminal.
    """
    _accept(BaselineKind.LINT, _Options(reason, expires, yes, sprint, commit, as_json))


@app.command("trace")
def accept_trace(
    reason: ReasonOption = "",
    expires: ExpiresOption = None,
    yes: YesFlag = False,
    sprint: SprintOption = None,
    commit: CommitFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Accept the findings of the trace checks on the sprint's base.

    Findings about test results are not among them. It takes a person at a terminal.
    """
    _accept(BaselineKind.TRACE, _Options(reason, expires, yes, sprint, commit, as_json))


@app.command()
def show(sprint: SprintOption = None, as_json: JsonFlag = False) -> None:
    """Show the baselines, and whether they count in the sprint."""
    from verifflowcc.cli import baseline_views
    from verifflowcc.cli import output as out
    from verifflowcc.services.baselines import baseline_statuses
    from verifflowcc.services.sprint_reading import active_sprint
    from verifflowcc.services.workspace import open_workspace

    workspace = open_workspace()
    found = baseline_statuses(workspace.root, active_sprint(workspace, sprint), workspace.today())
    if as_json:
        out.emit_json(found)
    else:
        out.emit(baseline_views.baselines(found))


def _accept(kind: BaselineKind, given: _Options, runs: int = 1, *, prune: bool = False) -> None:
    from verifflowcc.cli import baseline_views, moves
    from verifflowcc.cli import moves as asking
    from verifflowcc.cli import output as out
    from verifflowcc.errors import UsageError
    from verifflowcc.services import baseline_making
    from verifflowcc.services.sprint_reading import active_sprint

    if prune and (given.reason or given.expires):
        raise UsageError("--prune keeps reason and day", hint="vfcc baseline tests --prune")
    acting = moves.acting_here()
    here = acting.workspace
    sprint = active_sprint(here, given.sprint).id
    what: BaselineProposal
    if prune:
        what = baseline_making.propose_pruned(here, sprint, actor=acting.actor)
    else:
        what = baseline_making.propose_baseline(
            here,
            sprint,
            kind,
            reason=given.reason,
            expires=given.expires,
            runs=runs,
            actor=acting.actor,
            progress=lambda text: out.progress(f"running {text}"),
        )
    asking.confirm(asking.listed(baseline_views.proposal(what)), "Accept?", yes=given.yes)
    commit = acting.commits(given.commit)
    done = baseline_making.record_baseline(here, what, actor=acting.actor, email=acting.email, commit=commit)
    asking.show_note(done, done.done, baseline_views.recorded(done), here, as_json=given.as_json)
