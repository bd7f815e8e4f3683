"""Find the trace item that a person means, by its id or the beginning of one."""

from pathlib import PurePosixPath

from verifflowcc.base.errors import ConflictError, FormatError, UsageError
from verifflowcc.base.model.trace_values import TraceItem
from verifflowcc.base.text.identifiers import ambiguous
from verifflowcc.base.text.plain_words import nearest_start
from verifflowcc.trace.rules.trace_view import TraceView

_LIST = "vfcc trace list"


def find_item(view: TraceView, name: str) -> TraceItem:
    """Return the item with an id, or the only one whose id begins with it.

    Capitals do not matter.

    Raises UsageError where there is none (with the nearest id) or there are several, ConflictError where two files have
    this id, and FormatError where the file of that name cannot be read.
    """
    wanted = name.strip().removesuffix(".md").rpartition("/")[2].casefold()
    same = [item for item in view.items if item.id.casefold() == wanted]
    found = same or [item for item in view.items if wanted and item.id.casefold().startswith(wanted)]
    ids = sorted({item.id for item in found})
    if len(ids) == 1 and len(found) == 1:
        return found[0]
    if not found:
        raise _unknown(view, name, wanted)
    if len(ids) == 1:
        paths = " and ".join(item.path for item in found)
        raise ConflictError(f"two files have the id {ids[0]}: {paths}", hint="vfcc check trace")
    raise UsageError(ambiguous(name, ids, "items"), hint=f"vfcc trace show {ids[0]}")


def _unknown(view: TraceView, name: str, wanted: str) -> UsageError | FormatError:
    for path, reason in view.sources.unreadable.items():
        if PurePosixPath(path).stem.casefold() == wanted:
            return FormatError(f"{path}:{reason}", hint=f"edit {path} by hand")
    ids = {item.id.casefold(): item.id for item in view.items}
    if not ids:
        return UsageError(f"there is no item {name}: there is none at all", hint='vfcc trace add need "What is needed"')
    near = nearest_start(wanted, ids)
    more = f"; did you mean {ids[near]}?" if near else ""
    return UsageError(f"there is no item {name}{more}", hint=f"vfcc trace show {ids[near]}" if near else _LIST)
