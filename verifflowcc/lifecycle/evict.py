"""Which items make room when a project remembers too much: never what a person wrote, and nothing that was decided."""

from collections.abc import Iterable

from verifflowcc.domain.items import Item, SourceKind, Status, is_trace_type

SPARED_TYPES = frozenset({"decision", "convention"})
_FOUND = frozenset({SourceKind.EXTRACTED, SourceKind.INFERRED})


def evictable(item: Item) -> bool:
    """Say whether an item counts against the limit, and may make room.

    It was extracted or inferred, and written by no person; it is active, and no decision, convention or trace item.
    What was read out of a conversation was written by none, whoever had it read.
    """
    return (
        item.source.kind in _FOUND
        and (item.source.origin is not None or item.source.actor.partition(":")[0] != "human")
        and item.status is Status.ACTIVE
        and item.type not in SPARED_TYPES
        and not is_trace_type(item.type)
    )


def evicted(items: Iterable[Item], max_items: int) -> tuple[Item, ...]:
    """Return what is to be archived: above `max_items` of those that count, their lowest tenth, one at least.

    The lowest are those of the least importance, the oldest first among equals, then by id; an item that does not say
    when it was made is the oldest.
    """
    counting = sorted(
        filter(evictable, items),
        key=lambda item: (item.importance, (item.created or "")[:10], item.created or "", item.id),
    )
    return tuple(counting[: max(1, len(counting) // 10)]) if len(counting) > max_items else ()
