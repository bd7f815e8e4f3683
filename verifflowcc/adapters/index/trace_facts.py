"""A trace item as one line of JSON for the index."""

from verifflowcc.domain.trace import TraceItem
from verifflowcc.text.record_codec import RecordCodec

_CODEC: RecordCodec[TraceItem] = RecordCodec(TraceItem)
trace_item_to_text, trace_item_from_text = _CODEC.text, _CODEC.value
