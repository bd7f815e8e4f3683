"""Requirements that were read out of a conversation: memory, until a person adopts them into the trace."""

from verifflowcc.adapters.files.trace_items import parse_trace_item
from verifflowcc.domain.item_types import is_trace_type
from verifflowcc.domain.items import Item, Status
from verifflowcc.domain.memory import StoredItem


def may_be_heard(item: Item) -> bool:
    """Say whether an item can wait for its adoption, as far as memory knows it."""
    return item.status is Status.ACTIVE and is_trace_type(item.type) and item.source.turn is not None


def awaits_adoption(stored: StoredItem) -> bool:
    """Say whether an item that holds as memory waits for a person to adopt it into the trace."""
    return may_be_heard(stored.item) and parse_trace_item(stored.item.path, stored.text.encode("utf-8")) is None
