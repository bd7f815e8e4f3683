"""`vfcc feedback`: add, list and triage comments on a sprint."""

from typing import TYPE_CHECKING, Annotated

from verifflowcc.base.terminal import declared as typer
from verifflowcc.base.terminal.options import CommitFlag, JsonFlag, ShortIdArgument, SprintOption

if TYPE_CHECKING:
    from verifflowcc.base.model.people import Feedback


app = typer.Typer(help="Add, list and triage comments on a sprint.", no_args_is_help=True)

StageOption = Annotated[
    str | None, typer.Option("--stage", metavar="ID", help="The stage that it is on (default: the sprint).")
]


@app.command()
def add(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="Text of the comment.")],
    stage: StageOption = None,
    sprint: SprintOption = None,
    commit: CommitFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Add a comment."""
    from verifflowcc.sprint.cli import move_output as asking
    from verifflowcc.sprint.cli import move_output as moves
    from verifflowcc.sprint.use.feedback import add_feedback
    from verifflowcc.sprint.use.sprint_reading import active_sprint

    acting = moves.acting_here()
    here = acting.workspace
    sprint_id, commits = active_sprint(here, sprint).id, acting.commits(commit)
    added = add_feedback(here, sprint_id, text, stage, actor=acting.actor, commit=commits)
    lines = [f"{sprint_id}: comment {added.short} on {stage or 'the sprint'}"]
    asking.show_note(added, added.move, lines, here, as_json=as_json)


@app.command("list")
def list_(
    stage: StageOption = None,
    everything: Annotated[bool, typer.Option("--all", help="Those that were dealt with, too.")] = False,
    sprint: SprintOption = None,
    as_json: JsonFlag = False,
) -> None:
    """List the comments that are open, those of earlier sprints first."""
    from verifflowcc.base.terminal import output as out
    from verifflowcc.base.use.workspace import open_workspace
    from verifflowcc.sprint.use.feedback import list_feedback
    from verifflowcc.sprint.use.sprint_reading import active_sprint

    workspace = open_workspace()
    comments = list_feedback(workspace, active_sprint(workspace, sprint).id, stage, everything=everything)
    out.emit_json(comments) if as_json else out.emit(_table(comments))


@app.command()
def triage(
    comment: ShortIdArgument,
    done: Annotated[bool, typer.Option("--done", help="It was dealt with.")] = False,
    reject: Annotated[bool, typer.Option("--reject", help="It will not be; needs --reason.")] = False,
    later: Annotated[bool, typer.Option("--later", help="Move it to the next sprint.")] = False,
    reason: Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why.")] = "",
    sprint: SprintOption = None,
    commit: CommitFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Decide on a comment."""
    from verifflowcc.base.errors import UsageError
    from verifflowcc.base.model.people import Decision
    from verifflowcc.sprint.cli import move_output as asking
    from verifflowcc.sprint.cli import move_output as moves
    from verifflowcc.sprint.use.feedback import triage_feedback
    from verifflowcc.sprint.use.sprint_reading import active_sprint

    given = {Decision.DONE: done, Decision.REJECTED: reject, Decision.LATER: later}
    chosen = [decision for decision, meant in given.items() if meant]
    if len(chosen) != 1:
        raise UsageError("say one of --done, --reject and --later", hint=f"vfcc feedback triage {comment} --done")
    acting = moves.acting_here()
    here, commits = acting.workspace, acting.commits(commit)
    wanted = active_sprint(here, sprint).id
    triaged = triage_feedback(here, wanted, comment, chosen[0], reason, actor=acting.actor, commit=commits)
    lines = [f"{wanted}: comment {triaged.short} is {_becomes(triaged.comment)}"]
    asking.show_note(triaged, triaged.move, lines, here, as_json=as_json)


def _table(comments: "tuple[Feedback, ...]") -> str:
    from verifflowcc.base.terminal.table import table
    from verifflowcc.base.text.identifiers import short_ids

    if not comments:
        return "no comment is open"
    short = short_ids(one.event for one in comments)
    rows = [
        (short[one.event], one.sprint, one.stage or "–", _becomes(one), one.actor or "–", one.text) for one in comments
    ]
    return table(("comment", "sprint", "stage", "is", "by", "text"), rows)


def _becomes(comment: "Feedback") -> str:
    words = f" ({comment.reason})" if comment.reason else ""
    return f"{comment.decision}{words}"
