"""Export the trace items of a project for other tools."""

from verifflowcc.adapters.files.item_files import read_item_file
from verifflowcc.adapters.files.items import decode
from verifflowcc.domain.trace import TraceItem
from verifflowcc.errors import UsageError, WorkspaceError
from verifflowcc.formats.front_matter import split
from verifflowcc.formats.trace_table import not_carried, trace_csv, trace_json
from verifflowcc.records import dataclass
from verifflowcc.services.finding import one_of
from verifflowcc.services.memory.guarding import withheld_trace
from verifflowcc.services.pinned_workflow import policy_of
from verifflowcc.services.trace_reading import read_items
from verifflowcc.services.workspace import Workspace
from verifflowcc.text.article import natural_key
from verifflowcc.text.secrets import withhold

FORMATS = ("csv", "json", "reqif")


@dataclass(frozen=True, slots=True)
class Exported:
    """The text of an export, how many items are in it, and of which of them it says less than their files hold."""

    text: str
    items: int
    notices: tuple[str, ...] = ()


def export_items(workspace: Workspace, form: str, types: tuple[str, ...] = ()) -> Exported:
    """Return all items, or those of some types, in one of `FORMATS`, by id; `notices` say what the format cannot carry.

    It goes elsewhere, so what looks like a secret is withheld, and told. Raises UsageError for an unknown format or
    type and where there is no item, WorkspaceError where a file cannot be read, so that no export lacks an item in
    silence.
    """
    chosen = one_of(form, FORMATS, "format", "vfcc trace export --format …")
    policy = policy_of(workspace)
    for name in types:
        one_of(name, tuple(policy.types), "type", "vfcc trace export --type …")
    read = read_items(workspace, policy)
    if read.unreadable:
        path, why = min(read.unreadable.items())
        raise WorkspaceError(f"{path}:{why}", hint="vfcc check trace")
    asked = sorted(
        (each for each in read.items if not types or each.type in types), key=lambda each: natural_key(each.id)
    )
    items = [withheld_trace(each) for each in asked]
    if not items:
        raise UsageError("there is no item to export", hint='vfcc trace add requirement "Title"')
    told = tuple(
        f"{after.path} holds what looks like a secret: it is withheld"
        for before, after in zip(asked, items, strict=True)
        if after is not before
    )
    bodies = {item.path: withhold(_body(workspace, each)) for each, item in zip(asked, items, strict=True)}
    if chosen != "json" and (lost := tuple(not_carried(items, bodies, in_file_only=chosen == "reqif"))):
        told = (*told, f"{chosen} cannot carry: {', '.join(lost)} (--format json carries everything)")
    if chosen == "reqif":
        from verifflowcc.adapters.foreign.reqif_write import reqif_text

        return Exported(reqif_text(items, workspace.today()), len(items), told)
    return Exported(trace_csv(items) if chosen == "csv" else trace_json(items, bodies), len(items), told)


def _body(workspace: Workspace, item: TraceItem) -> str:
    """Return all that stands below the front matter of an item's file."""
    text = decode(item.path, read_item_file(workspace.root, item.path))
    return split(text.replace("\r\n", "\n")).body.strip("\n")
