"""How a link stands to what somebody looked at: agreed, never looked at, or suspect, and at which end."""

from enum import StrEnum

from verifflowcc.domain.items import Link
from verifflowcc.domain.trace import TraceItem
from verifflowcc.formats.fingerprint import matches, read_stamp
from verifflowcc.trace.view import TraceView


class LinkState(StrEnum):
    """What a link's stamp says today."""

    AGREED = "agreed"
    UNREVIEWED = "unreviewed"
    SUSPECT = "suspect"
    OUTGROWN = "outgrown"
    DANGLING = "dangling"

    @property
    def means(self) -> str:
        """What the word says, in a few words."""
        return _MEANS[self]


_MEANS = {
    LinkState.AGREED: "both ends are unchanged since the last review",
    LinkState.UNREVIEWED: "it has not been reviewed",
    LinkState.SUSPECT: "its other end changed since the last review",
    LinkState.OUTGROWN: "this item changed since the last review",
    LinkState.DANGLING: "there is no such item",
}


def link_state(view: TraceView, item: TraceItem, link: Link) -> LinkState:
    """Return how a link stands now. A stamp of another algorithm, or of other fields, makes it suspect."""
    other = view.by_id.get(link.to)
    if other is None:
        return LinkState.DANGLING
    if link.stamp is None:
        return LinkState.UNREVIEWED
    if matches(link.stamp.fingerprint, other.digest, item.digest):
        return LinkState.AGREED
    parts = read_stamp(link.stamp.fingerprint)
    if parts is not None and parts.comparable and parts.digests[:1] == (other.digest,):
        return LinkState.OUTGROWN
    return LinkState.SUSPECT


def review_word(item: TraceItem) -> str:
    """Return how an item stands to its own review: `reviewed`, `changed since` or `unreviewed`."""
    if item.reviewed is None:
        return "unreviewed"
    return "reviewed" if matches(item.reviewed.fingerprint, item.digest) else "changed since"
