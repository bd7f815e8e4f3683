"""The configuration of a workspace: used by every service, checked, explained, and described for editors."""

from dataclasses import dataclass

from verifflowcc.adapters.config.load import FILE, Loaded, load_config
from verifflowcc.adapters.config.provenance import Setting, effective_settings
from verifflowcc.adapters.shipped import templates_folder
from verifflowcc.domain.config import DEFAULT_ROLE, Config
from verifflowcc.errors import ConfigError
from verifflowcc.services.workspace import Workspace

__all__ = ["ConfigReport", "Loaded", "Setting", "check_config", "config_schema", "effective_config", "show_config"]


@dataclass(frozen=True, slots=True)
class ConfigReport:
    """What is wrong with a configuration (sentences that begin with `config.yaml:LINE:`) and what is worth a look."""

    problems: tuple[str, ...]
    notices: tuple[str, ...]


def shipped_workflows() -> tuple[str, ...]:
    """Return the names of the workflows that come with vfcc, sorted."""
    return tuple(sorted(path.stem for path in (templates_folder() / "workflows").glob("*.y*ml")))


def effective_config(workspace: Workspace) -> Loaded:
    """Return the workspace's configuration, from the cache where its file did not change.

    Raises ConfigError with every problem, WorkspaceError where the file cannot be read.
    """
    return load_config(workspace.memory / FILE, shipped_workflows(), workspace.local)


def check_config(workspace: Workspace) -> ConfigReport:
    """Validate `config.yaml` without the cache and without writing anything."""
    try:
        loaded = load_config(workspace.memory / FILE, shipped_workflows(), None)
    except ConfigError as error:
        return ConfigReport(error.problems, ())
    return ConfigReport((), (*loaded.notices, *_unknown_roles(workspace, loaded.config)))


def show_config(workspace: Workspace) -> tuple[Setting, ...]:
    """Return every effective setting with its origin. Raises as `effective_config` does."""
    return effective_settings(workspace.memory / FILE, shipped_workflows())


def config_schema() -> str:
    """Return the JSON Schema of `config.yaml` as text with a final newline."""
    import json

    from verifflowcc.adapters.config.schema import json_schema

    return json.dumps(json_schema(shipped_workflows()), indent=2, ensure_ascii=False) + "\n"


def _unknown_roles(workspace: Workspace, config: Config) -> tuple[str, ...]:
    """A role that nobody plays is allowed, since its agent may come later, but it is often a slip of the pen."""
    from verifflowcc.text.near import nearest

    prompts = (templates_folder() / "prompts", workspace.memory / "templates")
    known = {path.name.removesuffix(".md.j2") for folder in prompts for path in folder.glob("*.md.j2")}
    known |= {path.name for path in (workspace.memory / "agent").glob("*") if path.is_dir()}
    notices = []
    for role in sorted(set(config.allocations) - known - {DEFAULT_ROLE}):
        near = nearest(role, known)
        ask = f"; did you mean {near}?" if near else ""
        notices.append(f"token_allocation.{role} is for a role with no template and no folder under agent/{ask}")
    return tuple(notices)
