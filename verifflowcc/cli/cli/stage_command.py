"""`vfcc stage`: the stages of a sprint and their artifacts."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from verifflowcc.base.terminal import declared as typer
from verifflowcc.base.terminal.options import (
    CommitFlag,
    ExpiresOption,
    FullFlag,
    JsonFlag,
    ReasonOption,
    SprintOption,
    StageArgument,
    YesFlag,
    one_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verifflowcc.prompt.use.artifact_drafting import ArtifactCheck, StageDrafts, StoredArtifact


# `vfcc stage put` and `vfcc stage draft`: the artifacts of a stage.

OpenStageOption = Annotated[
    str | None, typer.Option("--stage", metavar="ID", help="A stage that is not passed yet (default: the active one).")
]


def put(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Its path below artifacts/, such as plan.md.")],
    file: Annotated[
        str | None, typer.Option("--file", metavar="FILE", help="The text; - is stdin (default: stdin).")
    ] = None,
    stage: OpenStageOption = None,
    sprint: SprintOption = None,
    commit: Annotated[bool, typer.Option("--commit", help="Commit it to git (default: with the next move).")] = False,
    as_json: JsonFlag = False,
) -> None:
    """Store an artifact of the active stage.

    Prints what the gate still asks of the stage's artifacts. You become the author of the text and cannot approve it.
    The suffix may be left out where the gate asks for one such file.

    vfcc stage put plan --file draft.md
    """
    from verifflowcc.base.terminal import output as out
    from verifflowcc.prompt.use.artifact_drafting import put_artifact
    from verifflowcc.sprint.cli import move_output as moves
    from verifflowcc.sprint.use.sprint_reading import active_sprint
    from verifflowcc.sprint.use.sprint_status import leave_status

    acting = moves.acting_here(piped=True)
    wanted = active_sprint(acting.workspace, sprint).id
    data = _given(name, file)
    stored = put_artifact(
        acting.workspace, wanted, name, data, stage, actor=acting.actor, email=acting.email, commit=commit
    )
    leave_status(acting.workspace)
    for warning in stored.warnings:
        out.warn(warning)
    out.emit_json(stored) if as_json else out.emit_lines(list(_stored(stored)))


def draft(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="One artifact (default: all missing).")] = None,
    stdout: Annotated[bool, typer.Option("--stdout", help="Print the skeletons and write nothing.")] = False,
    stage: OpenStageOption = None,
    sprint: SprintOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Draft the missing artifacts, with the headings they need.

    A draft overwrites no file and passes no gate.

    vfcc stage draft plan.md --stdout
    """
    from verifflowcc.base.terminal import output as out
    from verifflowcc.base.use.workspace import open_workspace
    from verifflowcc.prompt.use.artifact_drafting import draft_artifacts
    from verifflowcc.sprint.use.sprint_reading import active_sprint

    workspace = open_workspace()
    drafts = draft_artifacts(workspace, active_sprint(workspace, sprint).id, name, stage, write=not stdout)
    if as_json:
        out.emit_json(drafts)
    elif stdout:
        out.emit("\n".join(each.text for each in drafts.drafts))
    else:
        out.emit_lines(list(_drafted(drafts)))


def _given(name: str, file: str | None) -> bytes:
    """Return the text that was given, at most one byte more than an artifact may have."""
    from verifflowcc.base.errors import FileErrors, UsageError
    from verifflowcc.sprint.store.evidence_store import LARGEST_TEXT_BYTES

    most = LARGEST_TEXT_BYTES + 1
    if file is None and sys.stdin.isatty():
        raise UsageError(
            f"no text for {name}: name a file, or pipe the text in", hint=f"vfcc stage put {name} --file F"
        )
    if file in {None, "-"}:
        return sys.stdin.buffer.read(most)
    with FileErrors("read", file, raises=UsageError), Path(str(file)).open("rb") as opened:
        return opened.read(most)


def _stored(stored: "StoredArtifact") -> "Iterator[str]":
    done = "stored" if stored.changed else "unchanged"
    yield f"{done}: {stored.path} ({stored.bytes:,} bytes, by {stored.actor})"
    yield from map(_check, stored.checks)
    yield f"next: {stored.command}"
    if stored.committed:
        yield f"committed: {stored.committed[:12]}"


def _check(check: "ArtifactCheck") -> str:
    mode = "" if check.met else f" ({check.mode})"
    return f"  {'pass' if check.met else 'FAIL':4}  {check.criterion}{mode}: {check.reason}"


def _drafted(drafts: "StageDrafts") -> "Iterator[str]":
    for each in drafts.drafts:
        yield f"drafted: {each.path}"
    if not drafts.drafts:
        yield f"{drafts.sprint}/{drafts.stage}: no artifact is missing"
    yield f"next: {drafts.command}"


app = typer.Typer(help="Show, fill, advance, skip and reopen the stages of a sprint.", no_args_is_help=True)


@app.command()
def show(
    stage: StageArgument = None, sprint: SprintOption = None, full: FullFlag = False, as_json: JsonFlag = False
) -> None:
    """Show a stage and what it still needs before it can be left.

    Exits with 1 where event files cannot be trusted, with 5 where the sprint is forked.
    """
    from verifflowcc.base.terminal import output as out
    from verifflowcc.base.use.workspace import open_workspace
    from verifflowcc.cli.cli import sprint_output as sprint_views
    from verifflowcc.prompt.use.stages import show_stage
    from verifflowcc.sprint.cli import move_output as fork_views
    from verifflowcc.sprint.use.sprint_reading import active_sprint

    workspace = open_workspace()
    view = show_stage(workspace, active_sprint(workspace, sprint).id, stage)
    if as_json:
        out.emit_json(view)
    else:
        out.emit(sprint_views.one_stage(view, full=full) + fork_views.trouble(view.sprint))
    fork_views.leave_if_troubled(view.sprint)


@app.command("list")
def list_(sprint: SprintOption = None, as_json: JsonFlag = False) -> None:
    """List the stages of a sprint in order.

    Exits with 1 where event files cannot be trusted, with 5 where the sprint is forked.
    """
    from verifflowcc.base.terminal import output as out
    from verifflowcc.base.use.workspace import open_workspace
    from verifflowcc.cli.cli import sprint_output as sprint_views
    from verifflowcc.sprint.cli import move_output as fork_views
    from verifflowcc.sprint.use.sprint_reading import active_sprint

    state = active_sprint(open_workspace(), sprint)
    if as_json:
        out.emit_json(state.stages)
    else:
        out.emit(sprint_views.stages(state) + fork_views.trouble(state))
    fork_views.leave_if_troubled(state)


app.command("put")(put)
app.command("draft")(draft)


@app.command()
def advance(
    stage: Annotated[
        str | None, typer.Argument(metavar="STAGE", help="The stage to leave, as --from (default: the active one).")
    ] = None,
    leaving: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="STAGE[@EVENT]",
            help="Leave this stage once, however often it is run; @EVENT: the stay that this event began.",
        ),
    ] = None,
    sprint: SprintOption = None,
    commit: CommitFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Leave the active stage and enter the next.

    Exits with 4, and says what is missing, where a gate on the way is closed. With a stage, and where an advance left
    it already, it changes nothing and exits with 0.
    """
    from verifflowcc.prompt.use.stages import advance_stage
    from verifflowcc.sprint.cli import move_output as moves
    from verifflowcc.sprint.use.sprint_reading import sprint_with_stage

    acting = moves.acting_here()
    stay = one_of(stage, leaving, "--from", "stages")
    wanted = sprint_with_stage(acting.workspace, sprint, stay, "vfcc stage advance").id
    done = advance_stage(acting.workspace, wanted, actor=acting.actor, stay=stay, commit=acting.commits(commit))
    moves.show(done, acting.workspace, as_json=as_json)


@app.command()
def skip(
    reason: ReasonOption,
    stage: StageArgument = None,
    expires: ExpiresOption = None,
    yes: YesFlag = False,
    sprint: SprintOption = None,
    commit: CommitFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Skip the current stage.

    It takes a person at a terminal. A stage with a criterion that cannot be waived cannot be skipped.
    """
    from verifflowcc.cli.use.gate_exceptions import check_skip, skip_stage, what_to_skip
    from verifflowcc.sprint.cli import move_output as asking
    from verifflowcc.sprint.cli import move_output as moves
    from verifflowcc.sprint.use.sprint_reading import active_sprint

    acting = moves.acting_here()
    here = acting.workspace
    what = what_to_skip(here, active_sprint(here, sprint).id, stage)
    email = acting.email
    check_skip(here, what, reason, expires, actor=acting.actor, email=email)
    unmet = [f"- {each.criterion.id} ({each.criterion.mode}): {each.reason}" for each in what.unmet]
    head = f"{what.sprint}/{what.stage}, with {len(unmet)} criteria not met; next: {what.following or 'none'}"
    asking.confirm([head, *asking.listed(unmet)], "Skip?", yes=yes)
    done = skip_stage(here, what, reason, expires, actor=acting.actor, email=email, commit=acting.commits(commit))
    moves.show(done, here, as_json=as_json)


@app.command()
def reopen(
    stage: Annotated[str, typer.Argument(metavar="STAGE", help="The stage to go back to.")],
    reason: ReasonOption,
    sprint: SprintOption = None,
    commit: CommitFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Go back to a stage that was left; what was done stays on record."""
    from verifflowcc.prompt.use.stages import reopen_stage
    from verifflowcc.sprint.cli import move_output as moves
    from verifflowcc.sprint.use.sprint_reading import active_sprint

    acting = moves.acting_here()
    wanted = active_sprint(acting.workspace, sprint).id
    commits = acting.commits(commit)
    done = reopen_stage(acting.workspace, wanted, stage, reason, actor=acting.actor, commit=commits)
    moves.show(done, acting.workspace, as_json=as_json)
