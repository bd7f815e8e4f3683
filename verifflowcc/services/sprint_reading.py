"""Read sprints from their ledgers: one of them, all, or those that are open.

It imports nothing of what moves a sprint: hooks and the shortest commands read sprints, too.
"""

from collections.abc import Iterable

from verifflowcc.adapters.files.ledger import Ledger
from verifflowcc.domain.events import LedgerProblem, LedgerRead
from verifflowcc.domain.sprints import DONE, SprintLine, SprintState, SprintStatus
from verifflowcc.errors import ConflictError, LedgerError, UsageError
from verifflowcc.records import replace
from verifflowcc.services.workspace import MEMORY, Workspace
from verifflowcc.text.article import nearest
from verifflowcc.workflow.closing import GAPS, closed_line
from verifflowcc.workflow.fold import fold
from verifflowcc.workflow.graph import LOST_PARENT


def ledger_of(workspace: Workspace) -> Ledger:
    """Return the workspace's ledger."""
    return Ledger(workspace.memory, cached=workspace.ledgers.cached, known=workspace.ledgers.caches)


def load_sprint(workspace: Workspace, sprint_id: str) -> tuple[LedgerRead, SprintState]:
    """Return a sprint's events and its state, with all problems of the ledger in the state.

    Raises UsageError where there is no such sprint.
    """
    ledger = ledger_of(workspace)
    seen = ledger.load(sprint_id)
    if not seen.names:
        raise unknown_sprint(sprint_id, ledger.sprint_ids())
    before, state = workspace.ledgers.folded.get(sprint_id, (None, None))
    if state is None or before is not seen:
        state = fold(sprint_id, seen.events)
        found = (*seen.problems, *(_placed(problem, seen) for problem in state.problems))
        problems = tuple(sorted(found, key=lambda each: (each.file, each.line, each.reason)))
        state = replace(state, problems=problems, packed={name: file for name, (file, _) in seen.packed.items()})
        workspace.ledgers.folded[sprint_id] = (seen, state)
    return seen, state


def show_sprint(workspace: Workspace, sprint_id: str) -> SprintState:
    """Return a sprint's state with the problems of its ledger. Raises UsageError where there is no such sprint."""
    return load_sprint(workspace, sprint_id)[1]


def open_sprints(workspace: Workspace) -> tuple[SprintState, ...]:
    """Return the sprints that are not closed, by id. A closed one costs a listing and the parsing of its last event."""
    ids = ledger_of(workspace).sprint_ids()
    states = (show_sprint(workspace, sprint_id) for sprint_id in ids if not _closed(workspace, sprint_id))
    return tuple(state for state in states if state.status is not SprintStatus.CLOSED)


def list_sprints(workspace: Workspace) -> tuple[SprintLine, ...]:
    """Return all sprints by id. A closed one costs a listing and the parsing of its last event."""
    return tuple(_line(workspace, sprint_id) for sprint_id in ledger_of(workspace).sprint_ids())


def load_movable(workspace: Workspace, sprint_id: str) -> tuple[LedgerRead, SprintState]:
    """Return a sprint that can be moved.

    Raises LedgerError, one line per file, where an event file is not sound, and ConflictError where two moves stand
    against each other.
    """
    seen, state = load_sprint(workspace, sprint_id)
    if state.problems:
        raise unsound(state)
    if state.fork:
        sides = "; ".join(f"{move.actor} {move.does} ({move.event})" for move in state.fork.moves)
        raise ConflictError(f"{sprint_id} was moved on two sides: {sides}", hint=f"vfcc sprint resolve {sprint_id}")
    return seen, state


def unknown_sprint(sprint_id: str, known: tuple[str, ...]) -> UsageError:
    """Return the error for a sprint that is not there, with the nearest name."""
    near = nearest(sprint_id, known)
    if near:
        return UsageError(f"there is no sprint {sprint_id}; did you mean {near}?", hint="vfcc sprint list")
    have = f"there is {', '.join(known)}" if known else "there is none yet"
    hint = "vfcc sprint list" if known else 'vfcc sprint start "Title"'
    return UsageError(f"there is no sprint {sprint_id}; {have}", hint=hint)


def unsound(state: SprintState) -> LedgerError:
    """Return the error for a ledger that cannot be trusted, one line per file."""
    listed, first = list(map(str, state.problems)), state.problems[0]
    if first.reason.endswith(LOST_PARENT):  # as a revert or a cherry-pick leaves it: git status has nothing to show
        return LedgerError("\n".join(listed), hint="vfcc doctor  # names the command that repairs it")
    return changed_by_hand(listed, first.file.rpartition("/")[0])


def changed_by_hand(problems: Iterable[str], folder: str) -> LedgerError:
    """Return the error for files in `folder` that are not what vfcc wrote; each problem begins with `file:line:`."""
    hint = f"git status -- {folder}  # remove what is new, bring back what was changed"
    return LedgerError("\n".join(problems), hint=hint)


def _placed(problem: LedgerProblem, seen: LedgerRead) -> LedgerProblem:
    """Return a problem of an event with the line of the pack that holds it, where it has no file of its own."""
    name = problem.file.rpartition("/")[2].removesuffix(".json")
    file, line = seen.packed.get(name, (problem.file, problem.line))
    return replace(problem, file=file, line=line)


def _closed(workspace: Workspace, sprint_id: str, *, counted: bool = False) -> SprintLine | None:
    """Return the line of a sprint that its last event closes; None where all its events have to be read.

    With `counted` that is so, too, where the event is older than the count of gaps.
    """
    files = ledger_of(workspace).files(sprint_id)
    try:
        ids = files.ids()
        if not ids or workspace.ledgers.last_open.get(sprint_id) == ids[-1]:
            return None
        last = files.event(ids[-1])
        line = closed_line(sprint_id, last, ids)
    except LedgerError:
        return None
    if line is None and workspace.ledgers.cached:
        workspace.ledgers.last_open[sprint_id] = ids[-1]
    return None if counted and GAPS not in last.payload else line


def _line(workspace: Workspace, sprint_id: str) -> SprintLine:
    line = _closed(workspace, sprint_id, counted=True)
    if line:
        return line
    state = show_sprint(workspace, sprint_id)
    done = sum(each.status in DONE for each in state.stages)
    return SprintLine(
        id=sprint_id,
        title=state.title,
        status=state.status,
        current=state.current,
        done=done,
        total=len(state.stages),
        problems=len(state.problems),
        gaps=state.gaps,
    )


def depends_on(workspace: Workspace) -> tuple[str, ...]:
    """Return what a status, or a prompt's place, depends on: the folders of sprints and events, and every event.

    A folder with no events is named too: a merge may bring some.
    """
    ledger = ledger_of(workspace)
    known = ledger.sprint_ids()
    paths = [f"{MEMORY}/config.yaml", f"{MEMORY}/sprint"]
    for name in (path.name for path in sorted((workspace.memory / "sprint").glob("*/"))):
        events = f"{MEMORY}/sprint/{name}/events"
        listed = ledger.names(name) if name in known else ()
        paths += [f"{MEMORY}/sprint/{name}", events, *(f"{events}/{event}" for event in listed)]
    return tuple(paths)
