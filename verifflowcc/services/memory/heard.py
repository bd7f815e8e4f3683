"""Requirements that were read out of a conversation: memory, until a person adopts them into the trace."""

from verifflowcc.adapters.files.trace_items import parse_trace_item
from verifflowcc.domain.memory import StoredItem
from verifflowcc.domain.vouching import may_be_heard


def awaits_adoption(stored: StoredItem) -> bool:
    """Say whether an item that holds as memory waits for a person to adopt it into the trace."""
    return may_be_heard(stored.item) and parse_trace_item(stored.item.path, stored.text.encode("utf-8")) is None
