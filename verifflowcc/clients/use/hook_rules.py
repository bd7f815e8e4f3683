"""What the acting role may do with its tools, as hooks judge it: the tables of `tools.yaml` and the stage's `edits`."""

from collections.abc import Mapping

from verifflowcc.base.config.tools_file import WITHOUT_A_FILE, read_tools
from verifflowcc.base.errors import VfccError
from verifflowcc.base.files.layout import MEMORY, Stamps
from verifflowcc.base.model.events import Json
from verifflowcc.base.model.sprint_state import SprintState, artifacts_folder
from verifflowcc.base.model.trace_codes import TEST_FILES
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.gates.rules.artifact_criteria import owed_artifacts


def rules_of(
    workspace: Workspace,
    role: str,
    place: tuple[SprintState, str],
    tests: tuple[str, ...],
    stamps: Stamps,
    faults: list[str],
) -> dict[str, Json]:
    """Return what a role may do at a sprint and its stage, as `episodes/permission.py` takes it.

    `tests` are the patterns that the configuration has for test files; `stamps` gets each file that was read. A role
    without a file, or with one that cannot be read, has the least: a broken file frees no agent of its rules.
    """
    folder = f"{MEMORY}/agent"
    names = sorted(path.name for path in (workspace.root / folder).glob("*") if path.is_dir())
    paths = {name: f"{folder}/{name}/tools.yaml" for name in (*names, role)}
    stamps.take([folder, *(f"{folder}/{name}" for name in paths), *paths.values()])
    tables: dict[str, Mapping[str, Json]] = {}
    for name, path in paths.items():
        try:
            found = read_tools(workspace.root / path, workspace.root)
        except VfccError as error:
            faults.append(error.message.splitlines()[0])
            found = dict(WITHOUT_A_FILE)
        if found is not None:
            tables[name] = found
    missing: dict[str, Json] = {} if role in tables else {"missing": True}
    own = tables.pop(role, WITHOUT_A_FILE)
    return {
        **missing,
        "role": role,
        "stage": place[1],
        "tools": own,
        "others": tables,
        **_of_stage(*place, role, tests),
    }


def _of_stage(sprint: SprintState, stage: str, role: str, tests: tuple[str, ...]) -> dict[str, Json]:
    """Return which product files the stage changes, and for its own role where its artifacts lie."""
    found = sprint.stage(stage)
    if found is None:
        return {}
    patterns = tests or (sprint.workflow.trace.tests if sprint.workflow else TEST_FILES)
    edited: dict[str, Json] = {"edits": str(found.stage.edits), "tests": list(patterns)}
    if found.stage.role != role:
        return edited
    names = [each.name for each in owed_artifacts(found.stage)]
    return {"artifacts": artifacts_folder(sprint.id, stage), "owed": names, **edited}
