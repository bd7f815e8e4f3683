"""An item as one line of JSON for the index, and for the databases that hold items."""

from typing import Any

from verifflowcc.domain.items import Item, Link, Stamp
from verifflowcc.text.record_codec import RecordCodec


def _link(row: list[Any]) -> Link:
    to, relation, *mark = row
    return Link(to, relation, stamp=Stamp(mark[0]) if mark and mark[0] else None)


_CODEC: RecordCodec[Item] = RecordCodec(Item, {Link: (lambda link: [link.to, link.relation, link.fingerprint], _link)})
item_to_text, item_from_text = _CODEC.text, _CODEC.value
