"""Stages: advance, reopen, show, and save what they produce."""

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from verifflowcc.base.errors import ConflictError, UsageError
from verifflowcc.base.files.layout import check_inside
from verifflowcc.base.files.ledger import LedgerWriter, moved_first, read_text
from verifflowcc.base.files.write import write_atomic
from verifflowcc.base.formats.event_bytes import moment
from verifflowcc.base.model.events import EventType
from verifflowcc.base.model.gate_input import Facts
from verifflowcc.base.model.gate_values import Gate, Verdict
from verifflowcc.base.model.lazy import lazy_pattern
from verifflowcc.base.model.sprint_state import (
    DONE,
    ArtifactFile,
    SprintState,
    SprintStatus,
    StageState,
    StageStatus,
    artifacts_folder,
)
from verifflowcc.base.records import dataclass, replace
from verifflowcc.base.text.canonical import digest_text
from verifflowcc.base.use.stage_words import find_stage, one_line, stage_meant
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.gates.rules.evidence_criteria import specified
from verifflowcc.gates.use.gates_now import StageGates, ask_stage, gates_of, sound_facts
from verifflowcc.gates.use.owed import UnmetCriterion, next_command, owed_by, require_leave
from verifflowcc.sprint.rules import stage_moves as payloads
from verifflowcc.sprint.rules.stage_moves import reopenable
from verifflowcc.sprint.store.evidence_store import read_artifacts
from verifflowcc.sprint.use.pinned_workflow import check_pinned_workflow
from verifflowcc.sprint.use.sprint_reading import load_movable, load_sprint

if TYPE_CHECKING:
    from verifflowcc.gates.rules.stage_summary import StageExit
    from verifflowcc.sprint.use.people_acting import Transition

_ARTIFACT_NAME = lazy_pattern(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,78}[A-Za-z0-9_-])?")


@dataclass(frozen=True, slots=True)
class StageDetails:
    """A stage of a sprint as it is now: its files and the gates on the way to the next.

    `folder` is where its artifacts go, relative to the project's root. `unmet` and `next` are what it still owes and
    the next command, as `vfcc next` has them; empty where the sprint's ledger has to be mended first.
    """

    sprint: SprintState
    stage: StageState
    folder: str
    """Where artifacts belong."""
    files: tuple[ArtifactFile, ...]
    gates: tuple[Gate, ...]
    unmet: tuple[UnmetCriterion, ...] = ()
    next: str = ""
    """The next command."""


def advance_stage(
    workspace: Workspace, sprint_id: str, *, actor: str, stay: str | None = None, commit: bool = False
) -> "Transition":
    """Leave the active stage and enter the next, if both gates are open.

    The gates are its exit gate and the next one's entry gate.

    `summary.md` and `metrics.json` are written first, for people; the event holds what vfcc reads of them. After a
    crash before it the command is run again. What is remembered of the stage ends with it; that never holds the stage
    back. Raises GateClosed with all that holds `actor` back: soft criteria too, unless a person advances with them on
    record.

    With `stay` (as `ended_stay` reads it) the sprint leaves this stay and no other, once, however often and from
    however many processes it is asked: where an advance has ended it, that one is returned and nothing is written.
    """
    from verifflowcc.sprint.use.stage_entry import earlier_advance

    if stay is None:
        return _advance(workspace, sprint_id, actor=actor, stay=None, commit=commit)
    earlier = earlier_advance(workspace, sprint_id, stay)
    if earlier:
        return earlier
    try:
        return _advance(workspace, sprint_id, actor=actor, stay=stay, commit=commit)
    except ConflictError:
        earlier = earlier_advance(workspace, sprint_id, stay)
        if earlier is None:
            raise
        return earlier


def _advance(workspace: Workspace, sprint_id: str, *, actor: str, stay: str | None, commit: bool) -> "Transition":
    from verifflowcc.gates.rules.stage_summary import kept_of, metrics_document, summary_document
    from verifflowcc.gates.use.recorded_edits import adopt_recorded_edits
    from verifflowcc.memory.use.stage_end import with_memory_ended
    from verifflowcc.sprint.use.people_acting import record, settle
    from verifflowcc.sprint.use.stage_entry import ended_stay, entry_fields

    adopt_recorded_edits(workspace, sprint_id)
    seen, state = load_movable(workspace, sprint_id)
    # Asked of the same reading that the move follows on: another process may have advanced since the first question.
    if stay is not None and ended_stay(seen, state, stay):
        raise moved_first(sprint_id)
    stage = active_stage(state)
    notices = check_pinned_workflow(workspace, state)
    facts = sound_facts(workspace, state)
    asked = gates_of(state, stage.stage.id, facts, notices)
    require_leave(workspace, asked, actor=actor)
    left = _exit(workspace, asked, facts)
    summary = summary_document(left)
    gate = [each for one in asked.gates for each in one.assessments]
    traced = specified(stage.stage, facts)
    payload = payloads.passed(
        stage.stage.id,
        asked.following,
        left.outputs,
        digest_text(summary),
        gate=gate,
        traced=traced,
        kept={**kept_of(left), **entry_fields(workspace, state.workflow, asked.following)},
    )
    done = record(
        workspace,
        seen,
        state,
        (EventType.STAGE_PASSED, payload),
        actor=actor,
        prepare=lambda writer: _hand_over(writer, stage.stage.id, summary, metrics_document(left)),
    )
    notes = (*on_record(asked.gates), *asked.exit.notes, *status_changes(state, done.state))
    done = with_memory_ended(workspace, replace(done, notes=notes, warnings=(*notices, *done.warnings)))
    return settle(workspace, done, f"{sprint_id}: {stage.stage.id} passed", commit=commit)


def reopen_stage(
    workspace: Workspace, sprint_id: str, stage_id: str, reason: str, *, actor: str, commit: bool = False
) -> "Transition":
    """Go back to a stage that was left; those after it are open again, and all that was done stays on record.

    Raises UsageError for an unknown stage, one that was not left yet, and an empty reason.
    """
    from verifflowcc.sprint.use.people_acting import record, settle
    from verifflowcc.sprint.use.stage_entry import entry_fields

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
    entry = entry_fields(workspace, state.workflow, stage_id)
    move = (EventType.STAGE_REOPENED, {**payloads.reopened(stage_id, why), **entry})
    done = record(workspace, seen, state, move, actor=actor)
    done = replace(done, notes=status_changes(state, done.state))
    return settle(workspace, done, f"{sprint_id}: {stage_id} reopened", commit=commit)


def show_stage(workspace: Workspace, sprint_id: str, stage_id: str | None = None) -> StageDetails:
    """Return a stage with its gates (default: the active one, else the last)."""
    state = load_sprint(workspace, sprint_id)[1]
    stage = stage_meant(state, stage_id)
    wanted = stage.stage.id
    folder = artifacts_folder(state.id, wanted)
    files = read_artifacts(workspace.root / folder, workspace.memory)
    if state.problems or state.fork:
        return StageDetails(state, stage, folder, files, ())
    asked = ask_stage(workspace, sprint_id, wanted)
    return StageDetails(state, stage, folder, files, asked.gates, owed_by(asked), next_command(workspace, asked))


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
    """Save artifacts and write the stage's current `summary.md`.

    The exit of the stage writes it again.

    Returns the paths written, relative to the project's root.
    """
    from verifflowcc.gates.rules.stage_summary import summary_document

    written = save_artifacts(workspace, sprint_id, stage_id, artifacts)
    state = load_movable(workspace, sprint_id)[1]
    facts = sound_facts(workspace, state)
    path = f".memory/stage/{sprint_id}/{stage_id}/summary.md"
    check_inside((workspace.root / path).parent, workspace.memory)
    left = _exit(workspace, gates_of(state, stage_id, facts), facts)
    write_atomic(workspace.root / path, summary_document(left))
    return (*written, path)


def active_stage(state: SprintState) -> StageState:
    """Return the active stage. Raises UsageError where there is none."""
    if state.status is SprintStatus.CLOSED:
        raise UsageError(f"{state.id} is closed", hint='vfcc sprint start "Title"')
    stage = state.stage(state.current) if state.current else None
    if stage is None:
        raise UsageError(f"{state.id} has passed all its stages", hint=f"vfcc sprint close {state.id}")
    return stage


def on_record(gates: Sequence[Gate]) -> tuple[str, ...]:
    """Return a sentence for each criterion that is not met and closed no gate, and for each that is waived."""
    sentences = [f"on record: {each.criterion.id}: {each.reason}" for gate in gates for each in gate.findings]
    sentences += [
        f"waived: {each.criterion.id}: {each.reason}"
        for gate in gates
        for each in gate.assessments
        if each.verdict is Verdict.WAIVED
    ]
    return tuple(sentences)


def status_changes(before: SprintState, after: SprintState) -> tuple[str, ...]:
    """Return sentences for the stages that a move made stale, or that stand again."""
    sentences = []
    for was, now in zip(before.stages, after.stages, strict=True):
        if was.status is now.status:
            continue
        name = now.stage.id
        if now.status is StageStatus.STALE:
            sentences.append(f"stale: {name}, until {', '.join(now.used)} {_have(now)} what it used")
        elif was.status is StageStatus.STALE and now.status is StageStatus.PASSED:
            sentences.append(f"passed again: {name}, since what it used did not change")
    return tuple(sentences)


def _have(stage: StageState) -> str:
    return "has" if len(stage.used) == 1 else "have"


def _exit(workspace: Workspace, asked: StageGates, facts: Facts) -> "StageExit":
    from verifflowcc.gates.rules.stage_summary import StageExit

    state, stage = asked.sprint, asked.stage
    name = stage.stage.id
    earlier = {}
    for each in state.stages:
        if each.stage.id == name:
            break
        if each.status in DONE:
            earlier[each.stage.id] = tuple(one.artifact for one in facts.artifacts[each.stage.id])
    feedback = read_text(workspace.memory / "stage" / state.id / name / "feedback.md")
    since = (workspace.clock.now() - moment(stage.entered_at)).total_seconds() if stage.entered_at else -1
    return StageExit(
        state=state,
        stage=stage,
        outputs=tuple(one.artifact for one in facts.artifacts[name]),
        earlier=earlier,
        feedback_lines=sum(bool(line.strip()) for line in feedback.splitlines()),
        duration_s=int(since) if since >= 0 else None,
        following=state.workflow.stage(asked.following) if state.workflow and asked.following else None,
        gate=asked.exit,
        facts=facts,
        failures=asked.failures,
    )


def _hand_over(writer: LedgerWriter, stage_id: str, summary: str, metrics: str) -> tuple[str, ...]:
    folder = f"stage/{writer.sprint_id}/{stage_id}"
    writer.put(f"{folder}/metrics.json", metrics)
    writer.put(f"{folder}/summary.md", summary)
    return ()


def _file_name(name: str) -> str:
    if not _ARTIFACT_NAME.fullmatch(name):
        raise UsageError(f"{name!r} is no name for an artifact: letters, digits, '.', '_' and '-', at most 80")
    return f"{name}.json"


def _json_text(name: str, value: object) -> str:
    try:
        return json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n"
    except (TypeError, ValueError) as error:
        raise UsageError(f"the artifact {name} is not JSON: {error}") from error
