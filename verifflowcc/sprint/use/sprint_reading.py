"""Read sprints from their ledgers: one of them, all, or those that are open.

It imports nothing of what moves a sprint: hooks and the shortest commands read sprints, too.
"""

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence

from verifflowcc.base.errors import ConflictError, LedgerError, UsageError, VfccError, WorkspaceError
from verifflowcc.base.files.layout import Stamps, check_inside, names_stamp, settled
from verifflowcc.base.files.ledger import PACK, Ledger, is_event_file, read_text
from verifflowcc.base.files.write import DerivedFile
from verifflowcc.base.model.events import LedgerProblem, LedgerRead
from verifflowcc.base.model.sprint_state import DONE, SPRINT_VARIABLE, SprintLine, SprintState, SprintStatus
from verifflowcc.base.records import dataclass, replace
from verifflowcc.base.text.plain_words import nearest
from verifflowcc.base.use.workspace import MEMORY, Workspace
from verifflowcc.sprint.rules.sprint_fold import GAPS, LOST_PARENT, closed_line, fold


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
    """Return the sprints that are not closed, by id. A closed one costs a listing and a stat, once it is known."""
    ledger = ledger_of(workspace)
    listed = {name: names for name in ledger.folders() if (names := ledger.names(name))}
    before = _known_closed(workspace)
    closed: dict[str, str] = {}
    states = []
    for sprint_id, names in listed.items():
        seen, settled_now = _as_seen(ledger, sprint_id, names) if len(listed) >= _MANY else ("", False)
        if seen and before.get(sprint_id) == seen:
            closed[sprint_id] = seen
        elif not _closed(workspace, sprint_id):
            states.append(show_sprint(workspace, sprint_id))
        elif settled_now:
            closed[sprint_id] = seen
    if closed != before and workspace.ledgers.cached:
        workspace.ledgers.closed.clear()
        workspace.ledgers.closed.update(closed)
        _CLOSED.write(workspace.local / _CLOSED.place, closed)
    return tuple(state for state in states if state.status is not SprintStatus.CLOSED)


def _known_closed(workspace: Workspace) -> Mapping[str, str]:
    """Return the sprints that were closed, each with what its files looked like."""
    known = workspace.ledgers.closed
    if not known and workspace.ledgers.cached:
        known.update(_CLOSED.read(workspace.local / _CLOSED.place) or {})
    return known


def _as_seen(ledger: Ledger, sprint_id: str, names: Sequence[str]) -> tuple[str, bool]:
    """Return what a sprint's files look like from outside, and whether that is enough to know them by later."""
    watched = [each for each in names if each.endswith(PACK) or each == names[-1]]
    stamps = Stamps(ledger.memory / "sprint" / sprint_id / "events")
    stamps.take(watched)
    return f"{names_stamp(names)} {' '.join(stamps.by_path.values())}", settled(stamps.touched_ns)


_MANY = 10
"""Where there are so many sprints, it is kept which of them are closed."""
_CLOSED = DerivedFile("closed-sprints.json", 1, keyed_by="names of event files; stamps of packs and of the last event")


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
        sides = "; ".join(f"{move.actor} {move.action} ({move.event})" for move in state.fork.moves)
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
    known = frozenset(ledger.folders())
    paths = [f"{MEMORY}/config.yaml", f"{MEMORY}/sprint"]
    for name in (path.name for path in sorted((workspace.memory / "sprint").glob("*/"))):
        events = f"{MEMORY}/sprint/{name}/events"
        listed = ledger.names(name) if name in known else ()
        paths += [f"{MEMORY}/sprint/{name}", events, *(f"{events}/{event}" for event in listed)]
    return tuple(paths)


_NEWEST = 1_000
"""Of so many event files in a folder the stamps are kept beside the names: an edit by hand shows without reading."""


def watch_ledgers(workspace: Workspace, stamps: Stamps, *, edits: bool = False) -> None:
    """Take what changes with any event: the names in the folders of sprints and events, and the stamps of packs.

    The name of an event's file holds a digest of its content, so that its name says all, also a moment after it was
    written; a pack's does not. With `edits` the newest event files are watched for edits by hand, too.
    """
    for name in stamps.take_names(f"{MEMORY}/sprint"):
        stamps.take_names(f"{MEMORY}/sprint/{name}")
        events = f"{MEMORY}/sprint/{name}/events"
        listed = stamps.take_names(events)
        stamps.take(f"{events}/{each}" for each in listed if each.endswith(PACK))
        if edits:
            stamps.take_fixed(f"{events}/{each}" for each in listed[-_NEWEST:] if is_event_file(each))


# Which sprint is meant: one resolution for every command, the brief and the hooks.
#
# In this order: the sprint that a command names, `VFCC_SPRINT`, the branch on which a sprint was started, the linked
# worktree in which it was started, the only open one. Where none of these decides, no sprint is chosen, and everything
# that needs one names them all and how to choose.


@dataclass(frozen=True, slots=True)
class CurrentSprint:
    """The current sprint, if one is chosen, what chose it, and the branches on which the open sprints were started.

    `by` is empty where there was nothing to choose. `problem` says why none is chosen, `hint` how to choose one; both
    are empty where one is chosen and where no sprint is open. `fault` says that `VFCC_SPRINT` names no open sprint.
    """

    id: str | None
    by: str
    branches: Mapping[str, str | None]
    fault: str = ""

    @property
    def ambiguous(self) -> bool:
        """Whether sprints are open and none of them is chosen."""
        return self.id is None and bool(self.branches)

    @property
    def label(self) -> str:
        """What chose the sprint, in brackets after its id; empty where there was nothing to choose."""
        return f" ({self.by})" if self.by and len(self.branches) > 1 else ""

    @property
    def problem(self) -> str:
        """Why no sprint is chosen."""
        if self.fault or not self.ambiguous:
            return self.fault
        return f"several sprints are open: {', '.join(self.branches)}; choose one"

    @property
    def hint(self) -> str:
        """How to choose one, as a command."""
        if not self.branches:
            return f"unset {SPRINT_VARIABLE}" if self.fault else ""
        first = next(iter(self.branches))
        if self.fault:
            return f"export {SPRINT_VARIABLE}={first}  # or: unset {SPRINT_VARIABLE}"
        return f"export {SPRINT_VARIABLE}={first}  # or: {', or: '.join([f'--sprint {first}', *self._switches()])}"

    @property
    def hint_for_client(self) -> str:
        """How to choose one for a whole session of an agent's client."""
        ways = [f"start the client with {SPRINT_VARIABLE}={each}" for each in tuple(self.branches)[:1]]
        return ", or: ".join([*ways, *([f"without {SPRINT_VARIABLE}"] if self.fault else self._switches())])

    def _switches(self) -> list[str]:
        """The git command that chooses one, where one was started on a branch of its own."""
        names = [each for each in self.branches.values() if each]
        alone = [each for each in names if names.count(each) == 1]
        if not alone:
            return []
        import shlex  # most projects have one open sprint

        return [f"git switch {shlex.quote(alone[0])}"]


NO_SPRINT = CurrentSprint(None, "", {})


def resolve_sprint(workspace: Workspace, open_: Sequence[SprintState] | None = None) -> CurrentSprint:
    """Return which of the open sprints is the current one, where a command names none.

    Git and the worktree are asked only where several sprints are open. Raises LedgerError as `open_sprints` does.
    """
    from verifflowcc.base.git.git_head import current_branch, started_here
    from verifflowcc.sprint.rules.sprint_people import choose_sprint

    branches = {state.id: state.branch for state in (open_sprints(workspace) if open_ is None else open_)}
    variable = os.environ.get(SPRINT_VARIABLE, "")
    if variable and variable not in branches:
        return CurrentSprint(None, "", branches, _fault(workspace, variable, tuple(branches)))
    if variable or len(branches) < 2:
        return CurrentSprint(*choose_sprint(branches, variable=variable), branches)
    found = choose_sprint(branches, branch=current_branch(workspace.root), started_here=started_here(workspace.local))
    return CurrentSprint(*found, branches)


def choice_files(workspace: Workspace, open_: Sequence[SprintState] | None = None) -> tuple[str, ...]:
    """Return the files, relative to the project's root, that choose among open sprints; none for fewer than two."""
    from verifflowcc.base.git.git_head import FILE, head_files

    if len(open_sprints(workspace) if open_ is None else open_) < 2:
        return ()
    return (f"{MEMORY}/local/{FILE}", *head_files(workspace.root))


def active_sprint(workspace: Workspace, wanted: str | None = None) -> SprintState:
    """Return the sprint called `wanted`, or the current one.

    Raises UsageError where `wanted` does not exist or none of several is chosen, WorkspaceError where none is open.
    """
    if wanted is not None:
        return show_sprint(workspace, wanted)
    found = resolve_sprint(workspace)
    if found.id is None:
        raise not_chosen(found)
    return show_sprint(workspace, found.id)


def current_or_last(workspace: Workspace, wanted: str | None = None) -> str:
    """Return the id of the sprint called `wanted`, or of the current one; where all are closed, of the last closed.

    Raises as `active_sprint` does.
    """
    lines = list_sprints(workspace)
    if wanted is None and lines and all(line.status is SprintStatus.CLOSED for line in lines):
        ledger = ledger_of(workspace)
        return max((line.id for line in lines), key=lambda sprint: ledger.names(sprint)[-1])
    return active_sprint(workspace, wanted).id


def sprint_with_stage(workspace: Workspace, wanted: str | None, stage: str | None, command: str) -> SprintState:
    """Return the sprint called `wanted`, or the current one, for a command whose argument is a stage.

    Raises as `active_sprint` does, and UsageError where `stage` is a sprint: version 0.1 took one in its place.
    """
    if stage is not None and ledger_of(workspace).has(stage):
        chosen = wanted or resolve_sprint(workspace).id
        if chosen is None or show_sprint(workspace, chosen).stage(stage) is None:
            raise UsageError(
                f"{stage} is a sprint, and the argument of {command} is a stage", hint=f"{command} --sprint {stage}"
            )
    return active_sprint(workspace, wanted)


def not_chosen(found: CurrentSprint) -> VfccError:
    """Return the one error for a command that needs a sprint where none is chosen."""
    if found.problem:
        return UsageError(found.problem, hint=found.hint)
    return WorkspaceError("no sprint is open", hint='vfcc sprint start "Title"')


def command_in(workspace: Workspace, sprint_id: str) -> Callable[[str], str]:
    """Return a function that names the sprint in a command, unless the command would act on that sprint anyway."""
    if resolve_sprint(workspace).id == sprint_id:
        return lambda command: command
    from verifflowcc.sprint.rules.sprint_people import in_sprint

    return lambda command: in_sprint(command, sprint_id)


def _fault(workspace: Workspace, variable: str, open_: tuple[str, ...]) -> str:
    if ledger_of(workspace).has(variable):
        return f"{SPRINT_VARIABLE} names the sprint {variable}, which is closed"
    near = nearest(variable, open_)
    more = f"did you mean {near}?" if near else f"open: {', '.join(open_)}" if open_ else "none is open"
    return f"{SPRINT_VARIABLE} names {variable!r}, and there is no such sprint; {more}"


# The progress of a sprint as `progress.json` shows it: from its ledger, with its `results.json`.


def progress_text(workspace: Workspace, sprint_id: str) -> str:
    """Return what `progress.json` should hold now, from the ledger and `results.json`."""
    from verifflowcc.sprint.rules.sprint_people import progress_document

    state = show_sprint(workspace, sprint_id)
    path = results_path(sprint_id)
    check_inside(workspace.memory / path, workspace.memory)
    return progress_document(state, parse_results(read_text(workspace.memory / path), path))


def results_path(sprint_id: str) -> str:
    """Return where a sprint's results lie, relative to `.memory/`."""
    return f"sprint/{sprint_id}/results.json"


def parse_results(text: str, path: str) -> Mapping[str, object]:
    """Return the object in the text of `results.json`, empty where there is no text."""
    if not text.strip():
        return {}
    try:
        value = json.loads(text)
    except ValueError as error:
        raise LedgerError(f".memory/{path}:{getattr(error, 'lineno', 1)}: this is not JSON: {error}") from error
    if not isinstance(value, dict):
        raise LedgerError(f".memory/{path}:1: a JSON object is expected")
    return value
