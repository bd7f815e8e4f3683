"""Files below `.memory/project/items/` as trace items."""

from collections.abc import Collection

from verifflowcc.base.model.trace_codes import TYPES
from verifflowcc.base.model.trace_values import Flaw, TraceItem
from verifflowcc.items.store.item_edits import decode, read_front
from verifflowcc.trace.rules.trace_item import is_trace_item, read_trace_item


def parse_trace_item(path: str, data: bytes, types: Collection[str] = TYPES.keys()) -> TraceItem | None:
    """Return the trace item in a file's bytes, None for another kind of item.

    `path` begins at the project's root and uses `/`; `types` are the names of the trace types. What is wrong with the
    file is in `flaws`, front matter that is no YAML too. Raises FormatError where the bytes are not UTF-8, with file,
    line and byte.
    """
    parts, table, problem = read_front(decode(path, data).replace("\r\n", "\n"))
    flaws = (Flaw("bad-field", *problem),) if problem else ()
    return read_trace_item(path, parts, table, flaws) if is_trace_item(path, table, types) else None
