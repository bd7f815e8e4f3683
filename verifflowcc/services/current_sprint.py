"""Which sprint is meant: one resolution for every command, the brief and the hooks.

In this order: the sprint that a command names, `VFCC_SPRINT`, the branch on which a sprint was started, the linked
worktree in which it was started, the only open one. Where none of these decides, no sprint is chosen, and everything
that needs one names them all and how to choose.
"""

import os
import shlex
from collections.abc import Callable, Mapping, Sequence

from verifflowcc.adapters.git.head import FILE, current_branch, head_files, started_here
from verifflowcc.domain.sprints import SprintState, SprintStatus
from verifflowcc.errors import UsageError, VfccError, WorkspaceError
from verifflowcc.records import dataclass
from verifflowcc.services.sprint_reading import ledger_of, list_sprints, open_sprints, show_sprint
from verifflowcc.services.workspace import MEMORY, Workspace
from verifflowcc.text.article import nearest
from verifflowcc.workflow.in_sprint import in_sprint
from verifflowcc.workflow.sprint_choice import VARIABLE, choose_sprint


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
            return f"unset {VARIABLE}" if self.fault else ""
        first = next(iter(self.branches))
        if self.fault:
            return f"export {VARIABLE}={first}  # or: unset {VARIABLE}"
        return f"export {VARIABLE}={first}  # or: {', or: '.join([f'--sprint {first}', *self._switches()])}"

    @property
    def hint_for_client(self) -> str:
        """How to choose one for a whole session of an agent's client."""
        ways = [f"start the client with {VARIABLE}={each}" for each in tuple(self.branches)[:1]]
        return ", or: ".join([*ways, *([f"without {VARIABLE}"] if self.fault else self._switches())])

    def _switches(self) -> list[str]:
        """The git command that chooses one, where one was started on a branch of its own."""
        names = [each for each in self.branches.values() if each]
        alone = [each for each in names if names.count(each) == 1]
        return [f"git switch {shlex.quote(alone[0])}"] if alone else []


NO_SPRINT = CurrentSprint(None, "", {})


def resolve_sprint(workspace: Workspace, open_: Sequence[SprintState] | None = None) -> CurrentSprint:
    """Return which of the open sprints is the current one, where a command names none.

    Git and the worktree are asked only where several sprints are open. Raises LedgerError as `open_sprints` does.
    """
    branches = {state.id: state.branch for state in (open_sprints(workspace) if open_ is None else open_)}
    variable = os.environ.get(VARIABLE, "")
    if variable and variable not in branches:
        return CurrentSprint(None, "", branches, _fault(workspace, variable, tuple(branches)))
    if variable or len(branches) < 2:
        return CurrentSprint(*choose_sprint(branches, variable=variable), branches)
    found = choose_sprint(branches, branch=current_branch(workspace.root), started_here=started_here(workspace.local))
    return CurrentSprint(*found, branches)


def choice_files(workspace: Workspace) -> tuple[str, ...]:
    """Return the files, relative to the project's root, that choose among open sprints; none for fewer than two."""
    if len(open_sprints(workspace)) < 2:
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
    if stage is not None and stage in ledger_of(workspace).sprint_ids():
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
    return lambda command: in_sprint(command, sprint_id)


def _fault(workspace: Workspace, variable: str, open_: tuple[str, ...]) -> str:
    if variable in ledger_of(workspace).sprint_ids():
        return f"{VARIABLE} names the sprint {variable}, which is closed"
    near = nearest(variable, open_)
    more = f"did you mean {near}?" if near else f"open: {', '.join(open_)}" if open_ else "none is open"
    return f"{VARIABLE} names {variable!r}, and there is no such sprint; {more}"
