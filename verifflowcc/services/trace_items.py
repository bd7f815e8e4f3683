"""What the commands that write items look at: all items, and the policy that they obey."""

from verifflowcc.domain.trace import TraceItem
from verifflowcc.services.workspace import Workspace
from verifflowcc.trace.view import TraceView


def items_view(workspace: Workspace) -> TraceView:
    """Return the items that are there and what the workflow asks of them; no code and no results.

    Raises ConfigError where the configuration or the workflow is not sound.
    """
    from verifflowcc.domain.trace import TraceSources
    from verifflowcc.services.pinned_workflow import policy_of
    from verifflowcc.services.trace_reading import read_items

    policy = policy_of(workspace)
    read = read_items(workspace, policy)
    return TraceView(TraceSources(read.items, workspace.today(), read.unreadable), policy)


def read_one(workspace: Workspace, path: str, data: bytes) -> TraceItem | None:
    """Return the item in a file's bytes, None where it is none; `path` begins at the project's root."""
    from verifflowcc.adapters.files.trace_items import parse_trace_item
    from verifflowcc.services.pinned_workflow import policy_of

    return parse_trace_item(path, data, policy_of(workspace).types)
