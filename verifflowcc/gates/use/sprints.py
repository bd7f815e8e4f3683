"""Sprints: start, find, list, close, and record results."""

import json
from collections.abc import Mapping, Sequence

from verifflowcc.base.errors import ConflictError, GateClosed, NotAllowed, UsageError, VfccError, WorkspaceError
from verifflowcc.base.files.ledger import LedgerWriter
from verifflowcc.base.formats import event_payloads as fields
from verifflowcc.base.formats.event_bytes import events_digest
from verifflowcc.base.git.git_head import current_branch, is_linked_worktree, note_started
from verifflowcc.base.git.git_protected import head_commit
from verifflowcc.base.model.events import EventType, Json, LedgerRead
from verifflowcc.base.model.gate_values import Mode
from verifflowcc.base.model.people import needs_person
from verifflowcc.base.model.sprint_state import DONE, SprintState, SprintStatus, Workflow, with_gaps
from verifflowcc.base.records import dataclass, replace
from verifflowcc.base.text.canonical import digest_text
from verifflowcc.base.text.identifiers import LONGEST, is_slug, numbered, slug
from verifflowcc.base.use.baseline_files import rules_at_start
from verifflowcc.base.use.stage_words import LONGEST_TITLE, one_line
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.gates.rules.gate_check import CLOSING, closing_gate
from verifflowcc.gates.use.gates_now import sound_facts
from verifflowcc.gates.use.owed import UnmetCriterion, hard_at
from verifflowcc.sprint.rules import stage_moves as payloads
from verifflowcc.sprint.rules.sprint_fold import learnings_block, with_block
from verifflowcc.sprint.rules.workflow_drawing import with_modes
from verifflowcc.sprint.store.workflow_load import load_workflow
from verifflowcc.sprint.use.configuration import effective_config
from verifflowcc.sprint.use.feedback import open_feedback_of_earlier_sprints
from verifflowcc.sprint.use.people_acting import (
    Transition,
    record,
    refresh_progress,
    require_person,
    results_of,
    settle,
)
from verifflowcc.sprint.use.role_files import create_role_files, created_notes
from verifflowcc.sprint.use.sprint_reading import (
    ledger_of,
    load_movable,
    load_sprint,
    open_sprints,
    results_path,
)
from verifflowcc.sprint.use.stage_entry import entry_fields


@dataclass(frozen=True, slots=True)
class StartSettings:
    """The settings of a sprint's start; `workflow` is None where the configuration decides."""

    title: str
    goals: tuple[str, ...]
    workflow: str | None

    def differences(self, state: SprintState) -> list[str]:
        """Return the settings with which a sprint was started where they are not these."""
        found = [f"the title {state.title!r}"] if state.title != self.title else []
        found += [f"other goals ({'; '.join(state.goals) or 'none'})"] if state.goals != self.goals else []
        pinned = state.workflow.name if state.workflow else ""
        return [*found, f"the workflow {pinned}"] if self.workflow not in {None, pinned} else found


def start_sprint(  # noqa: PLR0913 - one for each option of the command
    workspace: Workspace,
    title: str,
    *,
    goals: Sequence[str] = (),
    workflow: str,
    actor: str,
    sprint_id: str | None = None,
    with_roles: bool = False,
    commit: bool = False,
) -> Transition:
    """Start a sprint under the workflow of that name and enter its first stage; `goals.md` is written unless it exists.

    The id is made from the title, with a number where that is taken. A chosen id is taken once: where a sprint has it
    that was started with this title, these goals and, if `with_roles`, this workflow, its start is returned and nothing
    is written. `with_roles` means that the workflow was chosen, and creates missing files of its roles.
    Raises UsageError for an empty title, for a chosen id that is no id or that a sprint with other settings has, and
    for an unknown workflow; NotAllowed as `require_start` does.
    """
    name = one_line(title, "the title", LONGEST_TITLE)
    if not name:
        raise UsageError("a sprint needs a title", hint='vfcc sprint start "Title"')
    aims = tuple(aim for goal in goals if (aim := one_line(goal, "a goal")))
    settings = StartSettings(name, aims, workflow if with_roles else None)
    if sprint_id is None:
        return _begin(workspace, settings, workflow=workflow, actor=actor, sprint_id=None, commit=commit)
    earlier = _earlier_start(workspace, sprint_id, settings)
    if earlier:
        return earlier
    try:
        return _begin(workspace, settings, workflow=workflow, actor=actor, sprint_id=sprint_id, commit=commit)
    except (ConflictError, NotAllowed):
        # Another process may have started it since. An agent is then refused for the open sprint, which is this one.
        earlier = _earlier_start(workspace, sprint_id, settings)
        if earlier is None:
            raise
        return earlier


def _begin(
    workspace: Workspace, settings: StartSettings, *, workflow: str, actor: str, sprint_id: str | None, commit: bool
) -> Transition:
    plan = with_modes(load_workflow(workspace.memory, workflow), effective_config(workspace).config.gates.modes)
    require_start(workspace, workflow, actor)
    # Before the start, which records the files that hold the rules: what vfcc creates is no change of them.
    created = create_role_files(workspace, (plan,)) if settings.workflow else ()
    if sprint_id is not None:
        done = _start(workspace, sprint_id, settings.title, settings.goals, plan, actor)
    else:
        done = _start_derived(workspace, settings.title, settings.goals, plan, actor)
    done = replace(_noted_here(workspace, done), notes=created_notes(created))
    return settle(workspace, done, f"{done.state.id}: sprint started", commit=commit)


def require_start(workspace: Workspace, workflow: str, actor: str) -> None:
    """Raise NotAllowed where only a person may start this sprint: in a workflow of choice, or beside an open one."""
    if actor.startswith("human:"):
        return
    again = 'vfcc sprint start "Title"'
    if workflow != effective_config(workspace).config.workflow:
        hint = f"{again} --workflow {workflow}  # a person runs it, at a terminal"
        raise NotAllowed(needs_person(f"starting a sprint in another workflow, {workflow},", actor), hint=hint)
    others = open_on_branch(workspace)
    if others:
        hint = f"{again}  # a person runs it, at a terminal"
        beside = f"starting a sprint on a branch with an open one, {', '.join(others)},"
        raise NotAllowed(needs_person(beside, actor), hint=hint)


def open_on_branch(workspace: Workspace) -> tuple[str, ...]:
    """Return the ids of the open sprints that were started on the current branch, and those whose branch is not known.

    Where no branch is checked out (no git, a detached HEAD), these are all open sprints.
    """
    branch = current_branch(workspace.root)
    return tuple(each.id for each in open_sprints(workspace) if branch is None or each.branch in (None, branch))


def close_sprint(
    workspace: Workspace,
    sprint_id: str,
    *,
    learnings: str | None = None,
    actor: str,
    unfinished_reason: str | None = None,
    commit: bool = False,
) -> Transition:
    """Close a sprint; its learnings go to the end of its `knowledge.md`, once, however often this is tried.

    Raises GateClosed while a stage is open or does not hold any more, unless `unfinished_reason` says why the sprint
    ends all the same, which only a person may say; and where anybody but a person would close it with gaps. What the
    sprint learned is offered, and nothing of it written.
    """
    seen, state = load_movable(workspace, sprint_id)
    if state.status is SprintStatus.CLOSED:
        raise UsageError(f"{sprint_id} is closed already", hint=f"vfcc sprint show {sprint_id}")
    unfinished = _unfinished(state, unfinished_reason)
    if unfinished:
        require_person(actor, f"closing {sprint_id} unfinished", hint=f"vfcc next --sprint {sprint_id}")
    notes = () if unfinished else _still_holds(workspace, state)
    if not unfinished and (notes or state.gaps):
        _require_person_for_gaps(state, notes, actor)
    block = learnings_block(state.title, learnings) if learnings and learnings.strip() else None
    ledger: dict[str, Json] = {
        "events": len(seen.events),
        "digest": events_digest(event.id for event in seen.events),
    }
    payload = payloads.closed(state, digest_text(block) if block else None, unfinished, ledger)
    done = record(
        workspace,
        seen,
        state,
        (EventType.SPRINT_CLOSED, payload),
        actor=actor,
        prepare=lambda writer: _learn(writer, block),
    )
    done = _with_learnings(workspace, replace(done, notes=notes), state)
    return settle(workspace, done, f"{sprint_id}: sprint closed", commit=commit)


def update_sprint(workspace: Workspace, sprint_id: str, results: Mapping[str, object]) -> tuple[str, ...]:
    """Merge `results` into the sprint's `results.json`, which its progress shows; `learnings` go to `knowledge.md`.

    Returns the paths written, relative to the project's root. Raises UsageError for what is not JSON.
    """
    seen, state = load_sprint(workspace, sprint_id)
    learnings = results.get("learnings")
    if learnings is not None and not isinstance(learnings, str):
        raise UsageError("learnings must be text")
    block = learnings_block(state.title, learnings) if learnings and learnings.strip() else None
    with ledger_of(workspace).moving(sprint_id, seen) as writer:
        document = {**results_of(writer), **{key: value for key, value in results.items() if key != "learnings"}}
        text = _json_text(document)
        written = _learn(writer, block)
        if document:
            writer.put(results_path(sprint_id), text)
            written = (*written, results_path(sprint_id))
        refresh_progress(writer, state)
    return tuple(f".memory/{path}" for path in written)


def _with_learnings(workspace: Workspace, done: Transition, state: SprintState) -> Transition:
    """Return a sprint's end with its learnings, or a warning if they are unreadable."""
    from verifflowcc.memory.use.proving_fixes import learnings_of  # reads what is remembered, at a sprint's end alone

    try:
        return replace(done, learnings=learnings_of(workspace, state))
    except VfccError as error:
        return replace(done, warnings=(*done.warnings, f"learnings are not offered: {error.message}"))


def _earlier_start(workspace: Workspace, sprint_id: str, settings: StartSettings) -> Transition | None:
    """Return the start of the sprint that has this id and these settings; None where no sprint has the id."""
    if not is_slug(sprint_id):
        raise UsageError(
            f"{sprint_id!r} is no sprint id: lower-case letters, digits and -, at most {LONGEST}, no reserved name",
            hint=f"--id {slug(sprint_id, 'sprint')}",
        )
    if not ledger_of(workspace).names(sprint_id):
        return None
    seen, state = load_movable(workspace, sprint_id)
    if others := settings.differences(state):
        raise UsageError(
            f"the sprint {sprint_id} exists already, with {' and '.join(others)}", hint=f"vfcc sprint show {sprint_id}"
        )
    start = next(event for event in seen.events if event.type is EventType.SPRINT_STARTED)
    return Transition(state, start, None, fields.text(start.payload, "entered"), written=(), changed=False)


def _start_derived(
    workspace: Workspace, title: str, goals: tuple[str, ...], workflow: Workflow, actor: str
) -> Transition:
    base, number = slug(title, "sprint"), 1
    while True:
        name = base if number == 1 else numbered(base, number)
        if not ledger_of(workspace).names(name):
            try:
                return _start(workspace, name, title, goals, workflow, actor)
            except ConflictError:
                if not ledger_of(workspace).names(name):
                    raise
        number += 1


def _start(
    workspace: Workspace, sprint_id: str, title: str, goals: tuple[str, ...], workflow: Workflow, actor: str
) -> Transition:
    path = f"sprint/{sprint_id}/goals.md"

    def prepare(writer: LedgerWriter) -> tuple[str, ...]:
        if writer.text(path).strip():
            return ()
        listed = "\n".join(f"- {goal}" for goal in goals) or "None stated yet."
        writer.put(path, f"# {title}\n\n## Goals\n\n{listed}\n")
        return (path,)

    seen = LedgerRead(sprint_id, (), (), ())
    carried = [f"{one.sprint}/{one.event}" for one in open_feedback_of_earlier_sprints(workspace)]
    root = workspace.root
    base = head_commit(root)
    payload = payloads.started(
        sprint_id,
        title,
        goals,
        workflow,
        carried=carried,
        git=payloads.GitStart(base, current_branch(root), rules_at_start(workspace, base)),
    )
    move = (EventType.SPRINT_STARTED, {**payload, **entry_fields(workspace, workflow, workflow.stages[0].id)})
    return record(workspace, seen, SprintState(sprint_id, title), move, actor=actor, prepare=prepare)


def _noted_here(workspace: Workspace, done: Transition) -> Transition:
    """Note the sprint in a linked worktree, which chooses it from then on; where that fails, add a warning."""
    if not is_linked_worktree(workspace.root):
        return done
    try:
        note_started(workspace.local, done.state.id)
    except WorkspaceError as error:
        return replace(done, warnings=(*done.warnings, f"this worktree does not choose the sprint: {error.message}"))
    return done


def _unfinished(state: SprintState, reason: str | None) -> str | None:
    if state.complete:
        return None
    words = one_line(reason or "", "the reason")
    if words:
        return words
    left = [each.stage.id for each in state.stages if each.status not in DONE]
    raise GateClosed(
        f"{state.id} cannot be closed: {len(left)} of {len(state.stages)} stages are not passed ({', '.join(left)})",
        hint=f'vfcc next --sprint {state.id}  # or: vfcc sprint close {state.id} --unfinished "why"',
        blockers=tuple(_not_passed(state, each) for each in left),
    )


def _not_passed(state: SprintState, stage_id: str) -> UnmetCriterion:
    """Return a stage that is not passed as what keeps a sprint from being closed."""
    reason, command = f"{stage_id} is not passed", f"vfcc next --sprint {state.id}"
    return UnmetCriterion(CLOSING.id, CLOSING.kind, Mode.HARD, stage_id, entering=False, reason=reason, command=command)


def _still_holds(workspace: Workspace, state: SprintState) -> tuple[str, ...]:
    """Return the findings to record at the close; GateClosed where a stage fails now."""
    gate = closing_gate(sound_facts(workspace, state))
    for each in gate.blockers:
        raise GateClosed(
            f"{state.id} cannot be closed: {each.reason}",
            hint=f"{each.step}  # then: vfcc sprint close {state.id}",
            blockers=hard_at(gate),
        )
    return tuple(f"on record: {each.reason}" for each in gate.findings)


def _require_person_for_gaps(state: SprintState, notes: Sequence[str], actor: str) -> None:
    if not actor.startswith("human:"):
        owed = [f"- {note}" for note in notes]
        head = needs_person(f"closing {state.id}{with_gaps(state.gaps or len(notes))}", actor)
        hint = f"vfcc sprint close {state.id}  # a person runs it, at a terminal"
        raise GateClosed("\n".join([head, *owed]), hint=hint)


def _learn(writer: LedgerWriter, block: str | None) -> tuple[str, ...]:
    if block is None:
        return ()
    path = f"sprint/{writer.sprint_id}/knowledge.md"
    was = writer.text(path)
    text = with_block(was, block)
    if text != was:
        writer.put(path, text)
    return (path,)


def _json_text(document: Mapping[str, object]) -> str:
    try:
        return json.dumps(document, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n"
    except (TypeError, ValueError) as error:
        raise UsageError(f"results must be JSON: {error}") from error
