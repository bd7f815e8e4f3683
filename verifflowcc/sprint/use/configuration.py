"""The configuration of a workspace: used by every service, checked, explained, and described for editors."""

import json
from typing import TYPE_CHECKING

from verifflowcc.base.config.config_load import FILE, LoadedConfig, load_config, read_config
from verifflowcc.base.errors import ConfigError
from verifflowcc.base.model.config_values import DEFAULT_ROLE, Config
from verifflowcc.base.records import dataclass
from verifflowcc.base.text.plain_words import nearest
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.sprint.store.workflow_load import (
    OWN,
    load_workflow,
    own_bytes,
    own_name,
    parse_workflow,
    shipped_names,
    templates_folder,
    workflow_names,
)

if TYPE_CHECKING:
    from verifflowcc.base.config.config_provenance import Setting
    from verifflowcc.base.model.sprint_state import Workflow


__all__ = [
    "ConfigReport",
    "LoadedConfig",
    "Setting",
    "check_config",
    "config_schema",
    "effective_config",
    "show_config",
]


@dataclass(frozen=True, slots=True)
class ConfigReport:
    """What is wrong with a configuration (sentences that begin with `config.yaml:LINE:`) and what is worth a look."""

    problems: tuple[str, ...]
    notices: tuple[str, ...]


def shipped_workflows() -> tuple[str, ...]:
    """Return the names of the workflows that come with vfcc, sorted."""
    return shipped_names()


def effective_config(workspace: Workspace) -> LoadedConfig:
    """Return the workspace's configuration, from the cache where its file did not change.

    Raises ConfigError with every problem, WorkspaceError where the file cannot be read. What keeps the project's own
    workflow from having a name goes first: `config.yaml` may be at fault only for want of it.
    """
    try:
        return load_config(workspace.memory / FILE, workflow_names(workspace.memory), workspace.local)
    except ConfigError as error:
        nameless = _nameless_workflow(workspace)
        if nameless:
            raise ConfigError((*nameless, *error.problems), hint="vfcc check workflow") from error
        raise


def parse_config(data: bytes) -> Config:
    """Return the configuration that a file with these bytes would be. Raises ConfigError with every problem."""
    from verifflowcc.base.config.config_validate import check

    return check(data, shipped_workflows()).config


def check_config(workspace: Workspace) -> ConfigReport:
    """Validate `config.yaml` and each role's `tools.yaml` without the cache and without writing anything."""
    from verifflowcc.sprint.use.role_files import tools_problems

    tools = tools_problems(workspace)
    try:
        loaded = load_config(workspace.memory / FILE, workflow_names(workspace.memory), None)
    except ConfigError as error:
        return ConfigReport((*error.problems, *tools), ())
    notices = (*loaded.notices, *_unknown_roles(workspace, loaded.config))
    try:
        workflow = load_workflow(workspace.memory, loaded.config.workflow)
    except ConfigError as error:
        return ConfigReport(
            tools, (*notices, f"the workflow {loaded.config.workflow} is not sound: {error.problems[0]}")
        )
    return ConfigReport((*_mode_problems(workspace, loaded.config, workflow), *tools), notices)


def show_config(workspace: Workspace) -> "tuple[Setting, ...]":
    """Return every effective setting with its origin. Raises as `effective_config` does."""
    from verifflowcc.base.config.config_provenance import effective_settings

    return effective_settings(workspace.memory / FILE, workflow_names(workspace.memory))


def config_schema() -> str:
    """Return the JSON Schema of `config.yaml` as text with a final newline."""

    from verifflowcc.base.config.config_models import json_schema

    return json.dumps(json_schema(shipped_workflows()), indent=2, ensure_ascii=False) + "\n"


def _nameless_workflow(workspace: Workspace) -> tuple[str, ...]:
    """What is wrong with a workflow file that has no name to offer."""
    try:
        own = own_bytes(workspace.memory)
        if own is not None and own_name(workspace.memory) is None:
            parse_workflow(own, OWN)
    except ConfigError as error:
        return error.problems
    return ()


def _mode_problems(workspace: Workspace, config: Config, workflow: "Workflow") -> tuple[str, ...]:
    """What keeps the modes from being taken by the workflow that new sprints follow, at the line of `gates.modes`."""
    from verifflowcc.sprint.rules.workflow_drawing import with_modes

    try:
        with_modes(workflow, config.gates.modes)
    except ConfigError as error:
        from verifflowcc.base.config.yaml_values import load_yaml

        _, lines = load_yaml(read_config(workspace.memory / FILE) or b"", FILE)
        line = lines.get(("gates", "modes"), 1)
        return tuple(problem.replace(f"{FILE}: ", f"{FILE}:{line}: ", 1) for problem in error.problems)
    return ()


def _unknown_roles(workspace: Workspace, config: Config) -> tuple[str, ...]:
    """Return a notice for each role in `token_allocation` without template and folder.

    It is allowed, since the role's agent may come later, but is often a typing error.
    """

    prompts = (templates_folder() / "prompts", workspace.memory / "templates")
    known = {path.name.removesuffix(".md.j2") for folder in prompts for path in folder.glob("*.md.j2")}
    known |= {path.name for path in (workspace.memory / "agent").glob("*") if path.is_dir()}
    notices = []
    for role in sorted(set(config.allocations) - known - {DEFAULT_ROLE}):
        near = nearest(role, known)
        ask = f"; did you mean {near}?" if near else ""
        notices.append(f"token_allocation.{role} is for a role with no template and no folder under agent/{ask}")
    return tuple(notices)
