"""Make room in a store that holds too many extracted and inferred items: the lowest tenth is archived, not deleted."""

from verifflowcc.domain.items import Item
from verifflowcc.domain.memory import MemoryBackend
from verifflowcc.lifecycle.evict import evicted
from verifflowcc.services.memory.putting_away import EVICTED, put_away


def evict(backend: MemoryBackend, max_items: int, *, today: str) -> tuple[Item, ...]:
    """Archive what is above the limit, by the rule of `lifecycle.evict`; return what was archived.

    Raises as the store does, and FormatError where an item's front matter cannot be edited.
    """
    if backend.count() <= max_items:
        return ()
    with backend.writing():
        gone = evicted(backend.items(), max_items)
        for item in gone:
            stored = backend.get(item.id)
            if stored is not None:
                backend.add(put_away(stored, today=today, why=EVICTED))
    return gone
