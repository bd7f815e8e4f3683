"""Uses of items, added up: those that an item has, and those that a log tells of."""

from collections.abc import Iterable, Mapping

from verifflowcc.domain.items import Uses


def uses_of(noted: Iterable[tuple[str, str]]) -> Mapping[str, Uses]:
    """Return the uses of each item; `noted` has an id and an ISO day for each use.

    >>> uses_of([("a", "2026-11-21"), ("a", "2026-11-20")])
    {'a': Uses(count=2, last='2026-11-21')}
    """
    found: dict[str, Uses] = {}
    for item_id, day in noted:
        found[item_id] = merged(found.get(item_id, Uses()), Uses(1, day))
    return found


def merged(one: Uses, other: Uses) -> Uses:
    """Return both together: the sum, and the later day. It is associative and commutative, and `Uses()` adds nothing.

    >>> merged(Uses(2, "2026-11-20"), Uses(1, None))
    Uses(count=3, last='2026-11-20')
    """
    return Uses(one.count + other.count, max(filter(None, (one.last, other.last)), default=None))


def at_least(one: Uses, planned: Uses) -> Uses:
    """Return what an item is to say where `planned` was decided when it said less: it is never set back.

    >>> at_least(Uses(5, "2026-11-21"), Uses(3, "2026-11-20")), at_least(Uses(1), Uses(3, "2026-11-20"))
    (Uses(count=5, last='2026-11-21'), Uses(count=3, last='2026-11-20'))
    """
    return Uses(max(one.count, planned.count), max(filter(None, (one.last, planned.last)), default=None))
