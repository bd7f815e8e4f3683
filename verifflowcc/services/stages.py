"""Stages: advance, reopen, show, and save what they produce."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from verifflowcc.adapters.files.artifacts import read_artifacts
from verifflowcc.adapters.files.inside import check_inside
from verifflowcc.adapters.files.ledger import LedgerWriter, read_text
from verifflowcc.adapters.files.write import write_atomic
from verifflowcc.domain.events import EventType
from verifflowcc.domain.sprints import DONE, ArtifactFile, Criterion, SprintState, SprintStatus, StageState
from verifflowcc.errors import GateClosed, UsageError
from verifflowcc.formats.events import moment
from verifflowcc.services.given import one_line
from verifflowcc.services.transitions import Transition, load_movable, load_sprint, record, settle
from verifflowcc.services.workspace import Workspace
from verifflowcc.text.digest import digest_text
from verifflowcc.text.near import nearest
from verifflowcc.workflow import payloads
from verifflowcc.workflow.exit_check import exit_criteria
from verifflowcc.workflow.moves import next_stage, reopenable
from verifflowcc.workflow.summary import StageExit, metrics_document, summary_document

_ARTIFACT_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,78}[A-Za-z0-9_-])?")


@dataclass(frozen=True, slots=True)
class StageView:
    """A stage of a sprint as it stands: its files and the criteria for leaving it.

    `folder` is where its artifacts go, relative to the project's root.
    """

    sprint: SprintState
    stage: StageState
    folder: str
    files: tuple[ArtifactFile, ...]
    criteria: tuple[Criterion, ...]


def advance_stage(workspace: Workspace, sprint_id: str, *, actor: str, commit: bool = False) -> Transition:
    """Leave the stage in work and enter the next, if the exit check is met.

    `summary.md` and `metrics.json` are written first; the event is what counts, so after a crash before it the command
    is run again. Raises GateClosed with all that is missing.
    """
    seen, state = load_movable(workspace, sprint_id)
    stage = _in_work(state)
    view = _view(workspace, state, stage)
    _check_exit(view)
    left = _exit(workspace, view, workspace.clock.now())
    summary = summary_document(left)
    artifacts = tuple(file.artifact for file in view.files)
    following = next_stage(state, stage.stage.id)
    done = record(
        workspace,
        seen,
        state,
        (EventType.STAGE_PASSED, payloads.passed(stage.stage.id, following, artifacts, digest_text(summary))),
        actor=actor,
        prepare=lambda writer: _hand_over(writer, stage.stage.id, summary, metrics_document(left)),
    )
    return settle(workspace, done, f"{sprint_id}: {stage.stage.id} passed", commit=commit)


def reopen_stage(
    workspace: Workspace, sprint_id: str, stage_id: str, reason: str, *, actor: str, commit: bool = False
) -> Transition:
    """Go back to a stage that was left; those after it are open again, and all that was done stays on record.

    Raises UsageError for an unknown stage, one that was not left yet, and an empty reason.
    """
    seen, state = load_movable(workspace, sprint_id)
    why = one_line(reason, "the reason")
    if not why:
        raise UsageError("going back needs a reason", hint=f'vfcc stage reopen {stage_id} --reason "why"')
    find_stage(state, stage_id)
    if state.status is SprintStatus.CLOSED:
        raise UsageError(f"{sprint_id} is closed", hint='vfcc sprint start "Title"')
    possible = reopenable(state)
    if stage_id not in possible:
        have = f"there is {', '.join(possible)}" if possible else "no stage was"
        raise UsageError(f"{stage_id} was not left behind in {sprint_id}; {have}", hint="vfcc stage list")
    move = (EventType.STAGE_REOPENED, payloads.reopened(stage_id, why))
    done = record(workspace, seen, state, move, actor=actor)
    return settle(workspace, done, f"{sprint_id}: {stage_id} reopened", commit=commit)


def show_stage(workspace: Workspace, sprint_id: str, stage_id: str | None = None) -> StageView:
    """Return a stage with its exit check; the one in work where none is named (else the last)."""
    state = load_sprint(workspace, sprint_id)[1]
    wanted = stage_id or state.current or (state.stages[-1].stage.id if state.stages else "")
    return _view(workspace, state, find_stage(state, wanted))


def list_stages(workspace: Workspace, sprint_id: str) -> tuple[StageState, ...]:
    """Return the sprint's stages in order."""
    return load_sprint(workspace, sprint_id)[1].stages


def save_artifacts(
    workspace: Workspace, sprint_id: str, stage_id: str, artifacts: Mapping[str, object]
) -> tuple[str, ...]:
    """Save each artifact as `artifacts/<name>.json` of the stage; return the paths, relative to the project's root.

    Nothing is written unless all names and values are fit. Raises UsageError for a name that is no file name and a
    value that is not JSON.
    """
    state = load_sprint(workspace, sprint_id)[1]
    find_stage(state, stage_id)
    folder = artifacts_folder(sprint_id, stage_id)
    texts = {f"{folder}/{_file_name(name)}": _json_text(name, value) for name, value in artifacts.items()}
    check_inside(workspace.root / folder, workspace.memory)
    for path in sorted(texts):
        write_atomic(workspace.root / path, texts[path])
    return tuple(sorted(texts))


def update_stage(
    workspace: Workspace, sprint_id: str, stage_id: str, artifacts: Mapping[str, object]
) -> tuple[str, ...]:
    """Save artifacts and write the stage's `summary.md` as it stands now; the exit of the stage writes it again.

    Returns the paths written, relative to the project's root.
    """
    written = save_artifacts(workspace, sprint_id, stage_id, artifacts)
    view = show_stage(workspace, sprint_id, stage_id)
    path = f".memory/stage/{sprint_id}/{stage_id}/summary.md"
    check_inside((workspace.root / path).parent, workspace.memory)
    write_atomic(workspace.root / path, summary_document(_exit(workspace, view, workspace.clock.now())))
    return (*written, path)


def find_stage(state: SprintState, stage_id: str) -> StageState:
    """Return the stage of that id. Raises UsageError with the nearest name."""
    found = state.stage(stage_id)
    if found:
        return found
    known = [each.stage.id for each in state.stages]
    near = nearest(stage_id, known)
    more = f"did you mean {near}?" if near else f"there is {', '.join(known) or 'none'}"
    raise UsageError(f"{state.id} has no stage {stage_id}; {more}", hint="vfcc stage list")


def artifacts_folder(sprint_id: str, stage_id: str) -> str:
    """Return where a stage's artifacts go, relative to the project's root."""
    return f".memory/stage/{sprint_id}/{stage_id}/artifacts"


def _in_work(state: SprintState) -> StageState:
    if state.status is SprintStatus.CLOSED:
        raise UsageError(f"{state.id} is closed", hint='vfcc sprint start "Title"')
    stage = state.stage(state.current) if state.current else None
    if stage is None:
        raise UsageError(f"{state.id} has passed all its stages", hint=f"vfcc sprint close {state.id}")
    return stage


def _view(workspace: Workspace, state: SprintState, stage: StageState) -> StageView:
    folder = artifacts_folder(state.id, stage.stage.id)
    files = read_artifacts(workspace.root / folder, workspace.memory)
    return StageView(state, stage, folder, files, exit_criteria(stage.stage, files, folder))


def _check_exit(view: StageView) -> None:
    unmet = [criterion for criterion in view.criteria if not criterion.met]
    if not unmet:
        return
    count = f"{len(unmet)} of {len(view.criteria)} criteria {'is' if len(unmet) == 1 else 'are'} not met"
    listed = "\n".join(f"- {criterion.reason}" for criterion in unmet)
    raise GateClosed(
        f"{view.sprint.id} cannot leave {view.stage.stage.id}: {count}\n{listed}",
        hint=f"{unmet[0].step}, then: vfcc stage advance",
    )


def _exit(workspace: Workspace, view: StageView, now: datetime) -> StageExit:
    state, stage = view.sprint, view.stage
    earlier = {}
    for each in state.stages:
        if each.stage.id == stage.stage.id:
            break
        if each.status in DONE:
            found = read_artifacts(workspace.root / artifacts_folder(state.id, each.stage.id), workspace.memory)
            earlier[each.stage.id] = tuple(file.artifact for file in found)
    feedback = read_text(workspace.memory / "stage" / state.id / stage.stage.id / "feedback.md")
    seconds = int((now - moment(stage.entered_at)).total_seconds()) if stage.entered_at else -1
    return StageExit(
        state=state,
        stage=stage,
        outputs=tuple(file.artifact for file in view.files),
        earlier=earlier,
        feedback_lines=sum(bool(line.strip()) for line in feedback.splitlines()),
        duration_s=seconds if seconds >= 0 else None,
        following=state.workflow.after(stage.stage.id) if state.workflow else None,
    )


def _hand_over(writer: LedgerWriter, stage_id: str, summary: str, metrics: str) -> tuple[str, ...]:
    folder = f"stage/{writer.sprint_id}/{stage_id}"
    writer.put(f"{folder}/metrics.json", metrics)
    writer.put(f"{folder}/summary.md", summary)
    return f"{folder}/metrics.json", f"{folder}/summary.md"


def _file_name(name: str) -> str:
    if not _ARTIFACT_NAME.fullmatch(name):
        raise UsageError(f"{name!r} is no name for an artifact: letters, digits, '.', '_' and '-', at most 80")
    return f"{name}.json"


def _json_text(name: str, value: object) -> str:
    try:
        return json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n"
    except (TypeError, ValueError) as error:
        raise UsageError(f"the artifact {name} is not JSON: {error}") from error
