"""Which items of the project no prompt can hold, because no layer of any role loads them."""

from collections.abc import Iterator

from verifflowcc.adapters.files.write import Tree
from verifflowcc.domain.items import is_trace_type
from verifflowcc.domain.ports import Health, Remark
from verifflowcc.services.configuration import effective_config
from verifflowcc.services.loading import named_files, not_loaded
from verifflowcc.services.workspace import MEMORY, Workspace


def not_loaded_here(workspace: Workspace, path: str, scope: str) -> str | None:
    """Return why no layer would load a memory item of the project; None where one does, or for another scope."""
    if scope != "project":
        return None
    full = path if path.startswith(f"{MEMORY}/") else f"{MEMORY}/{path}"
    return reason_here(workspace, full, traced=False)


def reason_here(workspace: Workspace, path: str, *, traced: bool) -> str | None:
    """Return why no layer would load a file of the project's items; None where one does."""
    config = effective_config(workspace).config
    return not_loaded(config, path, named_files(config, Tree(workspace.root)), traced=traced)


def dead_memory(workspace: Workspace) -> Iterator[Remark]:
    """Yield a note for each reason why items of the project are loaded by no layer."""
    tree, config = Tree(workspace.root), effective_config(workspace).config
    named, counts = named_files(config, tree), dict[str, int]()
    for found in tree.find(f"{MEMORY}/project", "items/**/*.md"):
        folder = found.path.rpartition("/")[0].rpartition("/")[2]
        reason = not_loaded(config, found.path, named, traced=is_trace_type(folder))
        if reason:
            counts[reason] = counts.get(reason, 0) + 1
    yield from (
        Remark("memory", Health.NOTE, f"items that no prompt can hold: {count}; {why}")
        for why, count in sorted(counts.items())
    )
