"""An item as one line of JSON for the index, and for the databases that hold items."""

from verifflowcc.domain.items import Item
from verifflowcc.text.record_codec import RecordCodec

_CODEC: RecordCodec[Item] = RecordCodec(Item)
item_to_text, item_from_text = _CODEC.text, _CODEC.value
