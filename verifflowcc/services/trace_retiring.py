"""Retire an item: it counts no more, its id is never used again, and its file stays."""

from verifflowcc.domain.items import Status
from verifflowcc.errors import UsageError
from verifflowcc.records import dataclass
from verifflowcc.services.finding import one_line
from verifflowcc.services.trace_editing import Edit, begin_edit, set_keys, write_edits
from verifflowcc.services.trace_finding import find_item
from verifflowcc.services.trace_sources import full_view
from verifflowcc.services.workspace import Workspace

HISTORY = "## History"


@dataclass(frozen=True, slots=True)
class Retired:
    """An item that was retired, and what still speaks of it: items by id, code as `path:line`."""

    item: str
    path: str
    reason: str
    linked_by: tuple[str, ...]
    """Items that still link to it."""
    marked_in: tuple[str, ...]
    """Places that still name it."""


def retire_item(workspace: Workspace, name: str, reason: str = "", *, actor: str) -> Retired:
    """Set an item's status to archived; the reason goes below `## History` at the end of its text.

    Raises UsageError where it is unknown or retired already.
    """
    view = full_view(workspace)
    item = find_item(view, name)
    why = one_line(reason, "the reason")
    if item.status is Status.ARCHIVED:
        raise UsageError(f"{item.id} is retired already", hint=f"vfcc trace show {item.id}")
    edit = set_keys(begin_edit(workspace, item), {"status": str(Status.ARCHIVED)})
    if why:
        edit = _with_history(edit, f"- {workspace.today()}, {actor}: retired: {why}")
    write_edits(workspace, [edit])
    children = tuple(dict.fromkeys(child.id for child, _ in view.below.get(item.id, ())))
    marks = tuple(f"{file.path}:{mark.line}" for file, mark in view.marks.get(item.id, ()))
    return Retired(item.id, item.path, why, children, marks)


def _with_history(edit: Edit, line: str) -> Edit:
    """Add a line at the end of a file, below the last heading where that is `## History`, else below a new one."""
    text = edit.after.decode("utf-8")
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = text.splitlines()
    headings = [each.strip() for each in lines if each.startswith("#")]
    gap = "" if text.endswith("\n") or not text else newline
    if headings and headings[-1] == HISTORY:
        blank = newline if lines[-1].strip() == HISTORY else ""
        added = f"{gap}{blank}{line}{newline}"
    else:
        added = f"{gap}{newline}{HISTORY}{newline}{newline}{line}{newline}"
    return Edit(edit.path, edit.before, (text + added).encode("utf-8"))
