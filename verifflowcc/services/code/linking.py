"""The graph of files, kept until a file comes, goes or changes: making it asks for the meaning of every import."""

from verifflowcc.adapters.files.write import DerivedFile
from verifflowcc.codegraph.links import RULES, FileGraph, graph_of
from verifflowcc.domain.graph import SearchedCode
from verifflowcc.services.code.states import digest_of
from verifflowcc.services.workspace import Workspace

FILE = "code-links.json"
_FILE = DerivedFile(FILE, 1, keyed_by="rules of links; digest of the code", largest_bytes=512 << 20)


def graph_kept(workspace: Workspace, code: SearchedCode, digest: str | None = None) -> FileGraph:
    """Return the graph of the working tree's files: as `graph_of`, from the last time where it holds.

    `digest` is that of the code, where it is known already.
    What is kept is damaged or of another state, it is made anew; where it cannot be kept, the next time makes it again.
    """
    paths = sorted(code.files)
    state = f"{RULES} {digest or digest_of(code)}"
    kept = workspace.local / FILE
    known = _FILE.read(kept, state)
    if known is not None:
        return FileGraph(paths, *known)
    graph = graph_of(code)
    _FILE.write(kept, [graph.near, graph.central], state)  # the index tells of a place that cannot be written
    return graph
