"""Workflows of a project: list them, show one, choose the one that new sprints follow, check the project's own."""

from collections.abc import Mapping

from verifflowcc.base.config.config_load import FILE, read_config
from verifflowcc.base.errors import ConfigError, UsageError
from verifflowcc.base.files.layout import check_inside
from verifflowcc.base.files.write import write_atomic
from verifflowcc.base.model.config_values import GateSettings
from verifflowcc.base.model.gate_values import Mode
from verifflowcc.base.model.sprint_state import SprintState, StageStatus, Workflow
from verifflowcc.base.records import dataclass, field
from verifflowcc.base.use.workspace import MEMORY, Workspace
from verifflowcc.items.rules.front_matter_list import with_top_value
from verifflowcc.sprint.rules.workflow_drawing import with_modes
from verifflowcc.sprint.store.workflow_load import (
    OWN,
    load_shipped,
    load_workflow,
    own_bytes,
    parse_workflow,
    shipped_names,
    workflow_names,
    workflow_text,
)
from verifflowcc.sprint.use.configuration import effective_config
from verifflowcc.sprint.use.role_files import create_role_files
from verifflowcc.sprint.use.sprint_reading import not_chosen, open_sprints, resolve_sprint, show_sprint


@dataclass(frozen=True, slots=True)
class WorkflowLine:
    """A workflow in a list: `gates` is the mode of criteria that state none, `own` says that it is the project's."""

    name: str
    title: str
    stages: tuple[str, ...]
    """Ids."""
    gates: Mode
    strict: bool
    own: bool
    """Whether it is the project's own."""
    default: bool
    """Whether new sprints follow it."""


@dataclass(frozen=True, slots=True)
class WorkflowList:
    """All workflows by name; `problems` are those of the project's own, which is then not among them."""

    workflows: tuple[WorkflowLine, ...]
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WorkflowView:
    """A workflow, and, where it is that of a sprint, how its stages stand there."""

    workflow: Workflow
    own: bool
    default: bool
    sprint: str | None = None
    """The sprint that follows it, or null."""
    statuses: Mapping[str, StageStatus] = field(default_factory=dict)
    """The status of each stage in that sprint."""


@dataclass(frozen=True, slots=True)
class WorkflowChoice:
    """The workflow that new sprints follow from now on, the one before, and the open sprints that keep theirs.

    `created` are the files of roles that had no `tools.yaml`. `notices` name commands that its criteria need and the
    configuration does not have.
    """

    workflow: str
    before: str
    file: str
    """The file that names it."""
    running: tuple[str, ...]
    """Open sprints, which keep their workflow."""
    notices: tuple[str, ...]
    """Missing commands."""
    created: tuple[str, ...] = ()
    """Files that its roles lacked."""


@dataclass(frozen=True, slots=True)
class WorkflowReport:
    """What is wrong with `.memory/workflow.yaml`; `name` is None where there is no such file, or none in it."""

    present: bool
    """Whether there is a `.memory/workflow.yaml`."""
    name: str | None
    problems: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()


def list_workflows(workspace: Workspace) -> WorkflowList:
    """Return the shipped workflows and the project's own."""
    default = effective_config(workspace).config.workflow
    found = [_line(load_shipped(name), own=False, default=default) for name in shipped_names()]
    report = check_workflow(workspace)
    if report.present and report.name and not report.problems:
        found.append(_line(load_workflow(workspace.memory, report.name), own=True, default=default))
    return WorkflowList(tuple(sorted(found, key=lambda one: one.name)), report.problems)


def show_workflow(workspace: Workspace, name: str | None = None, sprint_id: str | None = None) -> WorkflowView:
    """Return the workflow called `name`; that of the sprint, where one is named; else that of the current sprint, or,
    where none is chosen, the one that new sprints follow.

    Raises UsageError for an unknown name or sprint, ConfigError for a file that is not sound.
    """
    default = effective_config(workspace).config.workflow
    if sprint_id is None and name is None:
        found = resolve_sprint(workspace)
        if found.fault:
            raise not_chosen(found)
        sprint_id = found.id
    if sprint_id is not None:
        return _of_sprint(show_sprint(workspace, sprint_id), name, default)
    workflow = load_workflow(workspace.memory, name or default)
    return WorkflowView(workflow, _is_own(workflow.name), workflow.name == default)


def workflow_yaml(workspace: Workspace, name: str | None) -> str:
    """Return the text of a workflow's file (default: the configured workflow).

    Raises as `show_workflow`.
    """
    wanted = name or effective_config(workspace).config.workflow
    data, _ = workflow_text(workspace.memory, wanted)
    return data.decode("utf-8", "replace")


def use_workflow(workspace: Workspace, name: str) -> WorkflowChoice:
    """Make `name` the workflow of new sprints: one line of `config.yaml` changes, and its roles get missing files.

    The roles of open sprints get theirs, too.

    Raises UsageError for an unknown name, ConfigError where the file, the workflow, or the two together are not sound.
    """
    config = effective_config(workspace).config
    workflow = with_modes(load_workflow(workspace.memory, name), config.gates.modes)
    running = tuple(state.id for state in open_sprints(workspace))
    notices = missing_commands(workflow, config.gates)
    if config.workflow != name:
        _write(workspace, name)
    created = create_role_files(workspace, (workflow, *open_workflows(workspace)))
    return WorkflowChoice(name, config.workflow, f"{MEMORY}/{FILE}", running, notices, created)


def open_workflows(workspace: Workspace) -> tuple[Workflow, ...]:
    """Return the workflows that open sprints follow."""
    return tuple(state.workflow for state in open_sprints(workspace) if state.workflow)


def check_workflow(workspace: Workspace) -> WorkflowReport:
    """Return everything that is wrong with `.memory/workflow.yaml`; nothing is written."""
    try:
        data = own_bytes(workspace.memory)
        if data is None:
            return WorkflowReport(present=False, name=None)
        workflow = parse_workflow(data, OWN)
    except ConfigError as error:
        return WorkflowReport(present=True, name=None, problems=error.problems)
    if workflow.name in shipped_names():
        problem = f"{OWN}:1: {workflow.name} is the name of a shipped workflow; give it another"
        return WorkflowReport(present=True, name=workflow.name, problems=(problem,))
    try:
        gates = effective_config(workspace).config.gates
    except ConfigError as error:
        notice = f"{FILE} is not sound, so its commands and modes were not looked at: {error.problems[0]}"
        return WorkflowReport(present=True, name=workflow.name, notices=(notice,))
    try:
        with_modes(workflow, gates.modes)
    except ConfigError as error:
        return WorkflowReport(present=True, name=workflow.name, problems=error.problems)
    return WorkflowReport(present=True, name=workflow.name, notices=missing_commands(workflow, gates))


def missing_commands(workflow: Workflow, gates: GateSettings) -> tuple[str, ...]:
    """Return a sentence for each command that criteria name and `config.yaml` does not have: they would block."""
    used: dict[str, list[str]] = {}
    for stage in workflow.stages:
        for each in (*stage.enter, *stage.exit):
            if each.command and each.mode is not Mode.OFF and each.command not in gates.commands:
                used.setdefault(each.command, []).append(f"{stage.id}/{each.id}")
    return tuple(
        f"gates.commands.{name} is not in config.yaml; needed by {', '.join(places)}" for name, places in used.items()
    )


def _line(workflow: Workflow, *, own: bool, default: str) -> WorkflowLine:
    stages = tuple(stage.id for stage in workflow.stages)
    is_default = workflow.name == default
    return WorkflowLine(workflow.name, workflow.title, stages, workflow.gates, workflow.strict, own, is_default)


def _of_sprint(state: SprintState, name: str | None, default: str) -> WorkflowView:
    workflow = state.workflow
    if workflow is None:
        raise UsageError(f"{state.id} has no start that can be read", hint=f"vfcc sprint show {state.id}")
    if name is not None and name != workflow.name:
        raise UsageError(
            f"{state.id} follows {workflow.name}, not {name}", hint=f"vfcc workflow show --sprint {state.id}"
        )
    statuses = {each.stage.id: each.status for each in state.stages}
    return WorkflowView(workflow, _is_own(workflow.name), workflow.name == default, state.id, statuses)


def _is_own(name: str) -> bool:
    return name not in shipped_names()


def _write(workspace: Workspace, name: str) -> None:
    from verifflowcc.base.config.config_validate import check

    path = workspace.memory / FILE
    text = (read_config(path) or b"").decode("utf-8")
    changed = with_top_value(text, "workflow", name)
    by_hand = (
        f"{FILE}:1: its workflow is not on a line of its own that could be changed alone; write {name} there by hand"
    )
    if changed is None:
        raise ConfigError((by_hand,))
    try:
        check(changed.encode("utf-8"), workflow_names(workspace.memory))
    except ConfigError as error:
        raise ConfigError((by_hand,)) from error
    check_inside(path, workspace.root)
    write_atomic(path.resolve(), changed)
