"""Checks of what must not be in memory, and of who vouches for what is."""

from verifflowcc.domain.items import Item, Trust, least_trust
from verifflowcc.lifecycle.memory_findings import MemoryFindings
from verifflowcc.lifecycle.memory_sources import Looked, MemorySources
from verifflowcc.text.secrets import withhold

_TRUST = {"human": Trust.HUMAN, "agent": Trust.AGENT, "external": Trust.EXTERNAL}
_VOUCHED_BY = "vouched_by"


def check_vouching(sources: MemorySources, tell: MemoryFindings) -> None:
    """Tell of secrets, by their kind and place alone, and of items that claim more trust than their source has."""
    tell.ask(len(sources.items), "secret", "raised-trust")
    for looked in sources.items:
        for kind, line, column in looked.secrets:
            message = f"{withhold(looked.item.id)} holds what looks like a secret, a {kind}, in column {column}"
            step = f"make it void where it was issued, and take it out of {withhold(looked.item.path)}, line {line}"
            tell.item("secret", looked.item, line, message, step, f"{line}:{column}")
        _check_trust(looked, tell)


def _check_trust(looked: Looked, tell: MemoryFindings) -> None:
    item = looked.item
    writers = writers_trust(item)
    if least_trust(item.trust, writers) is item.trust or dict(item.details).get(_VOUCHED_BY):
        return
    message = f"{item.id} is trusted as {item.trust}, {item.source.actor} wrote it, and nobody is named who vouches"
    tell.item("raised-trust", item, looked.line("trust"), message, f"vfcc memory show {item.id} --explain")


def writers_trust(item: Item) -> Trust:
    """Return who vouches for an item by whoever wrote it."""
    return _TRUST.get(item.source.actor.partition(":")[0], Trust.TOOL)
