"""The sprint and stage of a prompt, earlier stages, and the sprint's progress."""

import os
from collections.abc import Sequence

from verifflowcc.base.errors import UsageError
from verifflowcc.base.files.layout import MEMORY, Place
from verifflowcc.base.files.ledger import read_text
from verifflowcc.base.model.sprint_state import SprintState, SprintStatus
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.sprint.use.sprint_reading import (
    choice_files,
    ledger_of,
    not_chosen,
    progress_text,
    resolve_sprint,
    show_sprint,
    unknown_sprint,
)

Standpoint = tuple[Place, SprintState | None, tuple[str, ...]]


def resolve(
    workspace: Workspace,
    agent: str,
    sprint: str | None,
    stage: str | None,
    open_: Sequence[SprintState] | None = None,
) -> Standpoint:
    """Return the place, the sprint's state where it has a ledger, and notices.

    The current sprint where none is named, and its active stage where none is named; `open_` are the open sprints,
    where they were read. A sprint that is only a folder, written by hand, has no state but can be named. Raises
    UsageError for an unknown sprint or stage, and where none of several open sprints is chosen.
    """
    wanted = sprint if sprint is not None else _current(workspace, open_)
    if wanted is None:
        if stage is not None:
            raise UsageError("a stage is part of a sprint, and no sprint is open", hint="--sprint ID")
        notice = "no sprint is open: the prompt has no sprint and no stage memory"
        return Place(agent), None, (notice,)
    if not ledger_of(workspace).has(wanted):
        return _by_hand(workspace, agent, wanted, stage), None, ()
    state = show_sprint(workspace, wanted)
    notices = tuple(f"{problem}; run vfcc sprint show {wanted}" for problem in state.problems)
    if state.status is SprintStatus.FORKED:
        notices += (f"{wanted} is forked: two moves were made apart from each other; run vfcc sprint show {wanted}",)
    current = stage or state.current or (state.stages[-1].stage.id if state.stages else None)
    if stage is not None:
        from verifflowcc.base.use.stage_words import find_stage

        find_stage(state, stage)
    ids = [each.stage.id for each in state.stages]
    before = ids[ids.index(current) - 1] if current in ids and ids.index(current) > 0 else None
    place = Place(agent, wanted, current, before, handed(state, current), _earlier(workspace, wanted))
    return place, state, notices


def handed(state: SprintState, stage_id: str | None) -> tuple[str, ...]:
    """Return the stages whose artifacts a stage builds on: those it uses, its pair, then earlier ones, latest first."""
    workflow = state.workflow
    stage = workflow.stage(stage_id) if workflow and stage_id else None
    if workflow is None or stage is None:
        return ()
    earlier = [each.id for each in workflow.stages[: workflow.stages.index(stage)]]
    wanted = (*stage.uses, *filter(None, [stage.pair]), *reversed(earlier))
    return tuple(dict.fromkeys(each for each in wanted if each in earlier))


def depends_on(workspace: Workspace, sprint: str | None, open_: Sequence[SprintState] | None = None) -> tuple[str, ...]:
    """Return what the place and the progress depend on beside the ledgers: what chooses a sprint, stages, results.

    `open_` are the open sprints, where they were read.
    """
    names = _folders(workspace, "sprint") if sprint is None else (sprint,)
    files = [f"{MEMORY}/sprint/{name}/{file}" for name in names for file in ("results.json", "progress.json")]
    chosen_by = choice_files(workspace, open_) if sprint is None else ()
    return (f"{MEMORY}/stage", *(f"{MEMORY}/stage/{name}" for name in names), *files, *chosen_by)


def progress_of(workspace: Workspace, place: Place, state: SprintState | None) -> tuple[str, str] | None:
    """Return the path and the text of the sprint's progress: from its ledger, else from the file, else None."""
    if place.sprint is None:
        return None
    path = f"{MEMORY}/sprint/{place.sprint}/progress.json"
    if state is not None:
        return path, progress_text(workspace, place.sprint)

    text = read_text(workspace.root / path)
    return (path, text) if text.strip() else None


def _current(workspace: Workspace, open_: Sequence[SprintState] | None) -> str | None:
    found = resolve_sprint(workspace, open_)
    if found.problem:
        raise not_chosen(found)
    return found.id


def _by_hand(workspace: Workspace, agent: str, sprint: str, stage: str | None) -> Place:
    names = _folders(workspace, "sprint")
    if sprint not in {*names, *_folders(workspace, "stage")}:
        raise unknown_sprint(sprint, tuple(sorted({*names, *ledger_of(workspace).sprint_ids()})))
    stages = _folders(workspace, f"stage/{sprint}")
    if stage is not None and stage not in stages:
        known = f"there is {', '.join(stages)}" if stages else "it has none"
        raise UsageError(f"{sprint} has no stage {stage}; {known}", hint=f"mkdir -p {MEMORY}/stage/{sprint}/{stage}")
    return Place(agent, sprint, stage, earlier_sprints=_earlier(workspace, sprint))


def _earlier(workspace: Workspace, sprint: str) -> tuple[str, ...]:
    """The sprints that began before, oldest first: by the time in their first event's id, else by their names."""
    ledger = ledger_of(workspace)
    began = {name: (ledger.files(name).first_id()[:10], name) for name in _folders(workspace, "sprint")}
    mine = began.get(sprint, ("", sprint))
    return tuple(name for name in sorted(began, key=lambda name: began[name]) if began[name] < mine)


def _folders(workspace: Workspace, below: str) -> tuple[str, ...]:
    folder = workspace.memory / below
    if not folder.is_dir():
        return ()
    return tuple(sorted(entry.name for entry in os.scandir(folder) if entry.is_dir()))
