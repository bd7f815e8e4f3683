"""Requirements that were read out of a conversation: memory, until a person adopts them into the trace."""

from verifflowcc.domain.items import may_be_heard
from verifflowcc.domain.memory import StoredItem
from verifflowcc.services.workspace import provider


def awaits_adoption(stored: StoredItem) -> bool:
    """Say whether an item that holds as memory waits for a person to adopt it into the trace."""
    if not may_be_heard(stored.item):
        return False
    unread: bool = provider("trace item")(stored.item.path, stored.text.encode("utf-8")) is None
    return unread
