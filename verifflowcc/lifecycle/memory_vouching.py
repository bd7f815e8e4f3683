"""Checks of what must not be in memory, and of who vouches for what is."""

from verifflowcc.domain.items import Item, Status, awaits_promotion, trust_held
from verifflowcc.lifecycle.memory_findings import MemoryFindings
from verifflowcc.lifecycle.memory_sources import Looked, MemorySources
from verifflowcc.text.secrets import withhold


def check_vouching(sources: MemorySources, tell: MemoryFindings) -> None:
    """Tell of secrets, by their kind and place alone, and of items that claim more trust than their source has."""
    tell.ask(len(sources.items), "secret", "raised-trust", "unpromoted")
    for looked in sources.items:
        for kind, line, column in looked.secrets:
            message = f"{withhold(looked.item.id)} holds what looks like a secret, a {kind}, in column {column}"
            step = f"make it void where it was issued, and take it out of {withhold(looked.item.path)}, line {line}"
            tell.item("secret", looked.item, line, message, step, f"{line}:{column}")
        _check_trust(looked, tell)


def _check_trust(looked: Looked, tell: MemoryFindings) -> None:
    item = looked.item
    if trust_held(item) is not item.trust:
        message = (
            f"{item.id} is trusted as {item.trust}, but it comes from {_origin(item)} and no person vouches for it"
        )
        tell.item("raised-trust", item, looked.line("trust"), message, f"vfcc memory show {item.id} --explain")
    if item.status is Status.ACTIVE and awaits_promotion(item):
        message = f"{item.id} is active, but {item.source.actor} wrote it and no person promoted it: it stays pending"
        tell.item("unpromoted", item, looked.line("status"), message, f"vfcc memory promote {item.id}")


def _origin(item: Item) -> str:
    spoke = item.source.speaker if item.source.actor.startswith("human") else None
    return spoke or item.source.actor
