"""`vfcc approve`: a review of what a stage made, or its acceptance, by a person other than the author."""

from typing import TYPE_CHECKING, Annotated

import typer

from verifflowcc.cli.options import (
    CommitFlag,
    ExpiresOption,
    JsonFlag,
    ReasonOption,
    SprintOption,
    StageArgument,
    YesFlag,
)

if TYPE_CHECKING:
    from verifflowcc.services.approvals import Approvable, Approval, Opinions
    from verifflowcc.services.workspace import Workspace

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
    from verifflowcc.cli import moves
    from verifflowcc.domain.actors import Opinion
    from verifflowcc.errors import UsageError
    from verifflowcc.services import approvals
    from verifflowcc.services.sprint_reading import active_sprint

    if sum((reject, request, signed is not None)) > 1:
        raise UsageError("say one of --reject, --request and --signed", hint="vfcc approve --help")
    acting = moves.acting_here()
    here, commits = acting.workspace, acting.commits(commit)
    what = approvals.what_to_approve(here, active_sprint(here, sprint).id, stage, criterion)
    said = approvals.Opinions(Opinion.REJECTED if reject else Opinion.APPROVED, reason, statement, expires)
    if request:
        made = approvals.request_review(here, what, actor=acting.actor, email=acting.email, commit=commits)
    elif signed is not None:
        made = approvals.approve_signed(here, what, said, signed, commit=commits)
    else:
        email = acting.email
        approvals.check_word(here, what, said, actor=acting.actor, email=email)
        if not yes:
            _show_texts(what, here, pager=not (no_pager or as_json))
        _ask(what, said, yes=yes)
        made = approvals.approve(here, what, said, actor=acting.actor, email=email, commit=commits)
    _show(made, what, here, as_json=as_json)


def _show_texts(what: "Approvable", here: "Workspace", *, pager: bool) -> None:
    """Show what is approved: in a pager where it is longer than the terminal, else on stderr."""
    import shutil
    import sys

    from verifflowcc.adapters.process.pager import fits_screen, page, takes_color
    from verifflowcc.cli import output as out
    from verifflowcc.cli.painting import approval
    from verifflowcc.services.approval_texts import pages, texts_to_approve
    from verifflowcc.text.invisible import printable

    text = printable(out.without_secrets(pages(texts_to_approve(here, what), what.files))) + "\n"
    looking = sys.stdout.isatty() and sys.stderr.isatty()
    if pager and looking and not fits_screen(text, shutil.get_terminal_size()):
        paint = approval if takes_color(here.root) else None
        if page(out.with_paint(text, sys.stdout, paint), here.root):
            return
    out.say(text, paint=approval)


def _ask(what: "Approvable", said: "Opinions", *, yes: bool) -> None:
    from verifflowcc.cli import moves as asking

    files = [f"- {one.path} ({one.bytes:,} bytes, {one.digest[:19]})" for one in what.files]
    word = "Reject" if str(said.opinion) == "rejected" else "Accept" if what.in_words else "Approve"
    head = f"{what.sprint}/{what.stage}, {what.criterion.id}: {what.criterion.title}"
    shown = [head, f"by {', '.join(map(str, what.written.authors)) or 'unknown'}", *asking.listed(files)]
    if said.statement:
        shown.append(f"statement: {said.statement}")
    asking.confirm(shown, f"{word}?", yes=yes)


def _show(made: "Approval", what: "Approvable", here: "Workspace", *, as_json: bool) -> None:
    from verifflowcc.cli import moves as asking

    word, now = made.word, made.asked
    until = f" until {word.expires}" if word.expires else ""
    verb = "accepted" if word.statement else str(word.opinion)
    lines = [f"{what.sprint}/{what.stage}, {what.criterion.id}: {verb} by {word.actor}{until}"]
    lines += [f"  {note}" for note in made.done.notes]
    if verb == "requested":
        lines += [
            f"next: {what.command}  # by somebody else, at a terminal",
            f"or a signed commit that says: {made.line}",
        ]
    elif not now.met:
        lines += [f"still not met: {now.reason}", f"next: {now.step}"]
    asking.show_note(made, made.done, lines, here, as_json=as_json)
