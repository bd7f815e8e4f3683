"""Find the runs of a project, and read what each of them is: from its integration worktree, else from the checkout."""

from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from verifflowcc.base.errors import UsageError, WorkspaceError
from verifflowcc.base.files.lock import holder
from verifflowcc.base.model.events import Event, EventType, Json
from verifflowcc.base.model.ports import Clock
from verifflowcc.base.model.sprint_state import DONE, Edits, SprintState, SprintStatus, Stage
from verifflowcc.base.records import dataclass, field, replace
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.run.rules.run_fold import RunAttempt, RunState, RunStatus, fold_runs, run_events
from verifflowcc.run.rules.run_moves import SprintPlace
from verifflowcc.run.store.run_tree import INTEGRATION, RunPlace, branch_of, ensure_tree, known_runs, place_of
from verifflowcc.sprint.rules.sprint_fold import arrange
from verifflowcc.sprint.use.sprint_reading import command_in, ledger_of, load_sprint

if TYPE_CHECKING:
    from verifflowcc.base.model.events import LedgerRead

LOCK = "lock"
STOP = "stop"
"""The file that asks a driver to stop after its step."""
TO_DO = "; to do: "
TAG = "git tag"
"""How the step begins of a criterion that wants a tag."""
FORMAT = 1
"""The `v` of the lines of `vfcc run events`."""


@dataclass(frozen=True, slots=True)
class OpenRun:
    """A run, its sprint as the run has it, and where both are."""

    state: RunState
    sprint: SprintState
    place: RunPlace
    workspace: Workspace


def integration_workspace(place: RunPlace, clock: Clock) -> Workspace:
    """Return the project in the integration worktree of a run."""
    return Workspace(place.project(), clock)


def sprint_place(state: SprintState) -> SprintPlace:
    """Return where a sprint is, as the next move of a run needs it."""
    closed = state.status is SprintStatus.CLOSED
    passed = tuple(each.stage.id for each in state.stages if each.status in DONE)
    stage = state.stage(state.current) if state.current else None
    if stage is None:
        return SprintPlace(None, closed=closed, passed=passed)
    place = SprintPlace(stage.stage.id, stage.entered_by or "", stage.stage.role, closed, passed)
    number = state.stages.index(stage)
    if number:
        place = replace(place, before=state.stages[number - 1].entered_by or "")
    if following := beside_stage(state, stage.stage.id):
        place = replace(place, next=following.id, next_role=following.role)
    return place


def beside_stage(state: SprintState, stage: str) -> Stage | None:
    """Return the stage after one that may change all files, where that stage changes tests alone; else None.

    Its role can write the tests while the other one writes the code.
    """
    for one, following in pairwise(each.stage for each in state.stages):
        if one.id == stage and one.edits is Edits.ALL and following.edits is Edits.TESTS:
            return following
    return None


def read_run(workspace: Workspace, sprint_id: str, run: str) -> tuple[RunState | None, SprintState]:
    """Return a run as a workspace's ledger has it, None where it has none of it, and the sprint."""
    seen, state = load_sprint(workspace, sprint_id)
    return runs_in(seen, state).get(run), state


def runs_in(seen: "LedgerRead", state: SprintState) -> Mapping[str, RunState]:
    """Return the runs of a sprint that was read."""
    notes = state.notes or arrange(seen.events).ordered
    return fold_runs(state.id, notes, closed=state.status is SprintStatus.CLOSED)


def all_runs(workspace: Workspace, *, restore: bool = False) -> tuple[OpenRun, ...]:
    """Return all runs of a project, oldest first: those with a branch, and those on the checkout's own ledgers.

    With `restore`, integration worktrees that were removed are made again; else their runs are left out.
    """
    found: dict[str, OpenRun] = {}
    for run in known_runs(workspace.root):
        place = place_of(workspace.root, run)
        if restore:
            ensure_tree(place, INTEGRATION, "HEAD")
        tree = Workspace(place.project(), workspace.clock)
        if tree.memory.is_dir():
            found |= {each.state.id: each for each in _in_workspace(tree, workspace.root) if each.state.id == run}
    for each in _in_workspace(workspace, workspace.root):
        found.setdefault(each.state.id, each)
    return tuple(sorted(found.values(), key=lambda each: (each.state.opened, each.state.id)))


def _in_workspace(workspace: Workspace, root: Path) -> Iterator[OpenRun]:
    for sprint_id in ledger_of(workspace).sprint_ids():
        seen, state = load_sprint(workspace, sprint_id)
        for run in runs_in(seen, state).values():
            yield OpenRun(run, state, place_of(root, run.id), workspace)


def find_run(workspace: Workspace, run: str | None = None, *, restore: bool = False) -> OpenRun:
    """Return a run: the one named, else the latest that is not done, else the latest; `restore` is that of `all_runs`.

    Raises UsageError where there is none, WorkspaceError where its worktree was removed.
    """
    known = all_runs(workspace, restore=restore)
    if run is not None:
        known = tuple(each for each in known if each.state.id == run)
    if known:
        unfinished = [each for each in known if each.state.status is not RunStatus.DONE]
        return (unfinished or list(known))[-1]
    removed = [each for each in known_runs(workspace.root) if run in (None, each)]
    if removed and not restore:
        raise WorkspaceError(
            f"the worktree of the run {removed[-1]} was removed", hint=f"vfcc run resume {removed[-1]}"
        )
    if run is None:
        raise UsageError("no run was started here", hint="vfcc run --dry-run")
    names = ", ".join(each.state.id for each in all_runs(workspace)) or "none yet"
    raise UsageError(f"there is no run {run}; there is {names}", hint="vfcc run status")


def lock_file(place: RunPlace) -> Path:
    """Return the lock that the driver of a run holds."""
    return place.folder / LOCK


def driver_of(place: RunPlace) -> str | None:
    """Return the process that drives a run; None where none does."""
    return holder(lock_file(place))


@dataclass(frozen=True, slots=True)
class RunLine:
    """A run as `vfcc run status` shows it; `alive` says whether a driver works on it."""

    run: str
    sprint: str
    status: str
    """`working`, `crashed`, `waiting`, `blocked`, `limit`, `stopped`, `failed` or `done`."""
    alive: bool
    stage: str | None
    detail: str
    attempts: tuple[RunAttempt, ...]
    input_tokens: int
    output_tokens: int
    micro_usd: int | None
    """Millionths of a US dollar, as the clients report it; null if none does."""
    seconds: int
    branch: str
    tree: str
    """The integration worktree."""
    next: str
    """The next command."""
    asks: tuple[str, ...] = field(default=())


def run_line(found: OpenRun) -> RunLine:
    """Return a run with whether it is alive, and the next command."""
    run, place = found.state, found.place
    alive = driver_of(place) is not None
    status = "crashed" if run.status is RunStatus.WORKING and not alive else str(run.status)
    used = run.usage
    return RunLine(
        run=run.id,
        sprint=run.sprint,
        status=status,
        alive=alive,
        stage=found.sprint.current,
        detail=run.detail,
        attempts=run.attempts,
        input_tokens=used.input_tokens,
        output_tokens=used.output_tokens,
        micro_usd=used.micro_usd,
        seconds=run.seconds,
        branch=branch_of(run.id),
        tree=str(place.tree()),
        next=next_command_of(found, status),
        asks=run.asked.asks if run.asked else (),
    )


def next_command_of(found: OpenRun, status: str) -> str:
    """Return the one command that leads on."""
    run = found.state
    stage = found.sprint.current
    match status:
        case "working":
            return "vfcc run events --follow"
        case "done":
            return merge_command(found.place)
        case "waiting":
            return (
                f"{run.asked.asks[0].rpartition('; to do: ')[2] if run.asked else 'vfcc next'}  # then: vfcc run resume"
            )
        case "blocked":
            return f"vfcc run retry {stage}" if stage else "vfcc run resume"
        case "limit":
            return "vfcc run resume --max-minutes N  # or --max-tokens N, --max-usd N"
        case _:
            return "vfcc run resume"


def merge_command(place: RunPlace) -> str:
    """Return the command with which a person takes over what a run has made."""
    return f"git merge --ff-only {branch_of(place.run)}"


def in_tree(workspace: Workspace, sprint_id: str, command: str) -> str:
    """Return a command of vfcc as it is run in the integration worktree from anywhere."""
    named = command_in(workspace, sprint_id)(command)
    program, _, rest = named.partition(" ")
    return f"{program} -C {workspace.root} {rest}" if program in ("vfcc", "git") else named


LINE_TYPES = {
    EventType.RUN_OPENED: "run.opened",
    EventType.ATTEMPT_STARTED: "attempt.started",
    EventType.ATTEMPT_ENDED: "attempt.ended",
    EventType.ATTEMPT_MERGED: "attempt.merged",
    EventType.RUN_GATE: "gate.evaluated",
    EventType.RUN_ASKED: "person.asked",
    EventType.RUN_ANSWERED: "person.answered",
    EventType.RUN_STOPPED: "run.stopped",
    EventType.RUN_CLOSED: "run.done",
    EventType.STAGE_PASSED: "stage.passed",
    EventType.SPRINT_CLOSED: "run.done",
}


def event_lines(found: OpenRun, after: int = 0) -> tuple[dict[str, Json], ...]:
    """Return the events of a run as NDJSON has them, numbered from 1, those after number `after`.

    The same events give the same lines, whenever they are read.
    """
    seen, _ = load_sprint(found.workspace, found.state.sprint)
    lines: list[dict[str, Json]] = []
    opened = False
    for event in arrange(seen.events).ordered:
        own = run_events((event,), found.state.id)
        opened = opened or bool(own)
        moved = opened and event.type in (EventType.STAGE_PASSED, EventType.SPRINT_CLOSED)
        if own or moved:
            lines.append(_line(event, found.state.id, len(lines) + 1))
    return tuple(lines[after:])


def _line(event: Event, run: str, number: int) -> dict[str, Json]:
    kept = {name: value for name, value in event.payload.items() if name not in _LONG}
    return {
        "v": FORMAT,
        "seq": number,
        "run": run,
        "type": LINE_TYPES[event.type],
        "time": event.time,
        "event": event.id,
        **{name: value for name, value in kept.items() if name not in ("v", "seq", "type", "time", "event")},
    }


_LONG = frozenset(
    ("artifacts", "gate", "uses", "metrics", "handover", "summary", "uncommitted", "ledger", "stages", "traced")
)
