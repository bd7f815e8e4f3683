"""`vfcc memory add` of a trace type: the same new item, by the same rules, as `vfcc trace add` makes."""

from typing import TYPE_CHECKING

from verifflowcc.base.errors import UsageError
from verifflowcc.base.model.item_values import TYPES, is_trace_type
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.memory.use.adding import TypedItem
from verifflowcc.memory.use.new_item_words import checked_text
from verifflowcc.memory.use.recording import title_of

if TYPE_CHECKING:
    from verifflowcc.trace.use.trace_edits import TraceItemRequest

_MEMORY_ALONE = ("key", "importance", "confidence", "details", "own", "lesson", "refs", "expires", "deadline")


def trace_wanted(workspace: Workspace | None, typed: TypedItem) -> "TraceItemRequest | None":
    """Return the trace item that was typed; None where the type is none of the project's trace.

    Raises UsageError for an option that a trace item does not have, and where the text is empty.
    """
    name = typed.type.strip().casefold().replace("-", "_")
    if workspace is None or typed.scope not in (None, "project") or not _is_traced(workspace, name):
        return None
    import shlex

    from verifflowcc.trace.use.trace_edits import TraceItemRequest

    text = checked_text(typed.text, "the text")
    title = typed.title or title_of(text, name)
    option = next((each for each in (*_MEMORY_ALONE, "supersedes") if getattr(typed, each)), None)
    if option is not None or typed.source != "explicit":
        hint = f"vfcc trace add {name} {shlex.quote(title)}"
        raise UsageError(f"{name} is a trace type: it has no {option or 'source'}", hint=hint)
    return TraceItemRequest(name, title, text, id=typed.id, tags=typed.tags)


def _is_traced(workspace: Workspace, name: str) -> bool:
    if name in TYPES and not is_trace_type(name):
        return False
    from verifflowcc.sprint.use.pinned_workflow import policy_of

    return name in policy_of(workspace).types
