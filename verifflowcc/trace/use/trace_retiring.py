"""Retire an item: it no longer counts, its id is never reused, its file stays."""

from verifflowcc.base.errors import UsageError
from verifflowcc.base.model.item_values import Status
from verifflowcc.base.records import dataclass
from verifflowcc.base.use.stage_words import one_line
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.trace.use.trace_edits import ItemFileEdit, begin_edit, set_keys, write_edits
from verifflowcc.trace.use.trace_finding import find_item
from verifflowcc.trace.use.trace_sources import full_view

HISTORY = "## History"


@dataclass(frozen=True, slots=True)
class Retirement:
    """A retired item, and what still names it: items by id, code as `path:line`."""

    item: str
    path: str
    reason: str
    linked_by: tuple[str, ...]
    """Items that still link to it."""
    marked_in: tuple[str, ...]
    """Places that still name it."""


def retire_item(workspace: Workspace, name: str, reason: str = "", *, actor: str) -> Retirement:
    """Set an item's status to archived, and note the reason in its text.

    The reason goes below `## History` at the end.

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
    return Retirement(item.id, item.path, why, children, marks)


def _with_history(edit: ItemFileEdit, line: str) -> ItemFileEdit:
    """Add a line below the heading `## History` at the end of a file.

    The heading is added where the last one is another.
    """
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
    return ItemFileEdit(edit.path, edit.before, (text + added).encode("utf-8"))
