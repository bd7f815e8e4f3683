"""The graph of files, kept until a file comes, goes or changes: making it asks for the meaning of every import."""

import json
from pathlib import Path

from verifflowcc.adapters.files.write import write_atomic
from verifflowcc.codegraph.links import RULES, FileGraph, graph_of
from verifflowcc.domain.graph import SearchedCode
from verifflowcc.errors import WorkspaceError
from verifflowcc.services.code.states import digest_of
from verifflowcc.services.workspace import Workspace
from verifflowcc.text.digest import digest_text

FILE = "code-links.json"


def graph_kept(workspace: Workspace, code: SearchedCode, digest: str | None = None) -> FileGraph:
    """Return the graph of the working tree's files: as `graph_of`, from the last time where it holds.

    `digest` is that of the code, where it is known already.
    What is kept is damaged or of another state, it is made anew; where it cannot be kept, the next time makes it again.
    """
    paths = sorted(code.files)
    state = f"{RULES} {digest or digest_of(code)}"
    kept = workspace.local / FILE
    known = _read(kept, state, paths)
    if known is not None:
        return known
    graph = graph_of(code)
    body = json.dumps([graph.near, graph.central], separators=(",", ":"))
    try:
        write_atomic(kept, json.dumps([state, digest_text(body), body]))
    except WorkspaceError:
        return graph  # the index has told of a place that cannot be written
    return graph


def _read(kept: Path, state: str, paths: list[str]) -> FileGraph | None:
    """Return what is kept for a state; None where it is of another, or not what was written."""
    try:
        was, digest, body = json.loads(kept.read_bytes())
        if was != state or digest != digest_text(body):
            return None
        near, central = json.loads(body)
        return FileGraph(paths, near, central)
    except (OSError, ValueError, TypeError):
        return None
