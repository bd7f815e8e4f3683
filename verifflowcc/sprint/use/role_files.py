"""The files of roles under `.memory/agent/`: which are missing for a workflow, what is wrong, and new ones."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from verifflowcc.base.errors import ConfigError
from verifflowcc.base.files.layout import check_inside
from verifflowcc.base.files.write import write_atomic
from verifflowcc.base.model.sprint_state import Workflow
from verifflowcc.base.use.workspace import MEMORY, Workspace
from verifflowcc.sprint.store.workflow_load import templates_folder

TOOLS = "tools.yaml"
TEMPLATE_ENDING = ".md.j2"
_OF_AN_UNKNOWN_ROLE = "planner"
"""The shipped role whose tools a role of a project's own workflow begins with: it reads and writes its artifacts."""


def shipped_roles() -> set[str]:
    """Return the roles that have a shipped template of their own."""
    return _roles_with_template(templates_folder() / "prompts")


def own_roles(workspace: Workspace) -> set[str]:
    """Return the roles for which the project has a template of its own."""
    return _roles_with_template(workspace.memory / "templates")


def _roles_with_template(folder: Path) -> set[str]:
    return {path.name.removesuffix(TEMPLATE_ENDING) for path in folder.glob(f"*{TEMPLATE_ENDING}")}


def roles_without_tools(workspace: Workspace, workflows: Iterable[Workflow]) -> tuple[str, ...]:
    """Return the roles of workflows that have no `tools.yaml`, sorted."""
    roles = {stage.role for workflow in workflows for stage in workflow.stages}
    return tuple(sorted(role for role in roles if not (_folder(workspace, role) / TOOLS).exists()))


def create_role_files(workspace: Workspace, workflows: Iterable[Workflow]) -> tuple[str, ...]:
    """Create the files of each role that has no `tools.yaml`, as `vfcc init` does; return their paths.

    What is there already stays. Raises WorkspaceError.
    """
    created = []
    for role in roles_without_tools(workspace, workflows):
        for name, data in starting_files(role):
            path = _folder(workspace, role) / name
            if path.exists() or path.is_symlink():
                continue
            check_inside(path, workspace.root)
            write_atomic(path, data)
            created.append(f"{MEMORY}/agent/{role}/{name}")
    return tuple(created)


def created_notes(paths: Sequence[str]) -> tuple[str, ...]:
    """Return a sentence on which roles got files that they lacked; nothing where none did."""
    if not paths:
        return ()
    roles = ", ".join(sorted({path.split("/")[2] for path in paths}))
    files = "1 file" if len(paths) == 1 else f"{len(paths)} files"
    return (f"created what its roles lacked ({roles}): {files} under {MEMORY}/agent/",)


def starting_files(role: str) -> Iterator[tuple[str, bytes]]:
    """Yield the name and content of each file that a role begins with."""
    shipped = templates_folder() / "agents" / role
    if shipped.is_dir():
        for path in sorted(shipped.iterdir()):
            yield path.name, path.read_bytes()
    else:
        yield TOOLS, (templates_folder() / "agents" / _OF_AN_UNKNOWN_ROLE / TOOLS).read_bytes()
    yield "context.json", b"{}\n"


def tools_problems(workspace: Workspace) -> tuple[str, ...]:
    """Return what is wrong with each role's `tools.yaml`: sentences that begin with its path and line."""
    from verifflowcc.base.config.config_defaults import read_small
    from verifflowcc.base.config.tools_file import parse_tools

    found: list[str] = []
    for path in sorted((workspace.memory / "agent").glob(f"*/{TOOLS}")):
        name = path.relative_to(workspace.root).as_posix()
        try:
            data = read_small(path, name, inside=workspace.root)
        except ConfigError as error:
            found += error.problems
            continue
        found += parse_tools(data, name)[1] if data is not None else ()
    return tuple(found)


def _folder(workspace: Workspace, role: str) -> Path:
    return workspace.memory / "agent" / role
