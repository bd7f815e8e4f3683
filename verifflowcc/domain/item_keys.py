"""The keys of an item's front matter, one row each: reading, writing, filters, columns and screens follow the rows.

A new field of items is a row here and an attribute of the same name in `Item`. Rows are in the order of a new file.
"""

from enum import StrEnum

from verifflowcc.records import dataclass


class Kind(StrEnum):
    """What a value is, as a person would call it."""

    TEXT = "a text"
    WORD = "a word"
    DECIMAL = "a number from 0 to 1"
    WHOLE = "a whole number from 0"
    MOMENT = "a date or date-time in ISO form"
    TEXTS = "a text of its list"
    TRUTH = "true or false"


@dataclass(frozen=True, slots=True)
class ItemKey:
    """A key of the front matter.

    `kind` says how its value is read, written and compared; None marks a value with parts, which `formats/item_fields`
    reads by a method of the key's name and `formats/item_render` writes by a function in its table.
    """

    name: str
    kind: Kind | None = None
    memory: bool = True
    """Whether `Item` has an attribute of this name."""
    explained: bool = True
    """Whether `memory show --explain` lists it as it is."""


KEYS = (
    ItemKey("id", Kind.TEXT, explained=False),
    ItemKey("type", Kind.TEXT, explained=False),
    ItemKey("title", Kind.TEXT, explained=False),
    ItemKey("key", Kind.TEXT),
    ItemKey("importance", Kind.DECIMAL, explained=False),
    ItemKey("confidence", Kind.DECIMAL, explained=False),
    ItemKey("status", Kind.WORD, explained=False),
    ItemKey("links"),
    ItemKey("source"),
    ItemKey("trust", Kind.WORD, explained=False),
    ItemKey("refs"),
    ItemKey("created", Kind.MOMENT),
    ItemKey("updated", Kind.MOMENT),
    ItemKey("expires", Kind.MOMENT),
    ItemKey("deadline", Kind.MOMENT),
    ItemKey("verification", Kind.TEXT, explained=False),
    ItemKey("tags", Kind.TEXTS, explained=False),
    ItemKey("uses"),
    ItemKey("tokens", Kind.WHOLE, explained=False),
    ItemKey("details"),
    ItemKey("archived"),
    *(ItemKey(name, Kind.TEXT, memory=False) for name in ("rationale", "planned", "integrity")),
    ItemKey("derived", Kind.TRUTH, memory=False),
    *(ItemKey(name, Kind.TEXTS, memory=False) for name in ("tests", "evidence")),
    *(ItemKey(name, memory=False) for name in ("reviewed", "verified")),
    ItemKey("date", Kind.MOMENT, memory=False),
    ItemKey("imported", memory=False),
)
"""`date` is read as `created`; `imported` holds what an older store had and an item has no place for."""

KNOWN_KEYS = tuple(row.name for row in KEYS)
MEMORY_KEYS = tuple(row for row in KEYS if row.memory)
