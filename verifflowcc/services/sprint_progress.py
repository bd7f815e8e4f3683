"""The progress of a sprint as `progress.json` shows it: from its ledger, with its `results.json`."""

import json
from collections.abc import Mapping

from verifflowcc.adapters.files.layout import check_inside
from verifflowcc.adapters.files.ledger import read_text
from verifflowcc.errors import LedgerError
from verifflowcc.services.sprint_reading import show_sprint
from verifflowcc.services.workspace import Workspace
from verifflowcc.workflow.progress import progress_document


def progress_text(workspace: Workspace, sprint_id: str) -> str:
    """Return what `progress.json` should hold now, from the ledger and `results.json`."""
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
