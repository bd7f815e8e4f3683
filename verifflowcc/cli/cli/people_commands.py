"""`vfcc approve`: a review of what a stage made, or its acceptance, by a person other than the author."""

from typing import TYPE_CHECKING, Annotated

from verifflowcc.base.model.gate_values import BaselineKind
from verifflowcc.base.records import dataclass
from verifflowcc.base.terminal import declared as typer
from verifflowcc.base.terminal.options import (
    CommitFlag,
    ExpiresOption,
    JsonFlag,
    ReasonOption,
    SprintOption,
    StageArgument,
    YesFlag,
)

if TYPE_CHECKING:
    from verifflowcc.base.use.workspace import Workspace
    from verifflowcc.cli.use.gate_exceptions import WaivableCriterion, WaiverResult
    from verifflowcc.gates.use.approvals import Approval, ApprovalSubject, Opinions
    from verifflowcc.gates.use.baseline_making import BaselineProposal


# `vfcc baseline`: accept faults that are older than the sprint, until a day.

app = typer.Typer(help="Accept old faults of tests, lint and trace until a day.", no_args_is_help=True)
BaselineReasonOption = Annotated[
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
    reason: BaselineReasonOption = "",
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
    reason: BaselineReasonOption = "",
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
    reason: BaselineReasonOption = "",
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
    from verifflowcc.base.terminal import output as out
    from verifflowcc.base.use.baseline_files import baseline_statuses
    from verifflowcc.base.use.workspace import open_workspace
    from verifflowcc.cli.cli import check_output as baseline_views
    from verifflowcc.sprint.use.sprint_reading import active_sprint

    workspace = open_workspace()
    found = baseline_statuses(workspace.root, active_sprint(workspace, sprint), workspace.today())
    if as_json:
        out.emit_json(found)
    else:
        out.emit(baseline_views.baselines(found))


def _accept(kind: BaselineKind, given: _Options, runs: int = 1, *, prune: bool = False) -> None:
    from verifflowcc.base.errors import UsageError
    from verifflowcc.base.terminal import output as out
    from verifflowcc.cli.cli import check_output as baseline_views
    from verifflowcc.gates.use import baseline_making
    from verifflowcc.sprint.cli import move_output as asking
    from verifflowcc.sprint.cli import move_output as moves
    from verifflowcc.sprint.use.sprint_reading import active_sprint

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
    asking.show_note(done, done.move, baseline_views.recorded(done), here, as_json=given.as_json)


# `vfcc waive`: leave to pass a criterion that is not met.


def waive(
    criterion: Annotated[str, typer.Argument(metavar="CRITERION", help="Its id, as check gate shows it.")],
    reason: ReasonOption,
    expires: ExpiresOption = None,
    stage: Annotated[
        str | None, typer.Option("--stage", metavar="ID", help="Stage id (default: that of what blocks now).")
    ] = None,
    yes: YesFlag = False,
    sprint: SprintOption = None,
    commit: CommitFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Waive a criterion that is not met.

    For what lies there now, and no longer than that: a waiver ends when its files change, or with its last day. It
    takes a person at a terminal; in a strict workflow, two.
    """
    from verifflowcc.cli.use.gate_exceptions import check_waiver, what_to_waive
    from verifflowcc.cli.use.gate_exceptions import waive as waived
    from verifflowcc.sprint.cli import move_output as moves
    from verifflowcc.sprint.use.sprint_reading import active_sprint

    acting = moves.acting_here()
    here = acting.workspace
    what = what_to_waive(here, active_sprint(here, sprint).id, criterion, stage)
    email = acting.email
    check_waiver(here, what, reason, expires, actor=acting.actor, email=email)
    _waive_ask(what, reason, expires, yes=yes)
    done = waived(here, what, reason, expires, actor=acting.actor, email=email, commit=acting.commits(commit))
    _waive_show(done, what, here, as_json=as_json)


def _waive_ask(what: "WaivableCriterion", reason: str, expires: str | None, *, yes: bool) -> None:
    from verifflowcc.sprint.cli import move_output as asking

    asked = what.asked
    shown = [
        f"{what.sprint}/{what.stage}, {asked.criterion.id}: {asked.criterion.title} ({asked.criterion.mode})",
        f"{asked.verdict}: {asked.reason}",
        f"reason: {reason}",
        f"until {expires}" if expires else "with no last day, as long as nothing that it looks at changes",
    ]
    asking.confirm(shown, "Waive?", yes=yes)


def _waive_show(done: "WaiverResult", what: "WaivableCriterion", here: "Workspace", *, as_json: bool) -> None:
    from verifflowcc.sprint.cli import move_output as asking

    until = f" until {done.waiver.expires}" if done.waiver.expires else ""
    lines = [f"{what.sprint}/{what.stage}, {what.asked.criterion.id}: waived by {done.waiver.actor}{until}"]
    if done.people_so_far < done.needed:
        lines.append(f"{done.people_so_far} of {done.needed}: another person must waive it too")
    asking.show_note(done, done.move, lines, here, as_json=as_json)


CriterionOption = Annotated[
    str | None, typer.Option("--criterion", metavar="ID", help="Which one, where the stage has several.")
]
RejectFlag = Annotated[bool, typer.Option("--reject", help="Reject it; needs --reason.")]
StatementOption = Annotated[
    str, typer.Option("--statement", metavar="TEXT", help="For an acceptance: what you saw, in your words.")
]
RequestFlag = Annotated[bool, typer.Option("--request", help="Ask for its review, as one of its authors.")]
NoPagerFlag = Annotated[bool, typer.Option("--no-pager", help="Print a long text instead of paging it.")]
SignedOption = Annotated[
    str | None, typer.Option("--signed", metavar="COMMIT", help="A signed commit whose message approves it.")
]


def approve(
    stage: StageArgument = None,
    criterion: CriterionOption = None,
    reject: RejectFlag = False,
    reason: ReasonOption = "",
    statement: StatementOption = "",
    expires: ExpiresOption = None,
    request: RequestFlag = False,
    signed: SignedOption = None,
    yes: YesFlag = False,
    no_pager: NoPagerFlag = False,
    sprint: SprintOption = None,
    commit: CommitFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Approve what a stage made, or accept it.

    Shows the text of the files, the changes since the last approval, and asks. It takes a person at a terminal who is
    not their author, or a signed commit; anybody may use --request.
    """
    from verifflowcc.base.errors import UsageError
    from verifflowcc.base.model.people import Opinion
    from verifflowcc.gates.use import approvals
    from verifflowcc.sprint.cli import move_output as moves
    from verifflowcc.sprint.use.sprint_reading import active_sprint

    if sum((reject, request, signed is not None)) > 1:
        raise UsageError("say one of --reject, --request and --signed", hint="vfcc approve --help")
    acting = moves.acting_here()
    here, commits = acting.workspace, acting.commits(commit)
    what = approvals.what_to_approve(here, active_sprint(here, sprint).id, stage, criterion)
    opinions = approvals.Opinions(Opinion.REJECTED if reject else Opinion.APPROVED, reason, statement, expires)
    if request:
        made = approvals.request_review(here, what, actor=acting.actor, email=acting.email, commit=commits)
    elif signed is not None:
        made = approvals.approve_signed(here, what, opinions, signed, commit=commits)
    else:
        email = acting.email
        approvals.check_word(here, what, opinions, actor=acting.actor, email=email)
        if not yes:
            _show_texts(what, here, pager=not (no_pager or as_json))
        _ask(what, opinions, yes=yes)
        made = approvals.approve(here, what, opinions, actor=acting.actor, email=email, commit=commits)
    _show(made, what, here, as_json=as_json)


def _show_texts(what: "ApprovalSubject", here: "Workspace", *, pager: bool) -> None:
    """Show what is approved: in a pager where it is longer than the terminal, else on stderr."""
    import shutil
    import sys

    from verifflowcc.base.process.pager import fits_screen, page, takes_color
    from verifflowcc.base.terminal import output as out
    from verifflowcc.base.text.hidden_text import printable
    from verifflowcc.gates.use.approval_texts import pages, texts_to_approve
    from verifflowcc.memory.cli.painting import approval

    text = printable(out.without_secrets(pages(texts_to_approve(here, what), what.files))) + "\n"
    looking = sys.stdout.isatty() and sys.stderr.isatty()
    if pager and looking and not fits_screen(text, shutil.get_terminal_size()):
        paint = approval if takes_color(here.root) else None
        if page(out.with_paint(text, sys.stdout, paint), here.root):
            return
    out.say(text, paint=approval)


def _ask(what: "ApprovalSubject", opinions: "Opinions", *, yes: bool) -> None:
    from verifflowcc.sprint.cli import move_output as asking

    files = [f"- {one.path} ({one.bytes:,} bytes, {one.digest[:19]})" for one in what.files]
    word = "Reject" if str(opinions.opinion) == "rejected" else "Accept" if what.in_words else "Approve"
    head = f"{what.sprint}/{what.stage}, {what.criterion.id}: {what.criterion.title}"
    shown = [head, f"by {', '.join(map(str, what.written.authors)) or 'unknown'}", *asking.listed(files)]
    if opinions.statement:
        shown.append(f"statement: {opinions.statement}")
    asking.confirm(shown, f"{word}?", yes=yes)


def _show(made: "Approval", what: "ApprovalSubject", here: "Workspace", *, as_json: bool) -> None:
    from verifflowcc.sprint.cli import move_output as asking

    word, now = made.review, made.assessment
    until = f" until {word.expires}" if word.expires else ""
    verb = "accepted" if word.statement else str(word.opinion)
    lines = [f"{what.sprint}/{what.stage}, {what.criterion.id}: {verb} by {word.actor}{until}"]
    lines += [f"  {note}" for note in made.move.notes]
    if verb == "requested":
        lines += [
            f"next: {what.command}  # by somebody else, at a terminal",
            f"or a signed commit that says: {made.commit_line}",
        ]
    elif not now.met:
        lines += [f"still not met: {now.reason}", f"next: {now.step}"]
    asking.show_note(made, made.move, lines, here, as_json=as_json)
