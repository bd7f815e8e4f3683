"""The shape of a JSON value: its keys and kinds, without what they hold."""

import json
from pathlib import Path
from typing import Any

GOLDEN = Path(__file__).parent / "golden"
"""The shapes of lean data, one file for each command. What a document may hold beside is in the schemas."""

Shape = str | dict[str, "Shape"] | list["Shape"]

OPEN = {
    "at_least",
    "at_most",
    "counts",
    "digests",
    "fallbacks",
    "file_digests",
    "inputs",
    "items",
    "kinds",
    "lines",
    "marked",
    "matched",
    "measures",
    "packed",
    "parts",
    "planned",
    "relations",
    "reports",
    "rules",
    "severities",
    "sources",
    "states",
    "statuses",
    "symbols",
    "traced",
    "types",
    "used",
}
"""Objects whose keys are names of files, inputs, items, measures or stages; their shape is that of any value."""


def shape(value: object, key: str = "") -> Shape:
    """Return `text`, `number`, `true or false` or `null`; an object by key; a list as the shapes that occur in it."""
    if isinstance(value, dict):
        if key in OPEN:
            return {"*": _joined([shape(one) for one in value.values()])} if value else {}
        return {name: shape(one, name) for name, one in value.items()}
    if isinstance(value, list):
        return [_joined([shape(one) for one in value])] if value else []
    if value is None:
        return "null"
    return {bool: "true or false", int: "number", float: "number", str: "text"}[type(value)]


def _joined(shapes: list[Shape]) -> Shape:
    """What the elements of a list have in common: the same keys, each with the kinds that occur."""
    records = [one for one in shapes if isinstance(one, dict)]
    if len(records) == len(shapes):
        names = sorted({name for one in records for name in one})
        return {name: _joined([one.get(name, "absent") for one in records]) for name in names}
    lists = [one for one in shapes if isinstance(one, list)]
    if len(lists) == len(shapes):
        inner = [element for one in lists for element in one]
        return [_joined(inner)] if inner else []
    words = sorted({one if isinstance(one, str) else "list" if isinstance(one, list) else "object" for one in shapes})
    return " | ".join(words)


def promised(name: str) -> Any:
    """Return the shape of a command's lean data that stays."""
    return json.loads((GOLDEN / f"{name}.json").read_text(encoding="utf-8"))
