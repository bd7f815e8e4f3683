"""What is recorded of the project's files when a stage is entered that does not edit all of them."""

from collections.abc import Sequence

from verifflowcc.base.errors import ConflictError, UsageError, WorkspaceError
from verifflowcc.base.files.project_content import KnownDigests, digest_all
from verifflowcc.base.files.write import on_disk
from verifflowcc.base.formats import event_payloads as fields
from verifflowcc.base.git.git_protected import head_commit, uncommitted_files
from verifflowcc.base.model.events import Json, LedgerRead
from verifflowcc.base.model.sprint_state import Edits, SprintState, Workflow
from verifflowcc.base.use.stage_words import find_stage
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.sprint.rules.sprint_fold import move_in_words
from verifflowcc.sprint.rules.sprint_people import Stay, stays_in
from verifflowcc.sprint.use.people_acting import Transition
from verifflowcc.sprint.use.sprint_reading import load_movable

# Which stay in a stage an advance is meant to end, and whether an earlier advance has ended it already.

LEAST_ENDING = 4


def earlier_advance(workspace: Workspace, sprint_id: str, stay: str) -> Transition | None:
    """Return the advance that has ended this stay, with the sprint as it is now; None while the sprint is in it.

    Raises as `ended_stay` and `load_movable` do.
    """
    seen, state = load_movable(workspace, sprint_id)
    ended = ended_stay(seen, state, stay)
    if ended is None or ended.ended_by is None:
        return None
    move = ended.ended_by
    entered = fields.optional_text(move.payload, "entered")
    return Transition(state, move, stay.partition("@")[0], entered, written=(), changed=False)


def ended_stay(seen: LedgerRead, state: SprintState, stay: str) -> Stay | None:
    """Return this stay where an advance has ended it, and None while the sprint is in it.

    `stay` is a stage, which means the latest stay in it, or `STAGE@EVENT` with the last characters of the id of the
    event that entered it. Raises UsageError for a stay that never began, and ConflictError for one that another move
    than an advance has ended.
    """
    name = stay.partition("@")[0]
    stays = stays_in(find_stage(state, name).stage.id, seen.events)
    found = next(reversed(_meant(stays, stay)), None)
    if found is None:
        where = f"it is in {state.current}" if state.current else f"it is {state.status}"
        raise UsageError(f"{state.id} has not entered {name}; {where}", hint=f"vfcc stage list --sprint {state.id}")
    if found.ended_by is None:
        return None
    if not found.advanced:
        by = f"{found.ended_by.actor} {move_in_words(found.ended_by)}"
        raise ConflictError(f"{state.id} left {name} without an advance: {by}", hint=f"vfcc next --sprint {state.id}")
    return found


def _meant(stays: Sequence[Stay], stay: str) -> Sequence[Stay]:
    """Return the one stay that the end of an event's id names; all of them where a stage alone is named."""
    name, at, ending = stay.partition("@")
    if not at:
        return stays
    if len(ending) < LEAST_ENDING:
        raise UsageError(f"{stay!r} is too short: give at least {LEAST_ENDING} characters of the event's id")
    fitting = [each for each in stays if each.entered_by.id.endswith(ending.upper())]
    if len(fitting) > 1:
        raise UsageError(f"{stay} names several stays; give more characters of the event's id")
    if stays and not fitting:
        raise UsageError(f"no event that ends with {ending} entered {name}", hint=f"vfcc stage show {name}")
    return fitting


MOST_UNCOMMITTED = 200
"""So many files are recorded with their digests; of more, nothing but the commit is."""


def entry_fields(workspace: Workspace, workflow: Workflow | None, entered: str | None) -> dict[str, Json]:
    """Return the fields that an event which enters a stage has more: the commit, and what was not in it.

    Nothing for a stage that edits everything, and where there is no commit.
    """
    stage = workflow.stage(entered) if workflow and entered else None
    head = head_commit(workspace.root) if stage and stage.edits is not Edits.ALL else None
    if head is None:
        return {}
    try:
        paths = uncommitted_files(workspace.root)
    except WorkspaceError:
        return {"head": head}
    if len(paths) > MOST_UNCOMMITTED:
        return {"head": head}
    root = workspace.root
    digests = digest_all(((path, on_disk(root, path)) for path in paths), KnownDigests(None), root)[0]
    return {"head": head, "uncommitted": {path: digests.get(path) for path in paths}}
