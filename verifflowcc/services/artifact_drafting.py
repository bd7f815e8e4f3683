"""Draft the artifacts of a stage: skeletons with the headings that its gates ask for."""

from verifflowcc.adapters.files.write import create_atomic
from verifflowcc.errors import UsageError
from verifflowcc.records import dataclass
from verifflowcc.services.artifact_putting import (
    OpenStage,
    artifact_checks,
    artifact_path,
    artifacts_now,
    open_stage,
    put_command,
)
from verifflowcc.services.workspace import Workspace
from verifflowcc.workflow.assess_artifact import OwedArtifact, owed_artifacts, requires_of, skeleton


@dataclass(frozen=True, slots=True)
class ArtifactDraft:
    """A skeleton: its path from the project's root, its text, and whether it was `written`."""

    path: str
    text: str
    requires: tuple[str, ...]
    written: bool


@dataclass(frozen=True, slots=True)
class StageDrafts:
    """The skeletons of a stage's missing artifacts; `command` is what to do next."""

    sprint: str
    stage: str
    drafts: tuple[ArtifactDraft, ...]
    command: str


def draft_artifacts(
    workspace: Workspace,
    sprint_id: str,
    name: str | None = None,
    stage_id: str | None = None,
    *,
    write: bool = True,
) -> StageDrafts:
    """Write a skeleton of each artifact that is missing, or of the named one; an existing file is left alone.

    Without `write` nothing is written. Raises UsageError for a named artifact that exists, and for a closed stage.
    """
    opened = open_stage(workspace, sprint_id, stage_id)
    wanted = _missing(workspace, opened) if name is None else (_named(workspace, opened, name, write=write),)
    drafts = []
    for each in wanted:
        path, text = f"{opened.folder}/{each.name}", skeleton(each.name, each.requires)
        written = write and create_atomic(workspace.root / path, text.encode("utf-8"))
        if written or not write:
            drafts.append(ArtifactDraft(path, text, each.requires, written))
    command = put_command(workspace, opened, artifact_checks(workspace, opened))
    return StageDrafts(opened.sprint.id, opened.stage.id, tuple(drafts), command)


def _missing(workspace: Workspace, opened: OpenStage) -> tuple[OwedArtifact, ...]:
    present = [one.artifact.path for one in artifacts_now(workspace, opened)]
    owed = owed_artifacts(opened.stage, present)
    for each in owed:
        artifact_path(workspace, opened, each.name)
    return owed


def _named(workspace: Workspace, opened: OpenStage, name: str, *, write: bool) -> OwedArtifact:
    path = artifact_path(workspace, opened, name)
    place = f"{opened.folder}/{path}"
    if write and (workspace.root / place).exists():
        raise UsageError(
            f"{place} exists already; a draft overwrites nothing", hint=f"vfcc stage draft {path} --stdout"
        )
    return OwedArtifact(path, requires_of(opened.stage, path))
