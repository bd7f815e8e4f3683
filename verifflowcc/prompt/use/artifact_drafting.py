"""Draft the artifacts of a stage: skeletons with the headings that its gates ask for."""

from pathlib import Path

from verifflowcc.base.errors import FormatError, UsageError
from verifflowcc.base.files.layout import check_inside
from verifflowcc.base.files.ledger import LedgerWriter
from verifflowcc.base.files.write import create_atomic
from verifflowcc.base.model.events import EventType
from verifflowcc.base.model.gate_input import Facts
from verifflowcc.base.model.sprint_state import (
    DONE,
    Artifact,
    ArtifactText,
    SprintState,
    Stage,
    StageState,
    StageStatus,
    artifacts_folder,
)
from verifflowcc.base.records import dataclass
from verifflowcc.base.text.canonical import digest_bytes, fold_newlines
from verifflowcc.base.use.stage_words import find_stage
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.gates.rules.artifact_criteria import (
    BLANK,
    OwedArtifact,
    artifact_criteria_of,
    artifact_name,
    artifact_puts,
    assess_artifact,
    name_problem,
    owed_artifacts,
    put_payload,
    requires_of,
    skeleton,
    suggested_for,
)
from verifflowcc.gates.use.gates_now import artifacts_of
from verifflowcc.prompt.use.stages import active_stage
from verifflowcc.sprint.store.evidence_store import LARGEST_TEXT_BYTES
from verifflowcc.sprint.use.people_acting import add_note, require_open, settle
from verifflowcc.sprint.use.sprint_reading import command_in, load_movable

# Store an artifact of a stage from text, and say what the gates still ask of the stage's artifacts.

_UNFINISHED = frozenset({StageStatus.PENDING, StageStatus.ACTIVE})
"""A stale stage may hold again as it was passed, which other artifacts would break."""


@dataclass(frozen=True, slots=True)
class ArtifactCheck:
    """A criterion that asks for an artifact: whether it is met now, why, and the `name` of the file that it is about.

    `requires` are the headings or keys that the file must fill.
    """

    criterion: str
    mode: str
    met: bool
    reason: str
    name: str
    requires: tuple[str, ...]
    """Headings or keys that the file must fill."""


@dataclass(frozen=True, slots=True)
class StoredArtifact:
    """An artifact that was stored, and what the gates of its stage ask of artifacts.

    `path` is relative to the project's root. Where the same actor had stored the same bytes, nothing is `changed` and
    `event` is None. `command` is what to do next.
    """

    sprint: str
    stage: str
    path: str
    digest: str
    bytes: int
    actor: str
    changed: bool
    """Whether anything was written."""
    event: str | None
    """Null if nothing was written."""
    checks: tuple[ArtifactCheck, ...]
    """What the gates ask of the stage's artifacts."""
    command: str
    committed: str | None = None
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OpenStage:
    """A stage whose artifacts may still be written; `folder` holds them, relative to the project's root."""

    sprint: SprintState
    stage: Stage
    folder: str

    @property
    def is_current(self) -> bool:
        """Whether it is the active stage."""
        return self.stage.id == self.sprint.current


def put_artifact(  # noqa: PLR0913 - one for each word of the command, and who acts
    workspace: Workspace,
    sprint_id: str,
    name: str,
    data: bytes,
    stage_id: str | None = None,
    *,
    actor: str,
    email: str = "",
    commit: bool = False,
) -> StoredArtifact:
    """Store `data` as an artifact of a stage (default: the active one) and record who stored these bytes.

    Raises UsageError for a name outside of the stage's `artifacts/`, a closed stage and a text that is empty or too
    large, FormatError where it is not UTF-8, SecretError where it holds a secret; nothing is written then.
    """
    opened = open_stage(workspace, sprint_id, stage_id)
    path = artifact_path(workspace, opened, name)
    content = _checked(data)
    artifact = Artifact(path, digest_bytes(content), len(content))
    if _is_stored(workspace, opened, artifact, actor):
        return _stored(workspace, opened, artifact, actor)
    place = f"{opened.folder}/{path}"

    def write(writer: LedgerWriter) -> tuple[str, ...]:
        inside = place.removeprefix(".memory/")
        writer.put(inside, content.decode("utf-8"))
        return (inside,)

    payload = put_payload(opened.stage.id, artifact, email)
    done = add_note(workspace, sprint_id, EventType.ARTIFACT_PUT, lambda _: payload, actor=actor, prepare=write)
    if commit:
        done = settle(workspace, done, f"{sprint_id}: {opened.stage.id}/{path} stored", commit=True)
    return _stored(workspace, opened, artifact, actor, done.event.id, done.committed, done.warnings)


def open_stage(workspace: Workspace, sprint_id: str, stage_id: str | None = None) -> OpenStage:
    """Return a stage whose artifacts may still be written, the active one where none is named.

    Raises UsageError where the sprint is closed, or the stage was passed or skipped and not entered again.
    """
    state = load_movable(workspace, sprint_id)[1]
    require_open(state)
    found = find_stage(state, stage_id) if stage_id else active_stage(state)
    _require_unfinished(found)
    return OpenStage(state, found.stage, artifacts_folder(state.id, found.stage.id))


def artifact_path(workspace: Workspace, opened: OpenStage, name: str) -> str:
    """Return the path of an artifact below its stage's `artifacts/`, where it may be written.

    Its path from the project's root will do as well. Raises UsageError with the names that the gates ask for.
    """
    inner = artifact_name(opened.stage, name.removeprefix(f"{opened.folder}/"))
    problem = name_problem(inner) or _file_problem(workspace.root, f"{opened.folder}/{inner}")
    if problem:
        raise UsageError(f"{name!r} {problem}", hint=_asked_names(opened))
    check_inside((workspace.root / opened.folder / inner).parent, workspace.memory)
    return inner


def artifact_checks(workspace: Workspace, opened: OpenStage) -> tuple[ArtifactCheck, ...]:
    """Return what the gates of a stage ask of its artifacts, as they are now."""
    stage = opened.stage.id
    facts = Facts(opened.sprint, workspace.today(), artifacts={stage: artifacts_now(workspace, opened)})
    checks = []
    for each in artifact_criteria_of(opened.stage):
        asked = assess_artifact(each, stage, facts, opened.folder)
        name = asked.used[0] if asked.used else suggested_for(each)
        checks.append(ArtifactCheck(each.id, str(each.mode), asked.met, asked.reason, name, each.requires))
    return tuple(checks)


def artifacts_now(workspace: Workspace, opened: OpenStage) -> tuple[ArtifactText, ...]:
    """Return the files in a stage's `artifacts/`."""
    return artifacts_of(workspace, opened.sprint.id, opened.stage.id)


def put_command(workspace: Workspace, opened: OpenStage, checks: tuple[ArtifactCheck, ...]) -> str:
    """Return what to do next: store the first artifact that a gate misses, else ask what is next."""
    missing = next((each.name for each in checks if not each.met), None)
    if missing is None:
        return command_in(workspace, opened.sprint.id)("vfcc next")
    command = f"vfcc stage put {missing}{'' if opened.is_current else f' --stage {opened.stage.id}'}"
    return command_in(workspace, opened.sprint.id)(command)


def _require_unfinished(found: StageState) -> None:
    if found.status not in _UNFINISHED:
        again = f'vfcc stage reopen {found.stage.id} --reason "why"' if found.status in DONE else "vfcc next"
        raise UsageError(f"{found.stage.id} is {found.status}: its artifacts are closed", hint=again)


def _file_problem(root: Path, path: str) -> str:
    """Return why a file cannot be written there: a link could lead anywhere."""
    place = root
    for part in path.split("/"):
        place /= part
        if place.is_symlink():
            return f"cannot be stored: {place.relative_to(root)} is a link"
    return "cannot be stored: it is a folder" if place.is_dir() else ""


def _asked_names(opened: OpenStage) -> str:
    names = [each.name for each in owed_artifacts(opened.stage)]
    return f"vfcc stage put {names[0]}  # {opened.stage.id} asks for {', '.join(names)}" if names else "vfcc stage show"


def _checked(data: bytes) -> bytes:
    """Return a text as it is stored, with LF newlines. Raises where it cannot be an artifact."""
    from verifflowcc.base.use.guarding import refuse_secrets

    if len(data) > LARGEST_TEXT_BYTES:
        raise UsageError(f"the text is larger than {LARGEST_TEXT_BYTES // 1_048_576} MiB; nothing was stored")
    try:
        text = fold_newlines(data).decode("utf-8")
    except UnicodeDecodeError as error:
        raise FormatError(f"the text is not UTF-8 at byte {error.start}; nothing was stored") from error
    if "\0" in text:
        raise FormatError("the text holds a NUL byte; nothing was stored")
    if not text.strip(BLANK):
        raise UsageError("the text is empty; nothing was stored", hint="vfcc stage put NAME --file FILE")
    refuse_secrets(("the text", text))
    return text.encode("utf-8")


def _is_stored(workspace: Workspace, opened: OpenStage, artifact: Artifact, actor: str) -> bool:
    wanted = (opened.stage.id, artifact.path, artifact.digest, actor)
    present = {one.artifact for one in artifacts_now(workspace, opened)}
    stored = {(one.stage, one.path, one.digest, one.actor) for one in artifact_puts(opened.sprint.notes)}
    return artifact in present and wanted in stored


def _stored(
    workspace: Workspace,
    opened: OpenStage,
    artifact: Artifact,
    actor: str,
    event: str | None = None,
    committed: str | None = None,
    warnings: tuple[str, ...] = (),
) -> StoredArtifact:
    checks = artifact_checks(workspace, opened)
    return StoredArtifact(
        sprint=opened.sprint.id,
        stage=opened.stage.id,
        path=f"{opened.folder}/{artifact.path}",
        digest=artifact.digest,
        bytes=artifact.bytes,
        actor=actor,
        changed=event is not None,
        event=event,
        checks=checks,
        command=put_command(workspace, opened, checks),
        committed=committed,
        warnings=warnings,
    )


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
