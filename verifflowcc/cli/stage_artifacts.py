"""`vfcc stage put` and `vfcc stage draft`: the artifacts of a stage."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from verifflowcc.cli.options import JsonFlag, SprintOption

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verifflowcc.services.artifact_drafting import ArtifactCheck, StageDrafts, StoredArtifact

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
    from verifflowcc.cli import moves
    from verifflowcc.cli import output as out
    from verifflowcc.services.artifact_drafting import put_artifact
    from verifflowcc.services.sprint_reading import active_sprint
    from verifflowcc.services.status import remember_status

    acting = moves.acting_here(piped=True)
    wanted = active_sprint(acting.workspace, sprint).id
    data = _given(name, file)
    stored = put_artifact(
        acting.workspace, wanted, name, data, stage, actor=acting.actor, email=acting.email, commit=commit
    )
    remember_status(acting.workspace)
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
    from verifflowcc.cli import output as out
    from verifflowcc.services.artifact_drafting import draft_artifacts
    from verifflowcc.services.sprint_reading import active_sprint
    from verifflowcc.services.workspace import open_workspace

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
    from verifflowcc.adapters.files.evidence import LARGEST_TEXT_BYTES
    from verifflowcc.errors import UsageError

    most = LARGEST_TEXT_BYTES + 1
    if file is None and sys.stdin.isatty():
        raise UsageError(
            f"no text for {name}: name a file, or pipe the text in", hint=f"vfcc stage put {name} --file F"
        )
    if file in {None, "-"}:
        return sys.stdin.buffer.read(most)
    try:
        with Path(str(file)).open("rb") as opened:
            return opened.read(most)
    except OSError as error:
        raise UsageError(f"cannot read {file}: {error.strerror or error}") from error


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
