"""Export the trace items of a project for other tools."""

from dataclasses import dataclass

from verifflowcc.errors import UsageError, WorkspaceError
from verifflowcc.formats.trace_table import trace_csv, trace_json
from verifflowcc.services.trace_finding import one_of
from verifflowcc.services.trace_policy import policy_of
from verifflowcc.services.trace_reading import read_items
from verifflowcc.services.workspace import Workspace

FORMATS = ("csv", "json", "reqif")


@dataclass(frozen=True, slots=True)
class Exported:
    """The text of an export, and how many items are in it."""

    text: str
    items: int


def export_items(workspace: Workspace, form: str, types: tuple[str, ...] = ()) -> Exported:
    """Return all items, or those of some types, in one of `FORMATS`, by id.

    Raises UsageError for an unknown format or type and where there is no item, WorkspaceError where a file cannot be
    read, so that no export lacks an item in silence.
    """
    chosen = one_of(form, FORMATS, "format", "vfcc trace export --format …")
    policy = policy_of(workspace)
    for name in types:
        one_of(name, tuple(policy.types), "type", "vfcc trace export --type …")
    read = read_items(workspace, policy)
    if read.unreadable:
        path, why = min(read.unreadable.items())
        raise WorkspaceError(f"{path}:{why}", hint="vfcc check trace")
    items = sorted((each for each in read.items if not types or each.type in types), key=lambda each: each.id)
    if not items:
        raise UsageError("there is no item to export", hint='vfcc trace add requirement "Title"')
    if chosen == "reqif":
        from verifflowcc.adapters.foreign.reqif_write import reqif_text

        return Exported(reqif_text(items, workspace.today()), len(items))
    return Exported(trace_csv(items) if chosen == "csv" else trace_json(items), len(items))
