"""Read the baselines of a project, and see which of them count in a sprint."""

from collections.abc import Mapping
from pathlib import Path

from verifflowcc.adapters.project.content import read_project_file
from verifflowcc.domain.baselines import Baseline, BaselineKind, BaselineStatus
from verifflowcc.domain.sprints import SprintState
from verifflowcc.errors import FormatError, WorkspaceError
from verifflowcc.formats.baseline import read_baseline_file
from verifflowcc.text.digest import digest_bytes, fold_newlines
from verifflowcc.workflow.baseline_rules import baseline_problem


def load_baseline(root: Path, kind: BaselineKind) -> Baseline | None:
    """Return the project's baseline of a kind. Raises FormatError where its file cannot be read as one."""
    data = read_project_file(root, kind.path)
    return None if data is None else read_baseline_file(data, kind)


def baseline_statuses(root: Path, state: SprintState, today: str) -> Mapping[BaselineKind, BaselineStatus]:
    """Return the baselines that the project has, each with the reason why it does not count in the sprint."""
    found = {kind: baseline_status(root, kind, state, today) for kind in BaselineKind}
    return {kind: each for kind, each in found.items() if each is not None}


def baseline_status(root: Path, kind: BaselineKind, state: SprintState, today: str) -> BaselineStatus | None:
    """Return the project's baseline of a kind as `baseline_statuses` does; None where there is none."""
    try:
        data = read_project_file(root, kind.path)
        if data is None:
            return None
        baseline = read_baseline_file(data, kind)
    except (FormatError, WorkspaceError) as error:
        return BaselineStatus(None, error.message)
    return BaselineStatus(baseline, baseline_problem(baseline, digest_bytes(fold_newlines(data)), state, today))
