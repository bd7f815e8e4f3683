"""The graph of files, kept until a file comes, goes or changes: making it asks for the meaning of every import."""

import json
from pathlib import Path

from verifflowcc.adapters.files.write import write_atomic
from verifflowcc.codegraph.links import RULES, links_of
from verifflowcc.domain.graph import SearchedCode
from verifflowcc.errors import WorkspaceError
from verifflowcc.services.workspace import Workspace
from verifflowcc.text.digest import digest_text

FILE = "code-links.json"
Links = dict[str, tuple[str, ...]]


def links_kept(workspace: Workspace, code: SearchedCode) -> Links:
    """Return path → the files that it imports, of the working tree: as `links_of`, from the last time where it holds.

    What is kept is damaged or of another state, it is made anew; where it cannot be kept, the next time makes it again.
    """
    paths = list(code.files)
    state = digest_text("\n".join([RULES, *(f"{path}\0{code.files[path].blob}" for path in paths)]))
    kept = workspace.local / FILE
    known = _read(kept, state, paths)
    if known is not None:
        return known
    links = dict(links_of(code))
    place = {path: number for number, path in enumerate(paths)}
    rows = [[place[other] for other in links.get(path, ())] for path in paths]
    body = json.dumps(rows, separators=(",", ":"))
    try:
        write_atomic(kept, json.dumps([state, digest_text(body), body]))
    except WorkspaceError:
        return links  # the index has told of a place that cannot be written
    return links


def _read(kept: Path, state: str, paths: list[str]) -> Links | None:
    """Return what is kept for a state; None where it is of another, or not what was written."""
    try:
        was, digest, body = json.loads(kept.read_bytes())
        if was != state or digest != digest_text(body):
            return None
        return {path: tuple(paths[other] for other in row) for path, row in zip(paths, json.loads(body), strict=True)}
    except (OSError, ValueError, TypeError, IndexError):
        return None
